#include "placement/move_holds.h"

#include <algorithm>

#include "cluster/pod_requests.h"
#include "placement/placement.h"

namespace huygens::placement {

namespace {

// Whether the node's allocatable has room for `asked` beside what its pods ask for, as kube-scheduler counts it.
bool HasRequests(const cluster::State& state, cluster::NodeIndex node, const ResourceVector& asked,
                 std::string_view but_uid) {
  const cluster::Node* object = state.GetNode(node);
  if (object == nullptr) return false;
  ResourceVector total = state.RequestedOn(node, but_uid);
  total.Add(asked);
  total.Add(kPodSlots, 1);
  const auto fits = [&](ResourceId resource) { return total.Get(resource) <= object->allocatable.Get(resource); };
  for (const auto& [resource, amount] : asked) {
    if (amount > 0 && !fits(resource)) return false;
  }
  return object->allocatable.Get(kPodSlots) == 0 || fits(kPodSlots);
}

}  // namespace

void MoveHolds::Release(std::string_view stand_in) {
  if (held_.erase(stand_in) > 0) state_.Release(stand_in);
}

void MoveHolds::Charge(std::string_view stand_in, const std::shared_ptr<const cluster::QuotaLabels>& labels, Time now) {
  const cluster::PlacedPod* placed = state_.FindPlaced(stand_in);
  if (placed == nullptr || !labels || !held_.contains(stand_in)) return;
  auto paid = std::make_shared<cluster::Pod>(*placed->pod);
  paid->quota = labels;
  const cluster::NodeIndex node = placed->node;
  std::vector<cluster::ZoneAmount> zones = placed->zones;
  state_.Release(stand_in);
  (void)state_.Reserve(std::move(paid), node, std::move(zones), now, cluster::ReservationState::kHeld);
}

void MoveHolds::Forget(std::string_view uid) {
  ended_.emplace(uid);
  const auto over = [this](std::string_view replacement) {
    const auto claimed = claimed_.find(replacement);
    return claimed == claimed_.end() || state_.FindPlaced(replacement) == nullptr ||
           state_.FindPlaced(claimed->second.victim) == nullptr;
  };
  std::erase_if(ended_, [&](const std::string& replacement) {
    if (!over(replacement)) return false;
    claimed_.erase(replacement);
    return true;
  });
}

void MoveHolds::Consume(std::string_view uid) {
  const auto claimed = claimed_.find(uid);
  if (claimed != claimed_.end()) Release(claimed->second.stand_in);
}

const cluster::PlacedPod* MoveHolds::StandInOf(const cluster::Pod& asking) const {
  if (claimed_.empty()) return nullptr;
  const auto claimed = claimed_.find(std::string_view(asking.uid));
  return claimed == claimed_.end() ? nullptr : state_.FindPlaced(claimed->second.stand_in);
}

MoveHolds::Unpaid::Unpaid(const MoveHolds& holds, quota::Account* groups, const cluster::Pod& asking)
    : groups_(groups) {
  if (groups_ == nullptr) return;
  const auto leave = [&](std::string_view uid) {
    const cluster::PlacedPod* placed = holds.state_.FindPlaced(uid);
    if (placed == nullptr || std::ranges::find(left_, placed) != left_.end()) return;
    groups_->Leave(*placed);
    left_.push_back(placed);
  };
  for (const auto& [uid, claimed] : holds.claimed_) {
    if (holds.state_.FindPlaced(uid) != nullptr) {  // the replacement pays already
      leave(claimed.victim);
    } else if (uid == std::string_view(asking.uid)) {
      leave(claimed.stand_in);
      leave(claimed.victim);
    }
  }
}

MoveHolds::Unpaid::~Unpaid() {
  for (const cluster::PlacedPod* placed : left_) groups_->Place(*placed);
}

void MoveHolds::Check(const policy::PodQuery& query, policy::Candidates& nodes) const {
  if (held_.empty()) return;
  const cluster::PlacedPod* own = StandInOf(query.pod);
  std::optional<ResourceVector> asked;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.Rejected(i)) continue;
    const cluster::NodeIndex node = nodes.node(i);
    if (std::ranges::none_of(held_, [node](const auto& each) { return each.second == node; })) continue;
    if (!asked) asked = cluster::PodRequests(query.pod);
    const std::string_view but = own != nullptr ? std::string_view(own->pod->uid) : std::string_view(query.pod.uid);
    if (!HasRequests(state_, node, *asked, but)) nodes.Reject(i, policy::Reason::kHeldForMove);
  }
}

StatusOr<Reservation> Placement::HoldForMove(const std::shared_ptr<const cluster::Pod>& stand_in,
                                             std::string_view node_name, Time now) {
  if (const auto node = state_.FindNode(node_name)) {
    if (!state_.FindPlaced(stand_in->uid) && !HasRequests(state_, *node, cluster::PodRequests(*stand_in), "")) {
      return Reservation{.reason = Reason::kHeldForMove, .node = *node};
    }
  }
  HUYGENS_ASSIGN_OR_RETURN(Reservation made, ReserveAs(stand_in, node_name, now, cluster::ReservationState::kHeld));
  if (made.Accepted()) moves_.Add(stand_in->uid, made.node);
  return made;
}

}  // namespace huygens::placement
