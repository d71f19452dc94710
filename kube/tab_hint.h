// YAML allows no tabs in an indent, and its parsers rarely say that this is what they stumbled over. Any thread.
#pragma once

#include <string_view>

namespace huygens::kube {

// What to add to the message about a fault in this line, from 1: nothing unless a tab is in its indent.
std::string_view TabHint(std::string_view yaml, int line);

}  // namespace huygens::kube
