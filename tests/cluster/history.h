// A small cluster for property tests: objects that change at random, one stream of events per kind as an API server
// would send them, and a reader that takes the streams in any order across kinds, twice, with gaps mended by a LIST.
// Same seed, same history.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cluster/watch_event.h"

namespace huygens::test {

using namespace cluster;  // NOLINT: a test header of the same words

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {}

  int Pick(int below) { return static_cast<int>(random_() % static_cast<uint64_t>(below)); }
  bool Chance(int percent) { return Pick(100) < percent; }
  std::string AnyNode() { return "node-" + std::to_string(Pick(5)); }

  // One random change of one object.
  void Change() {
    switch (Pick(11)) {
      case 0:
        ChangeNode();
        break;
      case 1:
        ChangeTopology(TopologySource::kCrane);
        break;
      case 2:
        ChangeTopology(TopologySource::kCommunity);
        break;
      case 3:
      case 4:
      case 5:
        CreatePod();
        break;
      case 6:
        ChangeGroup();
        break;
      default:
        ChangePod();
    }
  }

  // What the API server does with a Binding. False: refused.
  bool Bind(const std::string& uid, const std::string& node, const std::vector<ZoneAmount>& zones) {
    auto found = pods_.find(uid);
    if (found == pods_.end() || found->second->Bound() || found->second->Terminal() || found->second->deleting)
      return false;
    Pod pod = *found->second;
    pod.node_name = node;
    pod.topology_result = zones;
    pod.placement_mark = PlacementMark{uid, node};
    Put(pod);
    return true;
  }

  // The next event that a reader gets; more than one when a kind is listed again. Empty: nothing new at the moment.
  std::vector<WatchEvent> Read() {
    std::vector<WatchEvent> events;
    Stream& stream = streams_[static_cast<size_t>(Pick(static_cast<int>(std::size(kKinds))))];
    if (Chance(8)) return List(stream, Chance(50));
    if (stream.read < stream.sent.size()) {
      events.push_back(stream.sent[stream.read]);
      Take(stream);
      if (Chance(15)) events.push_back(events.back());
    }
    return events;
  }
  std::vector<WatchEvent> ReadAll() {
    std::vector<WatchEvent> events;
    for (bool more = true; more;) {
      for (WatchEvent& event : Read()) events.push_back(std::move(event));
      more = false;
      for (const Stream& stream : streams_) more = more || stream.read < stream.sent.size();
    }
    return events;
  }
  // A LIST of every kind as the objects are now.
  std::vector<WatchEvent> Lists() {
    std::vector<WatchEvent> events;
    for (Stream& stream : streams_) {
      for (WatchEvent& event : List(stream, true)) events.push_back(std::move(event));
    }
    return events;
  }

  const std::map<std::string, std::shared_ptr<const Pod>>& pods() const { return pods_; }
  // A pod that waits to be bound; null if there is none.
  std::shared_ptr<const Pod> AnyPendingPod() {
    std::vector<std::shared_ptr<const Pod>> pending;
    for (const auto& [uid, pod] : pods_) {
      if (!pod->Bound() && !pod->Terminal() && !pod->deleting) pending.push_back(pod);
    }
    return pending.empty() ? nullptr : pending[static_cast<size_t>(Pick(static_cast<int>(pending.size())))];
  }

  // Objects get these zones' sizes in CPUs; pods ask for up to `most_cpus`.
  int most_zone_cpus = 16;
  int most_pod_cpus = 8;
  bool foreign_binds = true;  // pods may be bound by somebody else, to any zones
  bool zones_may_change = true;
  bool nominates = false;  // pods that wait may be nominated to a node

 private:
  struct Stream {
    Kind kind = Kind::kNode;
    std::vector<WatchEvent> sent;
    size_t read = 0;
    std::map<std::string, WatchEvent> shown;  // by object, as of `read`
  };

  Stream& Of(Kind kind) { return streams_[static_cast<size_t>(kind)]; }
  static std::pair<std::string, bool> KeyOf(const WatchEvent& event) {
    if (auto* e = std::get_if<NodeSet>(&event)) return {e->node.name, true};
    if (auto* e = std::get_if<NodeGone>(&event)) return {e->name, false};
    if (auto* e = std::get_if<PodSet>(&event)) return {e->pod->uid, true};
    if (auto* e = std::get_if<PodGone>(&event)) return {e->uid, false};
    if (auto* e = std::get_if<TopologySet>(&event)) return {e->topology.node_name, true};
    if (auto* e = std::get_if<BizGroupQuotaSet>(&event)) return {e->group.name, true};
    if (auto* e = std::get_if<BizGroupQuotaGone>(&event)) return {e->name, false};
    if (auto* e = std::get_if<ResourceClaimSet>(&event)) return {e->claim->Key(), true};
    if (auto* e = std::get_if<ResourceClaimGone>(&event)) return {e->key, false};
    if (auto* e = std::get_if<DeviceClassSet>(&event)) return {e->device_class.name, true};
    if (auto* e = std::get_if<DeviceClassGone>(&event)) return {e->name, false};
    return {std::get<TopologyGone>(event).node_name, false};
  }
  static void Take(Stream& stream) {
    const WatchEvent& event = stream.sent[stream.read++];
    auto [key, present] = KeyOf(event);
    stream.shown.erase(key);
    if (present) stream.shown.emplace(key, event);
  }
  static std::vector<WatchEvent> List(Stream& stream, bool skip_to_the_end) {
    std::vector<WatchEvent> events;
    while (skip_to_the_end && stream.read < stream.sent.size()) Take(stream);
    events.push_back(ListBegin{stream.kind});
    for (const auto& [key, event] : stream.shown) events.push_back(event);
    events.push_back(ListEnd{stream.kind});
    return events;
  }

  void ChangeNode() {
    std::string name = AnyNode();
    if (node_uids_.contains(name) && Chance(30)) {
      node_uids_.erase(name);
      Of(Kind::kNode).sent.push_back(NodeGone{name});
      return;
    }
    if (!node_uids_.contains(name) || Chance(10)) node_uids_[name] = "node-uid-" + std::to_string(++serial_);
    Node node;
    node.name = name;
    node.uid = node_uids_[name];
    Of(Kind::kNode).sent.push_back(NodeSet{std::move(node)});
  }

  void ChangeTopology(TopologySource source) {
    std::string name = AnyNode();
    auto& present = topologies_[static_cast<size_t>(source)];
    Kind kind = source == TopologySource::kCrane ? Kind::kCraneTopology : Kind::kCommunityTopology;
    if (!zones_may_change && present.contains(name)) return;
    if (present.contains(name) && Chance(25)) {
      present.erase(name);
      Of(kind).sent.push_back(TopologyGone{source, name});
      return;
    }
    present[name] = true;
    NodeTopology topology;
    topology.source = source;
    topology.node_name = name;
    if (zones_may_change && node_uids_.contains(name) && Chance(50)) topology.owner_uid = node_uids_[name];
    topology.pinned_by_agent = source == TopologySource::kCrane && (!zones_may_change || Chance(85));
    topology.single_numa = Chance(30);
    for (int id = 0; id < 6; ++id) {
      if (Chance(40)) continue;
      Zone zone;
      zone.id = id;
      zone.name = "node" + std::to_string(id);
      zone.allocatable = {{kCpu, 500 * Pick(2 * most_zone_cpus + 1)}};
      if (Chance(20)) zone.offline_cpu = 500 * Pick(2 * most_zone_cpus + 1);
      topology.zones.push_back(std::move(zone));
    }
    Of(kind).sent.push_back(TopologySet{std::move(topology)});
  }

  std::string AnyGroup() { return "group-" + std::to_string(Pick(4)); }

  void ChangeGroup() {
    std::string name = AnyGroup();
    if (groups_.contains(name) && Chance(30)) {
      groups_.erase(name);
      Of(Kind::kBizGroupQuota).sent.push_back(BizGroupQuotaGone{name});
      return;
    }
    groups_.insert(name);
    BizGroupQuota group;
    group.name = name;
    if (Chance(60)) group.parent = AnyGroup();
    group.deleting = Chance(5);
    group.hard = {{"limits.cpu", Quantity::FromInt(Pick(20))}};
    Of(Kind::kBizGroupQuota).sent.push_back(BizGroupQuotaSet{std::move(group)});
  }

  void CreatePod() {
    Pod pod;
    pod.name = "pod-" + std::to_string(Pick(12));
    pod.namespace_name = "default";
    for (const auto& [uid, other] : pods_) {
      if (other->name == pod.name) return;
    }
    pod.uid = "uid-" + std::to_string(++serial_);
    Container container;
    int64_t cpu = 1000 * (1 + Pick(most_pod_cpus));
    container.requests = {{kCpu, cpu}};
    container.limits = container.requests;
    pod.containers.push_back(std::move(container));
    if (Chance(40)) pod.topology_awareness = Chance(50);
    if (Chance(50)) pod.quota = std::make_shared<const QuotaLabels>(QuotaLabels{AnyGroup(), "", "", ""});
    if (Chance(20)) pod.topology_result = RandomResult();  // a copy of somebody else's annotation
    Put(pod);
  }

  void ChangePod() {
    if (pods_.empty()) return;
    auto at = std::next(pods_.begin(), Pick(static_cast<int>(pods_.size())));
    Pod pod = *at->second;
    switch (Pick(6)) {
      case 0:
        Of(Kind::kPod).sent.push_back(PodGone{pod.uid});
        pods_.erase(at);
        return;
      case 1:
        pod.deleting = true;
        break;
      case 2:
        if (pod.Bound()) pod.phase = Chance(50) ? PodPhase::kSucceeded : PodPhase::kFailed;
        break;
      case 3:
        if (foreign_binds && !pod.Bound() && !pod.deleting) {
          pod.node_name = AnyNode();
          pod.topology_result = RandomResult();
          if (Chance(30)) pod.placement_mark = PlacementMark{"uid-of-another-pod", pod.node_name};
        }
        break;
      case 4:
        if (nominates && !pod.Bound()) pod.nominated_node = Chance(80) ? AnyNode() : "";
        [[fallthrough]];
      default:
        if (pod.Bound() && !pod.Terminal()) pod.phase = PodPhase::kRunning;
    }
    Put(pod);
  }

  std::vector<ZoneAmount> RandomResult() {
    std::vector<ZoneAmount> zones;
    for (int id = 0; id < 8; ++id) {
      if (Chance(25)) zones.push_back({id, {{kCpu, 500 * Pick(9)}}});
    }
    return zones;
  }

  void Put(Pod pod) {
    auto shared = std::make_shared<const Pod>(std::move(pod));
    pods_[shared->uid] = shared;
    Of(Kind::kPod).sent.push_back(PodSet{shared});
  }

  std::mt19937_64 random_;
  int serial_ = 0;
  std::map<std::string, std::string> node_uids_;
  std::array<std::map<std::string, bool>, 2> topologies_;
  std::set<std::string> groups_;
  std::map<std::string, std::shared_ptr<const Pod>> pods_;
  std::array<Stream, std::size(kKinds)> streams_ = {
      Stream{Kind::kNode, {}, 0, {}},          Stream{Kind::kPod, {}, 0, {}},
      Stream{Kind::kCraneTopology, {}, 0, {}}, Stream{Kind::kCommunityTopology, {}, 0, {}},
      Stream{Kind::kBizGroupQuota, {}, 0, {}}, Stream{Kind::kResourceClaim, {}, 0, {}},
      Stream{Kind::kDeviceClass, {}, 0, {}}};
};

}  // namespace huygens::test
