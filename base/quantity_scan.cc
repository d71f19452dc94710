#include "base/quantity_scan.h"

#include <charconv>
#include <optional>
#include <system_error>

namespace huygens {
namespace {

constexpr size_t kMaxDigits = 80;  // more than any value below 10^60 prints
constexpr int kMaxExponent = 60;

struct Suffix {
  int base;
  int exponent;
  Quantity::Format format;
};

// The power of ten of an SI letter; "" is 10^0.
std::optional<int> SiExponent(char letter) {
  switch (letter) {
    case 'n':
      return -9;
    case 'u':
      return -6;
    case 'm':
      return -3;
    case 'k':
      return 3;
    case 'M':
      return 6;
    case 'G':
      return 9;
    case 'T':
      return 12;
    case 'P':
      return 15;
    case 'E':
      return 18;
    default:
      return std::nullopt;
  }
}

// The power of two in front of the "i".
std::optional<int> BinaryExponent(char letter) {
  if (letter == 'K') return 10;
  std::optional<int> si = SiExponent(letter);
  if (!si || *si < 6) return std::nullopt;
  return *si / 3 * 10;
}

Status BadSuffix() { return Invalid("unable to parse quantity's suffix"); }

StatusOr<Suffix> ParseSuffix(std::string_view text) {
  if (text.empty()) return Suffix{10, 0, Quantity::Format::kDecimalSI};
  if (text.size() == 1) {
    if (auto exponent = SiExponent(text[0])) return Suffix{10, *exponent, Quantity::Format::kDecimalSI};
    return BadSuffix();
  }
  if (text.size() == 2 && text[1] == 'i') {
    if (auto exponent = BinaryExponent(text[0])) return Suffix{2, *exponent, Quantity::Format::kBinarySI};
    return BadSuffix();
  }
  if (text[0] != 'e' && text[0] != 'E') return BadSuffix();
  text.remove_prefix(1);
  if (text[0] == '+') text.remove_prefix(1);  // from_chars takes a minus only
  int exponent = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return BadSuffix();
  if (error != std::errc() || exponent > kMaxExponent || exponent < -kMaxExponent) {
    return OutOfRange("quantity's exponent is outside -60 to 60");
  }
  return Suffix{10, exponent, Quantity::Format::kDecimalExponent};
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

template <typename Predicate>
std::string_view TakeWhile(std::string_view& rest, Predicate wanted) {
  size_t count = 0;
  while (count < rest.size() && wanted(rest[count])) ++count;
  std::string_view taken = rest.substr(0, count);
  rest.remove_prefix(count);
  return taken;
}

}  // namespace

StatusOr<ScannedQuantity> ScanQuantity(std::string_view text) {
  constexpr std::string_view kSuffixLetters = "eEinumkKMGTP";
  auto bad_format = [] {
    return Invalid("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  };
  if (text.empty()) return bad_format();
  ScannedQuantity scanned;
  std::string_view rest = text;
  if (rest[0] == '+' || rest[0] == '-') {
    scanned.negative = rest[0] == '-';
    scanned.plain = rest[0] == '-';
    rest.remove_prefix(1);
  }
  std::string_view zeros = TakeWhile(rest, [](char c) { return c == '0'; });
  scanned.whole = TakeWhile(rest, IsDigit);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    scanned.fraction = TakeWhile(rest, IsDigit);
    scanned.plain = false;
  }
  scanned.has_digit = !zeros.empty() || !scanned.whole.empty() || !scanned.fraction.empty();
  std::string_view suffix = rest;
  TakeWhile(rest, [&](char c) { return kSuffixLetters.find(c) != std::string_view::npos; });
  if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
  TakeWhile(rest, IsDigit);
  if (!rest.empty()) return bad_format();
  HUYGENS_ASSIGN_OR_RETURN(Suffix power, ParseSuffix(suffix));
  if (scanned.whole.size() + scanned.fraction.size() > kMaxDigits) {
    return OutOfRange("quantity has more than 80 digits");
  }
  scanned.base = power.base;
  scanned.exponent = power.exponent;
  scanned.format = power.format;
  if (!zeros.empty() || scanned.format == Quantity::Format::kDecimalExponent) scanned.plain = false;
  return scanned;
}

}  // namespace huygens
