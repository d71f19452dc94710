#include "admin/usage_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admin/debug_json.h"
#include "admin/explanation.h"
#include "tests/admin_api/read_whole.h"
#include "tests/cluster/build.h"

namespace huygens::admin {
namespace {

using testing::HasSubstr;
using testing::Not;

const Time kNow = *ParseRfc3339("2026-11-21T12:00:30Z");  // a Saturday
constexpr int64_t kGi = int64_t{1} << 30;

// "hot" and "cool" have 10 CPUs and 10 GiB; CPUs may be used to 80%.
class UsagePageTest : public testing::Test {
 protected:
  UsagePageTest() { Fill(); }
  void Fill() {
    for (const char* name : {"cool", "hot", "unheard"}) {
      placement_->Apply(cluster::NodeSet{
          {.name = name, .uid = "", .allocatable = {{kCpu, 10'000}, {kMemory, 10 * kGi}, {kPodSlots, 9}}}});
    }
    auto pod = std::make_shared<cluster::Pod>();
    pod->name = "web";
    pod->namespace_name = "shop";
    pod->uid = "uid-web";
    pod->node_name = "hot";
    pod->containers.push_back({.name = "c", .requests = {{kCpu, 4000}, {kMemory, 2 * kGi}}});
    placement_->Apply(cluster::PodSet{pod});
    const int64_t slot = usage::SlotAt(kNow, std::chrono::minutes(15));
    for (int64_t s = slot - 671; s <= slot; ++s) {
      Reading(s, {{"shop/Pod/web", s == slot - 8 ? 6000 : 1000}}, {{"hot", 500}, {"cool", 100}});
    }
    placement_->SettleUsage();
  }
  void Reading(int64_t slot, std::vector<usage::Reading> workloads, std::vector<usage::Reading> nodes) {
    placement_->ApplyUsage({.resource = 0,
                            .slot = slot,
                            .measured = kNow - std::chrono::seconds(12),
                            .workloads = std::move(workloads),
                            .nodes = std::move(nodes)},
                           kNow);
  }

  std::string Ask(std::string_view query) {
    auto page = UsagePage::Parse(query, placement_->options(), resources_);
    if (!page.ok()) return std::string(Message(page.status()));
    while (page->Step(*placement_, resources_, kNow)) {
    }
    return Whole(*page, kNow);
  }
  // In pieces of a row at most.
  std::string Whole(UsagePage& page, Time now) {
    std::string json = page.Begin(*placement_, now);
    for (std::string rows; !(rows = page.NextRows(1)).empty();) json += rows;
    ExpectReadWhole<admin_api::UsageTopDocument>(json);
    return json;
  }

  ResourceNames resources_;
  std::unique_ptr<placement::Placement> placement_ = *placement::Placement::Create(
      {.checks = {"usage"},
       .usage = {.resources = {{.name = "cpu", .ceiling = 800'000}, {.name = "memory", .resource = kMemory}}}});
};

TEST_F(UsagePageTest, ARefusalForOldFiguresSaysHowOldTheyAreAndMayBe) {
  placement_ = *placement::Placement::Create(
      {.checks = {"usage"},
       .usage = {.stale_after = std::chrono::seconds(15),
                 .max_stale_nodes = 1'000'000,
                 .resources = {{.name = "cpu", .ceiling = 800'000, .when_stale = usage::WhenUnknown::kReject}}}});
  Fill();
  cluster::Pod pod = test::PodAsking({{kCpu, 1000}}, {});
  pod.name = "new";
  pod.namespace_name = "shop";
  pod.uid = "uid-new";
  const std::string_view nodes[] = {"hot"};
  const auto said = Explain(*placement_, pod, nodes, kNow + std::chrono::minutes(24));
  EXPECT_EQ(Figures(said.at(0), resources_, placement_->options()),
            "cpu: last measured 24m ago (at most 15s: usage.staleAfter)");
}

TEST_F(UsagePageTest, ListsTheNodesUsedMostFirst) {
  EXPECT_THAT(
      Ask("limit=2"),
      testing::StartsWith(
          R"({"by":"cpu","check":"on","staleShare":0.333333,"nodes":3,"top":[{"name":"hot","unrequested":{"cpu":"6","memory":"8Gi"},)"
          R"("usage":{"cpu":{"state":"fresh","ageSeconds":12,"capacity":"10","ceiling":"8","now":"1500m","peak":"6500m",)"
          R"("nowShare":0.15,"peakShare":0.65,"headroom":"1500m"},"memory":{"state":"absent",)"));
  const std::string all = Ask("");
  EXPECT_LT(all.find("\"hot\""), all.find("\"cool\""));
  EXPECT_LT(all.find("\"cool\""), all.find("\"unheard\""));
  EXPECT_THAT(Ask("by=memory"), HasSubstr(R"("by":"memory")"));
}

TEST_F(UsagePageTest, SaysThatTheCheckOnlyReports) {
  placement::Options options = placement_->options();
  options.checks = {{"usage", policy::CheckMode::kReport}};
  placement_ = *placement::Placement::Create(options);
  EXPECT_THAT(Ask(""), HasSubstr(R"("check":"reportsOnly")"));
  options.checks = {{"usage", policy::CheckMode::kOff}};
  options.terms = {{"LeastUsed", 1}};
  placement_ = *placement::Placement::Create(options);
  EXPECT_THAT(Ask(""), HasSubstr(R"("check":"off")"));
}

TEST_F(UsagePageTest, ARefusalHasTheFiguresOfPodAndNode) {
  const auto said_of = [&](std::string_view node, int64_t milli_cpus) {
    cluster::Pod pod = test::PodAsking({{kCpu, milli_cpus}}, {});
    pod.name = pod.uid = "new";
    return Figures(Explain(*placement_, pod, {&node, 1}, kNow).front(), resources_, placement_->options());
  };
  EXPECT_EQ(said_of("hot", 2000),
            "cpu: 1700m for the pod, 85 % of what it requests or is limited to, nothing measured yet, beside a peak of "
            "6500m (Sat 10:00; the largest there "
            "is shop/web, 6), where 8 of 10 are allowed (usage.resources); up to 1765m requested and as limit would "
            "stay under it now");
  EXPECT_EQ(said_of("hot", 1765), "");
  EXPECT_THAT(said_of("hot", 1767), HasSubstr("; up to 1765m requested"));
  EXPECT_EQ(said_of("cool", 10'000),
            "cpu: 8500m for the pod, 85 % of what it requests or is limited to, nothing measured yet, beside a peak of "
            "100m, where 8 of 10 are allowed (usage.resources); up to 9294m requested and as limit would stay under it "
            "now; even without the other pods");
  EXPECT_EQ(said_of("cool", 9294), "");
  EXPECT_EQ(said_of("cool", 2000), "");
}

TEST_F(UsagePageTest, WhatIsAdvisedToAPodWithZonesPassesTheCeilingAndKeepsItsZones) {
  placement::Options options = placement_->options();
  options.checks = {{"topology"}, {"usage"}};
  placement_ = *placement::Placement::Create(options);
  Fill();
  for (const char* name : {"hot", "cool"}) {
    cluster::NodeTopology topology{.node_name = name, .pinned_by_agent = true};
    for (int id : {0, 1}) {
      const ResourceVector five{{kCpu, 5000}};
      topology.zones.push_back(
          {.id = id, .name = Concat("node", std::to_string(id)), .capacity = five, .allocatable = five});
    }
    placement_->Apply(cluster::TopologySet{topology});
  }
  const auto explain = [&](std::string_view node, int64_t milli_cpus) {
    cluster::Pod pod = test::PodAsking({{kCpu, milli_cpus}});
    pod.name = pod.uid = "new";
    pod.topology_awareness = true;
    return Explain(*placement_, pod, {&node, 1}, kNow).front();
  };
  const auto text = [&](const NodeExplanation& said) { return Figures(said, resources_, placement_->options()); };
  EXPECT_THAT(text(explain("hot", 2000)), HasSubstr("; up to 1 requested and as limit would stay under it now"));
  const NodeExplanation hot = explain("hot", 6000);
  EXPECT_EQ(hot.across, policy::Reason::kUsageCeiling);
  EXPECT_THAT(text(hot), testing::EndsWith("; over several zones the zones would hold it, but it would be refused all "
                                           "the same: node(s) would exceed the usage ceiling"));
  ASSERT_TRUE(hot.beside);
  EXPECT_EQ(hot.beside->as_request, 1000);
  EXPECT_TRUE(hot.zones->holds_across) << "once pods there end";
  EXPECT_THAT(text(explain("cool", 6000)), testing::EndsWith("; over several zones it would fit"));
  EXPECT_FALSE(explain("cool", 6000).beside);
  EXPECT_FALSE(explain("cool", 10'000).zones->holds_across) << "of which the ceiling allows less, whoever ends";
}

TEST_F(UsagePageTest, ANodeWhoseOwnUseIsAboveTheCeilingTakesNoPodHoweverSmall) {
  const int64_t slot = usage::SlotAt(kNow, std::chrono::minutes(15));
  placement_->ApplyUsage({.resource = 0, .slot = slot - 8, .measured = kNow, .nodes = {{"cool", 9000}}}, kNow);
  placement_->SettleUsage();
  cluster::Pod pod = test::PodAsking({{kCpu, 10}}, {});
  pod.name = pod.uid = "new";
  const std::string_view node = "cool";
  EXPECT_EQ(Figures(Explain(*placement_, pod, {&node, 1}, kNow).front(), resources_, placement_->options()),
            "cpu: what runs beside pods used 9 (Sat 10:00) by itself, where 8 of 10 are allowed (usage.resources): no "
            "pod is small enough");
}

TEST_F(UsagePageTest, ARefusalNamesNoResourceOfWhichThereIsEnoughInEachSlot) {
  placement::Options options = placement_->options();
  options.usage.resources[1].ceiling = 800'000;
  placement_ = *placement::Placement::Create(options);
  Fill();
  cluster::Pod pod = test::PodAsking({{kCpu, 2000}, {kMemory, kGi}}, {});
  pod.name = pod.uid = "new";
  pod.namespace_name = "shop";
  const int64_t slot = usage::SlotAt(kNow, std::chrono::minutes(15));
  const auto text = [&](int64_t peak_of_new) {
    for (int64_t s = slot - 671; s <= slot; ++s) {
      const int64_t web = s == slot - 8 ? 6 * kGi : kGi, there = s == slot - peak_of_new ? 4 * kGi : kGi;
      placement_->ApplyUsage({.resource = 1,
                              .slot = s,
                              .measured = kNow - std::chrono::seconds(12),
                              .workloads = {{"shop/Pod/web", web}, {"shop/Pod/new", there}},
                              .nodes = {{"hot", 0}, {"cool", 0}}},
                             kNow);
    }
    placement_->SettleUsage();
    const std::string_view node = "hot";
    return Figures(Explain(*placement_, pod, {&node, 1}, kNow).front(), resources_, placement_->options());
  };
  EXPECT_THAT(text(40), testing::AllOf(testing::StartsWith("cpu: 1700m"), Not(HasSubstr("likewise"))))
      << "6 + 1 at most";
  EXPECT_THAT(text(8), testing::AllOf(testing::StartsWith("cpu: 1700m"), testing::EndsWith("; likewise memory")));
}

TEST_F(UsagePageTest, CountsHowManyMorePodsFit) {
  const std::string answer = Ask("cpu=1&memory=4Gi&limit=9");
  EXPECT_THAT(answer, HasSubstr(R"("nodes":3,"fits":5,)"));      // by memory 2 each, on "hot" only 1 by use
  EXPECT_THAT(answer, HasSubstr(R"({"name":"hot","fits":1,)"));  // 1500m of headroom, 850m each
  EXPECT_THAT(answer, HasSubstr(R"({"name":"cool","fits":2,)"));
}

TEST_F(UsagePageTest, SaysWhatIsWrongWithAQuestion) {
  EXPECT_EQ(Ask("by=disk"), "by must be one of usage.resources (cpu, memory), not \"disk\"");
  EXPECT_EQ(Ask("limit=0"), "limit must be a number from 1, not \"0\"");
  EXPECT_THAT(Ask("disk=1Gi"), HasSubstr(R"("fits":0,)"));  // known, and no node has any
  EXPECT_EQ(Ask("limt=3"),
            "no parameter or resource is called limt; parameters: by, limit, and sizes by resource, such as cpu=2");
  EXPECT_EQ(Ask("cpu=-1"), "cpu must be a quantity above 0 such as 2 or 4Gi, not \"-1\"");
  placement_ = *placement::Placement::Create({.checks = {"topology"}});
  EXPECT_THAT(Ask(""), HasSubstr("put usage into filter.checks, or LeastUsed or Balanced into prioritize.terms"));
}

TEST_F(UsagePageTest, SaysThatNoResourceIsNamed) {
  placement_ = *placement::Placement::Create({.checks = {"usage"}});
  EXPECT_THAT(Ask(""), testing::StartsWith("usage.resources is empty"));
  placement_->Apply(cluster::NodeSet{{.name = "n", .uid = ""}});
  const std::string out = EncodeJson(DescribeNode(*placement_, "n", kNow, resources_).value());
  EXPECT_THAT(out, HasSubstr(R"("noUsage":"usage.resources is empty)"));
}

TEST_F(UsagePageTest, WhatIsNotFreshHasNoUseOfNow) {
  auto page = UsagePage::Parse("limit=1", placement_->options(), resources_);
  const Time later = kNow + std::chrono::hours(1);
  while (page->Step(*placement_, resources_, later)) {
  }
  EXPECT_THAT(
      Whole(*page, later),
      HasSubstr(
          R"("cpu":{"state":"stale","ageSeconds":3612,"capacity":"10","ceiling":"8","peak":"3400m","peakShare":0.34,)"));
}

TEST_F(UsagePageTest, OneNodeShowsItsWeek) {
  const std::string out = EncodeJson(DescribeNode(*placement_, "hot", kNow, resources_).value());
  ExpectReadWhole<admin_api::NodeDocument>(out);
  EXPECT_THAT(
      out, HasSubstr(R"(,"usage":{"slotSeconds":900,"resources":[{"resource":"cpu","state":"fresh","ageSeconds":12,)"));
  EXPECT_THAT(out, HasSubstr(R"("sumOfPeaks":"6500m","peakOfSum":"6500m","peakSlot":"Sat 10:00","system":"500m",)"));
  EXPECT_THAT(
      out, HasSubstr(R"("pods":[{"pod":"shop/web","workload":"shop/Pod/web","peak":"6","measured":true}],"curve":[)"));
  EXPECT_THAT(out, Not(HasSubstr("null")));
  EXPECT_EQ(std::count(out.begin(), out.end(), '{'), std::count(out.begin(), out.end(), '}'));
}

}  // namespace
}  // namespace huygens::admin
