#include "bench/cluster.h"

namespace huygens::bench {

// With what a cloud's node has besides, a dozen images among it: that is read, too, though nobody asks for it.
std::string NodeJson(size_t index) {
  const std::string name = NodeName(index);
  const std::string amounts =
      Concat(R"({"cpu":")", std::to_string(32 * ZonesOf(index)), R"(","memory":")",
             std::to_string(128 * ZonesOf(index)), R"(Gi","ephemeral-storage":"190Gi","pods":"250"})");
  std::string json = Concat(
      R"({"metadata":{"name":")", name, R"(","uid":"node-)", std::to_string(index),
      R"(","resourceVersion":"1","creationTimestamp":"2026-11-21T11:36:17Z","labels":{"kubernetes.io/arch":"amd64",)"
      R"("kubernetes.io/hostname":")",
      name,
      R"(","kubernetes.io/os":"linux","node.kubernetes.io/instance-type":"m.32",)"
      R"("topology.kubernetes.io/region":"north","topology.kubernetes.io/zone":"north-)",
      std::to_string(index % 3),
      R"("},"annotations":{"node.alpha.kubernetes.io/ttl":"0","volumes.kubernetes.io/controller-managed-attach-detach":"true"}},)"
      R"("spec":{"podCIDR":"10.1.0.0/24","providerID":"cloud:///)",
      name, R"("},"status":{"capacity":)", amounts, R"(,"allocatable":)", amounts, R"(,"conditions":[)");
  for (const char* condition : {"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"}) {
    json +=
        Concat(R"({"type":")", condition, R"(","status":")", std::string_view(condition) == "Ready" ? "True" : "False",
               R"(","lastHeartbeatTime":"2026-11-21T11:36:17Z","lastTransitionTime":"2026-11-21T11:36:17Z",)"
               R"("reason":"KubeletHasSufficient","message":"kubelet has sufficient of it"},)");
  }
  json.back() = ']';
  json += Concat(
      R"(,"addresses":[{"type":"InternalIP","address":"10.0.0.1"},{"type":"Hostname","address":")", name,
      R"("}],"daemonEndpoints":{"kubeletEndpoint":{"Port":10250}},"nodeInfo":{"machineID":"a","kernelVersion":"6.12",)"
      R"("osImage":"Debian","containerRuntimeVersion":"containerd://2.0","kubeletVersion":"v1.36.3","architecture":"amd64"},"images":[)");
  for (size_t image = 0; image < 12; ++image) {
    json += Concat(
        R"({"names":["registry.example/service-)", std::to_string(image),
        R"(@sha256:8f0d2b1c5e6a79484f7e2d3c1b0a99887766554433221100ffeeddccbbaa0099","registry.example/service-)",
        std::to_string(image), R"(:1"],"sizeBytes":123456789},)");
  }
  json.back() = ']';
  return json += "}}";
}

std::string TopologyJson(size_t index) {
  std::string json = Concat(
      R"({"apiVersion":"topology.crane.io/v1alpha1","kind":"NodeResourceTopology","metadata":{"name":")",
      NodeName(index), R"(","uid":"topology-)", std::to_string(index),
      R"(","resourceVersion":"1"},"craneManagerPolicy":{"cpuManagerPolicy":"Static","topologyManagerPolicy":"SingleNUMANodePodLevel"},"zones":[)");
  const size_t zones = ZonesOf(index);
  for (size_t zone = 0; zone < zones; ++zone) {
    json += Concat(R"({"name":"node)", std::to_string(zone), R"(","type":"Node","costs":[)");
    for (size_t other = 0; other < zones; ++other) {
      json += Concat(R"({"name":"node)", std::to_string(other), R"(","value":)",
                     other == zone           ? "10"
                     : other / 2 == zone / 2 ? "12"
                                             : "20",
                     "},");
    }
    json.back() = ']';
    json += R"(,"resources":{"capacity":{"cpu":"32","memory":"128Gi"},"allocatable":{"cpu":"32","memory":"128Gi"}}},)";
  }
  json.back() = ']';
  return json += "}";
}

}  // namespace huygens::bench
