// Percent-encoding of RFC 3986, section 2.1: a byte as '%' and two hexadecimal digits. Which bytes need it depends on
// where the text goes. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace huygens {

void AppendPercentEncoded(std::string& out, char byte);
// A '%' that no two digits follow stays.
std::string PercentDecoded(std::string_view text);

}  // namespace huygens
