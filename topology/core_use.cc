#include "topology/core_use.h"

#include <algorithm>

namespace huygens::topology {

namespace {

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

ZoneCores CountCores(std::span<const cluster::Core> cores) {
  ZoneCores counted;
  for (const cluster::Core& core : cores)
    counted.threads = std::max(counted.threads, static_cast<int64_t>(core.size()));
  for (const cluster::Core& core : cores) {
    const auto threads = static_cast<int64_t>(core.size());
    if (threads == counted.threads) {
      ++counted.full;
    } else {
      ++counted.smaller;
      counted.smaller_threads += threads;
    }
  }
  return counted;
}

CoreUse Use(const ZoneCores& cores, std::span<const CoreClaim> claims, int64_t floating) {
  CoreUse use;
  use.floating = floating;
  const int64_t threads = std::max<int64_t>(1, cores.threads);
  for (const auto& [smt, cpus] : claims) {
    switch (smt) {
      case cluster::Smt::kIsolate:
        use.whole += CeilDivide(cpus, threads);
        use.idle += CeilDivide(cpus, threads) * threads - cpus;
        break;
      case cluster::Smt::kPack:
        use.whole += cpus / threads;
        use.singles += cpus % threads;
        use.touched += cpus % threads > 0 ? 1 : 0;
        break;
      case cluster::Smt::kSpread:
      case cluster::Smt::kUnset:
        use.singles += cpus;
        use.touched += cpus;
        break;
    }
  }
  return use;
}

int64_t WholeCores(const ZoneCores& cores, const CoreUse& use) {
  if (!cores.Known()) return 0;
  const int64_t not_whole = std::max<int64_t>(0, cores.full - use.whole);
  // Packed as tightly as can be, these threads still need so many full cores.
  const int64_t threads = std::max<int64_t>(0, use.singles + use.floating - cores.smaller_threads);
  const int64_t needed = std::max(std::min(use.touched, not_whole), CeilDivide(threads, cores.threads));
  return std::max<int64_t>(0, not_whole - needed);
}

int64_t DifferentCores(const ZoneCores& cores, const CoreUse& use) {
  if (!cores.Known()) return 0;
  // The most cores that threads which stay put can have filled: the smaller ones first.
  const int64_t filled =
      std::min(use.singles, cores.smaller) + std::max<int64_t>(0, use.singles - cores.smaller_threads) / cores.threads;
  return std::max<int64_t>(0, cores.full - use.whole + cores.smaller - filled);
}

int64_t UsableCpus(const ZoneCores& cores, const CoreUse& use, cluster::Smt smt, int64_t free, bool crosses) {
  if (!cores.Known()) return 0;
  if (smt == cluster::Smt::kSpread) return free;
  const int64_t whole = WholeCores(cores, use) * cores.threads;
  // Where CPUs are free beyond the whole cores, one that is left over finds a place there.
  const int64_t usable = std::min(free, smt == cluster::Smt::kPack ? whole + 1 : whole);
  return smt == cluster::Smt::kIsolate || crosses ? usable - usable % cores.threads : usable;
}

}  // namespace huygens::topology
