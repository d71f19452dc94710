#include "topology/zone_account.h"

#include <algorithm>

namespace huygens::topology {

namespace {

constexpr int64_t kWholeCpu = 1000;
constexpr int64_t kUnknownDistance = 255;

bool AllZero(const Amounts& amounts) {
  return std::all_of(amounts.begin(), amounts.end(), [](int64_t amount) { return amount == 0; });
}

int64_t Credible(int64_t amount) { return std::clamp<int64_t>(amount, 0, kMostPerZone); }

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

// There and back between each two zones, row by row. An object that leaves out the distance of any two zones says
// nothing about distance: else the zones that it happens to describe would be preferred.
std::vector<uint16_t> Distances(const std::vector<cluster::Zone>& zones) {
  std::vector<uint16_t> distances;
  for (const cluster::Zone& a : zones) {
    for (const cluster::Zone& b : zones) {
      auto there = OneWay(a, b);
      auto back = OneWay(b, a);
      if (a.id != b.id && !there)
        return std::vector<uint16_t>(zones.size() * zones.size(), uint16_t{2 * kUnknownDistance});
      distances.push_back(a.id == b.id ? uint16_t{0} : static_cast<uint16_t>(*there + *back));
    }
  }
  return distances;
}

NodeMode ModeOf(const cluster::NodeTopology* topology) {
  if (!topology) return NodeMode::kNoTopology;
  if (topology->source != cluster::TopologySource::kCrane) return NodeMode::kKubelet;
  bool ascending = std::adjacent_find(topology->zones.begin(), topology->zones.end(), [](const auto& a, const auto& b) {
                     return a.id >= b.id;
                   }) == topology->zones.end();
  if (!topology->defect.empty() || topology->zones.size() > cluster::kMaxZones || !ascending)
    return NodeMode::kUnusable;
  return topology->pinned_by_agent ? NodeMode::kManaged : NodeMode::kKubelet;
}

}  // namespace

ZoneAccount::ZoneAccount(Options options) : options_(std::move(options)) {
  auto& managed = options_.managed_resources;
  std::sort(managed.begin(), managed.end());
  managed.erase(std::unique(managed.begin(), managed.end()), managed.end());
}

Fit ZoneAccount::Check(NodeIndex node, const ZoneRequest& request, Time now) const {
  const Bounds& bounds = bounds_[node];
  if (!Bounded(request, bounds, now)) return LookClosely(node, request, now);
  const bool one_zone = OneZone(node, request);
  if (request.amounts[0] <= (one_zone ? bounds.most_free : bounds.all_whole)) return Fit::kFits;
  return request.amounts[0] <= (one_zone ? bounds.most_empty : bounds.all_empty) ? Fit::kTaken : Fit::kTooSmall;
}

bool ZoneAccount::SurelyFitsOne(NodeIndex node, const ZoneRequest& request, Time now) const {
  const Bounds& bounds = bounds_[node];
  if (!Bounded(request, bounds, now)) return false;
  return request.amounts[0] <= (OneZone(node, request) ? bounds.most_free : bounds.most_whole);
}

Fit ZoneAccount::LookClosely(NodeIndex node, const ZoneRequest& request, Time now) const {
  const size_t resources = request.amounts.size();
  const bool one_zone = OneZone(node, request);
  bool fits_empty = false;
  bool fits_last = false;
  Amounts free_sum(resources, 0);
  Amounts empty_sum(resources, 0);
  Amounts last_sum(resources, 0);
  for (const Zone& zone : nodes_[node].zones) {
    bool free_here = true;
    bool empty_here = true;
    bool last_here = true;
    for (size_t r = 0; r < resources; ++r) {
      int64_t effective = Effective(zone, r, now);
      int64_t last = r == 0 ? zone.fresh_cpu : zone.allocatable[r];
      if (!one_zone && r == 0) {
        effective -= effective % kWholeCpu;
        last -= last % kWholeCpu;
      }
      int64_t free = std::max<int64_t>(0, effective - zone.used[r]);
      free_here = free_here && free >= request.amounts[r];
      empty_here = empty_here && effective >= request.amounts[r];
      last_here = last_here && std::max(effective, last) - zone.used[r] >= request.amounts[r];
      free_sum[r] += free;
      empty_sum[r] += effective;
      last_sum[r] += std::max<int64_t>(0, std::max(effective, last) - zone.used[r]);
    }
    if (free_here) return Fit::kFits;
    fits_empty = fits_empty || empty_here;
    fits_last = fits_last || last_here;
  }
  if (!one_zone) {
    auto covers = [&](const Amounts& sum) {
      for (size_t r = 0; r < resources; ++r) {
        if (sum[r] < request.amounts[r]) return false;
      }
      return true;
    };
    if (covers(free_sum)) return Fit::kFits;
    fits_empty = covers(empty_sum);
    fits_last = covers(last_sum);
  }
  if (fits_empty) return Fit::kTaken;
  return fits_last ? Fit::kStale : Fit::kTooSmall;
}

void ZoneAccount::Offer(NodeIndex node, bool one_zone, Time now, ZoneOffers& offers) const {
  const NodeZones& zones = nodes_[node];
  const size_t resources = options_.managed_resources.size();
  offers.resources = resources;
  offers.zones.resize(zones.zones.size());
  offers.free.resize(zones.zones.size() * resources);
  offers.usable.resize(zones.zones.size() * resources);
  int* id = offers.zones.data();
  int64_t* free = offers.free.data();
  int64_t* usable = offers.usable.data();
  for (const Zone& zone : zones.zones) {
    *id++ = zone.id;
    for (size_t r = 0; r < resources; ++r) {
      int64_t effective = Effective(zone, r, now);
      int64_t part_of_cpu = !one_zone && r == 0 ? effective % kWholeCpu : 0;
      *free++ = std::max<int64_t>(0, effective - zone.used[r]);
      *usable++ = std::max<int64_t>(0, effective - part_of_cpu - zone.used[r]);
    }
  }
  offers.distance = zones.distance;
  offers.nearest = zones.nearest;
  offers.even = zones.even;
}

std::vector<ZoneAccount::ZoneFigures> ZoneAccount::Figures(NodeIndex node, Time now) const {
  std::vector<ZoneFigures> figures;
  if (node >= nodes_.size()) return figures;
  const size_t resources = options_.managed_resources.size();
  for (const Zone& zone : nodes_[node].zones) {
    ZoneFigures each{.zone = zone.id,
                     .stale = now > zone.stale_from,
                     .allocatable = zone.allocatable,
                     .effective = {},
                     .used = zone.used,
                     .free = {}};
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
  NodeZones& node = At(index);
  std::vector<Held> held = AllHeld(node);
  node = NodeZones();
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
  NodeZones& node = At(index);
  NodeZones counted;
  for (const cluster::PlacedPod* pod : pods) {
    for (const cluster::ZoneAmount& amount : pod->zones) Add(counted, amount, 1);
  }
  if (counted.elsewhere == AllHeld(node)) return false;
  SetHeld(node, std::move(counted.elsewhere), options_.managed_resources.size());
  Rebound(index);
  return true;
}

ZoneAccount::NodeZones& ZoneAccount::At(NodeIndex node) {
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
  NodeZones& node = At(pod.node);
  for (const cluster::ZoneAmount& amount : pod.zones) Add(node, amount, sign);
  if (!pod.zones.empty()) Rebound(pod.node);
}

void ZoneAccount::Add(NodeZones& node, const cluster::ZoneAmount& amount, int sign) const {
  const auto& managed = options_.managed_resources;
  auto add_to = [&](Amounts& used) {
    for (size_t r = 0; r < managed.size(); ++r) used[r] += sign * Credible(amount.amount.Get(managed[r]));
  };
  auto zone = std::lower_bound(node.zones.begin(), node.zones.end(), amount.zone,
                               [](const Zone& z, int id) { return z.id < id; });
  if (zone != node.zones.end() && zone->id == amount.zone) return add_to(zone->used);
  auto held = std::lower_bound(node.elsewhere.begin(), node.elsewhere.end(), amount.zone,
                               [](const Held& h, int id) { return h.zone < id; });
  if (held == node.elsewhere.end() || held->zone != amount.zone) {
    held = node.elsewhere.insert(held, Held{amount.zone, Amounts(managed.size(), 0)});
  }
  add_to(held->used);
  if (AllZero(held->used)) node.elsewhere.erase(held);
}

ZoneAccount::Zone ZoneAccount::MakeZone(const cluster::Zone& zone) const {
  Zone made;
  made.id = zone.id;
  made.used.resize(options_.managed_resources.size(), 0);
  for (ResourceId resource : options_.managed_resources)
    made.allocatable.push_back(Credible(zone.allocatable.Get(resource)));
  made.fresh_cpu = made.allocatable[0];
  if (!zone.offline_cpu) return made;
  made.fresh_cpu = std::min(made.allocatable[0], Credible(*zone.offline_cpu));
  // A figure without a date never goes out of date: its writer does not play that game, and using it is the careful
  // side.
  if (zone.offline_updated && *zone.offline_updated < Time::max() - options_.stale_after) {
    made.stale_from = *zone.offline_updated + options_.stale_after;
  }
  switch (options_.when_stale) {
    case WhenStale::kUseAllocatable:
      made.stale_cpu = made.allocatable[0];
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

int64_t ZoneAccount::Effective(const Zone& zone, size_t resource, Time now) const {
  if (now <= zone.stale_from) return resource == 0 ? zone.fresh_cpu : zone.allocatable[resource];
  if (resource == 0) return zone.stale_cpu;
  return options_.when_stale == WhenStale::kReject ? 0 : zone.allocatable[resource];
}

// Everything that pods hold of this node, by zone; zones of which nothing is held are left out.
std::vector<ZoneAccount::Held> ZoneAccount::AllHeld(const NodeZones& node) {
  std::vector<Held> held = node.elsewhere;
  for (const Zone& zone : node.zones) {
    if (!AllZero(zone.used)) held.push_back({zone.id, zone.used});
  }
  std::sort(held.begin(), held.end(), [](const Held& a, const Held& b) { return a.zone < b.zone; });
  return held;
}

void ZoneAccount::SetHeld(NodeZones& node, std::vector<Held> held, size_t resources) {
  for (Zone& zone : node.zones) zone.used.assign(resources, 0);
  node.elsewhere.clear();
  for (Held& each : held) {
    auto zone = std::find_if(node.zones.begin(), node.zones.end(), [&](const Zone& z) { return z.id == each.zone; });
    if (zone != node.zones.end()) {
      zone->used = std::move(each.used);
    } else {
      node.elsewhere.push_back(std::move(each));
    }
  }
}

}  // namespace huygens::topology
