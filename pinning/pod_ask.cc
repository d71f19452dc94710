#include "pinning/pod_ask.h"

#include <algorithm>

#include "base/text.h"
#include "wire/pod_annotations.h"

namespace huygens::pinning {
namespace {

constexpr int64_t kMilli = 1000;
constexpr int64_t kSharesOfCpu = 1024;
constexpr int64_t kMostShares = 262144;  // kubelet asks for no more, however many CPUs it is
constexpr int64_t kMostCpus = 65536;

PodAsk Shared(std::string why) {
  PodAsk ask;
  ask.why = std::move(why);
  return ask;
}

std::string NotForHere(const cluster::PlacementMark& mark, const PodTexts& texts) {
  const std::string of = mark.uid != texts.uid ? Concat("pod UID ", std::string_view(mark.uid))
                                               : Concat("node ", std::string_view(mark.node));
  return Concat("its topology-result is a copy: huygens.dev/placement beside it is of ", of);
}

Pool PoolOf(cluster::CpuPolicy policy) {
  switch (policy) {
    case cluster::CpuPolicy::kNone:
      return Pool::kShared;
    case cluster::CpuPolicy::kNuma:
      return Pool::kNuma;
    case cluster::CpuPolicy::kImmovable:
      return Pool::kImmovable;
    case cluster::CpuPolicy::kExclusive:
    case cluster::CpuPolicy::kUnset:
      break;
  }
  return Pool::kExclusive;
}

}  // namespace

std::string_view PoolName(Pool pool) {
  switch (pool) {
    case Pool::kShared:
      return "shared";
    case Pool::kNuma:
      return "numa";
    case Pool::kImmovable:
      return "immovable";
    case Pool::kExclusive:
      break;
  }
  return "exclusive";
}

int PodAsk::Cpus() const {
  int sum = 0;
  for (const ZoneShare& each : zones) sum += each.cpus;
  return sum;
}

PodAsk AskOf(const PodTexts& texts) {
  if (!texts.result) return Shared("its sandbox has no annotation topology.crane.io/topology-result");
  const ResourceNames names;
  if (texts.placement) {
    const auto mark = wire::ParsePlacementMark(*texts.placement, names);
    if (mark && (mark->uid != texts.uid || (!texts.node.empty() && mark->node != texts.node))) {
      return Shared(NotForHere(*mark, texts));
    }
  }
  const Pool pool = PoolOf(wire::ParseCpuPolicy(texts.cpu_policy.value_or("")));
  if (pool == Pool::kShared) return Shared("its annotation topology.crane.io/cpu-policy is none");
  PodAsk ask;
  for (const cluster::ZoneAmount& each : wire::ParseTopologyResult(*texts.result, names)) {
    // More than any machine has is no number of CPUs; nothing can be promised of it.
    const int64_t cpus = each.amount.Get(kCpu) / kMilli + (each.amount.Get(kCpu) % kMilli > 0 ? 1 : 0);
    if (cpus > kMostCpus) return Shared("its topology-result promises more CPUs than a machine has");
    if (cpus > 0) ask.zones.push_back({each.zone, static_cast<int>(cpus)});
    if (each.amount.Get(kMemory) > 0) ask.memory_zones.push_back(each.zone);
  }
  if (ask.zones.empty()) return Shared("its topology-result names no CPUs of a zone");
  ask.pool = pool;
  ask.smt = wire::ParseSmt(texts.smt.value_or(""));
  ask.exclude_reserved = texts.exclude_reserved == "true";
  return ask;
}

int WholeCpus(std::optional<int64_t> shares, std::optional<int64_t> quota, std::optional<int64_t> period) {
  if (!shares || *shares <= 0) return 0;
  const bool limited = quota && *quota > 0;
  int64_t cpus = 0;
  if (limited) {
    if (!period || *period <= 0 || *quota % *period != 0) return 0;
    cpus = *quota / *period;
    if (cpus <= 0 || cpus > kMostCpus || std::min(cpus * kSharesOfCpu, kMostShares) != *shares) return 0;
  } else {
    if (*shares % kSharesOfCpu != 0) return 0;
    cpus = *shares / kSharesOfCpu;
  }
  return static_cast<int>(std::min(cpus, kMostCpus));
}

}  // namespace huygens::pinning
