#include "kubelet/account.h"

#include <algorithm>
#include <utility>

#include "kubelet/published.h"
#include "kubelet/settings.h"
#include "topology/node_mode.h"

namespace huygens::kubelet {

namespace {

std::string_view Attribute(const cluster::NodeTopology& topology, std::string_view name) {
  for (const auto& [key, value] : topology.attributes) {
    if (key == name) return value;
  }
  return {};
}

// Nothing if the annotation was written for another pod or node.
const std::vector<cluster::ZoneAmount>& OwnZones(const Boxed<cluster::PlacementMark>& mark, const cluster::Pod& pod) {
  static const std::vector<cluster::ZoneAmount> none;
  return mark && mark->uid == pod.uid && mark->node == pod.node_name ? mark->zones : none;
}

bool NotBound(const cluster::Pod& pod) { return !pod.Bound(); }
bool NotSeenByKubelet(const cluster::Pod& pod) { return !pod.start_time; }

template <typename Entries>
void DoubtIf(Entries& entries, bool (*pod_is)(const cluster::Pod&)) {
  for (auto& entry : entries) entry.doubtful = entry.doubtful || pod_is(*entry.pod);
}

template <typename Entries>
auto FindPod(Entries& entries, std::string_view uid) {
  return std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.pod->uid == uid; });
}

}  // namespace

const std::vector<cluster::ZoneAmount>& Account::Entry::Observed() const { return OwnZones(pod->observed_mark, *pod); }

// Of the reservation, or of huygens.dev/placement once the pod is bound. A topology-result never belongs to a node that
// kubelet pins.
const std::vector<cluster::ZoneAmount>& Account::Entry::Predicted() const {
  return pod->Bound() ? OwnZones(pod->placement_mark, *pod) : reservation;
}

Account::NodeBook& Account::At(NodeIndex node) {
  if (node >= nodes_.size()) nodes_.resize(node + 1);
  nodes_[node].counted = false;
  return nodes_[node];
}

void Account::Place(const cluster::PlacedPod& pod) {
  NodeBook& node = At(pod.node);
  if (auto back = FindPod(node.leaving, pod.pod->uid); back != node.leaving.end()) {
    Entry entry = EntryOf(pod, &*back);
    entry.since = back->since;
    entry.reserved = back->reserved;
    entry.doubtful = back->doubtful;
    // kubelet frees what a pod holds a little before the watch shows the pod gone.
    if (entry.takes() && pod.pod->deleting && !back->pod->deleting) DoubtIf(node.here, NotSeenByKubelet);
    node.leaving.erase(back);
    node.here.push_back(std::move(entry));
    return;
  }
  Settle(node);
  Entry entry = EntryOf(pod, nullptr);
  entry.reserved = !pod.pod->Bound();
  // Pods are bound here in the order in which they were decided, but others may come between.
  if (entry.takes() && !entry.reserved) DoubtIf(node.here, NotBound);
  if (InSet(node, entry)) {
    node.set.Add(entry.name_hash);
    NextSet(node);
  }
  entry.since = node.number;
  node.here.push_back(std::move(entry));
}

Account::Entry Account::EntryOf(const cluster::PlacedPod& placed, const Entry* before) {
  const cluster::Pod& pod = *placed.pod;
  Entry entry{.pod = placed.pod};
  if (before != nullptr && before->pod == placed.pod) {
    entry.name_hash = before->name_hash;
    entry.wants = before->wants;
  } else {
    entry.name_hash = cluster::PodNameHash(pod.namespace_name, pod.name);
    if (!RequestOf(pod).holds_nothing) entry.wants = wanted_.Share(PlacedPodOf(pod));
  }
  if (!entry.takes()) return entry;
  if (!pod.Bound()) entry.reservation = placed.zones;
  entry.all_shown = entry.Observed().size() < 2 && entry.Predicted().size() < 2;
  for (const Container& container : entry.wants->containers) {
    if (container.kind == Container::Kind::kInit) entry.all_shown = false;
  }
  return entry;
}

void Account::Leave(const cluster::PlacedPod& pod) {
  NodeBook& node = At(pod.node);
  auto entry = FindPod(node.here, pod.pod->uid);
  if (entry == node.here.end()) return;
  if (node.predicts) node.leaving.push_back(std::move(*entry));
  node.here.erase(entry);
}

void Account::NodeObjectChanged(NodeIndex index, const cluster::Node* object) {
  NodeBook& node = At(index);
  node.same_labels = object && object->labels == node.labels;
  node.labels.clear();
  node.devices = {};
  if (!object) return;
  node.labels = object->labels;
  node.devices = DevicesIn(object->allocatable);
}

void Account::NodeChanged(NodeIndex index, const cluster::NodeTopology* topology) {
  NodeBook& node = At(index);
  // kubelet keeps updating its Node; no object has come with that.
  if (std::exchange(node.same_labels, false) && topology == node.object) {
    return SetDevicesOfNoZone(node.published, node.devices);
  }
  node.object = topology;
  Settle(node);
  const bool community = topology && topology->source == cluster::TopologySource::kCommunity;
  node.pinned = topology::ModeOf(topology) == topology::NodeMode::kKubelet;
  node.predicts = community && Usable(*topology);
  node.unusable = community && !node.predicts;
  if (!node.predicts) {
    node.published = Machine();
    node.sets.clear();  // an object that comes later starts anew
    node.gone.clear();
    return;
  }
  cluster::Node labelled;
  labelled.labels = node.labels;
  node.published = PublishedMachine(*topology, OptionsOf(*topology, &labelled, defaults_));
  SetDevicesOfNoZone(node.published, node.devices);
  node.published.layout =
      layouts_.Of(node.published, ListedCpus(*topology, node.published), ListedReserved(*topology, node.published));
  node.shows_init = Attribute(*topology, "huygens.dev/init-containers") == "counted";
  node.written = topology->written;
  node.fingerprint = cluster::ParsePodFingerprint(Attribute(*topology, "nodeTopologyPodsFingerprint"));
  const bool exclusive_only = Attribute(*topology, "nodeTopologyPodsFingerprintMethod") == "with-exclusive-resources";
  if (node.sets.empty() || exclusive_only != node.exclusive_only) {
    node.exclusive_only = exclusive_only;
    StartSets(node);
  }
  node.arrived = node.number;
}

bool Account::Recount(NodeIndex index, std::span<const cluster::PlacedPod* const> pods) {
  NodeBook& node = At(index);
  auto known = [&](const cluster::PlacedPod* pod) {
    auto entry = FindPod(node.here, pod->pod->uid);
    return entry != node.here.end() && entry->pod == pod->pod;
  };
  if (node.here.size() == pods.size() && std::all_of(pods.begin(), pods.end(), known)) return false;
  node.here.clear();
  for (const cluster::PlacedPod* pod : pods) {
    node.here.push_back(EntryOf(*pod, nullptr));
  }
  StartSets(node);
  return true;
}

bool Account::InSet(const NodeBook& node, const Entry& entry) {
  return node.predicts && (entry.takes() || !node.exclusive_only);
}

// The pods that left are gone for good: each leaves a set of its own behind, since an exporter may have seen them go
// one by one.
void Account::Settle(NodeBook& node) {
  for (Entry& entry : node.leaving) {
    if (entry.takes()) DoubtIf(node.here, NotSeenByKubelet);
    if (InSet(node, entry)) {
      node.set.Remove(entry.name_hash);
      NextSet(node);
    }
    entry.until = node.number;
    node.gone.push_back(std::move(entry));
    if (node.gone.size() > kRemembered) node.gone.erase(node.gone.begin());
  }
  node.leaving.clear();
}

void Account::NextSet(NodeBook& node) {
  node.sets.push_back({++node.number, node.set.Fingerprint()});
  if (node.sets.size() > kRemembered) node.sets.erase(node.sets.begin());
}

void Account::StartSets(NodeBook& node) {
  node.set = cluster::HashedPods();
  node.sets.clear();
  node.leaving.clear();
  node.gone.clear();
  for (Entry& entry : node.here) {
    if (InSet(node, entry)) node.set.Add(entry.name_hash);
  }
  NextSet(node);
  for (Entry& entry : node.here) entry.since = node.number;
}

}  // namespace huygens::kubelet
