#include "bench/cluster.h"

#include <array>
#include <cstdio>

namespace huygens::bench {

namespace {

int ZonesOf(size_t node) { return std::array{2, 4, 8}[node % 3]; }

cluster::NodeTopology TopologyOf(size_t node) {
  cluster::NodeTopology topology{
      .source = cluster::TopologySource::kCrane, .node_name = NodeName(node), .pinned_by_agent = true};
  for (int z = 0; z < ZonesOf(node); ++z) {
    cluster::Zone zone{.id = z, .name = Concat("node", std::to_string(z))};
    zone.capacity = zone.allocatable = {{kCpu, 32'000}, {kMemory, int64_t{128} << 30}};
    for (int other = 0; other < ZonesOf(node); ++other)
      zone.costs.emplace_back(other, other == z ? 10 : other / 2 == z / 2 ? 12 : 20);
    topology.zones.push_back(std::move(zone));
  }
  return topology;
}

}  // namespace

std::string NodeName(size_t index) {
  char name[32];
  std::snprintf(name, sizeof name, "pool-a-4f9c2d7b-worker-%07zu", index);
  return name;
}

void Fill(placement::Placement& placement, size_t nodes, size_t pods) {
  for (cluster::Kind kind : cluster::kKinds) placement.Apply(cluster::ListBegin{kind});
  for (size_t n = 0; n < nodes; ++n) {
    placement.Apply(cluster::NodeSet{
        {.name = NodeName(n), .uid = Concat("node-", std::to_string(n)), .allocatable = {{kCpu, 256'000}}}});
    placement.Apply(cluster::TopologySet{TopologyOf(n)});
  }
  for (size_t p = 0; p < pods; ++p) {
    auto pod = std::make_shared<cluster::Pod>();
    size_t node = p % nodes;
    int64_t cpu = p % 2 == 0 ? 1000 : 2000;
    pod->name = Concat("service-", std::to_string(p % 200), "-", std::to_string(p));
    pod->namespace_name = "production";
    pod->uid = Concat("6d1f2b9e-0000-4000-8000-", std::to_string(100'000'000'000 + p));
    pod->node_name = NodeName(node);
    pod->phase = cluster::PodPhase::kRunning;
    ResourceVector amounts{{kCpu, cpu}, {kMemory, int64_t{4} << 30}};
    pod->containers.push_back({.name = "main", .requests = amounts, .limits = amounts});
    pod->topology_result.push_back({static_cast<int>(p / nodes) % ZonesOf(node), ResourceVector{{kCpu, cpu}}});
    placement.Apply(cluster::PodSet{std::move(pod)});
  }
  for (cluster::Kind kind : cluster::kKinds) placement.Apply(cluster::ListEnd{kind});
}

std::string PodJson() {
  return R"({"metadata":{"name":"web-0","namespace":"production","uid":"d5677970-b10d-44de-bd3d-f134b241994a","resourceVersion":"195",)"
         R"("creationTimestamp":"2026-11-21T11:36:17Z","labels":{"app":"web","app.kubernetes.io/name":"web"},)"
         R"("annotations":{"topology.crane.io/topology-awareness":"true"}},"spec":{"volumes":[{"name":"scratch","emptyDir":{}}],)"
         R"("containers":[{"name":"c","image":"registry.example/web:1","ports":[{"containerPort":8080,"protocol":"TCP"}],)"
         R"("resources":{"limits":{"cpu":"2","memory":"4Gi"},"requests":{"cpu":"2","memory":"4Gi"}},)"
         R"("volumeMounts":[{"name":"scratch","mountPath":"/tmp/s"}],"terminationMessagePath":"/dev/termination-log",)"
         R"("terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","dnsPolicy":"ClusterFirst",)"
         R"("securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"operator":"Exists"}],"priority":0,)"
         R"("preemptionPolicy":"PreemptLowerPriority"},"status":{"phase":"Pending","qosClass":"Guaranteed"}})";
}

std::string RequestBody(size_t names) {
  std::string body = Concat(R"({"Pod":)", PodJson(), R"(,"Nodes":null,"NodeNames":[)");
  for (size_t n = 0; n < names; ++n) body += Concat(n == 0 ? "\"" : ",\"", NodeName(n), "\"");
  return body += "]}";
}

}  // namespace huygens::bench
