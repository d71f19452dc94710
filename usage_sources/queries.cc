#include "usage_sources/queries.h"

#include "base/millionths.h"
#include "base/text.h"

namespace huygens::usage_sources {
namespace {

// config/prometheus/rules.yaml writes these, with a label `resource`.
constexpr std::string_view kRecordedWorkloads = "huygens:workload_usage";
constexpr std::string_view kRecordedNodes = "huygens:node_system_usage";

std::string WithOwner(std::string_view pods, std::string_view owners) {
  return Concat("(", pods, ") * on (namespace, pod) group_left (owner_kind, owner_name) ", owners,
                " or on (namespace, pod) (", pods, ")");
}

// Of owners whose pods are alike the pod's name says nothing, nor does the node of any but a DaemonSet's; without them
// thousands of series become one. Until they are one the label `replica` tells them apart.
std::string ByWorkload(std::string_view pods, int64_t quantile) {
  const std::string by = "by (namespace, pod, node, owner_kind, owner_name) (";
  const std::string highest =
      quantile == usage::kMillion ? Concat("max ", by) : Concat("quantile ", by, MillionthsText(quantile), ", ");
  return Concat(highest, "label_replace(label_join(label_replace(label_join(", pods,
                R"q(, "replica", "|", "node", "pod"), "pod", "", "owner_kind", )q",
                R"q("ReplicaSet|Job|DaemonSet|ReplicationController|CloneSet"), "node", "|", "owner_kind", "node"), )q",
                R"q("node", "$1", "node", "(?:DaemonSet)?[|](.*)|.*")))q");
}

// `nodes`: whole nodes. Of these `lone` may stand for themselves where no pod of theirs is measured, since they come
// from the same scrape as pods do. Nothing where no pod at all is measured: all that the nodes use would pass for use
// beyond pods. Without `nodes` it says of which nodes the pods are measured, and no more.
std::string BeyondPods(std::string_view nodes, std::string_view lone, std::string_view pods) {
  const std::string of_pods = Concat("sum by (node) (", pods, ")");
  if (nodes.empty()) return Concat(of_pods, " * NaN");
  return Concat("clamp_min((", nodes, ") - ", of_pods, ", 0) or ", of_pods, " * NaN or (", lone, ") and on () count(",
                pods, ")");
}

std::string WholeNodes(std::string_view resource, const Scope& scope) {
  std::string nodes;
  for (const NodeSource source : {NodeSource::kCadvisor, NodeSource::kNodeExporter, NodeSource::kKubelet}) {
    const std::string each = NodeSeries(resource, source, scope);
    if (!each.empty()) nodes += Concat(nodes.empty() ? "" : " or ", each);
  }
  return nodes;
}

// Of series that differ by replica labels alone one.
std::string Once(std::string_view own, const Scope& scope) {
  std::string labels;
  for (const std::string& each : scope.replica_labels) labels += Concat(labels.empty() ? "" : ", ", each);
  return labels.empty() ? std::string(own) : Concat("max without (", labels, ") (", own, ")");
}

std::string Recorded(std::string_view name, std::string_view resource, const Scope& scope, std::string_view part = {}) {
  return Selector(name, scope, {Concat(R"(resource=")", resource, "\""), part});
}

std::string Milliseconds(Duration duration) {
  return Concat(std::to_string(std::chrono::ceil<std::chrono::milliseconds>(duration).count()), "ms");
}

}  // namespace

std::vector<Part> Part::Split(bool recorded) const {
  std::vector<Part> parts;
  for (const Shard& each : name.Split()) parts.push_back({each, owner});
  if (!parts.empty() || !recorded) return parts;
  for (const Shard& each : owner.Split()) parts.push_back({name, each});
  return parts;
}

Expression WorkloadsIn(const Part& part, std::string_view resource, int64_t quantile, const Scope& scope) {
  const std::string pod = part.name.Matcher("pod"), owner = part.owner.Matcher("owner_name");
  Expression result;
  if (quantile == usage::kMillion) {
    const std::string names = Concat(pod, pod.empty() || owner.empty() ? "" : ",", owner);
    result.recorded = Recorded(kRecordedWorkloads, resource, scope, names);
  }
  const std::string space = part.name.Matcher("namespace");
  if (const std::string pods = PodSeries(resource, scope, space); !pods.empty()) {
    result.raw = ByWorkload(WithOwner(pods, OwnerSeries(scope, space)), quantile);
  }
  return result;
}

Expressions ExpressionsFor(std::string_view resource, const ResourceQueries& own, int64_t quantile,
                           const Scope& scope) {
  Expressions result;
  std::string pods = PodSeries(resource, scope);
  if (own.pods.empty()) {
    result.workloads = WorkloadsIn(Part(), resource, quantile, scope);
    if (own.nodes.empty()) result.nodes.recorded = Recorded(kRecordedNodes, resource, scope);
  } else {
    pods = Concat("sum by (namespace, pod, node, owner_kind, owner_name) (", Once(own.pods, scope), ")");
    result.workloads.raw = ByWorkload(pods, quantile);
  }
  std::string nodes = WholeNodes(resource, scope), lone = NodeSeries(resource, NodeSource::kCadvisor, scope);
  if (!own.nodes.empty()) nodes = lone = Concat("sum by (node) (", Once(own.nodes, scope), ")");
  if (!pods.empty()) result.nodes.raw = BeyondPods(nodes, lone, pods);
  return result;
}

std::string RecordingsQuery(const Scope& scope) {
  return Concat("count by (__name__, resource) (",
                Selector("", scope, {Concat(R"(__name__=~")", kRecordedWorkloads, "|", kRecordedNodes, "\"")}), ")");
}

std::string Recording(const PrometheusLabels& labels, const Scope& scope) {
  std::string_view name, resource;
  for (const auto& [key, value] : labels) {
    if (key == "__name__") name = value;
    if (key == "resource") resource = value;
  }
  return Recorded(name, resource, scope);
}

std::string Highest(std::string_view expression, bool recorded, Duration window, Duration step) {
  const std::string length = Milliseconds(window);
  return recorded ? Concat("max_over_time(", expression, "[", length, "])")
                  : Concat("max_over_time((", expression, ")[", length, ":", Milliseconds(step), "])");
}

}  // namespace huygens::usage_sources
