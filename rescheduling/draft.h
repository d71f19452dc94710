// A plan in the making: moves in the order in which they were thought of, and what nodes would use and hold with them.
// The last ones can be taken back. Decision thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rescheduling/target_search.h"

namespace huygens::rescheduling {

// A pod that may leave its node, and what it counts for there and elsewhere.
struct Leaver {
  Leaver(const placement::Placement& placement, std::shared_ptr<const cluster::Pod> of_pod, NodeIndex on);

  std::shared_ptr<const cluster::Pod> pod, stand_in;
  NodeIndex source;
  Load here, there;
};

class Draft {
 public:
  struct Step {
    std::shared_ptr<const Leaver> leaver;  // null once it is settled
    std::shared_ptr<const cluster::Pod> pod;
    NodeIndex source = 0, target = 0;
    Cause cause = Cause::kCeiling;
    std::string clears;
  };

  explicit Draft(const usage::Account& account) : use_(account) {}
  void Reset(Time now, usage::ResourceMask left_out, size_t nodes);

  PlannedUse& use() { return use_; }
  const PlannedUse& use() const { return use_; }
  const PlannedPods& planned() const { return planned_; }
  const std::vector<Step>& steps() const { return steps_; }

  void Add(const std::shared_ptr<const Leaver>& leaver, NodeIndex target, Cause cause, std::string clears);
  void TakeBack();  // the last step
  // Those made so far are not taken back: what is known of their use is forgotten, which is most of what they hold.
  void Settle();

 private:
  PlannedUse use_;
  PlannedPods planned_;
  absl::flat_hash_map<NodeIndex, size_t> leavers_;  // by node: how many steps leave it
  std::vector<Step> steps_;
  size_t settled_ = 0;  // of them
};

}  // namespace huygens::rescheduling
