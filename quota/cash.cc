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

std::string Digits(Units value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value > 0);
  return digits;
}

// `dividend` / `divisor` to nine decimals, rounded up.
Quantity DecimalUp(Units dividend, Units divisor) {
  constexpr Units kNanos = 1'000'000'000;
  Units whole = dividend / divisor;
  Units nanos = (dividend % divisor * kNanos + divisor - 1) / divisor;
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
    if (Find(hard, Concat(kCashPrefix, key))) units_[key] += units;
  }
}

Amounts CashLedger::Published() const {
  Amounts hours;
  for (const auto& [key, units] : units_) {
    Set(hours, Concat(kCashPrefix, key), DecimalUp(units, Units{3600} * (IsCpuKey(key) ? 1000 : 1)));
  }
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
    if (text.empty() || text.size() > kMaxDigits || text.find_first_not_of("0123456789") != std::string::npos) {
      return Invalid(Concat("cash ledger: ", key, " is no whole number"));
    }
    Units& units = ledger.units_[key];
    for (char c : text) units = units * 10 + (c - '0');
  }
  return ledger;
}

}  // namespace huygens::quota
