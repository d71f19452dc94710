#include "reports/nodes_now.h"

#include <algorithm>

#include "base/text.h"
#include "policy/explained.h"

namespace huygens::reports {

namespace {

constexpr size_t kMostNamed = 5;  // nodes in a sentence

}  // namespace

NodesNow::NodesNow(const admin_api::PodDocument* pod) {
  if (pod == nullptr) return;
  of_gang_ = !pod->gang.empty();
  for (const admin_api::PodDocument::Node& node : pod->nodes) refusing_.emplace(node.name, &node);
  fits_.insert(pod->fits.begin(), pod->fits.end());
  fits_.insert(pod->fits_later.begin(), pod->fits_later.end());
}

const admin_api::PodDocument::Node* NodesNow::Find(std::string_view node) const {
  const auto found = refusing_.find(node);
  return found == refusing_.end() ? nullptr : found->second;
}

bool TooSmallAnyhow(policy::Reason reason, const admin_api::PodDocument::Node& node) {
  return node.never_fits && !policy::NeverFits(reason) && !policy::Label(reason).starts_with("quota");
}

std::string VerdictText(const admin_api::PodDocument::Node& node) {
  if (node.why.empty()) return node.reason;
  // The figures end with what sets the reason apart from others of the same text.
  const auto reason = policy::ReasonExplainedAs(node.reason);
  return Concat(reason ? policy::Text(*reason) : std::string_view(node.reason), ": ", node.why);
}

std::string IgnoredSettingsText(const admin_api::PodDocument& pod) {
  std::string text;
  size_t told = 0;
  for (const admin_api::PodDocument::Node& node : pod.nodes) {
    if (node.ignored.empty()) continue;
    if (++told > kMostNamed) break;
    text += Concat("! ", node.name, ": ", node.ignored, ". What is said of ", node.name, " goes by that.\n");
  }
  return told > kMostNamed ? text + "! and likewise more nodes; -o json lists them\n" : text;
}

std::string FirstNames(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) text += Concat(text.empty() ? "" : ", ", names[i]);
  return names.size() > kMostNamed ? text + ", ..." : text;
}

}  // namespace huygens::reports
