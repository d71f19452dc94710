#include "recommend/replica_calculator.h"

#include <gtest/gtest.h>

namespace huygens::recommend {
namespace {

constexpr Time kNow = Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 2));

// Two pods at twice the target; the second became ready 100 s ago, and started 200 s ago.
ScaleQuestion Question(std::chrono::seconds metric_age) {
  ScaleQuestion question;
  question.now = kNow;
  question.current_replicas = 2;
  question.target_percent = 50;
  for (const int started : {3600, 200}) {
    ScaledPod& pod = question.pods.emplace_back();
    pod.ready = true;
    pod.started = kNow - std::chrono::seconds(started);
    pod.ready_since = kNow - std::chrono::seconds(started / 2);
    pod.has_metric = true;
    pod.metric_time = kNow - metric_age;
    pod.metric_window = std::chrono::seconds(30);
    pod.containers = {{"app", {1000, 1000, 1000}, 1000}};
  }
  return question;
}

TEST(ReplicaCalculator, AYoungPodCountsOnceAWholeWindowOfItsMetricLiesAfterItBecameReady) {
  EXPECT_EQ(Replicas(Question(std::chrono::seconds(70)), Basis::kRequest)->replicas, 4);
  // Not yet: the pod is taken to use nothing, so that all together are at the target.
  EXPECT_EQ(Replicas(Question(std::chrono::seconds(71)), Basis::kRequest)->replicas, 2);
}

TEST(ReplicaCalculator, OfMemoryAYoungPodCountsAtOnce) {
  ScaleQuestion question = Question(std::chrono::seconds(71));
  question.resource = "memory";
  EXPECT_EQ(Replicas(question, Basis::kRequest)->replicas, 4);
}

TEST(ReplicaCalculator, SaysWhichContainerHasNoRequest) {
  ScaleQuestion question = Question(std::chrono::seconds(10));
  question.pods[1].name = "cart-1";
  question.pods[1].containers[0].amounts[0].reset();
  EXPECT_EQ(Message(Replicas(question, Basis::kRequest).status()),
            "missing request for cpu in container app of Pod cart-1");
  EXPECT_TRUE(Replicas(question, Basis::kLimit).ok());
  question.pods[1].pod_request = 3000;
  EXPECT_EQ(Replicas(question, Basis::kRequest)->percent, 50);
}

}  // namespace
}  // namespace huygens::recommend
