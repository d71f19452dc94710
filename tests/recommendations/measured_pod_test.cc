#include "recommendations/measured_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recommendations/pod_use.h"
#include "tests/recommendations/objects.h"

namespace huygens::recommendations {
namespace {

using recommend::Resource;
using testing::ElementsAre;
using testing::HasSubstr;

MeasuredPod Decode(const std::string& json) {
  static const ResourceNames names;
  auto pod = DecodeMeasuredPod(json, names);
  EXPECT_TRUE(pod.ok()) << pod.status();
  return pod.ok() ? *std::move(pod) : MeasuredPod{.shape = std::make_shared<PodShape>()};
}

TEST(MeasuredPod, SaysWhoseItIsAndWhatItAsksFor) {
  const MeasuredPod pod = Decode(PodJson({}));
  EXPECT_EQ(pod.Key(), "shop/cart-6d4b75cb6d-hwqxv");
  EXPECT_EQ(pod.shape->owner, (PodOwner{"apps", "Deployment", "cart"}));
  EXPECT_TRUE(pod.counts);
  EXPECT_EQ(pod.running, 1u);
  EXPECT_EQ(pod.shape->SumOf(&PodContainer::original, Resource::kCpu), 4000);
  EXPECT_EQ(pod.shape->SumOf(&PodContainer::limit, Resource::kMemory), int64_t{2} << 30);
  EXPECT_FALSE(pod.shape->guaranteed || pod.shape->pinned || pod.shape->opted_out);
}

TEST(MeasuredPod, ALoweredPodSaysWhatItWasWrittenWith) {
  PodText text{.cpu = "1200m"};
  text.annotations =
      R"("huygens.dev/overcommit":"{\"containers\":{\"app\":{\"cpu\":{\"original\":\"4\",\"applied\":\"1200m\"}}}}")";
  const MeasuredPod lowered = Decode(PodJson(text));
  EXPECT_EQ(lowered.shape->SumOf(&PodContainer::original, Resource::kCpu), 4000);
  EXPECT_EQ(lowered.shape->SumOf(&PodContainer::requested, Resource::kCpu), 1200);
  text.cpu = "5";  // written anew since
  EXPECT_EQ(Decode(PodJson(text)).shape->SumOf(&PodContainer::original, Resource::kCpu), 5000);
}

TEST(MeasuredPod, AGuaranteedPodThatWasLoweredIsStillOneAsWritten) {
  PodText text{.cpu = "1200m", .memory = "2Gi", .limit_cpu = "4"};
  text.annotations =
      R"("huygens.dev/overcommit":"{\"containers\":{\"app\":{\"cpu\":{\"original\":\"4\",\"applied\":\"1200m\",\"limit\":\"4\"}}}}")";
  const MeasuredPod lowered = Decode(PodJson(text));
  EXPECT_TRUE(lowered.shape->guaranteed);
  EXPECT_TRUE(lowered.shape->pinned);  // whole CPUs
  EXPECT_FALSE(Decode(PodJson({.cpu = "1200m", .memory = "2Gi", .limit_cpu = "4"})).shape->guaranteed);
}

TEST(MeasuredPod, SaysWhenItWasKilledForWantOfMemory) {
  const MeasuredPod pod = Decode(PodJson(
      {.last_state = R"({"terminated":{"reason":"OOMKilled","exitCode":137,"finishedAt":"2026-03-01T10:00:00Z"}})"}));
  ASSERT_EQ(pod.oom_kills.size(), 1u);
  EXPECT_EQ(pod.oom_kills[0].bytes, int64_t{2} << 30);  // its limit
  EXPECT_TRUE(Decode(PodJson({.last_state = R"({"terminated":{"reason":"Error"}})"})).oom_kills.empty());
}

TEST(MeasuredPod, WhatHasEndedDoesNotCount) {
  EXPECT_FALSE(Decode(PodJson({.phase = "Succeeded"})).counts);
  EXPECT_FALSE(Decode(PodJson({.phase = "Pending"})).counts);
  EXPECT_TRUE(Decode(PodJson({.workload = ""})).shape->owner.kind.empty());
}

TEST(PodMetrics, OneThatCannotBeReadDoesNotCostTheOthers) {
  const auto uses = DecodePodMetricsList(Concat(R"({"kind":"PodMetricsList","items":[{"metadata":{"name":1}},)",
                                                MetricsJson("a", kNoon, "250m", "128Mi"), ",",
                                                R"({"metadata":{"name":"b"},"containers":[]}]})"));
  ASSERT_TRUE(uses.ok()) << uses.status();
  EXPECT_EQ(uses->left_out, 2u);
  EXPECT_THAT(uses->pods, ElementsAre(UseOf("a", kNoon, 250, 128 << 20)));
  EXPECT_THAT(std::string(Message(DecodePodMetricsList("[]").status())), HasSubstr("object"));
}

TEST(PodMetrics, AmountsThatAreNoneAreNotMeasured) {
  const auto uses = DecodePodMetricsList(Concat(R"({"items":[)", MetricsJson("a", kNoon, "-1", "much"), ",",
                                                MetricsJson("b", kNoon, "1500000n", "1"), "]}"));
  ASSERT_TRUE(uses.ok());
  EXPECT_FALSE(uses->pods[0].containers[0].used[0] || uses->pods[0].containers[0].used[1]);
  EXPECT_EQ(uses->pods[1].containers[0].used[0], 2);  // rounded up
}

}  // namespace
}  // namespace huygens::recommendations
