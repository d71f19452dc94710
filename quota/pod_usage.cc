#include "quota/pod_usage.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"
#include "cluster/pod_requests.h"
#include "cluster/unknown_resources.h"

namespace huygens::quota {
namespace {

using cluster::Container;
using cluster::Pod;

template <typename Visit>
void ForEachContainer(Pod& pod, Visit&& visit) {
  for (Container& container : pod.init_containers) visit(container);
  for (Container& container : pod.containers) visit(container);
}

// Of the containers' specs; overhead, pod level and resizes left out.
cluster::PodResources SumOfSpec(const Pod& pod) {
  Pod bare;
  bare.containers = pod.containers;
  bare.init_containers = pod.init_containers;
  ForEachContainer(bare, [](Container& container) { container.status.reset(); });
  return cluster::QuotaResources(bare);
}

void DefaultPodLevel(const Pod& pod, cluster::PodResources& level) {
  const cluster::PodResources sum = SumOfSpec(pod);
  for (const auto& [resource, amount] : sum.limits) {
    bool free = !level.limits.Has(resource) && !level.requests.Has(resource);
    if (IsHugepages(resource) && free) level.limits.Set(resource, amount);
  }
  if (level.limits.empty()) return;
  for (const auto& [resource, amount] : sum.requests) {
    bool supported = resource == kCpu || resource == kMemory;
    if (supported && !level.requests.Has(resource)) level.requests.Set(resource, amount);
  }
  for (const auto& [resource, amount] : level.limits) {
    if (!level.requests.Has(resource)) level.requests.Set(resource, amount);
  }
}

// Whether somebody stated anything at pod level. `resources: {}` states nothing; the API server puts the hugepages of
// the containers there all the same, and beside these what they request.
bool StatesPodLevel(const Pod& pod) {
  if (!pod.pod_level) return false;
  cluster::PodResources filled_in;
  DefaultPodLevel(pod, filled_in);
  const ResourceVector &requests = pod.pod_level->requests, &limits = pod.pod_level->limits;
  return !(requests.empty() && limits.empty()) && !(requests == filled_in.requests && limits == filled_in.limits);
}

// Whether a pod with these labels is charged to `key` of cpu or memory, whose part without a model is `base`.
bool Concerns(std::string_view key, std::string_view base, const cluster::QuotaLabels& labels) {
  if (key == base) return true;
  return IsGeneralTo(key.substr(base.size() + 1), base.ends_with("cpu") ? labels.cpu_model : labels.memory_model);
}

bool HasValue(const Container& container, std::string_view base) {
  const ResourceVector& amounts = base.starts_with("limits.") ? container.limits : container.requests;
  return amounts.Has(base.ends_with("cpu") ? kCpu : kMemory);
}

}  // namespace

Amounts PodUsage(const Pod& pod, const cluster::QuotaLabels& labels, const ResourceNames& names,
                 const KeyOptions& options, const DeviceClasses& classes) {
  Amounts usage;
  usage.reserve(16);  // cpu and memory with a model, and a device
  Set(usage, "count/pods", Quantity::FromInt(1));
  if (pod.Terminal()) return usage;
  Set(usage, "pods", Quantity::FromInt(1));
  const cluster::PodResources counted = cluster::QuotaResources(pod);
  for (const auto& [resource, amount] : counted.requests) {
    Charge(cluster::ResourceName(pod, names, resource), Side::kRequests, ToQuantity(resource, amount), labels, options,
           usage);
  }
  for (const auto& [resource, amount] : counted.limits) {
    Charge(cluster::ResourceName(pod, names, resource), Side::kLimits, ToQuantity(resource, amount), labels, options,
           usage);
  }
  for (const auto& [resource, amount] : counted.requests) {
    if (resource == kCpu || resource == kMemory) continue;
    ChargeAsDevices(cluster::ResourceName(pod, names, resource), amount, classes, labels, options, usage);
  }
  return usage;
}

bool AnyRequest(const Pod& pod, const ResourceNames& names, absl::FunctionRef<bool(std::string_view name)> is_wanted) {
  for (const auto* list : {&pod.init_containers, &pod.containers}) {
    for (const Container& container : *list) {
      for (const auto& [resource, amount] : container.requests) {
        if (resource == kCpu || resource == kMemory) continue;
        if (is_wanted(cluster::ResourceName(pod, names, resource))) return true;
      }
    }
  }
  return false;
}

void DefaultPod(Pod& pod) {
  ForEachContainer(pod, [](Container& container) {
    for (const auto& [resource, amount] : container.limits) {
      if (!container.requests.Has(resource)) container.requests.Set(resource, amount);
    }
  });
  if (pod.pod_level) DefaultPodLevel(pod, *pod.pod_level);
}

std::string MissingValues(const Pod& pod, const cluster::QuotaLabels& labels, const Amounts& hard) {
  if (StatesPodLevel(pod)) return {};
  std::map<std::string_view, std::set<std::string_view>> missing;  // container names by key
  for (const auto& [key, limit] : hard) {
    std::string_view base = MandatoryBase(key);
    if (base.empty() || !Concerns(key, base, labels)) continue;
    for (const auto* list : {&pod.init_containers, &pod.containers}) {
      for (const Container& container : *list) {
        if (!HasValue(container, base)) missing[base].insert(container.name);
      }
    }
  }
  std::string text;
  for (const auto& [base, containers] : missing) {
    text += Concat(text.empty() ? "must specify " : "; ", base, " for: ");
    for (std::string_view name : containers)
      text += name == *containers.begin() ? std::string(name) : Concat(",", name);
  }
  return text;
}

}  // namespace huygens::quota
