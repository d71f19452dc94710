// Pods, nodes and readings for the tests of usage/.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/account.h"
#include "cluster/objects.h"
#include "usage/options.h"
#include "usage/readings.h"

namespace huygens::usage {

inline constexpr int64_t kGiB = int64_t{1} << 30;

// Windows of `slots` slots of an hour, cpu alone, at most 80 %.
inline Options CpuOptions(size_t slots) {
  Options options;
  options.slot = std::chrono::hours(1);
  options.slots = slots;
  options.resources = {{.name = "cpu", .resource = kCpu, .ceiling = 800'000}};
  return options;
}

inline cluster::Node MakeNode(std::string name, ResourceVector allocatable) {
  cluster::Node node;
  node.name = std::move(name);
  node.allocatable = std::move(allocatable);
  return node;
}

// A pod of the ReplicaSet `workload`: all of them share the history "ns/ReplicaSet/WORKLOAD".
inline std::shared_ptr<cluster::Pod> MakePod(std::string_view workload, std::string_view name,
                                             ResourceVector requests = {}) {
  auto pod = std::make_shared<cluster::Pod>();
  pod->namespace_name = "ns";
  pod->name = std::string(name);
  pod->uid = Concat("uid-", name);
  pod->owner_kind = "ReplicaSet";
  pod->owner_name = std::string(workload);
  pod->containers.resize(1);
  pod->containers[0].requests = std::move(requests);
  return pod;
}
inline std::string KeyOf(std::string_view workload) { return Concat("ns/ReplicaSet/", workload); }

inline cluster::PlacedPod On(cluster::NodeIndex node, std::shared_ptr<const cluster::Pod> pod) {
  return {std::move(pod), node, {}};
}

// Measured at the end of slot number `slot`.
inline Readings InSlot(const Options& options, int64_t slot, std::vector<Reading> workloads,
                       std::vector<Reading> nodes = {}) {
  return {.resource = 0,
          .slot = slot,
          .measured = Time(options.slot * (slot + 1)) - std::chrono::nanoseconds(1),
          .workloads = std::move(workloads),
          .nodes = std::move(nodes)};
}

}  // namespace huygens::usage
