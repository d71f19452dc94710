// The questions that ZoneAccount answers about a pod: does it fit, why not, and which zones does it get.
#include <algorithm>

#include "topology/zone_account.h"

namespace huygens::topology {

namespace {

struct Prepared final : PreparedPod {
  explicit Prepared(ZoneRequest asked) : request(std::move(asked)) {}
  ZoneRequest request;
};

const ZoneRequest& RequestIn(const PreparedPod& pod) { return static_cast<const Prepared&>(pod).request; }

int64_t WholeCpus(int64_t milli) { return milli - milli % 1000; }

}  // namespace

std::unique_ptr<PreparedPod> ZoneAccount::Prepare(const cluster::Pod& pod) const {
  ZoneRequest request = RequestOf(pod, options_.managed_resources);
  return request.AsksNothing() ? nullptr : std::make_unique<Prepared>(std::move(request));
}

Fit ZoneAccount::Judge(NodeIndex node, const ZoneRequest& request, Time now) const {
  switch (Mode(node)) {
    case NodeMode::kKubelet:
    case NodeMode::kNoTopology:
      return request.RequiresTopology() || !options_.nodes_without_topology_pass ? Fit::kNoTopology : Fit::kFits;
    case NodeMode::kUnusable:
      return Fit::kUnusableTopology;
    case NodeMode::kManaged:
      break;
  }
  return Check(node, request, now);
}

void ZoneAccount::Check(const PreparedPod& pod, std::span<const NodeIndex> nodes, bool lost, Time now,
                        std::span<Fit> fits) const {
  const ZoneRequest& request = RequestIn(pod);
  if (lost) {
    std::ranges::fill(fits.first(nodes.size()), Fit::kLostTopology);
    return;
  }
  // Of most nodes the bounds say yes at once.
  const bool bounded = request.amounts.size() == 1 && request.smt == cluster::Smt::kUnset;
  const int64_t cpu = request.amounts[0];
  const std::span<const Bounds> all = bounds_;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeIndex node = nodes[i];
    if (bounded && node < all.size()) {
      const Bounds& bounds = all[node];
      const int64_t most = request.aware.value_or(bounds.single_numa) ? bounds.most_free : bounds.all_whole;
      if (bounds.mode == NodeMode::kManaged && now <= bounds.until && cpu <= most) {
        fits[i] = Fit::kFits;
        continue;
      }
    }
    fits[i] = Judge(node, request, now);
  }
}

void ZoneAccount::ZonesTaken(const PreparedPod& pod, std::span<const NodeIndex> nodes, Time now,
                             std::span<std::optional<ZoneSet>> taken) const {
  const ZoneRequest& request = RequestIn(pod);
  const bool bounded = request.amounts.size() == 1 && request.smt == cluster::Smt::kUnset;
  const int64_t cpu = request.amounts[0];
  const std::span<const Bounds> all = bounds_;
  const Bounds unknown;
  ZoneOffers offers;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeIndex node = nodes[i];
    const Bounds& bounds = node < all.size() ? all[node] : unknown;
    const int64_t most = request.aware.value_or(bounds.single_numa) ? bounds.most_free : bounds.most_whole;
    if (bounds.mode != NodeMode::kManaged) {
      taken[i] = ZoneSet();
    } else if (bounded && now <= bounds.until && cpu <= most) {
      taken[i] = ZoneSet{.count = 1};
    } else {
      taken[i] = Choose(node, request, now, offers);
    }
  }
}

std::optional<std::vector<cluster::ZoneAmount>> ZoneAccount::Assign(NodeIndex node, const PreparedPod& pod,
                                                                    Time now) const {
  if (Mode(node) != NodeMode::kManaged) return std::vector<cluster::ZoneAmount>();
  return Assign(node, RequestIn(pod), now);
}

Fit ZoneAccount::Check(NodeIndex node, const ZoneRequest& request, Time now) const {
  const Bounds& bounds = bounds_[node];
  if (!Bounded(request, bounds, now)) return CheckExact(node, request, now);
  const bool one_zone = OneZone(node, request);
  if (request.amounts[0] <= (one_zone ? bounds.most_free : bounds.all_whole)) return Fit::kFits;
  return request.amounts[0] <= (one_zone ? bounds.most_empty : bounds.all_empty) ? Fit::kTaken : Fit::kTooSmall;
}

Fit ZoneAccount::CheckExact(NodeIndex node, const ZoneRequest& request, Time now) const {
  if (Holds(node, request, {.now = now})) return Fit::kFits;
  const bool asks_cores = request.smt != cluster::Smt::kUnset;
  if (Holds(node, request, {.now = now, .empty = true})) {
    const bool amounts_fit = asks_cores && Holds(node, request, {.now = now, .cores = CoreRule::kNone});
    return amounts_fit ? Fit::kCoresTaken : Fit::kTaken;
  }
  if (Holds(node, request, {.now = now, .claimed = true, .empty = true})) return Fit::kStale;
  if (!asks_cores || !Holds(node, request, {.now = now, .empty = true, .cores = CoreRule::kNone}))
    return Fit::kTooSmall;
  const auto& zones = nodes_[node].zones;
  const bool all_known =
      std::all_of(zones.begin(), zones.end(), [](const Zone& z) { return z.cores.Known() || z.allocatable[0] == 0; });
  return all_known ? Fit::kTooFewCores : Fit::kCoresUnknown;
}

bool ZoneAccount::Holds(NodeIndex node, const ZoneRequest& request, const View& view) const {
  const bool one_zone = OneZone(node, request);
  Amounts sum(request.amounts.size(), 0);
  for (const Zone& zone : nodes_[node].zones) {
    bool here = true;
    for (size_t r = 0; r < sum.size(); ++r) {
      const int64_t usable = Usable(zone, r, request, one_zone, view);
      here = here && usable >= request.amounts[r];
      sum[r] += usable;
    }
    if (here) return true;
  }
  if (one_zone) return false;
  for (size_t r = 0; r < sum.size(); ++r) {
    if (sum[r] < request.amounts[r]) return false;
  }
  return true;
}

int64_t ZoneAccount::Usable(const Zone& zone, size_t resource, const ZoneRequest& request, bool one_zone,
                            const View& view) const {
  int64_t effective = Effective(zone, resource, view.now);
  const bool unknown = view.now > zone.stale_from && options_.when_stale == WhenStale::kReject;
  if (view.claimed && unknown) effective = std::max(effective, zone.allocatable[resource]);
  if (!one_zone && resource == 0) effective = WholeCpus(effective);
  const int64_t usable = std::max<int64_t>(0, effective - (view.empty ? 0 : zone.used[resource]));
  if (resource > 0 || request.smt == cluster::Smt::kUnset || view.cores == CoreRule::kNone) return usable;
  return UsableOfCores(zone, request, usable, one_zone, view);
}

int64_t ZoneAccount::UsableOfCores(const Zone& zone, const ZoneRequest& request, int64_t cpu, bool one_zone,
                                   const View& view) {
  const CoreUse use = view.empty ? CoreUse() : zone.core_use;
  const int64_t usable = 1000 * UsableCpus(zone.cores, use, request.smt, cpu / 1000, !one_zone);
  if (view.cores != CoreRule::kDifferent) return usable;
  const int64_t different = 1000 * DifferentCores(zone.cores, use);
  // Two containers may share a core: so if there are enough for the largest, all CPUs may be used.
  return request.largest_cpu <= different ? usable : std::min(usable, different);
}

int64_t ZoneAccount::Effective(const Zone& zone, size_t resource, Time now) const {
  if (now <= zone.stale_from) return resource == 0 ? zone.fresh_cpu : zone.allocatable[resource];
  if (resource == 0) return zone.stale_cpu;
  return options_.when_stale == WhenStale::kReject ? 0 : zone.allocatable[resource];
}

void ZoneAccount::Offer(NodeIndex node, const ZoneRequest& request, const View& view, ZoneOffers& offers) const {
  const NodeBook& zones = nodes_[node];
  const bool one_zone = OneZone(node, request);
  const size_t resources = request.amounts.size();
  offers.resources = resources;
  offers.zones.resize(zones.zones.size());
  offers.free.resize(zones.zones.size() * resources);
  offers.usable.resize(zones.zones.size() * resources);
  int* id = offers.zones.data();
  int64_t* free = offers.free.data();
  int64_t* usable = offers.usable.data();
  for (const Zone& zone : zones.zones) {
    *id++ = zone.held.zone;
    for (size_t r = 0; r < resources; ++r) {
      *free++ = std::max<int64_t>(0, Effective(zone, r, view.now) - zone.used[r]);
      *usable++ = Usable(zone, r, request, one_zone, view);
    }
  }
  offers.distance = zones.distance;
  offers.nearest = zones.nearest;
  offers.even = zones.even;
}

std::optional<ZoneSet> ZoneAccount::Choose(NodeIndex node, const ZoneRequest& request, Time now,
                                           ZoneOffers& offers) const {
  const bool one_zone = OneZone(node, request);
  if (request.smt == cluster::Smt::kSpread) {
    Offer(node, request, {.now = now, .cores = CoreRule::kDifferent}, offers);
    if (auto set = SelectZones(offers, request.amounts, one_zone)) return set;
  }
  Offer(node, request, {.now = now}, offers);
  return SelectZones(offers, request.amounts, one_zone);
}

std::optional<std::vector<cluster::ZoneAmount>> ZoneAccount::Assign(NodeIndex node, const ZoneRequest& request,
                                                                    Time now) const {
  ZoneOffers offers;
  const auto set = Choose(node, request, now, offers);
  if (!set) return std::nullopt;
  return Divide(offers, *set, request.amounts, options_.managed_resources);
}

}  // namespace huygens::topology
