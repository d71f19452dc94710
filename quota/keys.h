// Which keys of a group's budget one resource of a pod is charged to. Keys are made from what a pod requests and the
// models its labels name, never found by looking for prefixes in texts: "limits.cpu" is no model of anything, and
// "requests.nvidia.com/mig-1g.5gb" is not a "mig-1g" of model "5gb".
//
//   cpu of model A4          cpu, requests.cpu, limits.cpu, and each with ".A4"
//   memory of model DDR5     likewise
//   nvidia.com/gpu of A30    requests.nvidia.com/gpu, requests.nvidia.com/gpu.A30
//   model A100.80GB          both ".A100" and ".A100.80GB"
//   devices of class gpu     gpu.deviceclass.resource.k8s.io/devices, requests.deviceclass.resource.kubernetes.io/gpu
//
// Names of the fixed keys are those of ResourceQuota (k8s.io/kubernetes/pkg/quota/v1/evaluator/core). Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/biz_group_quota.h"
#include "quota/amounts.h"

namespace huygens::quota {

struct KeyOptions {
  // Extended resources that the gpu-type label applies to; '*' stands for any text.
  std::vector<std::string> gpu_resources = {"*/gpu", "*/gpu.*", "*/mig-*", "aliyun.com/gpu-*"};
};

enum class Side : uint8_t { kRequests, kLimits };

// Charges `amount` of the resource `name` to its keys, general and model alike. Resources that ResourceQuota does not
// count (limits of extended resources, names without a domain) are charged to nothing.
void Charge(std::string_view name, Side side, const Quantity& amount, const cluster::QuotaLabels& labels,
            const KeyOptions& options, Amounts& charge);

// The key of the devices of a class, which claims ask for: "gpu.deviceclass.resource.k8s.io/devices".
std::string DevicesKey(std::string_view device_class);
// The name under which containers may ask for devices of a class as if it were an extended resource:
// "deviceclass.resource.kubernetes.io/gpu".
inline constexpr std::string_view kDeviceClassResource = "deviceclass.resource.kubernetes.io/";
// Whether the key, or the one whose hours it counts, is of the devices of a class by either name.
bool IsOfDevices(std::string_view key);
// "nvidia.com/gpu" of the keys "requests.nvidia.com/gpu" and "cash/requests.nvidia.com/gpu", perhaps with a model
// behind; empty for other keys.
std::string_view ExtendedResourceOf(std::string_view key);
// "nvidia.com/gpu"; not one of the names of Kubernetes itself.
bool IsExtendedResource(std::string_view name);

// "A100" is general to "A100" and "A100.80GB".
bool IsGeneralTo(std::string_view general, std::string_view model);

// Extended resources are counted by request alone, so "limits.nvidia.com/gpu" and "nvidia.com/gpu" mean
// "requests.nvidia.com/gpu"; with "cash/" before it, too. Other keys stay.
std::string NormalKey(std::string_view key);
// Normal keys; of two spellings of one key the smaller amount counts.
Amounts NormalKeys(const Amounts& amounts);

// The other normal key that every pod is charged the same to: "requests.cpu" of "cpu" and the other way round, memory,
// storage and hugepages likewise; "count/pods" of "pods"; of the devices of a class the other name; with "cash/" before
// it, too. Empty if there is none.
std::string TwinKey(std::string_view key);

// Whether some pod could be charged to this key: a misspelt key limits nothing.
bool IsKnownKey(std::string_view key);

// cash/KEY is a budget of KEY times hours.
inline constexpr std::string_view kCashPrefix = "cash/";
inline bool IsCash(std::string_view key) { return key.starts_with(kCashPrefix); }
Amounts CashOf(const Amounts& amounts);
// Whether amounts of the key are cores: cpu, requests.cpu, limits.cpu, of any model.
bool IsCpuKey(std::string_view key);
// Whether the key can be of a model; of extended resources that cannot be told from the key alone
// ("requests.example.com/gpu.shared"), so there it may be of none.
bool MayBeOfModel(std::string_view key);
// The key without a model, of cpu and memory keys; empty for others.
std::string_view MandatoryBase(std::string_view key);

}  // namespace huygens::quota
