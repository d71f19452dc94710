#include "workloads/charge.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "quota/pod_usage.h"

namespace huygens::workloads {
namespace {

constexpr int kMostOwners = 8;  // three are usual, as of a pod of a Deployment; anybody can write a circle

}  // namespace

StatusOr<quota::Amounts> UsageOf(const WorkloadObject& workload, const Costs& costs) {
  HUYGENS_ASSIGN_OR_RETURN(const std::vector<int64_t> pods, quota::ChargedPods(workload.counted, costs.replicas));
  quota::Amounts usage;
  for (size_t i = 0; i < std::min(pods.size(), workload.templates.size()); ++i) {
    const quota::Amounts one =
        quota::PodUsage(workload.templates[i], workload.labels, costs.names, costs.keys, costs.classes);
    quota::Add(usage, quota::Times(one, pods[i]));
  }
  quota::RemoveZeros(usage);
  return usage;
}

std::string BorrowTemplate(WorkloadObject& workload, const WorkloadIndex& known) {
  if (!workload.templates.empty() || workload.template_name.empty()) return {};
  const WorkloadObject* lender =
      known.ByName(workload.template_group, workload.template_kind, workload.namespace_name, workload.template_name);
  if (lender == nullptr || lender->templates.empty()) {
    return Concat("spec.workloadRef: ", workload.template_kind, " ", workload.template_name, " is not known here");
  }
  workload.templates = lender->templates;
  return {};
}

std::string MissingValues(const WorkloadObject& workload, const quota::Amounts& hard) {
  const auto& roles = workload.counted.roles;
  for (size_t i = 0; i < workload.templates.size(); ++i) {
    std::string missing = quota::MissingValues(workload.templates[i], workload.labels, hard);
    if (missing.empty()) continue;
    return i < roles.size() ? Concat(roles[i].name, " ", missing) : missing;
  }
  return {};
}

bool IsChargedWithItsOwner(const WorkloadObject& workload, const WorkloadIndex& known) {
  const WorkloadObject* at = &workload;
  for (int i = 0; i < kMostOwners; ++i) {
    if (at->owner_kind.empty() || !quota::ChargesForItsPods(at->owner_group, at->owner_kind)) return false;
    at = known.ByUid(at->owner_uid);
    if (at == nullptr || !at->labels.group.empty()) return true;
  }
  return false;
}

Payer PayerOf(const WorkloadObject& pod, const WorkloadIndex& known) {
  Payer payer{.workload = pod.labels.group.empty() ? nullptr : &pod};
  const WorkloadObject* at = &pod;
  for (int i = 0; i < kMostOwners; ++i) {
    if (at->owner_kind.empty() || !quota::ChargesForItsPods(at->owner_group, at->owner_kind)) return payer;
    at = known.ByUid(at->owner_uid);
    if (at == nullptr) break;
    if (!at->labels.group.empty()) payer.workload = at;
  }
  payer.complete = false;
  return payer;
}

}  // namespace huygens::workloads
