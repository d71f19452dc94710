#include "admin/node_faults.h"

#include <utility>

namespace huygens::admin {

namespace {
constexpr size_t kMostNodes = 10'000;
}

void NodeFaults::Unreadable(std::string_view name, std::string_view fault, Time now, const cluster::Node* known) {
  if (faults_.size() >= kMostNodes && !faults_.contains(name)) return;
  Fault& kept = faults_[name];
  kept.unreadable = fault;
  kept.seen = now;
  kept.told = known != nullptr;
  if (known != nullptr) Tell(*known, fault);
}

void NodeFaults::Seen(const cluster::Node& node, std::string_view unknown_settings) {
  auto found = faults_.find(node.name);
  if (found == faults_.end()) {
    if (unknown_settings.empty() || faults_.size() >= kMostNodes) return;
    found = faults_.try_emplace(node.name).first;
  }
  Fault& kept = found->second;
  if (!std::exchange(kept.told, true)) Tell(node, kept.unreadable);
  if (kept.settings != unknown_settings && !unknown_settings.empty()) Tell(node, unknown_settings);
  kept.settings = unknown_settings;
  if (kept.settings.empty() && kept.unreadable.empty()) faults_.erase(found);
}

void NodeFaults::Tell(const cluster::Node& node, std::string_view text) const {
  if (warn_) warn_(node, {.reason = "SettingIgnored", .message = text, .repeat_key = text});
}

std::vector<std::string> NodeFaults::Of(std::string_view name) const {
  std::vector<std::string> texts;
  const auto found = faults_.find(name);
  if (found == faults_.end()) return texts;
  if (!found->second.settings.empty()) texts.push_back(found->second.settings);
  if (!found->second.unreadable.empty()) {
    texts.push_back(Concat(found->second.unreadable, " (seen ", FormatRfc3339(found->second.seen), ")"));
  }
  return texts;
}

}  // namespace huygens::admin
