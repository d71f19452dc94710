#include "preflight/ask_api_server.h"

#include "base/text.h"
#include "json/append.h"
#include "kube/api_call.h"
#include "wire/access_review.h"

namespace huygens::preflight {

namespace {

StatusOr<bool> Ask(net::Client& client, const Permission& permission, std::string_view account, Duration timeout) {
  const wire::AccessQuestion question = {.verb = permission.verb,
                                         .group = permission.group,
                                         .resource = permission.resource,
                                         .subresource = permission.subresource,
                                         .namespace_name = permission.namespace_name,
                                         .name = permission.object,
                                         .service_account = account};
  const std::string path =
      Concat("/apis/authorization.k8s.io/v1/", account.empty() ? "selfsubjectaccessreviews" : "subjectaccessreviews");
  HUYGENS_ASSIGN_OR_RETURN(const net::HttpReply reply,
                           client.Call("POST", path, wire::AccessReviewText(question), kube::JsonHeaders(), timeout));
  if (!kube::Succeeded(reply)) return Unavailable(Concat("POST ", path, ": ", kube::ReplyText(reply)));
  return wire::DecodeAccessReview(reply.body);
}

}  // namespace

std::vector<Access> AskAccess(net::Client& client, std::vector<Permission> permissions, std::string_view account,
                              Duration timeout) {
  std::vector<Access> accesses;
  Status lost;  // the API server: the others would wait in vain, too
  for (Permission& permission : permissions) {
    Access access{.permission = std::move(permission), .allowed = false, .asked = lost};
    if (lost.ok()) {
      const auto answer = Ask(client, access.permission, account, timeout);
      access.asked = lost = answer.status();
      access.allowed = answer.ok() && *answer;
    }
    accesses.push_back(std::move(access));
  }
  return accesses;
}

StatusOr<wire::Lease> AskLease(net::Client& client, std::string_view namespace_name, std::string_view name,
                               Duration timeout) {
  const std::string path = Concat("/apis/coordination.k8s.io/v1/namespaces/", namespace_name, "/leases/", name);
  HUYGENS_ASSIGN_OR_RETURN(const net::HttpReply reply, client.Call("GET", path, "", kube::JsonHeaders(), timeout));
  if (reply.code == 404) return NotFound(path);
  if (!kube::Succeeded(reply)) return Unavailable(Concat("GET ", path, ": ", kube::ReplyText(reply)));
  return wire::DecodeLease(reply.body);
}

std::vector<KubeletSays> AskKubelets(net::Client& client, const std::vector<std::string>& nodes, Duration timeout) {
  std::vector<KubeletSays> kubelets;
  Status forbidden;
  for (const std::string& node : nodes) {
    StatusOr<KubeletConfiguration> says = forbidden.ok() ? Internal("not asked") : forbidden;
    if (forbidden.ok()) {
      const std::string path = Concat("/api/v1/nodes/", node, "/proxy/configz");
      const auto reply = client.Call("GET", path, "", kube::JsonHeaders(), timeout);
      if (!reply.ok()) {
        says = reply.status();
      } else if (!kube::Succeeded(*reply)) {
        says = Unavailable(Concat("GET ", path, ": ", kube::ReplyText(*reply)));
        if (reply->code == 401 || reply->code == 403) forbidden = says.status();
      } else {
        says = DecodeConfigz(reply->body);
      }
    }
    kubelets.push_back({node, std::move(says)});
  }
  return kubelets;
}

}  // namespace huygens::preflight
