#include "reports/waits_for.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "admin_api/amounts.h"
#include "base/text.h"
#include "policy/explained.h"
#include "reports/nodes_now.h"
#include "reports/quota_report.h"

namespace huygens::reports {

namespace {

using admin_api::PodDocument;
using policy::Reason;

constexpr size_t kMostThings = 2;

std::string RoomText(const PodDocument::Node* now) {
  if (now == nullptr || !now->figures || now->figures->needs.empty()) return "room in the zones";
  const std::string needs = admin_api::AmountsText(now->figures->needs);
  return now->figures->one_zone ? Concat("a zone with ", needs, " free") : Concat("zones with ", needs, " free");
}

// "budget of limits.cpu.A4": the keys of models that refuse it.
std::string ModelBudget(const admin_api::PodQuotaDocument* quota) {
  std::string keys;
  if (quota != nullptr) {
    for (const auto& key : quota->keys) {
      if (key.lacks && key.of_node) keys += Concat(keys.empty() ? "" : " or ", key.key);
    }
  }
  return keys.empty() ? std::string("budget of the model") : Concat("budget ", keys);
}

// What has to come to a node of this reason, before " on NAME"; empty where waiting is for nothing of a node.
std::string OfNode(Reason reason, const PodDocument::Node* now, const admin_api::PodQuotaDocument* quota) {
  switch (reason) {
    case Reason::kUnknownNode:
      return "the watch to show the Node";
    case Reason::kLostTopology:
      return "the topology object";
    case Reason::kNoTopology:  // one that never was is nothing to wait for
      return now != nullptr && now->gave_up_topology ? "the topology object" : "";
    case Reason::kInsufficientCores:
      return "whole cores that nobody uses";
    case Reason::kUsageCeiling:
      return now != nullptr && now->no_pod_fits ? "less use by what runs beside pods" : "less use by others";
    case Reason::kUsageUnknown:
      return "fresh usage data";
    case Reason::kQuotaModelExceeded:
      return quota != nullptr && AboveWholeModelBudget(*quota) ? std::string() : ModelBudget(quota);
    default:
      return policy::CurableByVictims(reason) ? RoomText(now) : std::string();
  }
}

std::string OfGroup(Reason reason, std::string_view group) {
  const std::string name = group.empty() ? std::string("its business group") : Concat("the business group ", group);
  if (reason == Reason::kQuotaExceeded) return Concat("budget of ", name);
  if (reason == Reason::kQuotaAncestorOver) return Concat("a group above ", name, " to be within its budget again");
  return reason == Reason::kQuotaClaimUnknown ? "its ResourceClaim to be known" : "";
}

struct Thing {
  std::string what;
  std::string_view node;  // the first; empty: not of a node
  size_t nodes = 0;
};

std::string TextOf(const Thing& thing) {
  if (thing.node.empty()) return thing.what;
  const size_t more = thing.nodes - 1;
  return Concat(thing.what,
                thing.what.ends_with("Node")     ? " "
                : thing.what.ends_with("object") ? " of "
                                                 : " on ",
                thing.node,
                more == 0   ? ""
                : more == 1 ? ", or the same of 1 node more"
                            : Concat(", or the same of ", std::to_string(more), " nodes more"));
}

}  // namespace

std::string WaitsFor(const admin_api::DecisionDocument& filter, const PodDocument* pod_now,
                     const admin_api::PodQuotaDocument* quota_now) {
  if (pod_now != nullptr && !pod_now->gang.empty()) {
    return Concat("Waits for: room for all of its gang ", pod_now->gang, " at once.\n");
  }
  const NodesNow nodes_now(pod_now);
  std::vector<Thing> things;
  for (const auto& node : filter.nodes) {
    if (nodes_now.FitsSince(node.name)) return "";  // for nothing: the next attempt may succeed
    const PodDocument::Node* there = nodes_now.Find(node.name);
    const auto reason = policy::ReasonExplainedAs(there != nullptr ? there->reason : node.reason);
    if (!reason || (there != nullptr && there->never_fits)) continue;
    std::string what = OfGroup(*reason, quota_now != nullptr ? quota_now->group : std::string_view());
    const std::string_view name = what.empty() ? std::string_view(node.name) : std::string_view();
    if (what.empty()) what = OfNode(*reason, there, quota_now);
    if (what.empty()) continue;
    auto found = std::ranges::find(things, what, &Thing::what);
    if (found == things.end()) found = things.insert(things.end(), {std::move(what), name});
    ++found->nodes;
  }
  std::ranges::stable_sort(things, std::greater<>(), &Thing::nodes);
  std::string text;
  for (size_t i = 0; i < std::min(things.size(), kMostThings); ++i) {
    text += Concat(i == 0 ? "Waits for: " : "; or ", TextOf(things[i]));
  }
  if (text.empty()) return text;
  return Concat(text, things.size() > kMostThings ? "; or else what the table says" : "", ".\n");
}

}  // namespace huygens::reports
