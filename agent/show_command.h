// What `huygens-agent show` prints.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens::agent {

// `format`: "table" or "json". InvalidArgument for another one; otherwise the errors of ReadMachine.
StatusOr<std::string> Show(const std::string& root, std::string_view format);

}  // namespace huygens::agent
