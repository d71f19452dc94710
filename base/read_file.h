// A whole file as text. Blocking; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens {

// `what` it is, for messages: "kubeconfig". Errors name the file: NotFound, PermissionDenied or whatever else the
// system says, and InvalidArgument if it is longer than `most_mib`, by far more than anybody writes by hand.
StatusOr<std::string> ReadFile(const std::string& path, std::string_view what, size_t most_mib = 1);

}  // namespace huygens
