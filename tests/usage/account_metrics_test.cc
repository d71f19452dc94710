// Fresh, stale and absent figures, and what follows from each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/usage/objects.h"
#include "usage/account.h"

namespace huygens::usage {
namespace {

constexpr size_t kSlots = 8;
constexpr Duration kStaleAfter = std::chrono::minutes(10);

// Nodes n0 … of 10 cores; cpu at most 80 %.
Account MakeAccount(Options options, NodeIndex nodes = 1) {
  Account account(std::move(options));
  for (NodeIndex n = 0; n < nodes; ++n) {
    const cluster::Node node = MakeNode(Concat("n", std::to_string(n)), {{kCpu, 10'000}});
    account.NodeObjectChanged(n, &node);
  }
  return account;
}

// All slots but the last of a week, then the last one at `end`.
Time ReadWeek(Account& account, std::string_view workload, int64_t amount, std::vector<Reading> nodes = {}) {
  Readings readings;
  for (size_t s = 0; s < kSlots; ++s) {
    readings = InSlot(account.options(), static_cast<int64_t>(s), {{KeyOf(workload), amount}}, nodes);
    account.Apply(readings, readings.measured);
  }
  account.Settle();
  return readings.measured;
}

TEST(UsageMetrics, GoFromAbsentToFreshToStale) {
  Account account = MakeAccount(CpuOptions(kSlots));
  EXPECT_EQ(account.State(0, 0, Time{}), MetricState::kAbsent);
  const Time read = ReadWeek(account, "w", 1, {{"n0", 1}});
  EXPECT_EQ(account.State(0, 0, read), MetricState::kFresh);
  EXPECT_EQ(account.State(0, 0, read + kStaleAfter), MetricState::kFresh);
  EXPECT_EQ(account.State(0, 0, read + kStaleAfter + Duration(1)), MetricState::kStale);
  EXPECT_EQ(account.State(0, 0, read - kStaleAfter), MetricState::kFresh) << "clocks differ";
  EXPECT_EQ(account.State(0, 0, read - kStaleAfter - Duration(1)), MetricState::kStale) << "a clock that was wrong";
}

// Readings of both nodes, or of n1 alone, with the clock of the moment right.
class UsageMetricsOfAWrongClock : public testing::Test {
 protected:
  static constexpr auto kDay = std::chrono::hours(24);

  Time Poll(int64_t slot, bool both) {
    std::vector<Reading> nodes = {{"n1", 1000}};
    if (both) nodes.push_back({"n0", 1000});
    const Readings readings = InSlot(account_.options(), slot, {{KeyOf("w"), 9000}}, std::move(nodes));
    account_.Apply(readings, readings.measured);
    account_.Settle();
    return readings.measured;
  }
  MetricState State(NodeIndex node, Time now) const { return account_.State(node, 0, now); }
  Verdict Judge(NodeIndex node, Time now) const {
    return account_.Judge(node, account_.DemandOf(*MakePod("small", "a", {{kCpu, 100}})), now);
  }

  Account account_ = [] {
    Options options = CpuOptions(168);
    options.resources[0].when_stale = WhenUnknown::kReject;
    options.max_stale_nodes = 400'000;
    return MakeAccount(options, 2);
  }();
};

TEST_F(UsageMetricsOfAWrongClock, ASubjectThatIsSilentAfterItIsNotFresh) {
  Poll(1000 + 30 * 24, true);
  const Time now = Poll(1000, false);
  EXPECT_EQ(State(0, now), MetricState::kStale);
  EXPECT_EQ(Judge(0, now), Verdict::kUnknown);
  EXPECT_TRUE(account_.SteppingAside(now).any());
  EXPECT_EQ(State(1, now), MetricState::kFresh) << "what is measured again is believed at once";
  EXPECT_EQ(Judge(1, now), Verdict::kFits);
  EXPECT_EQ(account_.Measured(0), now);
}

TEST_F(UsageMetricsOfAWrongClock, ASourceThatDiesOnceItIsRightIsStaleInTime) {
  Poll(1000 + 3 * 24, true);
  EXPECT_EQ(account_.TakeRelieved().size(), 2u);
  const Time now = Poll(1000, true);
  EXPECT_EQ(account_.TakeRelieved().size(), 2u) << "fresh again";
  for (NodeIndex node : {0, 1}) {
    EXPECT_EQ(State(node, now + kStaleAfter), MetricState::kFresh);
    for (const Duration later : {Duration(kStaleAfter) + Duration(1), Duration(kDay), Duration(3 * kDay)}) {
      EXPECT_EQ(State(node, now + later), MetricState::kStale);
      EXPECT_EQ(Judge(node, now + later), Verdict::kUnknown);
      EXPECT_TRUE(account_.SteppingAside(now + later).any());
    }
  }
  EXPECT_EQ(account_.Measured(0), now);
}

TEST_F(UsageMetricsOfAWrongClock, ASourceThatDiesWithItIsNotFresh) {
  const Time wrong = Poll(1000 + 3 * 24, true);
  for (NodeIndex node : {0, 1}) EXPECT_EQ(State(node, wrong - 2 * kDay), MetricState::kStale);
}

TEST(UsageMetrics, WithoutNodesGoByTheNewestReadingOfTheResource) {
  Account account = MakeAccount(CpuOptions(kSlots), 2);
  const Time read = ReadWeek(account, "w", 1);
  EXPECT_EQ(account.State(1, 0, read), MetricState::kFresh);
  account.Apply(InSlot(account.options(), kSlots - 1, {}, {{"n0", 1}}), read);
  EXPECT_EQ(account.State(0, 0, read), MetricState::kFresh);
  EXPECT_EQ(account.State(1, 0, read), MetricState::kAbsent) << "nodes are reported, but not this one";
}

TEST(UsageMetrics, ANodeOfWhichNothingIsMeasuredIsAbsentAndNotAtNought) {
  Account account = MakeAccount(CpuOptions(kSlots), 3);
  account.Place(On(0, MakePod("w", "a")));
  account.Place(On(1, MakePod("unmeasured", "b")));
  Readings readings = InSlot(account.options(), 0, {{KeyOf("w"), 1000}});
  readings.by_node = true;
  readings.half_measured = {"n0", "n1", "n2"};  // Prometheus has series of some pods there
  account.Apply(readings, readings.measured);
  EXPECT_EQ(account.State(0, 0, readings.measured), MetricState::kFresh);
  EXPECT_EQ(account.State(1, 0, readings.measured), MetricState::kAbsent) << "of its pods none is measured";
  EXPECT_EQ(account.State(2, 0, readings.measured), MetricState::kAbsent) << "it has none";
}

// Pods of n0 and n1 are measured, neither node as a whole; then n0 falls silent, while a replica of its pod lives on
// n1.
TEST(UsageMetrics, ANodeThatFellSilentIsStaleThoughItsPodsReplicasAreMeasuredElsewhere) {
  Account account = MakeAccount(CpuOptions(kSlots), 3);
  account.Place(On(0, MakePod("w", "a")));
  account.Place(On(1, MakePod("w", "b")));
  Readings readings = InSlot(account.options(), 0, {{KeyOf("w"), 1000}});
  readings.by_node = true;
  const Time first = readings.measured;
  account.Apply(readings, first);
  EXPECT_EQ(account.State(0, 0, first), MetricState::kAbsent) << "nothing was said of the node";
  Readings half = InSlot(account.options(), 0, {});
  half.by_node = true;
  half.half_measured = {"n0", "n1", "unknown"};
  account.Apply(half, first);
  EXPECT_EQ(account.State(0, 0, first), MetricState::kFresh);
  EXPECT_EQ(account.State(1, 0, first), MetricState::kFresh);
  EXPECT_EQ(account.State(2, 0, first), MetricState::kAbsent);
  EXPECT_EQ(account.Use(0, 0, first).peak, 250) << "the pod's estimate: what was not measured adds nothing";

  const Time later = first + kStaleAfter + std::chrono::minutes(1);
  readings.measured = half.measured = later;
  half.half_measured = {"n1"};
  account.Apply(readings, later);
  account.Apply(half, later);
  EXPECT_EQ(account.State(0, 0, later), MetricState::kStale);
  EXPECT_EQ(account.State(1, 0, later), MetricState::kFresh);
  // Older news of it changes nothing.
  half.measured = first;
  account.Apply(half, later);
  EXPECT_EQ(account.State(1, 0, later), MetricState::kFresh);
}

TEST(UsageMetrics, ADeadSourceChangesNothingUntilItIsStale) {
  Account account = MakeAccount(CpuOptions(kSlots));
  const Time read = ReadWeek(account, "w", 3000);
  account.Place(On(0, MakePod("w", "a")));
  const Demand demand = account.DemandOf(*MakePod("w", "b", {{kCpu, 1000}}));
  for (Time now : {read, read + kStaleAfter}) {
    EXPECT_EQ(account.Judge(0, demand, now), Verdict::kFits);
    EXPECT_FLOAT_EQ(account.Share(0, 0, demand, now), 0.6F);
  }
  // From then on what the pods ask for counts: 250 by default, 850 of 1000.
  EXPECT_FLOAT_EQ(account.Share(0, 0, demand, read + std::chrono::hours(1)), 0.11F);
  EXPECT_EQ(account.Figures(0, read + std::chrono::hours(1))[0].estimates, 250);
}

TEST(UsageMetrics, EachStateHasItsConsequence) {
  struct Case {
    WhenUnknown when;
    int64_t request;  // of the pod; its estimate is 85 % of it, and the node is empty
    int64_t placed;   // request of the pod on the node
    Verdict want;
  };
  const Case kCases[] = {
      {WhenUnknown::kUseRequests, 8000, 1000, Verdict::kFits},  // 6800 + 850
      {WhenUnknown::kUseRequests, 8000, 2000, Verdict::kOverCeiling},
      {WhenUnknown::kUseRequests, 9000, 1000, Verdict::kOverCeiling},
      {WhenUnknown::kUseRequests, 9411, 2, Verdict::kOverCeiling},  // 7999 + 2
      {WhenUnknown::kUseRequests, 9411, 1, Verdict::kFits},         // 7999 + 1: equality
      {WhenUnknown::kUseRequests, 9420, 1, Verdict::kNeverFits},
      {WhenUnknown::kPass, 64'000, 64'000, Verdict::kFits},
      {WhenUnknown::kReject, 1, 1, Verdict::kUnknown},
  };
  for (const Case& each : kCases) {
    for (bool stale : {false, true}) {
      Options options = CpuOptions(kSlots);
      (stale ? options.resources[0].when_stale : options.resources[0].when_absent) = each.when;
      Account account = MakeAccount(std::move(options));
      account.Place(On(0, MakePod("placed", "a", {{kCpu, each.placed}})));
      Time now;
      if (stale) now = ReadWeek(account, "other", 1) + std::chrono::hours(1);
      const Demand demand = account.DemandOf(*MakePod("new", "b", {{kCpu, each.request}}));
      EXPECT_EQ(account.Judge(0, demand, now), each.want) << each.request << " beside " << each.placed << stale;
    }
  }
}

TEST(UsageMetrics, UnknownUseIsNeverIdle) {
  Account account = MakeAccount(CpuOptions(kSlots));
  for (int n = 0; n < 8; ++n) account.Place(On(0, MakePod("w", std::to_string(n), {{kCpu, 1000}})));
  const Demand demand = account.DemandOf(*MakePod("w", "b", {{kCpu, 1500}}));
  EXPECT_EQ(account.Judge(0, demand, Time{}), Verdict::kOverCeiling);
  EXPECT_FLOAT_EQ(account.Share(0, 0, demand, Time{}), 0.8075F);
  // A single reading says nothing of the other slots, nor of the pods of other workloads.
  account.Place(On(0, MakePod("unseen", "u", {{kCpu, 1000}})));
  const Readings first = InSlot(account.options(), 0, {{KeyOf("w"), 1100}});
  account.Apply(first, first.measured);
  account.Settle();
  const NodeFigures figures = account.Figures(0, first.measured)[0];
  EXPECT_EQ(figures.state, MetricState::kFresh);
  EXPECT_THAT(figures.curve, testing::Each(8 * 1100 + 850));
}

TEST(UsageMetrics, AboveAShareOfStaleNodesTheCheckStepsAside) {
  Options options = CpuOptions(kSlots);
  options.max_stale_nodes = 500'000;
  Account account = MakeAccount(options, 4);
  EXPECT_EQ(account.StaleShare(Time{}), kMillion);
  EXPECT_TRUE(account.SteppingAside(Time{}).any());
  const Time read = ReadWeek(account, "w", 1, {{"n0", 1}, {"n1", 1}});
  EXPECT_EQ(account.StaleShare(read), 500'000);
  EXPECT_FALSE(account.SteppingAside(read).any()) << "not more than";
  account.NodeObjectChanged(1, nullptr);
  EXPECT_EQ(account.StaleShare(read), 666'666);
  EXPECT_TRUE(account.SteppingAside(read).any());
  account.Apply(InSlot(options, kSlots - 1, {}, {{"n2", 1}, {"n3", 1}}), read);
  EXPECT_EQ(account.StaleShare(read), 0) << "the same second";
  EXPECT_EQ(account.StaleShare(read + kStaleAfter + std::chrono::seconds(1)), kMillion);
  // A node without a ceiling needs no figures.
  const cluster::Node bare = MakeNode("n1", {});
  account.NodeObjectChanged(1, &bare);
  EXPECT_EQ(account.StaleShare(read), 0);
}

TEST(UsageMetrics, AResourceThatNobodyMeasuresTakesNoOtherWithIt) {
  Options options = CpuOptions(kSlots);
  options.resources.push_back({.name = "memory", .resource = kMemory, .ceiling = 900'000});
  Account account(options);
  const cluster::Node node = MakeNode("n0", {{kCpu, 1000}, {kMemory, 1000}});
  account.NodeObjectChanged(0, &node);
  const Time read = ReadWeek(account, "w", 1000, {{"n0", 1}});
  EXPECT_EQ(account.SteppingAside(read), ResourceMask(0b10));
  const Demand demand = account.DemandOf(*MakePod("w", "a", {{kMemory, 5000}}));
  EXPECT_EQ(account.Judge(0, demand, read, account.SteppingAside(read)), Verdict::kNeverFits) << "by its CPUs";
  EXPECT_EQ(account.Judge(0, demand, read, ResourceMask(0b11)), Verdict::kFits);
  EXPECT_EQ(account.Judge(0, demand, read, account.SteppingAside(read)), Verdict::kNeverFits) << "asked again";
}

TEST(UsageMetrics, WhatFittedByFreshFiguresIsNotRepeatedWhenTheyAreNot) {
  Options options = CpuOptions(kSlots);
  options.resources[0].when_stale = WhenUnknown::kReject;
  options.stale_after = kStaleAfter - std::chrono::milliseconds(500);
  Account account = MakeAccount(options);
  const Time read = ReadWeek(account, "w", 3000), last = read + options.stale_after;
  const Time first = read - options.stale_after;  // before that the figures are by a wrong clock
  const Demand demand = account.DemandOf(*MakePod("w", "a"));
  const auto judge = [&](Time now) { return account.Judge(0, demand, now); };
  const Duration least(1);  // mostly within one second
  EXPECT_EQ(judge(read), Verdict::kFits);
  EXPECT_EQ(judge(last), Verdict::kFits);
  EXPECT_EQ(judge(last + least), Verdict::kUnknown);
  EXPECT_EQ(judge(first), Verdict::kFits);
  EXPECT_EQ(judge(first - least), Verdict::kUnknown);
  EXPECT_EQ(judge(last), Verdict::kFits);
  EXPECT_EQ(judge(last + std::chrono::seconds(1)), Verdict::kUnknown);
  account.Place(On(0, MakePod("w", "b")));
  EXPECT_EQ(judge(last + std::chrono::seconds(1)), Verdict::kUnknown);
  EXPECT_EQ(judge(last), Verdict::kFits);
}

TEST(UsageMetrics, AnAccountWithoutNodesDoesNotStepAside) {
  EXPECT_FALSE(Account(CpuOptions(kSlots)).SteppingAside(Time{}).any());
  EXPECT_FALSE(Account(Options()).SteppingAside(Time{}).any());
}

TEST(UsageMetrics, OfSeveralResourcesTheWorstVerdictCounts) {
  Options options = CpuOptions(kSlots);
  options.resources.push_back({.name = "memory", .resource = kMemory, .ceiling = 900'000});
  options.resources[1].when_absent = WhenUnknown::kReject;
  Account account(options);
  const cluster::Node node = MakeNode("n0", {{kCpu, 10'000}, {kMemory, 10 * kGiB}});
  account.NodeObjectChanged(0, &node);
  const Time read = ReadWeek(account, "w", 9000);
  const Demand demand = account.DemandOf(*MakePod("w", "a"));
  ASSERT_EQ(demand.resources.size(), 2u);
  EXPECT_EQ(account.Judge(0, demand, read), Verdict::kUnknown);
  Readings memory = InSlot(options, kSlots - 1, {{KeyOf("w"), kGiB}});
  memory.resource = 1;
  account.Apply(memory, read);
  EXPECT_EQ(account.Judge(0, demand, read), Verdict::kNeverFits);
  memory.resource = 2;
  account.Apply(memory, read);  // no such resource
  EXPECT_EQ(account.workloads(), 1u);
}

}  // namespace
}  // namespace huygens::usage
