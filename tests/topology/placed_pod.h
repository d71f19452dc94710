// Pods on managed nodes, for tests.
#pragma once

#include <memory>
#include <vector>

#include "cluster/account.h"

namespace huygens::topology::test {

// A pod (`like` that one) that requests what it holds of the zones, so that it is believed.
inline cluster::PlacedPod HoldingPod(std::vector<cluster::ZoneAmount> zones, cluster::NodeIndex node = 0,
                                     const cluster::Pod& like = {}) {
  auto pod = std::make_shared<cluster::Pod>(like);
  cluster::Container& container = pod->containers.emplace_back();
  for (const cluster::ZoneAmount& zone : zones) {
    for (const auto& [resource, amount] : zone.amount) {
      if (amount > 0) container.requests.Add(resource, amount);
    }
  }
  return {std::move(pod), node, std::move(zones)};
}

}  // namespace huygens::topology::test
