// Topology objects, pods and fingerprints of a node whose kubelet pins, for tests.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/objects.h"
#include "cluster/pod_fingerprint.h"

namespace huygens::kubelet::test {

inline constexpr int64_t Gi = int64_t{1} << 30;

// Zones 0, 1, ... of 8 CPUs and 16 Gi, of which so many are available.
inline cluster::NodeTopology Object(const std::vector<std::pair<int64_t, int64_t>>& cpus_and_gi,
                                    const std::string& policy = "single-numa-node",
                                    const std::string& scope = "container") {
  cluster::NodeTopology topology;
  topology.source = cluster::TopologySource::kCommunity;
  topology.attributes = {{"topologyManagerPolicy", policy}, {"topologyManagerScope", scope}};
  for (const auto& [cpus, gi] : cpus_and_gi) {
    cluster::Zone zone;
    zone.id = static_cast<int>(topology.zones.size());
    zone.name = "node-" + std::to_string(zone.id);
    zone.capacity = zone.allocatable = {{kCpu, 8000}, {kMemory, 16 * Gi}};
    zone.available = {{kCpu, cpus * 1000}, {kMemory, gi * Gi}};
    topology.zones.push_back(std::move(zone));
  }
  return topology;
}

// One container for each pair of CPUs and Gi.
inline std::shared_ptr<cluster::Pod> GuaranteedPod(const std::string& name,
                                                   const std::vector<std::pair<int64_t, int64_t>>& cpus_and_gi) {
  auto pod = std::make_shared<cluster::Pod>();
  pod->name = name;
  pod->namespace_name = "default";
  pod->uid = "uid-" + name;
  for (const auto& [cpus, gi] : cpus_and_gi) {
    cluster::Container container;
    container.requests = container.limits = {{kCpu, cpus * 1000}, {kMemory, gi * Gi}};
    pod->containers.push_back(std::move(container));
  }
  return pod;
}

// The same pod as the watch shows it; without zones it was bound by somebody else.
inline std::shared_ptr<cluster::Pod> BoundPod(const cluster::Pod& pod, std::vector<cluster::ZoneAmount> zones,
                                              std::optional<Time> start = std::nullopt) {
  auto bound = std::make_shared<cluster::Pod>(pod);
  bound->node_name = "node";
  bound->start_time = start;
  if (start) bound->phase = cluster::PodPhase::kRunning;
  if (!zones.empty()) bound->placement_mark = {pod.uid, "node", std::move(zones)};
  return bound;
}

inline std::string Fingerprint(const std::vector<std::string>& names) {
  cluster::HashedPods set;
  for (const std::string& name : names) set.Add(cluster::PodNameHash("default", name));
  return cluster::PodFingerprintText(set.Fingerprint());
}

}  // namespace huygens::kubelet::test
