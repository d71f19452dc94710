// Rules on their way into a cluster: what is refused, with which reason, and what never is.
#include "webhook/rule_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/steady_now.h"
#include "tests/observe/captured_log.h"

namespace huygens::webhook {
namespace {

using testing::HasSubstr;

class Known final : public rule_objects::KnownRules {
 public:
  std::shared_ptr<const rules::RuleSet> rules() const override { return std::make_shared<const rules::RuleSet>(); }
  const Labels* NamespaceLabels(std::string_view) const override { return nullptr; }
  bool HasPriorityClass(std::string_view name) const override { return name == "high" || name == more; }
  std::string NotReady() const override { return missing; }
  std::string missing, more;
};

std::string Rule(std::string_view inject, std::string_view selector = R"("kinds":["Pod"])",
                 std::string_view more = "") {
  return Concat(R"({"apiVersion":"huygens.dev/v1alpha1","kind":"SchedulingRule","metadata":{"name":"a"},"spec":{)",
                more, R"("selector":{)", selector, R"(},"inject":)", inject, "}}");
}
constexpr std::string_view kLabel = R"({"labels":{"pool":"a"}})";

class RuleValidationTest : public testing::Test {
 protected:
  RuleValidationTest() {
    configuration_.mode = settings::SchedulingRulesMode::kEnforce;
    configuration_.excluded_namespaces = {"huygens-system"};
  }
  static std::string Review(std::string_view operation, std::string_view object, std::string_view old_object,
                            std::string_view more) {
    return Concat(
        R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"r-1","name":"a","kind":
            {"group":"huygens.dev","version":"v1alpha1","kind":"SchedulingRule"},"resource":{"group":"huygens.dev",
            "version":"v1alpha1","resource":"schedulingrules"},)",
        more, R"("operation":")", operation, R"(","object":)", object, R"(,"oldObject":)", old_object, "}}");
  }
  boost::json::value Ask(std::string_view operation, std::string_view object, std::string_view old_object = "null",
                         std::string_view more = "") {
    std::string text;
    RuleValidation(configuration_, known_, "/", {.log = captured_.log, .metrics = metrics_, .monotonic = SteadyNow})
        .Ask(Review(operation, object, old_object, more), [&](StatusOr<std::string> answer) { text = answer.value(); });
    return boost::json::parse(text).at("response");
  }
  bool Allows(std::string_view operation, std::string_view object, std::string_view old_object = "null",
              std::string_view more = "") {
    return Ask(operation, object, old_object, more).at("allowed").as_bool();
  }
  // Why it is refused when it is created; empty: it is not.
  std::string Refusal(const std::string& rule) {
    const boost::json::value answer = Ask("CREATE", rule);
    return answer.at("allowed").as_bool() ? "" : std::string(answer.at("status").at("message").as_string());
  }

  settings::SchedulingRulesConfiguration configuration_;
  Known known_;
  observe::CapturedLog captured_;
  observe::Metrics metrics_{{}};
};

TEST_F(RuleValidationTest, AGoodRuleIsTaken) { EXPECT_EQ(Refusal(Rule(kLabel)), ""); }

TEST_F(RuleValidationTest, ARuleThatWouldHaveApiServersRefuseObjectsIsRefused) {
  EXPECT_THAT(Refusal(Rule(R"({"topologySpreadConstraints":[
      {"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{}},
      {"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{}}]})")),
              HasSubstr("inject.topologySpreadConstraints[1]: is there twice"));
  EXPECT_THAT(Refusal(Rule(R"({"taints":[{"key":"a","effect":"NoSchedule"},{"key":"a","effect":"NoSchedule"}]})",
                           R"("kinds":["Node"])")),
              HasSubstr("inject.taints[1]: is there twice"));
  EXPECT_THAT(Refusal(Rule(R"({"labels":{"not a key!":"a"}})")), HasSubstr("inject.labels: \"not a key!\""));
  EXPECT_THAT(Refusal(Rule(R"({"priorityClassName":"gone"})")), HasSubstr("there is no PriorityClass gone"));
}

TEST_F(RuleValidationTest, ARuleThatWouldFightWithOthersIsRefused) {
  for (const char* key : {"pod-template-hash", "sidecar.istio.io/status", "vpaUpdates", "huygens.dev/overcommit"}) {
    EXPECT_THAT(Refusal(Rule(Concat(R"({"annotations":{")", key, R"(":"a"}})"))),
                HasSubstr("is not for rules: others write it and go by it"));
  }
  EXPECT_THAT(Refusal(Rule(R"({"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoExecute"}]})",
                           R"("kinds":["Node"])")),
              HasSubstr("inject.taints: \"node.kubernetes.io/not-ready\" is not for rules"));
}

TEST_F(RuleValidationTest, ARuleForTheSystemOrForHuygensIsRefused) {
  EXPECT_THAT(Refusal(Rule(kLabel, R"("kinds":["Pod"],"namespaces":["kube-system"])")),
              HasSubstr("rules are not for kube-system"));
  EXPECT_THAT(Refusal(Rule(kLabel, R"("kinds":["Pod"],"namespaceSelector":{"matchLabels":
                                       {"kubernetes.io/metadata.name":"kube-system"}})")),
              HasSubstr("rules are not for kube-system"));
  EXPECT_THAT(Refusal(Rule(kLabel, R"("kinds":["Pod"],"namespaces":["huygens-system"])")),
              HasSubstr("rules are not for huygens-system: huygens itself lives there"));
}

TEST_F(RuleValidationTest, ADeletionNeverIs) {
  EXPECT_TRUE(Allows("DELETE", "null", Rule(R"({"labels":{"not a key!":"a"}})")));
  EXPECT_TRUE(Allows("UPDATE", "{}", "null", R"("subResource":"status",)"));
}

TEST_F(RuleValidationTest, WhatAChangeLeavesAsItWasIsNoReasonToRefuseIt) {
  const std::string gone = R"({"priorityClassName":"gone","labels":{"pool":"a"}})";
  const std::string before = Rule(gone), after = Rule(gone, R"("kinds":["Pod"])", R"("rollout":{"percent":10},)");
  const boost::json::value answer = Ask("UPDATE", after, before);
  EXPECT_TRUE(answer.at("allowed").as_bool());
  EXPECT_THAT(boost::json::serialize(answer.at("warnings")), HasSubstr("there is no PriorityClass gone"));
  // But a change that brings the fault is refused.
  EXPECT_FALSE(Allows("UPDATE", after, Rule(kLabel)));
  EXPECT_FALSE(Allows("UPDATE", Rule(R"({"priorityClassName":"other"})"), before));
  // One that a stricter huygens finds in a rule of old, too.
  const std::string broken = R"({"labels":{"not a key!":"a"}})";
  EXPECT_TRUE(Allows("UPDATE", Rule(broken, R"("kinds":["Pod"])", R"("priority":7,)"), Rule(broken)));
}

TEST_F(RuleValidationTest, FinalizersOfABrokenRuleCanBeTaken) {
  std::string deleted = Rule(R"({"labels":{"not a key!":"a"}})");
  deleted.replace(deleted.find(R"("name":"a")"), 10, R"("name":"a","deletionTimestamp":"2026-01-01T00:00:00Z")");
  EXPECT_TRUE(Allows("UPDATE", deleted, Rule(kLabel)));
}

TEST_F(RuleValidationTest, WithoutKnowledgeOfPriorityClassesNoneIsMissed) {
  known_.missing = "waiting";
  EXPECT_EQ(Refusal(Rule(R"({"priorityClassName":"gone"})")), "");
}

TEST_F(RuleValidationTest, WaitsAMomentForAPriorityClassThatWasJustCreated) {
  std::vector<std::function<void()>> later;
  Duration now{};
  const RuleValidation validation(configuration_, known_, "/",
                                  {.log = captured_.log,
                                   .metrics = metrics_,
                                   .monotonic = [&] { return now; },
                                   .after =
                                       [&](Duration pause, std::function<void()> task) {
                                         now += pause;
                                         later.push_back(std::move(task));
                                       }});
  std::vector<std::string> answers;
  const auto ask = [&](std::string_view inject) {
    validation.Ask(Review("CREATE", Rule(inject), "null", ""),
                   [&](StatusOr<std::string> answer) { answers.push_back(answer.value()); });
  };
  const auto pass = [&] {
    for (const auto& task : std::exchange(later, {})) task();
  };
  ask(R"({"priorityClassName":"young"})");
  pass();
  EXPECT_TRUE(answers.empty());
  known_.more = "young";
  pass();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_THAT(answers[0], HasSubstr(R"("allowed":true)"));
  // One that never comes is refused in the end, and anything else at once.
  ask(R"({"priorityClassName":"gone"})");
  for (int i = 0; i < 100 && answers.size() < 2; ++i) pass();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_THAT(answers[1], HasSubstr(R"("allowed":false)"));
  ask(R"({"labels":{"not a key!":"a"}})");
  EXPECT_EQ(answers.size(), 3U);
}

TEST_F(RuleValidationTest, CountsAndLogsItsAnswers) {
  Refusal(Rule(kLabel));
  Refusal(Rule(R"({})"));
  EXPECT_THAT(metrics_.Render(), HasSubstr(R"(huygens_rule_reviews_total{outcome="allowed"} 1)"));
  EXPECT_THAT(metrics_.Render(), HasSubstr(R"(huygens_rule_reviews_total{outcome="denied"} 1)"));
  EXPECT_THAT(captured_.Lines(), testing::Contains(HasSubstr("a rule is refused")));
}

}  // namespace
}  // namespace huygens::webhook
