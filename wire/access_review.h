// authorization.k8s.io/v1 SelfSubjectAccessReview and SubjectAccessReview: may somebody do this? Safe on any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens::wire {

struct AccessQuestion {
  std::string_view verb;
  std::string_view group;
  std::string_view resource;
  std::string_view subresource;
  std::string_view namespace_name;   // empty: everywhere
  std::string_view name;             // empty: any
  std::string_view service_account;  // "NAMESPACE/NAME"; empty: whoever asks
};

// The object to POST.
std::string AccessReviewText(const AccessQuestion& question);
// status.allowed of the answer. Fails on what is none.
StatusOr<bool> DecodeAccessReview(std::string_view json);

}  // namespace huygens::wire
