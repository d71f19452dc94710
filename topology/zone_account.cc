#include "topology/zone_account.h"

#include <algorithm>

#include "cluster/pod_requests.h"

namespace huygens::topology {

namespace {

constexpr int64_t kWholeCpu = 1000;
constexpr int64_t kUnknownDistance = 255;
// Where only the sockets are known: what firmware says of zones within one, and what Linux assumes of others.
constexpr int64_t kSameSocket = 12;
constexpr int64_t kOtherSocket = 20;

int64_t Credible(int64_t amount) { return std::clamp<int64_t>(amount, 0, kMostPerZone); }

int64_t CeilCpus(int64_t milli) { return (milli + kWholeCpu - 1) / kWholeCpu; }

// Whether the agent may not move the pod to other CPUs of its zones.
bool StaysPut(const cluster::Pod& pod) {
  return pod.smt != cluster::Smt::kUnset || pod.cpu_policy == cluster::CpuPolicy::kImmovable;
}

// The distance from one zone to another; where only the way back is known, that.
std::optional<int64_t> OneWay(const cluster::Zone& from, const cluster::Zone& to) {
  for (const auto& [id, cost] : from.costs) {
    if (id == to.id) return std::clamp<int64_t>(cost, 0, kUnknownDistance);
  }
  for (const auto& [id, cost] : to.costs) {
    if (id == from.id) return std::clamp<int64_t>(cost, 0, kUnknownDistance);
  }
  return std::nullopt;
}

// Row by row; nothing if `there_and_back(a, b)` knows no answer for two of the zones.
template <typename ThereAndBack>
std::optional<std::vector<uint16_t>> Matrix(const std::vector<cluster::Zone>& zones, ThereAndBack&& there_and_back) {
  std::vector<uint16_t> distances;
  for (const cluster::Zone& a : zones) {
    for (const cluster::Zone& b : zones) {
      const std::optional<int64_t> distance = a.id == b.id ? 0 : there_and_back(a, b);
      if (!distance) return std::nullopt;
      distances.push_back(static_cast<uint16_t>(*distance));
    }
  }
  return distances;
}

// There and back between each two zones, row by row. An object that leaves out the distance of any two zones says
// nothing about distance: else the zones that it happens to describe would be preferred. Then the sockets do.
std::vector<uint16_t> Distances(const std::vector<cluster::Zone>& zones) {
  using Distance = std::optional<int64_t>;
  auto by_costs = Matrix(zones, [](const cluster::Zone& a, const cluster::Zone& b) -> Distance {
    auto there = OneWay(a, b);
    if (!there) return std::nullopt;
    return *there + *OneWay(b, a);
  });
  if (by_costs) return *std::move(by_costs);
  auto by_sockets = Matrix(zones, [](const cluster::Zone& a, const cluster::Zone& b) -> Distance {
    if (a.parent.empty() || b.parent.empty()) return std::nullopt;
    return 2 * (a.parent == b.parent ? kSameSocket : kOtherSocket);
  });
  if (by_sockets) return *std::move(by_sockets);
  return std::vector<uint16_t>(zones.size() * zones.size(), uint16_t{2 * kUnknownDistance});
}

}  // namespace

bool ZoneAccount::Held::Nothing() const {
  return claims.empty() && std::all_of(used.begin(), used.end(), [](int64_t amount) { return amount == 0; });
}

ZoneAccount::ZoneAccount(Options options) : options_(std::move(options)) {
  auto& managed = options_.managed_resources;
  std::sort(managed.begin(), managed.end());
  managed.erase(std::unique(managed.begin(), managed.end()), managed.end());
}

std::vector<ZoneAccount::ZoneFigures> ZoneAccount::Figures(NodeIndex node, Time now) const {
  std::vector<ZoneFigures> figures;
  if (node >= nodes_.size()) return figures;
  const size_t resources = options_.managed_resources.size();
  for (const Zone& zone : nodes_[node].zones) {
    ZoneFigures each{.zone = zone.held.zone,
                     .stale = now > zone.stale_from,
                     .allocatable = zone.allocatable,
                     .effective = {},
                     .used = zone.used,
                     .free = {},
                     .cores = zone.cores.full,
                     .whole_cores = WholeCores(zone.cores, zone.core_use)};
    for (size_t r = 0; r < resources; ++r) {
      each.effective.push_back(Effective(zone, r, now));
      each.free.push_back(std::max<int64_t>(0, each.effective[r] - zone.used[r]));
    }
    figures.push_back(std::move(each));
  }
  for (const Held& held : nodes_[node].elsewhere) {
    Amounts none(resources, 0);
    figures.push_back(
        {.zone = held.zone, .present = false, .allocatable = none, .effective = none, .used = held.used, .free = none});
  }
  std::sort(figures.begin(), figures.end(), [](const auto& a, const auto& b) { return a.zone < b.zone; });
  return figures;
}

void ZoneAccount::NodeChanged(NodeIndex index, const cluster::NodeTopology* topology) {
  NodeBook& node = At(index);
  std::vector<Held> held = AllHeld(node);
  node = NodeBook();
  const NodeMode mode = ModeOf(topology);
  bounds_[index].mode = mode;
  bounds_[index].single_numa = mode == NodeMode::kManaged && topology->single_numa;
  if (mode == NodeMode::kManaged) {
    for (const cluster::Zone& zone : topology->zones) node.zones.push_back(MakeZone(zone));
    node.distance = Distances(topology->zones);
    const size_t count = node.zones.size();
    for (size_t i = 0; i < count * count; ++i) {
      if (i % (count + 1) == 0) continue;  // a zone and itself
      node.even = node.even && node.distance[i] == node.distance[1];
      node.nearest = i == 1 ? node.distance[i] : std::min<int64_t>(node.nearest, node.distance[i]);
    }
  }
  SetHeld(node, std::move(held), options_.managed_resources.size());
  Rebound(index);
}

bool ZoneAccount::Recount(NodeIndex index, std::span<const cluster::PlacedPod* const> pods) {
  NodeBook& node = At(index);
  NodeBook counted;
  for (const cluster::PlacedPod* pod : pods) {
    for (const cluster::ZoneAmount& amount : Counted(*pod)) Add(counted, *pod->pod, amount, 1);
  }
  if (counted.elsewhere == AllHeld(node)) return false;
  SetHeld(node, std::move(counted.elsewhere), options_.managed_resources.size());
  Rebound(index);
  return true;
}

ZoneAccount::NodeBook& ZoneAccount::At(NodeIndex node) {
  if (node >= nodes_.size()) {
    nodes_.resize(node + 1);
    bounds_.resize(node + 1);
  }
  return nodes_[node];
}

void ZoneAccount::Rebound(NodeIndex index) {
  Bounds bounds;
  bounds.mode = bounds_[index].mode;
  bounds.single_numa = bounds_[index].single_numa;
  for (const Zone& zone : nodes_[index].zones) {
    const int64_t whole = zone.fresh_cpu - zone.fresh_cpu % kWholeCpu;
    bounds.until = std::min(bounds.until, zone.stale_from);
    bounds.most_free = std::max(bounds.most_free, zone.fresh_cpu - zone.used[0]);
    bounds.most_whole = std::max(bounds.most_whole, whole - zone.used[0]);
    bounds.all_whole += std::max<int64_t>(0, whole - zone.used[0]);
    bounds.most_empty = std::max(bounds.most_empty, zone.fresh_cpu);
    bounds.all_empty += whole;
  }
  bounds_[index] = bounds;
}

void ZoneAccount::Charge(const cluster::PlacedPod& pod, int sign) {
  NodeBook& node = At(pod.node);
  if (pod.zones.empty()) return;
  for (const cluster::ZoneAmount& amount : Counted(pod)) Add(node, *pod.pod, amount, sign);
  Rebound(pod.node);
}

std::vector<cluster::ZoneAmount> ZoneAccount::Counted(const cluster::PlacedPod& pod) const {
  std::vector<cluster::ZoneAmount> counted = pod.zones;
  const ResourceVector requests = cluster::PlacedPodRequests(*pod.pod);
  for (ResourceId resource : options_.managed_resources) {
    int64_t left = std::max<int64_t>(0, requests.Get(resource));
    if (resource == kCpu) left = SaturatingAdd(left, kWholeCpu);
    for (cluster::ZoneAmount& zone : counted) {
      const int64_t amount = std::min(Credible(zone.amount.Get(resource)), left);
      zone.amount.Set(resource, amount);
      left -= amount;
    }
  }
  if (!counted.empty()) AddGrowth(*pod.pod, counted);
  return counted;
}

bool ZoneAccount::Outgrown(const cluster::PlacedPod& pod) const {
  if (pod.zones.empty()) return false;
  std::vector<cluster::ZoneAmount> grown = pod.zones;
  AddGrowth(*pod.pod, grown);
  return grown != pod.zones;
}

void ZoneAccount::AddGrowth(const cluster::Pod& pod, std::vector<cluster::ZoneAmount>& counted) const {
  if (!pod.placement_mark || !pod.placement_mark->of_zones) return;
  const Amounts asked = PlacedAmounts(pod, options_.managed_resources);
  const auto zones = static_cast<int64_t>(counted.size());
  for (size_t r = 0; r < asked.size(); ++r) {
    const ResourceId resource = options_.managed_resources[r];
    int64_t charged = 0;
    for (const cluster::ZoneAmount& zone : counted) charged += zone.amount.Get(resource);
    const int64_t growth = Credible(asked[r]) - charged;
    if (charged == 0 || growth <= 0) continue;
    const int64_t unit = resource == kCpu ? kWholeCpu : 1;
    const int64_t part = growth / unit / zones * unit;
    for (cluster::ZoneAmount& zone : counted) zone.amount.Add(resource, part);
    counted.front().amount.Add(resource, growth - part * zones);
  }
}

void ZoneAccount::Add(NodeBook& node, const cluster::Pod& pod, const cluster::ZoneAmount& amount, int sign) const {
  const auto& managed = options_.managed_resources;
  auto add_to = [&](Held& held) {
    for (size_t r = 0; r < managed.size(); ++r) held.used[r] += sign * Credible(amount.amount.Get(managed[r]));
    if (!StaysPut(pod)) return;
    const CoreClaim claim{pod.smt, CeilCpus(Credible(amount.amount.Get(kCpu)))};
    auto at = std::lower_bound(held.claims.begin(), held.claims.end(), claim);
    if (sign > 0) {
      held.claims.insert(at, claim);
    } else {
      held.claims.erase(at);
    }
  };
  auto zone = std::lower_bound(node.zones.begin(), node.zones.end(), amount.zone,
                               [](const Zone& z, int id) { return z.held.zone < id; });
  if (zone != node.zones.end() && zone->held.zone == amount.zone) {
    add_to(zone->held);
    return CountUse(*zone);
  }
  auto held = std::lower_bound(node.elsewhere.begin(), node.elsewhere.end(), amount.zone,
                               [](const Held& h, int id) { return h.zone < id; });
  if (held == node.elsewhere.end() || held->zone != amount.zone) {
    held = node.elsewhere.insert(held, Held{amount.zone, Amounts(managed.size(), 0), {}});
  }
  add_to(*held);
  if (held->Nothing()) node.elsewhere.erase(held);
}

// Works out what follows from what is held.
void ZoneAccount::CountUse(Zone& zone) {
  int64_t claimed = 0;
  for (const CoreClaim& claim : zone.held.claims) claimed += claim.cpus;
  const int64_t floating = std::max<int64_t>(0, CeilCpus(zone.held.used[0]) - claimed);
  zone.core_use = Use(zone.cores, zone.held.claims, floating);
  zone.used = zone.held.used;
  zone.used[0] += zone.core_use.idle * kWholeCpu;
}

ZoneAccount::Zone ZoneAccount::MakeZone(const cluster::Zone& zone) const {
  Zone made;
  made.held = {zone.id, Amounts(options_.managed_resources.size(), 0), {}};
  made.cores = CountCores(zone.cores);
  for (ResourceId resource : options_.managed_resources)
    made.allocatable.push_back(Credible(zone.allocatable.Get(resource)));
  int64_t cpu = made.allocatable[0];
  if (made.cores.Known()) cpu = std::min(cpu, made.cores.AllThreads() * kWholeCpu);
  made.fresh_cpu = made.stale_cpu = cpu;
  if (!zone.offline_cpu) return made;
  made.fresh_cpu = std::min(cpu, Credible(*zone.offline_cpu));
  // A figure without a date never goes out of date: its writer does not play that game, and using it is the careful
  // side.
  if (zone.offline_updated && *zone.offline_updated < Time::max() - options_.stale_after) {
    made.stale_from = *zone.offline_updated + options_.stale_after;
  }
  switch (options_.when_stale) {
    case WhenStale::kUseAllocatable:
      break;
    case WhenStale::kUseLast:
      made.stale_cpu = made.fresh_cpu;
      break;
    case WhenStale::kReject:
      made.stale_cpu = 0;
      break;
  }
  return made;
}

// Everything that pods hold of this node, by zone; zones of which nothing is held are left out.
std::vector<ZoneAccount::Held> ZoneAccount::AllHeld(const NodeBook& node) {
  std::vector<Held> held = node.elsewhere;
  for (const Zone& zone : node.zones) {
    if (!zone.held.Nothing()) held.push_back(zone.held);
  }
  std::sort(held.begin(), held.end(), [](const Held& a, const Held& b) { return a.zone < b.zone; });
  return held;
}

void ZoneAccount::SetHeld(NodeBook& node, std::vector<Held> held, size_t resources) {
  for (Zone& zone : node.zones) zone.held = {zone.held.zone, Amounts(resources, 0), {}};
  node.elsewhere.clear();
  for (Held& each : held) {
    auto zone =
        std::find_if(node.zones.begin(), node.zones.end(), [&](const Zone& z) { return z.held.zone == each.zone; });
    if (zone != node.zones.end()) {
      zone->held = std::move(each);
    } else {
      node.elsewhere.push_back(std::move(each));
    }
  }
  for (Zone& zone : node.zones) CountUse(zone);
}

}  // namespace huygens::topology
