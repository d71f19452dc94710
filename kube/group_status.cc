#include "kube/group_status.h"

#include "base/text.h"
#include "kube/api_call.h"
#include "kube/list_path.h"
#include "kube/object_call.h"
#include "wire/biz_group_quota.h"

namespace huygens::kube {
namespace {

using cluster::BizGroupQuota;

StatusOr<BizGroupQuota> Decode(std::string_view json) { return wire::DecodeBizGroupQuota(json); }

StatusOr<std::string> PathOf(const std::string& name) {
  if (!IsObjectName(name)) return Invalid("the name of the group is no name of Kubernetes");
  return Concat(ListPath(cluster::Kind::kBizGroupQuota), "/", name);
}

}  // namespace

StatusOr<BizGroupQuota> WriteGroupStatus(net::Client& client, const BizGroupQuota& group, Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string path, PathOf(group.name));
  return CallForObject(Decode, client, "PUT", Concat(path, "/status"), wire::EncodeBizGroupStatus(group), timeout);
}

StatusOr<BizGroupQuota> WriteGroupFinalizers(net::Client& client, const BizGroupQuota& group, Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string path, PathOf(group.name));
  return CallForObject(Decode, client, "PATCH", path, wire::EncodeBizGroupFinalizers(group), timeout,
                       PatchHeaders("merge"));
}

StatusOr<BizGroupQuota> WriteGroupBudget(net::Client& client, const BizGroupQuota& group,
                                         const cluster::QuotaAmounts& hard, std::string_view transfer_uid, bool marked,
                                         Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string path, PathOf(group.name));
  return CallForObject(Decode, client, "PATCH", path, wire::EncodeBudgetChange(group, hard, transfer_uid, marked),
                       timeout, PatchHeaders("merge"));
}

StatusOr<BizGroupQuota> ReadGroup(net::Client& client, const std::string& name, Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string path, PathOf(name));
  return CallForObject(Decode, client, "GET", path, "", timeout);
}

}  // namespace huygens::kube
