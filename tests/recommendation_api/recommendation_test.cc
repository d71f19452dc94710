#include "recommendation_api/recommendation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recommendation_api/amounts.h"
#include "recommendation_api/checkpoint.h"
#include "recommendation_api/index.h"
#include "recommendation_api/recommendation_template.h"

namespace huygens::recommendation_api {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;

const Time kNow{std::chrono::sys_days(std::chrono::year(2026) / 3 / 2) + hours(12)};

Recommendation Full() {
  Recommendation full;
  full.metadata = {.name = "deployment-cart",
                   .namespace_name = "shop",
                   .uid = "u-1",
                   .resource_version = "7",
                   .generation = 2,
                   .deletion_timestamp = std::nullopt,
                   .owners = {{"huygens.dev/v1alpha1", "RecommendationTemplate", "all", "t-1"}}};
  full.template_name = "all";
  full.target = {"shop", Dimension::kWorkload, "apps", "Deployment", "cart"};
  full.status.pool = "shared";
  full.status.pods = 3;
  full.status.cpu = Used{0.0431, 0.02, 0.04, 0.1, 1440, kNow - hours(24), kNow - minutes(1)};
  full.status.memory = Used{1.5e8, 1e8, 1.4e8, 2e8, 1440, kNow - hours(25), kNow - minutes(2)};
  full.status.memory_guard = "200Mi";
  full.status.confidence = 0.99;
  full.status.pod_cpu = {"4", "1200m", "2", "48m", "4"};
  full.status.pod_memory = {"1Gi", "1Gi", "", "200Mi", ""};
  full.status.containers = {{"app", {"4", "1200m", "2", "48m", "4"}, {"1Gi", "1Gi", "", "200Mi", ""}}};
  full.status.conditions = {{"Ready", "True", "Measured", "", kNow}};
  full.status.gone_since = kNow;
  return full;
}

TEST(Recommendation, ComesBackAsItWasWritten) {
  const Recommendation full = Full();
  const auto read = DecodeRecommendation(EncodeRecommendation(full));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, full);
}

TEST(Recommendation, OfEachDimension) {
  for (const Target& target :
       {Target{"shop", Dimension::kNamespace, "", "", ""}, Target{"shop", Dimension::kPod, "", "", "cart-0"},
        Target{"shop", Dimension::kWorkload, "argoproj.io", "Rollout", "cart"}}) {
    Recommendation one;
    one.metadata.name = target.ObjectName();
    one.metadata.namespace_name = "shop";
    one.target = target;
    const auto read = DecodeRecommendation(EncodeRecommendation(one));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->target, target);
  }
}

TEST(Recommendation, NamesAreObjectNamesAndDiffer) {
  const Target deployment{"shop", Dimension::kWorkload, "apps", "Deployment", "cart"};
  const Target rollout{"shop", Dimension::kWorkload, "argoproj.io", "Rollout", "cart"};
  EXPECT_EQ(deployment.ObjectName(), "deployment-cart");
  EXPECT_EQ(rollout.ObjectName(), "rollout.argoproj.io-cart");
  const std::string name(253, 'a');
  const Target one{"shop", Dimension::kPod, "", "", name + "b"}, other{"shop", Dimension::kPod, "", "", name + "c"};
  EXPECT_LE(one.ObjectName().size(), 200u);
  EXPECT_NE(one.ObjectName(), other.ObjectName());
  const Target long_one{"shop", Dimension::kWorkload, "apps", "Deployment", name};
  EXPECT_LE(long_one.ObjectName().size(), 200u);
}

TEST(Recommendation, SaysWhereItIsWrong) {
  const auto fault = [](std::string_view json) { return std::string(Message(DecodeRecommendation(json).status())); };
  EXPECT_THAT(fault(R"({"spec":{"dimension":"pod"}})"), HasSubstr("metadata.name"));
  EXPECT_THAT(fault(R"({"metadata":{"name":"a"},"spec":{"dimension":"zone"}})"), HasSubstr("there is no zone"));
  EXPECT_THAT(fault(R"({"metadata":{"name":"a"},"spec":{"dimension":"pod"},"status":{"cpu":{"model":-1}}})"),
              HasSubstr("status.cpu"));
  EXPECT_THAT(fault(R"({"metadata":{"name":"a"},"spec":{"dimension":"pod"},"status":{"cpu":{"samples":3}}})"),
              HasSubstr("do not agree"));
  EXPECT_THAT(fault(R"({"metadata":{"name":"a"},"spec":{"dimension":"pod"},
      "status":{"cpu":{"samples":1,"firstSample":"2026-03-02T00:00:00Z","lastSample":"2026-03-01T00:00:00Z"}}})"),
              HasSubstr("in no order"));
}

TEST(Recommendation, IsWhatTheRulesOfLoweringGoBy) {
  const recommend::Recommendation model = ModelOf(Full().status, kNow);
  EXPECT_TRUE(model.ready);
  EXPECT_EQ(model.history, hours(24) - minutes(1));  // the shorter of both
  EXPECT_EQ(model.age, minutes(2));                  // the older of both
  EXPECT_EQ(model.model[0], 0.0431);
  EXPECT_EQ(model.model[1], 1.5e8);
  EXPECT_EQ(model.memory_guard, 200 << 20);
  RecommendationStatus without = Full().status;
  without.memory.reset();
  EXPECT_FALSE(ModelOf(without, kNow).ready);
}

TEST(Recommendation, AmountsAreQuantities) {
  using recommend::Resource;
  EXPECT_EQ(AmountText(Resource::kCpu, 1200), "1200m");
  EXPECT_EQ(AmountText(Resource::kCpu, 4000), "4");
  EXPECT_EQ(AmountText(Resource::kMemory, int64_t{3} << 29), "1536Mi");
  EXPECT_EQ(ParseAmount(Resource::kCpu, "1.2"), 1200);
  EXPECT_EQ(ParseAmount(Resource::kMemory, "1G"), 1'000'000'000);
  EXPECT_EQ(ParseAmount(Resource::kMemory, "-1"), std::nullopt);
  EXPECT_EQ(ParseAmount(Resource::kMemory, "much"), std::nullopt);
}

TEST(RecommendationConditions, KeepTheTimeOfTheirLastTransition) {
  std::vector<Condition> conditions;
  SetCondition(conditions, {"Ready", "False", "NoSamples", "none yet", std::nullopt}, kNow);
  SetCondition(conditions, {"Ready", "False", "NoSamples", "still none", std::nullopt}, kNow + hours(1));
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_EQ(conditions[0].last_transition, kNow);
  EXPECT_EQ(conditions[0].message, "still none");
  SetCondition(conditions, {"Ready", "True", "Measured", "", std::nullopt}, kNow + hours(2));
  EXPECT_EQ(conditions[0].last_transition, kNow + hours(2));
}

TEST(RecommendationTemplate, IsReadAsPeopleWriteIt) {
  const auto read = DecodeRecommendationTemplate(R"({"apiVersion":"huygens.dev/v1alpha1",
      "kind":"RecommendationTemplate","metadata":{"name":"all","uid":"t-1","resourceVersion":"3","generation":4},
      "spec":{"namespaces":["shop"],"kinds":["Deployment"],"dimension":"workload",
        "selector":{"matchLabels":{"tier":"gold"},"matchExpressions":[{"key":"canary","operator":"DoesNotExist"}]},
        "policy":{"profile":"daily","halfLife":"36h","cpuPercentile":0.97}},
      "status":{"targets":3,"ready":2}})");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->defect, "");
  EXPECT_EQ(read->metadata.generation, 4);
  EXPECT_EQ(read->status.targets, 3);
  const auto gold = [](std::string_view key) {
    return key == "tier" ? std::optional<std::string_view>("gold") : std::nullopt;
  };
  const auto canary = [](std::string_view) { return std::optional<std::string_view>("gold"); };
  EXPECT_TRUE(read->Selects("shop", gold));
  EXPECT_FALSE(read->Selects("other", gold));
  EXPECT_FALSE(read->Selects("shop", canary));
  const recommend::Profile profile = ProfileWith(read->policy, recommend::kWeekly);
  EXPECT_EQ(profile.half_life, hours(36));
  EXPECT_EQ(profile.cpu_percentile, 0.97);
  EXPECT_EQ(profile.memory_percentile, recommend::kDaily.memory_percentile);
  EXPECT_EQ(profile.expansion, recommend::kWeekly.expansion);
}

TEST(RecommendationTemplate, OneThatCannotBeUsedHasADefectAndSelectsNothing) {
  for (const std::string_view spec :
       {R"({"dimension":"zone"})", R"({"policy":{"halfLife":"soon"}})", R"({"policy":{"halfLife":"1s"}})",
        R"({"policy":{"cpuPercentile":95}})", R"({"policy":{"profile":"monthly"}})", R"({"namespaces":"shop"})",
        R"({"selector":{"matchExpressions":[{"key":"a","operator":"In"}]}})"}) {
    const auto read =
        DecodeRecommendationTemplate(Concat(R"({"metadata":{"name":"all","uid":"t-1"},"spec":)", spec, "}"));
    ASSERT_TRUE(read.ok()) << spec << read.status();
    EXPECT_NE(read->defect, "") << spec;
    EXPECT_EQ(read->metadata.uid, "t-1");
    EXPECT_FALSE(read->Selects("shop", [](std::string_view) { return std::nullopt; })) << spec;
  }
  EXPECT_FALSE(DecodeRecommendationTemplate(R"({"metadata":{}})").ok());
}

TEST(RecommendationTemplate, ItsStatusComesBack) {
  RecommendationTemplate object;
  object.metadata.name = "all";
  object.metadata.uid = "t-1";
  object.status = {4, 10, 7, {{"Ready", "True", "Measured", "all well", kNow}}};
  const auto read = DecodeRecommendationTemplate(EncodeTemplateStatus(object));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->status, object.status);
}

TEST(RecommendationCheckpoint, ComesBackAsItWasWritten) {
  const Checkpoint checkpoint{{.name = "deployment-cart",
                               .namespace_name = "shop",
                               .uid = "",
                               .resource_version = "",
                               .generation = 0,
                               .deletion_timestamp = std::nullopt,
                               .owners = {}},
                              "shop/workload/apps/Deployment/cart",
                              R"({"version":1})"};
  const auto read = DecodeCheckpoint(EncodeCheckpoint(checkpoint));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, checkpoint);
  EXPECT_FALSE(
      DecodeCheckpoint(Concat(R"({"metadata":{"name":"a"},"history":{"a":")", std::string(70'000, 'x'), R"("}})"))
          .ok());
}

TEST(RecommendationIndex, TheNarrowestThatIsEffectiveCounts) {
  RecommendationIndex index;
  const recommend::PoolPolicy policy{.min_history = hours(1)};
  const auto find = [&] { return index.For("shop", "apps", "Deployment", "cart", "cart-0", policy, kNow); };
  EXPECT_EQ(find(), nullptr);
  Recommendation of_namespace = Full();
  of_namespace.metadata.uid = "n";
  of_namespace.target = {"shop", Dimension::kNamespace, "", "", ""};
  index.Set(of_namespace);
  EXPECT_EQ(find()->metadata.uid, "n");
  Recommendation of_workload = Full();
  of_workload.metadata.uid = "w";
  of_workload.status.cpu.reset();  // not effective
  index.Set(of_workload);
  EXPECT_EQ(find()->metadata.uid, "n");
  index.Remove("n");
  EXPECT_EQ(find()->metadata.uid, "w");
  of_workload.status = Full().status;
  index.Set(of_workload);
  index.Set(of_namespace);
  EXPECT_EQ(find()->metadata.uid, "w");
  EXPECT_EQ(index.size(), 2u);
  EXPECT_EQ(index.For("other", "apps", "Deployment", "cart", "cart-0", policy, kNow), nullptr);
}

}  // namespace
}  // namespace huygens::recommendation_api
