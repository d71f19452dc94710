#include "cli/query_escape.h"

#include <cctype>

namespace huygens::cli {

std::string QueryEscape(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    auto code = static_cast<unsigned char>(c);
    if (std::isalnum(code) != 0 || c == '-' || c == '.' || c == '/' || c == '_') {
      out += c;
    } else {
      out += {'%', kHex[code >> 4], kHex[code & 15]};
    }
  }
  return out;
}

}  // namespace huygens::cli
