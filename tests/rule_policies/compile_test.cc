#include "rule_policies/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "rule_policies/cel.h"

namespace huygens::rule_policies {
namespace {

using rules::RuleSet;
using rules::SchedulingRule;
using rules::Tree;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

SchedulingRule Rule(std::string_view name, std::string_view spec) {
  const auto rule = rules::DecodeRule(
      Concat(R"({"metadata":{"name":")", name, R"(","generation":3},"spec":{"mode":"enforce",)", spec, "}}"));
  EXPECT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(rule->defect, "") << name;
  return *rule;
}

constexpr std::string_view kPods = R"("selector":{"kinds":["Pod"]},)";

SchedulingRule Always(std::string_view name, std::string_view rest) {
  return Rule(name, Concat(R"("always":true,)", kPods, rest));
}

Compiled CompileAll(std::vector<SchedulingRule> rules) {
  const std::vector<std::string> own = {"huygens"};
  return Compile(RuleSet(std::move(rules)), own);
}

std::string ReasonOf(std::vector<SchedulingRule> rules) {
  const Compiled compiled = CompileAll(std::move(rules));
  return compiled.refused.empty() ? "" : compiled.refused.front().reason;
}

const Tree& At(const Tree& object, std::initializer_list<std::string_view> path) {
  const Tree* found = rules::FindAt(object, {path.begin(), path.size()});
  static const Tree none;
  return found != nullptr ? *found : none;
}

std::string PatchOf(const Policy& policy) {
  return std::string(At(At(policy.policy, {"spec", "mutations"}).elements().at(0), {"jsonPatch"}).TextOf("expression"));
}

TEST(Compile, MakesOnePolicyForEachKindAndNoneForRulesThatAreNotAlways) {
  const Compiled compiled = CompileAll({Rule("plain", Concat(kPods, R"("inject":{"labels":{"a":"b"}})")),
                                        Rule("both", R"("always":true,"selector":{"kinds":["Pod","Deployment"]},)"
                                                     R"("inject":{"labels":{"pool":"shared"}})"),
                                        Always("pods", R"("inject":{"labels":{"tier":"x"}})")});
  EXPECT_THAT(compiled.refused, IsEmpty());
  ASSERT_EQ(compiled.policies.size(), 2);
  EXPECT_EQ(compiled.policies[0].name, "huygens-rules-deployment");
  EXPECT_THAT(compiled.policies[0].rules, ElementsAre("both"));
  EXPECT_EQ(compiled.policies[1].name, "huygens-rules-pod");
  EXPECT_THAT(compiled.policies[1].rules, ElementsAre("both", "pods"));
  EXPECT_EQ(At(compiled.policies[1].binding, {"spec"}).TextOf("policyName"), "huygens-rules-pod");
  EXPECT_THAT(PatchOf(compiled.policies[0]), HasSubstr("/spec/template/metadata/labels/pool"));
}

TEST(Compile, GivesTheSameBytesWhateverTheOrderOfStorage) {
  std::vector<SchedulingRule> rules = {Always("a", R"("priority":1,"inject":{"labels":{"pool":"one"}})"),
                                       Always("b", R"("priority":2,"inject":{"labels":{"pool":"two"}})"),
                                       Always("c", R"("inject":{"labels":{"pool":"three"}})")};
  const std::string once = CompileAll(rules).policies.at(0).policy.Json();
  std::ranges::reverse(rules);
  EXPECT_EQ(CompileAll(rules).policies.at(0).policy.Json(), once);
}

TEST(Compile, SelectsByLabelsThatAllRulesWantBeforeAnyCelRuns) {
  const Compiled compiled =
      CompileAll({Rule("a", R"("always":true,"selector":{"kinds":["Pod"],"matchLabels":{"app":"x","tier":"1"}},)"
                            R"("inject":{"labels":{"pool":"one"}})"),
                  Rule("b", R"("always":true,"selector":{"kinds":["Pod"],"matchLabels":{"app":"x"}},)"
                            R"("inject":{"labels":{"pool":"two"}})")});
  const Tree& selector = At(compiled.policies.at(0).policy, {"spec", "matchConstraints", "objectSelector"});
  EXPECT_EQ(selector.Json(), R"({"matchExpressions":[{"key":"app","operator":"In","values":["x"]}]})");
}

TEST(Compile, LeavesTheNamespacesOfTheSystemAndItsOwnAlone) {
  const Compiled compiled = CompileAll({Always("a", R"("inject":{"labels":{"pool":"one"}})")});
  EXPECT_THAT(At(compiled.policies.at(0).policy, {"spec", "matchConstraints", "namespaceSelector"}).Json(),
              HasSubstr(R"(["kube-system","kube-public","kube-node-lease","huygens"])"));
}

// A list of typed objects as a value makes kube-apiserver 1.36 drop the connection.
TEST(Compile, NeverPutsATypedObjectIntoAPatch) {
  const Compiled compiled = CompileAll({Always(
      "a",
      R"("inject":{"tolerations":[{"key":"k","operator":"Exists"}],"nodeAffinity":{"required":[{"key":"z","operator":"In",)"
      R"("values":["a"]}]},"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":)"
      R"("DoNotSchedule","labelSelector":{}}]})")});
  EXPECT_THAT(compiled.policies.at(0).policy.Json(), Not(HasSubstr(" Object.")));
  EXPECT_THAT(compiled.policies.at(0).policy.Json(), Not(HasSubstr("[Object")));
}

TEST(Compile, RefusesWhatCelCannotSayAndSaysWhy) {
  EXPECT_THAT(ReasonOf({Always("a", R"("inject":{"resources":{"requests":{"cpu":{"factor":0.5}}}})")}),
              HasSubstr("inject.resources"));
  EXPECT_THAT(ReasonOf({Rule("a", R"("always":true,"selector":{"kinds":["Node"]},)"
                                  R"("inject":{"allocatable":{"cpu":{"factor":1.5}}})")}),
              HasSubstr("inject.allocatable"));
  EXPECT_THAT(ReasonOf({Always("a", R"("onConflict":"override","inject":{"annotations":{"a":"b"}})")}),
              HasSubstr("inject.annotations"));
  SchedulingRule report = Always("a", R"("inject":{"labels":{"a":"b"}})");
  report.mode = rules::Mode::kReport;
  EXPECT_THAT(ReasonOf({report}), HasSubstr("mode: report"));
  SchedulingRule part = Always("a", R"("inject":{"labels":{"a":"b"}})");
  part.rollout.per_ten_thousand = 10;
  EXPECT_THAT(ReasonOf({part}), HasSubstr("no hash"));
  part = Always("a", R"("inject":{"labels":{"a":"b"}})");
  part.window.from = Time();
  EXPECT_THAT(ReasonOf({part}), HasSubstr("no clock"));
  const auto broken = rules::DecodeRule(R"({"metadata":{"name":"x"},"spec":{"always":true,"selector":{}}})");
  ASSERT_TRUE(broken.ok());
  SchedulingRule defect = *broken;
  defect.always = true;
  EXPECT_THAT(ReasonOf({defect}), HasSubstr("cannot be used"));
}

// Elements of lists are not given back, so that the API server would have its way though the other rule comes first.
TEST(Compile, RefusesALowerRuleThatWouldTakeAPlaceFromAHigherOneThatIsNotCompiled) {
  const auto spread = [](std::string_view skew) {
    return Concat(R"("inject":{"topologySpreadConstraints":[{"maxSkew":)", skew,
                  R"(,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{}}]})");
  };
  const SchedulingRule higher = Rule("high", Concat(R"("priority":9,)", kPods, spread("1")));
  EXPECT_THAT(ReasonOf({higher, Always("low", spread("2"))}), HasSubstr("the rule high"));
  EXPECT_EQ(ReasonOf({higher, Always("low", spread("1"))}), "");
  SchedulingRule lower = higher;
  lower.priority = -1;
  EXPECT_EQ(ReasonOf({lower, Always("low", spread("2"))}), "");
}

TEST(Cel, QuotesWhatPeopleWrite) {
  EXPECT_EQ(CelText("it's \\ \n"), R"('it\'s \\ \u000a')");
  const auto tree = Tree::Parse(R"({"a":[1,"x"],"b":{"c":true},"d":null})");
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(CelValue(*tree), "{'a': dyn([dyn(1), dyn('x')]), 'b': dyn({'c': dyn(true)})}");
}

TEST(Cel, NestsSumsOfManyListsNotDeeply) {
  const std::string sum = SumOf(std::vector<std::string>(1000, "[]"));
  size_t depth = 0, deepest = 0;
  for (const char c : sum) {
    depth += c == '(' ? 1 : 0;
    depth -= c == ')' ? 1 : 0;
    deepest = std::max(deepest, depth);
  }
  EXPECT_LE(deepest, 11U);
}

}  // namespace
}  // namespace huygens::rule_policies
