#include "bench/cluster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "usage/workload.h"
#include "wire/pod.h"

namespace huygens::bench {

namespace {

cluster::NodeTopology TopologyOf(size_t node) {
  cluster::NodeTopology topology{
      .source = cluster::TopologySource::kCrane, .node_name = NodeName(node), .pinned_by_agent = true};
  const int zones = static_cast<int>(ZonesOf(node));
  for (int z = 0; z < zones; ++z) {
    cluster::Zone zone{.id = z, .name = Concat("node", std::to_string(z))};
    zone.capacity = zone.allocatable = {{kCpu, 32'000}, {kMemory, int64_t{128} << 30}};
    for (int other = 0; other < zones; ++other)
      zone.costs.emplace_back(other, other == z ? 10 : other / 2 == z / 2 ? 12 : 20);
    topology.zones.push_back(std::move(zone));
  }
  return topology;
}

std::string ReplicaSetOf(size_t deployment) { return Concat("service-", std::to_string(deployment), "-7d4b9c6f5"); }

std::shared_ptr<cluster::Pod> PodOf(size_t deployment, size_t number) {
  auto pod = std::make_shared<cluster::Pod>();
  pod->owner_kind = "ReplicaSet";
  pod->owner_name = ReplicaSetOf(deployment);
  pod->name = Concat(pod->owner_name, "-", std::to_string(number));
  pod->namespace_name = "production";
  return pod;
}

// As the API server shows the pod, bound by huygens and running.
std::string RunningPodJson(const cluster::Pod& pod, std::string_view cpu, size_t zone) {
  const std::string amounts = Concat(R"({"cpu":")", cpu, R"(","memory":"4Gi"})");
  const std::string resources = Concat(R"("resources":{"limits":)", amounts, R"(,"requests":)", amounts, "}");
  const std::string zone_name = Concat(R"({\"name\":\"node)", std::to_string(zone), R"(\")");
  return Concat(
      R"({"metadata":{"name":")", pod.name, R"(","namespace":")", pod.namespace_name, R"(","uid":")", pod.uid,
      R"(","creationTimestamp":"2026-11-21T11:36:17Z","labels":{"app":"web"},)"
      R"("annotations":{"topology.crane.io/topology-awareness":"true","huygens.dev/placement":"{\"uid\":\")",
      pod.uid, R"(\",\"node\":\")", pod.node_name, R"(\",\"zones\":[)", zone_name, R"(,\"cpu\":\")", cpu,
      R"(\"}],\"by\":\"huygens-0\",\"at\":\"2026-11-21T11:36:18Z\"}","topology.crane.io/topology-result":"[)",
      zone_name, R"(,\"type\":\"Node\",\"resources\":{\"capacity\":{\"cpu\":\")", cpu, R"(\"}}}]"},)",
      R"("ownerReferences":[{"apiVersion":"apps/v1","kind":")", pod.owner_kind, R"(","name":")", pod.owner_name,
      R"(","uid":"a1","controller":true}]},"spec":{"nodeName":")", pod.node_name,
      R"(","containers":[{"name":"main","image":"registry.example/web:1",)", resources,
      R"(}],"restartPolicy":"Always","schedulerName":"default-scheduler","priority":0,"preemptionPolicy":"PreemptLowerPriority"},)"
      R"("status":{"phase":"Running","qosClass":"Guaranteed","startTime":"2026-11-21T11:36:18Z",)"
      R"("conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"main","ready":true,"allocatedResources":)",
      amounts, ",", resources, "}]}}");
}

// A number in 0..1 that looks random and is always the same.
double Noise(size_t a, size_t b) {
  uint64_t mixed = (a * 0x9e3779b97f4a7c15u) ^ (b * 0xc2b2ae3d27d4eb4fu);
  mixed = (mixed ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9u;
  return static_cast<double>(mixed >> 40) / static_cast<double>(1 << 24);
}

// Share of its request that a pod uses in a slot of the week.
double UseOf(size_t deployment, size_t slot) {
  const double size = 0.3 + 0.6 * Noise(deployment, 1);
  const double kind = Noise(deployment, 2);
  if (kind > 0.9) return size * (0.95 + 0.05 * Noise(deployment, slot + 3));
  const double peak_hour = kind > 0.7 ? 3 : 12 + 6 * Noise(deployment, 0);
  const double hour = static_cast<double>(slot % 96) / 4;
  const double wave = std::max(0.0, std::cos((hour - peak_hour) * std::numbers::pi / 12));
  const double weekend = slot / 96 >= 5 ? 0.6 : 1;
  return size * (0.15 + 0.7 * wave * weekend + 0.15 * Noise(deployment, slot + 3));
}

// The least that a node may use at most if it is to take this, too.
int64_t PeakWith(const usage::NodeFigures& figures, const usage::ResourceDemand& more) {
  int64_t peak = 0;
  for (size_t slot = 0; slot < figures.curve.size(); ++slot) {
    peak = std::max(peak, figures.curve[slot] + more.At(slot));
  }
  return peak;
}

// `share`: a number in 0..1.
double LimitFor(Fullness fullness, const usage::NodeFigures& figures, const usage::ResourceDemand& more, double share) {
  if (fullness == Fullness::kTypical) return static_cast<double>(figures.sum_of_peaks) / (0.4 + 0.55 * share);
  if (fullness == Fullness::kFull) return static_cast<double>(figures.peak_of_sum);
  const auto least = static_cast<double>(PeakWith(figures, more));
  if (fullness == Fullness::kToTheBrim) return least;
  return least + share * (static_cast<double>(figures.peak_of_sum + more.peak) - least);
}

}  // namespace

size_t ZonesOf(size_t node) { return std::array<size_t, 3>{2, 4, 8}[node % 3]; }

std::string NodeName(size_t index) {
  char name[32];
  std::snprintf(name, sizeof name, "pool-a-4f9c2d7b-worker-%07zu", index);
  return name;
}

const char* Text(Fullness fullness) {
  switch (fullness) {
    case Fullness::kTypical:
      return "typical";
    case Fullness::kCurves:
      return "each node takes the pod, but only its curve shows it";
    case Fullness::kToTheBrim:
      return "each node just takes the pod: single slots of its curve decide";
    case Fullness::kFull:
      return "each node is full";
  }
  return "";
}

std::string BoundPodJson(size_t number, size_t nodes) {
  auto pod = PodOf(number / kPodsOfDeployment, number);
  const size_t node = number % nodes;
  pod->uid = Concat("6d1f2b9e-0000-4000-8000-", std::to_string(100'000'000'000 + number));
  pod->node_name = NodeName(node);
  return RunningPodJson(*pod, number % 2 == 0 ? "1" : "2", number / nodes % ZonesOf(node));
}

void Fill(placement::Placement& placement, size_t nodes, size_t pods) {
  ResourceNames names;
  for (cluster::Kind kind : cluster::kKinds) placement.Apply(cluster::ListBegin{kind});
  for (size_t n = 0; n < nodes; ++n) {
    placement.Apply(cluster::NodeSet{
        {.name = NodeName(n), .uid = Concat("node-", std::to_string(n)), .allocatable = {{kCpu, 256'000}}}});
    placement.Apply(cluster::TopologySet{TopologyOf(n)});
  }
  for (size_t p = 0; p < pods; ++p) {
    auto pod = std::make_shared<const cluster::Pod>(*wire::DecodePod(BoundPodJson(p, nodes), names));
    placement.Apply(cluster::PodSet{std::move(pod), kFilledVersion});
  }
  for (cluster::Kind kind : cluster::kKinds) placement.Apply(cluster::ListEnd{kind});
}

void FillUsage(placement::Placement& placement, size_t nodes, size_t pods, Fullness fullness, Time now,
               size_t measured) {
  const usage::Options& options = placement.usage().options();
  const auto slots = static_cast<int64_t>(options.slots);
  const int64_t newest = usage::SlotAt(now, options.slot);
  for (int64_t slot = newest - static_cast<int64_t>(measured) + 1; slot <= newest; ++slot) {
    for (size_t r = 0; r < options.resources.size(); ++r) {
      usage::Readings readings{.resource = r, .slot = slot, .measured = now};
      for (size_t deployment = 0; deployment < pods / kPodsOfDeployment; ++deployment) {
        const double request = options.resources[r].resource == kCpu ? 1500 : static_cast<double>(int64_t{4} << 30);
        const double use = UseOf(deployment, static_cast<size_t>(slot % slots));
        readings.workloads.push_back({usage::WorkloadOf(*PodOf(deployment, 0)), static_cast<int64_t>(request * use)});
      }
      for (size_t twin = 0; twin < kTwins; ++twin) {
        const int64_t less = slot % slots == static_cast<int64_t>(twin) ? 1 : 0;
        readings.workloads.push_back({usage::WorkloadOf(*PodOf(TwinOf(pods, twin), 0)),
                                      std::max<int64_t>(0, readings.workloads.front().amount - less)});
      }
      placement.ApplyUsage(readings, now);
    }
  }
  placement.SettleUsage();

  const usage::Demand more = placement.usage().DemandOf(*PodOf(0, 0));
  for (size_t n = 0; n < nodes; ++n) {
    cluster::Node node = *placement.state().GetNode(*placement.state().FindNode(NodeName(n)));
    const auto figures = placement.usage().Figures(*placement.state().FindNode(NodeName(n)), now);
    for (size_t r = 0; r < options.resources.size(); ++r) {
      const usage::ResourceOptions& resource = options.resources[r];
      const double limit = LimitFor(fullness, figures[r], more.resources[r], Noise(n, r));
      node.real_allocatable.Set(resource.resource,
                                static_cast<int64_t>(std::ceil(limit * 1e6 / static_cast<double>(*resource.ceiling))));
    }
    placement.Apply(cluster::NodeSet{std::move(node)});
  }
}

cluster::Pod PodOf(size_t deployment) {
  cluster::Pod pod = *PodOf(deployment, 0);
  pod.name += "-asking";
  pod.uid = pod.name;
  const ResourceVector amounts{{kCpu, 2000}, {kMemory, int64_t{4} << 30}};
  pod.containers.push_back({.name = "main", .requests = amounts, .limits = amounts});
  return pod;
}

std::string PodJson(size_t deployment) {
  const std::string replica_set = ReplicaSetOf(deployment);
  return Concat(
      R"({"metadata":{"name":")", replica_set,
      R"(-x2x4z","namespace":"production",)"
      R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":")",
      replica_set,
      R"(","uid":"a1","controller":true}],)"
      R"("uid":"d5677970-b10d-44de-bd3d-)",
      std::to_string(200'000'000'000 + deployment),
      R"(","resourceVersion":"195",)"
      R"("creationTimestamp":"2026-11-21T11:36:17Z","labels":{"app":"web","app.kubernetes.io/name":"web"},)"
      R"("annotations":{"topology.crane.io/topology-awareness":"true"}},"spec":{"volumes":[{"name":"scratch","emptyDir":{}}],)"
      R"("containers":[{"name":"c","image":"registry.example/web:1","ports":[{"containerPort":8080,"protocol":"TCP"}],)"
      R"("resources":{"limits":{"cpu":"2","memory":"4Gi"},"requests":{"cpu":"2","memory":"4Gi"}},)"
      R"("volumeMounts":[{"name":"scratch","mountPath":"/tmp/s"}],"terminationMessagePath":"/dev/termination-log",)"
      R"("terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","dnsPolicy":"ClusterFirst",)"
      R"("securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"operator":"Exists"}],"priority":0,)"
      R"("preemptionPolicy":"PreemptLowerPriority"},"status":{"phase":"Pending","qosClass":"Guaranteed"}})");
}

std::string RequestBody(size_t names, size_t deployment) {
  std::string body = Concat(R"({"Pod":)", PodJson(deployment), R"(,"Nodes":null,"NodeNames":[)");
  for (size_t n = 0; n < names; ++n) body += Concat(n == 0 ? "\"" : ",\"", NodeName(n), "\"");
  return body += "]}";
}

}  // namespace huygens::bench
