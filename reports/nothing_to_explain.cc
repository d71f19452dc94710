#include "reports/nothing_to_explain.h"

#include <algorithm>
#include <span>

#include "base/nearest_name.h"
#include "base/text.h"
#include "reports/decision_text.h"
#include "reports/gang_text.h"
#include "reports/node_report.h"
#include "reports/nodes_now.h"
#include "reports/not_heard_of.h"
#include "reports/outgrown_line.h"
#include "reports/quota_report.h"
#include "reports/table.h"
#include "reports/what_to_do.h"
#include "reports/when.h"

namespace huygens::reports {

namespace {

constexpr size_t kMostRows = 40;  // of nodes

constexpr std::string_view kFails = "[-]";

std::vector<std::string_view> Failing(std::string_view readyz) {
  std::vector<std::string_view> failing;
  while (!readyz.empty()) {
    const std::string_view line = readyz.substr(0, readyz.find('\n'));
    if (line.starts_with(kFails)) failing.push_back(line.substr(kFails.size()));
    readyz.remove_prefix(std::min(line.size() + 1, readyz.size()));
  }
  return failing;
}

// "kubectl get pod -n NAMESPACE NAME" of a pod NAMESPACE/NAME.
std::string Kubectl(std::string_view verb, std::string_view pod) {
  const size_t slash = std::min(pod.find('/'), pod.size());
  return Concat("kubectl ", verb, " pod -n ", pod.substr(0, slash), " ", pod.substr(std::min(slash + 1, pod.size())));
}

// ": numa-4 has 1800m cpu unrequested, of 9 asked"
std::string RoomText(const admin_api::PodDocument& pod) {
  std::string text;
  for (const admin_api::PodDocument::Room& node : pod.room) {
    std::string lacks;
    for (size_t i = 0; i < std::min(node.asks.size(), node.unrequested.size()); ++i) {
      lacks += Concat(lacks.empty() ? "" : ", ", node.unrequested[i].second, " ", node.asks[i].first,
                      " unrequested, of ", node.asks[i].second, " asked");
    }
    text += Concat(text.empty() ? ": " : "; ", node.name, " has ", lacks);
  }
  return text;
}

std::string NoDecisionOn(std::string_view pod, std::string_view url) {
  return Concat("no decision on pod ", pod, " is remembered by the huygens at ", url,
                ": each remembers its own last 1000 since it started");
}

// What filter would say now of the nodes that would not take the pod.
admin_api::DecisionDocument AsIfAsked(const admin_api::PodDocument& pod) {
  admin_api::DecisionDocument filter;
  filter.verb = "filter";
  filter.pod = pod.pod;
  for (const admin_api::PodDocument::Node& node : pod.nodes)
    filter.nodes.push_back({.name = node.name, .reason = node.reason});
  return filter;
}

// " 3 nodes have not the labels of its nodeSelector (disk=ssd): a, b, c."; of all nodes that is the cause.
std::string NotSelectedText(const admin_api::PodDocument& pod) {
  const size_t count = pod.not_selected.size();
  if (count == 0) return "";
  const bool none = pod.fits.empty() && pod.fits_later.empty() && pod.nodes.empty() && pod.too_small == 0;
  if (none) {
    return Concat(" NO NODE has the labels of its nodeSelector (", pod.node_selector,
                  "): mend it, or label nodes so (`kubectl get nodes --show-labels`).");
  }
  return Concat(" ", std::to_string(count), count == 1 ? " node has" : " nodes have",
                " not the labels of its nodeSelector (", pod.node_selector, "): ", FirstNames(pod.not_selected), ".");
}

std::string RefusingTable(const admin_api::PodDocument& pod) {
  Table table({"NODE", "VERDICT"});
  const size_t shown = std::min(pod.nodes.size(), kMostRows);
  for (const admin_api::PodDocument::Node& node : std::span(pod.nodes).first(shown)) {
    table.AddRow({node.name, VerdictText(node)});
  }
  const size_t more = pod.nodes.size() - shown;
  return Concat(table.Text(),
                more > 0 ? Concat("... and ", std::to_string(more), " more; -o json lists all\n") : std::string());
}

}  // namespace

bool RefusesCalls(std::string_view readyz) {
  const std::vector<std::string_view> failing = Failing(readyz);
  const auto answers = [](std::string_view line) { return line.ends_with("answers are still given"); };
  return failing.empty() || !std::ranges::all_of(failing, answers);
}

std::string NotReadyText(std::string_view readyz) {
  std::string text = RefusesCalls(readyz) ? "huygens is not ready and refuses every call:"
                                          : "huygens is about to end, and still answers:";
  for (std::string_view line : Failing(readyz)) text += Concat("\n- ", line);
  return text;
}

std::string PlacedPodText(const admin_api::PodDocument& pod, std::string_view url, Time now) {
  const auto since = ParseRfc3339(pod.since);
  std::string text = Concat(NoDecisionOn(pod.pod, url), ", so why it is where it is can no longer be said.\n",
                            NotHeardText(pod.not_heard_of), "It is on ", pod.node,
                            pod.reservation.empty() ? "" : Concat(" (", pod.reservation, ")"),
                            since.ok() ? Concat(", since ", When(*since, now)) : std::string(),
                            !pod.zones.empty()     ? Concat(", and holds ", ToText(pod.zones))
                            : pod.no_zones.empty() ? std::string(", without zones")
                                                   : Concat(", without zones: ", pod.no_zones),
                            ".\n");
  for (const std::string& ignored : pod.not_understood) text += Concat("! ", ignored, "\n");
  text += OutgrownLine(pod);
  text.pop_back();
  return text;
}

std::string UndecidedPodText(const admin_api::PodDocument& pod, std::string_view url,
                             const admin_api::PodQuotaDocument* quota, std::string_view left_above) {
  std::string text = NoDecisionOn(pod.pod, url);
  text += Concat(", or kube-scheduler has not asked: its scheduler may be another (`", Kubectl("get", pod.pod),
                 " -o jsonpath={.spec.schedulerName}`), or another plugin refused all nodes (its Events).\n",
                 NotHeardText(pod.not_heard_of));
  for (const std::string& ignored : pod.not_understood) text += Concat("! ", ignored, "\n");
  text += UndecidedGangText(pod);
  text += Concat("\nIf it asked now, ", NodesText(pod.fits.size()),
                 pod.fits.empty() ? "" : Concat(" (", FirstNames(pod.fits), ")"),
                 " could take the pod, by what huygens looks at, by requests and by its nodeSelector.");
  if (!pod.fits_later.empty()) {
    text += Concat(" ", std::to_string(pod.fits_later.size()), " more (", FirstNames(pod.fits_later),
                   ") lack room only for the requests of other pods", RoomText(pod), ".");
  }
  if (pod.too_small > 0) {
    text += Concat(" ", std::to_string(pod.too_small), pod.too_small == 1 ? " node is" : " nodes are",
                   " too small for its requests, whoever leaves ", pod.too_small == 1 ? "it." : "them.");
  }
  text += NotSelectedText(pod);
  text += " Not looked at are taints, affinity, spread, ports and volumes: of these the pod's Events tell.\n";
  if (!pod.nodes.empty()) text += Concat("These would not:\n\n", RefusingTable(pod), IgnoredSettingsText(pod));
  if (quota != nullptr && quota->verdict == "refused") {
    text += Concat("\n", RefusalText(*quota), "\n", UsedByText(*quota), NoModelText(*quota));
  } else if (quota != nullptr && quota->model_nodes == 0) {
    text += Concat("\n", NoModelText(*quota));
  }
  const bool of_gang = !pod.gang_refused.empty();
  // What others lack is no cause where some would do.
  text += pod.fits.empty() ? WhatToDo(AsIfAsked(pod), &pod, quota, left_above, of_gang)
          : of_gang
              ? Concat("\nWhat to do:\n", GangAdvice())
              : Concat("\nWhat to do:\n- see why kube-scheduler does not take ", FirstNames(pod.fits), ": `",
                       Kubectl("describe", pod.pod), "` has it in the Events.\n",
                       pod.not_understood.empty() ? "" : "- mend what is marked with ! above; it counts as absent.\n");
  text.pop_back();
  return text;
}

std::string UnknownPodText(std::string_view pod, std::string_view url, bool is_node) {
  const std::string node = is_node ? Concat("; there is a Node called ", pod.substr(pod.find('/') + 1),
                                            ": huygens explain node/", pod.substr(pod.find('/') + 1))
                                   : std::string();
  return Concat("no decision on pod ", pod, " is remembered by the huygens at ", url, node,
                is_node ? ".\nElse that means one of these:\n" : ".\nThat means one of these:\n",
                "- the name or namespace is another (give -n NAMESPACE, or NAMESPACE/NAME, or the UID);\n"
                "- kube-scheduler has not asked yet: spec.schedulerName names one without huygens as extender (`",
                Kubectl("get", pod),
                " -o\n"
                "  jsonpath={.spec.schedulerName}`), or another plugin of it refused all nodes before (its Events);\n"
                "- the decision is older than the last 1000, or than the start of this huygens;\n"
                "- another instance of huygens decided: each remembers its own.");
}

std::string UnknownNodeText(std::string_view node, std::string_view url, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view nearest = NearestName(node, views);
  return Concat("no Node called ", node, " is known to the huygens at ", url,
                nearest.empty() ? std::string() : Concat("; did you mean node/", nearest, "?"), "\nIt knows ",
                NodesText(names.size()), "; `kubectl get nodes` and /debug/nodes list them.");
}

}  // namespace huygens::reports
