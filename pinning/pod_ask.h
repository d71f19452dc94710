// What a pod asks of whoever pins, from the annotations that its sandbox carries. Users write some of them, so none of
// it is an error: what cannot be read counts as absent, and `why` says what came of it. Pure; any thread.
//
// Source of the rules: crane's pod policies; huygens' own docs/topology.md (whose a topology-result is, huygens.dev/smt).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/objects.h"
#include "machine/id_list.h"

namespace huygens::pinning {

// Where a container runs.
enum class Pool {
  kShared,     // with all others that own nothing
  kNuma,       // on the CPUs of its zones that nobody owns
  kImmovable,  // on CPUs of its own that stay the same, on which the shared may run, too
  kExclusive,  // on CPUs of its own
};
std::string_view PoolName(Pool pool);
// Whether no other pod is given its CPUs.
inline bool IsOwner(Pool pool) { return pool == Pool::kExclusive || pool == Pool::kImmovable; }

struct ZoneShare {
  int zone = 0;
  int cpus = 0;  // above 0
  friend bool operator==(const ZoneShare&, const ZoneShare&) = default;
};

struct PodAsk {
  Pool pool = Pool::kShared;
  cluster::Smt smt = cluster::Smt::kUnset;
  std::vector<ZoneShare> zones;   // by id; empty for kShared
  machine::Ids memory_zones;      // those that the result promises memory of; empty: it says nothing of memory
  bool exclude_reserved = false;  // annotation topology.crane.io/exclude-reserved-cpus
  std::string why;                // it is kShared, for people

  int Cpus() const;  // of all zones
};

struct PodTexts {
  std::string_view uid;
  std::string_view node;  // on which this is; empty: not known, the UID alone must be right
  // The text of an annotation; null: it is not there.
  std::optional<std::string_view> result, placement, cpu_policy, smt, exclude_reserved;
};

// `annotation(key)` -> std::optional<std::string_view>.
template <typename Annotation>
PodTexts TextsOf(std::string_view uid, std::string_view node, Annotation annotation) {
  return {uid,
          node,
          annotation("topology.crane.io/topology-result"),
          annotation("huygens.dev/placement"),
          annotation("topology.crane.io/cpu-policy"),
          annotation("huygens.dev/smt"),
          annotation("topology.crane.io/exclude-reserved-cpus")};
}

PodAsk AskOf(const PodTexts& texts);

// The whole CPUs that a container has to itself, from what its cgroup asks for: CPU request = limit = a whole number
// above 0. Where there is no quota (kubelet with cpuCFSQuota: false) the request alone counts. 0: it takes no part.
int WholeCpus(std::optional<int64_t> shares, std::optional<int64_t> quota, std::optional<int64_t> period);

}  // namespace huygens::pinning
