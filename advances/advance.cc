#include "advances/advance.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "quota/keys.h"

namespace huygens::advances {
namespace {

using cluster::BizGroupQuota;
using cluster::QuotaReservation;
using quota::Amounts;

constexpr Duration kSecond = std::chrono::seconds(1);

bool Fits(const Amounts& amounts, const Amounts& into) {
  return std::all_of(amounts.begin(), amounts.end(),
                     [&](const auto& each) { return each.second <= quota::Get(into, each.first); });
}

bool SameKeys(const Amounts& a, const Amounts& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const auto& other) { return one.first == other.first; });
}

// The keys of the budget that charges are made to.
Amounts Chargeable(const BizGroupQuota& group) {
  Amounts hard = quota::NormalKeys(group.hard);
  std::erase_if(hard, [](const auto& each) { return quota::IsCash(each.first); });
  return hard;
}

QuotaReservation* Find(BizGroupQuota& group, std::string_view kind, std::string_view uid) {
  const auto found = std::find_if(group.reservations.begin(), group.reservations.end(),
                                  [&](const auto& each) { return each.kind == kind && each.uid == uid; });
  return found == group.reservations.end() ? nullptr : &*found;
}

// Of keys that are counted, and never below nothing.
void TakeBack(Amounts& figures, const Amounts& amounts) {
  for (auto& [key, figure] : figures) {
    figure.Sub(quota::Get(amounts, key));
    if (figure.Sign() < 0) figure = Quantity();
  }
}

void AddCounted(Amounts& figures, const Amounts& amounts) { quota::Add(figures, quota::Masked(amounts, figures)); }

// NAME.NUMBER; 0: it has none.
uint64_t WriteOf(const QuotaReservation* advance) {
  uint64_t number = 0;
  if (advance == nullptr) return number;
  const size_t dot = advance->name.rfind('.');
  if (dot == std::string::npos || !absl::SimpleAtoi(advance->name.substr(dot + 1), &number)) return 0;
  return number;
}

std::vector<Charge> ChargesOf(auto begin, auto end) {
  std::vector<Charge> charges;
  std::transform(begin, end, std::back_inserter(charges), [](const auto& each) { return each.charge; });
  return charges;
}

}  // namespace

const QuotaReservation* AdvanceOf(const BizGroupQuota& group, std::string_view instance) {
  if (instance.empty()) return nullptr;
  for (const QuotaReservation& each : group.reservations) {
    if (each.kind == cluster::kAdvanceKind && each.uid == instance) return &each;
  }
  return nullptr;
}

Amounts AdvancesBeside(const BizGroupQuota& group, std::string_view instance) {
  Amounts sum;
  for (const QuotaReservation& each : group.reservations) {
    if (each.kind == cluster::kAdvanceKind && each.uid != instance) quota::Add(sum, quota::NormalKeys(each.amounts));
  }
  quota::RemoveZeros(sum);
  return sum;
}

bool HasAdvances(const BizGroupQuota& group) {
  return std::any_of(group.reservations.begin(), group.reservations.end(),
                     [](const auto& each) { return each.kind == cluster::kAdvanceKind; });
}

bool IsRecalled(const BizGroupQuota& group, Time now) {
  return std::any_of(group.reservations.begin(), group.reservations.end(),
                     [&](const auto& each) { return each.kind == cluster::kRecallKind && each.until > now; });
}

void Recall(const AdvanceOptions& options, Time now, BizGroupQuota& group) {
  std::erase_if(group.reservations, [&](const auto& each) { return each.kind == cluster::kRecallKind; });
  group.reservations.push_back({.uid = options.instance.empty() ? "webhook" : options.instance,
                                .kind = std::string(cluster::kRecallKind),
                                .namespace_name = {},
                                .name = options.name.empty() ? "webhook" : options.name,
                                .amounts = {},
                                .until = std::chrono::ceil<std::chrono::seconds>(now) +
                                         std::chrono::duration_cast<std::chrono::seconds>(options.recall)});
}

bool TakeIn(const Charge& charge, Time until, size_t most_reservations, BizGroupQuota& group) {
  QuotaReservation* at = Find(group, charge.reservation.kind, charge.reservation.uid);
  if (at == nullptr) {
    if (group.reservations.size() >= most_reservations) return false;
    at = &group.reservations.emplace_back(charge.reservation);
  }
  quota::Max(at->amounts, charge.reservation.amounts);
  at->until = std::max(at->until, until);
  quota::Add(group.used, charge.increase);
  if (!charge.of_child) quota::Add(group.self_used, charge.increase);
  return true;
}

void Advance::Note(const Charge& charge, Duration now) {
  if (!options_.on) return;
  if (now - now_.since >= kSecond) {
    before_ = now - now_.since < 2 * kSecond ? std::move(now_) : Demand();
    now_ = {.since = now, .count = 0, .largest = {}};
  }
  ++now_.count;
  quota::Max(now_.largest, charge.increase);
  last_ = now;
}

Amounts Advance::Sum(bool but_in_write) const {
  Amounts sum;
  for (const Answered& each : answered_) {
    if (!but_in_write || !each.in_write) quota::Add(sum, each.charge.increase);
  }
  return sum;
}

bool Advance::Covers(const BizGroupQuota& known, const Charge& charge, Time now) const {
  if (!options_.on || one_by_one_ || known.deleting || charge.of_child || answered_.size() >= options_.most)
    return false;
  if (!unsure_.empty() && unsure_ == known.resource_version) return false;
  Amounts whole = charge.reservation.amounts;
  quota::RemoveZeros(whole);
  if (!charge.created || whole.empty() || charge.increase != whole) return false;
  const QuotaReservation* stands = AdvanceOf(known, options_.instance);
  if (stands == nullptr || IsRecalled(known, now)) return false;
  if (stands->until < now + options_.longest_request + options_.clocks) return false;
  if (!SameKeys(quota::NormalKeys(stands->amounts), Chargeable(known))) return false;
  Amounts all = Sum(false);
  quota::Add(all, charge.increase);
  if (!Fits(all, quota::NormalKeys(stands->amounts))) return false;
  if (!writing_) return true;
  Amounts later = Sum(true);
  quota::Add(later, charge.increase);
  return Fits(later, *writing_);
}

void Advance::Answer(const Charge& charge, const BizGroupQuota& known, Duration now) {
  answered_.push_back({.charge = charge, .group_uid = known.uid, .at = now});
}

bool Advance::IsKept(const BizGroupQuota& known, Duration now) const {
  return !answered_.empty() || AdvanceOf(known, options_.instance) != nullptr || (last_ && *last_ + 2 * kSecond > now);
}

bool Advance::IsDue(const BizGroupQuota& known, Time wall, Duration now) const {
  const bool many = answered_.size() >= options_.write_at;
  if (!answered_.empty() && (one_by_one_ || many || answered_.front().at + options_.write_after <= now)) return true;
  if (one_by_one_ || AdvanceOf(known, options_.instance) == nullptr) return false;
  return !options_.on || IsRecalled(known, wall) || IsIdle(now);
}

std::vector<Charge> Advance::Settle(Time until, Duration now, BizGroupQuota& object) {
  const QuotaReservation* stands = AdvanceOf(object, options_.instance);
  const uint64_t stored = one_by_one_ ? 0 : WriteOf(stands);
  if (stands != nullptr) {
    const Amounts amounts = quota::NormalKeys(stands->amounts);
    TakeBack(object.used, amounts);
    TakeBack(object.self_used, amounts);
    std::erase_if(object.reservations, [&](const auto& each) {
      return each.kind == cluster::kAdvanceKind && each.uid == options_.instance;
    });
  }
  const auto is_over = [&](const Answered& each) {
    if (each.group_uid != object.uid || each.at + options_.longest_request <= now) return true;
    if (each.written_by != 0 && each.written_by <= stored) return true;  // each write has all that was answered before
    const QuotaReservation* own = Find(object, each.charge.reservation.kind, each.charge.reservation.uid);
    return own != nullptr && Fits(each.charge.reservation.amounts, own->amounts);
  };
  const auto over =
      std::stable_partition(answered_.begin(), answered_.end(), [&](const auto& each) { return !is_over(each); });
  std::vector<Charge> done = ChargesOf(over, answered_.end());
  answered_.erase(over, answered_.end());
  ++writes_;
  const Amounts hard = Chargeable(object);
  for (Answered& each : answered_) {
    each.in_write = !one_by_one_ || &each == &answered_.front();
    if (!each.in_write) continue;
    if (each.written_by == 0) each.written_by = writes_;
    QuotaReservation* own = Find(object, each.charge.reservation.kind, each.charge.reservation.uid);
    if (own == nullptr) own = &object.reservations.emplace_back(each.charge.reservation);
    quota::Max(own->amounts, quota::Masked(each.charge.usage, hard));
    own->until = std::max(own->until, until);
    AddCounted(object.used, each.charge.increase);
    AddCounted(object.self_used, each.charge.increase);
  }
  return done;
}

Amounts Advance::Largest() const {
  Amounts largest = now_.largest;
  quota::Max(largest, before_.largest);
  return largest;
}

size_t Advance::Wanted(const Amounts& hard, const BizGroupQuota& object, Time wall, Duration now) const {
  size_t count = now_.count + before_.count;
  if (!options_.on || one_by_one_ || object.deleting || IsIdle(now) || IsRecalled(object, wall)) return 0;
  if (count < options_.busy) return 0;
  const Amounts one = Largest();
  const auto has_room = [&](size_t charges) {
    const Amounts wanted = quota::Times(one, options_.share * static_cast<int64_t>(charges));
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& each) {
      if (quota::Find(hard, each.first) == nullptr) return true;
      if (quota::Find(object.used, each.first) == nullptr) return false;  // nobody has counted it
      Quantity left = quota::Get(hard, each.first);
      left.Sub(quota::Get(object.used, each.first));
      return each.second <= left;
    });
  };
  while (count >= options_.least && !has_room(count)) count /= 2;
  return count >= options_.least ? count : 0;
}

void Advance::Make(Time until, Time wall, Duration now, BizGroupQuota& object) {
  Amounts amounts;
  const Amounts hard = Chargeable(object);
  for (const auto& [key, limit] : hard) quota::Set(amounts, key, Quantity());
  if (const size_t count = Wanted(hard, object, wall, now); count > 0) {
    quota::Max(amounts, quota::Masked(quota::Times(Largest(), static_cast<int64_t>(count)), hard));
  }
  quota::Max(amounts, quota::Masked(Sum(true), hard));  // what this write leaves unwritten
  writing_ = amounts;
  Amounts any = amounts;
  quota::RemoveZeros(any);
  if (any.empty()) return;
  AddCounted(object.used, amounts);
  AddCounted(object.self_used, amounts);
  object.reservations.push_back({.uid = options_.instance,
                                 .kind = std::string(cluster::kAdvanceKind),
                                 .namespace_name = {},
                                 .name = absl::StrCat(options_.name, ".", writes_),
                                 .amounts = std::move(amounts),
                                 .until = until});
}

std::vector<Charge> Advance::Written() {
  const auto stand =
      std::stable_partition(answered_.begin(), answered_.end(), [](const auto& each) { return !each.in_write; });
  std::vector<Charge> done = ChargesOf(stand, answered_.end());
  answered_.erase(stand, answered_.end());
  writing_.reset();
  unsure_.clear();
  return done;
}

void Advance::NotWritten() {
  for (Answered& each : answered_) each.in_write = false;
  writing_.reset();
}

void Advance::PerhapsWritten(const std::string& base) {
  NotWritten();
  unsure_ = base;
}

std::vector<Charge> Advance::Refused() {
  std::vector<Charge> done;
  if (one_by_one_ && !answered_.empty() && answered_.front().in_write) {
    done.push_back(answered_.front().charge);
    answered_.erase(answered_.begin());
  }
  for (Answered& each : answered_) each.in_write = false;
  one_by_one_ = true;
  writing_.reset();
  return done;
}

std::vector<Charge> Advance::Drop() {
  std::vector<Charge> done = ChargesOf(answered_.begin(), answered_.end());
  answered_.clear();
  return done;
}

}  // namespace huygens::advances
