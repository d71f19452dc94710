// What the verbs share.
#pragma once

#include <functional>

#include "admin/core_context.h"
#include "admin/recent_pods.h"
#include "base/resource.h"
#include "base/steady_now.h"
#include "base/time.h"
#include "extender/journal.h"

namespace huygens::oversight {
class ReportWatch;
}
namespace huygens::rescheduler {
class Rescheduler;
}

namespace huygens::extender {

struct Context : admin::CoreContext {
  ResourceNames& resources;
  Journal& journal;
  admin::RecentPods& pods;
  // Time that a wall clock set meanwhile does not change, since an arbitrary start: for ages and deadlines.
  std::function<Duration()> monotonic = SteadyNow;
  oversight::ReportWatch* reports = nullptr;  // null: nobody wants to know
  rescheduler::Rescheduler* moves = nullptr;  // null: no pod is moved
  bool told_of_node_objects = false;          // the warning about nodeCacheCapable: false has been logged
};

}  // namespace huygens::extender
