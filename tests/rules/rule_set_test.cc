#include "rules/rule_set.h"

#include <gtest/gtest.h>

#include "tests/rules/writes.h"

namespace huygens::rules {
namespace {

// What a rule with this spec (without its "inject") makes of a write.
Verdict VerdictFor(std::string_view spec, const ObjectWrite& write, const Surroundings& surroundings = {}) {
  const Written written = WriteWith(
      write,
      Rules({Concat(R"({"metadata":{"name":"r"},"spec":{"mode":"enforce","inject":{"annotations":{"a":"b"}},)", spec,
                    "}}")}),
      surroundings);
  if (written.outcome.rules.empty()) {
    ADD_FAILURE() << "untouched: " << written.outcome.untouched;
    return Verdict::kBroken;
  }
  return written.outcome.rules[0].verdict;
}

Verdict VerdictForPod(std::string_view selector, const Surroundings& surroundings = {}) {
  return VerdictFor(Concat(R"("selector":{"kinds":["Pod"],)", selector, "}"), PodWrite(kPod), surroundings);
}

TEST(RuleSet, SelectsByLabelsNamespacesAndTheirLabels) {
  EXPECT_EQ(VerdictForPod(R"("matchLabels":{"app":"cart"})"), Verdict::kApplied);
  EXPECT_EQ(VerdictForPod(R"("matchLabels":{"app":"other"})"), Verdict::kOtherLabels);
  EXPECT_EQ(VerdictForPod(R"("matchExpressions":[{"key":"app","operator":"NotIn","values":["cart"]}])"),
            Verdict::kOtherLabels);
  EXPECT_EQ(VerdictForPod(R"("namespaces":["shop","other"])"), Verdict::kApplied);
  EXPECT_EQ(VerdictForPod(R"("namespaces":["other"])"), Verdict::kOtherNamespace);
  constexpr std::string_view kTeam = R"("namespaceSelector":{"matchLabels":{"team":"a"}})";
  EXPECT_EQ(VerdictForPod(kTeam), Verdict::kNamespaceUnknown);
  const Labels a = {{"team", "a"}}, b = {{"team", "b"}};
  EXPECT_EQ(VerdictForPod(kTeam, {.now = {}, .namespace_labels = &a, .own_namespaces = {}}), Verdict::kApplied);
  EXPECT_EQ(VerdictForPod(kTeam, {.now = {}, .namespace_labels = &b, .own_namespaces = {}}),
            Verdict::kOtherNamespaceLabels);
}

// What an index is for: of many rules those that cannot be for an object are not looked at.
TEST(RuleSet, FindsThoseThatCanBeForAnObject) {
  const auto rule = [](std::string_view name, std::string_view selector) {
    return Concat(R"({"metadata":{"name":")", name, R"("},"spec":{"mode":"enforce","selector":{)", selector,
                  R"(},"inject":{"annotations":{"a":"b"}}}})");
  };
  std::vector<std::string> texts;
  for (int i = 0; i < 200; ++i) {
    texts.push_back(rule(Concat("x", std::to_string(i)),
                         Concat(R"("kinds":["Pod"],"matchLabels":{"app":"x)", std::to_string(i), R"("})")));
  }
  texts.push_back(rule("a-label", R"("kinds":["Pod"],"matchExpressions":[{"key":"app","operator":"In","values":
      ["cart","cart","other"]}])"));
  texts.push_back(rule("b-namespace", R"("kinds":["Pod"],"namespaces":["shop","other"])"));
  texts.push_back(
      rule("c-any", R"("kinds":["Pod","Deployment"],"matchExpressions":[{"key":"app","operator":"Exists"}])"));
  texts.push_back(rule("d-kind", R"("kinds":["Node"])"));
  texts.push_back(rule("e-namespace", R"("kinds":["Pod"],"namespaces":["other"])"));
  const RuleSet rules = Rules(texts);
  const StatusOr<Outcome> outcome = Inject(PodWrite(kPod), rules, {}, Verdicts::kCandidates);
  ASSERT_TRUE(outcome.ok());
  std::vector<std::string> names;
  for (const RuleOutcome& each : outcome->rules) names.push_back(each.rule->name);
  EXPECT_EQ(names, (std::vector<std::string>{"a-label", "b-namespace", "c-any"}));
  EXPECT_NE(outcome->patch, "");
}

TEST(RuleSet, ALabelSkipsAsAnAnnotationDoes) {
  for (const char* map : {"labels", "annotations"}) {
    const std::string pod = Concat(R"({"metadata":{"name":"a","namespace":"shop",")", map,
                                   R"(":{"rules.huygens.dev/skip":""}},"spec":{}})");
    EXPECT_EQ(VerdictFor(R"("selector":{"kinds":["Pod"]})", PodWrite(pod)), Verdict::kSkipped) << map;
  }
}

TEST(RuleSet, ExcludesByNamespaceAndLabels) {
  const auto verdict = [](std::string_view exclude) {
    return VerdictFor(Concat(R"("selector":{"kinds":["Pod"]},"exclude":)", exclude), PodWrite(kPod));
  };
  EXPECT_EQ(verdict(R"({"namespaces":["shop"]})"), Verdict::kExcluded);
  EXPECT_EQ(verdict(R"({"matchLabels":{"app":"cart"}})"), Verdict::kExcluded);
  EXPECT_EQ(verdict(R"({"matchLabels":{"app":"other"}})"), Verdict::kApplied);
  EXPECT_EQ(verdict("{}"), Verdict::kApplied);
}

TEST(RuleSet, IsInForceWithinItsWindow) {
  const auto verdict = [](std::string_view now) {
    return VerdictFor(
        R"("selector":{"kinds":["Pod"]},"window":{"from":"2026-11-26T10:00:00Z","until":"2026-11-26T12:00:00Z"})",
        PodWrite(kPod), {.now = *ParseRfc3339(now), .namespace_labels = nullptr, .own_namespaces = {}});
  };
  EXPECT_EQ(verdict("2026-11-26T09:59:59Z"), Verdict::kTooEarly);
  EXPECT_EQ(verdict("2026-11-26T10:00:00Z"), Verdict::kApplied);
  EXPECT_EQ(verdict("2026-11-26T12:00:00Z"), Verdict::kTooLate);
}

std::string PodOf(std::string_view kind, std::string_view name, std::string_view more = "") {
  return Concat(R"({"metadata":{"generateName":"x-","labels":{"pod-template-hash":"5c6"})", more,
                R"(,"ownerReferences":[{"kind":")", kind, R"(","name":")", name,
                R"(","uid":"u","controller":true}]},"spec":{"containers":[]}})");
}

TEST(RuleSet, IsForPodsOfDaemonSetsOnlyWhereItNamesThem) {
  const std::string pod = PodOf("DaemonSet", "agent");
  EXPECT_EQ(VerdictFor(R"("selector":{"kinds":["Pod"]})", PodWrite(pod)), Verdict::kOtherOwner);
  EXPECT_EQ(VerdictFor(R"("selector":{"kinds":["Pod"],"ownerKinds":["DaemonSet"]})", PodWrite(pod)), Verdict::kApplied);
  EXPECT_EQ(VerdictFor(R"("selector":{"kinds":["Pod"],"ownerKinds":["Job"]})", PodWrite(pod)), Verdict::kOtherOwner);
}

std::string Untouched(const ObjectWrite& write, const Surroundings& surroundings = {}) {
  const Written written = WriteWith(write, Rules({PodRule("r", R"({"annotations":{"a":"b"}})")}), surroundings);
  EXPECT_EQ(written.outcome.patch, "");
  return written.outcome.untouched;
}

TEST(RuleSet, IsForNoObjectOfTheSystemOrItsOwn) {
  ObjectWrite write = PodWrite(kPod);
  write.namespace_name = "kube-system";
  EXPECT_EQ(Untouched(write), "rules are not for the namespace kube-system");
  const std::vector<std::string> own = {"shop"};
  EXPECT_EQ(Untouched(PodWrite(kPod), {.now = {}, .namespace_labels = nullptr, .own_namespaces = own}),
            "rules are not for the namespace shop");
  // The request may leave the namespace to the object.
  write.namespace_name = "";
  const std::string there = R"({"metadata":{"name":"a","namespace":"kube-public"}})";
  write.object = there;
  EXPECT_EQ(Untouched(write), "rules are not for the namespace kube-public");
}

TEST(RuleSet, IsForNoMirrorPodAndNothingThatGoes) {
  EXPECT_EQ(Untouched(PodWrite(R"({"metadata":{"annotations":{"kubernetes.io/config.mirror":"x"}}})")),
            "the pod is the mirror of a static pod");
  EXPECT_EQ(Untouched(PodWrite(R"({"metadata":{"deletionTimestamp":"2026-11-26T10:00:00Z"}})", Operation::kUpdate)),
            "the object is being deleted");
}

std::string KeyOf(std::string_view pod) { return Subject::Read(PodWrite(pod), {})->WorkloadKey(); }

TEST(Rollout, GoesByTheWorkloadAndNotByTheReplicaSet) {
  EXPECT_EQ(KeyOf(PodOf("ReplicaSet", "cart-5c6")), "shop/Deployment/cart");
  EXPECT_EQ(KeyOf(PodOf("ReplicaSet", "cart-other")), "shop/ReplicaSet/cart-other");
  EXPECT_EQ(KeyOf(PodOf("StatefulSet", "cart")), "shop/StatefulSet/cart");
  EXPECT_EQ(KeyOf(R"({"metadata":{"generateName":"bare-"}})"), "shop/Pod/bare-");
  // The Deployment itself, which has no UID yet, is of the same part as its pods.
  const ObjectWrite write{.operation = Operation::kCreate,
                          .group = "apps",
                          .kind = "Deployment",
                          .subresource = {},
                          .namespace_name = "shop",
                          .object = R"({"metadata":{"name":"cart"}})",
                          .old_object = {}};
  EXPECT_EQ(Subject::Read(write, {})->WorkloadKey(), "shop/Deployment/cart");
}

int Chosen(std::string_view rule, int64_t per_ten_thousand) {
  int chosen = 0;
  for (int i = 0; i < 1000; ++i) {
    if (PlaceInRollout(rule, Concat("shop/Deployment/w-", std::to_string(i))) < per_ten_thousand) ++chosen;
  }
  return chosen;
}

TEST(Rollout, ATenthIsATenth) {
  EXPECT_GE(Chosen("spread", 1000), 85);
  EXPECT_LE(Chosen("spread", 1000), 115);
  // Over many rules it is near: within a thousandth, where chance alone moves it by a third of that.
  int all = 0;
  for (int rule = 0; rule < 1000; ++rule) all += Chosen(Concat("rule-", std::to_string(rule)), 1000);
  EXPECT_NEAR(all, 100'000, 1000);
  EXPECT_EQ(Chosen("spread", 0), 0);
  EXPECT_EQ(Chosen("spread", 10'000), 1000);
}

TEST(Rollout, IsTheSameForEver) {
  // Reckoned by another program: a change would move roll-outs that are under way.
  EXPECT_EQ(PlaceInRollout("spread", "shop/Deployment/cart"), 833);
}

TEST(Rollout, ByPodTellsPodsOfAStatefulSetApart) {
  std::string texts;
  for (const char* by : {"pod", "workload"}) {
    int chosen = 0;
    for (int i = 0; i < 100; ++i) {
      const std::string pod = PodOf("StatefulSet", "cart", Concat(R"(,"name":"cart-)", std::to_string(i), "\""));
      const Verdict verdict = VerdictFor(
          Concat(R"("selector":{"kinds":["Pod"]},"rollout":{"percent":50,"by":")", by, R"("})"), PodWrite(pod));
      if (verdict == Verdict::kApplied) ++chosen;
    }
    texts += chosen == 0 || chosen == 100 ? "all alike " : chosen > 30 && chosen < 70 ? "half " : "odd ";
  }
  EXPECT_EQ(texts, "half all alike ");
}

}  // namespace
}  // namespace huygens::rules
