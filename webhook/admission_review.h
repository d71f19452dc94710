// admission.k8s.io/v1 AdmissionReview: what the API server asks a webhook, and the answer. Fields that are
// absent or null are empty; unknown ones are passed over. Safe on any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace huygens::webhook {

enum class Operation : uint8_t { kCreate, kUpdate, kDelete, kConnect };

struct AdmissionRequest {
  std::string uid;  // of this call, not of the object
  std::string kind_group, kind;
  std::string resource_group, resource, subresource;  // "apps", "deployments", "scale"
  std::string name;                                   // empty in the reviews of a deletecollection
  std::string namespace_name;
  Operation operation = Operation::kCreate;
  bool dry_run = false;
  std::string user;
  // JSON objects as they came; views into the review. Empty where there is none.
  std::string_view object, old_object;
};

// Fails on what is no review of that version, has no request.uid, or an unknown operation.
StatusOr<AdmissionRequest> DecodeAdmissionReview(std::string_view json);

inline constexpr int kForbidden = 403;
inline constexpr int kServiceUnavailable = 503;

struct AdmissionAnswer {
  std::string uid;  // of the request
  bool allowed = true;
  // Of a denial. A client repeats one with a code of 503 after so many seconds.
  int code = kForbidden;
  std::string message;
  int64_t retry_after_seconds = 0;
  std::vector<std::string> warnings;  // for whoever sent the request; of an allowed one, too
  std::vector<std::pair<std::string, std::string>> audit_annotations;
  std::string patch;  // of a mutating webhook: JSON of RFC 6902; empty: the object stays as it is
};

std::string EncodeAdmissionAnswer(const AdmissionAnswer& answer);

}  // namespace huygens::webhook
