#include "kube/object_call.h"

#include "base/text.h"

namespace huygens::kube {

StatusOr<net::HttpReply> CallForObject(net::Client& client, std::string_view method, std::string_view path,
                                       std::string_view body, Duration timeout, const net::Headers& headers) {
  HUYGENS_ASSIGN_OR_RETURN(net::HttpReply reply, client.Call(method, path, body, headers, timeout));
  if (Succeeded(reply)) return reply;
  const std::string why = ExplainReply(reply);
  if (reply.code == 409) return Conflict(why);
  if (reply.code == 404) return NotFound(why);
  if (reply.code == 403) return absl::PermissionDeniedError(ToAbsl(Concat(method, " ", path, ": ", why)));
  // Malformed, too large, or against the definition of the kind: it will be no better the next time.
  if (reply.code == 400 || reply.code == 413 || reply.code == 422) return Refused(why);
  return Unavailable(Concat(method, " ", path, ": ", why));
}

net::Headers PatchHeaders(std::string_view how) {
  return {{"Accept", "application/json"}, {"Content-Type", Concat("application/", how, "-patch+json")}};
}

net::Headers ApplyHeaders() {
  return {{"Accept", "application/json"}, {"Content-Type", "application/apply-patch+yaml"}};
}

}  // namespace huygens::kube
