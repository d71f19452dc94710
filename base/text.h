// Debian's Abseil is built with its own string_view, which does not convert to or from std::string_view.
// The house uses std::string_view everywhere; these are the bridges.
#pragma once

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace huygens {

inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view ToStd(absl::string_view text) { return {text.data(), text.size()}; }

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return absl::Hash<absl::string_view>{}(ToAbsl(text)); }
};
struct TextEqual {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return a == b; }
};

// Hash map and set keyed by text, searched by std::string_view without a copy. Iteration order is random: never let it
// reach an answer.
template <typename Value>
using TextMap = absl::flat_hash_map<std::string, Value, TextHash, TextEqual>;
using TextSet = absl::flat_hash_set<std::string, TextHash, TextEqual>;

// The longest front of `text` of at most `limit` bytes that does not end inside a UTF-8 character: for texts from
// outside that are quoted in messages or that have a limit of their own.
inline std::string_view CutText(std::string_view text, size_t limit) {
  if (text.size() <= limit) return text;
  size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// Joins pieces of text without a temporary per piece.
template <typename... Parts>
std::string Concat(const Parts&... parts) {
  std::string out;
  out.reserve((std::string_view(parts).size() + ...));
  (out.append(std::string_view(parts)), ...);
  return out;
}

}  // namespace huygens
