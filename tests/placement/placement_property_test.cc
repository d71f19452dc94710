#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "placement/placement.h"
#include "tests/base/clock.h"
#include "tests/cluster/history.h"

namespace huygens::placement {
namespace {

using test::kNow;

std::unique_ptr<Placement> Make() { return std::move(*Placement::Create({})); }

// All zone figures of all nodes, as text.
std::string Picture(const Placement& placement) {
  std::string text;
  for (int i = 0; i < 5; ++i) {
    auto node = placement.Describe("node-" + std::to_string(i), kNow);
    if (!node) continue;
    text += Concat(node->name, " mode ", node->mode, node->single_numa ? " single" : "", "\n");
    for (const ZoneDescription& zone : node->zones) {
      text += Concat("  ", zone.name, zone.present ? " " : " gone ", std::to_string(zone.effective.Get(kCpu)), " - ",
                     std::to_string(zone.used.Get(kCpu)), " = ", std::to_string(zone.free.Get(kCpu)), "\n");
    }
    for (const auto& pod : node->pods) {
      text += Concat("  ", pod.uid);
      for (const ZoneShare& share : pod.zones)
        text += Concat(" ", share.name, "=", std::to_string(share.amount.Get(kCpu)));
      text += "\n";
    }
  }
  return text;
}

void RequireNoZoneOverCapacity(const Placement& placement) {
  for (int i = 0; i < 5; ++i) {
    auto node = placement.Describe("node-" + std::to_string(i), kNow);
    if (!node || node->mode != "managed") continue;
    for (const ZoneDescription& zone : node->zones) RC_ASSERT(zone.used.Get(kCpu) <= zone.effective.Get(kCpu));
  }
}

// A scheduler at work on a changing cluster: reserves at random, binds through the API server, hears of it sooner or
// later.
class Scheduler {
 public:
  Scheduler(Placement& placement, test::History& history) : placement_(placement), history_(history) {}

  void Reserve() {
    auto pod = history_.AnyPendingPod();
    if (!pod) return;
    std::string node = history_.AnyNode();
    auto before = placement_.state().FindPlaced(pod->uid);
    auto reserved = placement_.Reserve(pod, node, kNow);
    if (!reserved.ok() || !reserved->Accepted()) {
      log_ += Concat(pod->uid, " ", node, " no\n");
      return;
    }
    log_ += Concat(pod->uid, " ", node);
    int64_t sum = 0;
    std::vector<cluster::ZoneAmount> zones;
    for (const ZoneShare& share : reserved->zones) {
      log_ += Concat(" ", share.name, "=", std::to_string(share.amount.Get(kCpu)));
      sum += share.amount.Get(kCpu);
      zones.push_back({share.zone, share.amount});
    }
    log_ += "\n";
    RC_ASSERT(reserved->existed == (before != nullptr));
    if (reserved->existed) return;
    if (!zones.empty()) RC_ASSERT(sum == pod->containers[0].requests.Get(kCpu));
    flying_.push_back({pod->uid, node, zones});
  }

  void Settle() {
    if (flying_.empty()) return;
    Flight flight = flying_.back();
    flying_.pop_back();
    bool bound = history_.Chance(80) && history_.Bind(flight.uid, flight.node, flight.zones);
    if (history_.Chance(50)) Listen();
    if (bound) {
      placement_.Assume(flight.uid, kNow);
    } else {
      placement_.Release(flight.uid);
    }
  }

  void Listen() {
    for (const cluster::WatchEvent& event : history_.Read()) placement_.Apply(event);
  }

  void Finish() {
    for (const Flight& flight : flying_) placement_.Release(flight.uid);
    for (const cluster::WatchEvent& event : history_.ReadAll()) placement_.Apply(event);
    for (const std::string& uid : placement_.state().ledger().AssumedSince(Time::max())) placement_.Release(uid);
    // What was lost is given up.
    for (int minutes : {0, 10}) (void)placement_.AgeLosses(std::chrono::minutes(minutes));
  }

  const std::string& log() const { return log_; }

 private:
  struct Flight {
    std::string uid, node;
    std::vector<cluster::ZoneAmount> zones;
  };
  Placement& placement_;
  test::History& history_;
  std::vector<Flight> flying_;
  std::string log_;
};

// Whatever the order of events, reservations and their outcomes: in the end the accounts are those of a fresh start
// from one LIST, and nothing is left in the ledger.
RC_GTEST_PROP(Placement, LeaksNothing, (uint64_t seed)) {
  test::History history(seed);
  auto placement = Make();
  Scheduler scheduler(*placement, history);
  for (int step = 0; step < 150; ++step) {
    history.Change();
    if (history.Chance(40)) scheduler.Reserve();
    if (history.Chance(40)) scheduler.Settle();
    for (int n = history.Pick(3); n > 0; --n) scheduler.Listen();
    RC_ASSERT(placement->Reconcile(placement->state().NodeSlots()) == 0u);
  }
  scheduler.Finish();
  RC_ASSERT(placement->state().ledger().size() == 0u);
  auto fresh = Make();
  for (const cluster::WatchEvent& event : history.Lists()) fresh->Apply(event);
  RC_ASSERT(Picture(*placement) == Picture(*fresh));
}

// Where nobody else binds and no zone shrinks, no zone is ever over its effective capacity, at no moment.
RC_GTEST_PROP(Placement, NeverPutsMoreIntoAZoneThanItHas, (uint64_t seed)) {
  test::History history(seed);
  history.foreign_binds = false;
  auto placement = Make();
  Scheduler scheduler(*placement, history);
  history.zones_may_change = false;
  for (int step = 0; step < 200; ++step) {
    history.Change();
    if (history.Chance(60)) scheduler.Reserve();
    if (history.Chance(50)) scheduler.Settle();
    for (int n = history.Pick(4); n > 0; --n) scheduler.Listen();
    RequireNoZoneOverCapacity(*placement);
  }
  scheduler.Finish();
  RequireNoZoneOverCapacity(*placement);
}

RC_GTEST_PROP(Placement, SameEventsSameDecisions, (uint64_t seed)) {
  std::string logs[2];
  for (std::string& log : logs) {
    test::History history(seed);
    auto placement = Make();
    Scheduler scheduler(*placement, history);
    for (int step = 0; step < 80; ++step) {
      history.Change();
      scheduler.Reserve();
      if (history.Chance(50)) scheduler.Settle();
      scheduler.Listen();
    }
    log = scheduler.log() + Picture(*placement);
  }
  RC_ASSERT(logs[0] == logs[1]);
}

// Filter, Prioritize and Reserve agree, and asking changes nothing.
RC_GTEST_PROP(Placement, TheThreeQuestionsAgree, (uint64_t seed)) {
  test::History history(seed);
  auto placement = Make();
  Scheduler scheduler(*placement, history);
  const std::string_view names[] = {"node-0", "node-1", "node-2", "node-3", "node-4"};
  for (int step = 0; step < 100; ++step) {
    history.Change();
    scheduler.Listen();
    if (history.Chance(30)) scheduler.Reserve();
    auto pod = history.AnyPendingPod();
    if (!pod || placement->state().FindPlaced(pod->uid)) continue;
    const std::string before = Picture(*placement);
    auto reasons = placement->Filter(*pod, names, kNow).reasons;
    auto scores = placement->Prioritize(*pod, names, kNow);
    RC_ASSERT(Picture(*placement) == before);
    for (size_t i = 0; i < std::size(names); ++i) {
      auto reserved = placement->Reserve(pod, names[i], kNow);
      if (!reserved.ok()) continue;
      RC_ASSERT(reserved->reason == reasons[i]);
      if (!reserved->Accepted()) RC_ASSERT(scores[i] == 0);
      if (reserved->zones.size() == 1) RC_ASSERT(scores[i] == 10);
      if (reserved->zones.size() > 1) RC_ASSERT(scores[i] <= 5);
      placement->Release(pod->uid);
      RC_ASSERT(Picture(*placement) == before);
    }
  }
}

}  // namespace
}  // namespace huygens::placement
