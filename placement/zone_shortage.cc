#include "placement/zone_shortage.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/numbers.h"
#include "base/text.h"
#include "kubelet/request.h"
#include "topology/zone_request.h"

namespace huygens::placement {

namespace {

using policy::Reason;
using Kind = kubelet::Container::Kind;

// How much of what is needed there is, by the resource of which there is least: 1 is enough.
double Share(const ResourceVector& needs, const ResourceVector& there) {
  double share = 1;
  for (const auto& [resource, amount] : needs) {
    share = std::min(share, static_cast<double>(there.Get(resource)) / static_cast<double>(amount));
  }
  return share;
}

ResourceVector Only(const ResourceVector& needs, const ResourceVector& amounts) {
  ResourceVector only;
  for (const auto& [resource, needed] : needs) only.Set(resource, amounts.Get(resource));
  return only;
}

// Only whole CPUs of a zone count for a pod that crosses zones of a managed node.
ResourceVector Whole(ResourceVector free, const ResourceVector& of) {
  free.Set(kCpu, std::max<int64_t>(0, free.Get(kCpu) - of.Get(kCpu) % 1000));
  return free;
}

bool ClaimsMore(const ZoneDescription& zone) {
  return zone.offline_cpu && *zone.offline_cpu < zone.allocatable.Get(kCpu);
}

// Whether the zones would hold the pod if those whose real capacity is less gave all that they claim.
bool ClaimsHold(const std::vector<ZoneDescription>& zones, const ZoneShortage& shortage) {
  ResourceVector all;
  bool more = false;
  for (const ZoneDescription& zone : zones) {
    if (!zone.present) continue;
    const bool claims_more = ClaimsMore(zone);
    if (claims_more && shortage.one_zone && Share(shortage.needs, zone.allocatable) >= 1) return true;
    more = more || claims_more;
    const ResourceVector& amounts = claims_more ? zone.allocatable : zone.effective;
    all.Add(Whole(amounts, amounts));
  }
  return more && !shortage.one_zone && Share(shortage.needs, all) >= 1;
}

void TakeZones(const std::vector<ZoneDescription>& zones, bool kubelet, Reason reason, ZoneShortage& shortage) {
  const auto of = [&](const ZoneDescription& zone) { return kubelet ? zone.allocatable : zone.effective; };
  const auto take = [&](const ZoneDescription& zone) {
    const bool crosses = !kubelet && !shortage.one_zone;
    shortage.free.Add(Only(shortage.needs, crosses ? Whole(zone.free, of(zone)) : zone.free));
    shortage.of.Add(Only(shortage.needs, of(zone)));
    shortage.whole_cores += zone.whole_cores;
    shortage.cores += zone.cores;
  };
  if (!shortage.one_zone) {
    ResourceVector claimed;
    for (const ZoneDescription& zone : zones) {
      if (!zone.present) continue;
      take(zone);
      claimed.Add(Only(shortage.needs, zone.allocatable));
      if (kubelet || (!zone.stale && !ClaimsMore(zone))) continue;
      shortage.lower += Concat(shortage.lower.empty() ? "" : ", ", zone.name);
      shortage.stale = shortage.stale || zone.stale;
      if (zone.stale && zone.offline_updated) {
        shortage.last_at = std::min(shortage.last_at.value_or(Time::max()), *zone.offline_updated);
      }
    }
    if (!shortage.lower.empty()) shortage.claimed = claimed;
    return;
  }
  const bool too_few_cores = reason == Reason::kTooFewCores;
  const auto size = [&](const ZoneDescription& zone) {
    return Share(shortage.needs, zone.stale && reason == Reason::kStaleRealCapacity ? zone.allocatable : of(zone));
  };
  const auto nearness = [&](const ZoneDescription& zone) {
    return std::tuple(zone.present, size(zone), too_few_cores ? zone.cores : 0, Share(shortage.needs, zone.free),
                      shortage.asks_cores ? zone.whole_cores : 0, zone.free.Get(kCpu));
  };
  const auto nearest = std::ranges::max_element(zones, {}, nearness);
  if (nearest == zones.end() || !nearest->present) return;
  shortage.zone = nearest->name;
  shortage.largest = too_few_cores || size(*nearest) < 1;
  take(*nearest);
  const auto freest = std::ranges::max_element(zones, {}, [&](const ZoneDescription& zone) {
    return std::pair(zone.present ? Share(shortage.needs, zone.free) : -1, zone.name == nearest->name);
  });
  shortage.freest = freest->name;
  shortage.most_free = Only(shortage.needs, freest->free);
  const ResourceVector claimed = Only(shortage.needs, nearest->allocatable);
  shortage.stale = nearest->stale;
  shortage.last = nearest->offline_cpu;
  shortage.last_at = nearest->offline_updated;
  const bool tells = nearest->stale || (!kubelet && ClaimsMore(*nearest));
  if (tells && claimed != shortage.of) shortage.claimed = claimed;
}

// Those where room is known, were their real capacity: only for want of that the pod is told of the others.
void TakeStaleZones(const std::vector<ZoneDescription>& zones, ZoneShortage& shortage) {
  for (const ZoneDescription& zone : zones) {
    ResourceVector claimed = zone.allocatable;
    claimed.Subtract(zone.used);
    const bool holds = zone.present && zone.stale && Share(shortage.needs, claimed) >= 1;
    if (!holds || Share(shortage.needs, zone.free) >= 1) continue;
    shortage.stale_zones.push_back({.name = zone.name,
                                    .last = zone.offline_cpu,
                                    .written = zone.offline_updated,
                                    .must_give = shortage.needs.Get(kCpu) + zone.used.Get(kCpu)});
  }
}

// Likewise of a pod that may cross zones: those each of which would make room for it by itself or, where none would,
// those that the others need beside them, whatever these really give.
void TakeStaleZonesAcross(const std::vector<ZoneDescription>& zones, ZoneShortage& shortage) {
  const int64_t needs = shortage.needs.Get(kCpu);
  const auto free_of = [](const ZoneDescription& zone) { return Whole(zone.free, zone.effective).Get(kCpu); };
  const auto claim_of = [](const ZoneDescription& zone) {
    ResourceVector claimed = zone.allocatable;
    claimed.Subtract(zone.used);
    return Whole(claimed, zone.allocatable);
  };
  const auto is_stale = [](const ZoneDescription& zone) { return zone.present && zone.stale; };
  int64_t now = 0;
  ResourceVector claims;
  for (const ZoneDescription& zone : zones) {
    if (!zone.present) continue;
    now += free_of(zone);
    claims.Add(zone.stale ? claim_of(zone) : Whole(zone.free, zone.effective));
  }
  if (now >= needs || Share(shortage.needs, claims) < 1) return;
  const auto alone = [&](const ZoneDescription& zone) {
    return is_stale(zone) && now - free_of(zone) + claim_of(zone).Get(kCpu) >= needs;
  };
  const bool any_alone = std::ranges::any_of(zones, alone);
  for (const ZoneDescription& zone : zones) {
    if (!is_stale(zone) || (any_alone && !alone(zone))) continue;
    const int64_t others = any_alone ? now - free_of(zone) : claims.Get(kCpu) - claim_of(zone).Get(kCpu);
    if (others >= needs) continue;
    shortage.stale_zones.push_back({.name = zone.name,
                                    .last = zone.offline_cpu,
                                    .written = zone.offline_updated,
                                    .must_give = needs - others + zone.used.Get(kCpu)});
  }
}

// What the object says is taken of the zones that the shortage is about, without what pods known there hold.
int64_t Unaccounted(const NodeDescription& node, const ZoneShortage& shortage) {
  int64_t taken = 0;
  for (const ZoneDescription& zone : node.zones) {
    if (!zone.available || (!shortage.zone.empty() && zone.name != shortage.zone)) continue;
    taken += zone.allocatable.Get(kCpu) - zone.available->Get(kCpu);
  }
  for (const auto& pod : node.pods) {
    if (!pod.kubelet) continue;
    if (pod.zones.empty()) return 0;  // it holds something, and nobody knows where
    for (const ZoneShare& share : pod.zones) {
      if (shortage.zone.empty() || share.name == shortage.zone) taken -= share.amount.Get(kCpu);
    }
  }
  return std::max<int64_t>(taken, 0);
}

std::string_view Setting(const NodeDescription& node, std::string_view name) {
  const auto found = std::ranges::find(node.kubelet, name, &kubelet::Setting::name);
  return found == node.kubelet.end() ? std::string_view() : std::string_view(found->value);
}

// The containers of which the reason speaks; nothing if it speaks of the pod.
std::optional<Kind> RefusedKind(Reason reason) {
  switch (reason) {
    case Reason::kCannotAlignContainer:
    case Reason::kNeverAlignsContainer:
      return Kind::kApp;
    case Reason::kCannotAlignInitContainer:
    case Reason::kNeverAlignsInitContainer:
      return Kind::kInit;
    case Reason::kCannotAlignSidecar:
    case Reason::kNeverAlignsSidecar:
      return Kind::kSidecar;
    default:
      return std::nullopt;
  }
}

// Without what no manager of this kubelet looks at, and what its zones do not say.
ResourceVector Needs(const NodeDescription& node, int cpus, const ResourceVector& memory,
                     const ResourceVector& devices) {
  const auto counted = [&](ResourceId resource) {
    return std::ranges::any_of(node.zones, [&](const auto& zone) { return zone.allocatable.Has(resource); });
  };
  ResourceVector needs;
  if (cpus > 0 && Setting(node, "cpuManagerPolicy") == "static") needs.Set(kCpu, int64_t{cpus} * 1000);
  if (Setting(node, "memoryManagerPolicy") == "Static") {
    for (const auto& [resource, amount] : memory) {
      const bool managed = resource == kMemory || IsHugepages(resource);
      if (amount > 0 && managed && counted(resource)) needs.Set(resource, amount);
    }
  }
  for (const auto& [resource, amount] : devices) {
    if (amount > 0 && counted(resource)) needs.Set(resource, amount);
  }
  return needs;
}

// The threads of a core, where kubelet gives no part of one; else 1.
int ThreadsOfWholeCores(const NodeDescription& node) {
  int threads = 1;
  if (Setting(node, "cpuManagerPolicyOptions.full-pcpus-only") != "true") return threads;
  return absl::SimpleAtoi(ToAbsl(Setting(node, "threadsPerCore")), &threads) && threads > 0 ? threads : 1;
}

ZoneShortage AtKubelet(const cluster::Pod& pod, const NodeDescription& node, Reason reason) {
  const kubelet::Pod wants = kubelet::RequestOf(pod).pod;
  ZoneShortage shortage{.policy = std::string(Setting(node, "topologyManagerPolicy"))};
  shortage.one_zone = shortage.policy == "single-numa-node";
  shortage.needs = Needs(node, wants.cpus, wants.memory, wants.devices);
  const auto take_container = [&](size_t at) {
    const kubelet::Container& each = wants.containers[at];
    shortage.needs = Needs(node, each.cpus, each.memory, each.devices);
    const size_t inits = pod.init_containers.size();
    shortage.container = at < inits ? pod.init_containers[at].name : pod.containers[at - inits].name;
  };
  if (reason == Reason::kTooFewCores || reason == Reason::kInsufficientCores) {
    const int threads = ThreadsOfWholeCores(node);
    const auto uneven =
        std::ranges::find_if(wants.containers, [&](const auto& each) { return each.cpus % threads != 0; });
    if (uneven != wants.containers.end()) {
      take_container(static_cast<size_t>(uneven - wants.containers.begin()));
      shortage.core_threads = threads;
    }
  }
  const std::optional<Kind> kind = RefusedKind(reason);
  if (kind) {
    // Of several the largest is the hardest to align.
    const kubelet::Container* largest = nullptr;
    size_t at = 0;
    for (size_t i = 0; i < wants.containers.size(); ++i) {
      const kubelet::Container& each = wants.containers[i];
      if (each.kind != *kind || (largest && each.cpus <= largest->cpus)) continue;
      largest = &each;
      at = i;
    }
    if (largest) take_container(at);
  }
  TakeZones(node.zones, true, reason, shortage);
  if (policy::CurableByVictims(reason) && shortage.needs.Get(kCpu) > 0) {
    shortage.unaccounted = Unaccounted(node, shortage);
  }
  return shortage;
}

ZoneShortage AtManaged(const cluster::Pod& pod, const NodeDescription& node, Reason reason,
                       const topology::Options& options) {
  const topology::ZoneRequest request = topology::RequestOf(pod, options.managed_resources);
  ZoneShortage shortage{.one_zone = request.aware.value_or(node.single_numa)};
  if (shortage.one_zone) shortage.asked_by = request.aware ? "pod" : "node";
  shortage.asks_cores = request.smt != cluster::Smt::kUnset;
  for (size_t r = 0; r < request.amounts.size(); ++r) {
    if (request.amounts[r] > 0) shortage.needs.Set(options.managed_resources[r], request.amounts[r]);
  }
  TakeZones(node.zones, false, reason, shortage);
  if (shortage.one_zone) {
    TakeStaleZones(node.zones, shortage);
  } else if (options.when_stale == topology::WhenStale::kReject) {
    TakeStaleZonesAcross(node.zones, shortage);
  }
  shortage.claims_hold = reason == Reason::kZonesTooSmall && ClaimsHold(node.zones, shortage);
  if (shortage.one_zone && !shortage.asks_cores) {
    ZoneShortage across{.needs = shortage.needs};
    TakeZones(node.zones, false, reason, across);
    shortage.fits_across = Share(across.needs, across.free) >= 1;
    ResourceVector empty;
    for (const ZoneDescription& zone : node.zones) {
      if (zone.present) empty.Add(Whole(zone.effective, zone.effective));
    }
    shortage.holds_across = Share(across.needs, empty) >= 1;
  }
  return shortage;
}

}  // namespace

ZoneShortage ShortageOf(const cluster::Pod& pod, const NodeDescription& node, Reason reason,
                        const topology::Options& options) {
  return node.kubelet.empty() ? AtManaged(pod, node, reason, options) : AtKubelet(pod, node, reason);
}

}  // namespace huygens::placement
