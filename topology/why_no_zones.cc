#include "topology/why_no_zones.h"

#include <algorithm>

#include "base/quantity.h"
#include "topology/zone_request.h"

namespace huygens::topology {

namespace {

std::string CpuText(int64_t milli) { return Quantity::FromMilli(milli).Canonical(); }

std::string WhyNoTarget(const cluster::Container& container) {
  const int64_t cpu = container.requests.Get(kCpu), limit = container.limits.Get(kCpu);
  const std::string name = Concat("container ", container.name);
  if (cpu <= 0) return Concat(name, " requests no cpu");
  if (limit <= 0) return Concat(name, " has no cpu limit, which would have to equal its request of ", CpuText(cpu));
  if (cpu != limit) return Concat(name, " has a cpu request of ", CpuText(cpu), " and another limit, ", CpuText(limit));
  return Concat(name, " asks for ", CpuText(cpu), " cpu, which is no whole number");
}

}  // namespace

std::string WhyNoZones(const cluster::Pod& pod, std::span<const ResourceId> managed_resources) {
  if (!RequestOf(pod, managed_resources).AsksNothing()) return "";
  if (pod.owned_by_daemon_set) return "it is a pod of a DaemonSet";
  if (pod.cpu_policy == cluster::CpuPolicy::kNone) return "its annotation topology.crane.io/cpu-policy is none";
  if (pod.containers.empty()) return "it has no containers";
  // The first that asks for cpu at all comes nearest to getting zones.
  const auto asking =
      std::ranges::find_if(pod.containers, [](const auto& container) { return container.requests.Get(kCpu) > 0; });
  return WhyNoTarget(asking == pod.containers.end() ? pod.containers.front() : *asking);
}

}  // namespace huygens::topology
