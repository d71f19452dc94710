// What is told of the writes to topology objects: in the log what a plan changes, and to people by Events, of the Node where
// it is known, for that is where they look. The loop's thread.
#pragma once

#include <string>
#include <string_view>

#include "base/backoff.h"
#include "base/time.h"
#include "capacity_writer/zone_object.h"
#include "kube/event_recorder.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "real_capacity/plan.h"
#include "reconcile/leader_calls.h"

namespace huygens::capacity_writer {

// "node0 offline_capacity 8 -> 6500m", of the first few; empty: nothing but times.
std::string ChangesIn(const real_capacity::Plan& plan);

class CapacityNews {
 public:
  // What is referred to must outlive this, and the calls under way end before it does.
  CapacityNews(reconcile::LeaderCalls& calls, const Clock& clock, observe::Log& log, Random random,
               std::string instance)
      : calls_(calls),
        clock_(clock),
        log_(log),
        events_(clock, std::move(random), {.reporter = "huygens-controller", .instance = std::move(instance)}) {}

  // As often as kube::EventRecorder lets it.
  void Tell(const ZoneObject& object, std::string_view reason, const std::string& message, bool warning);

 private:
  reconcile::LeaderCalls& calls_;
  const Clock& clock_;
  observe::Log& log_;
  kube::EventRecorder events_;
  observe::RateLimit warnings_{std::chrono::minutes(1)};
};

}  // namespace huygens::capacity_writer
