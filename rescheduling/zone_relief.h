// Which pods should leave a node whose zones hold more than they give: the smallest that mends it alone and has a
// target, else the largest that has one, and then the rest is asked the same again. In steps.
#pragma once

#include <memory>
#include <vector>

#include "rescheduling/draft.h"

namespace huygens::rescheduling {

class ZoneRelief {
 public:
  // All must outlive it.
  ZoneRelief(placement::Placement& placement, const Facts& facts, Draft& draft)
      : placement_(placement), draft_(draft), search_(placement, facts, draft.use(), draft.planned()) {}

  // `movable`: the pods of the node that hold zones and may leave. `order`: of targets.
  void Begin(NodeIndex node, std::vector<std::shared_ptr<const Leaver>> movable, const NodesByShare& order,
             size_t rank_by);
  // True: there may be more to do. Moves are added to the draft.
  bool Advance(int64_t& budget, Time now);
  // Once Advance has said false; if not, the draft is as it was.
  bool cleared() const { return cleared_; }

 private:
  bool Try(const std::shared_ptr<const Leaver>& leaver, int64_t& budget, Time now);
  // Whether the zones hold no more than they give without those that leave, and without this one, if any.
  bool Mends(const Leaver* besides, Time now);

  placement::Placement& placement_;
  Draft& draft_;
  TargetSearch search_;
  NodeIndex node_ = 0;
  std::vector<std::shared_ptr<const Leaver>> movable_;  // smallest first
  const NodesByShare* order_ = nullptr;
  size_t rank_by_ = 0;
  size_t next_ = 0;
  bool alone_ = true;  // who mends it alone is looked for, from the front; else the largest, from the back
  bool searching_ = false;
  bool cleared_ = false, done_ = true;
  size_t began_at_ = 0;  // steps of the draft
};

}  // namespace huygens::rescheduling
