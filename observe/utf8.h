// Text from outside that goes into JSON must be UTF-8 (RFC 3629); what is not is replaced by U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace huygens::observe {

bool IsUtf8(std::string_view text);
// Each byte that is part of no whole character becomes U+FFFD.
std::string RepairUtf8(std::string_view text);

}  // namespace huygens::observe
