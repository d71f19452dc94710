#include "kube/kubeconfig.h"
#include "settings/scalar.h"
#include "settings/service_options.h"

namespace huygens::settings {

StatusOr<net::ClientOptions> ApiServer(const KubernetesConfiguration& from, observe::Log& log) {
  auto server = from.kubeconfig.empty() ? kube::InCluster() : kube::LoadKubeconfig(from.kubeconfig);
  if (server.ok() && !(server->bearer_token.empty() && server->bearer_token_file.empty()) &&
      IsPlainHttpToOthers(server->base_url))
    log.Warn("the bearer token goes to the API server unencrypted; use https", {{"server", server->base_url}});
  return server;
}

}  // namespace huygens::settings
