#include "wire/webhook_configuration.h"

#include "absl/strings/escaping.h"
#include "base/text.h"
#include "json/append.h"
#include "json/reader.h"

namespace huygens::wire {
namespace {

constexpr std::string_view kMutating = "MutatingWebhookConfiguration";

Status ReadBundle(JsonReader& in, std::string& out) {
  std::string encoded;
  HUYGENS_RETURN_IF_ERROR(in.Read(encoded));
  if (!absl::Base64Unescape(encoded, &out)) out.clear();
  return absl::OkStatus();
}

// "https://127.0.0.1:8443/validate", "https://[::1]/".
std::string HostOf(std::string_view url) {
  constexpr std::string_view kScheme = "://";
  const size_t scheme = url.find(kScheme);
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + kScheme.size());
  url = url.substr(0, url.find('/'));
  if (url.starts_with('[')) return std::string(url.substr(1, url.find(']') - 1));
  return std::string(url.substr(0, url.find(':')));
}

Status ReadClient(JsonReader& in, RegisteredWebhook& out) {
  std::string url, service, space;
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) {
    if (key.Is("caBundle")) return ReadBundle(in, out.ca_bundle);
    if (key.Is("url")) return in.Read(url);
    if (key.Is("service")) return in.Fields("name", service, "namespace", space);
    return absl::OkStatus();
  }));
  out.host = url.empty() ? Concat(service, ".", space, ".svc") : HostOf(url);
  return absl::OkStatus();
}

Status ReadWebhook(JsonReader& in, RegisteredWebhook& out) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("name")) return in.Read(out.name);
    return key.Is("clientConfig") ? ReadClient(in, out) : absl::OkStatus();
  });
}

}  // namespace

WebhookConfigurationReference ParseWebhookConfigurationReference(std::string_view text) {
  const std::string prefix = Concat(kMutating, "/");
  if (text.starts_with(prefix)) return {kMutating, text.substr(prefix.size())};
  return {"ValidatingWebhookConfiguration", text};
}

std::string WebhookConfigurationPath(std::string_view reference) {
  const auto [kind, name] = ParseWebhookConfigurationReference(reference);
  return Concat("/apis/admissionregistration.k8s.io/v1/",
                kind == kMutating ? "mutatingwebhookconfigurations/" : "validatingwebhookconfigurations/", name);
}

StatusOr<WebhookConfiguration> DecodeWebhookConfiguration(std::string_view json) {
  return DecodeObject<WebhookConfiguration>(json, [](JsonReader& in, WebhookConfiguration& out) {
    return in.Members([&](const JsonKey& part) {
      if (part.Is("metadata")) return in.Fields("name", out.name, "resourceVersion", out.resource_version);
      if (!part.Is("webhooks")) return absl::OkStatus();
      return ReadList(in, out.webhooks, [&](RegisteredWebhook& each) { return ReadWebhook(in, each); });
    });
  });
}

std::string EncodeBundlePatch(const WebhookConfiguration& configuration) {
  std::string out = R"({"metadata":{)";
  AppendJsonField(out, "resourceVersion", configuration.resource_version);
  out += R"(},"webhooks":[)";
  for (const RegisteredWebhook& each : configuration.webhooks) {
    out += out.back() == '[' ? "{" : ",{";
    AppendJsonField(out, "name", each.name);
    AppendJsonKey(out, "clientConfig");
    out += '{';
    AppendJsonField(out, "caBundle", absl::Base64Escape(each.ca_bundle));
    out += "}}";
  }
  out += "]}";
  return out;
}

}  // namespace huygens::wire
