#include "certificates/certificate_keeper.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"
#include "certificates/secret.h"
#include "kube/object_call.h"
#include "wire/webhook_configuration.h"

namespace huygens::certificates {
namespace {

// As whose the API server notes the field, so that others see who writes it.
constexpr std::string_view kFieldManager = "?fieldManager=huygens-certificates";
constexpr std::string_view kManagedBy = "huygens";

class Keeper {
 public:
  Keeper(net::Client& client, const CertificateKeeperOptions& options) : client_(client), options_(options) {}

  StatusOr<CertificatesKept> Keep(Time now) {
    // Configurations first: a bundle that somebody writes after the Secret was read is then seen as a conflict.
    HUYGENS_RETURN_IF_ERROR(ReadConfigurations());
    HUYGENS_ASSIGN_OR_RETURN(const std::optional<Secret> secret, ReadSecret());
    if (secret && secret->managed_by != kManagedBy) {
      return Refused(Concat("Secret ", options_.namespace_name, "/", options_.secret,
                            " was not made by huygens (label app.kubernetes.io/managed-by): it is left alone"));
    }
    std::vector<std::string> told;
    for (const wire::WebhookConfiguration& each : configurations_) {
      for (const wire::RegisteredWebhook& webhook : each.webhooks) told.push_back(webhook.ca_bundle);
    }
    HUYGENS_ASSIGN_OR_RETURN(CertificatePlan plan,
                             PlanCertificates(secret ? secret->data : SecretData(), told, options_.rules, now));
    if (plan.write) HUYGENS_RETURN_IF_ERROR(WriteSecret(secret, std::move(plan.data)));
    CertificatesKept kept{.look_again = plan.look_again, .news = std::move(plan.news)};
    for (wire::WebhookConfiguration& each : configurations_) {
      HUYGENS_ASSIGN_OR_RETURN(const bool changed, Tell(each, plan.ca_bundle));
      const auto [kind, name] = wire::ParseWebhookConfigurationReference(each.name);
      if (changed) kept.news.push_back(Concat(kind, " ", name, " names the authorities"));
    }
    return kept;
  }

 private:
  StatusOr<net::HttpReply> Call(std::string_view method, std::string_view path, std::string_view body = "",
                                const net::Headers& headers = kube::JsonHeaders()) {
    return kube::CallForObject(client_, method, path, body, options_.call_timeout, headers);
  }

  Status ReadConfigurations() {
    for (const std::string& name : options_.configurations) {
      const auto reply = Call("GET", wire::WebhookConfigurationPath(name));
      if (absl::IsNotFound(reply.status())) continue;
      if (!reply.ok()) return reply.status();
      HUYGENS_ASSIGN_OR_RETURN(wire::WebhookConfiguration read, wire::DecodeWebhookConfiguration(reply->body));
      read.name = name;  // with its kind
      configurations_.push_back(std::move(read));
    }
    return absl::OkStatus();
  }

  std::string Secrets() const { return Concat("/api/v1/namespaces/", options_.namespace_name, "/secrets"); }

  StatusOr<std::optional<Secret>> ReadSecret() {
    const auto reply = Call("GET", Concat(Secrets(), "/", options_.secret));
    if (absl::IsNotFound(reply.status())) return std::optional<Secret>();
    if (!reply.ok()) return reply.status();
    HUYGENS_ASSIGN_OR_RETURN(Secret secret, DecodeSecret(reply->body));
    return std::optional(std::move(secret));
  }

  Status WriteSecret(const std::optional<Secret>& known, SecretData data) {
    Secret secret{.name = options_.secret, .namespace_name = options_.namespace_name};
    secret.managed_by = kManagedBy;
    secret.data = std::move(data);
    if (!known) {
      secret.type = "kubernetes.io/tls";
      return Call("POST", Concat(Secrets(), kFieldManager), EncodeSecret(secret)).status();
    }
    secret.uid = known->uid;
    secret.resource_version = known->resource_version;
    return Call("PATCH", Concat(Secrets(), "/", options_.secret, kFieldManager), EncodeSecret(secret),
                kube::PatchHeaders("merge"))
        .status();
  }

  // Whether there was anything to be told.
  StatusOr<bool> Tell(wire::WebhookConfiguration& configuration, const std::string& bundle) {
    const bool known = std::all_of(configuration.webhooks.begin(), configuration.webhooks.end(),
                                   [&](const auto& each) { return each.ca_bundle == bundle; });
    if (known) return false;
    for (wire::RegisteredWebhook& each : configuration.webhooks) each.ca_bundle = bundle;
    HUYGENS_RETURN_IF_ERROR(Call("PATCH", Concat(wire::WebhookConfigurationPath(configuration.name), kFieldManager),
                                 wire::EncodeBundlePatch(configuration), kube::PatchHeaders("strategic-merge"))
                                .status());
    return true;
  }

  net::Client& client_;
  const CertificateKeeperOptions& options_;
  std::vector<wire::WebhookConfiguration> configurations_;
};

}  // namespace

StatusOr<CertificatesKept> KeepCertificates(net::Client& client, const CertificateKeeperOptions& options, Time now) {
  return Keeper(client, options).Keep(now);
}

}  // namespace huygens::certificates
