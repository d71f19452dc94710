#include "wire/webhook_configuration.h"

#include "absl/strings/escaping.h"
#include "json/append.h"
#include "json/reader.h"

namespace huygens::wire {
namespace {

Status ReadBundle(JsonReader& in, std::string& out) {
  std::string encoded;
  HUYGENS_RETURN_IF_ERROR(in.Read(encoded));
  if (!absl::Base64Unescape(encoded, &out)) out.clear();
  return absl::OkStatus();
}

Status ReadWebhook(JsonReader& in, RegisteredWebhook& out) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("name")) return in.Read(out.name);
    if (!key.Is("clientConfig")) return absl::OkStatus();
    return in.Fields("caBundle", [&] { return ReadBundle(in, out.ca_bundle); });
  });
}

}  // namespace

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
