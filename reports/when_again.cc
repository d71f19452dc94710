#include "reports/when_again.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

#include "policy/explained.h"
#include "reports/nodes_now.h"
#include "reports/pod_faults.h"
#include "reports/quota_advice.h"
#include "reports/quota_report.h"
#include "reports/waits_for.h"

namespace huygens::reports {

namespace {

using admin_api::DecisionDocument;

// kube-scheduler takes up a pod that it could not place five minutes later at the latest, and looks for such twice a
// minute (podMaxInUnschedulablePodsDuration, flushUnschedulablePodsLeftover: pkg/scheduler/backend/queue).
constexpr Duration kLatestRetry = std::chrono::minutes(6);

constexpr std::string_view kLess = "the pod must ask for less, or larger nodes must come";
constexpr std::string_view kNoCores = "huygens.dev/smt must go from the pod, or nodes must come whose agent pins";
constexpr std::string_view kSeveralZonesNow =
    "the pod must be allowed several zones (topology.crane.io/topology-awareness: \"false\") or ask for less, or "
    "larger "
    "nodes must come";
constexpr std::string_view kSeveralZonesLater =
    "the pod must be allowed several zones (topology.crane.io/topology-awareness: \"false\") and others there end, or "
    "it "
    "must ask for less, or larger nodes must come";

// What has to change on a node that gives this reason; empty where waiting may help. `now`: what is said of it now;
// null: nothing.
std::string_view MustChange(policy::Reason reason, const admin_api::PodDocument::Node* now) {
  if (now == nullptr || now->reason != policy::Explained(reason)) return policy::MustChange(reason);
  if (TooSmallAnyhow(reason, *now)) return kLess;
  if (now->gave_up_topology) return {};  // it may come back
  if (reason == policy::Reason::kNoTopology && !now->insists.empty()) {
    return "the pod must not insist on zones, or somebody must write the nodes' topology objects";
  }
  if (now->gives_no_cores) return kNoCores;
  if (now->no_pod_fits) return "what runs there beside pods must use less, or the ceilings of use must be raised";
  if (!policy::NeverFits(reason)) return policy::MustChange(reason);
  if (!now->never_fits) return {};  // its real capacity may grow
  if (now->figures && now->figures->core_threads) return "its containers must ask for whole cores";
  if (!now->fits_across && !now->holds_across) return policy::MustChange(reason);
  if (!now->fits_across || !now->unrequested.empty()) {
    return kSeveralZonesLater;
  }
  return kSeveralZonesNow;
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

// What somebody has to mend before such a node takes the pod; empty where it is nothing of the node's.
std::string_view ToMend(policy::Reason reason, const admin_api::PodDocument::Node& node) {
  switch (reason) {
    case policy::Reason::kNoTopology:
      return node.gave_up_topology   ? "its topology object was deleted"
             : !node.insists.empty() ? "no topology object, and the pod insists on zones"
                                     : "no topology object";
    case policy::Reason::kLostTopology:
      return "its topology object was deleted";
    case policy::Reason::kUnusableTopology:
    case policy::Reason::kInvalidTopologyData:
      return "its topology object cannot be used";
    case policy::Reason::kStaleRealCapacity:
      return "real capacity out of date";
    case policy::Reason::kUnknownCores:
      return node.gives_no_cores ? std::string_view() : "its cores are not listed";
    default:
      return {};
  }
}

// Nodes that huygens knows and was not asked about, since kube-scheduler's own plugins had ruled them out: by what
// huygens looks at.
struct NotAsked {
  size_t all = 0;
  std::vector<std::string> now;     // would take it
  std::vector<std::string> later;   // would take it once pods there end, or something else comes with time
  std::vector<std::string> mended;  // perhaps, once somebody mends what is named: "plain-1: no topology object"
};

NotAsked NodesNotAsked(const DecisionDocument& filter, const admin_api::PodDocument* pod_now) {
  NotAsked rest;
  if (pod_now == nullptr || !pod_now->node.empty()) return rest;
  const NodesNow nodes_now(pod_now);
  std::set<std::string_view> asked;
  bool of_every_node = false;
  for (const DecisionDocument::Node& node : filter.nodes) {
    const auto reason = policy::ReasonExplainedAs(node.reason);
    of_every_node = of_every_node || (reason && OfEveryNode(*reason) && !nodes_now.FitsSince(node.name));
    asked.insert(node.name);
  }
  const auto add = [&](const std::string& name, std::vector<std::string>& to) {
    if (asked.contains(name)) return;
    ++rest.all;
    if (!of_every_node) to.push_back(name);
  };
  for (const std::string& name : pod_now->fits) add(name, rest.now);
  for (const std::string& name : pod_now->fits_later) add(name, rest.later);
  std::vector<std::string> never;
  for (const admin_api::PodDocument::Node& node : pod_now->nodes) {
    const auto reason = policy::ReasonExplainedAs(node.reason);
    if (const std::string_view fault = reason ? ToMend(*reason, node) : std::string_view();
        !fault.empty() && !node.never_fits) {
      const size_t before = rest.mended.size();
      add(node.name, rest.mended);
      if (rest.mended.size() > before) rest.mended.back() += Concat(": ", fault);
      continue;
    }
    const bool waits = reason && !node.never_fits && MustChange(*reason, &node).empty();
    add(node.name, waits ? rest.later : never);
  }
  return rest;
}

// Where none of the reasons is one that waiting could cure, or one holds of every node, whatever else a node lacks;
// else empty.
std::string MustChange(const DecisionDocument& filter, const admin_api::PodDocument* pod_now,
                       const admin_api::PodQuotaDocument* quota_now) {
  const bool above_whole = quota_now != nullptr && AboveWholeBudget(*quota_now);
  const bool above_model = quota_now != nullptr && AboveWholeModelBudget(*quota_now);
  const NodesNow nodes_now(pod_now);
  std::vector<std::string_view> changes;
  bool curable = false, misspelt = false;
  for (const DecisionDocument::Node& node : filter.nodes) {
    if (nodes_now.FitsSince(node.name)) {
      curable = true;
      continue;
    }
    const admin_api::PodDocument::Node* now = nodes_now.Find(node.name);
    const bool newer = now != nullptr && nodes_now.MayDiffer();
    const auto reason = policy::ReasonExplainedAs(newer ? now->reason : node.reason);
    if (reason == policy::Reason::kQuotaExceeded && above_whole) {
      return BudgetMustChange(*quota_now);
    }
    std::string_view change = reason ? MustChange(*reason, now) : std::string_view();
    misspelt = misspelt || (reason && pod_now != nullptr && AnyMayCause(*pod_now, *reason, now));
    if (reason == policy::Reason::kQuotaModelExceeded && above_model) {
      change =
          "its business group's budget of their model must grow, or the pod ask for less or go to nodes of another";
    }
    if (reason == policy::Reason::kQuotaNoGroup) return std::string(change);
    curable = curable || change.empty();
    if (std::ranges::find(changes, change) == changes.end()) changes.push_back(change);
  }
  // Of what is said of several nodes the way that is shortest.
  for (const std::string_view each : {kSeveralZonesNow, kSeveralZonesLater}) {
    if (std::ranges::find(changes, each) == changes.end()) continue;
    std::erase_if(changes, [&](std::string_view other) {
      return other == kLess || (other == kSeveralZonesLater && other != each);
    });
  }
  if (std::ranges::find(changes, policy::MustChange(policy::Reason::kUnknownCores)) != changes.end()) {
    std::erase(changes, kNoCores);
  }
  std::string text;
  for (std::string_view change : changes) text += Concat(text.empty() ? "" : "; or ", change);
  if (curable) return "";
  return misspelt ? Concat("what is marked with ! below must be mended, or ", text) : text;
}

// "numa-4 (9 cpu asked, 1800m unrequested)"
std::string RuledOut(const admin_api::PodDocument::Node& node) {
  std::string text;
  for (const auto& [resource, asked] : node.asks) {
    const auto left = std::ranges::find(node.unrequested, resource, &admin_api::Amounts::value_type::first);
    text += Concat(text.empty() ? "" : "; ", asked, " ", resource, " asked, ",
                   left == node.unrequested.end() ? std::string("nothing") : left->second, " unrequested");
  }
  return Concat(node.name, text.empty() ? "" : Concat(" (", text, ")"));
}

// Empty where a pod that waits was asked about as lately as it should have been.
std::string NotAskedSince(const DecisionDocument& filter, Time now, const admin_api::PodDocument* pod_now) {
  if (pod_now == nullptr || !pod_now->node.empty() || now - filter.time < kLatestRetry) return "";
  const NodesNow nodes_now(pod_now);
  std::vector<std::string> ruled_out;
  for (const DecisionDocument::Node& node : filter.nodes) {
    const admin_api::PodDocument::Node* there = nodes_now.Find(node.name);
    const bool lacks = there != nullptr && !there->asks.empty();
    if (!lacks && std::ranges::find(pod_now->fits_later, node.name) == pod_now->fits_later.end()) continue;
    ruled_out.push_back(lacks ? RuledOut(*there) : node.name);
  }
  const std::string since =
      Concat("Not asked again for ",
             std::to_string(std::chrono::duration_cast<std::chrono::minutes>(now - filter.time).count()), " minutes");
  if (!ruled_out.empty() && ruled_out.size() == filter.nodes.size()) {
    return Concat(since, ": by requests kube-scheduler itself rules out ", FirstNames(ruled_out),
                  " by now. The pod's Events say the rest.");
  }
  return Concat(since, ", though kube-scheduler tries again within five: its own plugins rule out all nodes before, ",
                "it asks another instance of huygens, or it does not run. The pod's Events say more.");
}

}  // namespace

std::string WhenAgain(const DecisionDocument& filter, Time now, const admin_api::PodDocument* pod_now,
                      const admin_api::PodQuotaDocument* quota_now) {
  const std::string change = MustChange(filter, pod_now, quota_now);
  if (const std::string not_asked = NotAskedSince(filter, now, pod_now); !not_asked.empty()) {
    return Concat(change.empty() ? WaitsFor(filter, pod_now, quota_now)
                                 : Concat("Waiting does not help on these nodes: ", change, ".\n"),
                  not_asked);
  }
  if (change.empty())
    return Concat(WaitsFor(filter, pod_now, quota_now),
                  "kube-scheduler tries again when something changes in the cluster, and every five minutes.");
  const NotAsked rest = NodesNotAsked(filter, pod_now);
  if (!rest.now.empty() || !rest.later.empty()) {
    return Concat("Waiting does not help on these nodes: ", change,
                  ". Or others take it, once kube-scheduler lets them: see below the table. It tries again within five "
                  "minutes.");
  }
  return Concat("Waiting does not help there: ", change, ". Then kube-scheduler tries again, within five minutes.");
}

std::string NotAskedText(const DecisionDocument& filter, const admin_api::PodDocument* pod_now) {
  const NotAsked rest = NodesNotAsked(filter, pod_now);
  const size_t not_selected = pod_now != nullptr ? pod_now->not_selected.size() : 0;
  if (pod_now != nullptr && pod_now->node.empty() && rest.all + not_selected == 0) return "";
  std::string text =
      "Nodes that kube-scheduler's own plugins had ruled out before, or that it did not look at, are not listed: "
      "huygens was not asked about them.";
  if (not_selected > 0) {
    text += Concat(" ", std::to_string(not_selected), not_selected == 1 ? " node has" : " nodes have",
                   " not the labels of its nodeSelector (", pod_now->node_selector, ").");
  }
  std::vector<std::string> parts;
  const auto add = [&](const std::vector<std::string>& names, std::string_view what) {
    if (!names.empty()) parts.push_back(Concat(std::to_string(names.size()), what, " (", FirstNames(names), ")"));
  };
  add(rest.now, " could take it now");
  add(rest.later, " may take it later");
  add(rest.mended, " could if mended");
  for (size_t i = 0; i < parts.size(); ++i) text += Concat(i == 0 ? "\nBy what huygens looks at " : " and ", parts[i]);
  return text + (parts.empty() ? "\n" : "; what kube-scheduler lacks there is in the pod's Events, if it looked.\n");
}

}  // namespace huygens::reports
