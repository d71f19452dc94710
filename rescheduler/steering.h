// Where kube-scheduler puts a replacement. The filter call is the place to act: the pod is bound some 50 ms after it
// was made, before anybody could patch it. Where the target is among the candidates it alone is answered. kube-scheduler
// offers an extender a sample of the nodes, so where it is not all are rejected, and status.nominatedNodeName of the pod
// is set to the target: a nominated node is asked about first, and alone. That is insisted on until the pod comes back
// with its nomination, ten seconds at most; then it may go anywhere but to the node that it left. Decision thread only.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "base/time.h"
#include "placement/placement.h"
#include "rescheduler/moves_under_way.h"

namespace huygens::rescheduler {

class Steering {
 public:
  static constexpr Duration kInsist = std::chrono::seconds(10);

  // `nominate`: has the target written into the pod; called once per replacement.
  using Nominate = std::function<void(UnderWay& move, const cluster::Pod& pod)>;
  // `moves` must outlive it.
  Steering(MovesUnderWay& moves, Nominate nominate) : moves_(moves), nominate_(std::move(nominate)) {}

  // Before the core is asked which of the nodes can take the pod.
  void Asked(const cluster::Pod& pod, Time now);
  // Afterwards: leaves of the answer what the pod is to be offered. True: all were rejected though some could take it,
  // since it is about to be nominated; it does not wait for room.
  bool Steer(const cluster::Pod& pod, std::span<const std::string_view> names, placement::FilterAnswer& answer,
             Time now);

 private:
  MovesUnderWay& moves_;
  const Nominate nominate_;
};

}  // namespace huygens::rescheduler
