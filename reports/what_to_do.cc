#include "reports/what_to_do.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "base/quantity.h"
#include "base/text.h"
#include "policy/explained.h"
#include "reports/nodes_now.h"
#include "reports/quota_advice.h"

namespace huygens::reports {

namespace {

// Whole ones; 0 where there are none.
int64_t CpusOf(const admin_api::Amounts& amounts) {
  const auto cpu = std::ranges::find(amounts, "cpu", &admin_api::Amounts::value_type::first);
  const auto quantity = Quantity::Parse(cpu == amounts.end() ? "0" : cpu->second);
  return quantity.ok() ? quantity->MilliValue() / 1000 : 0;
}

struct Given {
  policy::Reason reason;
  std::string_view node;  // the first of those that gave it
  size_t nodes = 0;
};

// The most frequent first.
std::vector<Given> ReasonsOf(const admin_api::DecisionDocument& filter, const NodesNow& now) {
  std::vector<Given> given;
  const auto add = [&](std::string_view text, std::string_view node) {
    const auto reason = policy::ReasonExplainedAs(text);
    if (!reason || *reason == policy::Reason::kFits) return;
    auto found = std::ranges::find(given, *reason, &Given::reason);
    if (found == given.end()) found = given.insert(given.end(), {*reason, node});
    ++found->nodes;
  };
  for (const auto& node : filter.nodes) {
    const auto* there = now.MayDiffer() ? now.Find(node.name) : nullptr;
    if (!node.reason.empty() && !now.FitsSince(node.name))
      add(there != nullptr ? there->reason : node.reason, node.name);
  }
  for (const auto& node : filter.nodes) {
    if (!node.would_refuse.empty()) add(node.would_refuse.front().second, node.name);
  }
  std::ranges::stable_sort(given, std::greater<>(), &Given::nodes);
  return given;
}

// "ask for 6 or 8 cpu in container app, or allow parts of cores there ..."
std::string WholeCoresAdvice(const admin_api::PodDocument::Figures& figures) {
  const int64_t threads = std::clamp<int64_t>(*figures.core_threads, 1, 1024);
  const int64_t cpus = CpusOf(figures.needs), below = cpus / threads * threads, above = below + threads;
  std::string counts = below > 0 ? std::to_string(below) : std::string();
  if (above <= CpusOf(figures.of)) counts += Concat(counts.empty() ? "" : " or ", std::to_string(above));
  return Concat("ask for ", counts.empty() ? Concat("a multiple of ", std::to_string(threads)) : counts,
                " cpu in container ", figures.container,
                ", or allow parts of cores there (full-pcpus-only of the CPU manager).");
}

// With the names that are known instead of those that stand for any. `now`: what is said of `node` now; null: nothing.
std::string AdviceFor(policy::Reason reason, std::string_view pod, std::string_view node,
                      const admin_api::PodDocument::Node* now, const admin_api::PodQuotaDocument* quota_now) {
  if (now != nullptr && now->reason != policy::Explained(reason)) now = nullptr;  // figures of another reason
  const bool crosses = now != nullptr && now->figures && !now->figures->one_zone;
  std::string text(policy::Advice(reason, crosses));
  if (now != nullptr && now->figures && now->figures->core_threads) text = WholeCoresAdvice(*now->figures);
  if (now != nullptr && !now->insists.empty()) {
    text = Concat("the pod insists on zones (", now->insists, "); without that ", node,
                  " would take it, without zones. Or run the exporter or agent there.");
  }
  if (now != nullptr && now->no_pod_fits) {
    text = Concat("nothing fits there: find what runs beside pods (`huygens explain node/", node,
                  "` shows its week), or raise the ceiling (usage.resources, or the annotation "
                  "huygens.dev/usage-ceilings).");
  }
  if (policy::NeverFits(reason) && now != nullptr && !now->never_fits && !now->no_pod_fits) {
    text = Concat(
        "its zones really give less than they claim: end what uses them outside of Kubernetes, or see who writes "
        "the figure (topology.realCapacity). Else: ",
        text);
  }
  if (now != nullptr && now->figures && !now->figures->unaccounted.empty()) {
    text = Concat("the topology object of ", node, " is probably out of date, for no pod known there holds what it ",
                  "says is taken: see whether its exporter runs (`huygens explain node/", node,
                  "` says when it was written). Else: ", text);
  }
  if (quota_now != nullptr) text = QuotaAdvice(reason, *quota_now, text);
  std::vector<std::pair<std::string, std::string>> names = {
      {"node/NAME", Concat("node/", node)},
      {"quota explain POD", Concat("quota explain ", pod)},
      {"-n NAMESPACE", Concat("-n ", pod.substr(0, pod.find('/')))}};
  if (quota_now != nullptr && !quota_now->group.empty()) {
    names.emplace_back("quota=GROUP", Concat("quota=", quota_now->group));
  }
  absl::StrReplaceAll(names, &text);
  return text;
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
                more > 0 ? Concat(", and of zones of ", std::to_string(more), more == 1 ? " node" : " nodes", " more,")
                         : std::string(),
                " is out of date: start whoever writes offline_capacity; the pod fits only where it is that much.\n");
}

}  // namespace

std::string WhatToDo(const admin_api::DecisionDocument& filter, const admin_api::PodDocument* pod_now,
                     const admin_api::PodQuotaDocument* quota_now, std::string_view left_above, bool of_gang) {
  const NodesNow now(pod_now);
  std::string text;
  std::vector<std::string> said;
  for (const Given& each : ReasonsOf(filter, now)) {
    std::string advice = AdviceFor(each.reason, filter.pod, each.node, now.Find(each.node), quota_now);
    if (!left_above.empty()) {
      absl::StrReplaceAll({{"what its parent has left: `", Concat("its parent ", left_above, ": `")}}, &advice);
    }
    if (std::ranges::find(said, advice) != said.end()) continue;
    const auto* there = now.Find(each.node);
    const bool uneven = there != nullptr && there->figures && there->figures->core_threads;
    // What sets it apart from others of the same text is not the cause then.
    text += Concat("- ", uneven ? policy::Text(each.reason) : policy::Explained(each.reason), ": ", advice, "\n");
    said.push_back(std::move(advice));
  }
  if (text.empty()) return text;
  std::string first;
  if (pod_now != nullptr && (!pod_now->not_understood.empty() || !IgnoredSettingsText(*pod_now).empty())) {
    first += "- mend what is marked with ! above; it counts as absent.\n";
  }
  const std::string model = policy::Explained(policy::Reason::kQuotaOtherModel);
  if (quota_now != nullptr && quota_now->model_nodes == 0 && text.find(model) == std::string::npos) {
    first += Concat("- ", model, ": ", policy::Advice(policy::Reason::kQuotaOtherModel), "\n");
  }
  first += OfStaleZones(filter, now);
  if (of_gang) {
    first +=
        "- its gang does not fit whole: fewer or smaller pods in it, or more nodes. To wait helps where pods of "
        "others hold the room, not where its own gang does.\n";
  }
  return Concat("\nWhat to do:\n", first, text);
}

}  // namespace huygens::reports
