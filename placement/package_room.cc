#include "placement/package_room.h"

#include <algorithm>

#include "placement/pod_headroom.h"

namespace huygens::placement {

PackageRoom::PackageRoom(const ResourceVector& size) : size_(size), pod_(PodOfSize(size)) {}

void PackageRoom::Add(const Placement& placement, NodeIndex node, Time now) {
  const cluster::State& state = placement.state();
  if (state.GetNode(node) == nullptr) return;
  count_ += PodHeadroom(placement, node, pod_, now);
  const ResourceVector used = state.RequestedOn(node);
  for (const auto& [resource, amount] : size_) {
    const int64_t left = state.GetNode(node)->allocatable.Get(resource) - used.Get(resource);
    free_.Set(resource, free_.Get(resource) + std::max<int64_t>(0, left));
  }
}

double PackageRoom::Fragmentation(ResourceId resource) const {
  const auto free = static_cast<double>(free_.Get(resource));
  if (free <= 0) return 0;
  return std::max(0.0, 1 - static_cast<double>(count_) * static_cast<double>(size_.Get(resource)) / free);
}

}  // namespace huygens::placement
