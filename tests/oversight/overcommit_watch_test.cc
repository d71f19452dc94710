#include "oversight/overcommit_watch.h"

#include <gmock/gmock.h>

#include "admin/debug_json.h"
#include "tests/admin/core_fixture.h"

namespace huygens::oversight {
namespace {

using policy::CheckMode;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class OvercommitWatchTest : public admin::CoreTest {
 protected:
  explicit OvercommitWatchTest(CheckMode usage = CheckMode::kEnforce, CheckMode quota = CheckMode::kEnforce)
      : admin::CoreTest({.checks = {"topology", {"usage", usage}, {"quota", quota}},
                         .usage = {.resources = {{.name = "cpu", .ceiling = 800'000}}}}) {
    AddNode("n", {4, 4});
  }
  // A bound pod that says it holds so many CPUs of a zone.
  void Hold(const std::string& name, int zone, int cpus, std::string_view group = "") {
    auto pod = std::make_shared<cluster::Pod>(*AddPod(name, cpus));
    pod->node_name = "n";
    pod->topology_result = {{zone, ResourceVector{{kCpu, cpus * 1000}}}};
    pod->placement_mark = {pod->uid, pod->node_name, pod->topology_result};
    if (!group.empty()) {
      pod->quota = std::make_shared<const cluster::QuotaLabels>(cluster::QuotaLabels{.group = std::string(group)});
    }
    placement_->Apply(cluster::PodSet{pod});
  }
  // A pod that huygens bound to a zone with so many CPUs, and that was resized in place to `asks` since.
  void Grow(const std::string& name, int zone, int bound, int asks) {
    auto grown = std::make_shared<cluster::Pod>(*AddPod(name, asks));
    grown->node_name = "n";
    grown->placement_mark = {grown->uid, grown->node_name, {{zone, ResourceVector{{kCpu, bound * 1000}}}}};
    placement_->Apply(cluster::PodSet{grown});
  }
  std::vector<std::string> Notices() {
    return admin::DescribeNode(*placement_, "n", clock_.Now(), resources_)->notices;
  }
  void SetBudget(std::string_view cpus) {
    cluster::BizGroupQuota team{.name = "team"};
    team.hard = {{"limits.cpu", *Quantity::Parse(cpus)}, {"cash/limits.cpu", *Quantity::Parse("1")}};
    placement_->Apply(cluster::BizGroupQuotaSet{team});
  }
  void Measure(int64_t milli_cpus) {
    cluster::Node node{.name = "n", .uid = "uid-n", .allocatable = {{kCpu, 8000}}};
    placement_->Apply(cluster::NodeSet{node});
    placement_->ApplyUsage({.slot = usage::SlotAt(clock_.Now(), std::chrono::minutes(15)),
                            .measured = clock_.Now(),
                            .workloads = {},
                            .nodes = {{"n", milli_cpus}}},
                           clock_.Now());
    (void)placement_->SettleUsage();
  }
  // As the next look finds it.
  double Gauge(std::string_view what) {
    Seconds(10);
    watch_.RefreshMetrics();
    const std::string text = metrics_.Render(), series = Concat("huygens_overcommitted{what=\"", what, "\"} ");
    const size_t at = text.find(series);
    return at == text.npos ? -1 : std::stod(text.substr(at + series.size()));
  }
  void Seconds(int count) {
    for (; count > 0; --count) watch_.EverySecond();
  }

  OvercommitWatch watch_{core_};
};

TEST_F(OvercommitWatchTest, AZoneThatTwoInstancesGaveAwayIsCounted) {
  Hold("a", 0, 4);
  EXPECT_EQ(Gauge("zones"), 0);
  EXPECT_FALSE(watch_.Describe());
  Hold("b", 0, 3);
  EXPECT_EQ(Gauge("zones"), 1);
  ASSERT_TRUE(watch_.Describe());
  EXPECT_TRUE(watch_.Describe()->warning);
  EXPECT_EQ(watch_.Describe()->detail, "1 zone has given away more than there is, such as node/n");
}

TEST_F(OvercommitWatchTest, SoIsOneThatShrankAndOneThatWent) {
  Hold("a", 0, 4);
  Hold("b", 1, 2);
  AddNode("n", {3, 4});
  EXPECT_EQ(Gauge("zones"), 1);
  AddNode("n", {3});
  EXPECT_EQ(Gauge("zones"), 2);
  AddNode("n", {4, 4});
  EXPECT_EQ(Gauge("zones"), 0);
}

TEST_F(OvercommitWatchTest, SoIsAGroupWhoseBudgetWasLowered) {
  SetBudget("4");
  Hold("a", 0, 4, "team");
  EXPECT_EQ(Gauge("groups"), 0) << "all of it is used, and hours are none of it";
  SetBudget("3");
  EXPECT_EQ(Gauge("groups"), 1);
  EXPECT_THAT(watch_.Describe()->detail, HasSubstr("such as bizrq/team"));
}

TEST_F(OvercommitWatchTest, SoIsANodeAboveItsCeiling) {
  Measure(6400);
  EXPECT_EQ(Gauge("nodes"), 0);
  Measure(6401);
  EXPECT_EQ(Gauge("nodes"), 1);
  EXPECT_THAT(watch_.Describe()->detail, HasSubstr("such as node/n (usage)"));
}

TEST_F(OvercommitWatchTest, TheLogTellsWhenItGetsMoreAndWhenItEnds) {
  Hold("a", 0, 4);
  Hold("b", 0, 3);
  Seconds(1);
  ASSERT_EQ(captured_.Lines().size(), 1u) << "it looks at once";
  EXPECT_THAT(captured_.Lines()[0], HasSubstr("msg=\"more is given away than there is\" zones=1"));
  Seconds(10);
  EXPECT_EQ(captured_.Lines().size(), 1u) << "no news";
  AddNode("n", {4, 4, 4});
  placement_->Apply(cluster::PodGone{"uid-b"});
  Seconds(8);
  EXPECT_EQ(captured_.Lines().size(), 1u);
  Seconds(2);
  ASSERT_EQ(captured_.Lines().size(), 2u);
  EXPECT_THAT(captured_.Lines()[1], HasSubstr("nothing is given away twice any more"));
}

TEST_F(OvercommitWatchTest, APodThatWasResizedBeyondItsZonesIsTold) {
  Hold("a", 0, 2);
  Hold("b", 0, 2);
  EXPECT_EQ(Gauge("zones"), 0);
  EXPECT_THAT(warned_, IsEmpty());
  EXPECT_THAT(Notices(), IsEmpty());
  Grow("a", 0, 2, 3);
  EXPECT_EQ(Gauge("zones"), 1);
  ASSERT_EQ(warned_.size(), 1u) << "b asks what it asked";
  EXPECT_THAT(warned_[0], HasSubstr("ZonesOutgrown: the pod was resized in place"));
  EXPECT_THAT(
      Notices(),
      ElementsAre("pods that were resized in place outgrew their zones: default/a asks 3 cpu and was bound with "
                  "2 cpu; node0 can give 4 cpu, of which 5 cpu are taken. What they lack is shared with others "
                  "there: shrink them, or delete them so that they are placed anew"));
  Grow("a", 0, 2, 2);
  EXPECT_THAT(Notices(), IsEmpty());
}

TEST_F(OvercommitWatchTest, APodWhoseOwnZonesHoldWhatItGrewToIsNotTold) {
  Hold("a", 0, 4);
  Hold("b", 0, 3);
  Grow("c", 1, 2, 4);
  EXPECT_EQ(Gauge("zones"), 1) << "which others over-use";
  EXPECT_THAT(warned_, IsEmpty());
  EXPECT_THAT(Notices(), IsEmpty());
}

TEST_F(OvercommitWatchTest, TheNoticeNamesAFewOfManyPods) {
  for (int i = 0; i < 7; ++i) Grow(Concat("p", std::to_string(i)), i % 2, 1, 2);
  ASSERT_EQ(Notices().size(), 1u);
  EXPECT_THAT(Notices()[0], AllOf(HasSubstr("; default/p4 asks 2 cpu"), Not(HasSubstr("default/p5"))));
  EXPECT_THAT(Notices()[0], HasSubstr("; and 2 more pods. "));
}

class UsageReported : public OvercommitWatchTest {
 protected:
  UsageReported() : OvercommitWatchTest(CheckMode::kReport) {}
};

TEST_F(UsageReported, ANodeAboveItsCeilingIsCountedAndNoCauseForAWarning) {
  Measure(8000);
  EXPECT_EQ(Gauge("nodes"), 1);
  EXPECT_FALSE(watch_.Describe()) << "nobody was to keep pods away";
}

class QuotaReported : public OvercommitWatchTest {
 protected:
  QuotaReported() : OvercommitWatchTest(CheckMode::kEnforce, CheckMode::kReport) {}
};

TEST_F(QuotaReported, AGroupAboveItsBudgetIsCountedAndNoCauseForAWarning) {
  SetBudget("3");
  Hold("a", 0, 4, "team");
  EXPECT_EQ(Gauge("groups"), 1);
  EXPECT_FALSE(watch_.Describe()) << "nobody was to keep pods off";
}

}  // namespace
}  // namespace huygens::oversight
