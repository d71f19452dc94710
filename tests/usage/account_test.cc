#include "usage/account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/usage/objects.h"

namespace huygens::usage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// One node of 10 cores, windows of 8 hours, cpu at most 80 %: 8000 milli-cores.
class UsageAccount : public testing::Test {
 protected:
  static constexpr int64_t kSlots = 8;

  UsageAccount() : account_(CpuOptions(kSlots)) { SetNode(0, "n0"); }

  void SetNode(NodeIndex index, std::string name, int64_t cpu = 10'000) {
    const cluster::Node node = MakeNode(std::move(name), {{kCpu, cpu}});
    account_.NodeObjectChanged(index, &node);
  }
  void Read(int64_t slot, std::vector<Reading> workloads, std::vector<Reading> nodes = {}) {
    const Readings readings = InSlot(account_.options(), slot, std::move(workloads), std::move(nodes));
    now_ = std::max(now_, readings.measured);
    account_.Apply(readings, now_);
  }
  // A week of `values`, slot by slot.
  void ReadWeek(std::string_view workload, std::vector<int64_t> values) {
    for (size_t s = 0; s < values.size(); ++s) Read(static_cast<int64_t>(s), {{KeyOf(workload), values[s]}});
    account_.Settle();
  }
  Verdict Judge(NodeIndex node, const std::shared_ptr<cluster::Pod>& pod) const {
    return account_.Judge(node, account_.DemandOf(*pod), now_);
  }
  NodeFigures Figures(NodeIndex node = 0) const { return account_.Figures(node, now_)[0]; }

  Account account_;
  Time now_;
};

TEST_F(UsageAccount, PodsWhosePeaksDoNotCoincideShareANode) {
  ReadWeek("morning", {7000, 1000, 1000, 1000, 1000, 1000, 1000, 1000});
  ReadWeek("evening", {1000, 1000, 1000, 1000, 1000, 1000, 7000, 1000});
  account_.Place(On(0, MakePod("morning", "a")));
  EXPECT_EQ(Judge(0, MakePod("evening", "b")), Verdict::kFits);
  EXPECT_EQ(Judge(0, MakePod("morning", "c")), Verdict::kOverCeiling);
}

TEST_F(UsageAccount, SumOfPeaksAddsThemWheneverTheyWere) {
  Options options = CpuOptions(kSlots);
  options.estimator = Estimator::kSumOfPeaks;
  account_ = Account(options);
  SetNode(0, "n0");
  ReadWeek("morning", {7000, 1000, 1000, 1000, 1000, 1000, 1000, 1000});
  ReadWeek("evening", {1000, 1000, 1000, 1000, 1000, 1000, 7000, 1000});
  account_.Place(On(0, MakePod("morning", "a")));
  EXPECT_EQ(Judge(0, MakePod("evening", "b")), Verdict::kOverCeiling);
  EXPECT_FLOAT_EQ(account_.Share(0, 0, account_.DemandOf(*MakePod("evening", "b")), now_), 1.4F);
}

TEST_F(UsageAccount, EqualityPassesAndOneMoreDoesNot) {
  ReadWeek("steady", std::vector<int64_t>(kSlots, 4000));
  ReadWeek("above", std::vector<int64_t>(kSlots, 4001));
  account_.Place(On(0, MakePod("steady", "a")));
  EXPECT_EQ(Judge(0, MakePod("steady", "b")), Verdict::kFits);
  EXPECT_EQ(Judge(0, MakePod("above", "c")), Verdict::kOverCeiling);
}

TEST(UsageThreshold, IsTheFloorOfAWholeProduct) {
  struct Case {
    int64_t capacity, millionths, want;
  };
  const Case kCases[] = {
      {10'000, 700'000, 7000},  // 0.7 of it is 6999.999... in floating point
      {3, 333'333, 0},
      {3, 333'334, 1},
      {1'000'001, 999'999, 999'999},
      {(int64_t{1} << 46) - 1, 999'999, 70368673808918},
      {10'000, 1'200'000, 12'000},
      {10'000, 0, 0},
      {int64_t{100} << 40, 800'000, int64_t{80} << 40},  // more than any use
      {INT64_MAX, 1'000'000, kMostCapacity},
      {kMostCapacity, INT64_MAX, 1000 * kMostCapacity},
  };
  for (const Case& each : kCases) {
    Options options = CpuOptions(4);
    options.resources[0].ceiling = each.millionths;
    Account account(options);
    const cluster::Node node = MakeNode("n0", {{kCpu, each.capacity}});
    account.NodeObjectChanged(0, &node);
    EXPECT_EQ(account.Figures(0, Time{})[0].ceiling, each.want) << each.capacity;
  }
}

TEST_F(UsageAccount, ARealAllocatableOfNothingLeavesNoRoom) {
  ReadWeek("steady", std::vector<int64_t>(kSlots, 4000));
  cluster::Node node = MakeNode("n0", {{kCpu, 0}});
  account_.NodeObjectChanged(0, &node);
  EXPECT_EQ(Judge(0, MakePod("steady", "a")), Verdict::kFits) << "an allocatable that nobody counts";
  node.real_allocatable = {{kCpu, 0}};
  account_.NodeObjectChanged(0, &node);
  EXPECT_EQ(Judge(0, MakePod("steady", "a")), Verdict::kNeverFits);
}

TEST_F(UsageAccount, CeilingsGoByTheNode) {
  ReadWeek("steady", std::vector<int64_t>(kSlots, 4000));
  cluster::Node node = MakeNode("n0", {{kCpu, 20'000}});
  node.real_allocatable = {{kCpu, 5000}};
  account_.NodeObjectChanged(0, &node);
  EXPECT_EQ(Figures().capacity, 5000);
  EXPECT_EQ(Judge(0, MakePod("steady", "a")), Verdict::kFits);
  node.usage_ceilings = {{"cpu", 799'999}, {"memory", 1}};
  account_.NodeObjectChanged(0, &node);
  EXPECT_EQ(Figures().ceiling, 3999);
  EXPECT_EQ(Judge(0, MakePod("steady", "a")), Verdict::kNeverFits);
}

TEST_F(UsageAccount, ANodeWithoutCapacityHasNoCeiling) {
  ReadWeek("steady", std::vector<int64_t>(kSlots, 4000));
  SetNode(0, "n0", 0);
  EXPECT_EQ(Figures().ceiling, std::nullopt);
  EXPECT_EQ(Judge(0, MakePod("steady", "a")), Verdict::kFits);
  EXPECT_TRUE(std::isnan(account_.Share(0, 0, account_.DemandOf(*MakePod("steady", "a")), now_)));
  account_.NodeObjectChanged(0, nullptr);
  EXPECT_EQ(Judge(0, MakePod("steady", "a")), Verdict::kFits);
  EXPECT_EQ(Judge(77, MakePod("steady", "a")), Verdict::kFits);
}

TEST_F(UsageAccount, AResourceWithoutACeilingIsScoredAlone) {
  Options options = CpuOptions(kSlots);
  options.resources[0].ceiling.reset();
  account_ = Account(options);
  SetNode(0, "n0");
  ReadWeek("huge", std::vector<int64_t>(kSlots, 40'000));
  EXPECT_EQ(Judge(0, MakePod("huge", "a")), Verdict::kFits);
  EXPECT_FLOAT_EQ(account_.Share(0, 0, account_.DemandOf(*MakePod("huge", "a")), now_), 4.0F);
  EXPECT_EQ(account_.StaleShare(now_ + std::chrono::hours(9)), 0);
}

TEST_F(UsageAccount, SystemUseCounts) {
  ReadWeek("steady", std::vector<int64_t>(kSlots, 4000));
  for (int64_t s = 0; s < kSlots; ++s) Read(s, {}, {{"n0", s == 3 ? 4001 : 10}});
  account_.Settle();
  EXPECT_EQ(Figures().system, 4001);
  EXPECT_EQ(Figures().peak_of_sum, 4001);
  EXPECT_EQ(Judge(0, MakePod("steady", "a")), Verdict::kNeverFits) << "no pod is in its way";
  SetNode(1, "n1");
  EXPECT_EQ(Figures(1).system, 0) << "that of another node";
}

TEST_F(UsageAccount, NeverFitsGoesBySlotToo) {
  ReadWeek("morning", {7000, 10, 10, 10, 10, 10, 10, 10});
  for (int64_t s = 0; s < kSlots; ++s) Read(s, {}, {{"n0", s == 3 ? 7000 : 10}});
  account_.Settle();
  EXPECT_EQ(Judge(0, MakePod("morning", "a")), Verdict::kFits);
  account_.Place(On(0, MakePod("morning", "a")));
  EXPECT_EQ(Judge(0, MakePod("morning", "b")), Verdict::kOverCeiling);
}

TEST_F(UsageAccount, HistoryReachesPodsThatAreThereAlready) {
  auto pod = MakePod("late", "a", {{kCpu, 2000}});
  account_.Place(On(0, pod));
  EXPECT_EQ(Figures().peak_of_sum, 1700);
  ReadWeek("late", std::vector<int64_t>(kSlots, 300));
  EXPECT_EQ(Figures().peak_of_sum, 300);
  account_.Leave(On(0, pod));
  EXPECT_EQ(Figures().peak_of_sum, 0);
}

TEST_F(UsageAccount, ReadingsCountOnNodesOnceSettled) {
  SetNode(1, "n1");
  ReadWeek("steady", std::vector<int64_t>(kSlots, 300));
  account_.Place(On(0, MakePod("steady", "a")));
  account_.Place(On(1, MakePod("steady", "b")));
  Read(kSlots, {{KeyOf("steady"), 500}});
  EXPECT_EQ(Figures(0).peak_of_sum, 300);
  EXPECT_TRUE(account_.Settle(1));
  EXPECT_FALSE(account_.Settle(1));
  EXPECT_EQ(Figures(0).peak_of_sum, 500);
  EXPECT_EQ(Figures(1).peak_of_sum, 500);
}

TEST_F(UsageAccount, PlacingAndLeavingOnAnUnsettledNodeIsExact) {
  auto one = MakePod("steady", "a"), two = MakePod("steady", "b");
  ReadWeek("steady", std::vector<int64_t>(kSlots, 300));
  account_.Place(On(0, one));
  Read(kSlots, {{KeyOf("steady"), 500}});
  account_.Place(On(0, two));
  EXPECT_EQ(Figures().sum_of_peaks, 1000);
  Read(kSlots, {{KeyOf("steady"), 600}});
  account_.Leave(On(0, one));
  EXPECT_EQ(Figures().sum_of_peaks, 600);
  Read(kSlots, {{KeyOf("steady"), 700}});
  account_.Leave(On(0, two));
  EXPECT_EQ(Figures().sum_of_peaks, 0);
}

TEST_F(UsageAccount, ANodeObjectMayComeAfterItsPodsAndReadings) {
  account_.Place(On(1, MakePod("steady", "a")));
  ReadWeek("steady", std::vector<int64_t>(kSlots, 300));
  Read(kSlots - 1, {}, {{"late", 40}});
  EXPECT_EQ(account_.State(1, 0, now_), MetricState::kAbsent);
  SetNode(1, "late");
  EXPECT_EQ(Figures(1).peak_of_sum, 340);
  EXPECT_EQ(account_.State(1, 0, now_), MetricState::kFresh);
  account_.NodeObjectChanged(1, nullptr);
  EXPECT_EQ(Figures(1).peak_of_sum, 300);
  EXPECT_EQ(account_.State(1, 0, now_), MetricState::kAbsent);
  SetNode(1, "other");
  EXPECT_EQ(Figures(1).peak_of_sum, 300);
}

TEST_F(UsageAccount, RecountFindsAndRepairsWhatIsMissing) {
  ReadWeek("steady", std::vector<int64_t>(kSlots, 300));
  const cluster::PlacedPod one = On(0, MakePod("steady", "a")), two = On(0, MakePod("steady", "b"));
  account_.Place(one);
  account_.Place(two);
  const cluster::PlacedPod* both[] = {&two, &one};
  EXPECT_FALSE(account_.Recount(0, both));
  const cluster::PlacedPod* first[] = {&one};
  EXPECT_TRUE(account_.Recount(0, first));
  EXPECT_EQ(Figures().sum_of_peaks, 300);
  EXPECT_TRUE(account_.Recount(0, both));
  EXPECT_EQ(Figures().sum_of_peaks, 600);
  Read(kSlots, {{KeyOf("steady"), 400}});
  EXPECT_FALSE(account_.Recount(0, both)) << "what is not settled yet is no drift";
  EXPECT_EQ(Figures().sum_of_peaks, 800);
}

TEST_F(UsageAccount, NodesWhosePeakFellAreRelieved) {
  Options options = CpuOptions(kSlots);
  options.stale_after = std::chrono::hours(24);
  account_ = Account(options);
  SetNode(0, "n0");
  SetNode(1, "n1");
  SetNode(2, "n2");
  ReadWeek("spiky", {9000, 100, 100, 100, 100, 100, 100, 100});
  account_.Place(On(0, MakePod("spiky", "a")));
  account_.Place(On(2, MakePod("spiky", "b")));
  account_.TakeRelieved();
  Read(kSlots, {{KeyOf("spiky"), 50}});
  account_.Settle();
  EXPECT_THAT(account_.TakeRelieved(), IsEmpty()) << "the spike of a week before may come yet";
  Read(kSlots + 1, {{KeyOf("spiky"), 50}});
  account_.Settle();
  EXPECT_THAT(account_.TakeRelieved(), ElementsAre(0, 2));
  EXPECT_THAT(account_.TakeRelieved(), IsEmpty());
}

TEST_F(UsageAccount, NodesWithFreshFiguresAgainAreRelieved) {
  SetNode(1, "n1");
  Read(0, {}, {{"n0", 10}, {"n1", 10}});
  EXPECT_THAT(account_.TakeRelieved(), ElementsAre(0, 1));
  Read(1, {}, {{"n1", 10}});
  EXPECT_THAT(account_.TakeRelieved(), ElementsAre(1)) << "an hour later";
  Read(1, {}, {{"n1", 10}});
  EXPECT_THAT(account_.TakeRelieved(), IsEmpty());
}

TEST_F(UsageAccount, HistoryOutlivesPodsButNotTheWindow) {
  ReadWeek("short", std::vector<int64_t>(kSlots, 300));
  ReadWeek("kept", std::vector<int64_t>(kSlots, 300));
  auto pod = MakePod("kept", "a");
  account_.Place(On(0, pod));
  EXPECT_EQ(account_.workloads(), 2u);
  Read(2 * kSlots - 1, {{KeyOf("other"), 1}});
  EXPECT_EQ(account_.workloads(), 3u) << "what was used a window before the open slot counts there";
  EXPECT_EQ(account_.DemandOf(*MakePod("short", "b")).resources[0].peak, 300);
  Read(2 * kSlots, {{KeyOf("other"), 1}});
  EXPECT_EQ(account_.workloads(), 2u);
  EXPECT_EQ(account_.DemandOf(*MakePod("short", "b")).resources[0].peak, 250);
  EXPECT_EQ(Figures().peak_of_sum, 300) << "of a pod that is there";
  account_.Leave(On(0, pod));
  EXPECT_EQ(account_.workloads(), 2u);
  Read(2 * kSlots + 1, {{KeyOf("other"), 1}});
  EXPECT_EQ(account_.workloads(), 1u);
}

TEST_F(UsageAccount, APodOrJobThatRanForLessThanADayIsForgottenAfterADay) {
  account_ = Account(CpuOptions(70));  // ten a day
  Read(0, {{"ns/Pod/brief", 300}, {"ns/Job/brief", 300}, {"ns/Deployment/brief", 300}});
  for (int64_t slot = 0; slot < 10; ++slot) Read(slot, {{"ns/Pod/long", 300}});
  EXPECT_EQ(account_.workloads(), 4u);
  Read(25, {{"ns/Pod/new", 1}});
  EXPECT_EQ(account_.workloads(), 3u) << "the Deployment, the long one and the new one";
}

TEST_F(UsageAccount, SoIsOneOfAnOwnerThatRunsOnce) {
  Options options = CpuOptions(70);  // ten slots a day
  options.run_once.emplace_back("Render");
  account_ = Account(options);
  Read(0, {{"ns/TaskRun/a", 1},
           {"ns/PipelineRun/a", 1},
           {"ns/Workflow/a", 1},
           {"ns/Render/a", 1},
           {"ns/Rollout/a", 1},
           {"Job/Deployment/a", 1}});
  Read(25, {{"ns/Pod/new", 1}});
  EXPECT_EQ(account_.workloads(), 3u) << "the Rollout, the Deployment in a namespace called Job, and the new one";
}

TEST_F(UsageAccount, RemembersNoMoreWorkloadsThanItMay) {
  Options options = CpuOptions(kSlots);
  options.max_workloads = 3;
  account_ = Account(options);
  SetNode(0, "n0");
  account_.Place(On(0, MakePod("kept", "a")));
  Read(0, {{KeyOf("kept"), 10}, {KeyOf("old"), 10}});
  Read(1, {{KeyOf("newer"), 10}});
  EXPECT_EQ(account_.displaced(), 0u);
  Read(2, {{KeyOf("one more"), 10}, {KeyOf("newer"), 20}});
  EXPECT_EQ(account_.workloads(), 3u);
  EXPECT_EQ(account_.displaced(), 1u);
  EXPECT_EQ(account_.DemandOf(*MakePod("old", "b")).resources[0].peak, 250) << "forgotten: nobody runs it";
  EXPECT_EQ(account_.Figures(0, now_)[0].pods[0].measured, true);
  // All in use: there is no history for another one.
  account_.Place(On(0, MakePod("newer", "c")));
  const cluster::PlacedPod last = On(0, MakePod("one more", "d"));
  account_.Place(last);
  account_.Place(On(0, MakePod("late", "e")));
  Read(3, {{KeyOf("late"), 10}, {KeyOf("kept"), 30}});
  EXPECT_EQ(account_.workloads(), 3u);
  EXPECT_EQ(account_.displaced(), 2u);
  account_.Leave(last);
  Read(3, {{KeyOf("late"), 10}});
  EXPECT_EQ(account_.workloads(), 3u);
  const auto figures = account_.Figures(0, now_)[0];
  for (const auto& pod : figures.pods) EXPECT_TRUE(pod.measured) << pod.workload;
}

TEST_F(UsageAccount, FiguresNameTheLargestPodsFirst) {
  ReadWeek("small", std::vector<int64_t>(kSlots, 300));
  ReadWeek("spiky", {100, 100, 100, 700, 100, 100, 100, 100});
  account_.Place(On(0, MakePod("small", "b")));
  account_.Place(On(0, MakePod("small", "a")));
  account_.Place(On(0, MakePod("spiky", "c")));
  account_.Place(On(0, MakePod("new", "d")));
  const NodeFigures figures = Figures();
  EXPECT_EQ(figures.name, "cpu");
  EXPECT_EQ(figures.sum_of_peaks, 1550);
  EXPECT_EQ(figures.peak_of_sum, 1550);
  EXPECT_EQ(figures.peak_slot, 3u);
  EXPECT_THAT(figures.curve, ElementsAre(950, 950, 950, 1550, 950, 950, 950, 950));
  ASSERT_EQ(figures.pods.size(), 4u);
  EXPECT_EQ(figures.pods[0].key, "ns/c");
  EXPECT_EQ(figures.pods[0].workload, "ns/ReplicaSet/spiky");
  EXPECT_EQ(figures.pods[1].key, "ns/a");
  EXPECT_EQ(figures.pods[2].key, "ns/b");
  EXPECT_EQ(figures.pods[3].peak, 250);
  EXPECT_FALSE(figures.pods[3].measured);
  EXPECT_TRUE(figures.pods[2].measured);
}

TEST_F(UsageAccount, AClockThatWentBackLeavesNothingFreshForEver) {
  Read(1000, {{KeyOf("steady"), 4000}}, {{"n0", 500}});
  account_.Place(On(0, MakePod("steady", "a")));
  EXPECT_EQ(Figures().state, MetricState::kFresh);
  now_ = Time{};
  Read(10, {{KeyOf("steady"), 3000}}, {{"n0", 100}});
  account_.Settle();
  EXPECT_EQ(Figures().state, MetricState::kFresh);
  EXPECT_EQ(Figures().peak_of_sum, 3100) << "what the wrong clock wrote down is gone";
  EXPECT_EQ(account_.Measured(0), now_);
  now_ += std::chrono::hours(1);
  EXPECT_EQ(Figures().state, MetricState::kStale);
}

}  // namespace
}  // namespace huygens::usage
