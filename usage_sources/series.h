// PromQL of what is measured, resource by resource, from the usual series: what each pod uses, what each whole node
// uses, whose pods are. Series that two scrapes or two Prometheis took of the same thing count once. Pure functions;
// any thread.
//
// A node is named by the label `node`, else by `instance` without its port. Of node_exporter, whose `instance` often is
// an address, kube_node_info or node_uname_info say which node has it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace huygens::usage_sources {

// What all queries of huygens' own have in common.
struct Scope {
  std::vector<std::string> matchers;        // PromQL, added to every selector: cluster="prod"
  std::vector<std::string> replica_labels;  // an operator's series that differ by these alone count once
};

// Where whole nodes are measured, the best first.
enum class NodeSource : uint8_t {
  kCadvisor,      // kubelet's /metrics/cadvisor: id="/"
  kNodeExporter,  // node_cpu_seconds_total and the like
  kKubelet        // kubelet's /metrics/resource; cpu and memory alone
};

// The metric of kubelet's cAdvisor that says what pods use of a resource; empty where there is none.
std::string_view UsualMetric(std::string_view resource);

// Each empty where there are no usual series of the resource. Labels namespace, pod, node. `part`: a further matcher.
std::string PodSeries(std::string_view resource, const Scope& scope, std::string_view part = {});
// Label node.
std::string NodeSeries(std::string_view resource, NodeSource source, const Scope& scope);

// Value 1; labels namespace, pod, owner_kind, owner_name. A pod without a controller is its own owner, so that it is
// told from a pod that kube-state-metrics does not know.
std::string OwnerSeries(const Scope& scope, std::string_view part = {});

// `metric` with matchers and those of the scope.
std::string Selector(std::string_view metric, const Scope& scope, std::initializer_list<std::string_view> matchers);

}  // namespace huygens::usage_sources
