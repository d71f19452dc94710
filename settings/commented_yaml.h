// A configuration as the file that reads as it: every field with its value and a comment, whosever configuration it is.
// Any thread.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"

namespace huygens::settings {

class Walk;

// Optional sections that are absent are commented out.
std::string CommentedYaml(absl::FunctionRef<void(Walk&)> describe);

}  // namespace huygens::settings
