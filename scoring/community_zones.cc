#include "scoring/community_zones.h"

#include <algorithm>

namespace huygens::scoring {

namespace {

constexpr int kFar = 255;

int64_t Free(const kubelet::Machine& machine, size_t zone, ResourceId resource) {
  if (resource == kCpu) return int64_t{1000} * machine.zones[zone].cpu_free;
  for (const kubelet::MemoryResource& row : machine.memory) {
    if (row.resource == resource) return row.zones[zone].free;
  }
  int64_t free = 0;
  for (const kubelet::DeviceResource& devices : machine.devices) {
    if (devices.resource != resource) continue;
    for (const kubelet::DeviceGroup& group : devices.groups) {
      if (group.zones == topology::ZoneBit(zone)) free += group.free;
    }
  }
  return free;
}

bool AllNear(std::span<const int> distance) {
  int least = 0, most = 0;
  for (int each : distance) {  // without a branch, for the vector units: 64 zones have 4096 distances
    least = std::min(least, each);
    most = std::max(most, each);
  }
  return least >= 0 && most <= kFar;
}

}  // namespace

void CommunityZones::Fill(const cluster::NodeTopology& topology, const kubelet::Machine& published,
                          const kubelet::Machine& now, std::span<const ResourceId> resources) {
  zones_ = published.zones.size();  // the first of the object's, without ids that kubelet cannot hold
  available_.assign(resources.size() * zones_, 0);
  listed_.assign(resources.size() * zones_, 0);
  for (size_t z = 0; z < zones_; ++z) {
    const cluster::Zone& zone = topology.zones[z];
    for (size_t r = 0; r < resources.size(); ++r) {
      if (!zone.available.Has(resources[r])) continue;
      listed_[r * zones_ + z] = 1;
      const int64_t taken_since = Free(published, z, resources[r]) - Free(now, z, resources[r]);
      available_[r * zones_ + z] = std::max<int64_t>(0, zone.available.Get(resources[r]) - taken_since);
    }
  }
  FillDistance(topology, published);
}

void CommunityZones::FillDistance(const cluster::NodeTopology& topology, const kubelet::Machine& published) {
  distance_ = published.distance;
  if (distance_.empty() || !AllNear(distance_)) {
    own_distance_.assign(zones_ * zones_, kFar);
    for (size_t z = 0; z < zones_; ++z) {
      const auto& costs = topology.zones[z].costs;
      auto cost = costs.begin();  // ordered by id, as the zones are
      for (size_t to = 0; to < zones_; ++to) {
        while (cost != costs.end() && cost->first < topology.zones[to].id) ++cost;
        if (cost == costs.end()) break;
        if (cost->first == topology.zones[to].id) own_distance_[z * zones_ + to] = std::clamp(cost->second, 0, kFar);
      }
    }
    distance_ = own_distance_;
  }
  least_ = topology::LeastOf(distance_, zones_);
}

}  // namespace huygens::scoring
