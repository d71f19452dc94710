#include "certificates/secret.h"

#include "absl/strings/escaping.h"
#include "json/append.h"
#include "json/reader.h"

namespace huygens::certificates {
namespace {

constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";

Status ReadData(JsonReader& in, SecretData& out) {
  return in.Members([&](const JsonKey& key) -> Status {
    const std::string name(key.text);
    std::string encoded;
    HUYGENS_RETURN_IF_ERROR(in.Read(encoded));
    if (!absl::Base64Unescape(encoded, &out[name])) return Invalid("not base64");
    return absl::OkStatus();
  });
}

}  // namespace

StatusOr<Secret> DecodeSecret(std::string_view json) {
  return DecodeObject<Secret>(json, [](JsonReader& in, Secret& out) {
    return in.Members([&](const JsonKey& part) {
      if (part.Is("type")) return in.Read(out.type);
      if (part.Is("data")) return ReadData(in, out.data);
      if (!part.Is("metadata")) return absl::OkStatus();
      return in.Members([&](const JsonKey& key) {
        if (key.Is("name")) return in.Read(out.name);
        if (key.Is("namespace")) return in.Read(out.namespace_name);
        if (key.Is("uid")) return in.Read(out.uid);
        if (key.Is("resourceVersion")) return in.Read(out.resource_version);
        if (key.Is("labels")) return in.Fields(kManagedBy, out.managed_by);
        return absl::OkStatus();
      });
    });
  });
}

std::string EncodeSecret(const Secret& secret) {
  std::string out;
  const auto text = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) AppendJsonField(out, name, value);
  };
  out += R"({"apiVersion":"v1","kind":"Secret","metadata":{)";
  text("name", secret.name);
  text("namespace", secret.namespace_name);
  text("uid", secret.uid);
  text("resourceVersion", secret.resource_version);
  if (!secret.managed_by.empty()) {
    AppendJsonKey(out, "labels");
    out += '{';
    text(kManagedBy, secret.managed_by);
    out += '}';
  }
  out += '}';
  text("type", secret.type);
  AppendJsonKey(out, "data");
  out += '{';
  for (const auto& [name, value] : secret.data) {
    if (out.back() != '{') out += ',';
    AppendJsonString(out, name);
    out += ':';
    AppendJsonString(out, absl::Base64Escape(value));
  }
  out += "}}";
  return out;
}

}  // namespace huygens::certificates
