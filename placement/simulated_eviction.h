// A node in thought: accounts are told that some of its pods have left, so that the checks judge as if they had; State
// itself stays as it is. Ends with everybody back, so that asking changes nothing. Decision thread only.
#pragma once

#include <span>
#include <vector>

#include "cluster/state.h"
#include "policy/preemption.h"

namespace huygens::placement {

class SimulatedEviction {
 public:
  // Of these pods of the node any may leave; `asking`, for whom they would, is not there whatever State says. All
  // arguments must outlive this, and stay as they are meanwhile.
  SimulatedEviction(const cluster::State& state, std::span<cluster::Account* const> accounts, cluster::NodeIndex node,
                    const cluster::Pod& asking, std::span<const cluster::PlacedPod* const> pods);
  ~SimulatedEviction() { Let(policy::Gone(pods_.size())); }
  SimulatedEviction(const SimulatedEviction&) = delete;
  SimulatedEviction& operator=(const SimulatedEviction&) = delete;

  // From now on those have gone, by position in `pods`, and nobody else.
  void Let(const policy::Gone& gone);
  // Whether the node's allocatable has room for these requests (placement/node_fit.h) beside who stayed.
  bool Room(const ResourceVector& requests) const;

 private:
  std::span<cluster::Account* const> accounts_;
  std::span<const cluster::PlacedPod* const> pods_;
  std::vector<ResourceVector> requests_;  // of each
  const ResourceVector& allocatable_;
  ResourceVector used_;
  policy::Gone gone_;
};

}  // namespace huygens::placement
