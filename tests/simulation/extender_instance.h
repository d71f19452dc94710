// One extender in the simulation: production's decision core with the check "quota" under `enforcement: admission`, on
// watches that are simulated. It charges each pod once that holds a node.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "placement/placement.h"
#include "tests/simulation/webhook_instance.h"

namespace huygens::simulation {

class ExtenderInstance {
 public:
  ExtenderInstance(const Surroundings& given, const Stream& random);

  // As bind: whether the pod may go there, which it holds from then on, until it is settled.
  bool Reserve(const Workload& pod, const std::string& node);
  void Settled(const Workload& pod, bool bound);

  Watch& watch(std::string_view kind) { return kind == kGroups ? groups_ : pods_; }
  // What its own pods take of the group.
  Plain Charged(std::string_view group) const;
  // Nodes whose accounts a recount finds wrong.
  size_t Drift() { return placement_->Reconcile(100); }

 private:
  const Surroundings given_;
  ResourceNames names_;
  std::unique_ptr<placement::Placement> placement_;
  Watch groups_, pods_;
};

}  // namespace huygens::simulation
