// Builds cluster objects for tests in a line each.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "cluster/event.h"

namespace huygens::test {

inline const Time kNow = Time(std::chrono::hours(24 * 365 * 56));

inline std::shared_ptr<cluster::Pod> MakePod(const std::string& uid, int64_t cpus) {
  auto pod = std::make_shared<cluster::Pod>();
  pod->name = "pod-" + uid;
  pod->namespace_name = "default";
  pod->uid = uid;
  cluster::Container container;
  container.requests = {{kCpu, cpus * 1000}};
  container.limits = {{kCpu, cpus * 1000}};
  pod->containers.push_back(std::move(container));
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
