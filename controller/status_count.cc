#include "controller/status_count.h"

#include <algorithm>
#include <utility>

#include "controller/hours.h"

namespace huygens::controller {
namespace {

using cluster::BizGroupQuota;
using cluster::QuotaReservation;

constexpr Duration kCatchUpPause = std::chrono::seconds(2);
constexpr Duration kCatchUpTime = std::chrono::milliseconds(500);

std::string KeyOf(const QuotaReservation& reservation) { return Concat(reservation.kind, "/", reservation.uid); }

void Sooner(std::optional<Duration>& again, Duration other) { again = std::min(again.value_or(other), other); }

}  // namespace

std::optional<NameHolder> StatusCount::HolderOf(const QuotaReservation& reservation, Memory& memory, Time now) const {
  std::string uid;
  if (reservation.kind == cluster::kGroupKind) {
    if (const BizGroupQuota* group = cluster_.groups().Find(reservation.name)) uid = group->uid;
  } else {
    const size_t dot = reservation.kind.find('.');
    const std::string kind = reservation.kind.substr(0, dot);
    const std::string api = dot == std::string::npos ? "" : reservation.kind.substr(dot + 1);
    const auto* workload = cluster_.workloads().ByName(api, kind, reservation.namespace_name, reservation.name);
    if (workload != nullptr) uid = workload->uid;
  }
  if (uid.empty()) return std::nullopt;
  return NameHolder{uid, memory.holders.try_emplace(uid, now).first->second};
}

Duration StatusCount::Silence(const BizGroupQuota& group) const {
  Duration longest{};
  for (const QuotaReservation& each : group.reservations) longest = std::max(longest, cluster_.Silence(each.kind));
  return longest;
}

void StatusCount::CatchUp(const BizGroupQuota& group, Duration monotonic) {
  for (const QuotaReservation& each : group.reservations) {
    const auto [known, is_new] = caught_up_.try_emplace(each.kind, monotonic);
    if (!is_new && monotonic - known->second < kCatchUpPause) continue;
    known->second = monotonic;
    if (cluster_.Silence(each.kind) > Duration::zero()) cluster_.CatchUp(each.kind);
  }
}

Counted StatusCount::Count(const BizGroupQuota& before, Time now, Duration monotonic) {
  Memory& memory = memories_[before.name];
  if (memory.uid != before.uid) memory = {.uid = before.uid};
  Counted counted;
  counted.group = before;
  counted.of_changes = memory.changes;
  BizGroupQuota& group = counted.group;

  // Of the last count only what is still there is remembered.
  TextMap<Time> reserved, holders;
  for (const QuotaReservation& each : before.reservations) {
    const auto known = memory.reserved.find(KeyOf(each));
    reserved.try_emplace(KeyOf(each), known == memory.reserved.end() ? now : known->second);
  }
  memory.reserved = std::move(reserved);
  const std::vector<quota::CashLedger> inherited = inheritance_.TakeOver(group, now);
  const std::vector<CountedPod> pods = hours_.Of(group.name, now);
  counted.hours = CountHours(pods, inherited, now, group);
  if (!counted.hours.ok()) group.inherited = before.inherited;
  const std::vector<ObservedObject> workloads = use_.Of(group.name), children = use_.OfChildren(group);
  const auto holder_of = [&](const QuotaReservation& each) {
    const auto holder = HolderOf(each, memory, now);
    if (holder) holders.try_emplace(holder->uid, holder->since);
    return holder;
  };
  const auto known_since = [&](const QuotaReservation& each) { return memory.reserved.find(KeyOf(each))->second; };
  // What a transfer keeps of a group whose reservation for it ends: that is no charge which nobody knew of.
  bool held_anew = false;
  const auto held = [&](const std::vector<QuotaReservation>& standing) {
    const quota::Tree& tree = cluster_.groups().tree();
    quota::Amounts known = cluster_.transfers().HeldBy(group.name, tree);
    if (standing.size() == before.reservations.size()) return known;
    quota::Amounts now = cluster_.HeldBeside(*cluster_.groups().Find(group.name), standing);
    held_anew = now != known;
    return now;
  };
  counted.recounted = Recount({.workloads = workloads,
                               .children = children,
                               .holder_of = holder_of,
                               .known_since = known_since,
                               .watched_until = now - Silence(before),
                               .held = held},
                              group);
  memory.holders = std::move(holders);
  if (memory.changes == memory.counted_changes && !held_anew) counted.drift = counted.recounted.fall;
  Decide(before, memory, now, monotonic, counted);
  return counted;
}

void StatusCount::Decide(const BizGroupQuota& before, const Memory& memory, Time now, Duration monotonic,
                         Counted& counted) {
  if (const auto& look = counted.recounted.look_again) {
    if (*look <= now) {
      CatchUp(counted.group, monotonic);
      Sooner(counted.again, kCatchUpTime);
    } else {
      Sooner(counted.again, *look - now);
    }
  }
  if (hours_.IsCounted(before.name)) Sooner(counted.again, options_.hours);
  if (const std::optional<Time> next = NextPeriod(counted.group, now)) Sooner(counted.again, *next - now);
  if (counted.group.inherited != before.inherited) {
    counted.write = WriteReason::kInherited;
    return;
  }
  switch (Compare(before, counted.group)) {
    case StatusChange::kNone:
      return;
    case StatusChange::kFigures:
      counted.write = WriteReason::kFigures;
      return;
    case StatusChange::kSettled: {
      const bool many = before.reservations.size() >= options_.many;
      const Duration pause = many ? options_.settle_many : options_.settle;
      const Duration due = memory.settled ? *memory.settled + pause : monotonic;
      if (due <= monotonic) {
        counted.write = WriteReason::kSettled;
      } else {
        Sooner(counted.again, due - monotonic);
      }
      return;
    }
    case StatusChange::kHours: {
      // That nothing was consumed need not be written: it will be found again.
      if (before.exact_hours == counted.group.exact_hours) return;
      const Time due = before.last_reconcile.value_or(now) + options_.hours;
      if (due <= now || (before.deleting && !hours_.AnyRuns(before.name))) {
        counted.write = WriteReason::kHours;
      } else {
        Sooner(counted.again, due - now);
      }
      return;
    }
  }
}

void StatusCount::Forget(std::string_view group) {
  if (const auto found = memories_.find(group); found != memories_.end()) memories_.erase(found);
}

void StatusCount::Stands(const Counted& counted, Duration monotonic) {
  const auto found = memories_.find(counted.group.name);
  if (found == memories_.end()) return;
  found->second.counted_changes = counted.of_changes;
  if (counted.write == WriteReason::kSettled) found->second.settled = monotonic;
}

}  // namespace huygens::controller
