// Kubernetes' resource.Quantity ("2", "500m", "4Gi", "1e3"): an exact decimal number that remembers how it was written.
// Rules and texts are those of k8s.io/apimachinery/pkg/api/resource; this type differs on purpose in two places:
//  - Value() and MilliValue() saturate at the ends of int64_t and keep the sign, where upstream wraps silently (its
//    Value() of "12E" is 0) and misreads some negative values;
//  - Parse() refuses exponents beyond +-60 and more than 80 digits, where upstream may compute for minutes
//    ("1e2147483647"). What Canonical() prints for a value below 10^60 is always within these bounds.
// Smaller than a nano-unit is rounded up, away from zero. Immutable sharing inside: copies are cheap, and one value may
// be read by several threads at once.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens {

class Quantity {
 public:
  enum class Format : uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };

  Quantity() = default;  // 0
  // Fails with the messages of upstream. Does not trim: JSON decoders do that before.
  static StatusOr<Quantity> Parse(std::string_view text);
  static Quantity FromInt(int64_t value, Format format = Format::kDecimalSI);
  static Quantity FromMilli(int64_t milli);

  // As Go's String(): mostly canonical, but some texts are echoed as they were parsed ("007", "1e+3", "1E3") until the
  // first arithmetic. A multiple of 10^21 in decimal SI prints without any suffix ("1000000E" as "1"), as upstream did
  // up to v0.37.0-beta.0; Compare(), Value() and MilliValue() do not share that defect.
  std::string Text() const;
  // Integer mantissa with the largest suffix that keeps it one: 1.5 -> 1500m, 1024Mi -> 1Gi, 1000000 -> 1M.
  std::string Canonical() const;
  Format format() const { return format_; }

  // The format of the left side stays, unless the left side is zero.
  void Add(const Quantity& other);
  void Sub(const Quantity& other);
  void Negate();

  // Exact across formats.
  int Compare(const Quantity& other) const;
  bool IsZero() const { return Sign() == 0; }
  int Sign() const;
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.Compare(b) == 0; }
  friend std::weak_ordering operator<=>(const Quantity& a, const Quantity& b) { return a.Compare(b) <=> 0; }

  // In units and in thousandths: rounded up, away from zero, and saturated.
  int64_t Value() const { return Scaled(0); }
  int64_t MilliValue() const { return Scaled(-3); }

 private:
  struct Exact;  // arithmetic on whole nano-units of any size; lives in quantity.cc, as does its big integer
  struct Rare;   // what few values have: more than 64 bits, or a text to echo

  Quantity(int64_t mantissa, int scale, Format format);
  bool IsWide() const;
  void AddSigned(const Quantity& other, bool subtract);
  // In units of 10^`exponent`.
  int64_t Scaled(int exponent) const;

  // The value is mantissa_ * 10^scale_ with scale_ >= -9, unless IsWide().
  int64_t mantissa_ = 0;
  int16_t scale_ = 0;
  Format format_ = Format::kDecimalSI;
  std::shared_ptr<const Rare> rare_;
};

}  // namespace huygens
