#include "topology/kubelet_settings.h"

#include <algorithm>
#include <optional>
#include <span>
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

// By the value of the enumeration.
constexpr std::string_view kPolicies[] = {"none", "best-effort", "restricted", "single-numa-node"};
constexpr std::string_view kScopes[] = {"container", "pod"};
constexpr std::string_view kCpuPolicies[] = {"none", "static"};
constexpr std::string_view kMemoryPolicies[] = {"None", "Static"};

template <typename Enum>
std::optional<Enum> Named(std::span<const std::string_view> names, std::string_view text) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

// Options of kubelet's managers and where each is kept.
struct Option {
  std::string_view name;
  bool KubeletOptions::* on;
};
constexpr Option kTopologyOptions[] = {{"prefer-closest-numa-nodes", &KubeletOptions::prefer_closest}};
constexpr Option kCpuOptions[] = {{"full-pcpus-only", &KubeletOptions::full_cores_only},
                                  {"distribute-cpus-across-numa", &KubeletOptions::distribute_across_zones},
                                  {"distribute-cpus-across-cores", &KubeletOptions::distribute_across_cores},
                                  {"align-by-socket", &KubeletOptions::align_by_socket},
                                  {"prefer-align-cpus-by-uncorecache", &KubeletOptions::align_by_uncore_cache}};

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
bool IsStatic(std::string_view attribute, std::string_view label, std::span<const std::string_view> words,
              bool otherwise) {
  for (std::string_view word : {attribute, label}) {
    if (const auto found = Named<bool>(words, word)) return *found;
  }
  return otherwise;
}

constexpr std::string_view kCpuManagerLabel = "huygens.dev/cpu-manager-policy";
constexpr std::string_view kMemoryManagerLabel = "huygens.dev/memory-manager-policy";

struct Setting {
  std::string_view key;
  std::span<const std::string_view> words;
};

// Of the first that has a value that is none of its words.
std::string UnknownValue(std::string_view what, std::span<const Setting> settings, const Pairs& pairs) {
  for (const auto& [key, words] : settings) {
    const std::string_view value = Find(pairs, key);
    if (value.empty() || std::ranges::find(words, value) != words.end()) continue;
    std::string text = Concat(what, " ", key, ": kubelet knows no ", value, ", so it counts as absent; there are ");
    for (const std::string_view word : words) text += Concat(word == words.front() ? "" : ", ", word);
    return text;
  }
  return "";
}

std::string NamesOn(std::span<const Option> all, const KubeletOptions& options) {
  std::string names;
  for (const Option& each : all) {
    if (options.*each.on) names += Concat(names.empty() ? "" : ",", each.name);
  }
  return names;
}

}  // namespace

KubeletOptions KubeletOptionsOf(const cluster::NodeTopology& topology, const cluster::Node* node,
                                const KubeletDefaults& defaults) {
  const Pairs& attributes = topology.attributes;
  KubeletOptions options;
  ReadDeprecated(Find(attributes, "topologyPolicies"), options);
  options.policy =
      Named<TopologyManagerPolicy>(kPolicies, Find(attributes, "topologyManagerPolicy")).value_or(options.policy);
  options.scope =
      Named<TopologyManagerScope>(kScopes, Find(attributes, "topologyManagerScope")).value_or(options.scope);
  for (const Option& each : kTopologyOptions) {
    options.*each.on = OptionOn(attributes, "topologyManagerOption", each.name);
  }

  auto label = [&](std::string_view key) { return node ? Find(node->labels, key) : std::string_view(); };
  options.static_cpus =
      IsStatic(Find(attributes, "cpuManagerPolicy"), label(kCpuManagerLabel), kCpuPolicies, defaults.static_cpus);
  options.static_memory = IsStatic(Find(attributes, "memoryManagerPolicy"), label(kMemoryManagerLabel), kMemoryPolicies,
                                   defaults.static_memory);
  for (const Option& each : kCpuOptions) options.*each.on = OptionOn(attributes, "cpuManagerOption", each.name);
  return options;
}

std::vector<std::pair<std::string_view, std::string>> SettingsOf(const KubeletOptions& options) {
  std::vector<std::pair<std::string_view, std::string>> settings = {
      {"topologyManagerPolicy", std::string(kPolicies[static_cast<size_t>(options.policy)])},
      {"topologyManagerScope", std::string(kScopes[static_cast<size_t>(options.scope)])},
      {"cpuManagerPolicy", std::string(kCpuPolicies[options.static_cpus])},
      {"memoryManagerPolicy", std::string(kMemoryPolicies[options.static_memory])}};
  settings.emplace_back("topologyManagerPolicyOptions", NamesOn(kTopologyOptions, options));
  settings.emplace_back("cpuManagerPolicyOptions", NamesOn(kCpuOptions, options));
  std::erase_if(settings, [](const auto& setting) { return setting.second.empty(); });
  return settings;
}

std::string UnknownSetting(const cluster::NodeTopology& topology) {
  constexpr Setting kSettings[] = {{"topologyManagerPolicy", kPolicies},
                                   {"topologyManagerScope", kScopes},
                                   {"cpuManagerPolicy", kCpuPolicies},
                                   {"memoryManagerPolicy", kMemoryPolicies}};
  if (topology.source != cluster::TopologySource::kCommunity) return "";
  return UnknownValue("attribute", kSettings, topology.attributes);
}

std::string UnknownSetting(const cluster::Node& node) {
  constexpr Setting kSettings[] = {{kCpuManagerLabel, kCpuPolicies}, {kMemoryManagerLabel, kMemoryPolicies}};
  return UnknownValue("label", kSettings, node.labels);
}

}  // namespace huygens::topology
