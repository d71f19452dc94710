#include "metrics_front/scaled_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "metrics_front/pod_metrics.h"

namespace huygens::metrics_front {
namespace {

using recommend::Basis;
using testing::HasSubstr;

const Time kNow = *ParseRfc3339("2026-03-02T10:00:00Z");

// Of which 4 CPUs were asked for and 1.2 are left; the limit is 4.
std::string Pod(std::string_view name, std::string_view created = "2026-03-02T09:00:00Z",
                std::string_view basis = "limit") {
  return Concat(
      R"({"metadata":{"name":")", name, R"(","namespace":"shop","uid":")", name, R"(","creationTimestamp":")", created,
      R"(","labels":{"app":"web","pod-template-hash":"5c6"},"annotations":{"huygens.dev/overcommit":
      "{\"basis\":\")",
      basis,
      R"(\",\"containers\":{\"app\":{\"cpu\":{\"original\":\"3\",\"applied\":\"1200m\",\"source\":\"static\"}}}}"},
      "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-5c6","uid":"u","controller":true}]},
      "spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"1200m"},"limits":{"cpu":"4"}}}]},
      "status":{"phase":"Running","startTime":"2026-03-02T09:00:00Z",
                "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-03-02T09:00:10Z"}]}})");
}

Autoscaler Web(
    std::string_view metrics =
        R"([{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}])") {
  return *DecodeAutoscaler(
      Concat(R"({"metadata":{"name":"web","namespace":"shop","uid":"h"},"spec":{"minReplicas":1,"maxReplicas":9,
      "scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},"metrics":)",
             metrics, R"(,"behavior":{"scaleUp":{"tolerance":"50m"}}}})"));
}

constexpr std::string_view kMeasured = R"({
 "kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": {},
 "items": [{"metadata": {"name": "a", "namespace": "shop"}, "timestamp": "2026-03-02T09:59:45Z", "window": "15.5s",
            "containers": [{"name": "app", "usage": {"cpu": "2000000000n", "memory": "12Ki"}}]}]
})";

struct Asked {
  explicit Asked(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) pods.push_back(*DecodeAskedPod(text, ResourceNames()));
    for (const AskedPod& pod : pods) pointers.push_back(&pod);
  }
  std::vector<AskedPod> pods;
  std::vector<const AskedPod*> pointers;
};

TEST(AskedPod, KnowsWhatItAskedForAtFirst) {
  const AskedPod pod = *DecodeAskedPod(Pod("a"), ResourceNames());
  const auto& amounts = pod.of_resource[0].containers[0].amounts;
  EXPECT_EQ(amounts[static_cast<size_t>(Basis::kRequest)], 1200);
  EXPECT_EQ(amounts[static_cast<size_t>(Basis::kOriginal)], 3000);
  EXPECT_EQ(amounts[static_cast<size_t>(Basis::kLimit)], 4000);
  EXPECT_EQ(pod.of_resource[0].ready, true);
  EXPECT_EQ(pod.workload->name, "web");
}

TEST(ScaledAnswer, ChangesTheAmountAndNoOtherByte) {
  const Asked asked({Pod("a")});
  const auto answer = ScaleAnswerFor(Web(), {1, "app=web"}, Basis::kLimit, asked.pointers, kMeasured, kNow, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->changed);
  std::string expected(kMeasured);
  expected.replace(expected.find("\"2000000000n\""), 13, "\"600m\"");  // 50 % of 1.2
  EXPECT_EQ(answer->body, expected);
  const auto original = ScaleAnswerFor(Web(), {1, "app=web"}, Basis::kOriginal, asked.pointers, kMeasured, kNow, {});
  EXPECT_THAT(original->body, HasSubstr("\"792m\""));  // two of three: 66 %
}

TEST(ScaledAnswer, WhatTheAutoscalerDoesNotAskForStays) {
  const Asked asked({Pod("a")});
  const auto memory = Web(R"([{"type":"Resource","resource":{"name":"memory","target":{"averageUtilization":50}}}])");
  EXPECT_EQ(ScaleAnswerFor(memory, {1, ""}, Basis::kLimit, asked.pointers, kMeasured, kNow, {})->body, kMeasured);
  const auto value = Web(R"([{"type":"Resource","resource":{"name":"cpu","target":{"averageValue":"1"}}}])");
  EXPECT_EQ(ScaleAnswerFor(value, {1, ""}, Basis::kLimit, asked.pointers, kMeasured, kNow, {})->body, kMeasured);
}

TEST(ScaledAnswer, MetricsThatContradictAreLeftAsMeasured) {
  const Asked asked({Pod("a")});
  const auto both = Web(R"([{"type":"Resource","resource":{"name":"cpu","target":{"averageUtilization":50}}},
                            {"type":"Resource","resource":{"name":"cpu","target":{"averageValue":"1"}}}])");
  const auto answer = ScaleAnswerFor(both, {1, ""}, Basis::kLimit, asked.pointers, kMeasured, kNow, {});
  EXPECT_EQ(answer->body, kMeasured);
  EXPECT_EQ(answer->conflict, "several metrics of cpu that one answer cannot serve");
}

TEST(ScaledAnswer, AnAnswerThatIsNoListIsAnError) {
  const Asked asked({Pod("a")});
  for (const char* text :
       {"", "{}", R"({"kind":"Status"})", R"({"kind":"PodMetricsList","items":[{"timestamp":"yesterday"}]})"}) {
    EXPECT_FALSE(ScaleAnswerFor(Web(), {1, ""}, Basis::kLimit, asked.pointers, text, kNow, {}).ok()) << text;
  }
}

TEST(ScaledAnswer, TheAutoscalerSaysTheBasisElseTheYoungestPod) {
  const Asked asked({Pod("a", "2026-03-02T09:00:00Z", "limit"), Pod("b", "2026-03-02T09:30:00Z", "original"),
                     Pod("c", "2026-03-02T09:40:00Z", "")});
  EXPECT_EQ(BasisOf(Web(), asked.pointers), Basis::kOriginal);
  Autoscaler told = Web();
  told.basis = "native";
  EXPECT_EQ(BasisOf(told, asked.pointers), Basis::kRequest);
  EXPECT_EQ(BasisOf(Web(), {}), Basis::kRequest);
}

TEST(Autoscaler, KnowsWhereItsTargetIsScaled) {
  EXPECT_EQ(ScalePath(Web()), "/apis/apps/v1/namespaces/shop/deployments/web/scale");
  EXPECT_EQ(Web().tolerance_up, 0.05);
  Autoscaler custom = Web();
  custom.target_version = "example.com/v1";
  custom.target_kind = "Box";
  EXPECT_EQ(ScalePath(custom), "/apis/example.com/v1/namespaces/shop/boxes/web/scale");
  custom.target_version = "v1";
  custom.target_kind = "ReplicationController";
  EXPECT_EQ(ScalePath(custom), "/api/v1/namespaces/shop/replicationcontrollers/web/scale");
  const auto scale = DecodeScale(R"({"spec":{"replicas":4},"status":{"replicas":3,"selector":"app=web"}})");
  EXPECT_EQ(scale->replicas, 4);
  EXPECT_EQ(scale->selector, "app=web");
}

}  // namespace
}  // namespace huygens::metrics_front
