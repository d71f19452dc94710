#include "rules/standing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace huygens::rules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

SchedulingRule RuleOf(std::string_view kind, std::string_view inject, std::string_view mode = "enforce") {
  const auto rule = DecodeRule(Concat(R"({"metadata":{"name":"r","generation":3},"spec":{"mode":")", mode,
                                      R"(","selector":{"kinds":[")", kind, R"("]},"inject":)", inject, "}}"));
  EXPECT_TRUE(rule.ok() && rule->defect.empty()) << rule.status();
  return *rule;
}

Standing Judge(std::string_view kind, std::string_view json, const RuleSet& rules) {
  auto standing = JudgeStanding({.kind = kind, .json = json}, rules,
                                {.now = Time(), .namespace_labels = nullptr, .own_namespaces = {}});
  EXPECT_TRUE(standing.ok()) << standing.status();
  return *std::move(standing);
}

// A patch by a second implementation is tested with the engine: here it is enough to know what the object is then.
std::string Pod(std::string_view metadata, std::string_view spec) {
  return Concat(R"({"metadata":{"name":"p","namespace":"shop")", metadata,
                R"(},"spec":{"nodeName":"n1","containers":[{"name":"a"}])", spec, "}}");
}

TEST(Standing, GivesAPodItsLabelsTolerationsAndRecordInPlace) {
  const RuleSet rules({RuleOf("Pod", R"({"labels":{"pool":"x"},"tolerations":[{"key":"k","operator":"Exists"}]})")});
  const Standing standing = Judge("Pod", Pod("", ""), rules);
  EXPECT_THAT(standing.patch, HasSubstr("tolerations"));
  EXPECT_THAT(standing.patch, HasSubstr("r@3"));
  EXPECT_THAT(standing.patch, HasSubstr("pool"));
  EXPECT_THAT(standing.lacks, IsEmpty());
  EXPECT_THAT(standing.carried, IsEmpty());
}

TEST(Standing, FindsNothingToDoForWhatCarriesTheRule) {
  const RuleSet rules({RuleOf("Pod", R"({"labels":{"pool":"x"}})")});
  const Standing standing =
      Judge("Pod",
            Pod(R"(,"labels":{"pool":"x"},"annotations":{"rules.huygens.dev/applied":"r@3","rules.huygens.dev/before":)"
                R"("{\"labels/pool\":[null,\"x\"]}"})",
                ""),
            rules);
  EXPECT_EQ(standing.patch, "");
  EXPECT_THAT(standing.carried, SizeIs(1));
}

TEST(Standing, DoesNotTakeARecordForTheLabelThatSomebodyTookAway) {
  const RuleSet rules({RuleOf("Pod", R"({"labels":{"pool":"x"}})")});
  const Standing standing = Judge("Pod",
                                  Pod(R"(,"annotations":{"rules.huygens.dev/applied":"r@3","rules.huygens.dev/before":)"
                                      R"("{\"labels/pool\":[null,\"x\"]}"})",
                                      ""),
                                  rules);
  EXPECT_THAT(standing.patch, HasSubstr("pool"));
  EXPECT_THAT(standing.carried, IsEmpty());
}

TEST(Standing, AddsTheMissingRecordOfAPodThatHasAllElse) {
  const RuleSet rules({RuleOf("Pod", R"({"labels":{"pool":"x"}})")});
  EXPECT_THAT(Judge("Pod", Pod(R"(,"labels":{"pool":"x"})", ""), rules).patch, HasSubstr("r@3"));
}

TEST(Standing, SaysWhatOnlyANewPodWouldHaveAndDoesTheRestInPlace) {
  const RuleSet rules({RuleOf("Pod", R"({"labels":{"pool":"x"},"schedulerName":"other","nodeAffinity":{"required":)"
                                     R"([{"key":"zone","operator":"In","values":["a"]}]}})")});
  const Standing standing = Judge("Pod", Pod("", ""), rules);
  ASSERT_THAT(standing.lacks, SizeIs(2));
  EXPECT_THAT(standing.patch, HasSubstr("pool"));
  EXPECT_THAT(standing.patch, Not(HasSubstr("affinity")));
  EXPECT_THAT(standing.patch, Not(HasSubstr("schedulerName")));
  EXPECT_THAT(standing.carried, IsEmpty());
  EXPECT_THAT(Misplacement(standing.lacks, {{"zone", "b"}}), SizeIs(1));
  EXPECT_THAT(Misplacement(standing.lacks, {{"zone", "a"}}), IsEmpty());
}

TEST(Standing, TakesBackTheLabelsOfARuleThatIsGone) {
  const Standing standing =
      Judge("Pod",
            Pod(R"(,"labels":{"pool":"x"},"annotations":{"rules.huygens.dev/applied":"r@3","rules.huygens.dev/before":)"
                R"("{\"labels/pool\":[null,\"x\"]}"})",
                ""),
            RuleSet());
  EXPECT_THAT(standing.patch, HasSubstr(R"("remove")"));
}

// The webhook keeps the record of a pod that was made by a rule which is gone: to take it off would never end.
TEST(Standing, LeavesTheRecordThatTheWebhookWouldPutBack) {
  const Standing standing = Judge("Pod", Pod(R"(,"annotations":{"rules.huygens.dev/applied":"r@3"})", ""), RuleSet());
  EXPECT_EQ(standing.patch, "");
}

TEST(Standing, LeavesPodsAloneThatAreOverOrWantNoRule) {
  const RuleSet rules({RuleOf("Pod", R"({"labels":{"pool":"x"}})")});
  EXPECT_NE(Judge("Pod", R"({"metadata":{"name":"p","namespace":"shop"},"spec":{},"status":{"phase":"Failed"}})", rules)
                .untouched,
            "");
  EXPECT_NE(Judge("Pod", R"({"metadata":{"name":"p","namespace":"kube-system"},"spec":{}})", rules).untouched, "");
  const Standing skipped = Judge("Pod", Pod(R"(,"annotations":{"rules.huygens.dev/skip":"true"})", ""), rules);
  EXPECT_EQ(skipped.patch, "");
  EXPECT_THAT(skipped.matched, IsEmpty());
}

TEST(Standing, OnlySaysWhatARuleThatReportsWouldDo) {
  const RuleSet rules({RuleOf("Pod", R"({"labels":{"pool":"x"}})", "report")});
  const Standing standing = Judge("Pod", Pod("", ""), rules);
  EXPECT_EQ(standing.patch, "");
  EXPECT_THAT(standing.would_lack, SizeIs(1));
  EXPECT_THAT(standing.matched, SizeIs(1));
}

TEST(Standing, SellsANodeByItsStatusAndGivesTheRawAmountBack) {
  const RuleSet rules({RuleOf("Node", R"({"labels":{"pool":"x"},"allocatable":{"cpu":{"factor":1.5}}})")});
  const std::string node = R"({"metadata":{"name":"n1"},"spec":{},"status":{"allocatable":{"cpu":"64"}}})";
  const Standing standing = Judge("Node", node, rules);
  EXPECT_THAT(standing.patch, HasSubstr("pool"));
  EXPECT_THAT(standing.status_patch, HasSubstr(R"("96")"));
  const std::string sold =
      R"({"metadata":{"name":"n1","annotations":{"rules.huygens.dev/applied":"r@3","rules.huygens.dev/before":)"
      R"("{\"allocatable/cpu\":[\"64\",\"96\"]}"}},"spec":{},"status":{"allocatable":{"cpu":"96"}}})";
  const Standing after = Judge("Node", sold, RuleSet());
  EXPECT_THAT(after.status_patch, HasSubstr(R"("64")"));
}

TEST(Standing, KnowsWhatARequirementOfNodesMeans) {
  const Labels labels = {{"zone", "a"}, {"cores", "64"}};
  const auto meets = [&](std::string_view json) { return MeetsRequirement(labels, *Tree::Parse(json)); };
  EXPECT_TRUE(meets(R"({"key":"zone","operator":"In","values":["a","b"]})"));
  EXPECT_FALSE(meets(R"({"key":"zone","operator":"NotIn","values":["a","b"]})"));
  EXPECT_TRUE(meets(R"({"key":"other","operator":"NotIn","values":["a"]})"));
  EXPECT_FALSE(meets(R"({"key":"other","operator":"Exists"})"));
  EXPECT_TRUE(meets(R"({"key":"other","operator":"DoesNotExist"})"));
  EXPECT_TRUE(meets(R"({"key":"cores","operator":"Gt","values":["63"]})"));
  EXPECT_FALSE(meets(R"({"key":"cores","operator":"Lt","values":["64"]})"));
  EXPECT_FALSE(meets(R"({"key":"zone","operator":"Gt","values":["1"]})"));
}

}  // namespace
}  // namespace huygens::rules
