#include "recommendations/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "recommendations/target_status.h"
#include "tests/recommendations/objects.h"

namespace huygens::recommendations {
namespace {

using recommendation_api::Condition;
using recommendation_api::FindCondition;
using recommendation_api::RecommendationStatus;
using std::chrono::hours;
using std::chrono::minutes;
using testing::Contains;
using testing::ElementsAre;

constexpr char kCart[] = "shop/workload/apps/Deployment/cart";

settings::OvercommitConfiguration Enforced() {
  settings::OvercommitConfiguration configuration;
  configuration.mode = settings::OvercommitMode::kEnforce;
  configuration.pools = {{.name = "shared", .type = settings::PoolType::kDynamic, .auto_apply = true}};
  return configuration;
}

recommendation_api::RecommendationTemplate Template(std::string_view name, std::string_view spec = "{}") {
  auto object = recommendation_api::DecodeRecommendationTemplate(
      Concat(R"({"metadata":{"name":")", name, R"(","uid":"t-)", name, R"("},"spec":)", spec, "}"));
  EXPECT_TRUE(object.ok()) << object.status();
  return *object;
}

class TargetsTest : public testing::Test {
 protected:
  void Put(const PodText& text) {
    auto pod = DecodeMeasuredPod(PodJson(text), names_);
    ASSERT_TRUE(pod.ok()) << pod.status();
    targets_.SetPod(*std::move(pod));
  }
  // As the reconciler does once nothing is stored of it.
  void Begin(const std::string& key = kCart) { targets_.Begin(*targets_.Find(key), std::nullopt); }
  Targets::Taken Take(Time time, int64_t milli, int64_t bytes = 200 << 20, std::string_view pod = PodText().name) {
    const PodUse use = UseOf(pod, time, milli, bytes);
    return targets_.Take({&use, 1}, time);
  }
  // Of the whole last day, one a minute.
  void TakeADay(int64_t milli) {
    for (Time time = kNoon - hours(25); time <= kNoon; time += minutes(1)) Take(time, milli);
  }
  RecommendationStatus Status(Time now = kNoon) { return StatusOf(*targets_.Find(kCart), targets_.pools(), now); }
  std::string Reason(std::string_view type, Time now = kNoon) {
    const RecommendationStatus status = Status(now);
    const Condition* condition = FindCondition(status.conditions, type);
    return condition == nullptr ? "" : condition->reason;
  }
  void SetUp() override {
    targets_.SetTemplate(Template("all"));
    Put({.created = "2026-02-01T00:00:00Z"});
  }

  const ResourceNames names_;
  std::vector<std::string> changed_;
  Targets targets_{settings::OvercommitPools(Enforced()), [this](const std::string& key) { changed_.push_back(key); }};
};

TEST_F(TargetsTest, ATemplateMakesATargetOfEachWorkload) {
  EXPECT_NE(targets_.Find(kCart), nullptr);
  EXPECT_THAT(changed_, Contains(kCart));
  EXPECT_THAT(targets_.Namespaces(), ElementsAre("shop"));
  Put({.name = "cart-6d4b75cb6d-2"});
  EXPECT_EQ(targets_.size(), 1u);
  EXPECT_EQ(targets_.Find(kCart)->pods.size(), 2u);
  EXPECT_EQ(targets_.Find(kCart)->pods[0]->shape, targets_.Find(kCart)->pods[1]->shape);  // kept once
  targets_.RemovePod("uid-cart-6d4b75cb6d-2");
  targets_.RemovePod("uid-" + PodText().name);
  EXPECT_TRUE(targets_.Find(kCart)->pods.empty());
  EXPECT_TRUE(targets_.Namespaces().empty());
}

TEST_F(TargetsTest, SelectorsNamespacesKindsAndDimensionsCount) {
  targets_.RemoveTemplate("t-all");
  EXPECT_TRUE(targets_.Find(kCart)->pods.empty());
  for (const std::string_view spec : {R"({"namespaces":["other"]})", R"({"selector":{"matchLabels":{"tier":"gold"}}})",
                                      R"({"kinds":["StatefulSet"]})", R"({"policy":{"halfLife":"never"}})"}) {
    targets_.SetTemplate(Template("one", spec));
    EXPECT_TRUE(targets_.Find(kCart)->pods.empty()) << spec;
  }
  targets_.SetTemplate(Template("one", R"({"dimension":"namespace"})"));
  targets_.SetTemplate(Template("two", R"({"dimension":"pod"})"));
  EXPECT_NE(targets_.Find("shop/namespace"), nullptr);
  EXPECT_NE(targets_.Find("shop/pod/" + PodText().name), nullptr);
}

TEST_F(TargetsTest, SamplesAreCountedOnceAndOnlyWhenTheyAreOfNow) {
  Begin();
  EXPECT_EQ(Take(kNoon, 500).counted, 1u);
  EXPECT_EQ(Take(kNoon, 500).counted, 0u);
  const PodUse old = UseOf(PodText().name, kNoon, 500, 1), future = UseOf(PodText().name, kNoon + hours(2), 1, 1);
  EXPECT_EQ(targets_.Take({&old, 1}, kNoon + minutes(10)).left_out, 1u);
  EXPECT_EQ(targets_.Take({&future, 1}, kNoon + minutes(1)).left_out, 1u);
  EXPECT_EQ(Take(kNoon + minutes(1), 500, 1, "stranger").left_out, 1u);
  EXPECT_EQ(targets_.Find(kCart)->history.cpu().samples(), 1);
}

TEST_F(TargetsTest, NothingIsAddedBeforeTheHistoryIsLoaded) {
  EXPECT_EQ(Take(kNoon, 500).counted, 0u);
  EXPECT_EQ(Reason("Ready"), "Loading");
  Begin();
  EXPECT_EQ(Reason("Ready"), "NoSamples");
}

TEST_F(TargetsTest, AContainerWithoutAMetricDropsTheSample) {
  Begin();
  PodUse use{"shop", PodText().name, kNoon, {{"sidecar", {1, 1}}}};
  EXPECT_EQ(targets_.Take({&use, 1}, kNoon).counted, 0u);
  use = {"shop", PodText().name, kNoon + minutes(1), {{"app", {std::nullopt, 5 << 20}}}};
  targets_.Take({&use, 1}, kNoon + minutes(1));
  EXPECT_EQ(targets_.Find(kCart)->history.cpu().samples(), 0);
  EXPECT_EQ(targets_.Find(kCart)->history.memory().samples(), 1);
}

TEST_F(TargetsTest, AWorkloadOfADayGetsWhatItUses) {
  Begin();
  TakeADay(1000);
  const RecommendationStatus status = Status();
  EXPECT_EQ(Reason("Ready"), "Measured");
  EXPECT_EQ(Reason("Effective"), "Effective");
  EXPECT_EQ(Reason("Applied"), "Dynamic");
  EXPECT_EQ(status.pod_cpu.original, "4");
  // The end of the bucket of one core, times 1.1.
  const double model = targets_.Find(kCart)->history.cpu().Value();
  EXPECT_GT(model, 1.0);
  EXPECT_LT(model, 1.06);
  EXPECT_EQ(status.pod_cpu.recommended, Concat(std::to_string(static_cast<int>(std::ceil(model * 1100))), "m"));
  EXPECT_EQ(status.pod_cpu.limit, "8");
  EXPECT_EQ(status.containers.at(0).cpu, status.pod_cpu);
}

TEST_F(TargetsTest, SaysWhyItIsNotApplied) {
  Begin();
  Take(kNoon, 1000);
  EXPECT_EQ(Reason("Effective"), "TooYoung");
  EXPECT_EQ(Reason("Applied"), "RecommendationNotEffective");
  for (Time time = kNoon - hours(25); time <= kNoon; time += minutes(1)) Take(time + hours(26), 1000);
  EXPECT_EQ(Reason("Effective", kNoon + hours(26)), "Effective");
  EXPECT_EQ(Reason("Effective", kNoon + hours(29)), "Stale");
}

TEST_F(TargetsTest, FollowsTheOriginalOfThePodThatWasCreatedLast) {
  Begin();
  TakeADay(1000);
  const std::string before = Status().pod_cpu.recommended;
  Put({.name = "cart-77-a", .hash = "77", .cpu = "500m", .created = "2026-03-02T00:00:00Z"});
  EXPECT_EQ(Status().pod_cpu.original, "500m");
  EXPECT_EQ(Status().pod_cpu.recommended, "500m");  // never above what was asked for
  Put({.name = "cart-78-a", .hash = "78", .cpu = "6", .created = "2026-03-02T01:00:00Z"});
  EXPECT_EQ(Status().pod_cpu.original, "6");
  EXPECT_EQ(Status().pod_cpu.recommended, before);
  Put({.name = "cart-79-a", .hash = "79", .cpu = "1", .created = "2026-02-01T00:00:00Z"});  // older
  EXPECT_EQ(Status().pod_cpu.original, "6");
}

TEST_F(TargetsTest, TellsOfAValueThatMovedAndOfNoOther) {
  Begin();
  TakeADay(1000);
  TargetState* target = targets_.Find(kCart);
  target->saved_model = target->Model();
  changed_.clear();
  Take(kNoon + minutes(1), 1000);
  EXPECT_TRUE(changed_.empty());
  for (int i = 2; i < 400; ++i) Take(kNoon + minutes(i), 3000);
  EXPECT_THAT(changed_, Contains(kCart));
}

TEST_F(TargetsTest, AnOomKillHoldsTheMemoryUp) {
  Begin();
  TakeADay(1000);
  const std::string before = Status().pod_memory.recommended;
  Put({.created = "2026-02-01T00:00:00Z",
       .last_state = R"({"terminated":{"reason":"OOMKilled","finishedAt":"2026-03-02T10:00:00Z"}})"});
  EXPECT_NE(Status().pod_memory.recommended, before);
  EXPECT_EQ(Status().pod_memory.recommended, "1Gi");  // what was asked for: more is not given
}

TEST_F(TargetsTest, WhatWasStoredIsNotCountedAgain) {
  Begin();
  TakeADay(1000);
  TargetState* target = targets_.Find(kCart);
  recommend::TargetHistory history = target->history;
  targets_.ForgetHistories();
  EXPECT_FALSE(target->measuring);
  recommend::TargetHistory loaded(recommend::ModelOptions::Cpu(target->profile),
                                  recommend::ModelOptions::Memory(target->profile));
  ASSERT_TRUE(loaded.Load(history.Save()).ok());
  targets_.Begin(*target, loaded);
  EXPECT_EQ(Take(kNoon, 1000).counted, 0u);
  EXPECT_EQ(Take(kNoon + minutes(1), 1000).counted, 1u);
  EXPECT_EQ(target->history.cpu().samples(), history.cpu().samples() + 1);
}

TEST_F(TargetsTest, AnotherPercentileKeepsWhatWasMeasuredAnotherHalfLifeDoesNot) {
  Begin();
  TakeADay(1000);
  targets_.SetTemplate(Template("all", R"({"policy":{"cpuPercentile":0.5}})"));
  EXPECT_TRUE(targets_.Find(kCart)->measuring);
  EXPECT_GT(targets_.Find(kCart)->history.cpu().samples(), 1000);
  targets_.SetTemplate(Template("all", R"({"policy":{"halfLife":"24h"}})"));
  EXPECT_FALSE(targets_.Find(kCart)->measuring);
}

TEST_F(TargetsTest, CountsSlackAndExceedanceOfItsPool) {
  Begin();
  targets_.BeginScan();
  Take(kNoon, 1000);
  Take(kNoon + minutes(1), 5000);
  const Targets::PoolUse& use = targets_.pool_use().at("shared");
  EXPECT_EQ(use.samples[0], 2u);
  EXPECT_EQ(use.exceeded[0], 1u);
  EXPECT_EQ(use.requested[0], 8000);
  EXPECT_EQ(use.used[0], 6000);
}

TEST_F(TargetsTest, TheDigestDoesNotMoveWithEverySample) {
  Begin();
  TakeADay(1000);
  const uint64_t before = DigestOf(Status());
  Take(kNoon + minutes(1), 1000);
  EXPECT_EQ(DigestOf(Status(kNoon + minutes(1))), before);
  Put({.name = "cart-78-a", .hash = "78", .cpu = "6", .created = "2026-03-02T01:00:00Z"});
  EXPECT_NE(DigestOf(Status(kNoon + minutes(1))), before);
  const auto again = recommendation_api::DecodeRecommendation(
      recommendation_api::EncodeRecommendation({.metadata = {.name = "a"},
                                                .template_name = "",
                                                .target = {"", recommendation_api::Dimension::kNamespace},
                                                .status = Status()}));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(DigestOf(again->status), DigestOf(Status()));
}

}  // namespace
}  // namespace huygens::recommendations
