#include "wire/admission_review.h"

#include "base/text.h"
#include "json/append.h"
#include "json/reader.h"

namespace huygens::wire {
namespace {

struct Review {
  std::string api_version, kind;
  AdmissionRequest request;
};

Status ReadKind(JsonReader& in, std::string& group, std::string& kind) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("group")) return in.Read(group);
    return key.Is("kind") ? in.Read(kind) : absl::OkStatus();
  });
}

Status ReadResource(JsonReader& in, std::string& group, std::string& resource) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("group")) return in.Read(group);
    return key.Is("resource") ? in.Read(resource) : absl::OkStatus();
  });
}

Status ReadOperation(JsonReader& in, Operation& operation) {
  std::string text;
  HUYGENS_RETURN_IF_ERROR(in.Read(text));
  if (text == "CREATE") {
    operation = Operation::kCreate;
  } else if (text == "UPDATE") {
    operation = Operation::kUpdate;
  } else if (text == "DELETE") {
    operation = Operation::kDelete;
  } else if (text == "CONNECT") {
    operation = Operation::kConnect;
  } else {
    return Invalid("expected CREATE, UPDATE, DELETE or CONNECT");
  }
  return absl::OkStatus();
}

Status ReadObject(JsonReader& in, std::string_view& out) {
  out = {};
  if (in.SkipNull()) return absl::OkStatus();
  if (in.Next() != JsonType::kObject) return in.Unexpected("an object");
  out = in.Skip();
  return absl::OkStatus();
}

Status ReadUser(JsonReader& in, std::string& name) {
  return in.Members([&](const JsonKey& key) { return key.Is("username") ? in.Read(name) : absl::OkStatus(); });
}

Status ReadRequest(JsonReader& in, AdmissionRequest& out) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("uid")) return in.Read(out.uid);
    if (key.Is("kind")) return ReadKind(in, out.kind_group, out.kind);
    if (key.Is("resource")) return ReadResource(in, out.resource_group, out.resource);
    if (key.Is("subResource")) return in.Read(out.subresource);
    if (key.Is("name")) return in.Read(out.name);
    if (key.Is("namespace")) return in.Read(out.namespace_name);
    if (key.Is("operation")) return ReadOperation(in, out.operation);
    if (key.Is("userInfo")) return ReadUser(in, out.user);
    if (key.Is("object")) return ReadObject(in, out.object);
    if (key.Is("oldObject")) return ReadObject(in, out.old_object);
    return key.Is("dryRun") ? in.Read(out.dry_run) : absl::OkStatus();
  });
}

// The API server drops a warning with a control character, and an empty one.
std::string OnOneLine(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

void AppendWarnings(std::string& out, const std::vector<std::string>& warnings) {
  if (warnings.empty()) return;
  AppendJsonKey(out, "warnings");
  out += '[';
  for (const std::string& warning : warnings) {
    if (warning.empty()) continue;
    if (out.back() != '[') out += ',';
    AppendJsonString(out, OnOneLine(warning));
  }
  out += ']';
}

}  // namespace

StatusOr<AdmissionRequest> DecodeAdmissionReview(std::string_view json) {
  bool asked = false;
  HUYGENS_ASSIGN_OR_RETURN(Review review, DecodeObject<Review>(json, [&](JsonReader& in, Review& out) {
                             return in.Members([&](const JsonKey& key) {
                               if (key.Is("apiVersion")) return in.Read(out.api_version);
                               if (key.Is("kind")) return in.Read(out.kind);
                               if (!key.Is("request")) return absl::OkStatus();
                               asked = asked || in.Next() == JsonType::kObject;
                               return ReadRequest(in, out.request);
                             });
                           }));
  if (review.api_version != "admission.k8s.io/v1" || review.kind != "AdmissionReview") {
    return Invalid("not an AdmissionReview of admission.k8s.io/v1");
  }
  if (!asked || review.request.uid.empty()) return Invalid("request.uid is missing");
  return std::move(review.request);
}

std::string EncodeAdmissionAnswer(const AdmissionAnswer& answer) {
  std::string out = R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{)";
  AppendJsonKey(out, "uid");
  AppendJsonString(out, answer.uid);
  AppendJsonKey(out, "allowed");
  out += answer.allowed ? "true" : "false";
  if (!answer.allowed) {
    AppendJsonKey(out, "status");
    out += '{';
    AppendJsonKey(out, "code");
    AppendJsonInt(out, answer.code);
    AppendJsonField(out, "reason", answer.code == kServiceUnavailable ? "ServiceUnavailable" : "Forbidden");
    AppendJsonField(out, "message", answer.message);
    if (answer.retry_after_seconds > 0) {
      AppendJsonKey(out, "details");
      out += R"({"retryAfterSeconds":)";
      AppendJsonInt(out, answer.retry_after_seconds);
      out += '}';
    }
    out += '}';
  }
  AppendWarnings(out, answer.warnings);
  if (!answer.audit_annotations.empty()) {
    AppendJsonKey(out, "auditAnnotations");
    out += '{';
    for (const auto& [key, value] : answer.audit_annotations) AppendJsonField(out, key, value);
    out += '}';
  }
  return out + "}}";
}

}  // namespace huygens::wire
