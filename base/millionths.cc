#include "base/millionths.h"

namespace huygens {

namespace {

constexpr int64_t kOne = 1'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<int64_t> ParseMillionths(std::string_view text) {
  int64_t unit = kOne;
  if (text.ends_with('%')) {
    text.remove_suffix(1);
    unit /= 100;
  }
  const size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  if (whole.empty() || whole.size() > 6 || text.ends_with('.')) return std::nullopt;
  int64_t value = 0;
  for (char c : whole) {
    if (!IsDigit(c)) return std::nullopt;
    value = value * 10 + (c - '0') * unit;
  }
  if (point == text.npos) return value;
  for (char c : text.substr(point + 1)) {
    if (!IsDigit(c) || (unit == 1 && c != '0')) return std::nullopt;
    if (unit > 1) unit /= 10;
    value += (c - '0') * unit;
  }
  return value;
}

std::string MillionthsText(int64_t millionths) {
  std::string text = std::to_string(millionths / kOne);
  const int64_t fraction = millionths % kOne;
  if (fraction == 0) return text;
  text += '.' + std::to_string(fraction + kOne).substr(1);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

}  // namespace huygens
