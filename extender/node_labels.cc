#include "extender/node_labels.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "kubelet/settings.h"
#include "wire/node_annotations.h"
#include "wire/unknown_annotations.h"

namespace huygens::extender {

namespace {

constexpr std::string_view kDomain = "huygens.dev/";
constexpr size_t kMostKeys = 8;  // that are told of one node

// Whether `label` is of an option of kubelet's, and `key` of the same kind of options: those of no known name are told
// with all that there are.
bool IsOptionAs(std::string_view key, std::string_view label) {
  const size_t dot = label.rfind('.');
  return dot > kDomain.size() && key.starts_with(label.substr(0, dot + 1));
}

}  // namespace

std::string UnreadLabels(const cluster::Node& node, const quota::NodeModelLabels& models) {
  static const std::vector<std::string> kSettings = kubelet::SettingLabels();
  static const quota::NodeModelLabels kModels;  // no misspelling, even where the configuration names others
  std::vector<std::string_view> read(kSettings.begin(), kSettings.end());
  for (const quota::NodeModelLabels* each : {&models, &kModels}) {
    read.insert(read.end(), {each->cpu, each->gpu, each->memory});
  }
  std::string text;
  size_t told = 0;
  for (const auto& [key, value] : node.labels) {
    if (!key.starts_with(kDomain) || told == kMostKeys) continue;
    if (std::ranges::any_of(kSettings, [&](const std::string& label) { return IsOptionAs(key, label); })) continue;
    const std::string fault = wire::KeyFault("label", key, read, wire::kNodeAnnotations, "annotations");
    if (fault.empty()) continue;
    text += Concat(text.empty() ? "" : "; ", fault);
    ++told;
  }
  return text;
}

}  // namespace huygens::extender
