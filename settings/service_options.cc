#include "settings/service_options.h"

#include <algorithm>

#include "base/commit.h"
#include "policy/reason.h"
#include "policy/registry.h"
#include "wire/unknown_annotations.h"

namespace huygens::settings {

observe::Metrics::Options MetricsOptions(const UsageConfiguration& usage) {
  observe::Metrics::Options options{.version = HUYGENS_VERSION, .commit = std::string(Commit())};
  for (const UsageResource& resource : usage.resources) options.usage_resources.push_back(resource.name);
  for (policy::Reason reason : policy::kReasons) {
    if (reason != policy::Reason::kFits) options.reject_reasons.push_back(policy::Label(reason));
  }
  options.annotations.assign(wire::kChosenAnnotations.begin(), wire::kChosenAnnotations.end());
  for (const policy::CheckEntry& check : policy::KnownChecks()) options.checks.push_back(check.name);
  return options;
}

net::ServerOptions ServerOptions(const ServerConfiguration& from) {
  net::ServerOptions options;
  options.address = from.address;
  if (from.tls) {
    options.tls.cert_file = from.tls->cert_file;
    options.tls.key_file = from.tls->key_file;
    options.tls.client_ca_file = from.tls->client_ca_file;
    options.tls.allowed_clients = from.tls->allowed_clients;
    options.tls.allow_any_client = from.tls->allow_any_client;
  }
  options.allow_plain_http = from.allow_plain_http;
  options.max_body_bytes = static_cast<size_t>(from.max_body_bytes);
  options.max_bytes_in_flight = static_cast<size_t>(std::max(from.max_bytes_in_flight, from.max_body_bytes));
  options.idle_timeout = from.idle_timeout;
  return options;
}

}  // namespace huygens::settings
