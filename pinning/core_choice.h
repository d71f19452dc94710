// Which CPUs of one zone a pod gets, by whole cores or threads as it asks (annotation huygens.dev/smt). Pure; any
// thread. It keeps the promise that the counts of topology/core_use.h and docs/topology.md rely on: what is fixed
// stays, and what floats is moved aside where cores are needed.
#pragma once

#include <optional>

#include "cluster/objects.h"
#include "pinning/node_cpus.h"

namespace huygens::pinning {

struct CoreChoice {
  CpuSet own;      // so many as were asked for
  CpuSet idle;     // the rest of an isolating pod's cores: nobody runs there
  CpuSet evicted;  // CPUs of `own` and `idle` that floating pods must leave
};

// `fixed`: CPUs that others own for good, idle ones among them; `floating`: CPUs of pods that may be moved to other
// CPUs of this zone. Nothing where the zone cannot give it, even if all that floats moves.
std::optional<CoreChoice> ChooseCores(const ZoneCpus& zone, const CpuSet& fixed, const CpuSet& floating, int cpus,
                                      cluster::Smt smt);

// `count` CPUs of those in `from`, on as many different cores of the zone as there are, or whole cores first and what
// is left over where least is lost. Fewer where `from` has fewer.
CpuSet TakeSpread(const ZoneCpus& zone, const CpuSet& from, int count);
CpuSet TakePacked(const ZoneCpus& zone, const CpuSet& from, int count);

}  // namespace huygens::pinning
