#include "reports/gang_text.h"

#include <algorithm>
#include <vector>

#include "admin_api/amounts.h"
#include "base/text.h"
#include "reports/decision_text.h"
#include "reports/nodes_now.h"

namespace huygens::reports {

namespace {

using admin_api::DecisionDocument;
using admin_api::PodDocument;

std::string OfGang(const PodDocument& pod) {
  return Concat("It is of the gang ", pod.gang, " (spec.schedulingGroup), which is placed whole or not at all: ");
}

std::vector<std::string> OthersOf(const PodDocument& pod) {
  std::vector<std::string> others = pod.gang_waits;
  std::erase(others, pod.pod);
  return others;
}

// "Together the 8 pods of it that have no node request 32 cpu; all nodes together have 30 cpu unrequested.\n"
std::string NeedsText(const PodDocument& pod) {
  const size_t waits = pod.gang_waits.size() + static_cast<size_t>(pod.gang_waits_more);
  if (waits < 2 || pod.gang_needs.empty()) return "";
  return Concat("Together the ", std::to_string(waits), " pods of it that have no node request ",
                admin_api::AmountsText(pod.gang_needs),
                pod.gang_room.empty() ? std::string()
                                      : Concat("; all nodes together have ", admin_api::AmountsText(pod.gang_room),
                                               " unrequested, in pieces"),
                ".\n");
}

std::string MoreText(const PodDocument& pod) {
  return pod.gang_waits_more > 0 ? Concat(" and ", std::to_string(pod.gang_waits_more), " more") : std::string();
}

// Most of those that wait were never asked about, so only one that was refused can say why.
std::string RefusedText(const PodDocument& pod) {
  if (pod.gang_refused.empty()) return "; of none of them it is known here that filter refused it";
  return Concat("; refused was ", pod.gang_refused, ": `huygens explain ", pod.gang_refused, "` says why");
}

// Of a pod that got a node.
std::string OthersWait(const DecisionDocument& filter, const PodDocument& pod) {
  const std::vector<std::string> others = OthersOf(pod);
  const auto promised = std::ranges::find_if(filter.nodes, [](const auto& node) { return node.kept; });
  const std::string had =
      promised == filter.nodes.end() ? std::string("it could have a node") : Concat("it was promised ", promised->name);
  if (others.empty()) return Concat(OfGang(pod), had, ", and no other pod of it is known to wait for one.\n");
  return Concat(OfGang(pod), had, ", but ", std::to_string(others.size() + static_cast<size_t>(pod.gang_waits_more)),
                " of its other pods have no node now (", FirstNames(others), MoreText(pod), ")", RefusedText(pod),
                ".\n", NeedsText(pod));
}

}  // namespace

std::string GangAdvice() {
  return "- its gang does not fit whole: fewer or smaller pods in it, or more nodes. To wait helps where pods of "
         "others hold the room, not where its own gang does.\n";
}

bool GangWaits(const PodDocument& pod) { return !OthersOf(pod).empty(); }

std::string GangText(const DecisionDocument& filter, const PodDocument& pod) {
  if (Feasible(filter) > 0) return OthersWait(filter, pod);
  const auto& facts = filter.facts;
  const int64_t others = facts ? facts->gang_holds.value_or(0) : 0;
  const int64_t all = facts ? facts->gang_pods.value_or(0) : 0;  // 0: a huygens before this field wrote it
  const std::string of = all > 0 ? Concat(" of its ", std::to_string(all), " unbound pods") : " of them";
  const std::string had =
      others > 0 ? Concat("; ", std::to_string(others), of,
                          " had a node by then, which is given back after seconds: nodes may look free now")
                 : "";
  return Concat(OfGang(pod), "what filter promised its other pods counts as taken for this one", had, ".\n",
                NeedsText(pod));
}

std::string UndecidedGangText(const PodDocument& pod) {
  if (pod.gang.empty()) return "";
  const std::vector<std::string> others = OthersOf(pod);
  if (others.empty()) return Concat(OfGang(pod), "no other pod of it waits for a node.\n");
  return Concat(OfGang(pod), "kube-scheduler asks about its pods one after the other, and gives all up at one that ",
                "fits nowhere. Of the others wait ", FirstNames(others), MoreText(pod), RefusedText(pod), ".\n",
                NeedsText(pod));
}

}  // namespace huygens::reports
