#include "webhook/admission_review.h"

#include "absl/strings/escaping.h"
#include "base/text.h"
#include "json/append.h"
#include "json/reader.h"
#include "wire/resources.h"

namespace huygens::webhook {
namespace {

struct Review {
  std::string api_version, kind;
  AdmissionRequest request;
};

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

Status ReadRequest(JsonReader& in, AdmissionRequest& out) {
  return in.Fields(
      "uid", out.uid, "kind", [&] { return in.Fields("group", out.kind_group, "kind", out.kind); }, "resource",
      [&] { return in.Fields("group", out.resource_group, "resource", out.resource); }, "subResource", out.subresource,
      "name", out.name, "namespace", out.namespace_name, "operation", [&] { return ReadOperation(in, out.operation); },
      "userInfo", [&] { return in.Fields("username", out.user); }, "object",
      [&] { return wire::ReadObjectText(in, out.object); }, "oldObject",
      [&] { return wire::ReadObjectText(in, out.old_object); }, "dryRun", out.dry_run);
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
                             return in.Fields("apiVersion", out.api_version, "kind", out.kind, "request", [&] {
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
  if (!answer.patch.empty()) {
    AppendJsonField(out, "patchType", "JSONPatch");
    AppendJsonField(out, "patch", absl::Base64Escape(answer.patch));
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

}  // namespace huygens::webhook
