#include "reports/what_to_do.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "base/text.h"
#include "policy/explained.h"
#include "reports/decision_text.h"
#include "reports/gang_text.h"
#include "reports/nodes_now.h"
#include "reports/pod_faults.h"
#include "reports/refusal_advice.h"

namespace huygens::reports {

namespace {

struct Given {
  policy::Reason reason;
  std::string_view node;  // the first of those that gave it
  size_t nodes = 0;
  std::vector<const admin_api::PodDocument::Node*> now = {};  // of those that give it still
};

// The most frequent first.
std::vector<Given> ReasonsOf(const admin_api::DecisionDocument& filter, const NodesNow& now) {
  std::vector<Given> given;
  const auto add = [&](std::string_view text, std::string_view node, const admin_api::PodDocument::Node* there) {
    const auto reason = policy::ReasonExplainedAs(text);
    if (!reason || *reason == policy::Reason::kFits) return;
    auto found = std::ranges::find(given, *reason, &Given::reason);
    if (found == given.end()) found = given.insert(given.end(), {*reason, node});
    ++found->nodes;
    if (there != nullptr && there->reason == text) found->now.push_back(there);
  };
  for (const auto& node : filter.nodes) {
    const auto* there = now.Find(node.name);
    if (!node.reason.empty() && !now.FitsSince(node.name)) {
      add(there != nullptr && now.MayDiffer() ? there->reason : node.reason, node.name, there);
    }
  }
  for (const auto& node : filter.nodes) {
    if (!node.would_refuse.empty()) add(node.would_refuse.front().second, node.name, now.Find(node.name));
  }
  std::ranges::stable_sort(given, std::greater<>(), &Given::nodes);
  // Where such reasons are all that there is, they are said all the same.
  const auto in_vain = [](const Given& each) {
    return !each.now.empty() &&
           std::ranges::all_of(each.now, [&](const auto* node) { return TooSmallAnyhow(each.reason, *node); });
  };
  if (!std::ranges::all_of(given, in_vain)) std::erase_if(given, in_vain);
  return given;
}

// Of zones with room, were their real capacity known; empty if there are none.
std::string OfStaleZones(const admin_api::DecisionDocument& filter, const NodesNow& now) {
  const admin_api::PodDocument::Node* first = nullptr;
  size_t more = 0;
  for (const auto& node : filter.nodes) {
    const auto* there = now.Find(node.name);
    if (there == nullptr || !there->figures || there->figures->stale_zones.empty()) continue;
    more += std::exchange(first, first == nullptr ? there : first) == nullptr ? 0 : 1;
  }
  if (first == nullptr) return "";
  std::string zones;
  for (const auto& zone : first->figures->stale_zones) {
    zones += Concat(zones.empty() ? "" : ", ", zone.zone, " (",
                    zone.last.empty() ? "" : Concat("was ", zone.last, " cpu, "), "must be ", zone.must, " or more)");
  }
  return Concat("- the real capacity of ", zones, " of ", first->name,
                more > 0 ? Concat(", and of zones of ", NodesText(more), " more,") : std::string(),
                " is out of date: start whoever writes offline_capacity; the pod fits only where it is that much.\n");
}

// Whether what is marked with ! may be why; nothing where nothing is marked.
std::optional<bool> MarkedMayCause(const std::vector<Given>& given, const admin_api::PodDocument* pod_now) {
  if (pod_now == nullptr) return std::nullopt;
  if (!IgnoredSettingsText(*pod_now).empty()) return true;
  if (pod_now->not_understood.empty()) return std::nullopt;
  return std::ranges::any_of(given, [&](const Given& each) {
    if (each.now.empty()) return AnyMayCause(*pod_now, each.reason, nullptr);
    return std::ranges::any_of(each.now, [&](const auto* node) { return AnyMayCause(*pod_now, each.reason, node); });
  });
}

}  // namespace

std::string WhatToDo(const admin_api::DecisionDocument& filter, const admin_api::PodDocument* pod_now,
                     const admin_api::PodQuotaDocument* quota_now, std::string_view left_above, bool of_gang) {
  const NodesNow now(pod_now);
  std::string text;
  std::vector<std::string> said;
  const std::vector<Given> given = ReasonsOf(filter, now);
  for (const Given& each : given) {
    std::string advice = RefusalAdvice(each.reason, filter.pod, each.node, each.now, quota_now);
    if (!left_above.empty()) {
      absl::StrReplaceAll({{"what its parent has left: `", Concat("its parent ", left_above, ": `")}}, &advice);
    }
    if (std::ranges::find(said, advice) != said.end()) continue;
    const bool uneven = std::ranges::any_of(
        each.now, [](const auto* node) { return node->figures && node->figures->core_threads.has_value(); });
    // What sets it apart from others of the same text is not the cause then.
    text += Concat("- ", uneven ? policy::Text(each.reason) : policy::Explained(each.reason), ": ", advice, "\n");
    said.push_back(std::move(advice));
  }
  if (text.empty() && !of_gang) return text;
  std::string first;
  const std::optional<bool> marked_may_cause = MarkedMayCause(given, pod_now);
  if (marked_may_cause == true) first += "- mend what is marked with ! above; it counts as absent.\n";
  if (marked_may_cause == false) {
    text += "- mend what is marked with ! above, too: it counts as absent, though it is not why the pod is refused.\n";
  }
  const std::string model = policy::Explained(policy::Reason::kQuotaOtherModel);
  if (quota_now != nullptr && quota_now->model_nodes == 0 && text.find(model) == std::string::npos) {
    first +=
        Concat("- ", model, ": ", RefusalAdvice(policy::Reason::kQuotaOtherModel, filter.pod, "", {}, quota_now), "\n");
  }
  first += OfStaleZones(filter, now);
  if (of_gang) first += GangAdvice();
  return Concat("\nWhat to do:\n", first, text);
}

}  // namespace huygens::reports
