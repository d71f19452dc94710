#include "agent/kubelet_client.h"

#include "base/text.h"

namespace huygens::agent {

kubelet_api::ClientOptions KubeletClientOptions(const PartContext& context) {
  const KubeletAccess& access = context.configuration.kubelet;
  kubelet_api::ClientOptions options{.url = access.url,
                                     .server_name = access.server_name.empty() ? context.node_name : access.server_name,
                                     .ca_file = access.ca_file,
                                     .own_certificate_file = Concat(access.directory, "/pki/kubelet.crt"),
                                     .cluster_ca_file = context.api_server.ca_file,
                                     .cluster_ca_data = context.api_server.ca_data,
                                     .insecure_skip_tls_verify = access.insecure_skip_tls_verify,
                                     .credentials = {}};
  if (!access.token_file.empty()) {
    options.credentials.bearer_token_file = access.token_file;
    return options;
  }
  const net::ClientOptions& from = context.api_server;
  options.credentials.bearer_token = from.bearer_token;
  options.credentials.bearer_token_file = from.bearer_token_file;
  options.credentials.cert_file = from.cert_file;
  options.credentials.cert_data = from.cert_data;
  options.credentials.key_file = from.key_file;
  options.credentials.key_data = from.key_data;
  return options;
}

}  // namespace huygens::agent
