// SchedulingRules on the way of a review: by what is asked, what is known, and how the service is set. What a rule does to
// an object is tested in tests/rules.
#include "webhook/rule_mutation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/json.hpp>
#include <filesystem>

#include "absl/strings/escaping.h"
#include "base/read_file.h"
#include "base/steady_now.h"
#include "tests/observe/captured_log.h"
#include "tests/rules/random_rules.h"
#include "tests/rules/writes.h"
#include "webhook/manifest_recommendations.h"
#include "webhook/mutation.h"

namespace huygens::webhook {
namespace {

using testing::HasSubstr;
using testing::Not;

class FixedClock final : public Clock {
 public:
  Time Now() const override { return *ParseRfc3339("2026-03-02T10:00:00Z"); }
};

class SomeRules final : public rule_objects::KnownRules {
 public:
  std::shared_ptr<const rules::RuleSet> rules() const override { return set; }
  const Labels* NamespaceLabels(std::string_view name) const override {
    const auto found = namespaces.find(std::string(name));
    return found == namespaces.end() ? nullptr : &found->second;
  }
  bool HasPriorityClass(std::string_view) const override { return true; }
  std::string NotReady() const override { return missing; }

  std::shared_ptr<const rules::RuleSet> set = std::make_shared<const rules::RuleSet>();
  std::map<std::string, Labels> namespaces = {{"shop", {{"team", "a"}}}};
  std::string missing;
};

struct Service {
  explicit Service(const std::vector<std::string>& texts = {}) {
    configuration.mode = settings::SchedulingRulesMode::kEnforce;
    known.set = std::make_shared<const rules::RuleSet>(rules::Rules(texts));
    overcommit.pools[1].auto_apply = true;  // shared
    overcommit.pools[1].factors = {{.cpu = 300'000}};
  }

  std::string Answer(std::string_view body) {
    const settings::OvercommitPools pools(overcommit);
    PodMutation pod_mutation(pools, recommendations, {.log = captured.log, .metrics = metrics, .clock = clock});
    RuleMutation rules(configuration, known, {.log = captured.log, .metrics = metrics, .clock = clock});
    rules.CountRules();
    return Mutation(rules, known, pod_mutation, "/", {.metrics = metrics, .monotonic = SteadyNow}).Answer(body).value();
  }
  std::string Patch(std::string_view body) {
    const boost::json::value answer = boost::json::parse(Answer(body));
    EXPECT_TRUE(answer.at("response").at("allowed").as_bool());
    const boost::json::value* patch = answer.at("response").as_object().if_contains("patch");
    if (patch == nullptr) return "";
    std::string decoded;
    EXPECT_TRUE(absl::Base64Unescape(std::string(patch->as_string()), &decoded));
    return decoded;
  }

  settings::SchedulingRulesConfiguration configuration;
  settings::OvercommitConfiguration overcommit;
  SomeRules known;
  ManifestRecommendations recommendations;
  observe::CapturedLog captured;
  observe::Metrics metrics{{}};
  FixedClock clock;
};

std::string ReviewOf(std::string_view object, std::string_view kind = "Pod", std::string_view more = "",
                     std::string_view operation = "CREATE", std::string_view old_object = "null") {
  const std::string_view resource = kind == "Node" ? "nodes" : kind == "Pod" ? "pods" : "deployments";
  const std::string_view group = kind == "Deployment" ? "apps" : "";
  return Concat(
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"r-1","kind":{"group":")", group,
      R"(","version":"v1","kind":")", kind, R"("},"resource":{"group":")", group, R"(","version":"v1","resource":")",
      resource, R"("},)", more, kind == "Node" ? "" : R"("namespace":"shop",)", R"("operation":")", operation,
      R"(","object":)", object, R"(,"oldObject":)", old_object, R"(,"dryRun":false}})");
}

constexpr std::string_view kLabel = R"({"labels":{"huygens.dev/pool":"shared"}})";
constexpr std::string_view kBare = R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"app","resources":
  {"requests":{"cpu":"4"},"limits":{"cpu":"8"}}}]}})";

TEST(RuleMutation, AppliesARuleAndSaysWhich) {
  Service service({rules::PodRule("pool", kLabel)});
  EXPECT_THAT(service.Patch(ReviewOf(kBare)), HasSubstr(R"("huygens.dev/pool":"shared")"));
  EXPECT_THAT(service.Answer(ReviewOf(kBare)), HasSubstr(R"("auditAnnotations":{"rules":"pool@1"})"));
  const std::string metrics = service.metrics.Render();
  EXPECT_THAT(metrics, HasSubstr(R"(huygens_rules_objects_total{kind="Pod",result="changed"} 2)"));
  EXPECT_THAT(metrics, HasSubstr(R"(huygens_rule_objects_total{rule="pool",verdict="applied"} 2)"));
  EXPECT_THAT(metrics, HasSubstr(R"(huygens_rules{state="usable"} 1)"));
}

TEST(RuleMutation, OffChangesNothingAndReportOnlySays) {
  Service service({rules::PodRule("pool", kLabel)});
  service.configuration.mode = settings::SchedulingRulesMode::kOff;
  EXPECT_EQ(service.Patch(ReviewOf(kBare)), "");
  service.configuration.mode = settings::SchedulingRulesMode::kReport;
  EXPECT_EQ(service.Patch(ReviewOf(kBare)), "");
  EXPECT_THAT(service.Answer(ReviewOf(kBare)), HasSubstr(R"("auditAnnotations":{"rules-report":"pool@1"})"));
  EXPECT_THAT(service.metrics.Render(),
              HasSubstr(R"(huygens_rules_objects_total{kind="Pod",result="would_change"} 2)"));
}

TEST(RuleMutation, ARuleThatReportsIsNamedAndChangesNothing) {
  std::string text = rules::PodRule("pool", kLabel);
  text.replace(text.find("enforce"), 7, "report");
  Service service({text});
  EXPECT_EQ(service.Patch(ReviewOf(kBare)), "");
  EXPECT_THAT(service.Answer(ReviewOf(kBare)), HasSubstr(R"("rules-report":"pool@1")"));
}

TEST(RuleMutation, BeforeRulesAreKnownObjectsAreAsWritten) {
  Service service({rules::PodRule("pool", kLabel)});
  service.known.missing = "waiting for the first list of schedulingrules.huygens.dev";
  EXPECT_EQ(service.Patch(ReviewOf(kBare)), "");
  EXPECT_THAT(service.Answer(ReviewOf(kBare)), HasSubstr("as written: waiting for the first list of"));
  EXPECT_THAT(service.metrics.Render(), HasSubstr(R"(huygens_rules_objects_total{kind="Pod",result="not_ready"} 2)"));
}

TEST(RuleMutation, WhatCannotBeReadIsStoredAsItIsWritten) {
  Service service({rules::PodRule("pool", kLabel)});
  EXPECT_EQ(service.Patch(ReviewOf(R"({"metadata":[],"spec":7})")), "");
  EXPECT_THAT(service.metrics.Render(), HasSubstr(R"(huygens_rules_objects_total{kind="Pod",result="unreadable"} 1)"));
}

TEST(RuleMutation, NamespacesThatAreExcludedOrSaySoAreLeftAlone) {
  Service service({rules::PodRule("pool", kLabel)});
  service.configuration.excluded_namespaces = {"shop"};
  EXPECT_EQ(service.Patch(ReviewOf(kBare)), "");
  service.configuration.excluded_namespaces.clear();
  service.known.namespaces["shop"] = {{"huygens.dev/rules", "ignore"}};
  EXPECT_EQ(service.Patch(ReviewOf(kBare)), "");
  service.known.namespaces["shop"] = {};
  EXPECT_NE(service.Patch(ReviewOf(kBare)), "");
}

TEST(RuleMutation, LabelsOfTheNamespaceSelect) {
  std::string text = rules::PodRule("pool", kLabel);
  const std::string_view kinds = R"("kinds":["Pod"])";
  text.replace(text.find(kinds), kinds.size(), R"("kinds":["Pod"],"namespaceSelector":{"matchLabels":{"team":"a"}})");
  Service service({text});
  EXPECT_NE(service.Patch(ReviewOf(kBare)), "");
  service.known.namespaces["shop"] = {{"team", "b"}};
  EXPECT_EQ(service.Patch(ReviewOf(kBare)), "");
  service.known.namespaces.clear();  // not known yet
  EXPECT_EQ(service.Patch(ReviewOf(kBare)), "");
}

// The rule puts the pod into a pool, whose factor is of what the rule made of the request.
TEST(RuleMutation, RulesComeBeforeOvercommitInOnePatch) {
  const std::string rule = rules::PodRule(
      "pool", R"({"labels":{"huygens.dev/pool":"shared"},"resources":{"requests":{"cpu":{"factor":0.5}}}})");
  Service service({rule});
  service.overcommit.mode = settings::OvercommitMode::kEnforce;
  const boost::json::value pod = rules::Patched(kBare, service.Patch(ReviewOf(kBare)));
  EXPECT_EQ(rules::At(pod, "/spec/containers/0/resources/requests/cpu"), "600m");
  // A second time, as API servers ask, nothing is left to do.
  const std::string once = boost::json::serialize(pod);
  EXPECT_EQ(service.Patch(ReviewOf(once)), "");
  // Nor is a pod lowered where its namespace does not want it.
  service.known.namespaces["shop"] = {{"huygens.dev/overcommit", "ignore"}};
  const boost::json::value kept = rules::Patched(kBare, service.Patch(ReviewOf(kBare)));
  EXPECT_EQ(rules::At(kept, "/spec/containers/0/resources/requests/cpu"), "2");
}

TEST(RuleMutation, ANodeThatIsOversoldStaysSoOverHeartbeatsAndGoesBack) {
  Service service({rules::NodeRule("oversell", R"({"allocatable":{"cpu":{"factor":1.5}}})")});
  const auto review = [](const std::string& object, const std::string& old) {
    return ReviewOf(object, "Node", R"("subResource":"status",)", "UPDATE", old);
  };
  const auto node = [](std::string_view cpu) {
    return Concat(R"({"metadata":{"name":"n"},"status":{"capacity":{"cpu":"64"},"allocatable":{"cpu":")", cpu,
                  R"("}}})");
  };
  const auto cpu = [](const std::string& object) {
    return rules::At(rules::ParsedJson(object), "/status/allocatable/cpu");
  };
  const auto write = [&](const std::string& object, const std::string& old) {
    return std::string(boost::json::serialize(rules::Patched(object, service.Patch(review(object, old)))));
  };
  std::string stored = write(node("64"), node("64"));
  EXPECT_EQ(cpu(stored), "96");
  for (int i = 0; i < 1000; ++i) stored = write(stored, stored);  // a heartbeat writes what is there
  EXPECT_EQ(cpu(stored), "96");
  // kubelet writes what it has; its write keeps annotations.
  const auto kubelet_writes = [&](std::string_view amount) {
    boost::json::value object = rules::ParsedJson(stored);
    object.at("status").at("allocatable").as_object()["cpu"] = boost::json::string_view(amount.data(), amount.size());
    return std::string(boost::json::serialize(object));
  };
  stored = write(kubelet_writes("63"), stored);
  EXPECT_EQ(cpu(stored), "94500m");
  stored = write(kubelet_writes("94.5"), stored);  // somebody writes back what is sold
  EXPECT_EQ(*Quantity::Parse(cpu(stored)), *Quantity::Parse("94500m"));
  service.known.set = std::make_shared<const rules::RuleSet>();
  stored = write(stored, stored);
  EXPECT_EQ(cpu(stored), "63");
  EXPECT_THAT(stored, Not(HasSubstr("rules.huygens.dev")));
}

TEST(RuleMutation, JoinedPatchesAreBothOrEither) {
  EXPECT_EQ(JoinPatches("", ""), "");
  EXPECT_EQ(JoinPatches("[1]", ""), "[1]");
  EXPECT_EQ(JoinPatches("", "[2]"), "[2]");
  EXPECT_EQ(JoinPatches("[1]", "[2,3]"), "[1,2,3]");
}

TEST(RuleMutation, TheSeriesOfARuleThatIsGoneGoes) {
  Service service({rules::PodRule("pool", kLabel)});
  EXPECT_NE(service.Patch(ReviewOf(kBare)), "");
  EXPECT_THAT(service.metrics.Render(), HasSubstr(R"(rule="pool")"));
  service.known.set = std::make_shared<const rules::RuleSet>();
  EXPECT_EQ(service.Patch(ReviewOf(kBare)), "");
  EXPECT_THAT(service.metrics.Render(), Not(HasSubstr(R"(rule="pool")")));
}

std::vector<std::string> RandomTexts(rules::RandomRules& random) {
  std::vector<std::string> texts;
  for (int i = random.Below(7); i >= 0; --i) {
    const std::string text = random.Rule(i);
    if (rules::DecodeRule(text).ok()) texts.push_back(text);
  }
  return texts;
}

// The whole way: the review, base64, and a second implementation of JSON Patch.
RC_GTEST_PROP(RuleMutationProperty, TheAnsweredPatchMakesWhatTheRulesMeanAndIsNotNeededTwice, (uint64_t seed)) {
  rules::RandomRules random(seed);
  const std::string pod = random.Pod();
  Service service(RandomTexts(random));
  const StatusOr<rules::Outcome> direct = rules::Inject(
      rules::PodWrite(pod), *service.known.set,
      {.now = service.clock.Now(), .namespace_labels = service.known.NamespaceLabels("shop"), .own_namespaces = {}});
  RC_ASSERT(direct.ok());
  const boost::json::value stored = rules::Patched(pod, service.Patch(ReviewOf(pod)));
  RC_ASSERT(stored == rules::ParsedJson(direct->object.Json()));
  RC_ASSERT(service.Patch(ReviewOf(boost::json::serialize(stored))) == "");
}

// With overcommit behind the rules: still one patch, once.
RC_GTEST_PROP(RuleMutationProperty, WithOvercommitItIsNotNeededTwiceEither, (uint64_t seed)) {
  rules::RandomRules random(seed);
  const std::string pod = random.Pod();
  std::vector<std::string> texts = RandomTexts(random);
  texts.push_back(rules::PodRule("pool", kLabel));
  Service service(texts);
  service.overcommit.mode = settings::OvercommitMode::kEnforce;
  const std::string once = boost::json::serialize(rules::Patched(pod, service.Patch(ReviewOf(pod))));
  RC_ASSERT(service.Patch(ReviewOf(once)) == "");
}

TEST(RuleMutation, ReviewsThatAnApiServerSent) {
  const std::string folder = HUYGENS_SHARED_DATA "/admission_rules";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no reviews under " << folder;
  Service service({rules::PodRule("pods", kLabel), rules::NodeRule("nodes", R"({"labels":{"pool":"a"},
      "allocatable":{"cpu":{"factor":1.5}}})"),
                   R"({"metadata":{"name":"controllers","generation":1},"spec":{"mode":"enforce","selector":
      {"kinds":["Deployment","StatefulSet","ReplicaSet"]},"inject":{"labels":{"pool":"a"}}}})"});
  // Not of a ReplicaSet that a Deployment makes, of subresources and deletions, of a StatefulSet that is scaled, nor of a
  // node that has the label otherwise.
  const std::vector<std::string> changed = {
      "deployment-create.json",        "node-create.json",
      "nodes-status-allocatable.json", "nodes-status-heartbeat.json",
      "pod-create-bare.json",          "pod-create-burstable-no-namespace-in-body.json",
      "pod-create-by-replicaset.json", "pod-create-by-statefulset.json",
      "pod-create-dry-run.json",       "pod-create-generate-name.json",
      "pod-server-side-apply.json",    "pod-update-annotation.json",
      "statefulset-create.json"};
  size_t reviews = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".json") continue;
    ++reviews;
    const std::string name = file.path().filename();
    const StatusOr<std::string> text = ReadFile(file.path().string(), "review");
    ASSERT_TRUE(text.ok());
    const std::string patch = service.Patch(*text);
    EXPECT_EQ(!patch.empty(), std::ranges::find(changed, name) != changed.end()) << name << ": " << patch;
    if (patch.empty()) continue;
    // What is patched fits the object that was sent.
    const boost::json::value review = boost::json::parse(*text);
    rules::Patched(boost::json::serialize(review.at("request").at("object")), patch);
  }
  EXPECT_GE(reviews, 20U);
}

}  // namespace
}  // namespace huygens::webhook
