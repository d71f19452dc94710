#include "controller/status_count.h"

#include <algorithm>
#include <utility>

#include "controller/hours.h"
#include "quota/workload_kinds.h"

namespace huygens::controller {
namespace {

using cluster::BizGroupQuota;
using cluster::QuotaReservation;

constexpr std::string_view kPods = "Pod";  // as reservations name kinds
constexpr Duration kCatchUpPause = std::chrono::seconds(2);
constexpr Duration kCatchUpTime = std::chrono::milliseconds(500);
std::string KeyOf(const QuotaReservation& reservation) { return Concat(reservation.kind, "/", reservation.uid); }

std::string KeyWithTimeOf(const QuotaReservation& reservation) {
  return Concat(KeyOf(reservation), " ", FormatRfc3339(reservation.until));
}

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

void StatusCount::AwaitUnaware(const BizGroupQuota& before, Memory& memory, BizGroupQuota& group) {
  const quota::Amounts known = quota::Masked(quota::NormalKeys(before.counted_hard), quota::NormalKeys(before.used));
  const auto says = [](const QuotaReservation& each, std::string_view key) {
    return quota::Find(quota::NormalKeys(each.amounts), key) != nullptr;
  };
  std::map<std::string, std::set<std::string, std::less<>>> unaware;
  for (const auto& [key, hard] : quota::NormalKeys(group.hard)) {
    if (quota::IsCash(key) || quota::Find(known, key) != nullptr) continue;
    auto of_key = memory.unaware.extract(key);
    std::set<std::string, std::less<>> made_before;
    if (!of_key.empty()) {
      made_before = std::move(of_key.mapped());
    } else {
      for (const QuotaReservation& each : before.reservations) made_before.insert(KeyOf(each));
    }
    const bool waits = std::any_of(group.reservations.begin(), group.reservations.end(), [&](const auto& each) {
      return made_before.contains(KeyOf(each)) && !says(each, key);
    });
    if (waits) unaware.emplace(key, std::move(made_before));
  }
  for (cluster::QuotaAmounts* figures : {&group.used, &group.self_used, &group.counted_hard}) {
    std::erase_if(*figures, [&](const auto& each) { return unaware.contains(quota::NormalKey(each.first)); });
  }
  memory.unaware = std::move(unaware);
}

Duration StatusCount::Silence(const BizGroupQuota& group) const {
  Duration longest{};
  for (const QuotaReservation& each : group.reservations) longest = std::max(longest, cluster_.Silence(each.kind));
  return longest;
}

Time StatusCount::HoursShownUntil(Time now) const {
  Duration silence = cluster_.Silence(kPods);
  if (hours_.AnyUnresolved()) {
    for (const quota::ChargedKind& each : quota::ChargedKinds()) {
      silence = std::max(silence, cluster_.Silence(quota::KindText(each.group, each.kind)));
    }
  }
  return now - silence;
}

void StatusCount::CatchUp(const BizGroupQuota& group, Duration monotonic) {
  for (const QuotaReservation& each : group.reservations) CatchUp(each.kind, monotonic);
}

void StatusCount::CatchUp(std::string_view kind, Duration monotonic) {
  const auto [known, is_new] = caught_up_.try_emplace(std::string(kind), monotonic);
  if (!is_new && monotonic - known->second < kCatchUpPause) return;
  known->second = monotonic;
  if (cluster_.Silence(kind) > Duration::zero()) cluster_.CatchUp(kind);
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
    const auto known = memory.reserved.find(KeyWithTimeOf(each));
    reserved.try_emplace(KeyWithTimeOf(each), known == memory.reserved.end() ? now : known->second);
  }
  memory.reserved = std::move(reserved);
  const std::vector<quota::CashLedger> inherited = inheritance_.TakeOver(group, now);
  const std::vector<CountedPod> pods = hours_.Of(group.name, now);
  counted.hours = CountHours(pods, inherited, HoursShownUntil(now), group);
  if (!counted.hours.ok()) group.inherited = before.inherited;
  const std::vector<ObservedObject> workloads = use_.Of(group.name), children = use_.OfChildren(group);
  const auto holder_of = [&](const QuotaReservation& each) {
    const auto holder = HolderOf(each, memory, now);
    if (holder) holders.try_emplace(holder->uid, holder->since);
    return holder;
  };
  const auto known_since = [&](const QuotaReservation& each) {
    return memory.reserved.find(KeyWithTimeOf(each))->second;
  };
  const auto uids = [&](auto tell) {
    for (const ObservedObject& each : workloads) tell(each.uid);
  };
  memory.unwritten.See(before, uids, now);
  const auto may_be_of_advance = [&](const ObservedObject& each) {
    const std::optional<Time> until = memory.unwritten.Until(each.uid, now);
    if (until) Sooner(counted.again, *until - now);
    return until.has_value();
  };
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
                               .may_be_of_advance = may_be_of_advance,
                               .held = held},
                              group);
  memory.holders = std::move(holders);
  AwaitUnaware(before, memory, group);
  // Beside an advance something may be counted twice for a moment, rightly.
  const bool told = memory.changes == memory.counted_changes && !held_anew && !memory.unwritten.near();
  if (told) counted.drift = counted.recounted.fall;
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
  DecideHours(before, now, monotonic, counted);
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

// When hours are to be counted for what the watch of pods has not shown yet.
void StatusCount::DecideHours(const BizGroupQuota& before, Time now, Duration monotonic, Counted& counted) {
  const Time until = counted.group.last_reconcile.value_or(now);
  std::optional<Time> wanted = NextPeriod(counted.group, until);
  if (before.deleting) {  // it stays until all that ran is counted
    for (const CountedPod& each : hours_.Of(before.name, now)) {
      if (each.span.end && *each.span.end > until) wanted = until;
    }
  }
  if (!wanted) return;
  if (*wanted > now) return Sooner(counted.again, *wanted - now);
  CatchUp(kPods, monotonic);
  Sooner(counted.again, kCatchUpTime);
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
