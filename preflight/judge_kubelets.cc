#include <algorithm>
#include <map>

#include "base/text.h"
#include "kubelet/settings.h"
#include "preflight/judge_topology.h"

namespace huygens::preflight {

namespace {

constexpr AddTo Add{Group::kTopology};

using kubelet::Setting;
using kubelet::SettingSource;

// kubelet's own words as the labels that would say the same: what reads labels then reads kubelet, too.
cluster::Node Labelled(const KubeletConfiguration& kubelet) {
  cluster::Node node;
  const auto say = [&](std::string_view setting, const std::string& value) {
    if (!value.empty()) node.labels.emplace_back(kubelet::LabelOf(setting), value);
  };
  say("topologyManagerPolicy", kubelet.topology_manager_policy);
  say("topologyManagerScope", kubelet.topology_manager_scope);
  say("cpuManagerPolicy", kubelet.cpu_manager_policy);
  say("memoryManagerPolicy", kubelet.memory_manager_policy);
  for (const auto& [name, value] : kubelet.topology_manager_policy_options) {
    say(Concat("topologyManagerPolicyOptions.", name), value);
  }
  for (const auto& [name, value] : kubelet.cpu_manager_policy_options) {
    say(Concat("cpuManagerPolicyOptions.", name), value);
  }
  return node;
}

std::map<std::string, kubelet::Setting> ByName(std::vector<kubelet::Setting> settings) {
  std::map<std::string, kubelet::Setting> by_name;
  for (kubelet::Setting& each : settings) {
    std::string name = each.name;
    by_name.emplace(std::move(name), std::move(each));
  }
  by_name.erase("threadsPerCore");  // of the machine
  return by_name;
}

// Nodes that differ from what is assumed in the same way.
struct Difference {
  std::string setting, kubelet, assumed;
  SettingSource source = SettingSource::kConfiguration;
  auto operator<=>(const Difference&) const = default;
};

std::string Mend(const Difference& difference, const std::vector<std::string>& nodes, size_t compared) {
  if (difference.source == SettingSource::kObject) {
    return "restart the exporter of these nodes: it publishes what kubelet was configured with before";
  }
  std::string text;
  if (difference.source == SettingSource::kConfiguration && nodes.size() == compared) {
    const size_t dot = difference.setting.find('.');
    const bool option = dot != std::string::npos;
    text = Concat("in the configuration\ntopology: {kubelet: {", difference.setting.substr(0, dot), ": ",
                  option ? Concat("{", difference.setting.substr(dot + 1), ": \"", difference.kubelet, "\"}")
                         : difference.kubelet,
                  "}}\nor\n");
  }
  text += "kubectl label node --overwrite";
  for (const std::string& node : nodes) text += Concat(" ", node);
  return Concat(text, " ", kubelet::LabelOf(difference.setting), "=", difference.kubelet);
}

void Compare(const std::string& name, const cluster::NodeTopology& object, const cluster::Node& node,
             const KubeletConfiguration& kubelet, const kubelet::Options& defaults,
             std::map<Difference, std::vector<std::string>>& differences) {
  const cluster::Node real = Labelled(kubelet);
  const auto says = ByName(kubelet::SettingsOf({}, &real, {}));
  const auto assumed = ByName(kubelet::SettingsOf(object, &node, defaults));
  const auto value_in = [](const auto& settings, const std::string& setting) {
    const auto found = settings.find(setting);
    return found == settings.end() ? std::string("false") : found->second.value;  // an option that nobody mentions
  };
  std::map<std::string, SettingSource> names;
  for (const auto& [setting, value] : says) names.emplace(setting, SettingSource::kConfiguration);
  for (const auto& [setting, value] : assumed) names[setting] = value.source;
  for (const auto& [setting, source] : names) {
    const std::string kubelet_value = value_in(says, setting), assumed_value = value_in(assumed, setting);
    if (kubelet_value != assumed_value) {
      differences[{setting, kubelet_value, assumed_value, source}].push_back(name);
    }
  }
}

std::string_view Whose(SettingSource source) {
  switch (source) {
    case SettingSource::kObject:
      return "the topology object";
    case SettingSource::kLabel:
      return "a label";
    case SettingSource::kConfiguration:
      break;
  }
  return "the configuration";
}

}  // namespace

Findings JudgeKubelets(const placement::Placement& placement, const std::vector<KubeletSays>& kubelets) {
  std::map<Difference, std::vector<std::string>> differences;
  std::vector<std::string> silent, both, unseen;
  std::string why_silent;
  size_t compared = 0;
  for (const KubeletSays& each : kubelets) {
    const auto index = placement.state().FindNode(each.node);
    const cluster::Node* node = index ? placement.state().GetNode(*index) : nullptr;
    if (!node) continue;
    if (!each.configuration.ok()) {
      if (silent.empty()) why_silent = Message(each.configuration.status());
      silent.push_back(each.node);
      continue;
    }
    const cluster::NodeTopology* object = placement.state().Topology(*index);
    const bool pins = each.configuration->cpu_manager_policy == "static";
    if (pins && placement.Zones(*index).ReadsResult(*index)) both.push_back(each.node);
    if (pins && !object) unseen.push_back(each.node);
    if (!object || object->source != cluster::TopologySource::kCommunity) continue;
    ++compared;
    Compare(each.node, *object, *node, *each.configuration, placement.options().kubelet, differences);
  }
  Findings findings;
  for (const auto& [difference, nodes] : differences) {
    Add(findings, Severity::kWarning,
        Concat("kubelet of ", SomeOf(nodes), " has ", difference.setting, " ", difference.kubelet, ", and ",
               Whose(difference.source), " says ", difference.assumed),
        "huygens predicts another kubelet: it lets pods through that this one refuses (the pod fails), or refuses pods "
        "that it would take.",
        Mend(difference, nodes, compared));
  }
  if (!both.empty()) {
    Add(findings, Severity::kWarning, Concat("both an agent and kubelet pin CPUs on ", SomeOf(both)),
        "kubelet's cpuManagerPolicy is static there, and the topology object says that an agent pins.",
        "set cpuManagerPolicy: none in kubelet's configuration there, or cpuManagerPolicy: None in the object");
  }
  if (!unseen.empty()) {
    Add(findings, Severity::kWarning,
        Concat("kubelet pins CPUs on ", SomeOf(unseen), ", which have no topology object"),
        "What kubelet would refuse there is not foreseen.", "run the exporter there");
  }
  if (compared > 0 && differences.empty()) {
    Add(findings, Severity::kOk,
        Concat("what is assumed of kubelet is what it says itself, on ", Counted(compared, "node"), " asked"), "", "");
  }
  if (!silent.empty()) {
    Add(findings, Severity::kOk,
        Concat("kubelet's own configuration could not be read on ", Counted(silent.size(), "node"), ": not compared"),
        why_silent, "");
  }
  return findings;
}

}  // namespace huygens::preflight
