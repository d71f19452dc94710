#include "rules/inject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/rules/writes.h"

namespace huygens::rules {
namespace {

TEST(Inject, AddsAnnotationsLabelsTolerationsAndTheSchedulerToAPod) {
  const Written written = Write(kPod, {R"(
    {"metadata":{"name":"shared","generation":3},"spec":{"mode":"enforce","selector":{"kinds":["Pod"],"matchLabels":{"app":"cart"}},
     "inject":{"labels":{"pool":"shared"},"annotations":{"example.com/threshold":"0.8"},"schedulerName":"huygens-scheduler",
       "tolerations":[{"key":"pool","operator":"Equal","value":"shared","effect":"NoSchedule"}]}}})"});
  EXPECT_EQ(At(written.object, "/metadata/labels/pool"), "shared");
  EXPECT_EQ(At(written.object, "/metadata/annotations/example.com~1threshold"), "0.8");
  EXPECT_EQ(At(written.object, "/spec/schedulerName"), "huygens-scheduler");
  EXPECT_EQ(At(written.object, "/spec/tolerations/0/key"), "pool");
  EXPECT_EQ(At(written.object, "/metadata/annotations/rules.huygens.dev~1applied"), "shared@3");
}

// Of the rules that lost, with what they lost to; "" is the object's own value.
std::vector<std::string> Conflicts(const Outcome& outcome) {
  std::vector<std::string> texts;
  for (const FieldConflict& each : outcome.conflicts) {
    texts.push_back(
        Concat(each.rule->name, " ", each.field, " ", each.with != nullptr ? each.with->name : "", " ", each.kept));
  }
  return texts;
}

Verdict VerdictOn(const Outcome& outcome, std::string_view rule) {
  for (const RuleOutcome& each : outcome.rules) {
    if (each.rule->name == rule) return each.verdict;
  }
  ADD_FAILURE() << "no rule " << rule;
  return Verdict::kBroken;
}

TEST(Inject, TheHigherRuleWinsAndTheOtherIsAConflict) {
  const Written written = Write(kPod, {PodRule("low", R"({"labels":{"pool":"low"}})"),
                                       PodRule("high", R"({"labels":{"pool":"high"}})", R"(,"priority":5)")});
  EXPECT_EQ(At(written.object, "/metadata/labels/pool"), "high");
  EXPECT_THAT(Conflicts(written.outcome), testing::ElementsAre("low labels/pool high high"));
  EXPECT_EQ(VerdictOn(written.outcome, "low"), Verdict::kOnlyConflicts);
  EXPECT_EQ(At(written.object, "/metadata/annotations/rules.huygens.dev~1applied"), "high@1");
}

TEST(Inject, WhatTheObjectSaysIsKeptUnlessTheRuleOverrides) {
  const std::string inject = R"({"labels":{"app":"other"},"annotations":{"a":"1"}})";
  const Written kept = Write(kPod, {PodRule("rule", inject)});
  EXPECT_EQ(At(kept.object, "/metadata/labels/app"), "cart");
  EXPECT_EQ(At(kept.object, "/metadata/annotations/a"), "1");
  EXPECT_THAT(Conflicts(kept.outcome), testing::ElementsAre("rule labels/app  cart"));
  const Written overridden = Write(kPod, {PodRule("rule", inject, R"(,"onConflict":"override")")});
  EXPECT_EQ(At(overridden.object, "/metadata/labels/app"), "other");
  EXPECT_THAT(Conflicts(overridden.outcome), testing::IsEmpty());
}

TEST(Inject, AControllerNeverLosesItsPodsByARule) {
  const std::string rule = PodRule("rule", R"({"labels":{"app":"other"}})", R"(,"onConflict":"override")");
  boost::json::value pod = ParsedJson(kPod);
  pod.at("metadata").as_object()["ownerReferences"] = {
      {{"kind", "ReplicaSet"}, {"name", "cart-7"}, {"uid", "u"}, {"controller", true}}};
  EXPECT_EQ(At(Write(boost::json::serialize(pod), {rule}).object, "/metadata/labels/app"), "cart");

  const std::string deployment = R"({"metadata":{"name":"cart","namespace":"shop"},"spec":{"selector":{"matchLabels":
    {"app":"cart"},"matchExpressions":[{"key":"track","operator":"DoesNotExist"}]},
    "template":{"metadata":{"labels":{"app":"cart"}},"spec":{"containers":[]}}}})";
  const RuleSet rules = Rules({R"({"metadata":{"name":"r"},"spec":{"mode":"enforce","onConflict":"override","selector":
    {"kinds":["Deployment"]},"inject":{"labels":{"app":"other","track":"canary","pool":"a"}}}})"});
  const Written written = WriteWith({.operation = Operation::kCreate,
                                     .group = "apps",
                                     .kind = "Deployment",
                                     .subresource = {},
                                     .namespace_name = "shop",
                                     .object = deployment,
                                     .old_object = {}},
                                    rules);
  EXPECT_EQ(At(written.object, "/spec/template/metadata/labels"), R"({"app":"cart","pool":"a"})");
  EXPECT_EQ(written.outcome.conflicts.size(), 2U);
}

TEST(Inject, ATemplateThatIsAppliedAgainRollsOutNothing) {
  const std::string manifest = R"({"metadata":{"name":"cart","namespace":"shop"},"spec":{"replicas":1,
    "template":{"metadata":{"labels":{"app":"cart"}},"spec":{"containers":[{"name":"app","resources":{"limits":{"cpu":"4"}}}]}}}})";
  const RuleSet rules = Rules({R"({"metadata":{"name":"r"},"spec":{"mode":"enforce","selector":{"kinds":["Deployment"]},
    "inject":{"labels":{"pool":"a"},"tolerations":[{"operator":"Exists"}],"resources":{"requests":{"cpu":{"factor":0.5}}},
    "topologySpreadConstraints":[{"topologyKey":"zone","maxSkew":1,"whenUnsatisfiable":"ScheduleAnyway","labelSelector":{}}]}}})"});
  ObjectWrite write{.operation = Operation::kCreate,
                    .group = "apps",
                    .kind = "Deployment",
                    .subresource = {},
                    .namespace_name = "shop",
                    .object = manifest,
                    .old_object = {}};
  const boost::json::value stored = WriteWith(write, rules).object;
  const std::string stored_text = boost::json::serialize(stored);
  EXPECT_EQ(At(stored, "/spec/template/spec/containers/0/resources/requests/cpu"), "2");

  write.operation = Operation::kUpdate;
  write.old_object = stored_text;
  EXPECT_EQ(WriteWith(write, rules).object.at_pointer("/spec/template"), stored.at_pointer("/spec/template"));

  // Nor does a rule that is new meanwhile, where somebody only scales.
  boost::json::value scaled = stored;
  scaled.at("spec").as_object()["replicas"] = 2;
  const std::string scaled_text = boost::json::serialize(scaled);
  write.object = scaled_text;
  const RuleSet more =
      Rules({R"({"metadata":{"name":"new"},"spec":{"mode":"enforce","selector":{"kinds":["Deployment"]},
    "inject":{"labels":{"new":"a"}}}})"});
  EXPECT_EQ(WriteWith(write, more).outcome.patch, "");
}

TEST(Inject, RequirementsOfNodesAreAndedIntoEveryTermAndNeverIntoAnEmptyOne) {
  boost::json::value pod = ParsedJson(kPod);
  pod.at("spec").as_object()["affinity"] = ParsedJson(R"({"nodeAffinity":{
    "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
      {"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]},
      {"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]},
      {}]}}})");
  const Written written =
      Write(boost::json::serialize(pod),
            {PodRule("rule", R"({"nodeAffinity":{"required":[{"key":"pool","operator":"In","values":["p"]}]}})")});
  const std::string terms = At(
      written.object, "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms");
  EXPECT_EQ(terms, R"([{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]},)"
                   R"({"key":"pool","operator":"In","values":["p"]}]},)"
                   R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}],)"
                   R"("matchExpressions":[{"key":"pool","operator":"In","values":["p"]}]},{}])");
}

TEST(Inject, TolerationsAndSpreadThatAreThereStay) {
  boost::json::value pod = ParsedJson(kPod);
  pod.at("spec").as_object()["tolerations"] = ParsedJson(R"([{"key":"pool","value":"a","effect":"NoSchedule"}])");
  pod.at("spec").as_object()["topologySpreadConstraints"] =
      ParsedJson(R"([{"topologyKey":"zone","maxSkew":1,"whenUnsatisfiable":"DoNotSchedule","labelSelector":{}}])");
  const std::string inject = R"({
    "tolerations":[{"key":"pool","operator":"Equal","value":"a","effect":"NoSchedule"},{"key":"gpu","operator":"Exists"}],
    "topologySpreadConstraints":[
      {"topologyKey":"zone","maxSkew":3,"whenUnsatisfiable":"DoNotSchedule","labelSelector":{}},
      {"topologyKey":"zone","maxSkew":1,"whenUnsatisfiable":"ScheduleAnyway","labelSelector":{}}]})";
  const Written written = Write(boost::json::serialize(pod), {PodRule("rule", inject)});
  EXPECT_EQ(At(written.object, "/spec/tolerations"),
            R"([{"key":"pool","value":"a","effect":"NoSchedule"},{"key":"gpu","operator":"Exists"}])");
  EXPECT_EQ(At(written.object, "/spec/topologySpreadConstraints/0/maxSkew"), "1");
  EXPECT_EQ(At(written.object, "/spec/topologySpreadConstraints/1/whenUnsatisfiable"), "ScheduleAnyway");
  EXPECT_EQ(written.outcome.conflicts.size(), 1U);
}

TEST(Inject, AmountsAreExactAndNeverAboveTheLimit) {
  const auto request = [](std::string_view change) {
    const Written written = Write(kPod, {PodRule("r", Concat(R"({"resources":{"requests":{)", change, "}}}"))});
    return Concat(At(written.object, "/spec/containers/0/resources/requests/cpu"), " ",
                  At(written.object, "/spec/containers/0/resources/requests/memory"));
  };
  EXPECT_EQ(request(R"("cpu":{"factor":0.333333})"), "667m 1Gi");  // 666.666 thousandths, rounded up
  EXPECT_EQ(request(R"("cpu":{"factor":0.1,"min":"300m"})"), "300m 1Gi");
  EXPECT_EQ(request(R"("cpu":{"factor":3})"), "2 1Gi");
  EXPECT_EQ(request(R"("cpu":{"set":1})"), "1 1Gi");
  EXPECT_EQ(request(R"("memory":{"factor":0.5})"), "2 512Mi");
}

TEST(Inject, WhatAnotherWebhookMadeOfAnAmountIsNotMultipliedAgain) {
  const std::string rule = PodRule("r", R"({"resources":{"requests":{"cpu":{"factor":0.5}}}})");
  boost::json::value pod = Write(kPod, {rule}).object;
  pod.at_pointer("/spec/containers/0/resources/requests").as_object()["cpu"] = "300m";
  const std::string lowered = boost::json::serialize(pod);
  const Written again = Write(lowered, {rule});
  EXPECT_EQ(At(again.object, "/spec/containers/0/resources/requests/cpu"), "300m");
  EXPECT_EQ(At(again.object, "/metadata/annotations/rules.huygens.dev~1applied"), "r@1");
  EXPECT_EQ(again.outcome.patch, "");
}

TEST(Inject, ALimitIsNotLoweredBelowARequestThatStays) {
  const Written written =
      Write(kPod, {PodRule("r", R"({"resources":{"limits":{"cpu":{"set":"1"},"memory":{"set":"2Gi"}}}})")});
  EXPECT_EQ(At(written.object, "/spec/containers/0/resources/limits/cpu"), "2");
  EXPECT_EQ(At(written.object, "/spec/containers/0/resources/limits/memory"), "2Gi");
  EXPECT_EQ(written.outcome.conflicts.size(), 1U);
  const Written both =
      Write(kPod, {PodRule("r", R"({"resources":{"limits":{"cpu":{"set":"1"}},"requests":{"cpu":{"factor":1}}}})")});
  EXPECT_EQ(At(both.object, "/spec/containers/0/resources/limits/cpu"), "1");
  EXPECT_EQ(At(both.object, "/spec/containers/0/resources/requests/cpu"), "1");
}

TEST(Inject, APriorityClassTakesThePriorityOfTheOldOneAlong) {
  boost::json::value pod = ParsedJson(kPod);
  pod.at("spec").as_object()["priority"] = 0;
  pod.at("spec").as_object()["preemptionPolicy"] = "PreemptLowerPriority";
  const RuleSet rules = Rules({PodRule("r", R"({"priorityClassName":"online"})")});
  const std::string text = boost::json::serialize(pod);
  Written written = WriteWith(PodWrite(text), rules);
  EXPECT_EQ(At(written.object, "/spec/priorityClassName"), "online");
  EXPECT_EQ(At(written.object, "/spec/priority"), "");
  EXPECT_EQ(At(written.object, "/spec/preemptionPolicy"), "");
  // What the API server fills in for the new class stays when it asks again.
  written.object.at("spec").as_object()["priority"] = 1000;
  const std::string again = written.text();
  EXPECT_EQ(WriteWith(PodWrite(again), rules).outcome.patch, "");
}

TEST(Inject, APlacedPodGetsLabelsAlone) {
  boost::json::value pod = ParsedJson(kPod);
  pod.at("spec").as_object()["nodeName"] = "n1";
  const Written written = Write(boost::json::serialize(pod),
                                {PodRule("r", R"({"labels":{"a":"b"},"tolerations":[{"operator":"Exists"}]})")});
  EXPECT_EQ(At(written.object, "/metadata/labels/a"), "b");
  EXPECT_EQ(At(written.object, "/spec/tolerations"), "");
}

TEST(Inject, ARuleThatReportsChangesNothingAndSaysWhatItWould) {
  const Written written = Write(kPod, {PodRule("real", R"({"labels":{"a":"1"}})"),
                                       R"({"metadata":{"name":"trial"},"spec":{"selector":{"kinds":["Pod"]},
                       "inject":{"labels":{"a":"2","b":"2"}}}})"});
  EXPECT_EQ(At(written.object, "/metadata/labels/b"), "");
  EXPECT_EQ(VerdictOn(written.outcome, "trial"), Verdict::kWouldApply);
  ASSERT_EQ(written.outcome.would_change.size(), 1U);
  EXPECT_EQ(written.outcome.would_change[0].field, "labels/b");
  ASSERT_EQ(written.outcome.would_conflict.size(), 1U);
  EXPECT_EQ(written.outcome.would_conflict[0].with->name, "real");
}

TEST(Inject, AnUpdateKeepsTheRecordOfWhatMadeThePod) {
  const std::string placed = PodRule("placed", R"({"schedulerName":"other"})");
  const std::string once = Write(kPod, {placed, PodRule("seen", R"({"labels":{"a":"1"}})")}).text();
  // One rule is gone meanwhile, and another has a new version.
  const RuleSet later = Rules({R"({"metadata":{"name":"seen","generation":2},"spec":{"mode":"enforce","selector":
                                  {"kinds":["Pod"]},"inject":{"labels":{"a":"2"}}}})"});
  const Written written = WriteWith(PodWrite(once, Operation::kUpdate), later);
  EXPECT_EQ(At(written.object, "/metadata/labels/a"), "2");
  EXPECT_EQ(At(written.object, "/spec/schedulerName"), "other");
  EXPECT_EQ(At(written.object, "/metadata/annotations/rules.huygens.dev~1applied"), "placed@1,seen@2");
}

TEST(Inject, AnObjectOfTheWrongShapeIsAnErrorAndNotChanged) {
  const RuleSet rules = Rules({PodRule("r", R"({"tolerations":[{"operator":"Exists"}]})")});
  for (const std::string_view pod : {R"({"spec":{"tolerations":"all"}})", "[]", R"({"spec":7})", "{", ""}) {
    EXPECT_FALSE(Inject(PodWrite(pod), rules, {}).ok()) << pod;
  }
}

}  // namespace
}  // namespace huygens::rules
