// How a kubelet is configured, as far as it decides which pods it admits and where they are pinned. Plain value.
#pragma once

#include <cstdint>

namespace huygens::kubelet {

enum class TopologyManagerPolicy : uint8_t { kNone, kBestEffort, kRestricted, kSingleNumaNode };
enum class TopologyManagerScope : uint8_t { kContainer, kPod };

struct Options {
  TopologyManagerPolicy policy = TopologyManagerPolicy::kNone;
  TopologyManagerScope scope = TopologyManagerScope::kContainer;
  bool prefer_closest = false;  // prefer-closest-numa-nodes
  bool static_cpus = false;     // CPU manager policy static
  bool static_memory = false;   // memory manager policy Static
  // Options of the static CPU manager.
  bool full_cores_only = false;          // full-pcpus-only
  bool distribute_across_zones = false;  // distribute-cpus-across-numa
  bool distribute_across_cores = false;  // distribute-cpus-across-cores
  bool align_by_socket = false;          // align-by-socket
  bool align_by_uncore_cache = false;    // prefer-align-cpus-by-uncorecache
  int threads_per_core = 2;              // used where the cores themselves are not known
  friend bool operator==(const Options&, const Options&) = default;
};

// What is assumed of a node that kubelet pins where nobody says anything.
inline Options Defaults() { return {.static_cpus = true, .static_memory = true}; }

}  // namespace huygens::kubelet
