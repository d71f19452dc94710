// What the operator decides about zones (configuration section `topology`).
#pragma once

#include <chrono>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/resource.h"
#include "base/time.h"

namespace huygens::topology {

// What a zone can give once its offline_capacity was last written longer ago than the limit.
enum class WhenStale : uint8_t {
  kUseAllocatable,  // as if the attribute were absent
  kUseLast,         // the old figure goes on counting
  kReject,          // nothing: no new pod gets the zone
};

struct Options {
  // Charged to the zones of managed nodes, in this order of importance. Without cpu no pod asks anything of zones.
  std::vector<ResourceId> managed_resources = {kCpu};
  // Whether a node without a topology object takes pods that ask of zones. A pod annotated with topology-awareness true
  // is refused either way.
  bool nodes_without_topology_pass = true;
  // How long the last topology object of a node counts after it went while the node stayed; 0: not at all.
  Duration loss_grace = std::chrono::minutes(10);
  // Whether a topology-result counts that no huygens.dev/placement stands beside: crane-scheduler writes such, but so
  // may the author of any pod.
  bool trust_unmarked_results = false;
  Duration stale_after = std::chrono::minutes(5);
  WhenStale when_stale = WhenStale::kUseAllocatable;
};

// One amount per managed resource, in the order of Options::managed_resources, in base units.
using Amounts = absl::InlinedVector<int64_t, 2>;

}  // namespace huygens::topology
