#include "reports/explain_report.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <span>

#include "policy/explained.h"
#include "reports/decision_text.h"
#include "reports/earlier.h"
#include "reports/gang_text.h"
#include "reports/nodes_now.h"
#include "reports/not_heard_of.h"
#include "reports/outgrown_line.h"
#include "reports/quota_report.h"
#include "reports/table.h"
#include "reports/what_to_do.h"
#include "reports/when.h"
#include "reports/when_again.h"

namespace huygens::reports {

namespace {

using admin_api::DecisionDocument;

constexpr size_t kMostRows = 40;  // of nodes; more are summed up
constexpr size_t kAlike = 4;      // so many that are refused in the same words are summed up, too

// One way of a pod through the verbs; null where a verb was not asked, or is forgotten.
struct Attempt {
  const DecisionDocument* filter = nullptr;
  const DecisionDocument* prioritize = nullptr;
  const DecisionDocument* preempt = nullptr;
  const DecisionDocument* bind = nullptr;
  size_t size = 0;  // decisions that belong to it
};

// kube-scheduler asks filter, then prioritize and bind or, where no node is left, preempt: from the newest decision
// back to the newest filter.
Attempt Newest(std::span<const DecisionDocument* const> decisions) {
  Attempt attempt;
  for (const DecisionDocument* decision : decisions) {
    ++attempt.size;
    if (decision->verb == "bind" && attempt.bind == nullptr) attempt.bind = decision;
    if (decision->verb == "preempt" && attempt.preempt == nullptr) attempt.preempt = decision;
    if (decision->verb == "prioritize" && attempt.prioritize == nullptr) attempt.prioritize = decision;
    if (decision->verb != "filter") continue;
    attempt.filter = decision;
    break;
  }
  return attempt;
}

std::string Number(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string NoZones(const admin_api::PodDocument* now) {
  if (now == nullptr) return "no zones were assigned; the pod is gone, so why can no longer be said.";
  if (now->no_zones.empty()) return "no zones were assigned.";
  return Concat("no zones were assigned: ", now->no_zones, ".");
}

// The watch shows it there: not only reserved, or promised to a pod of a gang.
bool IsBound(const admin_api::PodDocument* pod_now) {
  return pod_now != nullptr && !pod_now->node.empty() && pod_now->reservation.empty();
}

// Of a pod that is bound.
std::string AskedAgain(const DecisionDocument& question, std::string_view node, Time now) {
  return Concat("kube-scheduler asked about it again, ", When(question.time, now),
                ", as it does before a bound pod grows in place (", question.verb, ": ", SummaryText(question),
                "). That is judged as if the pod looked for zones anew; it stays on ", node,
                ", in its own zones, whatever the answer is.");
}

// The one sentence that somebody in a hurry reads.
std::string Headline(const Attempt& attempt, Time now, const admin_api::PodDocument* pod_now,
                     const admin_api::PodQuotaDocument* quota_now) {
  if (const DecisionDocument* bind = attempt.bind) {
    if (bind->error.empty()) {
      const bool again = bind->outcome == "already_bound";
      return Concat(again ? "Was bound already, to " : "Bound to ", bind->node, ", ", When(bind->time, now), "; ",
                    bind->zones.empty() ? NoZones(pod_now) : Concat("zones ", ZonesText(bind->zones), "."));
    }
    return Concat("Binding to ", bind->node, " failed, ", When(bind->time, now), ": ", bind->error,
                  "\nkube-scheduler puts the pod back into its queue and tries again.");
  }
  if (const DecisionDocument* question = attempt.preempt ? attempt.preempt : attempt.filter;
      question && IsBound(pod_now)) {
    const auto since = ParseRfc3339(pod_now->since);
    return Concat("It is bound to ", pod_now->node, ".\n",
                  since.ok() && question->time > *since
                      ? AskedAgain(*question, pod_now->node, now)
                      : Concat("What follows is of ", When(question->time, now), "."));
  }
  if (const DecisionDocument* preempt = attempt.preempt) {
    const bool helps = preempt->outcome == "ok";
    return Concat(
        "Refused as things are; kube-scheduler asked whom to evict for it on ", NodesText(preempt->nodes.size()), ", ",
        When(preempt->time, now), helps ? ", and has an answer." : ": nobody, it would not help.",
        helps || attempt.filter == nullptr ? "" : Concat("\n", WhenAgain(*attempt.filter, now, pod_now, quota_now)));
  }
  if (attempt.filter == nullptr && attempt.prioritize == nullptr) return "What filter and bind said is forgotten.";
  if (attempt.filter == nullptr)
    return Concat("Scored, ", When(attempt.prioritize->time, now), "; what filter said before is forgotten.");
  const DecisionDocument& filter = *attempt.filter;
  const size_t feasible = Feasible(filter);
  if (feasible == 0) {
    return Concat("Refused for ",
                  filter.nodes.size() == 1 ? "the one node" : Concat("all ", NodesText(filter.nodes.size())),
                  " asked about, ", When(filter.time, now), ".\n", WhenAgain(filter, now, pod_now, quota_now));
  }
  return Concat(NodesText(feasible), " of ", std::to_string(filter.nodes.size()), " could take it, ",
                When(filter.time, now),
                pod_now != nullptr && GangWaits(*pod_now)
                    ? ", but no bind followed: its gang has not found room for all."
                    : ", but no bind followed: kube-scheduler is still at it, or another plugin of its refused.");
}

struct Row {
  const DecisionDocument::Node* filter = nullptr;
  const DecisionDocument::Node* prioritize = nullptr;
};

// By node name.
std::map<std::string, Row> Rows(const Attempt& attempt) {
  std::map<std::string, Row> rows;
  if (attempt.filter) {
    for (const auto& node : attempt.filter->nodes) rows[node.name].filter = &node;
  }
  if (attempt.prioritize) {
    for (const auto& node : attempt.prioritize->nodes) rows[node.name].prioritize = &node;
  }
  return rows;
}

// With the figures of now, and where it would be refused for another reason now, or not at all, with that.
std::string Refusal(const DecisionDocument::Node& node, const NodesNow& now) {
  const admin_api::PodDocument::Node* there = now.Find(node.name);
  if (there != nullptr && there->reason == node.reason) return VerdictText(*there);
  if (!now.MayDiffer() && there == nullptr) {
    return now.Fits(node.name) ? Concat(node.reason, "; now, by itself, the pod would fit there") : node.reason;
  }
  if (there != nullptr) return Concat(node.reason, "; now: ", VerdictText(*there));
  return now.FitsSince(node.name) ? Concat(node.reason, "; now it would take the pod") : node.reason;
}

std::string Verdict(const std::string& name, const Row& row, const Attempt& attempt, const NodesNow& now,
                    bool of_gang) {
  if (row.filter && !row.filter->reason.empty()) return Refusal(*row.filter, now);
  const bool reported = row.filter && !row.filter->would_refuse.empty();
  const std::string report =
      reported ? Concat("; would be refused: ", ReportsText(row.filter->would_refuse)) : std::string();
  if (attempt.bind && attempt.bind->node == name)
    return Concat(attempt.bind->error.empty() ? "bound here" : "binding here failed", report);
  if (!row.filter) return "";
  const bool left_out = attempt.filter->narrowed && !row.filter->kept;
  return Concat("fits",
                !left_out ? ""
                : of_gang ? ", but a pod of a gang is answered one node"
                          : ", but filter.narrowTo left it out",
                report);
}

// What checks in mode report would have made of it; empty if nothing.
std::string Reported(const Attempt& attempt) {
  if (attempt.bind && attempt.bind->error.empty() && !attempt.bind->would_refuse.empty()) {
    return Concat("A check that only reports would have refused that node: ", ReportsText(attempt.bind->would_refuse),
                  ".\n");
  }
  if (attempt.filter == nullptr) return "";
  const auto refused = static_cast<size_t>(
      std::ranges::count_if(attempt.filter->nodes, [](const auto& node) { return !node.would_refuse.empty(); }));
  if (refused == 0) return "";
  return Concat("Checks that only report would have refused ", std::to_string(refused), " of the ",
                NodesText(Feasible(*attempt.filter)), " that could take it.\n");
}

std::string NodeTable(const Attempt& attempt, const admin_api::PodDocument* pod_now) {
  static const std::vector<DecisionDocument::Term> kNoTerms;
  const auto& terms = attempt.prioritize ? attempt.prioritize->terms : kNoTerms;
  const std::map<std::string, Row> rows = Rows(attempt);
  const NodesNow nodes_now(pod_now);
  const bool of_gang = pod_now != nullptr && !pod_now->gang.empty();
  std::vector<std::pair<std::string, Row>> scored;
  std::map<std::string, std::vector<std::string>> refused;  // reason, with its figures where these are alike -> nodes
  for (const auto& [name, row] : rows) {
    if (!row.filter || row.filter->reason.empty()) continue;
    refused[rows.size() > kMostRows ? row.filter->reason : Refusal(*row.filter, nodes_now)].push_back(name);
  }
  if (rows.size() <= kMostRows) std::erase_if(refused, [](const auto& each) { return each.second.size() < kAlike; });
  for (const auto& [name, row] : rows) {
    const bool is_refused = row.filter && !row.filter->reason.empty();
    const bool summed_up = is_refused && (rows.size() > kMostRows || refused.contains(Refusal(*row.filter, nodes_now)));
    if (!summed_up) scored.emplace_back(name, row);
  }
  auto score_of = [](const Row& row) { return row.prioritize ? row.prioritize->score.value_or(0) : -1; };
  std::sort(scored.begin(), scored.end(), [&](const auto& a, const auto& b) {
    return std::pair(-score_of(a.second), a.first) < std::pair(-score_of(b.second), b.first);
  });

  std::vector<std::string> head{"NODE", "SCORE"};
  for (const auto& term : terms) head.push_back(Concat(term.name, " x", Number(term.weight, "%g")));
  head.emplace_back("VERDICT");
  Table table(head);
  const size_t shown = std::min(scored.size(), kMostRows);
  for (size_t i = 0; i < shown; ++i) {
    const auto& [name, row] = scored[i];
    std::vector<std::string> cells{name};
    cells.push_back(row.prioritize && row.prioritize->score ? std::to_string(*row.prioritize->score) : "");
    for (size_t t = 0; t < terms.size(); ++t) {
      const bool has = row.prioritize && t < row.prioritize->terms.size() && row.prioritize->terms[t];
      cells.push_back(has ? Number(*row.prioritize->terms[t], "%.2f") : "");
    }
    cells.push_back(Verdict(name, row, attempt, nodes_now, of_gang));
    table.AddRow(std::move(cells));
  }
  std::string text = shown > 0 ? table.Text() : "";
  if (shown < scored.size())
    text += Concat("... and ", std::to_string(scored.size() - shown), " more; -o json lists all\n");
  for (const auto& [reason, names] : refused) {
    text += Concat(text.empty() ? "" : "\n", NodesText(names.size()), ": ", reason, "\n  ", FirstNames(names), "\n");
    const admin_api::PodDocument::Node* now = nodes_now.Find(names.front());
    if (now != nullptr && !now->why.empty() && reason.find(now->why) == std::string::npos)
      text += Concat("  ", now->name, ": ", now->why, "\n");
  }
  if (attempt.prioritize) {
    text += Concat("\nSCORE = ", std::to_string(attempt.prioritize->max_score),
                   " x weighted mean of the terms' opinions, 0 to 1 (\"-\" = no opinion, left out of the mean).\n");
  }
  return text;
}

// Why its group refused it, and where it still does, who uses the budget or which group was meant. Figures that are no
// more those of now are marked.
std::string QuotaLines(const std::string& refused, const admin_api::PodQuotaDocument* now) {
  if (now == nullptr) return Concat(refused, "\n");
  const bool as_then = now->why.empty() && now->verdict == "refused";
  if (now->why == refused || as_then) {
    return Concat(as_then ? refused : RefusalText(*now), "\n", UsedByText(*now), NoModelText(*now));
  }
  // Of models (quota::NodeModels::Explain), which the group does not mind.
  if (now->verdict == "fits" && now->refused_by_model.empty() && refused.starts_with("the pod's label ")) {
    return now->model_nodes == 0 ? NoModelText(*now) : Concat(refused, "\n");
  }
  const std::string then = Concat("at the decision: ", refused, "\n");
  if (now->verdict == "fits" && !now->refused_by_model.empty()) {
    const std::string still =
        Concat("still refused on ", NodesText(static_cast<size_t>(now->refused_nodes)), ", allowed on ",
               std::to_string(now->other_nodes), " others: ", now->refused_by_model, "\n");
    // Of a model that not all nodes are of, a refusal names the nodes: what it says now is what it said.
    return Concat(refused == now->refused_by_model ? "" : then, "now: ", still, UsedByText(*now),
                  "`huygens quota explain ", now->pod, "` shows all of it.\n");
  }
  if (now->verdict == "fits") return Concat(then, "now: its group allows it\n", NoModelText(*now));
  return Concat(then, now->why.empty() ? std::string() : Concat("now: ", RefusalText(*now), "\n"), UsedByText(*now),
                NoModelText(*now));
}

}  // namespace

std::string ExplainText(const std::vector<DecisionDocument>& decisions, Time now, const admin_api::PodDocument* pod_now,
                        const admin_api::PodQuotaDocument* quota_now, std::string_view left_above) {
  const DecisionDocument& newest = decisions.front();
  std::vector<const DecisionDocument*> same_pod;
  for (const DecisionDocument& decision : decisions) {
    if (decision.uid == newest.uid) same_pod.push_back(&decision);
  }
  const bool several = same_pod.size() < decisions.size();
  // A pod that is bound stays so, whatever was tried afterwards.
  const auto bound = std::find_if(same_pod.begin(), same_pod.end(), [](const DecisionDocument* decision) {
    return decision->verb == "bind" && decision->error.empty();
  });
  const DecisionDocument* refused_later = nullptr;
  const DecisionDocument* asked_later = nullptr;
  if (bound != same_pod.end()) {
    const auto again = std::find_if(
        same_pod.begin(), bound, [](const DecisionDocument* d) { return d->verb == "filter" || d->verb == "preempt"; });
    if (again != bound) asked_later = *again;
    const auto later =
        std::find_if(same_pod.begin(), bound, [](const DecisionDocument* d) { return d->verb == "bind"; });
    if (later != bound) refused_later = *later;
    same_pod.erase(same_pod.begin(), bound);
  }
  const Attempt attempt = Newest(same_pod);
  std::string text = Concat("Pod ", newest.pod, ", UID ", newest.uid.empty() ? "unknown" : newest.uid, "\n",
                            pod_now ? NotHeardText(pod_now->not_heard_of) : std::string(),
                            Headline(attempt, now, pod_now, quota_now), "\n");
  if (pod_now) {
    for (const std::string& ignored : pod_now->not_understood) text += Concat("! ", ignored, "\n");
    text += OutgrownLine(*pod_now);
  }
  const bool of_gang = pod_now != nullptr && !pod_now->gang.empty() && !attempt.bind && attempt.filter;
  const std::string gang = of_gang && !IsBound(pod_now) ? GangText(*attempt.filter, *pod_now) : std::string();
  text += gang;
  text += Reported(attempt);
  const DecisionDocument* last = attempt.bind ? attempt.bind : attempt.filter;
  if (last && !last->quota.empty()) text += QuotaLines(last->quota, quota_now);
  if (asked_later != nullptr) text += Concat(AskedAgain(*asked_later, attempt.bind->node, now), "\n");
  if (refused_later != nullptr) {
    text += Concat("A later bind to ", refused_later->node, " was refused, ", When(refused_later->time, now), ": ",
                   refused_later->error, "\n");
  }
  if (attempt.filter || attempt.prioritize) text += Concat("\n", NodeTable(attempt, pod_now));
  if (pod_now && attempt.filter) text += IgnoredSettingsText(*pod_now);
  if (attempt.filter && !attempt.filter->nodes.empty()) text += NotAskedText(*attempt.filter, pod_now);
  const bool is_bound = IsBound(pod_now) || (attempt.bind && attempt.bind->error.empty());
  if (is_bound && attempt.filter && Feasible(*attempt.filter) < attempt.filter->nodes.size()) {
    text += "Of nodes that refused it there are no figures: they are worked out for pods that still wait.\n";
  }
  const bool gang_refused =
      attempt.filter && !gang.empty() && (Feasible(*attempt.filter) == 0 || !pod_now->gang_refused.empty());
  if (attempt.filter && !is_bound) text += WhatToDo(*attempt.filter, pod_now, quota_now, left_above, gang_refused);
  if (same_pod.size() > attempt.size) {
    text += Concat("\n", EarlierText(std::span(same_pod).subspan(attempt.size)));
  }
  if (several) {
    text += "\nAn earlier pod of the same name was decided on, too; ask for it by its UID (-o json shows it).\n";
  }
  return text;
}

}  // namespace huygens::reports
