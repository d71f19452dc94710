// Checks that are off, only report, or enforce: what each means to every call of the decision core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/placement.h"
#include "placement/pod_headroom.h"
#include "placement/wake_search.h"
#include "tests/cluster/build.h"
#include "tests/placement/quota_groups.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using policy::CheckMode;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Nodes n0 of two zones with 4 CPUs, n1 of two with 8, and n2 without topology; "cpu" may be used to 80%, of 10 CPUs
// each.
class CheckModes : public testing::Test {
 protected:
  void Make(std::vector<CheckSetting> checks, size_t narrow_to = 0) {
    placement_ = *Placement::Create(
        {.checks = std::move(checks),
         .narrow_to = narrow_to,
         .usage = {.max_stale_nodes = usage::kMillion, .resources = {{.name = "cpu", .ceiling = 800'000}}},
         .resource_names = &resources_,
         .waiting_pods = 10});
    for (const char* name : {"n0", "n1", "n2"}) {
      cluster::Node node = MakeNode(name);
      node.allocatable = {{kCpu, 10'000}, {kPodSlots, 110}};
      placement_->Apply(cluster::NodeSet{node});
    }
    placement_->Apply(cluster::TopologySet{MakeTopology("n0", {4000, 4000})});
    placement_->Apply(cluster::TopologySet{MakeTopology("n1", {8000, 8000})});
  }
  static std::shared_ptr<cluster::Pod> OneZonePod(const std::string& uid, int64_t cpus) {
    auto pod = MakePod(uid, cpus);
    pod->topology_awareness = true;
    return pod;
  }
  FilterAnswer Ask(const std::shared_ptr<cluster::Pod>& pod,
                   std::vector<std::string_view> names = {"n0", "n1", "gone"}) {
    FilterAnswer answer = placement_->Filter(*pod, names, kNow);
    placement_->Remember(pod, answer);
    return answer;
  }

  ResourceNames resources_;
  std::unique_ptr<Placement> placement_;
};

TEST_F(CheckModes, OffIsAsGoodAsLeftOut) {
  Make({{"topology", CheckMode::kOff}, {"usage", CheckMode::kOff}, {"quota", CheckMode::kOff}});
  EXPECT_THAT(placement_->options().checks, IsEmpty());
  EXPECT_EQ(placement_->quota(), nullptr);
  EXPECT_THAT(placement_->usage().options().resources, IsEmpty());
  EXPECT_EQ(placement_->ModeOf("topology"), CheckMode::kOff);
  auto pod = OneZonePod("p", 6);
  EXPECT_THAT(Ask(pod).feasible, ElementsAre(0, 1));
  EXPECT_THAT(placement_->Reserve(pod, "n1", kNow)->zones, IsEmpty());
}

TEST_F(CheckModes, AReportingCheckRefusesNothingAndSaysWhatItWouldHave) {
  Make({{"topology", CheckMode::kReport}});
  const FilterAnswer answer = Ask(OneZonePod("p", 6));
  EXPECT_THAT(answer.reasons, ElementsAre(Reason::kFits, Reason::kFits, Reason::kUnknownNode));
  EXPECT_THAT(answer.feasible, ElementsAre(0, 1));
  ASSERT_THAT(answer.reports, SizeIs(1));
  EXPECT_EQ(answer.reports[0].check, "topology");
  EXPECT_THAT(answer.reports[0].reasons, ElementsAre(Reason::kZonesTooSmall, Reason::kFits, Reason::kFits));
  EXPECT_THAT(answer.reports[0].nodes, SizeIs(1));
  EXPECT_FALSE(answer.reports[0].everywhere);

  EXPECT_TRUE(Ask(OneZonePod("q", 9)).reports.at(0).everywhere);
  EXPECT_THAT(Ask(OneZonePod("r", 2)).reports, IsEmpty());
}

TEST_F(CheckModes, OnlyNodesThatEnforcedChecksLeaveAreReportedOn) {
  Make({{"usage", CheckMode::kReport}, "topology"});
  const FilterAnswer answer = Ask(OneZonePod("p", 8), {"n0", "n1", "n2"});
  EXPECT_THAT(answer.reasons, ElementsAre(Reason::kZonesTooSmall, Reason::kFits, Reason::kNoTopology));
  EXPECT_THAT(answer.reports, IsEmpty()) << "8 CPUs are 80% of 10";
  const FilterAnswer more = Ask(MakePod("q", 15), {"n0", "n1", "n2"});
  EXPECT_THAT(more.reasons, ElementsAre(Reason::kZonesTooSmall, Reason::kFits, Reason::kFits));
  ASSERT_THAT(more.reports, SizeIs(1));
  EXPECT_THAT(more.reports[0].reasons,
              ElementsAre(Reason::kFits, Reason::kUsageCeilingTooLow, Reason::kUsageCeilingTooLow))
      << "though usage is listed first";
  EXPECT_TRUE(more.reports[0].everywhere);
}

TEST_F(CheckModes, EachReportingCheckSpeaksForItself) {
  Make({{"topology", CheckMode::kReport}, {"usage", CheckMode::kReport}});
  const FilterAnswer answer = Ask(OneZonePod("p", 15), {"n1"});
  ASSERT_THAT(answer.reports, SizeIs(2));
  EXPECT_THAT(answer.reports[0].reasons, ElementsAre(Reason::kZonesTooSmall));
  EXPECT_THAT(answer.reports[1].reasons, ElementsAre(Reason::kUsageCeilingTooLow));
}

TEST_F(CheckModes, ANarrowedAnswerReportsOnAllThatFit) {
  Make({{"topology", CheckMode::kReport}}, 1);
  const FilterAnswer answer = Ask(OneZonePod("p", 9), {"n0", "n1"});
  EXPECT_THAT(answer.feasible, SizeIs(1));
  EXPECT_THAT(answer.reports.at(0).nodes, SizeIs(2));
  EXPECT_TRUE(answer.reports[0].everywhere);
}

TEST_F(CheckModes, WhereTopologyOnlyReportsZonesAreGivenWhereTheyFit) {
  Make({{"topology", CheckMode::kReport}});
  auto fits = placement_->Reserve(OneZonePod("a", 6), "n1", kNow);
  ASSERT_TRUE(fits->Accepted());
  EXPECT_THAT(fits->zones, SizeIs(1));
  EXPECT_THAT(fits->reports, IsEmpty());
  // The zones are charged, or there would be nothing to report by.
  EXPECT_THAT(Ask(OneZonePod("b", 6), {"n1"}).reports, IsEmpty());
  ASSERT_TRUE(placement_->Reserve(OneZonePod("b", 6), "n1", kNow)->Accepted());
  EXPECT_THAT(Ask(OneZonePod("c", 6), {"n1"}).reports.at(0).reasons, ElementsAre(Reason::kInsufficientZones));

  auto without = placement_->Reserve(OneZonePod("c", 6), "n1", kNow);
  ASSERT_TRUE(without->Accepted());
  EXPECT_THAT(without->zones, IsEmpty());
  ASSERT_THAT(without->reports, SizeIs(1));
  EXPECT_EQ(without->reports[0].check, "topology");
  EXPECT_EQ(without->reports[0].reason, Reason::kInsufficientZones);
}

TEST_F(CheckModes, AReportingCheckHasNobodyEvictedForIt) {
  Make({{"topology", CheckMode::kReport}, {"usage", CheckMode::kReport}});
  auto victim = MakePod("victim", 4);
  victim->node_name = "n0";
  victim->topology_result = {{0, {{kCpu, 4000}}}};
  placement_->Apply(cluster::PodSet{victim});
  auto pod = OneZonePod("p", 3);
  pod->priority = 10;
  const PreemptionCandidate candidate{"n0", {"victim"}};
  EXPECT_THAT(placement_->Preempt(*pod, {&candidate, 1}, kNow).at(0).victims, ElementsAre("victim"))
      << "kube-scheduler's own choice stands";
  auto large = OneZonePod("q", 9);
  large->priority = 10;
  EXPECT_THAT(placement_->Preempt(*large, {&candidate, 1}, kNow).at(0).victims, ElementsAre("victim"));
}

TEST_F(CheckModes, NobodyWaitsForWhatIsOnlyReported) {
  Make({{"topology", CheckMode::kReport}});
  Ask(OneZonePod("p", 99), {"n0"});
  EXPECT_EQ(placement_->waiting().size(), 0u);
  const NodeIndex n0 = *placement_->state().FindNode("n0");
  EXPECT_EQ(placement_->FirstFit(*OneZonePod("p", 99), {&n0, 1}, kNow), n0);
}

TEST_F(CheckModes, WakingGoesByEnforcedChecksAlone) {
  Make({{"topology", CheckMode::kReport}, "usage"});
  auto pods = {OneZonePod("a", 15), OneZonePod("b", 15)};
  for (const auto& pod : pods) Ask(pod, {"n0"});
  ASSERT_EQ(placement_->waiting().size(), 2u);
  cluster::Node node = MakeNode("n0");
  node.allocatable = {{kCpu, 50'000}, {kPodSlots, 110}};
  placement_->Apply(cluster::NodeSet{node});
  WakeSearch search(*placement_, 16);
  ASSERT_TRUE(search.Begin(kNow));
  while (search.Step(kNow)) {
  }
  const std::vector<Wake> wakes = search.TakeWakes();
  ASSERT_THAT(wakes, SizeIs(1));
  EXPECT_THAT(wakes[0].pods, SizeIs(2)) << "15 CPUs fit no zone of n0, which is only reported";
}

TEST_F(CheckModes, RoomByCeilingsIsShownWhereTheyAreEnforced) {
  const cluster::Pod pod = PodOfSize({{kCpu, 1000}});
  Make({"topology", {"usage", CheckMode::kReport}});
  EXPECT_EQ(PodHeadroom(*placement_, 0, pod, kNow), 10);
  Make({"topology", "usage"});
  EXPECT_LT(PodHeadroom(*placement_, 0, pod, kNow), 10);
}

TEST(QuotaReport, GroupsAreChargedAndNobodyIsHeldBack) {
  QuotaPlacement cluster({{"topology"}, {"quota", CheckMode::kReport}});
  cluster.Set(MakeGroup("team", {{"limits.cpu", "4"}}));
  EXPECT_TRUE(cluster.Reserve(MakeGroupPod("a", 4, "team")));
  EXPECT_EQ(cluster.Used("team"), "4");
  auto second = MakeGroupPod("b", 4, "team");
  EXPECT_EQ(cluster.Filter(*second), "fits");
  const std::string_view name = "n0";
  const FilterAnswer answer = cluster.placement->Filter(*second, {&name, 1}, kNow);
  EXPECT_EQ(answer.quota, "") << "nobody is told that the group refuses it";
  EXPECT_THAT(answer.quota_report, testing::HasSubstr("limits.cpu"));
  EXPECT_THAT(answer.reports.at(0).reasons, ElementsAre(Reason::kQuotaExceeded));
  cluster.placement->Remember(second, answer);
  EXPECT_EQ(cluster.placement->waiting().size(), 0u);
  EXPECT_TRUE(cluster.placement->GroupLets(*second));
  EXPECT_FALSE(cluster.placement->CheckQuota(*second).fits());

  auto reservation = cluster.placement->Reserve(second, "n0", kNow);
  ASSERT_TRUE(reservation->Accepted());
  EXPECT_EQ(reservation->quota, "");
  EXPECT_EQ(reservation->reports.at(0).reason, Reason::kQuotaExceeded);
  EXPECT_EQ(cluster.Used("team"), "8");
}

TEST(QuotaReport, AModelThatIsOnlyReportedKeepsNobodyOff) {
  QuotaPlacement cluster({{"quota", CheckMode::kReport}});
  cluster.Set(MakeGroup("team", {{"limits.cpu", "40"}}));
  EXPECT_EQ(cluster.Filter(*MakeGroupPod("a", 1, "team", "A4")), "fits");
  const std::string_view names[] = {"n0", "n1"};
  const FilterAnswer answer = cluster.placement->Filter(*MakeGroupPod("a", 1, "team", "A4"), names, kNow);
  EXPECT_THAT(answer.reports.at(0).reasons, ElementsAre(Reason::kFits, Reason::kQuotaOtherModel));
}

}  // namespace
}  // namespace huygens::placement
