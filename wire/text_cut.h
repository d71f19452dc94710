// The longest front of `text` of at most `limit` bytes that does not end inside a UTF-8 character: for texts from
// outside that are quoted in messages or that have a limit of their own.
#pragma once

#include <cstddef>
#include <string_view>

namespace huygens::wire {

inline std::string_view CutText(std::string_view text, size_t limit) {
  if (text.size() <= limit) return text;
  size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace huygens::wire
