#include "quota/cash.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/text.h"
#include "quota/keys.h"

namespace huygens::quota {
namespace {

using Units = CashLedger::Units;

std::chrono::sys_seconds Whole(Time time) { return std::chrono::floor<std::chrono::seconds>(time); }

constexpr Units kSecondsOfHour = 3600;

Units UnitsOfHour(std::string_view key) { return kSecondsOfHour * (IsCpuKey(key) ? 1000 : 1); }

std::string Digits(Units value) {
  if (value < 0) return Concat("-", Digits(-value));
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value > 0);
  return digits;
}

// `dividend` / `divisor` to nine decimals, rounded down or up.
Quantity Decimal(Units dividend, Units divisor, bool up) {
  constexpr Units kNanos = 1'000'000'000;
  Units whole = dividend / divisor;
  Units nanos = (dividend % divisor * kNanos + (up ? divisor - 1 : 0)) / divisor;
  if (nanos == kNanos) {
    ++whole;
    nanos = 0;
  }
  std::string fraction = Digits(nanos);
  fraction.insert(0, 9 - fraction.size(), '0');
  Quantity quantity = *Quantity::Parse(Concat(Digits(whole), ".", fraction));
  quantity.Add(Quantity());  // forgets the spelling
  return quantity;
}

// Hours of a key in units, exactly to thousandths of an hour.
Units UnitsOf(std::string_view key, const Quantity& hours) {
  constexpr Units kThousandths = 1000;
  const int64_t thousandths = hours.MilliValue();
  if (thousandths == std::numeric_limits<int64_t>::max()) return Units{hours.Value()} * UnitsOfHour(key);
  return Units{thousandths} * UnitsOfHour(key) / kThousandths;
}

}  // namespace

int64_t SecondsWithin(const PodSpan& pod, Time since, Time until) {
  auto end = pod.end ? std::min(Whole(*pod.end), Whole(until)) : Whole(until);
  auto start = std::max(Whole(pod.start), Whole(since));
  return std::max<int64_t>((end - start).count(), 0);
}

Time CountUntil(Time last, Time now) { return std::max(Whole(last), Whole(now)); }

void CashLedger::Accrue(const Amounts& usage, const Amounts& hard, int64_t seconds) {
  for (const auto& [cash_key, limit] : hard) {
    if (!IsCash(cash_key)) continue;
    std::string_view key = std::string_view(cash_key).substr(kCashPrefix.size());
    const Quantity* amount = Find(usage, key);
    if (!amount || seconds == 0) continue;
    Units base = IsCpuKey(key) ? amount->MilliValue() : amount->Value();
    units_.try_emplace(std::string(key)).first->second += base * seconds;
  }
}

void CashLedger::Add(const CashLedger& other, const Amounts& hard) {
  for (const auto& [key, units] : other.units_) {
    if (units > 0 && Find(hard, Concat(kCashPrefix, key))) units_[key] += units;
  }
}

void CashLedger::BeginPeriod(const Amounts& share, int64_t carry_over) {
  for (const auto& [cash_key, hours] : share) {
    if (IsCash(cash_key)) units_.try_emplace(cash_key.substr(kCashPrefix.size()));
  }
  for (auto& [key, units] : units_) {
    const Units budget = UnitsOf(key, Get(share, Concat(kCashPrefix, key)));
    units = std::clamp<Units>(units - budget, -budget * carry_over, 0);
  }
}

void CashLedger::DropCarried() {
  for (auto& [key, units] : units_) units = std::max<Units>(units, 0);
}

Amounts CashLedger::Published() const {
  Amounts hours;
  for (const auto& [key, units] : units_) {
    Set(hours, Concat(kCashPrefix, key), Decimal(std::max<Units>(units, 0), UnitsOfHour(key), true));
  }
  return hours;
}

Amounts CashLedger::Carried() const {
  Amounts hours;
  for (const auto& [key, units] : units_) {
    if (units < 0) Set(hours, Concat(kCashPrefix, key), Decimal(-units, UnitsOfHour(key), false));
  }
  RemoveZeros(hours);
  return hours;
}

std::map<std::string, std::string> CashLedger::Texts() const {
  std::map<std::string, std::string> texts;
  for (const auto& [key, units] : units_) texts.emplace(key, Digits(units));
  return texts;
}

StatusOr<CashLedger> CashLedger::FromTexts(const std::map<std::string, std::string>& texts) {
  constexpr size_t kMaxDigits = 38;  // below 2^127
  CashLedger ledger;
  for (const auto& [key, text] : texts) {
    const bool below_zero = text.starts_with('-');
    const std::string_view digits = std::string_view(text).substr(below_zero ? 1 : 0);
    if (digits.empty() || digits.size() > kMaxDigits ||
        digits.find_first_not_of("0123456789") != std::string_view::npos) {
      return Invalid(Concat("cash ledger: ", key, " is no whole number"));
    }
    Units& units = ledger.units_[key];
    for (char c : digits) units = units * 10 + (c - '0');
    if (below_zero) units = -units;
  }
  return ledger;
}

}  // namespace huygens::quota
