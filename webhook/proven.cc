#include "webhook/proven.h"

#include <algorithm>
#include <string>

#include "quota/amounts.h"
#include "webhook/subject.h"
#include "wire/biz_group_quota.h"
#include "workloads/charge.h"
#include "workloads/object.h"

namespace huygens::webhook {
namespace {

using quota::Amounts;
using workloads::WorkloadObject;

bool IsNowhereAbove(const Amounts& after, const Amounts& before) {
  const Amounts grown = quota::Increase(after, before);
  return std::all_of(grown.begin(), grown.end(), [](const auto& each) { return each.second.IsZero(); });
}

// What the templates do not state, whatever the group limits: a limit that is taken away costs less at once, and would
// let the workload grow unseen.
std::string Unstated(const WorkloadObject& workload) {
  Amounts all;
  for (const char* key : {"cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"}) {
    quota::Set(all, key, Quantity());
  }
  return workloads::MissingValues(workload, all);
}

bool WorkloadTakesNothing(const AdmissionRequest& request, const ResourceNames& names, const Rules& rules) {
  const auto after = workloads::DecodeWorkload(request.kind_group, request.kind, request.object, names);
  if (!after.ok()) return false;
  if (after->deleting || after->labels.group.empty()) return true;
  if (request.old_object.empty()) return false;
  const auto before = workloads::DecodeWorkload(request.kind_group, request.kind, request.old_object, names);
  if (!before.ok() || before->labels.group != after->labels.group) return false;
  if (after->templates.empty() || before->templates.empty()) return false;  // it has that of another object
  const quota::DeviceClasses none;
  const workloads::Costs costs{names, none, rules.keys, rules.replicas};
  const StatusOr<Amounts> now = workloads::UsageOf(*after, costs);
  const StatusOr<Amounts> was = workloads::UsageOf(*before, costs);
  return now.ok() && was.ok() && IsNowhereAbove(*now, *was) && Unstated(*after) == Unstated(*before);
}

bool ScaleTakesNothing(const AdmissionRequest& request) {
  const auto after = DecodeScale(request.object), before = DecodeScale(request.old_object);
  return after.ok() && before.ok() && after->replicas <= before->replicas;
}

bool AutoscalerTakesNothing(const AdmissionRequest& request) {
  if (request.operation == Operation::kDelete) return true;
  const auto after = DecodeAutoscaler(request.object), before = DecodeAutoscaler(request.old_object);
  if (!after.ok() || !before.ok()) return false;
  Autoscaler most = *before;
  most.max_replicas = std::min(most.max_replicas, after->max_replicas);
  return most == *after;
}

// An edit of something else, as the removal of a finalizer. Even what a budget loses its children may have.
bool GroupTakesNothing(const AdmissionRequest& request) {
  if (request.operation != Operation::kUpdate) return false;
  const auto after = wire::DecodeBizGroupQuota(request.object), before = wire::DecodeBizGroupQuota(request.old_object);
  return after.ok() && before.ok() && after->parent == before->parent && after->hard == before->hard &&
         after->cash_policy == before->cash_policy && after->defect == before->defect;
}

}  // namespace

bool TakesNothing(const AdmissionRequest& request, const ResourceNames& names, const Rules& rules) {
  switch (SubjectOf(request)) {
    case Subject::kNothing:
    case Subject::kDeferred:
    case Subject::kRelease:
      return true;
    case Subject::kGroup:
      return GroupTakesNothing(request);
    case Subject::kWorkload:
      return WorkloadTakesNothing(request, names, rules);
    case Subject::kScale:
      return ScaleTakesNothing(request);
    case Subject::kAutoscaler:
      return AutoscalerTakesNothing(request);
  }
  return false;
}

}  // namespace huygens::webhook
