#include "quota/check.h"

#include <utility>

#include "base/text.h"
#include "quota/keys.h"

namespace huygens::quota {
namespace {

constexpr std::string_view kNoStatus =
    ": status.selfUsed of the group does not say how much of that is used, or cannot be read";

std::string Listed(const Verdict& verdict) {
  std::string text;
  for (const Shortage& shortage : verdict.shortages) {
    text += Concat(text.empty() ? "" : "; ", shortage.key, " used ", shortage.used.Canonical(), " of ",
                   shortage.hard.Canonical());
    if (!IsCash(shortage.key)) text += Concat(", requested ", shortage.requested.Canonical());
  }
  return text;
}

}  // namespace

const Quantity* Grown(const Amounts& increase, std::string_view key) {
  if (IsCash(key)) key.remove_prefix(kCashPrefix.size());
  const Quantity* amount = Find(increase, key);
  return amount && amount->Sign() > 0 ? amount : nullptr;
}

Verdict CheckIncrease(const Amounts& hard, UsedOf used, const Amounts& increase) {
  Verdict verdict;
  std::string unknown;
  bool touched = false;
  bool only_cash = true;
  for (const auto& [key, limit] : hard) {
    const Quantity* before = used(key);
    if (!before && IsKnownKey(key)) unknown += Concat(unknown.empty() ? "" : ",", key);
    const Quantity* requested = Grown(increase, key);
    touched = touched || requested;
    if (!requested || !before) continue;
    Quantity after = *before;
    if (!IsCash(key)) after.Add(*requested);
    if (IsCash(key) ? after < limit : after <= limit) continue;
    only_cash = only_cash && IsCash(key);
    verdict.shortages.push_back({key, *requested, *before, limit});
  }
  if (!touched) return verdict;
  if (!unknown.empty()) return {Outcome::kUnknownStatus, {}, Concat("status unknown for ", unknown, kNoStatus)};
  if (!verdict.shortages.empty()) verdict.outcome = only_cash ? Outcome::kCashExhausted : Outcome::kExceeded;
  return verdict;
}

std::string Text(const Verdict& verdict, std::string_view group) {
  if (verdict.fits()) return {};
  if (verdict.outcome == Outcome::kAncestorOver) {
    return Concat("quota bizrq/", group, ": bizrq/", verdict.detail, " above it is over its budget: ", Listed(verdict));
  }
  return Concat("quota bizrq/", group, ": ", verdict.shortages.empty() ? verdict.detail : Listed(verdict));
}

}  // namespace huygens::quota
