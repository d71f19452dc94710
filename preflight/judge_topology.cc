#include "preflight/judge_topology.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "kubelet/settings.h"

namespace huygens::preflight {

namespace {

using cluster::NodeIndex;
using kubelet::SettingSource;
using Names = std::vector<std::string>;

constexpr std::string_view kPublish =
    "where kubelet pins: install node-feature-discovery with its topology updater (chart value\n"
    "topologyUpdater.enable=true), or another exporter of topology.node.k8s.io/v1alpha2\n"
    "where an agent pins by the pods' annotations: the agent's own topology.crane.io/v1alpha1 objects";

// What the nodes lack, by what it is.
struct Lacks {
  Names without, unusable, orphans, stale, unknown, no_policy, no_managers, no_cores, no_fingerprint;
  std::string defect, unknown_setting;  // the first
  size_t nodes = 0, by_agent = 0, by_kubelet = 0, by_crane_kubelet = 0;
};

bool HasAttribute(const cluster::NodeTopology& object, std::string_view name) {
  return std::ranges::any_of(object.attributes, [&](const auto& each) { return each.first == name; });
}

bool HasCores(const cluster::NodeTopology& object) {
  return std::ranges::all_of(object.zones, [](const cluster::Zone& zone) { return !zone.cores.empty(); });
}

// Of a node whose kubelet is predicted.
void LookAtAttributes(const cluster::NodeTopology& object, const cluster::Node& node, const kubelet::Options& defaults,
                      Lacks& lacks) {
  for (const kubelet::Setting& each : kubelet::SettingsOf(object, &node, defaults)) {
    if (each.source != SettingSource::kConfiguration) continue;
    if (each.name == "topologyManagerPolicy") lacks.no_policy.push_back(node.name);
    if (each.name == "cpuManagerPolicy") lacks.no_managers.push_back(node.name);
  }
  const kubelet::Options options = kubelet::OptionsOf(object, &node, defaults);
  if ((options.full_cores_only || options.distribute_across_cores) && !HasCores(object)) {
    lacks.no_cores.push_back(node.name);
  }
  if (!HasAttribute(object, "nodeTopologyPodsFingerprint")) lacks.no_fingerprint.push_back(node.name);
}

void LookAt(const placement::Placement& placement, NodeIndex index, Time now, Lacks& lacks) {
  const cluster::State& state = placement.state();
  const cluster::Node* node = state.GetNode(index);
  const cluster::NodeTopology* object = state.Topology(index);
  if (!node) {
    if (object) lacks.orphans.emplace_back(state.NodeName(index));
    return;
  }
  ++lacks.nodes;
  const auto note = [&](const std::string& setting) {
    if (setting.empty()) return;
    if (lacks.unknown.empty()) lacks.unknown_setting = setting;
    lacks.unknown.push_back(node->name);
  };
  note(kubelet::UnknownSetting(*node));
  if (object) note(kubelet::UnknownSetting(*object));
  const auto description = placement.Describe(node->name, now);
  if (object && description && !description->defect.empty()) {
    if (lacks.unusable.empty()) lacks.defect = description->defect;
    lacks.unusable.push_back(node->name);
    return;
  }
  if (!object) {
    lacks.without.push_back(node->name);
    return;
  }
  const topology::NodeZones& zones = placement.Zones(index);
  if (zones.Name(index) == topology::ZoneAccount::kUnusable) {
    lacks.unusable.push_back(node->name);
    return;
  }
  if (zones.ReadsResult(index)) {
    ++lacks.by_agent;
    if (description && std::ranges::any_of(description->zones, &placement::ZoneDescription::stale)) {
      lacks.stale.push_back(node->name);
    }
    return;
  }
  if (object->source == cluster::TopologySource::kCrane) {
    ++lacks.by_crane_kubelet;
    return;
  }
  ++lacks.by_kubelet;
  LookAtAttributes(*object, *node, placement.options().kubelet, lacks);
}

constexpr AddTo Add{Group::kTopology};

void AddAttributes(const Lacks& lacks, const kubelet::Options& assumed, Findings& findings) {
  if (!lacks.no_policy.empty()) {
    const auto policy = kubelet::kTopologyManagerPolicies[static_cast<size_t>(assumed.policy)];
    Add(findings, Severity::kWarning,
        Concat("nobody says the Topology Manager's policy of ", Counted(lacks.no_policy.size(), "node"), " (",
               SomeOf(lacks.no_policy), "): taken to be ", policy),
        assumed.policy == kubelet::TopologyManagerPolicy::kNone
            ? "With none kubelet aligns nothing: if it does, it refuses pods that huygens let through. Recent versions "
              "of node-feature-discovery publish the attribute topologyManagerPolicy."
            : "The configuration says so for every node without the attribute topologyManagerPolicy.",
        "update the exporter, or in the configuration\n"
        "topology: {kubelet: {topologyManagerPolicy: single-numa-node, topologyManagerScope: container}}\n"
        "or of one node\nkubectl label node NODE huygens.dev/topology-manager-policy=single-numa-node");
  }
  if (!lacks.no_managers.empty()) {
    Add(findings, Severity::kOk,
        Concat(
            "the CPU manager's policy of ", Counted(lacks.no_managers.size(), "node"),
            " is taken from topology.kubelet of the configuration, with its options and the memory manager's policy"),
        "No common exporter publishes them; kubelet's own word, where it could be read, is below.");
  }
  if (!lacks.no_cores.empty()) {
    Add(findings, Severity::kWarning,
        Concat("the cores of ", Counted(lacks.no_cores.size(), "node"), " (", SomeOf(lacks.no_cores),
               ") are not published, and full-pcpus-only or distribute-cpus-across-cores goes by them: taken to have ",
               std::to_string(assumed.threads_per_core), " threads each"),
        "With another number of threads huygens refuses pods that kubelet would take, or the other way round.",
        "publish the zone attribute huygens.dev/cores, or in the configuration\n"
        "topology: {kubelet: {threadsPerCore: 1}}");
  }
  if (!lacks.no_fingerprint.empty()) {
    Add(findings, Severity::kOk,
        Concat("the objects of ", Counted(lacks.no_fingerprint.size(), "node"), " have no pod fingerprint"),
        "Which pods an object contains is then told by time, and what a pod frees is seen with the next object.");
  }
}

}  // namespace

Findings JudgeTopology(const placement::Placement& placement, const settings::Configuration& configuration, Time now) {
  Lacks lacks;
  for (NodeIndex index = 0; index < placement.state().NodeSlots(); ++index) LookAt(placement, index, now, lacks);
  Findings findings;
  if (lacks.nodes == 0) {
    Add(findings, Severity::kError, "there are no nodes", "No pod can be placed.");
    return findings;
  }
  Add(findings, Severity::kOk,
      Concat(Counted(lacks.nodes, "node"), ": ", std::to_string(lacks.by_agent), " pinned by an agent (crane), ",
             std::to_string(lacks.by_kubelet), " by kubelet (community objects), ",
             std::to_string(lacks.by_crane_kubelet), " by kubelet without being predicted (crane's objects), ",
             std::to_string(lacks.without.size()), " without topology object"));
  if (!lacks.without.empty()) {
    const bool all = lacks.without.size() == lacks.nodes;
    const bool reject = !configuration.topology.nodes_without_topology_pass;
    Add(findings, all && reject ? Severity::kError : Severity::kWarning,
        Concat(all ? "no node" : Concat(Counted(lacks.without.size(), "node"), " of ", std::to_string(lacks.nodes)),
               all ? " has a topology object" : Concat(" without topology object: ", SomeOf(lacks.without))),
        reject ? "Pods that ask for zones are refused there (topology.nodesWithoutTopology: reject)."
               : "Pods that ask for zones pass there as if huygens were not there.",
        std::string(kPublish));
  }
  if (!lacks.unusable.empty()) {
    Add(findings, Severity::kWarning,
        Concat("unusable topology objects of ", Counted(lacks.unusable.size(), "node"), ": ", SomeOf(lacks.unusable)),
        Concat("Pods that ask for zones are refused there", lacks.defect.empty() ? "" : ". The first: ", lacks.defect),
        "mend the objects: kubectl get noderesourcetopologies NODE -o yaml");
  }
  if (!lacks.unknown.empty()) {
    Add(findings, Severity::kWarning,
        Concat("attributes or labels that kubelet has no words for, of ", SomeOf(lacks.unknown)),
        Concat("They count as absent. The first: ", lacks.unknown_setting));
  }
  if (!lacks.stale.empty()) {
    Add(findings, Severity::kWarning, Concat("stale offline_capacity of zones of ", SomeOf(lacks.stale)),
        "Whoever writes the real capacity has stopped; topology.realCapacity.whenStale says what counts meanwhile.",
        "restart what writes offline_capacity on these nodes");
  }
  if (!lacks.orphans.empty()) {
    Add(findings, Severity::kOk,
        Concat(Counted(lacks.orphans.size(), "topology object"),
               " without a node of that name: ", SomeOf(lacks.orphans)),
        "They count for nothing.");
  }
  AddAttributes(lacks, placement.options().kubelet, findings);
  return findings;
}

}  // namespace huygens::preflight
