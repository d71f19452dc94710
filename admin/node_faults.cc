#include "admin/node_faults.h"

#include <algorithm>
#include <utility>

namespace huygens::admin {

namespace {
constexpr size_t kMostNodes = 10'000;
}

void NodeFaults::Set(std::string_view name, Part part, std::string fault, const cluster::Node* known) {
  auto found = faults_.find(name);
  if (found == faults_.end()) {
    if (fault.empty() || faults_.size() >= kMostNodes) return;
    found = faults_.try_emplace(name).first;
  }
  Fault& kept = found->second[part];
  if (kept.text != fault) kept = {.text = std::move(fault), .told = false};
  if (known != nullptr) Tell(*known, found->second);
  if (std::ranges::all_of(found->second, &std::string::empty, &Fault::text)) faults_.erase(found);
}

void NodeFaults::Seen(const cluster::Node& node, std::string unknown_settings) {
  Set(node.name, kSettings, std::move(unknown_settings), &node);
  if (const auto found = faults_.find(node.name); found != faults_.end()) Tell(node, found->second);
}

void NodeFaults::Tell(const cluster::Node& node, Faults& faults) const {
  for (Fault& each : faults) {
    if (each.text.empty() || std::exchange(each.told, true) || !warn_) continue;
    const std::string_view reason = &each == &faults[kDefect] ? "TopologyUnusable" : "SettingIgnored";
    warn_(node, {.reason = reason, .message = each.text, .repeat_key = each.text});
  }
}

std::vector<std::string> NodeFaults::Of(std::string_view name) const {
  std::vector<std::string> texts;
  const auto found = faults_.find(name);
  if (found == faults_.end()) return texts;
  for (const Part part : {kSettings, kAnnotations, kTopology}) {
    if (!found->second[part].text.empty()) texts.push_back(found->second[part].text);
  }
  return texts;
}

}  // namespace huygens::admin
