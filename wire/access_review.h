// Who somebody is (authentication.k8s.io/v1 TokenReview), and what they may do (authorization.k8s.io/v1
// SelfSubjectAccessReview and SubjectAccessReview). Safe on any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::wire {

// Of a bearer token.
struct TokenOwner {
  bool authenticated = false;
  std::string error;  // why not, if the API server says so
  std::string username;
  std::string uid;
  std::vector<std::string> groups;
  std::string extra;  // as it came: JSON, an object of lists; empty without any
};

void AppendTokenReview(std::string& out, std::string_view token);
StatusOr<TokenOwner> DecodeTokenReview(std::string_view json);

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
// The same, whether `owner` may `verb` the URL `path`, which is no object's.
void AppendPathAccessReview(std::string& out, const TokenOwner& owner, std::string_view path, std::string_view verb);
// status.allowed of the answer. Fails on what is none.
StatusOr<bool> DecodeAccessReview(std::string_view json);

}  // namespace huygens::wire
