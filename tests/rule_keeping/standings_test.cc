#include "rule_keeping/standings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "rule_keeping/policy_calls.h"
#include "rule_keeping/rule_status.h"

namespace huygens::rule_keeping {
namespace {

using rules::RuleSet;
using rules::SchedulingRule;
using rules::Tree;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

SchedulingRule Rule(std::string_view name, std::string_view inject, std::string_view mode = "enforce") {
  const auto rule = rules::DecodeRule(Concat(R"({"metadata":{"name":")", name, R"(","uid":")", name,
                                             R"(","generation":3},"spec":{"mode":")", mode,
                                             R"(","selector":{"kinds":["Pod"]},"inject":)", inject, "}}"));
  EXPECT_TRUE(rule.ok() && rule->defect.empty()) << rule.status();
  return *rule;
}

constexpr std::string_view kPod =
    R"({"metadata":{"name":"cart-0","namespace":"shop","uid":"p1"},"spec":{"nodeName":"n1","containers":[{"name":"a"}]}})";

class StandingsTest : public testing::Test {
 protected:
  void Judge(std::vector<SchedulingRule> rules) { standings_.Reset(std::make_shared<const RuleSet>(std::move(rules))); }
  void Take(std::string_view pod, Duration now = {}, std::string version = "7") {
    auto standing = rules::JudgeStanding({.kind = "Pod", .json = pod}, *standings_.rules(),
                                         {.now = Time(), .namespace_labels = nullptr, .own_namespaces = {}});
    ASSERT_TRUE(standing.ok()) << standing.status();
    standings_.Set({.kind = "Pod",
                    .namespace_name = "shop",
                    .name = "cart-0",
                    .uid = "p1",
                    .resource_version = std::move(version),
                    .node = "n1",
                    .standing = *std::move(standing)},
                   now);
  }

  Standings standings_;
};

TEST_F(StandingsTest, KeepsNothingOfAnObjectThatNoRuleIsFor) {
  Judge({});
  Take(kPod);
  EXPECT_EQ(standings_.size(), 0U);
}

TEST_F(StandingsTest, RepairsInPlaceWhatCanBe) {
  Judge({Rule("pool", R"({"labels":{"pool":"shared"}})")});
  Take(kPod);
  const KeptObject* due = standings_.NextToRepair(seconds(0));
  ASSERT_NE(due, nullptr);
  EXPECT_THAT(due->standing.patch, HasSubstr("pool@3"));
  EXPECT_EQ(standings_.CountByRule().at("pool").pending, 1);
  standings_.Repaired("p1", "7", true, seconds(0));
  EXPECT_EQ(standings_.NextToRepair(seconds(100)), nullptr);
}

TEST_F(StandingsTest, RepairsAVersionThatTheWatchToldOfBeforeTheAnswerToTheWriteCame) {
  Judge({Rule("pool", R"({"labels":{"pool":"shared"}})")});
  Take(kPod);
  Take(kPod, seconds(1), "8");
  standings_.Repaired("p1", "7", true, seconds(1));
  const KeptObject* due = standings_.NextToRepair(seconds(1));
  ASSERT_NE(due, nullptr) << "it lacks something still";
  EXPECT_EQ(due->resource_version, "8");
}

TEST_F(StandingsTest, TriesAgainAfterAPauseThatDoubles) {
  Judge({Rule("pool", R"({"labels":{"pool":"shared"}})")});
  Take(kPod);
  standings_.Repaired("p1", "7", false, seconds(0));
  EXPECT_EQ(standings_.NextToRepair(seconds(4)), nullptr);
  EXPECT_NE(standings_.NextToRepair(seconds(5)), nullptr);
  standings_.Repaired("p1", "7", false, seconds(5));
  EXPECT_EQ(standings_.NextToRepair(seconds(14)), nullptr);
  EXPECT_NE(standings_.NextToRepair(seconds(15)), nullptr);
  // A new version does not come before its time.
  standings_.Repaired("p1", "7", false, seconds(15));
  Take(kPod, seconds(16));
  EXPECT_EQ(standings_.NextToRepair(seconds(34)), nullptr);
}

TEST_F(StandingsTest, LeavesAnObjectAloneThatSomebodyElseChangesBack) {
  Judge({Rule("pool", R"({"labels":{"pool":"shared"}})")});
  for (int i = 0; i < Standings::kRepairsInARow; ++i) {
    Take(kPod, seconds(i));
    ASSERT_NE(standings_.NextToRepair(seconds(i)), nullptr) << i;
    EXPECT_FALSE(standings_.IsContended("p1"));
    standings_.Repaired("p1", "7", true, seconds(i));
  }
  EXPECT_TRUE(standings_.IsContended("p1"));
  Take(kPod, seconds(10));
  EXPECT_EQ(standings_.NextToRepair(minutes(9)), nullptr);
  EXPECT_NE(standings_.NextToRepair(minutes(10)), nullptr);
}

TEST_F(StandingsTest, HandsOverPodsThatAreWhereTheyMayNotBe) {
  Judge({Rule("zone", R"({"nodeAffinity":{"required":[{"key":"zone","operator":"In","values":["a"]}]}})")});
  Take(kPod);
  EXPECT_THAT(standings_.Violations(), IsEmpty());  // the labels of its node are not known
  standings_.SetNodeLabels("n1", {{"zone", "a"}});
  EXPECT_THAT(standings_.Violations(), IsEmpty());
  standings_.SetNodeLabels("n1", {{"zone", "b"}});
  const std::vector<rules::Violation> violations = standings_.Violations();
  ASSERT_THAT(violations, SizeIs(1));
  EXPECT_EQ(violations[0].pod, "cart-0");
  EXPECT_EQ(violations[0].node, "n1");
  EXPECT_EQ(violations[0].reasons.at(0).rule, "zone@3");
  const RuleCount count = standings_.CountByRule().at("zone");
  EXPECT_EQ(count.lacking, 1);
  EXPECT_EQ(count.misplaced, 1);
  EXPECT_EQ(count.carried, 0);
}

TEST_F(StandingsTest, SaysInTheStatusHowObjectsStand) {
  Judge({Rule("pool", R"({"labels":{"pool":"shared"}})")});
  Take(kPod);
  const SchedulingRule& rule = standings_.rules()->rules().front();
  const Time noon = Time(std::chrono::hours(12));
  const rules::RuleStatus status = StatusOf(rule, standings_.CountByRule().at("pool"), {}, {}, noon);
  EXPECT_EQ(status.observed_generation, 3);
  EXPECT_EQ(status.matched, 1);
  EXPECT_EQ(status.applied, 0);
  ASSERT_THAT(status.conditions, SizeIs(2));
  EXPECT_EQ(status.conditions[0].type, rules::kValid);
  EXPECT_EQ(status.conditions[0].status, "True");
  EXPECT_EQ(status.conditions[1].type, rules::kCarried);
  EXPECT_EQ(status.conditions[1].status, "False");
  // The same again later is equal, with the time when it came to be so.
  SchedulingRule later = rule;
  later.status = status;
  EXPECT_EQ(StatusOf(later, standings_.CountByRule().at("pool"), {}, {}, noon + minutes(5)), status);
}

TEST(RuleStatus, IsBounded) {
  SchedulingRule rule = Rule("pool", R"({"labels":{"pool":"shared"}})");
  rule.always = true;
  RuleCount count;
  for (int i = 0; i < 1000; ++i) count.conflicts[{Concat("requests/c", std::to_string(i), "/cpu"), ""}] = i;
  const std::vector<rules::RuleError> errors(100, {std::string(5000, 'x'), Time()});
  const rules::RuleStatus status = StatusOf(rule, count, PolicyState{false, std::string(9000, 'y')}, errors, Time());
  EXPECT_THAT(status.conflicts, SizeIs(64));
  EXPECT_EQ(status.conflicts[0].objects, 999);
  EXPECT_THAT(status.last_errors, SizeIs(16));
  EXPECT_EQ(status.last_errors[0].message.size(), 1024U);
  EXPECT_EQ(status.conditions.at(1).message.size(), 1024U);
}

TEST(Policies, AreInStepWhateverTheApiServerFillsIn) {
  const Tree wanted = *Tree::Parse(R"({"spec":{"a":{"b":[{"c":1}]}}})");
  const auto stored = [](std::string_view spec, std::string_view label = "true") {
    return *Tree::Parse(
        Concat(R"({"metadata":{"labels":{"rules.huygens.dev/compiled":")", label, R"("}},"spec":)", spec, "}"));
  };
  EXPECT_TRUE(IsInStep(stored(R"({"a":{"b":[{"c":1,"d":2}],"e":{}},"f":1})"), wanted));
  EXPECT_FALSE(IsInStep(stored(R"({"a":{"b":[{"c":2}]}})"), wanted));
  EXPECT_FALSE(IsInStep(stored(R"({"a":{"b":[{"c":1},{"c":1}]}})"), wanted));
  EXPECT_FALSE(IsInStep(stored(R"({"a":{"b":[{"c":1}]}})", "no"), wanted));
}

}  // namespace
}  // namespace huygens::rule_keeping
