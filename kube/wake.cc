#include "kube/wake.h"

#include "json/append.h"
#include "kube/api_call.h"
#include "wire/server_version.h"

namespace huygens::kube {

std::string_view Name(WakeResult result) {
  switch (result) {
    case WakeResult::kWritten:
      return "written";
    case WakeResult::kGone:
      return "gone";
    case WakeResult::kFailed:
      return "failed";
  }
  return "failed";
}

WakeReport Wake(net::Client& client, const WakeTarget& target, std::string_view mark, Duration timeout) {
  static const net::Headers headers = {{"Accept", "application/json"},
                                       {"Content-Type", "application/merge-patch+json"}};
  const bool node = target.namespace_name.empty();
  if (!IsObjectName(target.name) || (!node && !IsObjectName(target.namespace_name))) {
    return {.result = WakeResult::kGone};  // no API server holds an object of such a name
  }
  const std::string path = node
                               ? Concat("/api/v1/nodes/", target.name, "/status")
                               : Concat("/api/v1/namespaces/", target.namespace_name, "/pods/", target.name, "/status");
  std::string body = R"({"metadata":{)";
  if (!target.uid.empty()) {
    body += R"("uid":)";
    AppendJsonString(body, target.uid);
    body += ',';
  }
  body += R"("annotations":{"huygens.dev/wake":)";
  AppendJsonString(body, mark);
  body += "}}}";
  const auto reply = client.Call("PATCH", path, body, headers, timeout);
  if (!reply.ok()) return {WakeResult::kFailed, std::string(Message(reply.status())), true, {}};
  if (Succeeded(*reply)) return {.result = WakeResult::kWritten};
  // 409: the object of this name has another UID. A 422 is no sign of that: an admission policy refuses with it.
  if (reply->code == 404 || reply->code == 409) return {.result = WakeResult::kGone};
  // What else is 4xx is about this one object.
  const bool unavailable = reply->code == 429 || reply->code >= 500;
  return {WakeResult::kFailed, ExplainReply(*reply), unavailable, reply->retry_after};
}

StatusOr<bool> NodeWriteWakesAll(net::Client& client, Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const net::HttpReply reply, client.Call("GET", "/version", "", JsonHeaders(), timeout));
  const bool later = reply.code == 401 || reply.code == 429 || reply.code >= 500;
  if (later) return Unavailable(ExplainReply(reply));
  // By default every account may read it (system:public-info-viewer). Where nobody says a version, later ones are more
  // likely.
  const auto version = wire::DecodeServerVersion(reply.body);
  return !Succeeded(reply) || !version.ok() || *version >= wire::ServerVersion{1, 32};
}

}  // namespace huygens::kube
