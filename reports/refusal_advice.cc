#include "reports/refusal_advice.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "admin_api/amounts.h"
#include "base/quantity.h"
#include "base/text.h"
#include "policy/explained.h"
#include "reports/quota_advice.h"

namespace huygens::reports {

namespace {

using admin_api::PodDocument;
using policy::Reason;
using Node = PodDocument::Node;

constexpr std::string_view kSeveralZones = "allow several zones (topology.crane.io/topology-awareness: \"false\"";

template <typename Predicate>
const Node* First(NodesOfReason nodes, Predicate predicate) {
  const auto found = std::ranges::find_if(nodes, [&](const Node* node) { return predicate(*node); });
  return found == nodes.end() ? nullptr : *found;
}

// Whole ones; 0 where there are none.
int64_t CpusOf(const admin_api::Amounts& amounts) {
  const std::optional<Quantity> cpu = admin_api::QuantityOf(amounts, "cpu");
  return cpu ? cpu->MilliValue() / 1000 : 0;
}

// "ask for 6 or 8 cpu in container app, or allow parts of cores there ..."
std::string WholeCoresAdvice(const PodDocument::Figures& figures) {
  const int64_t threads = std::clamp<int64_t>(*figures.core_threads, 1, 1024);
  const int64_t cpus = CpusOf(figures.needs), below = cpus / threads * threads, above = below + threads;
  std::string counts = below > 0 ? std::to_string(below) : std::string();
  if (above <= CpusOf(figures.of)) counts += Concat(counts.empty() ? "" : " or ", std::to_string(above));
  return Concat("ask for ", counts.empty() ? Concat("a multiple of ", std::to_string(threads)) : counts,
                " cpu in container ", figures.container,
                ", or allow parts of cores there (full-pcpus-only of the CPU manager).");
}

// ", allow several zones (...: n1 would take it so now)"; empty where that would not help, or is asked for already.
std::string SeveralZones(NodesOfReason nodes) {
  const auto says = [](const Node* node, std::string_view what) {
    return node == nullptr ? std::string() : Concat(", ", kSeveralZones, ": ", node->name, what, ")");
  };
  if (const Node* node = First(nodes, [](const Node& each) { return each.fits_across && each.unrequested.empty(); })) {
    return says(node, " would take it so now");
  }
  if (const Node* node = First(nodes, [](const Node& each) { return each.fits_across; })) {
    return says(node, Concat(" would hold it so, once more than ", admin_api::AmountsText(node->unrequested),
                             " is unrequested there"));
  }
  return says(First(nodes, [](const Node& each) { return each.holds_across; }),
              " would hold it so, once pods there end");
}

bool IsTaken(Reason reason) { return policy::CurableByVictims(reason) && reason != Reason::kUsageCeiling; }

std::string TakenAdvice(NodesOfReason nodes) {
  const bool none_large_enough = std::ranges::all_of(nodes, [](const Node* node) { return node->never_fits; });
  if (none_large_enough) {
    return "no pod that ends would help: what it requests is more than the whole node has. Ask for less, or add larger "
           "nodes.";
  }
  const std::string smaller = ZoneHolds(nodes, /*empty=*/false);
  return Concat("it fits once pods there end: wait, give it a priority by which kube-scheduler may preempt",
                SeveralZones(nodes), smaller.empty() ? "" : Concat(", make it a pod", smaller),
                ", or add nodes. `huygens explain node/NAME` shows who holds the zones.");
}

std::string TooSmallAdvice(Reason reason, NodesOfReason nodes) {
  const bool of_kubelet = reason != Reason::kZonesTooSmall && reason != Reason::kTooFewCores;
  const std::string smaller = ZoneHoldsNowOrEmpty(nodes);
  const bool across = !of_kubelet && std::ranges::all_of(nodes, [](const Node* node) {
    return node->figures && !node->figures->one_zone;
  });
  return Concat(
      of_kubelet ? "kubelet would never admit it there (TopologyAffinityError): " : "no pod that ends would help: ",
      smaller.empty() ? std::string("ask for less") : Concat("make it a pod", smaller), SeveralZones(nodes),
      across ? ", or add larger nodes" : ", or add nodes with larger zones",
      of_kubelet ? " or another topology manager policy." : ".");
}

std::string CeilingAdvice(Reason reason, NodesOfReason nodes, std::string_view node) {
  if (std::ranges::none_of(nodes, [](const Node* each) { return each->ceiling || each->no_pod_fits; })) {
    return std::string(policy::Advice(reason));  // by another version of huygens, which says less
  }
  if (std::ranges::all_of(nodes, &Node::no_pod_fits)) {
    return Concat("nothing fits there: find what runs beside pods (`huygens explain node/", node,
                  "` shows its week), or raise the ceiling (usage.resources, or the annotation "
                  "huygens.dev/usage-ceilings).");
  }
  const bool too_low = reason == Reason::kUsageCeilingTooLow;
  const bool has_pods =
      !too_low && First(nodes, [](const Node& each) { return each.ceiling && each.ceiling->has_pods; });
  const std::string smaller = CeilingHolds(nodes);
  return Concat(too_low    ? "no pod that ends would help: "
                : has_pods ? "move or end pods that use much there, "
                           : "",
                smaller.empty() ? "" : Concat("make it a pod", smaller, ", "),
                "raise the ceiling (usage.resources, or the annotation huygens.dev/usage-ceilings), or add ",
                too_low ? "larger nodes." : "nodes; `huygens explain node/NAME` shows a node's week by pod.");
}

std::string NoTopologyAdvice(NodesOfReason nodes) {
  const auto insisting = [](const Node& each) { return !each.insists.empty(); };
  std::string text;
  if (const Node* gave_up = First(nodes, [](const Node& each) { return each.gave_up_topology; })) {
    text =
        Concat("the NodeResourceTopology of ", gave_up->name,
               " was deleted: see why its exporter or agent does not write it anew, or apply its definition again if "
               "that went, too (`kubectl apply -k config/crd`). ");
  }
  if (const Node* node = First(nodes, insisting)) {
    return Concat(text, text.empty() ? "the" : "The", " pod insists on zones (", node->insists, "); without that ",
                  node->name, " would take it, without zones.",
                  text.empty() ? " Or run the exporter or agent there." : "");
  }
  if (First(nodes, [](const Node& each) { return each.demands_topology; })) {
    return Concat(
        text, text.empty() ? "run the exporter or agent there, or" : "Or",
        " let pods go there without zones (topology.nodesWithoutTopology: pass, and neither topology-awareness: "
        "\"true\" nor huygens.dev/smt on the pod).");
  }
  if (!text.empty()) return Concat(text, "Without zones the pod would not fit there either.");
  return "run the exporter or agent there. The pod insists on zones, and without them would not fit there either.";
}

std::string CoresAdvice(NodesOfReason nodes) {
  const Node* pinned = First(nodes, [](const Node& each) { return each.gives_no_cores; });
  if (pinned == nullptr) return std::string(policy::Advice(Reason::kUnknownCores));
  const Node* takes = First(nodes, [](const Node& each) { return each.gives_no_cores && !each.insists.empty(); });
  const std::string never = Concat("kubelet pins on ", pinned->name, " and never gives what huygens.dev/smt asks for");
  const std::string without =
      takes == nullptr ? std::string() : Concat(": without that annotation ", takes->name, " would take the pod");
  if (!std::ranges::all_of(nodes, &Node::gives_no_cores)) {
    return Concat(policy::Advice(Reason::kUnknownCores), " But ", never, without, ".");
  }
  return Concat(
      never, without.empty() ? ": leave that annotation away, or add nodes whose agent pins and lists cores" : without,
      ".");
}

// Of nodes of which something is said now.
std::string AdviceByFigures(Reason reason, std::string_view node, NodesOfReason now) {
  const Node* uneven = First(now, [](const Node& each) { return each.figures && each.figures->core_threads; });
  if (uneven != nullptr) return WholeCoresAdvice(*uneven->figures);
  if (reason == Reason::kNoTopology) return NoTopologyAdvice(now);
  if (reason == Reason::kUnknownCores) return CoresAdvice(now);
  if (reason == Reason::kUsageCeiling || reason == Reason::kUsageCeilingTooLow) {
    return CeilingAdvice(reason, now, node);
  }
  if (IsTaken(reason)) return TakenAdvice(now);
  return policy::NeverFits(reason) ? TooSmallAdvice(reason, now) : std::string(policy::Advice(reason));
}

// What is likely to be wrong with what the figures rest on, which comes first.
std::string DoubtsOf(Reason reason, NodesOfReason now) {
  const Node* less = First(now, [](const Node& each) { return !each.never_fits && !each.no_pod_fits; });
  std::string text;
  if (const Node* node =
          First(now, [](const Node& each) { return each.figures && !each.figures->unaccounted.empty(); })) {
    text = Concat("the topology object of ", node->name,
                  " is probably out of date, for no pod known there holds what it says is taken: see whether its "
                  "exporter runs (`huygens explain node/",
                  node->name, "` says when it was written). Else: ");
  }
  if (policy::NeverFits(reason) && less != nullptr) {
    text += Concat("the zones of ", less->name,
                   " really give less than they claim: end what uses them outside of Kubernetes, or see who writes the "
                   "figure (topology.realCapacity). Else: ");
  }
  return text;
}

}  // namespace

std::string RefusalAdvice(Reason reason, std::string_view pod, std::string_view node, NodesOfReason now,
                          const admin_api::PodQuotaDocument* quota_now) {
  std::string text = now.empty() ? std::string(policy::Advice(reason))
                                 : Concat(DoubtsOf(reason, now), AdviceByFigures(reason, node, now));
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

}  // namespace huygens::reports
