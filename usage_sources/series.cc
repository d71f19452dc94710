#include "usage_sources/series.h"

#include "base/text.h"

namespace huygens::usage_sources {
namespace {

// One resource: counters are taken per second, everything else as it is.
struct Measured {
  std::string_view resource;
  bool counter;
  // Of cAdvisor: the sum of both metrics. `device` says by what else than the container the series of one pod differ.
  std::string_view metric, plus;
  std::string_view device;
  std::string_view of_node;  // further selection for a whole node
  // Of node_exporter: the sum or, of gauges, the difference of both; the series of a node differ by `parts`.
  std::string_view exporter, exporter_other, exporter_selection, parts;
  std::string_view kubelet;
};
constexpr Measured kMeasured[] = {
    {"cpu", true, "container_cpu_usage_seconds_total", "", "cpu", "",  //
     "node_cpu_seconds_total", "", R"(mode!~"idle|iowait|steal")", "cpu, mode", "node_cpu_usage_seconds_total"},
    {"memory", false, "container_memory_working_set_bytes", "", "", "",  //
     "node_memory_MemTotal_bytes", "node_memory_MemAvailable_bytes", "", "", "node_memory_working_set_bytes"},
    // What lies on other devices counts once, on those.
    {"disk-io", true, "container_fs_reads_total", "container_fs_writes_total", "device", "",
     "node_disk_reads_completed_total", "node_disk_writes_completed_total", R"(device!~"(dm-|md|loop|ram|sr).*")",
     "device", ""},
    // The root of cAdvisor lists each file system once, and those in memory, too.
    {"disk", false, "container_fs_usage_bytes", "", "device", R"(device=~"/dev/.+")",  //
     "node_filesystem_size_bytes", "node_filesystem_free_bytes", R"(device=~"/dev/.+")", "device", ""},
};

const Measured* Find(std::string_view resource) {
  for (const Measured& each : kMeasured) {
    if (each.resource == resource) return &each;
  }
  return nullptr;
}

// `label` says which node: the label `node`, or where there is none `instance` without its port.
std::string WithNode(std::string_view expression, std::string_view label) {
  return Concat("label_replace(label_join(", expression, R"(, "node_instance", "|", "node", "instance"), ")", label,
                R"(", "$1$2", "node_instance", "([^|]+)[|].*|[|][[]?(.+?)[]]?(:[0-9]+)?"))");
}

std::string PerSecond(bool counter, const std::string& series) {
  return counter ? Concat("rate(", series, "[5m])") : series;
}

using Matchers = std::initializer_list<std::string_view>;

// Summed up by `by`. A container that was started anew while its former series lingers counts once, too: hence the
// highest of each first. Most series have a label `node`: to name thousands of others takes long.
std::string SumOf(bool counter, std::string_view metric, std::string_view plus, const Scope& scope, std::string_view a,
                  std::string_view b, std::string_view c, std::string_view by, std::string_view part) {
  const auto sum = [&](std::string_view node) {
    std::string series = PerSecond(counter, Selector(metric, scope, {a, b, c, node}));
    if (!plus.empty()) series += Concat(" + ", PerSecond(counter, Selector(plus, scope, {a, b, c, node})));
    return Concat("sum by (", by, ") (max by (", by, part, ") (",
                  node == R"(node="")" ? WithNode(series, "node") : series, "))");
  };
  return Concat(sum(R"(node!="")"), " or ", sum(R"(node="")"));
}

std::string AfterComma(std::string_view name) { return name.empty() ? "" : Concat(", ", name); }

// Which node has an address or a host name: labels host, node.
std::string NodeOfHost(const Scope& scope) {
  return Concat("topk by (host) (1, max by (host, node) (label_replace(",
                Selector("kube_node_info", scope, {R"(internal_ip!="")"}),
                R"q(, "host", "$1", "internal_ip", "(.+)"))))q",
                " or on (host) topk by (host) (1, max by (host, node) (label_replace(",
                WithNode(Selector("node_uname_info", scope, {R"(node="")"}), "host"),
                R"q(, "node", "$1", "nodename", "(.+)"))))q");
}

std::string OfExporter(const Measured& what, const Scope& scope) {
  const auto series = [&](std::string_view node) {
    const auto one = [&](std::string_view metric) {
      return PerSecond(what.counter, Selector(metric, scope, {what.exporter_selection, node}));
    };
    if (what.exporter_other.empty()) return one(what.exporter);
    return Concat(one(what.exporter), what.counter ? " + " : " - ", one(what.exporter_other));
  };
  const std::string parts = AfterComma(what.parts);
  const std::string by_host =
      Concat("sum by (host) (max by (host", parts, ") (", WithNode(series(R"(node="")"), "host"), "))");
  return Concat("sum by (node) (max by (node", parts, ") (", series(R"(node!="")"), ")) or max by (node) (", by_host,
                " * on (host) group_left (node) (", NodeOfHost(scope), ") or on (host) label_replace(", by_host,
                R"q(, "node", "$1", "host", "(.+)")))q");
}

}  // namespace

std::string Selector(std::string_view metric, const Scope& scope, Matchers matchers) {
  std::string all;
  const auto add = [&](std::string_view matcher) {
    if (!matcher.empty()) all += Concat(all.empty() ? "" : ",", matcher);
  };
  for (const std::string_view each : matchers) add(each);
  for (const std::string& each : scope.matchers) add(each);
  return all.empty() ? std::string(metric) : Concat(metric, "{", all, "}");
}

std::string_view UsualMetric(std::string_view resource) {
  const Measured* const what = Find(resource);
  return what == nullptr ? std::string_view() : what->metric;
}

std::string PodSeries(std::string_view resource, const Scope& scope, std::string_view part) {
  const Measured* const what = Find(resource);
  if (what == nullptr) return "";
  constexpr std::string_view kContainers = R"(container!="",container!="POD",pod!="")";
  const auto sum = [&](std::string_view selection, std::string_view device) {
    return SumOf(what->counter, what->metric, what->plus, scope, kContainers, selection, part, "namespace, pod, node",
                 Concat(", container", AfterComma(device)));
  };
  if (what->device != "cpu") return sum("", what->device);
  // kubelet's /metrics/resource has series of the same name without a label `cpu`: they say the same once more.
  return Concat(sum(R"(cpu!="")", what->device), " or ", sum(R"(cpu="")", ""));
}

std::string NodeSeries(std::string_view resource, NodeSource source, const Scope& scope) {
  const Measured* const what = Find(resource);
  if (what == nullptr) return "";
  switch (source) {
    case NodeSource::kCadvisor:
      return SumOf(what->counter, what->metric, what->plus, scope, R"(id="/")", what->of_node, "", "node",
                   AfterComma(what->device));
    case NodeSource::kNodeExporter:
      return OfExporter(*what, scope);
    case NodeSource::kKubelet:
      break;
  }
  return what->kubelet.empty() ? "" : SumOf(what->counter, what->kubelet, "", scope, "", "", "", "node", "");
}

// One owner where two copies of kube-state-metrics disagree.
std::string OwnerSeries(const Scope& scope, std::string_view part) {
  return Concat("topk by (namespace, pod) (1, max by (namespace, pod, owner_kind, owner_name) (",
                "label_replace(label_replace(label_join(",
                Selector("kube_pod_owner", scope, {R"(owner_is_controller!="false")", part}),
                R"q(, "owner_or_pod", "|", "owner_kind", "pod"), "owner_name", "$1", "owner_or_pod", )q",
                R"q("(?:<none>)?[|](.+)"), "owner_kind", "Pod", "owner_kind", "|<none>"))))q");
}

}  // namespace huygens::usage_sources
