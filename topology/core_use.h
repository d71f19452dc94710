// How the physical cores of one zone are shared among pods (annotation huygens.dev/smt), by counting. Pure; any thread.
//
// huygens gives a pod CPUs of a zone; the node's agent chooses which. The counts hold whatever it chooses, and a pod
// that was let in can always be served, as long as the agent
//   isolate  gives ceil(CPUs / threads per core) whole cores and leaves what was not asked for of them idle,
//   pack     gives whole cores, and what is left over on one more core, which other pods may share,
//   spread   gives each container threads of as many different cores as it can,
//   and pins pods with one of these, and immovable pods, for good, but moves all others together when cores are needed.
// So pods that do not say how (the "floating" ones) count as CPUs only: they fill half-used cores first. Of those that
// stay put, a thread that is alone on a core when its neighbours leave keeps that core from being whole; nobody wrote
// down which it was, so each single thread counts as touching a core of its own.
//
// Only full cores, those with as many threads as any of the zone, are ever given whole. The others (a sibling is
// offline or reserved, an efficiency core) give single threads. What an isolating pod was charged is the same after a
// restart, since it follows from its CPUs alone.
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "cluster/objects.h"

namespace huygens::topology {

struct ZoneCores {
  int64_t full = 0;             // cores; none = the zone's cores are unknown
  int64_t threads = 0;          // of a full core
  int64_t smaller = 0;          // other cores
  int64_t smaller_threads = 0;  // of all of those together

  bool Known() const { return full > 0; }
  int64_t AllThreads() const { return full * threads + smaller_threads; }
};
ZoneCores CountCores(std::span<const cluster::Core> cores);

// What a pod that stays put holds of a zone; kUnset = an immovable pod that does not say how.
struct CoreClaim {
  cluster::Smt smt = cluster::Smt::kUnset;
  int64_t cpus = 0;
  friend auto operator<=>(const CoreClaim&, const CoreClaim&) = default;
};

struct CoreUse {
  int64_t whole = 0;     // full cores that belong to one pod each
  int64_t idle = 0;      // threads of these that isolating pods keep from others
  int64_t singles = 0;   // other threads that stay put
  int64_t touched = 0;   // full cores that these may be on, at most
  int64_t floating = 0;  // CPUs of all other pods
};
// All idle threads are 0 where the cores are unknown.
CoreUse Use(const ZoneCores& cores, std::span<const CoreClaim> claims, int64_t floating);

// Full cores that the agent can certainly clear for one pod.
int64_t WholeCores(const ZoneCores& cores, const CoreUse& use);
// Cores of either size that can give a spread pod a thread each.
int64_t DifferentCores(const ZoneCores& cores, const CoreUse& use);

// How many of the zone's `free` CPUs a pod may take; any smaller number will do, too. A pod that crosses zones takes
// whole cores of each, so that only its last zone has one partly used. 0 where the cores are unknown.
int64_t UsableCpus(const ZoneCores& cores, const CoreUse& use, cluster::Smt smt, int64_t free, bool crosses);

}  // namespace huygens::topology
