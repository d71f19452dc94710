// What the verbs share. Everything in it lives as long as the server and is touched by the decision thread alone,
// except where its own header says otherwise.
#pragma once

#include <functional>
#include <string>

#include "admin/recent_pods.h"
#include "base/resource.h"
#include "base/time.h"
#include "base/waiter.h"
#include "extender/journal.h"
#include "kube/pod_events.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "placement/placement.h"

namespace huygens::extender {

class ReportWatch;

struct Context {
  placement::Placement& placement;
  ResourceNames& resources;
  const Clock& clock;
  observe::Log& log;
  observe::Metrics& metrics;
  Journal& journal;
  admin::RecentPods& pods;
  // Why no decision can be made yet ("waiting for the first list of pods"); empty when ready.
  std::function<std::string()> not_ready;
  // Backend::Warn: returns at once.
  std::function<void(const cluster::Pod& pod, const kube::PodWarning& warning)> warn;
  // Time that a wall clock set meanwhile does not change, since an arbitrary start: for ages and deadlines.
  std::function<Duration()> monotonic = [] { return SteadyWaiter().Now(); };
  ReportWatch* reports = nullptr;     // null: nobody wants to know
  bool told_of_node_objects = false;  // the warning about nodeCacheCapable: false has been logged
};

}  // namespace huygens::extender
