#include <algorithm>
#include <cstdio>

#include "base/duration_text.h"
#include "base/text.h"
#include "preflight/usage.h"

namespace huygens::preflight {

namespace {

using Names = std::vector<std::string>;

constexpr AddTo Add{Group::kUsage};

std::string Percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f%%", share * 100);
  return text;
}

// Nodes of the cluster that `measured` does not name.
Names Unmeasured(const placement::Placement& placement, Names measured) {
  std::ranges::sort(measured);
  Names missing;
  for (cluster::NodeIndex index = 0; index < placement.state().NodeSlots(); ++index) {
    const cluster::Node* node = placement.state().GetNode(index);
    if (node && !std::ranges::binary_search(measured, node->name)) missing.push_back(node->name);
  }
  return missing;
}

// What a node without figures means for pods.
std::string Absent(const settings::UsageResource& resource) {
  switch (resource.when_absent) {
    case usage::WhenUnknown::kReject:
      return "Pods are refused there (whenAbsent: reject).";
    case usage::WhenUnknown::kPass:
      return "The check lets every pod pass there (whenAbsent: pass).";
    case usage::WhenUnknown::kUseRequests:
      break;
  }
  return "Requests and limits stand for use there (whenAbsent: useRequests).";
}

// Whether the check goes on refusing where nothing at all is measured: it steps aside with too many nodes without
// figures, and only reports without history.
bool RefusesUnmeasured(const settings::UsageConfiguration& usage) {
  return usage.max_stale_nodes >= usage::kMillion && usage.min_history == Duration::zero();
}

// What it means for pods that nothing is measured, of the resource or at all, on any node.
constexpr std::string_view kRefusesNothing =
    "Meanwhile nothing is refused for use (usage.maxStaleNodes, usage.minHistory).";
std::string NothingMeasured(const settings::UsageResource& resource, const settings::UsageConfiguration& usage) {
  return RefusesUnmeasured(usage) ? Absent(resource) : std::string(kRefusesNothing);
}
std::string_view NothingMeasured(const settings::UsageConfiguration& usage) {
  return RefusesUnmeasured(usage) ? "Requests and limits stand for use meanwhile, or what whenAbsent says."
                                  : kRefusesNothing;
}
Severity NothingMeasuredSeverity(const settings::UsageResource& resource, const settings::UsageConfiguration& usage) {
  const bool rejects = resource.ceiling && resource.when_absent == usage::WhenUnknown::kReject;
  return rejects && RefusesUnmeasured(usage) ? Severity::kError : Severity::kWarning;
}

std::string_view Name(usage_sources::NodeSource source) {
  switch (source) {
    case usage_sources::NodeSource::kCadvisor:
      return "cAdvisor (id=\"/\")";
    case usage_sources::NodeSource::kNodeExporter:
      return "node_exporter";
    case usage_sources::NodeSource::kKubelet:
      break;
  }
  return "kubelet's /metrics/resource";
}

class Resource {
 public:
  Resource(const ResourceSeries& series, const settings::UsageResource& resource, const placement::Placement& placement,
           const settings::UsageConfiguration& usage, Findings& findings)
      : series_(series), resource_(resource), placement_(placement), usage_(usage), findings_(findings) {}

  void Judge() {
    if (!series_.workloads.ok()) return Failed("what pods use", series_.workloads.status());
    if (*series_.workloads == 0) return NoWorkloads();  // what nodes use beyond pods is not looked at then either
    Workloads();
    if (!series_.nodes.ok()) return Failed("what nodes use", series_.nodes.status());
    if (!series_.sources.ok()) return Failed("where whole nodes are measured", series_.sources.status());
    Nodes();
    OtherSources();
  }

 private:
  void Failed(std::string_view what, const Status& status) {
    Add(findings_, NothingMeasuredSeverity(resource_, usage_),
        Concat(series_.name, ": asking Prometheus ", what, " failed"), std::string(Message(status)));
  }

  void NoWorkloads() {
    std::string why = NothingMeasured(resource_, usage_), mend;
    if (series_.own_pods) {
      mend = Concat("try the podQuery of ", series_.name,
                    " in Prometheus: it must give series with the labels namespace, pod and node");
    } else if (series_.metric.empty()) {
      mend = "see whether Prometheus still evaluates the rules of config/prometheus";
    } else if (series_.unmatched.ok() && *series_.unmatched > 0) {
      std::string matchers;
      for (const std::string& each : usage_.prometheus->matchers) matchers += Concat(matchers.empty() ? "" : ",", each);
      why = Concat("There are ", std::to_string(*series_.unmatched), " series ", series_.metric, ", none of them with ",
                   matchers, ". ", why);
      mend =
          Concat("see which labels they have: topk(3, ", series_.metric,
                 ") in Prometheus\n"
                 "a Prometheus adds its external_labels only to what it sends on: ask the store with the matcher, or "
                 "that Prometheus without");
    } else if (series_.all.ok() && *series_.all == 0) {
      why = Concat("There is no series ", series_.metric,
                   " at all: Prometheus does not scrape kubelets' /metrics/cadvisor. ", why);
      mend = "scrape kubelets' /metrics/cadvisor (kube-prometheus-stack: kubelet.enabled=true)";
    } else if (series_.of_pods.ok() && *series_.of_pods == 0) {
      why = Concat("There are series ", series_.metric,
                   ", none of them with the labels pod and container: relabelling drops them. ", why);
      mend = "keep the labels namespace, pod and container in metric_relabel_configs";
    } else {
      why = Concat("There are series ", series_.metric,
                   " with pod and container, but no value of the last five minutes. ", why);
      mend = "see whether the targets are up: Prometheus, Status, Targets";
    }
    Add(findings_, NothingMeasuredSeverity(resource_, usage_), Concat(series_.name, ": no pod is measured"),
        std::move(why), std::move(mend));
  }

  void Workloads() {
    const bool recorded = series_.recorded_workloads;
    Add(findings_, Severity::kOk,
        Concat(series_.name, ": ", std::to_string(*series_.workloads), recorded ? " recorded" : "",
               " series of workloads now"));
    if (!recorded && !series_.own_pods && usage_.replica_quantile == usage::kMillion) {
      Add(findings_, Severity::kWarning, Concat(series_.name, ": there is no recording rule"),
          "Each start asks Prometheus for the whole window of raw series, which takes long and may be refused.",
          "see config/prometheus/README.md: load config/prometheus/rules.yaml into Prometheus");
    }
    if (series_.covered.ok() && *series_.covered >= 0 && *series_.covered < 0.95) {
      Add(findings_, *series_.covered < 0.15 ? Severity::kWarning : Severity::kOk,
          Concat(series_.name, ": history covers ", Percent(*series_.covered), " of usage.window (",
                 DurationText(usage_.window), ")"),
          "Peaks of the rest of the week are not known yet.");
    } else if (!series_.covered.ok()) {
      Failed("how far its history reaches", series_.covered.status());
    }
    History();
    if (series_.scraped.ok() && *series_.scraped > 1) {
      Add(findings_, Severity::kOk,
          Concat(series_.name, ": the same container is there ", std::to_string(*series_.scraped), " times"),
          "Two Prometheuses, or two scrape jobs. The usual series count once; queries of your own do not see to that.");
    }
  }

  // Workloads come and go in every cluster; only where none is older there is nothing to go by.
  void History() {
    if (!series_.history.ok()) return Failed("since when workloads are measured", series_.history.status());
    const auto& [workloads, young] = *series_.history;
    if (young.empty()) return;
    const bool all = young.size() == workloads;
    const std::string enough = DurationText(usage_.min_history);
    Add(findings_, all ? Severity::kWarning : Severity::kOk,
        Concat(series_.name, ": ", std::to_string(young.size()), " of ", Counted(workloads, "workload"),
               young.size() == 1 ? " has" : " have", " less than ", enough,
               " of history (usage.minHistory): ", SomeOf(young)),
        all ? Concat("Until ", enough, " were measured the check refuses nothing, and only reports.")
            : "Estimates from their requests and limits count meanwhile.");
  }

  void Nodes() {
    const Names missing = Unmeasured(placement_, *series_.nodes);
    if (missing.empty()) return;
    const size_t nodes = placement_.state().NodeCount();
    if (missing.size() < nodes) {
      Add(findings_, Severity::kWarning,
          Concat(series_.name, ": use of ", Counted(missing.size(), "node"), " of ", std::to_string(nodes),
                 " not measured: ", SomeOf(missing)),
          Concat("What runs there beside pods is not counted. ", Absent(resource_)),
          "see whether these targets are up: Prometheus, Status, Targets");
      return;
    }
    // Nodes whose pods are measured are not absent: nothing is refused for it.
    Add(findings_, Severity::kWarning, Concat(series_.name, ": pods but no nodes are measured"),
        "What runs on nodes beside pods is not counted.", HowToMeasureNodes(missing.front()));
  }

  // `node`: one of the cluster's.
  std::string HowToMeasureNodes(const std::string& node) const {
    if (series_.own_nodes) {
      return Concat("try the nodeQuery of ", series_.name,
                    " in Prometheus: it must give series with the label node, the Node's name, such as ", node);
    }
    if (!series_.nodes->empty()) {
      return Concat("the label node must be the Node's name, such as ", node, ", not ", series_.nodes->front());
    }
    if (!series_.sources->empty()) {
      const WholeNodes& found = series_.sources->front();
      return Concat(
          Name(found.source), " measures ", SomeOf(found.nodes), ", and a Node's name is, for example, ", node,
          ":\nadd a label node to these series, or scrape kube-state-metrics, whose kube_node_info says which "
          "Node has that address");
    }
    const std::string metric(usage_sources::UsualMetric(series_.name));
    if (metric.empty())
      return Concat("add a nodeQuery to ", series_.name, ": all that each node uses, with a label node");
    const bool kubelet = !usage_sources::NodeSeries(series_.name, usage_sources::NodeSource::kKubelet, {}).empty();
    return Concat("one of these (in brackets what it is in kube-prometheus-stack):\n",
                  "- run node_exporter, and kube-state-metrics with it (nodeExporter.enabled: true)\n", "- keep ",
                  metric,
                  "{id=\"/\"} of kubelets' /metrics/cadvisor (kubelet.serviceMonitor.cAdvisorMetricRelabelings: [])",
                  kubelet ? "\n- scrape kubelets' /metrics/resource (kubelet.serviceMonitor.resource: true)" : "");
  }

  void OtherSources() {
    if (series_.nodes->empty()) return;
    std::string text;
    for (const auto& [source, nodes] : *series_.sources) {
      if (source == usage_sources::NodeSource::kCadvisor) continue;
      text +=
          Concat(text.empty() ? "" : ", ", Name(source), " (", Counted(nodes.size(), "node"), ": ", SomeOf(nodes), ")");
    }
    if (text.empty()) return;
    Add(findings_, Severity::kOk, Concat(series_.name, ": whole nodes are measured by ", text),
        Concat(Name(usage_sources::NodeSource::kCadvisor), " is missing there; this does as well."));
  }

  const ResourceSeries& series_;
  const settings::UsageResource& resource_;
  const placement::Placement& placement_;
  const settings::UsageConfiguration& usage_;
  Findings& findings_;
};

}  // namespace

Findings JudgePrometheus(const PrometheusSeries& series, const placement::Placement& placement,
                         const settings::Configuration& configuration) {
  Findings findings;
  const std::vector<settings::UsageResource>& resources = configuration.usage.resources;
  if (!series.reachable.ok()) {
    const bool rejects = std::ranges::any_of(resources, [&](const auto& each) {
      return NothingMeasuredSeverity(each, configuration.usage) == Severity::kError;
    });
    const bool refused = absl::IsUnauthenticated(series.reachable);  // says what to check, and is so from everywhere
    Add(findings, rejects ? Severity::kError : Severity::kWarning,
        Concat("Prometheus at ", series.url, " cannot be asked"),
        Concat(Message(series.reachable), ". ",
               refused || !series.elsewhere
                   ? ""
                   : "So it is from this machine; where huygens runs it may be otherwise: run preflight in its pod. ",
               NothingMeasured(configuration.usage)),
        refused ? "" : "usage: {prometheus: {url: http://PROMETHEUS:9090}}");
    return findings;
  }
  if (!series.warnings.empty()) {
    Add(findings, Severity::kWarning, "Prometheus warns that its answers may be partial",
        Concat(SomeOf(series.warnings), ". What is missing below may be there all the same."));
  }
  const bool pods = std::ranges::any_of(
      series.resources, [](const ResourceSeries& each) { return each.workloads.ok() && *each.workloads > 0; });
  if (pods && series.owners.ok() && *series.owners == 0) {
    Add(findings, Severity::kWarning, "there is no series kube_pod_owner",
        "Without kube-state-metrics history belongs to the pod, not to its workload: a replaced pod begins anew.",
        "scrape kube-state-metrics");
  }
  for (size_t i = 0; i < std::min(series.resources.size(), resources.size()); ++i) {
    Resource(series.resources[i], resources[i], placement, configuration.usage, findings).Judge();
  }
  return findings;
}

Findings JudgeMetrics(const MetricsAnswers& answers, const placement::Placement& placement,
                      const settings::Configuration& configuration, Time now) {
  Findings findings;
  const std::vector<settings::UsageResource>& resources = configuration.usage.resources;
  const bool rejects = std::ranges::any_of(resources, [&](const auto& each) {
    return NothingMeasuredSeverity(each, configuration.usage) == Severity::kError;
  });
  const Status fault = answers.nodes.ok() ? answers.pods.status() : answers.nodes.status();
  if (!fault.ok()) {
    Add(findings, rejects ? Severity::kError : Severity::kWarning,
        absl::IsNotFound(fault) ? "nothing measures real use: there is no metrics API"
                                : "the metrics API does not answer",
        Concat(Message(fault), ". ", NothingMeasured(configuration.usage)),
        "install metrics-server, or set usage.prometheus.url; to leave use out: take usage out of filter.checks");
    return findings;
  }
  Names fresh;
  size_t stale = 0;
  for (const wire::ResourceMetrics& each : *answers.nodes) {
    if (each.timestamp && now - *each.timestamp <= configuration.usage.stale_after) {
      fresh.push_back(each.name);
    } else {
      ++stale;
    }
  }
  const Names missing = Unmeasured(placement, fresh);
  Add(findings, Severity::kOk,
      Concat("the metrics API measures ", Counted(fresh.size(), "node"), " and ",
             Counted(answers.pods->size(), "pod")));
  if (!missing.empty()) {
    Add(findings, Severity::kWarning,
        Concat(Counted(missing.size(), "node"), " without fresh figures: ", SomeOf(missing)),
        stale > 0 ? Concat("Figures of ", Counted(stale, "node"), " are older than usage.staleAfter.")
                  : "metrics-server cannot reach kubelet there.",
        "kubectl -n kube-system logs deployment/metrics-server");
  }
  for (const settings::UsageResource& each : resources) {
    if (each.name == "cpu" || each.name == "memory") continue;
    Add(findings, NothingMeasuredSeverity(each, configuration.usage),
        Concat("the metrics API does not know ", each.name), NothingMeasured(each, configuration.usage),
        "usage: {prometheus: {url: http://PROMETHEUS:9090}}");
  }
  if (configuration.usage.history_file.empty()) {
    Add(findings, Severity::kWarning, "usage.historyFile is not set",
        "The history of the week begins anew with each start.", "usage: {historyFile: /var/lib/huygens/usage-history}");
  }
  return findings;
}

}  // namespace huygens::preflight
