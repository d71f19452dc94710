#include "cluster/state.h"

#include <algorithm>
#include <utility>

#include "cluster/pod_requests.h"
#include "cluster/unknown_resources.h"

namespace huygens::cluster {

namespace {

// What was written when the pod was bound holds for its life.
std::shared_ptr<const Pod> AsBound(const Pod& known, std::shared_ptr<const Pod> news) {
  if (!known.Bound()) return news;
  if (known.topology_result == news->topology_result && known.placement_mark == news->placement_mark) return news;
  auto pod = std::make_shared<Pod>(*news);
  KeepZones(known, *pod);
  return pod;
}

// nodeName never changes once set and a finished pod never runs again: an event that says so is late.
bool IsLate(const Pod& known, const Pod& news) {
  return (known.Bound() && !news.Bound()) || (known.Terminal() && !news.Terminal());
}

Kind KindOf(TopologySource source) {
  return source == TopologySource::kCrane ? Kind::kCraneTopology : Kind::kCommunityTopology;
}

}  // namespace

// A topology-result beside a huygens.dev/placement of another pod or node was copied with a template's annotations, and
// one without may be as well: neither says anything. Where kubelet pins there is only the latter, with the zones that
// kubelet was predicted to take.
std::vector<ZoneAmount> State::TrustedResult(const Pod& pod) const {
  const auto& mark = pod.placement_mark;
  if (!mark) return options_.trust_unmarked_results ? pod.topology_result : std::vector<ZoneAmount>();
  if (mark->uid != pod.uid || mark->node != pod.node_name) return {};
  if (!mark->of_zones) return options_.trust_unmarked_results ? pod.topology_result : std::vector<ZoneAmount>();
  return pod.topology_result.empty() ? mark->zones : pod.topology_result;
}

void State::Apply(const WatchEvent& event) {
  ++revision_;
  std::visit([this](const auto& each) { On(each); }, event);
}

void State::On(const NodeSet& event) {
  NodeIndex index = Slot(event.node.name);
  NodeSlot& slot = nodes_[index];
  slot.node_list = Of(Kind::kNode).list;
  if (IsKnown(slot.node_version, event.resource_version) && slot.node) return;
  if (!slot.node) {
    ++node_count_;
    ++node_set_revision_;
  }
  if (slot.node && slot.node->uid != event.node.uid) {  // it was of another node
    DropLost(index);
    slot.gave_up_topology = false;
  }
  slot.node = event.node;
  for (Account* account : accounts_) account->NodeObjectChanged(index, &*slot.node);
  NodeChanged(index);
}

void State::On(const NodeGone& event) {
  auto index = node_index_.find(event.name);
  if (index == node_index_.end() || !nodes_[index->second].node) return;
  --node_count_;
  ++node_set_revision_;
  nodes_[index->second].node.reset();
  nodes_[index->second].gave_up_topology = false;
  DropLost(index->second);
  for (Account* account : accounts_) account->NodeObjectChanged(index->second, nullptr);
  NodeChanged(index->second);
  Tidy(index->second);
}

void State::On(const TopologySet& event) {
  NodeIndex index = Slot(event.topology.node_name);
  auto source = static_cast<size_t>(event.topology.source);
  NodeSlot& slot = nodes_[index];
  slot.topology_list[source] = Of(KindOf(event.topology.source)).list;
  const bool found_again = slot.lost && slot.lost->source == source;
  if (found_again) FoundAgain(slot);
  if (IsKnown(slot.topology_version[source], event.resource_version) && slot.topology[source] && !found_again) return;
  slot.topology[source] = event.topology;
  slot.gave_up_topology = false;
  NodeChanged(index);
}

void State::On(const PodSet& event) {
  PodRecord& record = RecordOf(event.pod);
  Name(record);
  if (record.watched && IsLate(*record.pod, *event.pod)) return;
  if (IsKnown(record.version, event.resource_version)) return;
  const std::shared_ptr<const Pod> seen = record.watched ? AsBound(*record.pod, event.pod) : event.pod;
  const Pod& pod = *seen;
  SetPod(record, seen);
  // A late event of a pod must not take its name back from the pod that was created under it since.
  if (!record.watched) TakeName(record);
  record.watched = true;
  EndNomination(pod.uid);
  if (!pod.nominated_node.empty() && !pod.Bound() && !pod.Terminal() && !pod.deleting) Nominate(seen);
  if (pod.Terminal()) {
    ledger_.Erase(pod.uid);
    Leave(record);
  } else if (pod.Bound()) {
    // The API server decides, also where it names another node than the reservation did.
    ledger_.Erase(pod.uid);
    Leave(record);
    Place(record, Slot(pod.node_name), TrustedResult(pod));
  }
}

void State::On(const PodGone& event) {
  PodRecord* record = FindRecord(event.uid);
  if (record == nullptr) return;
  ledger_.Erase(event.uid);
  EndNomination(event.uid);
  Forget(*record);
}

std::optional<NodeIndex> State::FindNode(std::string_view name) const {
  auto found = node_index_.find(name);
  if (found == node_index_.end() || !nodes_[found->second].node) return std::nullopt;
  return found->second;
}

const NodeTopology* State::Topology(NodeIndex index) const {
  const NodeSlot& slot = nodes_[index];
  auto in_force = [&](TopologySource source) -> const NodeTopology* {
    const auto& topology = slot.topology[static_cast<size_t>(source)];
    if (!topology) return nullptr;
    bool earlier_node =
        slot.node && !slot.node->uid.empty() && !topology->owner_uid.empty() && topology->owner_uid != slot.node->uid;
    return earlier_node ? nullptr : &*topology;
  };
  const NodeTopology* crane = in_force(TopologySource::kCrane);
  if (crane && crane->pinned_by_agent) return crane;
  const NodeTopology* community = in_force(TopologySource::kCommunity);
  return community ? community : crane;
}

ResourceVector State::RequestedOn(NodeIndex index, std::string_view but_uid) const {
  ResourceVector requested;
  for (const PlacedPod* placed : nodes_[index].pods) {
    if (!but_uid.empty() && placed->pod->uid == but_uid) continue;
    requested.Add(PlacedPodRequests(*placed->pod));
    requested.Add(kPodSlots, 1);
  }
  return requested;
}

std::vector<std::shared_ptr<const Pod>> State::Unplaced() const {
  std::vector<std::shared_ptr<const Pod>> unplaced;
  for (const auto& record : pods_) {
    const Pod& pod = *record->pod;
    if (!record->placed && !pod.Bound() && !pod.Terminal() && !pod.deleting) unplaced.push_back(record->pod);
  }
  std::ranges::sort(unplaced, {}, [](const auto& pod) -> std::string_view { return pod->uid; });
  return unplaced;
}

std::shared_ptr<const Pod> State::FindPod(std::string_view uid) const {
  const PodRecord* record = FindRecord(uid);
  return record ? record->pod : nullptr;
}

std::shared_ptr<const Pod> State::FindPod(std::string_view namespace_name, std::string_view name) const {
  auto found = pod_names_.find(PodName(namespace_name, name));
  return found == pod_names_.end() ? nullptr : (*found)->pod;
}

const PlacedPod* State::FindPlaced(std::string_view uid) const {
  const PodRecord* record = FindRecord(uid);
  return record && record->placed ? &*record->placed : nullptr;
}

Status State::Reserve(const std::shared_ptr<const Pod>& pod, NodeIndex node, std::vector<ZoneAmount> zones, Time now,
                      ReservationState state) {
  PodRecord& record = RecordOf(pod);
  if (record.placed) {
    return absl::AlreadyExistsError(
        ToAbsl(Concat("pod ", pod->Key(), " already holds capacity on node ", nodes_[record.placed->node].name)));
  }
  ++revision_;
  if (!record.watched) pod_names_.insert(&record);  // unless the watch knows a newer pod of that name
  ledger_.Reserve(pod->uid, now, state);
  Place(record, node, std::move(zones));
  return absl::OkStatus();
}

void State::Assume(std::string_view uid, Time now) { ledger_.Assume(uid, now); }

void State::Release(std::string_view uid) {
  if (!ledger_.Erase(uid)) return;
  ++revision_;
  PodRecord& record = *FindRecord(uid);
  if (record.watched) {
    Leave(record);
  } else {
    Forget(record);
  }
}

size_t State::Reconcile(size_t limit) {
  size_t repaired = 0;
  for (size_t n = std::min(limit, nodes_.size()); n > 0; --n) {
    reconcile_next_ = reconcile_next_ + 1 < nodes_.size() ? reconcile_next_ + 1 : 0;
    for (Account* account : accounts_) {
      if (account->Recount(reconcile_next_, nodes_[reconcile_next_].pods)) ++repaired;
    }
  }
  return repaired;
}

NodeIndex State::Slot(std::string_view name) {
  if (auto found = node_index_.find(name); found != node_index_.end()) return found->second;
  NodeIndex index;
  if (free_slots_.empty()) {
    index = static_cast<NodeIndex>(nodes_.size());
    nodes_.emplace_back();
    nominated_to_.emplace_back();
    in_force_lost_.push_back(false);
  } else {
    index = free_slots_.back();
    free_slots_.pop_back();
    nodes_[index] = NodeSlot();
  }
  nodes_[index].name = name;
  node_index_.emplace(std::string(name), index);
  return index;
}

void State::Tidy(NodeIndex index) {
  NodeSlot& slot = nodes_[index];
  if (slot.node || slot.topology[0] || slot.topology[1] || !slot.pods.empty() || !nominated_to_[index].empty()) return;
  node_index_.erase(slot.name);
  slot.name.clear();
  free_slots_.push_back(index);
}

void State::NodeChanged(NodeIndex index) {
  const NodeTopology* topology = Topology(index);
  const NodeSlot& slot = nodes_[index];
  in_force_lost_[index] = slot.lost && topology == &*slot.topology[slot.lost->source];
  for (Account* account : accounts_) account->NodeChanged(index, topology);
}

State::PodRecord& State::RecordOf(const std::shared_ptr<const Pod>& pod) {
  if (PodRecord* known = FindRecord(pod->uid)) return *known;
  auto record = std::make_unique<PodRecord>();
  record->pod = pod;
  IndexUnknown(*record, true);
  return **pods_.insert(std::move(record)).first;
}

void State::IndexUnknown(const PodRecord& record, bool present) {
  if (!record.pod->unknown_resources) return;
  for (const std::string& name : *record.pod->unknown_resources) {
    if (present) {
      unknown_[name].insert(record.pod->uid);
      continue;
    }
    auto pods = unknown_.find(name);
    pods->second.erase(record.pod->uid);
    if (pods->second.empty()) unknown_.erase(pods);
  }
}

void State::ResourcesKnown(const ResourceNames& names, ResourceId first) {
  std::set<InternedString> uids;
  for (size_t id = first, end = names.size(); id < end && !unknown_.empty(); ++id) {
    auto found = unknown_.find(names.Name(static_cast<ResourceId>(id)));
    if (found != unknown_.end()) uids.insert(found->second.begin(), found->second.end());
  }
  for (const InternedString& uid : uids) {
    PodRecord& record = *FindRecord(uid);
    const std::optional<PlacedPod> placed = record.placed;
    const std::string node = placed ? nodes_[placed->node].name : std::string();
    Leave(record);
    SetPod(record, WithKnownResources(record.pod, names));
    if (placed) Place(record, Slot(node), record.pod->Bound() ? TrustedResult(*record.pod) : placed->zones);
    if (EndNomination(uid)) Nominate(record.pod);
  }
}

State::PodRecord* State::FindRecord(std::string_view uid) const {
  auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : found->get();
}

// Nobody renames a pod; were it to happen, what is looked up by the name must still be found.
void State::SetPod(PodRecord& record, const std::shared_ptr<const Pod>& pod) {
  const bool same_name = NameOf(*record.pod) == NameOf(*pod);
  if (!same_name) DropName(record);
  IndexUnknown(record, false);
  record.pod = pod;
  IndexUnknown(record, true);
  if (!same_name) TakeName(record);
}

void State::TakeName(PodRecord& record) {
  pod_names_.erase(&record);  // whoever had it
  pod_names_.insert(&record);
}

void State::DropName(PodRecord& record) {
  auto name = pod_names_.find(&record);
  if (name != pod_names_.end() && *name == &record) pod_names_.erase(name);
}

void State::Place(PodRecord& record, NodeIndex node, std::vector<ZoneAmount> zones) {
  record.placed = PlacedPod{record.pod, node, std::move(zones)};
  nodes_[node].pods.push_back(&*record.placed);
  for (Account* account : accounts_) account->Place(*record.placed);
}

void State::Leave(PodRecord& record) {
  if (!record.placed) return;
  for (Account* account : accounts_) account->Leave(*record.placed);
  NodeIndex node = record.placed->node;
  auto& pods = nodes_[node].pods;
  *std::find(pods.begin(), pods.end(), &*record.placed) = pods.back();
  pods.pop_back();
  record.placed.reset();
  Tidy(node);
}

// The node may not be known yet.
void State::Nominate(const std::shared_ptr<const Pod>& pod) {
  nominated_.emplace(pod->uid, pod);
  nominated_to_[Slot(pod->nominated_node)].push_back(pod);
}

bool State::EndNomination(const InternedString& uid) {
  const auto found = nominated_.find(uid);
  if (found == nominated_.end()) return false;
  const NodeIndex node = node_index_.find(found->second->nominated_node)->second;
  std::erase(nominated_to_[node], found->second);
  nominated_.erase(found);
  Tidy(node);
  return true;
}

void State::Forget(PodRecord& record) {
  Leave(record);
  Unlink(record);
  DropName(record);
  IndexUnknown(record, false);
  pods_.erase(pods_.find(std::string_view(record.pod->uid)));
}

}  // namespace huygens::cluster
