// Moves pods that stand wrong, in the process of the extender, which alone can hold room for them and steer their
// replacements: the planner and the limits of rescheduling/, the mover, and the times of their jobs. Off, it does not
// exist. In the mode `report` it plans and tells, and calls nobody but for its report. Decision thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "admin_api/reschedule_document.h"
#include "base/status.h"
#include "net/client.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "observe/readiness.h"
#include "placement/placement.h"
#include "settings/rescheduler.h"

namespace huygens::rescheduler {

class Rescheduler {
 public:
  struct Environment {
    placement::Placement& placement;  // not a pod has been applied to it yet
    net::EventLoop& loop;
    const Clock& clock;
    observe::Log& log;
    observe::Metrics& metrics;
    net::ClientOptions api_server;
    std::string identity;
    std::function<bool()> synced;               // nodes and pods have been listed
    std::function<std::string()> other_binder;  // another instance that binds now; empty: none
    std::function<Duration()> silence;          // since when nothing was heard of pods
  };

  // What is referred to must outlive it. Fails on options that are not usable.
  static StatusOr<std::unique_ptr<Rescheduler>> Create(const settings::ReschedulerConfiguration& configuration,
                                                       Environment environment);
  virtual ~Rescheduler() = default;

  virtual Status Start() = 0;
  // Gives the Lease up; calls nobody any more.
  virtual void Stop() = 0;
  // What is missing before pods may be placed: the moves under way, whose room is held; empty: nothing.
  virtual std::string NotReady() const = 0;

  // For the verb filter, before and after it asks the core: rescheduler/steering.h.
  virtual void Asked(const cluster::Pod& pod, Time now) = 0;
  virtual bool Steer(const cluster::Pod& pod, std::span<const std::string_view> names, placement::FilterAnswer& answer,
                     Time now) = 0;

  virtual observe::Readiness::Item Describe() const = 0;
  virtual void RefreshMetrics() = 0;
  virtual admin_api::RescheduleDocument Document() const = 0;
};

}  // namespace huygens::rescheduler
