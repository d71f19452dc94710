#include "webhook/manifest_cluster.h"

#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/text.h"
#include "kube/manifest_files.h"
#include "quota/workload_kinds.h"
#include "wire/biz_group_quota.h"
#include "wire/biz_group_schema.h"
#include "wire/device_claim.h"
#include "workloads/charge.h"
#include "workloads/reference.h"

namespace huygens::webhook {
namespace {

StatusOr<cluster::BizGroupQuota> ReadGroup(std::string_view json) {
  if (const auto faults = wire::BizGroupQuotaFaults(json); !faults.empty()) {
    return Invalid(absl::StrJoin(faults, "; "));
  }
  return wire::DecodeBizGroupQuota(json);
}

}  // namespace

Status ManifestCluster::Load(const std::string& directory) {
  std::vector<std::string> uids;  // charged when all that a workload may refer to is known
  const auto take = [&](const kube::ManifestObject& object) -> Status {
    const std::string_view group = workloads::GroupOfVersion(object.meta.api_version);
    const std::string& kind = object.meta.kind;
    if (group == "quota.huygens.dev" && kind == "BizGroupResourceQuota") {
      HUYGENS_ASSIGN_OR_RETURN(cluster::BizGroupQuota read, ReadGroup(object.json));
      tree_.Set(std::move(read));
    } else if (group == "resource.k8s.io" && kind == "DeviceClass") {
      HUYGENS_ASSIGN_OR_RETURN(const cluster::DeviceClass read, wire::DecodeDeviceClass(object.json));
      classes_.Set(read);
    } else if (quota::ChargesForItsPods(group, kind)) {
      HUYGENS_ASSIGN_OR_RETURN(workloads::WorkloadObject read,
                               workloads::DecodeWorkload(group, kind, object.json, names_));
      if (read.namespace_name.empty()) read.namespace_name = "default";
      if (read.uid.empty()) read.uid = Concat(kind, "/", read.namespace_name, "/", read.name);
      if (workloads_.ByUid(read.uid) != nullptr) return Invalid(Concat("a second object of UID ", read.uid));
      uids.push_back(read.uid);
      workloads_.Set(std::move(read));
    }
    return absl::OkStatus();
  };
  Status faults = kube::ForEachManifest(
      directory, [&](const kube::ManifestObject& object) { return Annotate(take(object), object.place); });
  for (const std::string& uid : uids) {
    workloads::WorkloadObject workload = *workloads_.ByUid(uid);
    if (workload.labels.group.empty() || workloads::IsChargedWithItsOwner(workload, workloads_)) continue;
    const std::string missing = workloads::BorrowTemplate(workload, workloads_);
    const StatusOr<quota::Amounts> usage = workloads::UsageOf(workload, facts().Costs(rules_));
    if (!missing.empty()) kube::AddFault(faults, Invalid(Concat(workload.name, ": ", missing)));
    kube::AddFault(faults, Annotate(usage.status(), workload.name));
    if (usage.ok()) tree_.Charge(workload.labels.group, *usage);
  }
  return faults;
}

}  // namespace huygens::webhook
