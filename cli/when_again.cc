#include "cli/when_again.h"

#include <algorithm>
#include <set>
#include <vector>

#include "cli/quota_report.h"
#include "policy/explained.h"

namespace huygens::cli {

namespace {

using admin::DecisionDocument;

constexpr size_t kMostNamed = 5;  // nodes in a sentence

// What has to change on one node, by its reason and what is said of it now (null: nothing); empty where waiting may
// help.
std::string_view MustChange(policy::Reason reason, const admin::PodDocument::Node* node_now) {
  const bool real_capacity_may_grow = policy::NeverFits(reason) && node_now != nullptr && !node_now->never_fits &&
                                      node_now->reason == policy::Explained(reason);
  return real_capacity_may_grow ? std::string_view() : policy::MustChange(reason);
}

// Whether the pod's business group refuses it whatever the node.
bool OfEveryNode(policy::Reason reason) {
  switch (reason) {
    case policy::Reason::kQuotaExceeded:
    case policy::Reason::kQuotaHoursSpent:
    case policy::Reason::kQuotaNoGroup:
    case policy::Reason::kQuotaGroupClosed:
    case policy::Reason::kQuotaAmountNeeded:
    case policy::Reason::kQuotaAncestorOver:
    case policy::Reason::kQuotaClaimUnknown:
      return true;
    default:
      return false;
  }
}

// Nodes that huygens knows and was not asked about, since kube-scheduler's own plugins had ruled them out: by what
// huygens looks at.
struct NotAsked {
  size_t fit = 0;                       // would take it now
  std::vector<std::string_view> later;  // would take it once pods there end, or something else comes with time
};

NotAsked NodesNotAsked(const DecisionDocument& filter, const admin::PodDocument* pod_now) {
  NotAsked rest;
  if (pod_now == nullptr || !pod_now->node.empty()) return rest;
  std::set<std::string_view> asked;
  for (const DecisionDocument::Node& node : filter.nodes) {
    const auto reason = policy::ReasonExplainedAs(node.reason);
    if (reason && OfEveryNode(*reason)) return rest;
    asked.insert(node.name);
  }
  size_t asked_and_fit = asked.size();
  for (const admin::PodDocument::Node& node : pod_now->nodes) {
    if (asked.contains(node.name)) {
      --asked_and_fit;
    } else if (const auto reason = policy::ReasonExplainedAs(node.reason);
               reason && MustChange(*reason, &node).empty()) {
      rest.later.push_back(node.name);
    }
  }
  rest.fit = static_cast<size_t>(std::max<int64_t>(0, pod_now->fits));
  rest.fit -= std::min(rest.fit, asked_and_fit);
  return rest;
}

// Where none of the reasons is one that waiting could cure, or one holds of every node, whatever else a node lacks;
// else empty.
std::string MustChange(const DecisionDocument& filter, const admin::PodDocument* pod_now,
                       const admin::PodQuotaDocument* quota_now) {
  const bool above_whole = quota_now != nullptr && AboveWholeBudget(*quota_now);
  std::vector<std::string_view> changes;
  bool curable = false;
  for (const DecisionDocument::Node& node : filter.nodes) {
    const auto reason = policy::ReasonExplainedAs(node.reason);
    if (reason == policy::Reason::kQuotaExceeded && above_whole) {
      return "its business group's budget must grow, or the pod ask for less";
    }
    const bool ask_now = pod_now != nullptr && reason && policy::NeverFits(*reason);
    const auto* node_now = ask_now ? FindNode(*pod_now, node.name) : nullptr;
    const std::string_view change = reason ? MustChange(*reason, node_now) : std::string_view();
    if (reason == policy::Reason::kQuotaNoGroup) return std::string(change);
    curable = curable || change.empty();
    if (std::ranges::find(changes, change) == changes.end()) changes.push_back(change);
  }
  std::string text;
  for (std::string_view change : changes) text += Concat(text.empty() ? "" : "; or ", change);
  if (curable) return "";
  const bool misspelt = pod_now != nullptr && !pod_now->not_understood.empty();
  return misspelt ? Concat("what is marked with ! below must be mended, or ", text) : text;
}

}  // namespace

const admin::PodDocument::Node* FindNode(const admin::PodDocument& pod, std::string_view node) {
  const auto found = std::ranges::find(pod.nodes, node, &admin::PodDocument::Node::name);
  return found == pod.nodes.end() ? nullptr : &*found;
}

std::string WhenAgain(const DecisionDocument& filter, const admin::PodDocument* pod_now,
                      const admin::PodQuotaDocument* quota_now) {
  const std::string change = MustChange(filter, pod_now, quota_now);
  if (change.empty())
    return "kube-scheduler tries again when something changes in the cluster, and every five minutes.";
  const NotAsked rest = NodesNotAsked(filter, pod_now);
  if (rest.fit > 0 || !rest.later.empty()) {
    return Concat("Waiting does not help on these nodes: ", change,
                  ". Or others take it, once kube-scheduler lets them: see below the table. It tries again within five "
                  "minutes.");
  }
  return Concat("Waiting does not help there: ", change, ". Then kube-scheduler tries again, within five minutes.");
}

std::string NotAskedText(const DecisionDocument& filter, const admin::PodDocument* pod_now) {
  const NotAsked rest = NodesNotAsked(filter, pod_now);
  std::string text =
      "Nodes that kube-scheduler's own plugins had ruled out before are not listed: huygens was not asked about them.";
  std::vector<std::string> parts;
  if (rest.fit > 0) parts.push_back(Concat(std::to_string(rest.fit), " could take it now"));
  if (!rest.later.empty()) {
    std::string names;
    for (size_t i = 0; i < std::min(rest.later.size(), kMostNamed); ++i) {
      names += Concat(names.empty() ? "" : ", ", rest.later[i]);
    }
    parts.push_back(Concat(std::to_string(rest.later.size()), " may take it later (", names,
                           rest.later.size() > kMostNamed ? ", ..." : "", ")"));
  }
  for (size_t i = 0; i < parts.size(); ++i) text += Concat(i == 0 ? "\nBy what huygens looks at " : " and ", parts[i]);
  return text + (parts.empty() ? "\n" : "; what kube-scheduler lacks there is in the pod's Events.\n");
}

}  // namespace huygens::cli
