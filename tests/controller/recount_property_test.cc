// Random workloads, children, reservations and times: what a recount may never do, whatever comes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <set>

#include "controller/recount.h"
#include "tests/controller/groups.h"

namespace huygens::controller {
namespace {

constexpr std::array<std::string_view, 3> kKeys = {"limits.cpu", "limits.memory", "pods"};

struct Case {
  cluster::BizGroupQuota group;
  std::vector<ObservedObject> workloads, children;
  std::map<std::string, NameHolder> holders;
  std::map<std::string, Time> known_since;

  std::optional<NameHolder> HolderOf(const cluster::QuotaReservation& reservation) const {
    auto found = holders.find(reservation.name);
    if (found == holders.end()) return std::nullopt;
    return found->second;
  }
  Recounted Count() {
    return Recount({workloads, children, [this](const auto& each) { return HolderOf(each); },
                    [this](const auto& each) { return known_since.at(each.uid); }, kNow},
                   group);
  }
  const ObservedObject* Find(const cluster::QuotaReservation& reservation) const {
    for (const auto& each : reservation.kind == cluster::kGroupKind ? children : workloads) {
      if (each.uid == reservation.uid) return &each;
    }
    return nullptr;
  }
};

Amounts AnyAmounts() {
  Amounts amounts;
  for (std::string_view key : kKeys) {
    if (const int64_t milli = *rc::gen::inRange(-500, 4000); milli >= 0) {
      quota::Set(amounts, key, Quantity::FromMilli(milli));
    }
  }
  return amounts;
}

Time AnyTime() { return kNow + seconds(*rc::gen::inRange(-5, 6)); }

Case AnyCase() {
  Case any;
  any.group = MakeGroup("team", "", {{"limits.cpu", "10"}, {"pods", "5"}});
  any.group.used = AnyAmounts();
  for (int i = 0; i < 8; ++i) {
    const std::string uid = "u" + std::to_string(i), name = "n" + std::to_string(i % 5);
    const bool child = i >= 5;
    const int what = *rc::gen::inRange(0, 4);  // 1: seen, 2: reserved, 3: both
    const ObservedObject object{uid, child ? std::string(cluster::kGroupKind) : "Deployment.apps", "", name,
                                AnyAmounts()};
    if (what & 1) {
      (child ? any.children : any.workloads).push_back(object);
      any.holders[name] = {uid, AnyTime()};
    }
    any.known_since[uid] = AnyTime();
    if (what & 2) any.group.reservations.push_back({uid, object.kind, "", name, AnyAmounts(), AnyTime()});
  }
  return any;
}

RC_GTEST_PROP(Recount, NeverSaysLessThanWasObserved, ()) {
  Case any = AnyCase();
  any.Count();
  Amounts own, all;
  for (const auto& each : any.workloads) quota::Add(own, each.usage);
  all = own;
  for (const auto& each : any.children) quota::Add(all, each.usage);
  for (std::string_view key : {"limits.cpu", "pods"}) {
    RC_ASSERT(quota::Get(any.group.self_used, key) >= quota::Get(own, key));
    RC_ASSERT(quota::Get(any.group.used, key) >= quota::Get(all, key));
  }
  RC_ASSERT(any.group.used.size() == 2u);
}

RC_GTEST_PROP(Recount, CountedAgainItSaysTheSame, ()) {
  Case any = AnyCase();
  any.Count();
  const cluster::BizGroupQuota before = any.group;
  const Recounted again = any.Count();
  RC_ASSERT(Compare(before, any.group) == StatusChange::kNone);
  RC_ASSERT(again.fall.empty() && again.settled + again.expired + again.superseded == 0u);
}

// By a rule written down anew: what was dropped had a reason, what stands had none, and what stands counts.
RC_GTEST_PROP(Recount, DropsReservationsForTheThreeReasonsAlone, ()) {
  Case any = AnyCase();
  const std::vector<cluster::QuotaReservation> before = any.group.reservations;
  const Recounted counted = any.Count();
  std::set<std::string> standing;
  for (const auto& each : any.group.reservations) standing.insert(each.uid);
  uint64_t dropped = 0;
  std::map<bool, Amounts> least;
  for (const auto& each : before) {
    const ObservedObject* seen = any.Find(each);
    bool covered = true;
    for (const auto& [key, amount] : each.amounts) {
      covered = covered && (amount.IsZero() || (seen && quota::Get(seen->usage, key) >= amount));
    }
    const auto holder = any.HolderOf(each);
    const bool taken = holder && holder->uid != each.uid && holder->since <= kNow - seconds(2) &&
                       any.known_since.at(each.uid) <= kNow - seconds(2);
    RC_ASSERT(standing.contains(each.uid) == !(covered || each.until <= kNow || taken));
    if (!standing.contains(each.uid)) ++dropped;
    if (standing.contains(each.uid)) quota::Add(least[each.kind == cluster::kGroupKind], each.amounts);
  }
  RC_ASSERT(counted.settled + counted.expired + counted.superseded == dropped);
  RC_ASSERT(counted.look_again.has_value() == !standing.empty());
  if (counted.look_again) RC_ASSERT(*counted.look_again > kNow);
  for (std::string_view key : {"limits.cpu", "pods"}) {
    RC_ASSERT(quota::Get(any.group.self_used, key) >= quota::Get(least[false], key));
  }
}

}  // namespace
}  // namespace huygens::controller
