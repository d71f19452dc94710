// What the planner asks of pods and nodes (rescheduling/facts.h), by what the watch shows and by the moves there were.
#pragma once

#include "rescheduler/moves_under_way.h"
#include "rescheduler/settled_moves.h"
#include "rescheduling/facts.h"
#include "rescheduling/never.h"

namespace huygens::rescheduler {

class ClusterFacts final : public rescheduling::Facts {
 public:
  // Everything referred to must outlive it.
  ClusterFacts(const placement::Placement& placement, const MovesUnderWay& moves, const SettledMoves& settled,
               rescheduling::NeverOptions options, const Clock& clock, Duration not_back)
      : placement_(placement),
        moves_(moves),
        settled_(settled),
        options_(options),
        clock_(clock),
        not_back_(not_back) {}

  std::string_view Unmovable(const cluster::Pod& pod) const override;
  bool MayLeave(cluster::NodeIndex node) const override;
  bool IsOpen(cluster::NodeIndex node) const override;
  bool MayTake(const cluster::Pod& pod, cluster::NodeIndex node) const override;
  bool Leaving(const cluster::Pod& pod) const override;

 private:
  const placement::Placement& placement_;
  const MovesUnderWay& moves_;
  const SettledMoves& settled_;
  const rescheduling::NeverOptions options_;
  const Clock& clock_;
  const Duration not_back_;  // to a node that a pod of the workload left
};

}  // namespace huygens::rescheduler
