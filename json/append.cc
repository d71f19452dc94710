#include "json/append.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace huygens {
namespace {

bool NeedsEscape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

// Nonzero when any of the eight bytes is a control character, a quote or a backslash: names are nearly always clean,
// and a test of eight bytes at once makes them cost little more than their copy. (The exact positions are not needed,
// so the borrow between bytes of the classic "has a byte less than n" trick does no harm: it only follows a real hit.)
uint64_t AnyNeedsEscape(uint64_t word) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kTops = 0x8080808080808080;
  auto zero_byte = [](uint64_t x) { return (x - kOnes) & ~x; };
  uint64_t control = (word - kOnes * 0x20) & ~word;
  return (control | zero_byte(word ^ (kOnes * '"')) | zero_byte(word ^ (kOnes * '\\'))) & kTops;
}

size_t CleanPrefix(std::string_view text) {
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if (AnyNeedsEscape(word) != 0) break;
  }
  while (i < text.size() && !NeedsEscape(text[i])) ++i;
  return i;
}

void AppendEscaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
  }
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    size_t clean = CleanPrefix(text);
    out += text.substr(0, clean);
    if (clean == text.size()) break;
    AppendEscaped(out, text[clean]);
    text.remove_prefix(clean + 1);
  }
  out += '"';
}

void AppendJsonKey(std::string& out, std::string_view key) {
  out += out.empty() || out.back() == '{' ? "\"" : ",\"";
  out += key;
  out += "\":";
}

void AppendJsonField(std::string& out, std::string_view key, std::string_view text) {
  AppendJsonKey(out, key);
  AppendJsonString(out, text);
}

void AppendJsonInt(std::string& out, int64_t value) {
  std::array<char, 24> buffer;
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), end);
}

void AppendJsonDouble(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  std::array<char, 32> buffer;
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), end);
}

}  // namespace huygens
