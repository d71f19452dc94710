// Pods on their way into a cluster, by the reviews that ask about them; and by those that kube-apiserver really sent.
#include "webhook/pod_mutation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/escaping.h"
#include "base/steady_now.h"
#include "rule_objects/manifest_rules.h"
#include "tests/observe/captured_log.h"
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

class Recommendations final : public KnownRecommendations {
 public:
  const recommendation_api::RecommendationIndex& index() const override { return index_; }
  std::string NotReady() const override { return missing; }

  // Of the Deployment shop/web, from use of a day and more.
  void Know(double cores, std::string_view last_sample) {
    recommendation_api::Recommendation known;
    known.metadata.uid = "r";
    known.target = {"shop", recommendation_api::Dimension::kWorkload, "apps", "Deployment", "web"};
    recommendation_api::Used used{
        .samples = 9, .first = *ParseRfc3339("2026-03-01T00:00:00Z"), .last = *ParseRfc3339(last_sample)};
    used.model = cores;
    known.status.cpu = used;
    used.model = 1e9;
    known.status.memory = used;
    known.status.conditions.push_back({recommendation_api::kReady.data(), "True", "Samples", "", {}});
    index_.Set(known);
  }

  std::string missing;

 private:
  recommendation_api::RecommendationIndex index_;
};

settings::OvercommitConfiguration Enforced() {
  settings::OvercommitConfiguration configuration;
  configuration.mode = settings::OvercommitMode::kEnforce;
  configuration.pools[1].auto_apply = true;  // shared
  configuration.pools[1].factors = {{.cpu = 300'000}};
  return configuration;
}

// Without rules.
struct PodsAlone {
  explicit PodsAlone(settings::OvercommitConfiguration configuration = Enforced()) : pools(std::move(configuration)) {}

  std::string Answer(std::string_view body) {
    PodMutation mutation(pools, known, {.log = captured.log, .metrics = metrics, .clock = clock});
    RuleMutation rules(off, no_rules, {.log = captured.log, .metrics = metrics, .clock = clock});
    return Mutation(rules, no_rules, mutation, "/", {.metrics = metrics, .monotonic = SteadyNow}).Answer(body).value();
  }
  // The patch that it is answered with; empty: none.
  std::string Patch(std::string_view body) {
    const boost::json::value answer = boost::json::parse(Answer(body));
    EXPECT_TRUE(answer.at("response").at("allowed").as_bool());
    const boost::json::object& response = answer.at("response").as_object();
    const boost::json::value* patch = response.if_contains("patch");
    if (patch == nullptr) return "";
    EXPECT_EQ(response.at("patchType").as_string(), "JSONPatch");
    std::string decoded;
    EXPECT_TRUE(absl::Base64Unescape(std::string(patch->as_string()), &decoded));
    return decoded;
  }

  settings::SchedulingRulesConfiguration off;
  rule_objects::ManifestRules no_rules;
  settings::OvercommitPools pools;
  Recommendations known;
  observe::CapturedLog captured;
  observe::Metrics metrics{{}};
  FixedClock clock;
};

std::string ReviewOf(std::string_view pod, std::string_view more = "") {
  return Concat(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"r-1",
      "kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},)",
                more, R"("namespace":"shop","operation":"CREATE","object":)", pod,
                R"(,"oldObject":null,"dryRun":false}})");
}

std::string PodIn(std::string_view pool) {
  return Concat(R"({"metadata":{"generateName":"web-5c6-","labels":{"huygens.dev/pool":")", pool,
                R"(","pod-template-hash":"5c6"},
     "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-5c6","uid":"u","controller":true}]},
     "spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"4"},"limits":{"cpu":"4"}}}]}})");
}

TEST(PodMutation, LowersAPodOfAPoolByItsFactorAtFirst) {
  PodsAlone mutation;
  EXPECT_THAT(mutation.Patch(ReviewOf(PodIn("shared"))),
              HasSubstr(R"({"op":"add","path":"/spec/containers/0/resources/requests/cpu","value":"1200m"})"));
  EXPECT_THAT(mutation.Answer(ReviewOf(PodIn("shared"))),
              HasSubstr(R"x("auditAnnotations":{"overcommit":"pool shared: cpu 4 to 1200m (static)"})x"));
  EXPECT_THAT(mutation.metrics.Render(), HasSubstr(R"(huygens_overcommit_pods_total{reason="NoRecommendation"} 2)"));
  EXPECT_THAT(mutation.metrics.Render(),
              HasSubstr(R"(huygens_overcommit_requests_total{resource="cpu",source="static"} 2)"));
}

TEST(PodMutation, ARecommendationOfTheDeploymentCountsWhileItIsYoung) {
  PodsAlone mutation;
  mutation.known.Know(1.0, "2026-03-02T09:59:00Z");
  EXPECT_THAT(mutation.Patch(ReviewOf(PodIn("shared"))), HasSubstr(R"("value":"1100m")"));  // x 1.1
  mutation.known.Know(1.0, "2026-03-02T08:00:00Z");
  EXPECT_THAT(mutation.Patch(ReviewOf(PodIn("shared"))), HasSubstr(R"("value":"1200m")"));
}

TEST(PodMutation, LeavesAloneWhatIsInNoPoolOrInOneThatIsOff) {
  PodsAlone mutation;
  EXPECT_EQ(mutation.Patch(ReviewOf(PodIn("another"))), "");
  EXPECT_EQ(mutation.Patch(ReviewOf(PodIn("exclusive"))), "");
  EXPECT_THAT(mutation.metrics.Render(), HasSubstr(R"(huygens_overcommit_pods_total{reason="NoPool"} 1)"));
}

TEST(PodMutation, ReportAndOffChangeNothing) {
  settings::OvercommitConfiguration configuration = Enforced();
  configuration.mode = settings::OvercommitMode::kReport;
  PodsAlone report(configuration);
  EXPECT_EQ(report.Patch(ReviewOf(PodIn("shared"))), "");
  EXPECT_THAT(report.metrics.Render(), HasSubstr(R"(huygens_overcommit_pods_total{reason="QueryOnly"} 1)"));
  configuration.mode = settings::OvercommitMode::kOff;
  EXPECT_EQ(PodsAlone(configuration).Patch(ReviewOf(PodIn("shared"))), "");
}

TEST(PodMutation, OnlyPodsThatAreCreatedAreLookedAt) {
  PodsAlone mutation;
  std::string update = ReviewOf(PodIn("shared"));
  update.replace(update.find("CREATE"), 6, "UPDATE");
  EXPECT_EQ(mutation.Patch(update), "");
  EXPECT_EQ(mutation.Patch(ReviewOf(PodIn("shared"), R"("subResource":"binding",)")), "");
}

TEST(PodMutation, BeforeRecommendationsAreKnownPodsAreAsWritten) {
  PodsAlone mutation;
  mutation.known.missing = "waiting for recommendations";
  EXPECT_EQ(mutation.Patch(ReviewOf(PodIn("shared"))), "");
  EXPECT_THAT(mutation.Answer(ReviewOf(PodIn("shared"))), HasSubstr("as written: waiting for recommendations"));
}

TEST(PodMutation, APodThatCannotBeReadPassesWithAWarning) {
  PodsAlone mutation;
  const std::string answer = mutation.Answer(ReviewOf(
      R"({"metadata":{"labels":{"huygens.dev/pool":"shared"}},"spec":{"containers":[{"resources":{"requests":{"cpu":"four"}}}]}})"));
  EXPECT_THAT(answer,
              HasSubstr(R"("allowed":true,"warnings":["huygens leaves the requests of this pod as they are: )"));
  EXPECT_THAT(answer, Not(HasSubstr("patch")));
}

TEST(PodMutation, ReviewsThatAnApiServerSent) {
  const std::string folder = HUYGENS_SHARED_DATA "/admission_rules";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no reviews under " << folder;
  settings::OvercommitConfiguration configuration = Enforced();
  configuration.pools[1].selector = "!nobody-has-this";  // every pod
  configuration.pools[1].guaranteed = configuration.pools[1].whole_cpus = settings::GuaranteedPods::kLower;
  PodsAlone mutation(configuration);
  size_t patched = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".json") continue;
    std::ifstream in(file.path());
    std::ostringstream text;
    text << in.rdbuf();
    const std::string patch = mutation.Patch(text.str());
    const std::string name = file.path().filename();
    const boost::json::value review = boost::json::parse(text.str());
    const boost::json::object& request = review.at("request").as_object();
    const bool created = name.starts_with("pod-") && request.at("operation").as_string() == "CREATE";
    const boost::json::value& object = request.at("object");
    const bool asks =
        created && boost::json::serialize(object.at("spec").at("containers")).find("\"cpu\":") != std::string::npos;
    EXPECT_EQ(!patch.empty(), asks) << name;
    patched += patch.empty() ? 0 : 1;
  }
  EXPECT_GE(patched, 3U);
}

}  // namespace
}  // namespace huygens::webhook
