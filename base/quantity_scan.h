// The grammar of a quantity's text, without its arithmetic: sign, digits, fraction, suffix.
#pragma once

#include <string_view>

#include "base/quantity.h"
#include "base/status.h"

namespace huygens {

// Views point into the scanned text.
struct ScannedQuantity {
  bool negative = false;
  std::string_view whole;     // without leading zeros; empty where nothing else was there
  std::string_view fraction;  // as written
  bool has_digit = false;     // "." and "e3" have none and mean 0
  int base = 10;              // the suffix multiplies by base^exponent
  int exponent = 0;
  Quantity::Format format = Quantity::Format::kDecimalSI;
  bool plain = true;  // no plus sign, leading zero, point or exponent: Canonical() says the same where Text() echoes
};

// Fails with upstream's messages for text that is no quantity, and with a message of our own past the bounds of
// Quantity::Parse.
StatusOr<ScannedQuantity> ScanQuantity(std::string_view text);

}  // namespace huygens
