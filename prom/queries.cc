#include "prom/queries.h"

#include "base/millionths.h"
#include "base/text.h"

namespace huygens::prom {
namespace {

// config/prometheus/rules.yaml writes these, with a label `resource`.
constexpr std::string_view kRecordedWorkloads = "huygens:workload_usage";
constexpr std::string_view kRecordedNodes = "huygens:node_system_usage";

// Of cAdvisor: counters per second, everything else as it is. `device` says by what else than the container the series
// of one pod differ.
struct Default {
  std::string_view resource;
  std::string_view metric, plus;  // the sum of both
  bool counter;
  std::string_view device;
  std::string_view of_node;  // further selection for a whole node
};
constexpr Default kDefaults[] = {
    {"cpu", "container_cpu_usage_seconds_total", "", true, "cpu", ""},
    {"memory", "container_memory_working_set_bytes", "", false, "", ""},
    {"disk-io", "container_fs_reads_total", "container_fs_writes_total", true, "device", ""},
    // Its root lists each file system once, and those in memory, too.
    {"disk", "container_fs_usage_bytes", "", false, "device", R"(,device=~"/dev/.+")"},
};

std::string Series(const Default& what, std::string_view metric, std::string_view selector) {
  const std::string series = Concat(metric, "{", selector, "}");
  return what.counter ? Concat("rate(", series, "[5m])") : series;
}

// The label `node` where there is none: `instance` without its port.
std::string WithNode(std::string_view expression) {
  return Concat(R"(label_replace(label_join()", expression,
                R"(, "node_instance", "|", "node", "instance"), "node", "$1$2", "node_instance", )",
                R"("([^|]+)[|].*|[|](.+?)(:[0-9]+)?"))");
}

// Summed up by `by`. The same series from two scrapes count once, as does a container that was started anew while its
// former series lingers: hence the highest of each first.
std::string SumOf(const Default& what, std::string_view selector, std::string_view by, std::string_view part) {
  std::string series = Series(what, what.metric, selector);
  if (!what.plus.empty()) series = Concat(series, " + ", Series(what, what.plus, selector));
  return Concat("sum by (", by, ") (max by (", by, part, what.device.empty() ? "" : ", ", what.device, ") (",
                WithNode(series), "))");
}

// kube-state-metrics names a pod's controller; a pod without one becomes its own owner, so that it is told from a pod
// that kube-state-metrics does not know. One owner where two copies of it disagree.
constexpr std::string_view kOwner =
    R"q(topk by (namespace, pod) (1, max by (namespace, pod, owner_kind, owner_name) ()q"
    R"q(label_replace(label_replace(label_join(kube_pod_owner{owner_is_controller!="false"}, )q"
    R"q("owner_or_pod", "|", "owner_kind", "pod"), "owner_name", "$1", "owner_or_pod", "(?:<none>)?[|](.+)"), )q"
    R"q("owner_kind", "Pod", "owner_kind", "|<none>"))))q";

std::string WithOwner(std::string_view pods) {
  return Concat("(", pods, ") * on (namespace, pod) group_left (owner_kind, owner_name) ", kOwner,
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

// Nothing where no pod is measured: all that the nodes use would pass for use beyond pods.
std::string BeyondPods(std::string_view nodes, std::string_view pods) {
  return Concat("clamp_min((", nodes, ") - (sum by (node) (", pods, ") or 0 * (", nodes, ")), 0) and on () count(",
                pods, ")");
}

std::string Selector(std::string_view recorded, std::string_view resource) {
  return Concat(recorded, R"({resource=")", resource, R"("})");
}

std::string Milliseconds(Duration duration) {
  return Concat(std::to_string(std::chrono::ceil<std::chrono::milliseconds>(duration).count()), "ms");
}

}  // namespace

Expressions ExpressionsFor(std::string_view resource, const ResourceQueries& own, int64_t quantile) {
  std::string pods, pods_with_owner, nodes;
  for (const Default& what : kDefaults) {
    if (what.resource != resource) continue;
    pods = SumOf(what, R"(container!="",container!="POD",pod!="")", "namespace, pod, node", ", container");
    pods_with_owner = WithOwner(pods);
    nodes = SumOf(what, Concat(R"(id="/")", what.of_node), "node", "");
  }
  Expressions result;
  if (own.pods.empty()) {
    if (quantile == usage::kMillion) result.workloads.recorded = Selector(kRecordedWorkloads, resource);
    if (own.nodes.empty()) result.nodes.recorded = Selector(kRecordedNodes, resource);
  } else {
    pods = pods_with_owner = Concat("sum by (namespace, pod, node, owner_kind, owner_name) (", own.pods, ")");
  }
  if (!own.nodes.empty()) nodes = Concat("sum by (node) (", own.nodes, ")");
  if (!pods.empty()) result.workloads.raw = ByWorkload(pods_with_owner, quantile);
  if (!nodes.empty() && !pods.empty()) result.nodes.raw = BeyondPods(nodes, pods);
  return result;
}

std::string_view UsualMetric(std::string_view resource) {
  for (const Default& what : kDefaults) {
    if (what.resource == resource) return what.metric;
  }
  return {};
}

std::string RecordingsQuery() {
  return Concat(R"(count by (__name__, resource) ({__name__=~")", kRecordedWorkloads, "|", kRecordedNodes, R"("}))");
}

std::string Recording(const wire::PrometheusLabels& labels) {
  std::string_view name, resource;
  for (const auto& [key, value] : labels) {
    if (key == "__name__") name = value;
    if (key == "resource") resource = value;
  }
  return Selector(name, resource);
}

std::string Samples(std::string_view expression, bool recorded, Duration window, Duration step) {
  return recorded ? Concat(expression, "[", Milliseconds(window), "]")
                  : Concat("(", expression, ")[", Milliseconds(window), ":", Milliseconds(step), "]");
}

std::string Highest(std::string_view expression, bool recorded, Duration window, Duration step) {
  return Concat("max_over_time(", Samples(expression, recorded, window, step), ")");
}

}  // namespace huygens::prom
