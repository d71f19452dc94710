// The two questions about somebody who presents a bearer token: who is it (authentication.k8s.io/v1 TokenReview), and
// may they get a URL (authorization.k8s.io/v1 SubjectAccessReview; access_review.h reads the answer). Safe on any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::wire {

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

// Whether `owner` may `verb` the URL `path`, which is no object's.
void AppendPathAccessReview(std::string& out, const TokenOwner& owner, std::string_view path, std::string_view verb);

}  // namespace huygens::wire
