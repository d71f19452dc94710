#include "placement/simulated_eviction.h"

#include "placement/node_fit.h"

namespace huygens::placement {

SimulatedEviction::SimulatedEviction(const cluster::State& state, std::span<cluster::Account* const> accounts,
                                     cluster::NodeIndex node, const cluster::Pod& asking,
                                     std::span<const cluster::PlacedPod* const> pods)
    : accounts_(accounts),
      pods_(pods),
      allocatable_(state.GetNode(node)->allocatable),
      used_(state.RequestedOn(node, asking.uid)),
      gone_(pods.size()) {
  for (const cluster::PlacedPod* pod : pods) requests_.push_back(PlacedRequestsOf(*pod->pod));
}

void SimulatedEviction::Let(const policy::Gone& gone) {
  for (size_t i = 0; i < pods_.size(); ++i) {
    if (gone[i] == gone_[i]) continue;
    if (gone[i]) {
      for (cluster::Account* account : accounts_) account->Leave(*pods_[i]);
      used_.Subtract(requests_[i]);
    } else {
      for (cluster::Account* account : accounts_) account->Place(*pods_[i]);
      used_.Add(requests_[i]);
    }
  }
  gone_ = gone;
}

bool SimulatedEviction::Room(const ResourceVector& requests) const {
  return Lacking(requests, allocatable_, used_).empty();
}

}  // namespace huygens::placement
