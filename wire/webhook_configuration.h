// admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration and MutatingWebhookConfiguration: by which authorities an API server believes the
// webhooks in it, and by which name it calls them. Safe on any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::wire {

struct RegisteredWebhook {
  std::string name;
  // PEM; empty: the API server asks the authorities of its machine. Text that is no base64: empty.
  std::string ca_bundle;
  std::string host;  // "huygens-webhook.kube-system.svc", or that of a URL
};

struct WebhookConfiguration {
  std::string name;
  std::string resource_version;
  std::vector<RegisteredWebhook> webhooks;
};

// One as it is named in huygens' configuration: "huygens-webhook" is a ValidatingWebhookConfiguration, one of the other
// kind is "MutatingWebhookConfiguration/huygens-overcommit".
struct WebhookConfigurationReference {
  std::string_view kind, name;
};
WebhookConfigurationReference ParseWebhookConfigurationReference(std::string_view text);
// For GET and PATCH of one that is so named.
std::string WebhookConfigurationPath(std::string_view reference);

StatusOr<WebhookConfiguration> DecodeWebhookConfiguration(std::string_view json);
// A strategic merge patch that sets the bundles, and nothing else. Refused (409) where the object has changed since.
std::string EncodeBundlePatch(const WebhookConfiguration& configuration);

}  // namespace huygens::wire
