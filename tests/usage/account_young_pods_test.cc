// Estimates stand in for what is not measured yet, and for nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/usage/objects.h"
#include "usage/account.h"

namespace huygens::usage {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr size_t kWeek = 168;  // hours

// One node of 64 cores, a window of seven days in slots of an hour, cpu at most 80 %: 51 200 milli-cores.
class YoungPods : public testing::Test {
 protected:
  YoungPods() : account_(CpuOptions(kWeek)) { SetNode({}); }

  void SetNode(ResourceVector capacity) {
    cluster::Node node = MakeNode("n0", {{kCpu, 64'000}});
    node.capacity = std::move(capacity);
    account_.NodeObjectChanged(0, &node);
  }
  // Requests half a core, may use four: estimated at 3400.
  static std::shared_ptr<cluster::Pod> Pod(std::string_view workload, std::string_view name,
                                           std::optional<Time> started) {
    auto pod = MakePod(workload, name, {{kCpu, 500}});
    pod->containers[0].limits = {{kCpu, 4000}};
    pod->start_time = started;
    return pod;
  }
  void Read(std::vector<Reading> workloads, int64_t system) {
    Readings readings{.resource = 0,
                      .slot = SlotAt(now_, hours(1)),
                      .measured = now_,
                      .workloads = std::move(workloads),
                      .nodes = {{"n0", system}},
                      .moments = {}};
    account_.Apply(readings, now_);
    account_.Settle();
  }
  NodeUse Use() const { return account_.Use(0, 0, now_); }

  Time now_ = *ParseRfc3339("2026-11-21T12:30:00Z");
  Account account_;
};

TEST_F(YoungPods, OneThatRanForDaysBeforeAnybodyLookedCountsAsMeasured) {
  for (int i = 0; i < 20; ++i) account_.Place(On(0, Pod("w", std::to_string(i), now_ - hours(72))));
  Read({{KeyOf("w"), 50}}, 500);
  EXPECT_EQ(Use().now, 20 * 50 + 500);
  EXPECT_EQ(Use().peak, 20 * 50 + 500);
  EXPECT_EQ(account_.Judge(0, account_.DemandOf(*Pod("new", "a", std::nullopt)), now_), Verdict::kFits);
}

TEST_F(YoungPods, OneThatRunsForPartOfADayIsFadedInByItsOwnAge) {
  account_.Place(On(0, Pod("w", "a", now_ - hours(12))));
  Read({{KeyOf("w"), 1000}}, 0);
  EXPECT_EQ(Use().now, 1000) << "measured";
  EXPECT_EQ(Use().peak, 1000 + 2400 / 2);
  EXPECT_EQ(Use().measured_peak, 1000);
  now_ += hours(6);
  Read({{KeyOf("w"), 1000}}, 0);
  EXPECT_EQ(Use().peak, 1000 + 2400 / 4);
  now_ += hours(6);
  Read({{KeyOf("w"), 1000}}, 0);
  EXPECT_EQ(Use().peak, 1000);
}

TEST_F(YoungPods, OnePlacedSinceItsNodeWasMeasuredCountsWithItsEstimate) {
  Read({{KeyOf("other"), 1}}, 500);
  account_.Place(On(0, Pod("new", "reserved", std::nullopt)));
  EXPECT_EQ(Use().peak, 500 + 3400);
  account_.Place(On(0, Pod("new", "started", now_)));
  EXPECT_EQ(Use().peak, 500 + 2 * 3400);
  EXPECT_EQ(Use().now, 500);
  EXPECT_EQ(Use().measured_peak, 500) << "what nobody measured is no hot spot";
  now_ += minutes(1);
  Read({}, 500);
  EXPECT_EQ(Use().peak, 500 + 2 * 3400) << "counters are read twice before there is a figure";
  now_ += minutes(1);
  Read({{KeyOf("new"), 200}}, 500);
  const int64_t left = 3200 - 3200 / 24;  // an hour's slot of a day was seen
  EXPECT_NEAR(static_cast<double>(Use().peak), 500 + 2 * (200 + left), 10) << "a burst still spreads";
  EXPECT_EQ(Use().now, 500 + 2 * 200);
}

TEST_F(YoungPods, OneThatNoSourceKnowsByNameIsInWhatItsNodeUses) {
  account_.Place(On(0, Pod("nameless", "a", now_ - hours(24))));
  account_.Place(On(0, Pod("nameless", "b", now_ - hours(12))));
  account_.Place(On(0, Pod("nameless", "c", std::nullopt)));
  EXPECT_EQ(Use().peak, 3 * 3400) << "nothing is measured";
  const Readings pods_alone{.resource = 0,
                            .slot = SlotAt(now_, hours(1)),
                            .measured = now_,
                            .workloads = {{KeyOf("other"), 1}},
                            .nodes = {},
                            .moments = {}};
  account_.Apply(pods_alone, now_);
  account_.Settle();
  EXPECT_EQ(Use().peak, 3 * 3400) << "no node is";
  Read({}, 2000);
  EXPECT_EQ(Use().peak, 2000 + 3400 / 2 + 3400);
  EXPECT_EQ(account_.Figures(0, now_)[0].estimates, 3 * 3400) << "what stands for stale figures";
}

TEST_F(YoungPods, NowIsWhatTheSourceSawAtThatMoment) {
  account_.Place(On(0, Pod("w", "a", now_ - hours(72))));
  account_.Place(On(0, Pod("w", "b", now_ - hours(72))));
  Read({{KeyOf("w"), 9000}}, 500);
  Readings moments{.resource = 0,
                   .slot = SlotAt(now_, hours(1)),
                   .measured = now_,
                   .workloads = {},
                   .nodes = {},
                   .moments = {{"n0", now_, 9100, 400}, {"unknown", now_, 1, 1}}};
  account_.Apply(moments, now_);
  EXPECT_EQ(Use().now, 9500) << "the second replica idles";
  SetNode({{kCpu, 64'300}});
  EXPECT_EQ(Use().now, 9200) << "of the system's 400 milli-cores allocatable leaves room for 300";
  now_ += minutes(9);
  Read({{KeyOf("w"), 9000}}, 500);
  now_ += minutes(2);
  EXPECT_EQ(Use().now, 2 * 9000 + 200) << "that moment is past";
}

TEST_F(YoungPods, WhatIsReservedForTheSystemIsNotChargedAgain) {
  SetNode({{kCpu, 66'000}});
  Read({{KeyOf("w"), 50'000}}, 1500);
  const auto judge = [&] { return account_.Judge(0, account_.DemandOf(*MakePod("w", "a")), now_); };
  EXPECT_EQ(Use().peak, 0);
  EXPECT_EQ(account_.Figures(0, now_)[0].system, 1500);
  EXPECT_EQ(account_.Figures(0, now_)[0].reserved, 2000);
  now_ += hours(1);
  Read({{KeyOf("w"), 50'000}}, 3200);
  EXPECT_EQ(Use().peak, 1200);
  account_.Place(On(0, MakePod("w", "b")));
  EXPECT_EQ(Use().peak, 51'200);
  cluster::Node node = MakeNode("n0", {{kCpu, 64'000}});
  node.capacity = {{kCpu, 66'000}};
  node.real_allocatable = {{kCpu, 64'000}};
  account_.NodeObjectChanged(0, &node);
  EXPECT_EQ(Use().peak, 3200 + 50'000) << "what the machine really gives is for pods and system together";
  EXPECT_EQ(judge(), Verdict::kNeverFits);
  SetNode({{kCpu, 32'000}});
  EXPECT_EQ(account_.Figures(0, now_)[0].reserved, 0) << "oversold";
}

// What a source covers of the window.
class ShortHistories : public testing::Test {
 protected:
  static Options WithMinimum(Duration minimum) {
    Options options = CpuOptions(kWeek);
    options.min_history = minimum;
    options.resources.push_back({.name = "memory", .resource = kMemory, .ceiling = 900'000});
    return options;
  }
  void Read(size_t resource, int64_t slot) {
    Readings readings = InSlot(account_.options(), slot, {{"ns/Deployment/w", 1}});
    readings.resource = resource;
    account_.Apply(readings, readings.measured);
  }

  Account account_{WithMinimum(hours(24))};
};

TEST_F(ShortHistories, AreThoseOfFewerSlotsThanAskedFor) {
  EXPECT_EQ(account_.ShortHistory(), ResourceMask(0b11));
  for (int64_t slot = 0; slot < 23; ++slot) Read(0, slot);
  Read(0, 22);
  EXPECT_EQ(account_.ShortHistory(), ResourceMask(0b11)) << "a slot counts once";
  EXPECT_EQ(account_.HistoryOf(0), hours(23));
  Read(0, 60);
  EXPECT_EQ(account_.ShortHistory(), ResourceMask(0b10)) << "memory";
  Read(0, 60 + 130);
  EXPECT_EQ(account_.HistoryOf(0), hours(2)) << "what is older than the window";
  EXPECT_EQ(account_.ShortHistory(), ResourceMask(0b11));
}

TEST_F(ShortHistories, ThatComeBackAtOnceAreNone) {
  for (int64_t slot = 0; slot < 168; ++slot) {
    Read(0, slot);
    Read(1, slot);
  }
  EXPECT_TRUE(account_.ShortHistory().none());
  EXPECT_EQ(account_.HistoryOf(1), hours(168));
}

TEST_F(ShortHistories, AskForNoMoreThanTheWindow) {
  account_ = Account(WithMinimum(hours(1000)));
  for (int64_t slot = 0; slot < 168; ++slot) {
    EXPECT_TRUE(account_.ShortHistory()[0]);
    Read(0, slot);
  }
  EXPECT_FALSE(account_.ShortHistory()[0]);
  account_ = Account(WithMinimum(Duration::zero()));
  EXPECT_TRUE(account_.ShortHistory().none());
}

TEST(DaemonSets, HaveAHistoryOnEachNode) {
  Account account(CpuOptions(8));
  for (NodeIndex n : {0U, 1U}) {
    const cluster::Node node = MakeNode(Concat("n", std::to_string(n)), {{kCpu, 10'000}});
    account.NodeObjectChanged(n, &node);
  }
  const auto agent = [](std::string_view name, std::string_view node) {
    auto pod = MakePod("agent", name, {{kCpu, 1000}});
    pod->owner_kind = "DaemonSet";
    pod->node_name = std::string(node);
    return pod;
  };
  for (int64_t slot = 0; slot < 8; ++slot) {
    const Readings readings =
        InSlot(account.options(), slot, {{"ns/DaemonSet/agent on n0", 4000}, {"ns/DaemonSet/agent on n1", 100}});
    account.Apply(readings, readings.measured);
  }
  account.Settle();
  const Time now = Time(hours(8)) - std::chrono::nanoseconds(1);
  account.Place(On(0, agent("a", "n0")));
  account.Place(On(1, agent("b", "n1")));
  EXPECT_EQ(account.Use(0, 0, now).peak, 4000);
  EXPECT_EQ(account.Use(1, 0, now).peak, 100) << "the other one is hot";
  const cluster::PlacedPod reserved = On(1, agent("c", ""));
  account.Place(reserved);
  EXPECT_EQ(account.Use(1, 0, now).peak, 200) << "the node that it is reserved on";
  EXPECT_EQ(account.DemandOf(*agent("d", "")).resources[0].peak, 850) << "on no node yet";
  // The Node goes and comes back.
  account.NodeObjectChanged(1, nullptr);
  EXPECT_EQ(account.Use(1, 0, now).peak, 100 + 850);
  const cluster::Node node = MakeNode("n1", {{kCpu, 10'000}});
  account.NodeObjectChanged(1, &node);
  EXPECT_EQ(account.Use(1, 0, now).peak, 200);
  account.Leave(reserved);
  EXPECT_EQ(account.Use(1, 0, now).peak, 100);
}

}  // namespace
}  // namespace huygens::usage
