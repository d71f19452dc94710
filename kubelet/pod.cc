#include "kubelet/pod.h"

#include <algorithm>

#include "cluster/pod_requests.h"

namespace huygens::kubelet {

namespace {

using Kind = Container::Kind;

// More than any machine has; sums of it do not overflow.
int Credible(int64_t cpus) { return static_cast<int>(std::clamp<int64_t>(cpus, 0, 1 << 20)); }

ResourceVector Without(const ResourceVector& amounts, std::initializer_list<ResourceId> left_out) {
  ResourceVector rest;
  for (const auto& [resource, amount] : amounts) {
    if (std::find(left_out.begin(), left_out.end(), resource) == left_out.end()) rest.Set(resource, amount);
  }
  return rest;
}

Container ContainerOf(const cluster::Container& container, const ResourceVector& requests, Kind kind, bool pinned) {
  Container result{.kind = kind, .devices = Without(container.limits, {kCpu, kMemory, kEphemeralStorage})};
  if (!pinned) return result;
  if (int64_t cpu = requests.Get(kCpu); cpu % 1000 == 0) result.cpus = Credible(cpu / 1000);
  result.memory = Without(requests, {kCpu, kEphemeralStorage});
  return result;
}

template <typename Of>
ResourceVector Peak(const std::vector<Container>& containers, Of of) {
  return UsesOf(containers, of).peak;
}

// `requests_of` gives what counts of a container.
template <typename RequestsOf>
Pod Reduce(const cluster::Pod& pod, RequestsOf requests_of) {
  const bool pod_level = pod.pod_level && !(pod.pod_level->requests.empty() && pod.pod_level->limits.empty());
  const bool pinned = !pod_level && cluster::QosOf(pod) == cluster::QosClass::kGuaranteed;
  Pod result;
  result.containers.reserve(pod.init_containers.size() + pod.containers.size());
  for (const cluster::Container& each : pod.init_containers) {
    result.containers.push_back(
        ContainerOf(each, requests_of(each), each.restartable ? Kind::kSidecar : Kind::kInit, pinned));
  }
  for (const cluster::Container& each : pod.containers) {
    result.containers.push_back(ContainerOf(each, requests_of(each), Kind::kApp, pinned));
  }
  result.cpus = Credible(Peak(result.containers, [](const Container& container) {
                           return ResourceVector{{kCpu, container.cpus}};
                         }).Get(kCpu));
  result.devices = Peak(result.containers, [](const Container& container) { return container.devices; });
  const ResourceVector memory = Peak(result.containers, [](const Container& container) { return container.memory; });
  for (const Container& container : result.containers) {
    if (container.kind == Kind::kInit && container.cpus > 0) result.reuses_cpus = true;
    if (container.kind != Kind::kApp) continue;
    for (const auto& [resource, amount] : container.memory) result.memory.Set(resource, memory.Get(resource));
  }
  return result;
}

}  // namespace

Pod PodOf(const cluster::Pod& pod) {
  return Reduce(pod, [](const cluster::Container& each) -> const ResourceVector& { return each.requests; });
}

Pod PlacedPodOf(const cluster::Pod& pod) {
  return Reduce(pod, [&](const cluster::Container& each) { return cluster::PlacedRequests(pod, each); });
}

}  // namespace huygens::kubelet
