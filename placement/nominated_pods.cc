#include "placement/nominated_pods.h"

#include <algorithm>
#include <tuple>

#include "policy/zones_asked.h"

namespace huygens::placement {

namespace {

// Whom to expect gone when it is this pod's turn.
bool WouldBeGone(const cluster::Pod& pod, const cluster::Pod& nominated, bool all_lower) {
  return pod.deleting || (all_lower && nominated.preempts && pod.priority < nominated.priority);
}

}  // namespace

void NominatedPods::Keep(const policy::PodQuery& query, std::span<const cluster::NodeIndex> nodes) {
  std::vector<Nominated> before;
  const auto own = state_.Nominated().find(query.pod.uid);
  for (cluster::NodeIndex node : nodes) {
    for (const auto& pod : state_.NominatedTo(node)) {
      if (pod->priority < query.pod.priority || pod->uid == query.pod.uid || state_.FindPlaced(pod->uid)) continue;
      // Of two with one priority on one node the first by UID goes first, or both would wait for each other for ever.
      if (own != state_.Nominated().end() && pod->priority == query.pod.priority &&
          pod->nominated_node == own->second->nominated_node && query.pod.uid < pod->uid) {
        continue;
      }
      before.push_back({node, pod});
    }
  }
  std::sort(before.begin(), before.end(), [](const Nominated& a, const Nominated& b) {
    return std::tie(a.node, b.pod->priority, a.pod->uid) < std::tie(b.node, a.pod->priority, b.pod->uid);
  });
  // A request may name a node twice.
  before.erase(
      std::unique(before.begin(), before.end(), [](const Nominated& a, const Nominated& b) { return a.pod == b.pod; }),
      before.end());
  for (Nominated& each : before) {
    if (kinds_.Of(each.node).OrderMatters()) {
      in_order_.push_back(std::move(each));
    } else {
      PlaceInThought(each, query);
    }
  }
}

void NominatedPods::Forget() {
  for (const cluster::PlacedPod& each : placed_) kinds_.Of(each.node).Leave(each);
  placed_.clear();
  in_order_.clear();
}

void NominatedPods::PlaceInThought(const Nominated& nominated, const policy::PodQuery& query) {
  topology::NodeZones& books = kinds_.Of(nominated.node);
  const auto prepared = books.Prepare(*nominated.pod);
  if (!prepared) return;
  for (bool all_lower : {false, true}) {
    std::vector<const cluster::PlacedPod*> gone;
    for (const cluster::PlacedPod* each : state_.PodsOn(nominated.node)) {
      if (each->pod->uid == query.pod.uid) continue;  // the account shows it gone already (own_hold.h)
      if (WouldBeGone(*each->pod, *nominated.pod, all_lower)) gone.push_back(each);
    }
    for (const cluster::PlacedPod* each : gone) books.Leave(*each);
    auto zones = books.Assign(nominated.node, *prepared, query.now);
    for (const cluster::PlacedPod* each : gone) books.Place(*each);
    if (!zones) continue;
    placed_.push_back({nominated.pod, nominated.node, *std::move(zones)});
    books.Place(placed_.back());
    return;
  }
}

void NominatedPods::Check(const policy::PodQuery& query, policy::Candidates& nodes) const {
  if (in_order_.empty()) return;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.Rejected(i)) continue;
    const auto [first, last] = std::equal_range(in_order_.begin(), in_order_.end(), Nominated{nodes.node(i), nullptr},
                                                [](const Nominated& a, const Nominated& b) { return a.node < b.node; });
    if (first != last && !LeavesRoom(query, {first, last})) nodes.Reject(i, policy::Reason::kCannotAlignPod);
  }
}

bool NominatedPods::LeavesRoom(const policy::PodQuery& query, std::span<const Nominated> nominated) const {
  const cluster::NodeIndex node = nominated.front().node;
  const topology::NodeZones& zones = kinds_.Of(node);
  const topology::PreparedPod* prepared = policy::ZonesAsked(query, zones);
  if (prepared == nullptr) return true;
  std::vector<const cluster::Pod*> pods;
  for (const Nominated& each : nominated) pods.push_back(each.pod.get());
  const bool others_leave =
      std::ranges::any_of(state_.PodsOn(node), [](const auto* each) { return each->pod->deleting; });
  return zones.LeavesRoom(node, *prepared, pods, WouldBeGone, others_leave);
}

}  // namespace huygens::placement
