#include "controller/recount.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "quota/keys.h"

namespace huygens::controller {
namespace {

using cluster::QuotaReservation;
using quota::Amounts;

enum class Fate : uint8_t { kStands, kSettled, kExpired, kSuperseded };

Amounts WithoutHours(const Amounts& amounts) {
  Amounts rest = amounts;
  std::erase_if(rest, [](const auto& entry) { return quota::IsCash(entry.first); });
  return rest;
}

bool Covers(const Amounts& observed, const Amounts& reserved) {
  return std::all_of(reserved.begin(), reserved.end(),
                     [&](const auto& entry) { return quota::Get(observed, entry.first) >= entry.second; });
}

// One side of the account: the group's own workloads, or its children.
class Side {
 public:
  explicit Side(std::span<const ObservedObject> observed) {
    for (const ObservedObject& each : observed) observed_.emplace(each.uid, quota::NormalKeys(each.usage));
    counted_ = observed_;
  }

  const Amounts& Observed(std::string_view uid) const {
    static const Amounts kNothing;
    auto found = observed_.find(uid);
    return found == observed_.end() ? kNothing : found->second;
  }
  void Reserve(const QuotaReservation& reservation) {
    quota::Max(counted_.try_emplace(reservation.uid).first->second, quota::NormalKeys(reservation.amounts));
  }
  Amounts Sum() const {
    Amounts sum;
    for (const auto& [uid, amounts] : counted_) quota::Add(sum, amounts);
    return sum;
  }

 private:
  TextMap<Amounts> observed_;
  TextMap<Amounts> counted_;
};

// The figures as they are written: a key of the budget that nothing is used of is 0, not absent, which would mean that
// nobody has counted it.
Amounts ForKeysOf(const Amounts& budget, const Amounts& sum) {
  Amounts figures;
  for (const auto& [key, limit] : budget) quota::Set(figures, key, quota::Get(sum, key));
  return figures;
}

// When the other holder of the name will have been known for long enough; nothing while there is none.
std::optional<Time> SupersededAt(const RecountInput& input, const QuotaReservation& reservation) {
  const std::optional<NameHolder> holder = input.holder_of(reservation);
  if (!holder || holder->uid == reservation.uid) return std::nullopt;
  return std::max(input.known_since(reservation), holder->since) + kSupersededAfter;
}

class Judge {
 public:
  Judge(const RecountInput& input, Recounted& result) : input_(input), result_(result) {}

  // Whether the reservation is dropped; else says when to look again.
  bool Drops(const QuotaReservation& reservation, const Side& side) {
    const Amounts reserved = quota::NormalKeys(reservation.amounts);
    const Amounts& observed = side.Observed(reservation.uid);
    const Fate fate = FateOf(reservation, Covers(observed, reserved));
    if (fate == Fate::kStands) return false;
    ++(fate == Fate::kSettled ? result_.settled : fate == Fate::kExpired ? result_.expired : result_.superseded);
    if (fate != Fate::kSettled) quota::Add(explained_, quota::Increase(reserved, observed));
    return true;
  }
  // What asks for something and takes nothing ends with its time alone.
  bool IsOver(const QuotaReservation& recall) {
    if (recall.until <= input_.watched_until) return true;
    result_.look_again = std::min(result_.look_again.value_or(recall.until), recall.until);
    return false;
  }
  // What no longer counts because reservations were dropped unseen.
  const Amounts& explained() const { return explained_; }

 private:
  Fate FateOf(const QuotaReservation& reservation, bool covered) {
    if (covered) return Fate::kSettled;
    if (reservation.until <= input_.watched_until) return Fate::kExpired;
    const std::optional<Time> superseded = SupersededAt(input_, reservation);
    if (superseded && *superseded <= input_.watched_until) return Fate::kSuperseded;
    const Time next = superseded ? std::min(*superseded, reservation.until) : reservation.until;
    result_.look_again = result_.look_again ? std::min(*result_.look_again, next) : next;
    return Fate::kStands;
  }

  const RecountInput& input_;
  Recounted& result_;
  Amounts explained_;
};

Amounts HandedOut(const cluster::BizGroupQuota& group) {
  Amounts rest = quota::CashOf(group.used);
  quota::Subtract(rest, quota::CashOf(group.self_used));
  return rest;
}

// Hours of which there was something left, and is nothing now.
bool HoursRanOut(const cluster::BizGroupQuota& before, const cluster::BizGroupQuota& after) {
  const Amounts budget = quota::CashOf(quota::NormalKeys(after.hard));
  return std::any_of(budget.begin(), budget.end(), [&](const auto& entry) {
    return quota::Get(before.used, entry.first) < entry.second && quota::Get(after.used, entry.first) >= entry.second;
  });
}

bool SameKeys(const Amounts& a, const Amounts& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& left, const auto& right) { return left.first == right.first; });
}

bool FiguresDiffer(const cluster::BizGroupQuota& before, const cluster::BizGroupQuota& after) {
  return WithoutHours(before.used) != WithoutHours(after.used) ||
         WithoutHours(before.self_used) != WithoutHours(after.self_used) || before.counted_hard != after.counted_hard ||
         !SameKeys(before.used, after.used) || !SameKeys(before.self_used, after.self_used) ||
         HandedOut(before) != HandedOut(after) || before.hours_since != after.hours_since ||
         before.last_reconcile.has_value() != after.last_reconcile.has_value();
}

// What of the objects that were seen stands in the advances, too: no more than all figures have risen by. All by keys of
// `used`, as it would be with both.
Amounts CountedTwice(const RecountInput& input, const Amounts& advances, const Amounts& before, const Amounts& used) {
  Amounts twice;
  if (advances.empty() || !input.may_be_of_advance) return twice;
  for (const ObservedObject& each : input.workloads) {
    if (input.may_be_of_advance(each)) quota::Add(twice, quota::NormalKeys(each.usage));
  }
  const Amounts risen = quota::Increase(used, before);
  twice = quota::Masked(WithoutHours(twice), quota::Masked(before, used));
  for (auto& [key, amount] : twice) amount = std::min({amount, quota::Get(advances, key), quota::Get(risen, key)});
  return twice;
}

}  // namespace

Recounted Recount(const RecountInput& input, cluster::BizGroupQuota& group) {
  Recounted result;
  Side own(input.workloads), children(input.children);
  Judge judge(input, result);
  std::vector<QuotaReservation> standing;
  Amounts advances;
  for (QuotaReservation& each : std::exchange(group.reservations, {})) {
    if (each.kind == cluster::kRecallKind) {
      if (!judge.IsOver(each)) standing.push_back(std::move(each));
      continue;
    }
    Side& side = each.kind == cluster::kGroupKind ? children : own;
    if (judge.Drops(each, side)) continue;
    side.Reserve(each);
    if (each.kind == cluster::kAdvanceKind) quota::Add(advances, quota::NormalKeys(each.amounts));
    standing.push_back(std::move(each));
  }
  group.reservations = std::move(standing);
  group.reservations_as_text = true;

  const Amounts budget = quota::NormalKeys(group.hard);
  const Amounts hours = quota::CashOf(group.self_used);
  Amounts self = ForKeysOf(WithoutHours(budget), WithoutHours(own.Sum()));
  quota::Add(self, hours);
  Amounts sum = self;
  quota::Add(sum, children.Sum());
  if (input.held) quota::Add(sum, quota::NormalKeys(input.held(group.reservations)));
  Amounts keys = budget;
  quota::Add(keys, hours);  // what was consumed of a budget of hours that is no more
  Amounts used = ForKeysOf(keys, sum);
  const Amounts twice = CountedTwice(input, advances, quota::NormalKeys(group.used), used);
  quota::Subtract(used, twice);
  quota::Subtract(self, quota::Masked(twice, self));

  // A key that is counted for the first time, or no more, does not fall.
  Amounts before = quota::Masked(WithoutHours(group.used), used);
  result.fall = before;
  quota::Subtract(result.fall, quota::Masked(WithoutHours(used), before));
  quota::Subtract(result.fall, quota::Masked(judge.explained(), before));
  quota::RemoveZeros(result.fall);

  group.self_used = std::move(self);
  group.used = std::move(used);
  group.counted_hard = group.hard;
  return result;
}

StatusChange Compare(const cluster::BizGroupQuota& before, const cluster::BizGroupQuota& after) {
  if (FiguresDiffer(before, after) || HoursRanOut(before, after)) return StatusChange::kFigures;
  if (before.reservations != after.reservations) return StatusChange::kSettled;
  const bool same_hours = before.used == after.used && before.self_used == after.self_used &&
                          before.exact_hours == after.exact_hours && before.last_reconcile == after.last_reconcile;
  return same_hours ? StatusChange::kNone : StatusChange::kHours;
}

}  // namespace huygens::controller
