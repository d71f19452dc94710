// What the zones of one node have available of the resources that one pod asks for, and how far they are apart. Zones
// are known by their position, ordered by id. Filled anew for each node; keeps its memory. One thread at a time.
#pragma once

#include <span>
#include <vector>

#include "cluster/objects.h"
#include "kubelet/machine.h"
#include "topology/mask_search.h"

namespace huygens::scoring {

class CommunityZones {
 public:
  CommunityZones() = default;
  // Not copied: it may refer to what it owns.
  CommunityZones(CommunityZones&&) = default;
  CommunityZones& operator=(CommunityZones&&) = default;

  // One row of amounts per resource: as the object says, less by as much as the machine it describes has less free now.
  // `published` must stay as it is until the next call.
  void Fill(const cluster::NodeTopology& topology, const kubelet::Machine& published, const kubelet::Machine& now,
            std::span<const ResourceId> resources);

  size_t size() const { return zones_; }
  bool Lists(size_t zone, size_t resource) const { return listed_[resource * zones_ + zone] != 0; }
  int64_t Available(size_t zone, size_t resource) const { return available_[resource * zones_ + zone]; }
  void Take(size_t zone, size_t resource, int64_t amount) { available_[resource * zones_ + zone] -= amount; }
  // Of all zones, none below 0; of those that do not list the resource, 0.
  std::span<const int64_t> Row(size_t resource) const { return {&available_[resource * zones_], zones_}; }
  // From each zone to each, row by row; 255, the most there is (ACPI SLIT), where the object does not say.
  std::span<const int> Distance() const { return distance_; }
  const topology::LeastDistances& Least() const { return least_; }  // of these

 private:
  void FillDistance(const cluster::NodeTopology& topology, const kubelet::Machine& published);

  size_t zones_ = 0;
  std::vector<int64_t> available_;  // by resource, zone
  std::vector<char> listed_;
  std::span<const int> distance_;  // the machine's or own_distance_
  std::vector<int> own_distance_;
  topology::LeastDistances least_;
};

}  // namespace huygens::scoring
