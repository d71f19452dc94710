// What a webhook must know of a cluster, from a directory of manifests that stands in for it: the groups, the classes of
// devices, and all workloads of the kinds that are charged. Of each group that is used what its workloads ask for, those
// with an owner of such a kind left out, as at their admission. Other objects are passed over. Read once; nothing that a
// review changes comes in. Blocking; one thread at a time.
#pragma once

#include <string>

#include "base/resource.h"
#include "base/status.h"
#include "quota/device_classes.h"
#include "quota/tree.h"
#include "webhook/judgement.h"
#include "webhook/known_cluster.h"
#include "workloads/index.h"

namespace huygens::webhook {

class ManifestCluster final : public KnownCluster {
 public:
  explicit ManifestCluster(Rules rules) : rules_(std::move(rules)) {}

  // The error has a line for each fault.
  Status Load(const std::string& directory);

  Facts facts() const override { return {tree_, workloads_, classes_, names_}; }
  std::string NotReady() const override { return {}; }

 private:
  const Rules rules_;
  ResourceNames names_;
  quota::Tree tree_;
  quota::DeviceClasses classes_;
  workloads::WorkloadIndex workloads_;
};

}  // namespace huygens::webhook
