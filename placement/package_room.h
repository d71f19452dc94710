// How many more pods of one size all nodes together would take, and how much of what is free is in pieces too small for
// it. As placement/pod_headroom.h counts: a measure of room, no promise. Decision thread only.
#pragma once

#include <cstdint>

#include "base/resource.h"
#include "placement/placement.h"

namespace huygens::placement {

class PackageRoom {
 public:
  explicit PackageRoom(const ResourceVector& size);

  // Takes one node in, if there is one; nodes in any order, each once.
  void Add(const Placement& placement, NodeIndex node, Time now);

  const ResourceVector& size() const { return size_; }
  int64_t count() const { return count_; }
  // What share of what is free of a resource of the package no further package of this size can have: 0 where all of
  // it can be used, 1 where none fits. 0 where nothing is free.
  double Fragmentation(ResourceId resource) const;

 private:
  ResourceVector size_;
  cluster::Pod pod_;
  int64_t count_ = 0;
  ResourceVector free_;
};

}  // namespace huygens::placement
