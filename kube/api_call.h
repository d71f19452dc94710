// Small things that every caller of the API server needs. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "net/client.h"

namespace huygens::kube {

// A name or namespace as Kubernetes allows it, so that it can be put into a path as it is.
bool IsObjectName(std::string_view name);

// What the API server said in a reply that is not 2xx, for the operator: the message of its Status object, or else the
// code.
std::string ReplyText(const net::HttpReply& reply);

// ReplyText with advice where a cause is known (401: credentials, 403: RBAC).
std::string ExplainReply(const net::HttpReply& reply);

bool Succeeded(const net::HttpReply& reply);

inline const net::Headers& JsonHeaders() {
  static const net::Headers headers = {{"Accept", "application/json"}, {"Content-Type", "application/json"}};
  return headers;
}

}  // namespace huygens::kube
