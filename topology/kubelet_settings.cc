#include "topology/kubelet_settings.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace huygens::topology {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string_view Find(const Pairs& pairs, std::string_view key) {
  for (const auto& [name, value] : pairs) {
    if (name == key) return value;
  }
  return {};
}

std::optional<TopologyManagerPolicy> PolicyNamed(std::string_view text) {
  if (text == "none") return TopologyManagerPolicy::kNone;
  if (text == "best-effort") return TopologyManagerPolicy::kBestEffort;
  if (text == "restricted") return TopologyManagerPolicy::kRestricted;
  if (text == "single-numa-node") return TopologyManagerPolicy::kSingleNumaNode;
  return std::nullopt;
}

std::optional<TopologyManagerScope> ScopeNamed(std::string_view text) {
  if (text == "container") return TopologyManagerScope::kContainer;
  if (text == "pod") return TopologyManagerScope::kPod;
  return std::nullopt;
}

// "RestrictedPodLevel": the policies without a level never meant anything to a scheduler.
void ReadDeprecated(std::string_view policies, KubeletOptions& options) {
  std::string_view first = policies.substr(0, policies.find(','));
  std::optional<TopologyManagerScope> scope;
  for (auto [suffix, level] : {std::pair{std::string_view("ContainerLevel"), TopologyManagerScope::kContainer},
                               std::pair{std::string_view("PodLevel"), TopologyManagerScope::kPod}}) {
    if (!first.ends_with(suffix)) continue;
    first.remove_suffix(suffix.size());
    scope = level;
    break;
  }
  if (!scope) return;
  if (first == "SingleNUMANode") {
    options.policy = TopologyManagerPolicy::kSingleNumaNode;
  } else if (first == "Restricted") {
    options.policy = TopologyManagerPolicy::kRestricted;
  } else if (first == "BestEffort") {
    options.policy = TopologyManagerPolicy::kBestEffort;
  } else {
    return;
  }
  options.scope = *scope;
}

// Whether the attribute PREFIX<CamelCase of option> is "true".
bool OptionOn(const Pairs& attributes, std::string_view prefix, std::string_view option) {
  std::string letters(option);
  std::erase(letters, '-');
  auto same = [](char camel, char letter) {
    return (camel >= 'A' && camel <= 'Z' ? static_cast<char>(camel - 'A' + 'a') : camel) == letter;
  };
  for (const auto& [name, value] : attributes) {
    if (!std::string_view(name).starts_with(prefix)) continue;
    std::string_view camel = std::string_view(name).substr(prefix.size());
    if (std::equal(camel.begin(), camel.end(), letters.begin(), letters.end(), same)) return value == "true";
  }
  return false;
}

// The first of the attribute, the label and the default that is one of the two words.
bool IsStatic(std::string_view attribute, std::string_view label, std::string_view static_word,
              std::string_view none_word, bool otherwise) {
  for (std::string_view word : {attribute, label}) {
    if (word == static_word) return true;
    if (word == none_word) return false;
  }
  return otherwise;
}

}  // namespace

KubeletOptions KubeletOptionsOf(const cluster::NodeTopology& topology, const cluster::Node* node,
                                const KubeletDefaults& defaults) {
  const Pairs& attributes = topology.attributes;
  KubeletOptions options;
  ReadDeprecated(Find(attributes, "topologyPolicies"), options);
  options.policy = PolicyNamed(Find(attributes, "topologyManagerPolicy")).value_or(options.policy);
  options.scope = ScopeNamed(Find(attributes, "topologyManagerScope")).value_or(options.scope);
  options.prefer_closest = OptionOn(attributes, "topologyManagerOption", "prefer-closest-numa-nodes");

  auto label = [&](std::string_view key) { return node ? Find(node->labels, key) : std::string_view(); };
  options.static_cpus = IsStatic(Find(attributes, "cpuManagerPolicy"), label("huygens.dev/cpu-manager-policy"),
                                 "static", "none", defaults.static_cpus);
  options.static_memory = IsStatic(Find(attributes, "memoryManagerPolicy"), label("huygens.dev/memory-manager-policy"),
                                   "Static", "None", defaults.static_memory);
  auto cpu_option = [&](std::string_view option) { return OptionOn(attributes, "cpuManagerOption", option); };
  options.full_cores_only = cpu_option("full-pcpus-only");
  options.distribute_across_zones = cpu_option("distribute-cpus-across-numa");
  options.distribute_across_cores = cpu_option("distribute-cpus-across-cores");
  options.align_by_socket = cpu_option("align-by-socket");
  options.align_by_uncore_cache = cpu_option("prefer-align-cpus-by-uncorecache");
  return options;
}

}  // namespace huygens::topology
