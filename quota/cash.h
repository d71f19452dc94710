// Budgets of hours: cash/limits.cpu 100 is 100 core-hours, of which 1 core takes 1 an hour and 100 cores take 100.
// Where the budget comes anew each period, what is counted is what a period consumed; what it left of its budget may be
// there in the next one, up to a cap, and then is counted below 0: so long it is consumed first, and nothing of the
// budget is used. What was consumed beyond the budget is forgiven when the next period begins.
//
// Hours are counted without loss as whole base units times whole seconds (milli-cores for cpu keys, else units) and
// published as quantities, rounded up. Pure; times come in. Counting never stops a pod.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "quota/amounts.h"

namespace huygens::quota {

// What a pod was on its node, as far as is known.
struct PodSpan {
  Time start;               // when it was bound: condition PodScheduled, else status.startTime
  std::optional<Time> end;  // when its last container ended, or when it was seen to be gone
};

// Whole seconds of the pod within (since, until], never negative. All times are cut to whole seconds first, as
// Kubernetes stores them, so that consecutive spans add up to the whole.
int64_t SecondsWithin(const PodSpan& pod, Time since, Time until);

// The next time to count to: now, but never before the last.
Time CountUntil(Time last, Time now);

// What one group consumed, by key without "cash/".
class CashLedger {
 public:
  using Units = __int128;

  // `usage` for that long: the keys that have an hours budget in `hard`.
  void Accrue(const Amounts& usage, const Amounts& hard, int64_t seconds);
  // What another one consumed of the keys that have an hours budget in `hard`; what it left over is nobody's.
  void Add(const CashLedger& other, const Amounts& hard);
  // A period ends: what it consumed goes, and what it left of `share`, with what was left before, stays, `carry_over`
  // times the share at most. `share` has cash/ keys, in hours.
  void BeginPeriod(const Amounts& share, int64_t carry_over);
  // Nothing is left over any more.
  void DropCarried();
  // What was used of the budgets, with "cash/" before each key, in hours, rounded up.
  Amounts Published() const;
  // What earlier periods left, likewise, rounded down; keys without it are absent.
  Amounts Carried() const;

  // The exact figures as text, to be kept in the status beside the rounded ones: {"limits.cpu":"360000000"};
  // "-360000000" where so much was left over.
  std::map<std::string, std::string> Texts() const;
  static StatusOr<CashLedger> FromTexts(const std::map<std::string, std::string>& texts);

  friend bool operator==(const CashLedger&, const CashLedger&) = default;

 private:
  std::map<std::string, Units, std::less<>> units_;
};

}  // namespace huygens::quota
