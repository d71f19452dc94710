// Builds cluster objects for tests in a line each.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "cluster/watch_event.h"
#include "tests/base/clock.h"

namespace huygens::test {

// A pod without a name, of one container, "main".
inline cluster::Pod PodAsking(ResourceVector requests, ResourceVector limits) {
  return {.containers = {{.name = "main", .requests = std::move(requests), .limits = std::move(limits)}}};
}
inline cluster::Pod PodAsking(const ResourceVector& requests_and_limits) {
  return PodAsking(requests_and_limits, requests_and_limits);
}
// Such a pod called default/NAME, with the UID uid-NAME.
inline std::shared_ptr<cluster::Pod> NamedPod(const std::string& name, const ResourceVector& requests_and_limits) {
  auto pod = std::make_shared<cluster::Pod>(PodAsking(requests_and_limits));
  pod->name = name;
  pod->namespace_name = "default";
  pod->uid = "uid-" + name;
  return pod;
}

inline std::shared_ptr<cluster::Pod> MakePod(const std::string& uid, int64_t cpus) {
  auto pod = NamedPod("pod-" + uid, {{kCpu, cpus * 1000}});
  pod->uid = uid;
  return pod;
}

inline cluster::Node MakeNode(const std::string& name, const std::string& uid = "") {
  cluster::Node node;
  node.name = name;
  node.uid = uid;
  return node;
}

// Zones 0, 1, ... with so many milli-cores each.
inline cluster::NodeTopology MakeTopology(const std::string& node, const std::vector<int64_t>& milli_cpus,
                                          bool single_numa = false) {
  cluster::NodeTopology topology;
  topology.node_name = node;
  topology.pinned_by_agent = true;
  topology.single_numa = single_numa;
  for (int64_t milli : milli_cpus) {
    cluster::Zone zone;
    zone.id = static_cast<int>(topology.zones.size());
    zone.name = "node" + std::to_string(zone.id);
    zone.allocatable = {{kCpu, milli}};
    zone.capacity = zone.allocatable;
    topology.zones.push_back(std::move(zone));
  }
  return topology;
}

}  // namespace huygens::test
