// A kubeconfig with a bearer token, for whoever is to find a server by one.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace huygens::fake {

inline std::string Kubeconfig(std::string_view server_url, std::string_view token) {
  return Concat(
      "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"
      "clusters: [{name: c, cluster: {server: \"",
      server_url, "\"}}]\nusers: [{name: u, user: {token: ", token, "}}]\n");
}

}  // namespace huygens::fake
