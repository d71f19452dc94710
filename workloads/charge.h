// What a workload costs its group as a whole. Pure; any thread.
#pragma once

#include <string>

#include "base/resource.h"
#include "base/status.h"
#include "quota/amounts.h"
#include "quota/device_classes.h"
#include "quota/keys.h"
#include "quota/workload_kinds.h"
#include "workloads/index.h"
#include "workloads/object.h"

namespace huygens::workloads {

// By what pods are counted.
struct Costs {
  const ResourceNames& names;
  const quota::DeviceClasses& classes;
  quota::KeyOptions keys;
  quota::ReplicaOptions replicas;
};

// All its pods, by key and by the models that its labels name. Fails where its pods cannot be counted.
StatusOr<quota::Amounts> UsageOf(const WorkloadObject& workload, const Costs& costs);

// Argo Rollouts can have their template in a Deployment: gives it to the workload. Says what is missing if that is not
// known.
std::string BorrowTemplate(WorkloadObject& workload, const WorkloadIndex& known);

// What its templates must say and do not, where the group has a budget `hard`: as quota::MissingValues.
std::string MissingValues(const WorkloadObject& workload, const quota::Amounts& hard);

// Whether it is charged with what made it: its owner is of a kind that is charged for its pods. Not where that owner is
// known to be of no group itself: its template alone has the label, and otherwise nobody would pay.
bool IsChargedWithItsOwner(const WorkloadObject& workload, const WorkloadIndex& known);

// The workload that pays for a pod: the outermost of those that made it, or the pod itself, that names a group.
struct Payer {
  const WorkloadObject* workload = nullptr;  // null: none does
  bool complete = true;                      // false: one of those above it is not known
};
Payer PayerOf(const WorkloadObject& pod, const WorkloadIndex& known);

}  // namespace huygens::workloads
