#include "kube/group_status.h"

#include "base/text.h"
#include "kube/api_call.h"
#include "kube/list_path.h"
#include "wire/biz_group_quota.h"

namespace huygens::kube {
namespace {

using cluster::BizGroupQuota;

StatusOr<BizGroupQuota> Call(net::Client& client, std::string_view method, const std::string& path,
                             std::string_view body, Duration timeout, const net::Headers& headers = JsonHeaders()) {
  HUYGENS_ASSIGN_OR_RETURN(const net::HttpReply reply, client.Call(method, path, body, headers, timeout));
  if (Succeeded(reply)) return wire::DecodeBizGroupQuota(reply.body);
  const std::string why = ExplainReply(reply);
  if (reply.code == 409) return Conflict(why);
  if (reply.code == 404) return NotFound(why);
  // Malformed, too large, or against the definition of the kind: it will be no better the next time.
  if (reply.code == 400 || reply.code == 413 || reply.code == 422) return Refused(why);
  return Unavailable(Concat(method, " ", path, ": ", why));
}

std::string PathOf(const std::string& name) { return Concat(ListPath(cluster::Kind::kBizGroupQuota), "/", name); }

}  // namespace

StatusOr<BizGroupQuota> WriteGroupStatus(net::Client& client, const BizGroupQuota& group, Duration timeout) {
  if (!IsObjectName(group.name)) return Invalid("the name of the group is no name of Kubernetes");
  return Call(client, "PUT", Concat(PathOf(group.name), "/status"), wire::EncodeBizGroupStatus(group), timeout);
}

StatusOr<BizGroupQuota> WriteGroupFinalizers(net::Client& client, const BizGroupQuota& group, Duration timeout) {
  static const net::Headers kMergePatch = {{"Accept", "application/json"},
                                           {"Content-Type", "application/merge-patch+json"}};
  if (!IsObjectName(group.name)) return Invalid("the name of the group is no name of Kubernetes");
  return Call(client, "PATCH", PathOf(group.name), wire::EncodeBizGroupFinalizers(group), timeout, kMergePatch);
}

StatusOr<BizGroupQuota> ReadGroup(net::Client& client, const std::string& name, Duration timeout) {
  if (!IsObjectName(name)) return Invalid("the name of the group is no name of Kubernetes");
  return Call(client, "GET", PathOf(name), "", timeout);
}

}  // namespace huygens::kube
