#include "base/quantity.h"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/quantity_scan.h"

namespace huygens {
namespace {

using BigInt = boost::multiprecision::cpp_int;
using Int128 = __int128;

constexpr int kNano = -9;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

constexpr std::array<int64_t, 19> kPowersOfTen = [] {
  std::array<int64_t, 19> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();
int64_t PowerOfTen(int exponent) { return kPowersOfTen[static_cast<size_t>(exponent)]; }

BigInt BigPowerOfTen(int exponent) { return boost::multiprecision::pow(BigInt(10), static_cast<unsigned>(exponent)); }

// The quotient rounded away from zero.
template <typename Integer>
Integer DivideUp(const Integer& dividend, const Integer& divisor) {
  Integer quotient = dividend / divisor;
  if (quotient * divisor == dividend) return quotient;
  return dividend < 0 ? Integer(quotient - 1) : Integer(quotient + 1);
}

template <typename Integer>
int64_t Saturate(const Integer& value) {
  if (value > kMax) return kMax;
  if (value < kMin) return kMin;
  return static_cast<int64_t>(value);
}

int ClampToSign(int64_t value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

// The suffix of a power of ten. Powers that have no letter get none, as upstream: the text is then too small.
std::string DecimalSuffix(int exponent, Quantity::Format format) {
  if (exponent == 0) return "";
  if (format == Quantity::Format::kDecimalExponent) return "e" + std::to_string(exponent);
  constexpr std::string_view kLetters = "num.kMGTPE";
  if (exponent < -9 || exponent > 18) return "";
  const int letter = exponent / 3 + 3;
  return std::string(1, kLetters[static_cast<size_t>(letter)]);
}

// `digits` * 10^`exponent` as an integer with the largest power of 1000 left to the suffix.
std::string CanonicalDecimal(std::string digits, int exponent, Quantity::Format format) {
  while (digits.ends_with('0')) {
    digits.pop_back();
    ++exponent;
  }
  while (exponent % 3 != 0) {
    digits += '0';
    --exponent;
  }
  return digits + DecimalSuffix(exponent, format);
}

std::string CanonicalBinary(BigInt units) {
  int steps = 0;
  for (; units % 1024 == 0; units /= 1024) ++steps;
  constexpr std::string_view kLetters = ".KMGTPE";
  std::string text = units.str();
  if (steps > 0 && steps < static_cast<int>(kLetters.size())) {
    text += kLetters[static_cast<size_t>(steps)];
    text += 'i';
  }
  return text;
}

// At most 18 digits.
int64_t ToInt(std::string_view whole, std::string_view fraction) {
  int64_t value = 0;
  for (char c : whole) value = value * 10 + (c - '0');
  for (char c : fraction) value = value * 10 + (c - '0');
  return value;
}

// Which texts upstream reads without its big decimals. It matters only for Text(): the others are never echoed.
bool IsShort(const ScannedQuantity& scanned) {
  size_t whole = std::max<size_t>(scanned.whole.size(), 1);  // upstream puts a zero where there is no digit
  if (scanned.base == 10) {
    return whole + scanned.fraction.size() <= 18 &&
           scanned.exponent - static_cast<int>(scanned.fraction.size()) >= kNano;
  }
  return scanned.fraction.empty() && static_cast<int>(whole) <= 14 - 3 * (scanned.exponent / 10);
}

// Whether upstream keeps the text of a short quantity, taking it for canonical.
bool Echoes(const ScannedQuantity& scanned, int64_t mantissa, int scale) {
  if (scanned.base == 2) return (ToInt(scanned.whole, {}) & 7) != 0;
  return scale % 3 == 0 && !scanned.whole.empty() && mantissa % 1000 != 0;
}

}  // namespace

struct Quantity::Rare {
  BigInt nanos;      // the value where 64 bits do not hold it, else 0
  std::string echo;  // what Text() says where it is not canonical, else empty
};

struct Quantity::Exact {
  static BigInt Nanos(const Quantity& q) {
    return q.IsWide() ? q.rare_->nanos : BigInt(q.mantissa_ * BigPowerOfTen(q.scale_ - kNano));
  }

  static Quantity FromNanos(const BigInt& nanos, Format format) {
    BigInt mantissa = nanos;
    int scale = kNano;
    for (; mantissa != 0 && mantissa % 10 == 0; mantissa /= 10) ++scale;
    if (mantissa >= kMin && mantissa <= kMax) return {static_cast<int64_t>(mantissa), scale, format};
    Quantity wide(0, 0, format);
    wide.rare_ = std::make_shared<const Rare>(Rare{nanos, ""});
    return wide;
  }

  static Quantity FromScanned(const ScannedQuantity& scanned) {
    BigInt nanos = 0;
    for (std::string_view digits : {scanned.whole, scanned.fraction}) {
      for (char c : digits) nanos = nanos * 10 + (c - '0');
    }
    int shift = -kNano - static_cast<int>(scanned.fraction.size());
    if (scanned.base == 2) {
      nanos <<= static_cast<unsigned>(scanned.exponent);
    } else {
      shift += scanned.exponent;
    }
    nanos = shift >= 0 ? BigInt(nanos * BigPowerOfTen(shift)) : DivideUp(nanos, BigPowerOfTen(-shift));
    Format format = scanned.format;
    if (format == Format::kBinarySI) {
      const BigInt one = BigPowerOfTen(-kNano);
      // Upstream caps binary quantities alone.
      nanos = std::min<BigInt>(nanos, kMax * one);
      if (nanos > 0 && nanos < one) format = Format::kDecimalSI;
    }
    if (scanned.negative) nanos = -nanos;
    return FromNanos(nanos, format);
  }
};

Quantity::Quantity(int64_t mantissa, int scale, Format format)
    : mantissa_(mantissa), scale_(static_cast<int16_t>(scale)), format_(format) {}

bool Quantity::IsWide() const { return rare_ && rare_->echo.empty(); }

StatusOr<Quantity> Quantity::Parse(std::string_view text) {
  HUYGENS_ASSIGN_OR_RETURN(ScannedQuantity scanned, ScanQuantity(text));
  if (!IsShort(scanned)) {
    if (!scanned.has_digit) return Invalid("unable to parse numeric part of quantity");
    return Exact::FromScanned(scanned);
  }
  int64_t mantissa = ToInt(scanned.whole, scanned.fraction);
  int scale = 0;
  if (scanned.base == 2) {
    mantissa <<= scanned.exponent;  // IsShort() leaves room
  } else {
    scale = scanned.exponent - static_cast<int>(scanned.fraction.size());
  }
  Quantity quantity(scanned.negative ? -mantissa : mantissa, scale, scanned.format);
  if (!scanned.plain && Echoes(scanned, mantissa, scale) && quantity.Canonical() != text) {
    quantity.rare_ = std::make_shared<const Rare>(Rare{0, std::string(text)});
  }
  return quantity;
}

Quantity Quantity::FromInt(int64_t value, Format format) { return {value, 0, format}; }
Quantity Quantity::FromMilli(int64_t milli) { return {milli, -3, Format::kDecimalSI}; }

std::string Quantity::Text() const { return rare_ && !rare_->echo.empty() ? rare_->echo : Canonical(); }

std::string Quantity::Canonical() const {
  if (IsZero()) return "0";
  Format format = format_;
  if (format == Format::kBinarySI) {
    const BigInt nanos = Exact::Nanos(*this);
    const BigInt one = BigPowerOfTen(-kNano);
    if (abs(nanos) >= 1024 * one && nanos % one == 0) return CanonicalBinary(nanos / one);
    format = Format::kDecimalSI;
  }
  return IsWide() ? CanonicalDecimal(rare_->nanos.str(), kNano, format)
                  : CanonicalDecimal(std::to_string(mantissa_), scale_, format);
}

void Quantity::Add(const Quantity& other) { AddSigned(other, false); }
void Quantity::Sub(const Quantity& other) { AddSigned(other, true); }

void Quantity::AddSigned(const Quantity& other, bool subtract) {
  Format format = IsZero() ? other.format_ : format_;
  int distance = scale_ - other.scale_;
  if (!IsWide() && !other.IsWide() && std::abs(distance) <= 18) {
    Int128 left = Int128{mantissa_} * PowerOfTen(std::max(distance, 0));
    Int128 right = Int128{other.mantissa_} * PowerOfTen(std::max(-distance, 0));
    Int128 sum = subtract ? left - right : left + right;
    if (sum >= kMin && sum <= kMax) {
      *this = Quantity(static_cast<int64_t>(sum), std::min(scale_, other.scale_), format);
      return;
    }
  }
  BigInt right = Exact::Nanos(other);
  if (subtract) right = -right;
  *this = Exact::FromNanos(Exact::Nanos(*this) + right, format);
}

void Quantity::Negate() {
  if (!IsWide() && mantissa_ != kMin) {
    mantissa_ = -mantissa_;
    rare_.reset();
  } else {
    *this = Exact::FromNanos(-Exact::Nanos(*this), format_);
  }
}

int Quantity::Compare(const Quantity& other) const {
  if (IsWide() || other.IsWide()) return ClampToSign(Exact::Nanos(*this).compare(Exact::Nanos(other)));
  if (mantissa_ == 0 || other.mantissa_ == 0) return ClampToSign(mantissa_) - ClampToSign(other.mantissa_);
  int distance = scale_ - other.scale_;
  // So far apart, the one with the larger scale decides whatever the mantissas are.
  if (distance > 18) return ClampToSign(mantissa_);
  if (distance < -18) return -ClampToSign(other.mantissa_);
  Int128 left = Int128{mantissa_} * PowerOfTen(std::max(distance, 0));
  Int128 right = Int128{other.mantissa_} * PowerOfTen(std::max(-distance, 0));
  return left < right ? -1 : left > right;
}

int Quantity::Sign() const { return IsWide() ? rare_->nanos.sign() : ClampToSign(mantissa_); }

int64_t Quantity::Scaled(int exponent) const {
  if (IsWide()) return Saturate(DivideUp(rare_->nanos, BigPowerOfTen(exponent - kNano)));
  int shift = scale_ - exponent;
  if (shift < 0) return DivideUp(mantissa_, PowerOfTen(-shift));
  // Any whole number times 10^19 is beyond int64_t.
  if (shift > 18) return mantissa_ > 0 ? kMax : mantissa_ < 0 ? kMin : 0;
  return Saturate(Int128{mantissa_} * PowerOfTen(shift));
}

}  // namespace huygens
