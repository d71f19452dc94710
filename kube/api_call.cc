#include "kube/api_call.h"

#include <algorithm>

#include "wire/api_status.h"

namespace huygens::kube {

bool IsObjectName(std::string_view name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  return !name.empty() && name.size() <= 253 && name.front() != '.' && std::all_of(name.begin(), name.end(), fits);
}

std::string ReplyText(const net::HttpReply& reply) {
  std::string code = Concat("HTTP ", std::to_string(reply.code));
  const auto status = wire::DecodeApiStatus(reply.body);
  if (status.ok() && !status->message.empty()) return Concat(status->message, " (", code, ")");
  return code;
}

std::string ExplainReply(const net::HttpReply& reply) {
  switch (reply.code) {
    case 401:
      return Concat(ReplyText(reply), ": the credentials are not accepted; check the token or client certificate");
    case 403:
      return Concat(ReplyText(reply), ": check the ClusterRole and its binding for the account huygens uses");
    default:
      return ReplyText(reply);
  }
}

bool Succeeded(const net::HttpReply& reply) { return reply.code >= 200 && reply.code < 300; }

}  // namespace huygens::kube
