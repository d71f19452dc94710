#include "rules/rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/rules/writes.h"

namespace huygens::rules {
namespace {

using testing::HasSubstr;

constexpr std::string_view kWhole = R"({"apiVersion":"huygens.dev/v1alpha1","kind":"SchedulingRule",
  "metadata":{"name":"map-service","uid":"u-1","resourceVersion":"7","generation":4},
  "spec":{"priority":10,"mode":"enforce","onConflict":"override",
    "selector":{"kinds":["Pod","StatefulSet"],"namespaces":["map"],"namespaceSelector":{"matchLabels":{"team":"map"}},
      "matchLabels":{"service":"map"},"matchExpressions":[{"key":"track","operator":"NotIn","values":["test"]}],
      "ownerKinds":["StatefulSet"]},
    "exclude":{"namespaces":["map-test"],"matchExpressions":[{"key":"pinned","operator":"Exists"}]},
    "rollout":{"percent":12.5,"by":"pod"},"window":{"from":"2026-11-26T10:00:00Z"},
    "inject":{"labels":{"pool":"map"},"annotations":{"example.com/threshold":"0.8"},
      "resources":{"requests":{"cpu":{"factor":0.4,"min":"100m","max":4}},"limits":{"memory":{"set":"4Gi"}}},
      "tolerations":[{"key":"pool","operator":"Exists","effect":"NoExecute","tolerationSeconds":60}],
      "nodeAffinity":{"required":[{"key":"pool","operator":"In","values":["map"]},{"key":"cores","operator":"Gt","values":["32"]}],
        "preferred":[{"weight":10,"preference":{"matchExpressions":[{"key":"disk","operator":"Exists"}]}}]},
      "podAffinity":{"preferred":[{"weight":5,"podAffinityTerm":{"topologyKey":"zone","labelSelector":{}}}]},
      "podAntiAffinity":{"required":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"service":"map"}}}]},
      "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"DoNotSchedule",
        "labelSelector":{"matchLabels":{"service":"map"}},"matchLabelKeys":["version"]}],
      "schedulerName":"huygens-scheduler","priorityClassName":"online"}},
  "status":{"observedGeneration":4,"matched":12,"applied":11,
    "conflicts":[{"field":"labels/pool","with":"other","objects":1}],"lastErrors":[{"message":"late"}]}})";

TEST(SchedulingRule, IsReadWholeAndWrittenBack) {
  const StatusOr<SchedulingRule> rule = DecodeRule(kWhole);
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(rule->defect, "");
  EXPECT_EQ(rule->Version(), "map-service@4");
  EXPECT_EQ(rule->rollout.per_ten_thousand, 1250);
  EXPECT_EQ(rule->injection.requests[0].factor_millionths, 400'000);
  EXPECT_EQ(rule->injection.requests[0].max->Value(), 4);
  EXPECT_EQ(rule->injection.topology_spread.size(), 1U);
  EXPECT_EQ(rule->status.conflicts[0].with, "other");
  const StatusOr<SchedulingRule> again = DecodeRule(EncodeRule(*rule));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->defect, "");
  EXPECT_EQ(*again, *rule);
  const boost::json::value status = ParsedJson(EncodeRuleStatus(*rule));
  EXPECT_EQ(At(status, "/metadata/resourceVersion"), "7");
  EXPECT_EQ(At(status, "/status/applied"), "11");
  EXPECT_EQ(At(status, "/spec"), "");
}

// Why a rule that is all right but for `spec` cannot be used.
std::string Defect(std::string_view spec) {
  const StatusOr<SchedulingRule> rule = DecodeRule(Concat(R"({"metadata":{"name":"r"},"spec":)", spec, "}"));
  return rule.ok() ? rule->defect : Concat("no rule: ", Message(rule.status()));
}
std::string DefectOfInjection(std::string_view inject) {
  return Defect(Concat(R"({"selector":{"kinds":["Pod"]},"inject":)", inject, "}"));
}

TEST(SchedulingRule, SaysWhichFieldIsWrong) {
  EXPECT_THAT(Defect(R"({"selector":{"kinds":["Pod"],"matchLabel":{}},"inject":{"labels":{"a":"b"}}})"),
              testing::AllOf(HasSubstr("spec.selector.matchLabel"), HasSubstr("did you mean matchLabels?")));
  EXPECT_THAT(Defect(R"({"selector":{"kinds":["Pods"]},"inject":{"labels":{"a":"b"}}})"),
              testing::AllOf(HasSubstr("spec.selector.kinds"), HasSubstr("\"Pods\"")));
  EXPECT_THAT(Defect(R"({"selector":{"kinds":["Pod"],"matchExpressions":[{"key":"a","operator":"Is"}]},
                         "inject":{"labels":{"a":"b"}}})"),
              HasSubstr("spec.selector.matchExpressions[0]: operator \"Is\""));
  EXPECT_THAT(Defect(R"({"selector":{"kinds":["Pod"]},"mode":"dryrun","inject":{"labels":{"a":"b"}}})"),
              HasSubstr("spec.mode: must be report or enforce, not \"dryrun\""));
  EXPECT_THAT(Defect(R"({"selector":{"kinds":["Pod"]},"rollout":{"percent":101},"inject":{"labels":{"a":"b"}}})"),
              HasSubstr("spec.rollout.percent: must be from 0 to 100"));
  EXPECT_THAT(Defect(R"({"inject":{"labels":{"a":"b"}}})"), HasSubstr("selector.kinds: is missing"));
  EXPECT_THAT(Defect(R"({"selector":{"kinds":["Pod"]}})"), HasSubstr("inject: says nothing"));
  EXPECT_THAT(DefectOfInjection(R"({"tolerations":[{"key":"a"},{"key":"b","operator":"Exists","value":"c"}]})"),
              HasSubstr("spec.inject.tolerations[1]: value: must be empty"));
  EXPECT_THAT(DefectOfInjection(R"({"resources":{"requests":{"cpu":{"factor":"half"}}}})"),
              HasSubstr("spec.inject.resources.requests.cpu.factor: expected a number"));
  EXPECT_THAT(Defect(R"({"selector":{"kinds":["Pod"]},"selector":{"kinds":["Pod"]},"inject":{"labels":{"a":"b"}}})"),
              HasSubstr("is there twice"));
}

TEST(SchedulingRule, RefusesWhatAnApiServerWouldRefuseInTheObjectsOfOthers) {
  for (
      const std::string_view inject :
      {R"({"labels":{"a b":"c"}})", R"({"labels":{"Example.com/a":"c"}})", R"({"labels":{"a":"-"}})",
       R"({"annotations":{"":"c"}})", R"({"tolerations":[{}]})", R"({"tolerations":[{"key":"a","effect":"Never"}]})",
       R"({"tolerations":[{"key":"a","effect":"NoSchedule","tolerationSeconds":3}]})",
       R"({"nodeAffinity":{"required":[{"key":"a","operator":"In"}]}})",
       R"({"nodeAffinity":{"required":[{"key":"a","operator":"Gt","values":["x"]}]}})",
       R"({"nodeAffinity":{"preferred":[{"weight":101,"preference":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}]}})",
       R"({"podAffinity":{"required":[{"labelSelector":{}}]}})", R"({"schedulerName":"No One"})",
       R"({"topologySpreadConstraints":[{"maxSkew":0,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule","labelSelector":{}}]})",
       R"({"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule"}]})",
       R"({"topologySpreadConstraints":[
             {"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule","labelSelector":{}},
             {"maxSkew":2,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule","labelSelector":{}}]})",
       R"({"resources":{"requests":{"nvidia.com/gpu":{"factor":2}}}})",
       R"({"resources":{"requests":{"cpu":{"set":"1","factor":2}}}})",
       R"({"resources":{"requests":{"cpu":{"set":"-1"}}}})"}) {
    EXPECT_NE(DefectOfInjection(inject), "") << inject;
  }
}

TEST(SchedulingRule, RefusesWhatWouldHarmTheClusterOrFightOthers) {
  EXPECT_THAT(Defect(R"({"selector":{"kinds":["Pod"],"namespaces":["kube-system"]},"inject":{"labels":{"a":"b"}}})"),
              HasSubstr("rules are not for kube-system"));
  EXPECT_THAT(Defect(R"({"selector":{"kinds":["Pod"],"namespaceSelector":{"matchLabels":
      {"kubernetes.io/metadata.name":"kube-system"}}},"inject":{"labels":{"a":"b"}}})"),
              HasSubstr("selector.namespaceSelector: rules are not for kube-system"));
  EXPECT_EQ(Defect(R"({"selector":{"kinds":["Pod"],"namespaceSelector":{"matchExpressions":[{"key":
      "kubernetes.io/metadata.name","operator":"NotIn","values":["kube-system"]}]}},"inject":{"labels":{"a":"b"}}})"),
            "");
  EXPECT_THAT(Defect(R"({"selector":{"kinds":["Node"]},"inject":{"taints":[{"key":"node.kubernetes.io/not-ready",
      "effect":"NoExecute"}]}})"),
              HasSubstr("inject.taints: \"node.kubernetes.io/not-ready\" is not for rules"));
  EXPECT_THAT(DefectOfInjection(R"({"labels":{"pod-template-hash":"1"}})"), HasSubstr("others write it"));
  EXPECT_THAT(DefectOfInjection(R"({"annotations":{"rules.huygens.dev/applied":"x@1"}})"),
              HasSubstr("others write it"));
  EXPECT_THAT(Defect(R"({"selector":{"kinds":["Node"]},"inject":{"tolerations":[{"operator":"Exists"}]}})"),
              HasSubstr("not for nodes"));
  EXPECT_THAT(DefectOfInjection(R"({"taints":[{"key":"a","effect":"NoSchedule"}]})"), HasSubstr("kind Node alone"));
  EXPECT_THAT(Defect(R"({"selector":{"kinds":["Pod"]},"always":true,"rollout":{"percent":10},
                         "inject":{"labels":{"a":"b"}}})"),
              HasSubstr("always: not with rollout.percent"));
}

TEST(SchedulingRule, ThatIsBrokenIsForNoObject) {
  SchedulingRule broken = *DecodeRule(R"({"metadata":{"name":"r"},"spec":{"selector":{"kinds":["Pod"],
      "matchExpressions":[{"key":"a","operator":"Is"}]},"mode":"enforce","inject":{"labels":{"x":"y"}}}})");
  ASSERT_NE(broken.defect, "");
  const Written written = WriteWith(PodWrite(kPod), RuleSet({broken}));
  EXPECT_EQ(written.outcome.patch, "");
  EXPECT_EQ(written.outcome.rules[0].verdict, Verdict::kBroken);
}

TEST(SchedulingRule, WithoutANameIsNone) {
  EXPECT_FALSE(DecodeRule(R"({"spec":{}})").ok());
  EXPECT_FALSE(DecodeRule(R"({"metadata":{"name":"No Name"}})").ok());
  EXPECT_FALSE(DecodeRule("[]").ok());
}

}  // namespace
}  // namespace huygens::rules
