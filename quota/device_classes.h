// How the devices of a DeviceClass are charged. ResourceQuota (pkg/quota/v1/evaluator/core/resource_claims.go of
// Kubernetes 1.36) counts each device under up to three names, whichever of them was used to ask for it:
//
//   gpu.deviceclass.resource.k8s.io/devices                   of the class gpu
//   requests.deviceclass.resource.kubernetes.io/gpu           the same
//   requests.example.com/gpu                                  if the class has that spec.extendedResourceName
//
// Of several classes with one extended resource all are charged to it, and what containers ask for by its name is taken
// from the youngest, of equally old ones from the first by name. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/text.h"
#include "cluster/biz_group_quota.h"
#include "cluster/device_claim.h"
#include "quota/amounts.h"
#include "quota/keys.h"

namespace huygens::quota {

class DeviceClasses {
 public:
  void Set(const cluster::DeviceClass& device_class);
  void Remove(std::string_view name);

  // The class that gives the extended resource; empty: none does.
  std::string_view ClassOf(std::string_view resource) const;
  // The extended resource of the class; empty: it has none.
  std::string_view ResourceOf(std::string_view name) const;
  // Whether a budget of this key is of the devices of any class: the extended resource of one, perhaps of a model.
  bool Concern(std::string_view key) const;

 private:
  void Settle();

  std::map<std::string, cluster::DeviceClass, std::less<>> classes_;
  TextMap<std::string> class_of_;  // by extended resource
};

// Adds to `usage` what claims take that ask for so many devices of the class.
void ChargeDevices(std::string_view device_class, int64_t count, const DeviceClasses& classes,
                   const cluster::QuotaLabels& labels, const KeyOptions& options, Amounts& usage);

// Adds to `usage`, which holds what containers ask for under the name that they used, what that is besides, if it is
// devices of a class.
void ChargeAsDevices(std::string_view resource, int64_t count, const DeviceClasses& classes,
                     const cluster::QuotaLabels& labels, const KeyOptions& options, Amounts& usage);

}  // namespace huygens::quota
