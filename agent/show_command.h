// What `huygens-agent show` prints.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens::agent {

// `format`: "table" or "json". InvalidArgument for another one; otherwise the errors of ReadMachine. `state`: the file of
// the agent that pins there, for the document; empty: none.
StatusOr<std::string> Show(const std::string& root, std::string_view format, const std::string& state = "");

}  // namespace huygens::agent
