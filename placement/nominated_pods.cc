#include "placement/nominated_pods.h"

#include <algorithm>
#include <tuple>

#include "kubelet/holding.h"

namespace huygens::placement {

namespace {

// Whom to expect gone when it is this pod's turn.
bool Gone(const cluster::Pod& pod, const cluster::Pod& nominated, bool all_lower) {
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
    if (zones_.Mode(each.node) == topology::NodeMode::kManaged) {
      PlaceManaged(each, query);
    } else if (!query.kubelet().asks_nothing && kubelet_.Predicts(each.node) &&
               !kubelet::RequestOf(*each.pod).asks_nothing) {
      on_kubelet_nodes_.push_back(std::move(each));
    }
  }
}

void NominatedPods::Forget() {
  for (const cluster::PlacedPod& each : placed_) zones_.Leave(each);
  placed_.clear();
  on_kubelet_nodes_.clear();
}

void NominatedPods::PlaceManaged(const Nominated& nominated, const policy::PodQuery& query) {
  const topology::ZoneRequest request = topology::RequestOf(*nominated.pod, zones_.options().managed_resources);
  if (request.AsksNothing()) return;
  for (bool all_lower : {false, true}) {
    std::vector<const cluster::PlacedPod*> gone;
    for (const cluster::PlacedPod* each : state_.PodsOn(nominated.node)) {
      if (each->pod->uid == query.pod.uid) continue;  // the account shows it gone already (own_hold.h)
      if (Gone(*each->pod, *nominated.pod, all_lower)) gone.push_back(each);
    }
    for (const cluster::PlacedPod* each : gone) zones_.Leave(*each);
    auto zones = zones_.Assign(nominated.node, request, query.now);
    for (const cluster::PlacedPod* each : gone) zones_.Place(*each);
    if (!zones) continue;
    placed_.push_back({nominated.pod, nominated.node, *std::move(zones)});
    zones_.Place(placed_.back());
    return;
  }
}

void NominatedPods::Check(const policy::PodQuery& query, policy::Candidates& nodes) const {
  if (on_kubelet_nodes_.empty()) return;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.Rejected(i)) continue;
    const auto [first, last] =
        std::equal_range(on_kubelet_nodes_.begin(), on_kubelet_nodes_.end(), Nominated{nodes.node(i), nullptr},
                         [](const Nominated& a, const Nominated& b) { return a.node < b.node; });
    if (first != last && !LeavesRoom(query, {first, last})) nodes.Reject(i, policy::Reason::kCannotAlignPod);
  }
}

// Of each two machines one is with the asking pod and one without, so that it is not rejected for a nominated pod that
// would not be admitted either way.
bool NominatedPods::LeavesRoom(const policy::PodQuery& query, std::span<const Nominated> nominated) const {
  const cluster::NodeIndex node = nominated.front().node;
  const auto on_node = state_.PodsOn(node);
  kubelet::Holding asking{.pod = query.kubelet().pod};
  // When kubelet sees the pod those may have gone, and its zones may be others than it would take now.
  const bool others_leave =
      std::any_of(on_node.begin(), on_node.end(), [](const auto* each) { return each->pod->deleting; });
  if (!others_leave) asking.zones = kubelet_.PredictZones(node, query.kubelet());

  std::vector<kubelet::Request> requests;
  requests.reserve(nominated.size());
  std::vector<kubelet::Holding> without, with{asking};
  for (const Nominated& each : nominated) {
    const kubelet::Pod& pod = requests.emplace_back(kubelet::RequestOf(*each.pod)).pod;
    for (bool all_lower : {false, true}) {
      kubelet::Machine machine =
          kubelet_.FreeWithout(node, [&](const cluster::Pod& other) { return Gone(other, *each.pod, all_lower); });
      kubelet::Machine machine_with = machine;
      for (const kubelet::Holding& held : without) kubelet::ChargeAll(machine, held);
      for (const kubelet::Holding& held : with) kubelet::ChargeAll(machine_with, held);
      const kubelet::Prediction alone = kubelet::Predict(machine, pod);
      if (!alone.Admitted()) continue;
      const kubelet::Prediction beside = kubelet::Predict(machine_with, pod);
      if (!beside.Admitted()) return false;
      without.push_back({.pod = pod, .zones = kubelet::ZonesOf(machine, alone.charge)});
      with.push_back({.pod = pod, .zones = kubelet::ZonesOf(machine_with, beside.charge)});
      break;
    }
  }
  return true;
}

}  // namespace huygens::placement
