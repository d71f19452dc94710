#include "base/percent_encoding.h"

#include <charconv>

namespace huygens {

void AppendPercentEncoded(std::string& out, char byte) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto bits = static_cast<unsigned char>(byte);
  out += {'%', kHex[bits >> 4], kHex[bits & 15]};
}

std::string PercentDecoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char code = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      const char* digits = text.data() + i + 1;
      if (auto [end, error] = std::from_chars(digits, digits + 2, code, 16);
          error == std::errc() && end == digits + 2) {
        out += static_cast<char>(code);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

}  // namespace huygens
