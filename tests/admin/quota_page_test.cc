#include "admin/quota_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admin/pod_quota_page.h"
#include "admin/quota_json.h"
#include "base/text.h"
#include "tests/admin_api/read_whole.h"
#include "tests/cluster/build.h"

namespace huygens::admin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Time kNow = *ParseRfc3339("2026-11-21T12:00:00Z");
constexpr int64_t kGi = int64_t{1} << 30;

Quantity Q(std::string_view text) { return *Quantity::Parse(text); }

std::string List(const quota::Tree& tree, const std::string& group = "") {
  QuotaPage page("placement", group);
  std::string json;
  while (page.Step(&tree, json)) {
  }
  json.pop_back();  // the line end
  ExpectReadWhole<admin_api::QuotaTreeDocument>(json);
  return json;
}

// org > search > ranking, with pods of ranking.
quota::Tree SomeTree() {
  quota::Tree tree;
  tree.Set({.name = "org", .hard = {{"limits.cpu", Q("100")}}});
  tree.Set({.name = "search", .parent = "org", .hard = {{"limits.cpu", Q("60")}}});
  tree.Set({.name = "ranking", .parent = "search", .hard = {{"limits.cpu", Q("10")}}});
  tree.Charge("ranking", {{"limits.cpu", Q("2500m")}, {"pods", Q("1")}});
  tree.Charge("search", {{"limits.cpu", Q("3")}});
  return tree;
}

TEST(QuotaPage, SaysOfEachKeyWhatItsPodsAndItsChildrenTake) {
  EXPECT_EQ(
      List(SomeTree()),
      R"({"enforcement":"placement","groups":[)"
      R"({"name":"org","parent":"","path":"org","state":"ok","children":["search"],"keys":[)"
      R"({"key":"limits.cpu","hard":"100","used":"60","self":"0","children":"60","remaining":"40","share":0.6}]},)"
      R"({"name":"ranking","parent":"search","path":"org/search/ranking","state":"ok","children":[],"keys":[)"
      R"({"key":"limits.cpu","hard":"10","used":"2500m","self":"2500m","children":"0","remaining":"7500m","share":0.25},)"
      R"({"key":"pods","used":"1","self":"1","children":"0"}]},)"
      R"({"name":"search","parent":"org","path":"org/search","state":"ok","children":["ranking"],"keys":[)"
      R"({"key":"limits.cpu","hard":"60","used":"13","self":"3","children":"10","remaining":"47","share":0.217}]}]})");
}

TEST(QuotaPage, OfHoursThatComeAnewWhatEarlierPeriodsLeftRemainsToo) {
  quota::Tree tree;
  tree.Set({.name = "a",
            .hard = {{"cash/limits.cpu", Q("100")}},
            .self_used = {{"cash/limits.cpu", Q("0")}},
            .hours_since = kNow,
            .carried_hours = {{"cash/limits.cpu", Q("40")}}});
  EXPECT_THAT(List(tree), AllOf(HasSubstr(R"("remaining":"140","carried":"40","share":0)"),
                                HasSubstr(R"("hoursSince":"2026-11-21T12:00:00Z")")));
}

TEST(QuotaPage, OneGroupComesWithThoseBelowIt) {
  const std::string json = List(SomeTree(), "search");
  EXPECT_THAT(json, AllOf(HasSubstr(R"("name":"search")"), HasSubstr(R"("name":"ranking")")));
  EXPECT_THAT(json, Not(HasSubstr(R"("name":"org")")));
}

TEST(QuotaPage, ABudgetThatShrankShowsWhatIsMissing) {
  quota::Tree tree = SomeTree();
  tree.Set({.name = "ranking", .parent = "search", .hard = {{"limits.cpu", Q("2")}, {"limits.memory", Q("0")}}});
  EXPECT_THAT(List(tree),
              AllOf(HasSubstr(R"("remaining":"-500m","share":1.25)"),
                    HasSubstr(R"("hard":"0","used":"0","self":"0","children":"0","remaining":"0","share":1)")));
}

TEST(QuotaPage, AKeyThatNoPodIsChargedToIsPointedOut) {
  quota::Tree tree;
  tree.Set({.name = "a", .hard = {{"limit.cpu", Q("4")}, {"limits.cpu", Q("4")}}});
  EXPECT_THAT(List(tree), AllOf(HasSubstr(R"({"key":"limit.cpu","hard":"4","unknown":true,)"),
                                HasSubstr(R"({"key":"limits.cpu","hard":"4","used")")));
}

TEST(QuotaPage, AKeyThatOnlyTheParentLimitsIsPointedOut) {
  quota::Tree tree;
  tree.Set({.name = "a", .hard = {{"limit.cpu", Q("4")}, {"limits.cpu", Q("4")}, {"limits.memory", Q("4")}}});
  tree.Set({.name = "b", .parent = "a", .hard = {{"limits.cpu", Q("4")}}});
  tree.Set({.name = "c", .parent = "b"});  // b does not limit memory either
  EXPECT_THAT(
      List(tree, "b"),
      AllOf(
          HasSubstr(R"({"key":"limits.cpu","hard":"4","used":"0","self":"0","children":"0","remaining":"4","share":0},)"
                    R"({"key":"limits.memory","unlimited":true,"used":"0","self":"0","children":"0"}]},)"),
          Not(HasSubstr(R"("limit.cpu")")),  // which holds nobody to anything
          HasSubstr(R"("keys":[{"key":"limits.cpu","unlimited":true,"used":"0","self":"0","children":"0"}]}]})")));
}

TEST(QuotaPage, AKeyThatTheGroupLimitsByItsOtherNameIsNotFree) {
  quota::Tree tree;
  tree.Set(
      {.name = "a", .hard = {{"cash/cpu", Q("9")}, {"memory", Q("9")}, {"pods", Q("9")}, {"requests.cpu", Q("9")}}});
  tree.Set({.name = "b",
            .parent = "a",
            .hard = {{"cash/requests.cpu", Q("6")}, {"count/pods", Q("6")}, {"cpu", Q("6")}, {"cpu.A4", Q("6")}}});
  tree.Charge("b", {{"cpu", Q("1")}, {"requests.cpu", Q("1")}});
  const std::string json = List(tree, "b");
  for (std::string_view key : {"cash/cpu", "pods", "requests.cpu"}) {
    EXPECT_THAT(json, Not(HasSubstr(Concat("\"", key, "\",\"unlimited\"")))) << key;
  }
  EXPECT_THAT(json, HasSubstr(R"({"key":"memory","unlimited":true,)"));
}

TEST(QuotaPage, HoursThatNobodyHasCountedAreNotShownAsNone) {
  quota::Tree tree;
  tree.Set({.name = "a", .hard = {{"cash/limits.cpu", Q("100")}}});
  EXPECT_THAT(List(tree), HasSubstr(R"("keys":[{"key":"cash/limits.cpu","hard":"100","children":"0"}])"));
  tree.Set({.name = "a", .hard = {{"cash/limits.cpu", Q("100")}}, .self_used = {{"cash/limits.cpu", Q("42500m")}}});
  tree.Set({.name = "b", .parent = "a", .hard = {{"cash/limits.cpu", Q("20")}}});
  EXPECT_THAT(List(tree), HasSubstr(R"("used":"62500m","self":"42500m","children":"20","remaining":"37500m",)"));
}

TEST(QuotaPage, SaysWhyAGroupTakesNothing) {
  quota::Tree tree;
  tree.Set({.name = "leaving", .deleting = true});
  tree.Set({.name = "orphan", .parent = "nobody"});
  tree.Set({.name = "spoilt", .defect = "spec.hard.cpu: \"x\" is no quantity"});
  EXPECT_THAT(List(tree),
              AllOf(HasSubstr(R"("state":"terminating","why":"the group is being deleted")"),
                    HasSubstr(R"("path":"nobody/orphan","state":"frozen","why":"its parent nobody does not exist")"),
                    HasSubstr(R"({"name":"nobody","parent":"","path":"nobody","state":"missing","why":"no such group",)"
                              R"("children":["orphan"],"keys":[]})"),
                    HasSubstr(R"("state":"frozen","why":"spec.hard.cpu: \"x\" is no quantity")")));
}

TEST(QuotaPage, TakesStepsAndOutlivesChangesBetweenThem) {
  quota::Tree tree;
  for (int i = 100; i < 150; ++i) tree.Set({.name = "team-" + std::to_string(i)});
  const std::string whole = List(tree);
  size_t listed = 0;
  for (size_t at = 0; (at = whole.find("\"name\"", at)) != std::string::npos; ++at) ++listed;
  EXPECT_EQ(listed, 50u);
  QuotaPage page("placement", "");
  std::string json;
  ASSERT_TRUE(page.Step(&tree, json));
  for (int i = 100; i < 145; ++i) tree.Remove("team-" + std::to_string(i));  // also where it stands
  while (page.Step(&tree, json)) {
  }
  EXPECT_THAT(json, AllOf(HasSubstr("team-100"), HasSubstr("team-149"), Not(HasSubstr("team-140"))));
  EXPECT_EQ(std::count(json.begin(), json.end(), '{'), std::count(json.begin(), json.end(), '}'));
}

TEST(Approximate, IsRightAtAnySize) {
  EXPECT_EQ(Approximate(Q("2500m")), 2.5);
  EXPECT_EQ(Approximate(Q("-1")), -1);
  EXPECT_EQ(Approximate(Q("1Ei")), static_cast<double>(int64_t{1} << 60));
}

// Group "ranking" has 4 cores of model A4 and hours of memory; "node" has room for everything.
class PodQuotaTest : public testing::Test {
 protected:
  PodQuotaTest() { Create(quota::Enforcement::kPlacement); }
  void Create(quota::Enforcement enforcement) {
    placement::Options options{.checks = {"quota"}, .resource_names = &resources_};
    options.quota.enforcement = enforcement;
    placement_ = *placement::Placement::Create(std::move(options));
    placement_->Apply(cluster::NodeSet{{.name = "node",
                                        .allocatable = {{kCpu, 64000}, {kMemory, 64 * kGi}, {kPodSlots, 110}},
                                        .labels = {{"huygens.dev/cpu-model", "A4"}}}});
    placement_->Apply(cluster::BizGroupQuotaSet{{.name = "search", .hard = {{"limits.cpu", Q("60")}}}});
    placement_->Apply(cluster::BizGroupQuotaSet{
        {.name = "ranking",
         .parent = "search",
         .hard = {{"limits.cpu", Q("10")}, {"limits.cpu.A4", Q("4")}, {"cash/limits.cpu", Q("100")}},
         .self_used = {{"cash/limits.cpu", Q("7")}}}});
  }
  static std::shared_ptr<cluster::Pod> MakePod(const std::string& name, int64_t milli) {
    auto pod = test::NamedPod(name, {{kCpu, milli}});
    pod->namespace_name = "shop";
    pod->quota = std::make_shared<cluster::QuotaLabels>(cluster::QuotaLabels{"ranking", "A4", "", ""});
    return pod;
  }
  std::string Json(const cluster::Pod& pod) const {
    PodQuotaPage page(std::make_shared<const cluster::Pod>(pod));
    std::string out;
    while (page.Step(*placement_, out)) {
    }
    EXPECT_TRUE(out.ends_with("}\n"));
    out.pop_back();
    ExpectReadWhole<admin_api::PodQuotaDocument>(out);
    return out;
  }

  ResourceNames resources_;
  std::unique_ptr<placement::Placement> placement_;
};

TEST_F(PodQuotaTest, OneThatFitsShowsItsCostBesideTheBudget) {
  const std::string json = Json(*MakePod("a", 2000));
  EXPECT_THAT(json, testing::StartsWith(R"({"pod":"shop/a","enforcement":"placement","group":"ranking",)"
                                        R"("path":"search/ranking","models":{"cpu":"A4"},"modelNodes":1,)"
                                        R"("verdict":"fits","keys":[)"));
  EXPECT_THAT(json, AllOf(HasSubstr(R"({"key":"limits.cpu.A4","cost":"2","used":"0","hard":"4"})"),
                          HasSubstr(R"({"key":"cash/limits.cpu","cost":"2","used":"7","hard":"100"})"),
                          HasSubstr(R"({"key":"pods","cost":"1","used":"0"})")));
}

TEST_F(PodQuotaTest, OneThatHoldsCapacityIsChargedAndTheNextRefused) {
  const auto first = MakePod("a", 3000), second = MakePod("b", 2000);
  ASSERT_TRUE(placement_->Reserve(first, "node", kNow)->Accepted());
  EXPECT_THAT(
      Json(*first),
      HasSubstr(R"("models":{"cpu":"A4"},"node":"node","since":"2026-11-21T12:00:00Z","verdict":"charged","keys")"));
  const std::string refused = Json(*second);
  EXPECT_THAT(refused, AllOf(HasSubstr(R"("verdict":"refused","why":"quota bizrq/ranking: limits.cpu.A4 used 3 of 4, )"
                                       R"(requested 2")"),
                             HasSubstr(R"("key":"limits.cpu.A4","cost":"2","used":"3","hard":"4","lacks":true})"),
                             HasSubstr(R"("key":"limits.cpu","cost":"2","used":"3","hard":"10"})"),
                             HasSubstr(R"("shortages":[{"group":"ranking","key":"limits.cpu.A4","used":"3","hard":"4",)"
                                       R"("requested":"2","over":"1"}])"),
                             testing::EndsWith(R"("usedBy":[{"group":"ranking","key":"limits.cpu.A4",)"
                                               R"("pods":[{"name":"shop/a","amount":"3"}],"children":[]}]})")));
}

TEST_F(PodQuotaTest, TheLargestOfManyThatUseTheBudgetAreNamedAndTheOthersCounted) {
  placement_->Apply(
      cluster::BizGroupQuotaSet{{.name = "ranking", .parent = "search", .hard = {{"limits.cpu", Q("5")}}}});
  placement_->Apply(
      cluster::BizGroupQuotaSet{{.name = "below", .parent = "ranking", .hard = {{"limits.cpu", Q("1")}}}});
  for (int i = 0; i < 1000; ++i) {  // more than one step, of pods and of nodes
    const std::string number = std::to_string(1000 + i);
    auto pod = MakePod(Concat("p", number), i == 700 ? 2000 : i < 200 ? 10 : 0);
    pod->node_name = Concat("n", number);
    placement_->Apply(cluster::NodeSet{{.name = pod->node_name}});
    placement_->Apply(cluster::PodSet{pod});
  }
  EXPECT_THAT(Json(*MakePod("a", 2000)),
              testing::EndsWith(R"("usedBy":[{"group":"ranking","key":"limits.cpu","pods":[)"
                                R"({"name":"shop/p1700","amount":"2"},{"name":"shop/p1000","amount":"10m"},)"
                                R"({"name":"shop/p1001","amount":"10m"},{"name":"shop/p1002","amount":"10m"},)"
                                R"({"name":"shop/p1003","amount":"10m"}],"morePods":196,)"
                                R"("children":[{"name":"below","amount":"1"}]}]})"));
}

TEST_F(PodQuotaTest, NodesOfItsModelsAreCounted) {
  placement_->Apply(cluster::NodeSet{{.name = "other"}});
  auto pod = MakePod("a", 2000);
  pod->quota = std::make_shared<cluster::QuotaLabels>(cluster::QuotaLabels{"", "A4", "", ""});
  EXPECT_THAT(Json(*pod), HasSubstr(R"("models":{"cpu":"A4"},"modelNodes":1,"verdict":"noGroup")"));
  pod->quota = std::make_shared<cluster::QuotaLabels>(cluster::QuotaLabels{"", "A4", "T4", ""});
  EXPECT_THAT(Json(*pod), AllOf(HasSubstr(R"("modelNodes":0,"otherModels":"the pod's label )"),
                                HasSubstr("the pod's label biz.group.resource.quota/gpu-type wants T4, the label "
                                          "huygens.dev/gpu-model is missing on 2 nodes\"")));
  pod->quota = std::make_shared<cluster::QuotaLabels>(cluster::QuotaLabels{"ranking", "", "", ""});
  EXPECT_THAT(Json(*pod), Not(HasSubstr("modelNodes")));
}

TEST_F(PodQuotaTest, TheModelOfItsNodeIsChargedAndSaid) {
  auto first = MakePod("a", 3000), second = MakePod("b", 2000), third = MakePod("c", 1000);
  first->quota = second->quota = third->quota =
      std::make_shared<cluster::QuotaLabels>(cluster::QuotaLabels{"ranking", "", "", ""});
  ASSERT_TRUE(placement_->Reserve(first, "node", kNow)->Accepted());
  EXPECT_THAT(Json(*first), AllOf(HasSubstr(R"("models":{},"node":"node","nodeModels":{"cpu":"A4"},"since")"),
                                  HasSubstr(R"({"key":"limits.cpu.A4","cost":"3","used":"3","hard":"4"})")));
  const std::string why = "quota bizrq/ranking: limits.cpu.A4 used 3 of 4, requested 2 (1 node of cpu model A4)";
  const std::string row = R"({"key":"limits.cpu.A4","cost":"2","used":"3","hard":"4","lacks":true,"ofNode":true})";
  const std::string used = R"("usedBy":[{"group":"ranking","key":"limits.cpu.A4","pods":[{"name":"shop/a","amount":)";
  EXPECT_THAT(Json(*second),
              AllOf(HasSubstr(Concat(R"("verdict":"refused","why":")", why, R"(","refusedNodes":1,"keys")")),
                    HasSubstr(row), HasSubstr(used)));
  placement_->Apply(cluster::NodeSet{{.name = "other"}});
  EXPECT_THAT(Json(*second), AllOf(HasSubstr(Concat(R"("verdict":"fits","refusedByModel":")", why,
                                                    R"(","refusedNodes":1,"otherNodes":1,"keys")")),
                                   HasSubstr(row), HasSubstr(used)));
  EXPECT_THAT(Json(*third),
              AllOf(HasSubstr(R"("verdict":"fits","keys")"), Not(HasSubstr("usedBy")),
                    HasSubstr(R"({"key":"limits.cpu.A4","cost":"1","used":"3","hard":"4","ofNode":true})"),
                    Not(HasSubstr("requests.cpu.A4"))))
      << "the group limits no such key";
}

TEST_F(PodQuotaTest, LabelsThatChangedSinceItWasBoundAreSaid) {
  auto pod = MakePod("a", 3000);
  pod->node_name = "node";
  pod->placement_mark = cluster::PlacementMark{pod->uid, "node", {}, pod->quota, false};
  const auto show = [&] {
    placement_->Apply(cluster::PodSet{std::make_shared<cluster::Pod>(*pod)});
    return Json(*pod);
  };
  EXPECT_THAT(show(), testing::Not(HasSubstr("relabelled")));
  pod->quota = nullptr;
  EXPECT_THAT(show(), AllOf(HasSubstr(R"("group":"ranking","path":"search/ranking","models":{"cpu":"A4"})"),
                            HasSubstr(R"("relabelled":true)"), HasSubstr(R"("verdict":"charged")")));
}

TEST_F(PodQuotaTest, AGroupAboveThatGaveAwayMoreThanItHasIsNamed) {
  placement_->Apply(cluster::BizGroupQuotaSet{{.name = "search", .hard = {{"limits.cpu", Q("9")}}}});
  const std::string json = Json(*MakePod("a", 2000));
  EXPECT_THAT(json, AllOf(HasSubstr(R"("why":"quota bizrq/ranking: bizrq/search above it is over its budget: )"
                                    R"(limits.cpu used 10 of 9, requested 2")"),
                          HasSubstr(R"("shortages":[{"group":"search","key":"limits.cpu","used":"10","hard":"9",)"
                                    R"("requested":"2","over":"1"}])"),
                          testing::EndsWith(R"("usedBy":[{"group":"search","key":"limits.cpu","pods":[],)"
                                            R"("children":[{"name":"ranking","amount":"10"}]}]})"),
                          testing::Not(HasSubstr("lacks"))))
      << "its own budget lacks nothing";
  const quota::Tree& tree = placement_->quota()->tree();
  EXPECT_THAT(EncodeJson(DescribeGroup(tree, "ranking")),
              testing::EndsWith(R"(],"overAbove":[{"group":"search","keys":["limits.cpu"]}]})"));
  EXPECT_THAT(EncodeJson(DescribeGroup(tree, "search")), testing::Not(HasSubstr("overAbove")));
}

TEST_F(PodQuotaTest, WhatItsGroupHandedToChildrenIsToldApart) {
  placement_->Apply(cluster::BizGroupQuotaSet{
      {.name = "below", .parent = "ranking", .hard = {{"limits.cpu", Q("3")}, {"cash/limits.cpu", Q("20")}}}});
  EXPECT_THAT(Json(*MakePod("a", 2000)),
              AllOf(HasSubstr(R"({"key":"limits.cpu","cost":"2","used":"3","children":"3","hard":"10"})"),
                    HasSubstr(R"("key":"cash/limits.cpu","cost":"2","used":"27","children":"20","hard":"100"})")));
}

TEST_F(PodQuotaTest, OneOfAGroupThatIsNotThereIsRefused) {
  placement_->Apply(cluster::BizGroupQuotaGone{"ranking"});
  EXPECT_THAT(Json(*MakePod("a", 2000)),
              AllOf(HasSubstr(R"("why":"quota bizrq/ranking: no such group")"),
                    HasSubstr(R"({"key":"pods","cost":"1"})"), Not(HasSubstr("nearestGroup"))));
  placement_->Apply(cluster::BizGroupQuotaSet{{.name = "rankings"}});
  placement_->Apply(cluster::BizGroupQuotaSet{{.name = "orphan", .parent = "rankign"}});  // which nobody made
  EXPECT_THAT(Json(*MakePod("a", 2000)),
              HasSubstr(R"("why":"quota bizrq/ranking: no such group","nearestGroup":"rankings","keys")"));
}

TEST_F(PodQuotaTest, SomePodsCostNothing) {
  auto pod = MakePod("a", 2000);
  pod->phase = cluster::PodPhase::kSucceeded;
  EXPECT_THAT(Json(*pod), HasSubstr(R"("verdict":"ended","keys":[]})"));
  pod->quota = nullptr;
  EXPECT_THAT(Json(*pod), HasSubstr(R"("group":"","path":"","models":{},"verdict":"noGroup","keys":[]})"));
  Create(quota::Enforcement::kOff);
  EXPECT_EQ(EnforcementOf(*placement_), "off");
  EXPECT_THAT(Json(*MakePod("a", 2000)), HasSubstr(R"("models":{"cpu":"A4"},"verdict":"off","keys":[]})"));
}

}  // namespace
}  // namespace huygens::admin
