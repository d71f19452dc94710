#include "kubelet/settings.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "kubelet/published.h"

namespace huygens::kubelet {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Words = std::span<const std::string_view>;

constexpr std::string_view kOffOn[] = {"false", "true"};
constexpr std::string_view kMultithreadingLabel = "feature.node.kubernetes.io/cpu-hardware_multithreading";

std::string_view Find(const Pairs& pairs, std::string_view key) {
  for (const auto& [name, value] : pairs) {
    if (name == key) return value;
  }
  return {};
}

// Its position among the words.
std::optional<size_t> Position(Words words, std::string_view text) {
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) return std::nullopt;
  return static_cast<size_t>(found - words.begin());
}

// "RestrictedPodLevel", of which the policies without a level never meant anything to a scheduler.
struct Deprecated {
  TopologyManagerPolicy policy = TopologyManagerPolicy::kNone;
  TopologyManagerScope scope = TopologyManagerScope::kContainer;
};
std::optional<Deprecated> ReadDeprecated(std::string_view policies) {
  constexpr std::pair<std::string_view, TopologyManagerScope> kLevels[] = {
      {"ContainerLevel", TopologyManagerScope::kContainer}, {"PodLevel", TopologyManagerScope::kPod}};
  constexpr std::pair<std::string_view, TopologyManagerPolicy> kNames[] = {
      {"SingleNUMANode", TopologyManagerPolicy::kSingleNumaNode},
      {"Restricted", TopologyManagerPolicy::kRestricted},
      {"BestEffort", TopologyManagerPolicy::kBestEffort}};
  const std::string_view first = policies.substr(0, policies.find(','));
  for (const auto& [level, scope] : kLevels) {
    for (const auto& [name, policy] : kNames) {
      if (first.size() == name.size() + level.size() && first.starts_with(name) && first.ends_with(level)) {
        return Deprecated{policy, scope};
      }
    }
  }
  return std::nullopt;
}
std::optional<size_t> DeprecatedPolicy(std::string_view policies) {
  const auto read = ReadDeprecated(policies);
  return read ? std::optional(static_cast<size_t>(read->policy)) : std::nullopt;
}
std::optional<size_t> DeprecatedScope(std::string_view policies) {
  const auto read = ReadDeprecated(policies);
  return read ? std::optional(static_cast<size_t>(read->scope)) : std::nullopt;
}

// Where the attributes and labels of a kind of options begin.
struct Section {
  std::string_view name;
  std::string_view attribute;
  std::string_view label;
};
constexpr Section kTopologyOptions = {"topologyManagerPolicyOptions", "topologyManagerOption",
                                      "huygens.dev/topology-manager-policy-options."};
constexpr Section kCpuOptions = {"cpuManagerPolicyOptions", "cpuManagerOption",
                                 "huygens.dev/cpu-manager-policy-options."};

// A setting and where it is kept: a word of `words`, known by its position.
struct Known {
  std::string_view name;
  std::string_view label;            // of an option the section has it
  const Section* section = nullptr;  // of an option
  Words words = kOffOn;              // empty: any
  size_t (*get)(const Options&) = nullptr;
  void (*set)(Options&, size_t) = nullptr;  // null: known to kubelet, and without effect on whom it admits
  std::optional<size_t> (*deprecated)(std::string_view policies) = nullptr;

  std::string FullName() const { return section ? Concat(section->name, ".", name) : std::string(name); }
};

template <auto kMember>
size_t Get(const Options& options) {
  return static_cast<size_t>(options.*kMember);
}
template <auto kMember>
void Set(Options& options, size_t word) {
  auto& member = options.*kMember;
  member = static_cast<std::remove_reference_t<decltype(member)>>(word);
}
template <auto kMember>
constexpr Known Of(std::string_view name, std::string_view label, Words words,
                   std::optional<size_t> (*deprecated)(std::string_view) = nullptr) {
  return {name, label, nullptr, words, Get<kMember>, Set<kMember>, deprecated};
}
template <auto kMember>
constexpr Known Option(std::string_view name, const Section& section) {
  return {.name = name, .label = {}, .section = &section, .get = Get<kMember>, .set = Set<kMember>};
}

constexpr Known kSettings[] = {
    Of<&Options::policy>("topologyManagerPolicy", "huygens.dev/topology-manager-policy", kTopologyManagerPolicies,
                         DeprecatedPolicy),
    Of<&Options::scope>("topologyManagerScope", "huygens.dev/topology-manager-scope", kTopologyManagerScopes,
                        DeprecatedScope),
    Option<&Options::prefer_closest>("prefer-closest-numa-nodes", kTopologyOptions),
    {.name = "max-allowable-numa-nodes", .label = {}, .section = &kTopologyOptions, .words = {}},
    Of<&Options::static_cpus>("cpuManagerPolicy", "huygens.dev/cpu-manager-policy", kCpuManagerPolicies),
    Option<&Options::full_cores_only>("full-pcpus-only", kCpuOptions),
    Option<&Options::distribute_across_zones>("distribute-cpus-across-numa", kCpuOptions),
    Option<&Options::distribute_across_cores>("distribute-cpus-across-cores", kCpuOptions),
    Option<&Options::align_by_socket>("align-by-socket", kCpuOptions),
    Option<&Options::align_by_uncore_cache>("prefer-align-cpus-by-uncorecache", kCpuOptions),
    {.name = "strict-cpu-reservation", .label = {}, .section = &kCpuOptions},
    Of<&Options::static_memory>("memoryManagerPolicy", "huygens.dev/memory-manager-policy", kMemoryManagerPolicies),
};

// Whether `camel` is the option's name without its hyphens, in any case.
bool IsCamelCaseOf(std::string_view camel, std::string_view option) {
  auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  size_t at = 0;
  for (const char letter : option) {
    if (letter == '-') continue;
    if (at == camel.size() || lower(camel[at]) != letter) return false;
    ++at;
  }
  return at == camel.size();
}

bool IsAttributeOf(const Known& setting, std::string_view name) {
  if (!setting.section) return name == setting.name;
  const std::string_view prefix = setting.section->attribute;
  return name.starts_with(prefix) && IsCamelCaseOf(name.substr(prefix.size()), setting.name);
}
bool IsLabelOf(const Known& setting, std::string_view key) {
  if (!setting.section) return key == setting.label;
  const std::string_view prefix = setting.section->label;
  return key.starts_with(prefix) && key.substr(prefix.size()) == setting.name;
}

constexpr size_t kMostKeys = 8;  // that are told of one object

using Belongs = bool (*)(const Known& setting, std::string_view key);

// Of what is said twice the last that is valid.
std::optional<size_t> WordIn(const Pairs& pairs, const Known& setting, Belongs belongs) {
  std::optional<size_t> word;
  for (const auto& [key, value] : pairs) {
    if (!belongs(setting, key)) continue;
    if (const auto valid = Position(setting.words, value)) word = valid;
  }
  return word;
}

struct Said {
  size_t word = 0;
  SettingSource source = SettingSource::kConfiguration;
};

Said SaidOf(const Known& setting, const cluster::NodeTopology& topology, const cluster::Node* node,
            const Options& defaults) {
  if (const auto word = WordIn(topology.attributes, setting, IsAttributeOf)) return {*word, SettingSource::kObject};
  if (setting.deprecated) {
    if (const auto word = setting.deprecated(Find(topology.attributes, "topologyPolicies"))) {
      return {*word, SettingSource::kObject};
    }
  }
  if (node) {
    if (const auto word = WordIn(node->labels, setting, IsLabelOf)) return {*word, SettingSource::kLabel};
  }
  return {setting.get(defaults), SettingSource::kConfiguration};
}

// Where the object lists the cores: kubelet's own mean, rounded down, if it lists all, else the most that any core has.
Said ThreadsPerCore(const cluster::NodeTopology& topology, const cluster::Node* node, const Options& defaults) {
  size_t most = 0, cpus = 0, cores = 0;
  for (const cluster::Zone& zone : topology.zones) {
    for (const cluster::Core& core : zone.cores) {
      most = std::max(most, core.size());
      cpus += core.size();
    }
    cores += zone.cores.size();
  }
  if (most > 0) return {ListsAllCpus(topology) ? cpus / cores : most, SettingSource::kObject};
  const auto otherwise = static_cast<size_t>(std::max(defaults.threads_per_core, 1));
  const auto multithreading =
      node ? Position(kOffOn, Find(node->labels, kMultithreadingLabel)) : std::optional<size_t>();
  if (multithreading == 0) return {1, SettingSource::kLabel};
  if (multithreading == 1 && otherwise == 1) return {2, SettingSource::kLabel};
  return {otherwise, SettingSource::kConfiguration};
}

std::string Join(Words words) {
  std::string text;
  for (const std::string_view word : words) text += Concat(text.empty() ? "" : ", ", word);
  return text;
}

// Of one key, if kubelet would not know what to do with it.
std::string UnknownOf(const std::string& key, const std::string& value, std::string_view what, Belongs belongs,
                      std::string_view Section::* const prefix) {
  const auto setting = std::ranges::find_if(kSettings, [&](const Known& each) { return belongs(each, key); });
  if (setting != std::end(kSettings)) {
    if (value.empty() || setting->words.empty() || Position(setting->words, value)) return "";
    return Concat(what, " ", key, ": kubelet knows no ", value, ", so it counts as absent; there are ",
                  Join(setting->words));
  }
  for (const Section* section : {&kTopologyOptions, &kCpuOptions}) {
    const std::string_view begin = section->*prefix;
    if (!std::string_view(key).starts_with(begin)) continue;
    std::string known;
    for (const Known& each : kSettings) {
      if (each.section == section) known += Concat(known.empty() ? "" : ", ", each.name);
    }
    return Concat(what, " ", key, ": kubelet has no such option, so it counts as absent; there are ", known);
  }
  return "";
}

// Of all keys of which UnknownOf says something, the first kMostKeys.
std::string UnknownIn(const Pairs& pairs, std::string_view what, Belongs belongs,
                      std::string_view Section::* const prefix) {
  std::string text;
  size_t told = 0;
  for (const auto& [key, value] : pairs) {
    const std::string fault = told == kMostKeys ? std::string() : UnknownOf(key, value, what, belongs, prefix);
    if (fault.empty()) continue;
    text += Concat(text.empty() ? "" : "; ", fault);
    ++told;
  }
  return text;
}

}  // namespace

Options OptionsOf(const cluster::NodeTopology& topology, const cluster::Node* node, const Options& defaults) {
  Options options = defaults;
  for (const Known& each : kSettings) {
    if (each.set) each.set(options, SaidOf(each, topology, node, defaults).word);
  }
  options.threads_per_core = static_cast<int>(ThreadsPerCore(topology, node, defaults).word);
  return options;
}

std::string_view Text(SettingSource source) {
  switch (source) {
    case SettingSource::kObject:
      return "object";
    case SettingSource::kLabel:
      return "label";
    case SettingSource::kConfiguration:
      break;
  }
  return "configuration";
}

std::vector<Setting> SettingsOf(const cluster::NodeTopology& topology, const cluster::Node* node,
                                const Options& defaults) {
  std::vector<Setting> settings;
  for (const Known& each : kSettings) {
    if (!each.set) continue;
    const Said said = SaidOf(each, topology, node, defaults);
    if (each.section && said.word == 0 && said.source == SettingSource::kConfiguration) continue;
    settings.push_back({each.FullName(), std::string(each.words[said.word]), said.source});
  }
  const Said threads = ThreadsPerCore(topology, node, defaults);
  settings.push_back({"threadsPerCore", std::to_string(threads.word), threads.source});
  return settings;
}

std::string LabelOf(std::string_view setting) {
  for (const Section* section : {&kTopologyOptions, &kCpuOptions}) {
    const size_t name = section->name.size() + 1;
    if (setting.starts_with(section->name) && setting.size() > name && setting[name - 1] == '.') {
      return Concat(section->label, setting.substr(name));
    }
  }
  const auto* const found = std::ranges::find(kSettings, setting, &Known::name);
  return std::string(found == std::end(kSettings) ? std::string_view() : found->label);
}

std::vector<std::string> SettingLabels() {
  std::vector<std::string> labels;
  for (const Known& each : kSettings) labels.push_back(LabelOf(each.FullName()));
  return labels;
}

std::string UnknownSetting(const cluster::NodeTopology& topology) {
  if (topology.source != cluster::TopologySource::kCommunity) return "";
  return UnknownIn(topology.attributes, "attribute", IsAttributeOf, &Section::attribute);
}

std::string UnknownSetting(const cluster::Node& node) {
  return UnknownIn(node.labels, "label", IsLabelOf, &Section::label);
}

}  // namespace huygens::kubelet
