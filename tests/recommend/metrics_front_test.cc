#include "recommend/metrics_front.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace huygens::recommend {
namespace {

constexpr Time kNow = Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 2));

// Ready for long, one container.
ScaledPod Pod(int64_t request, int64_t original, int64_t limit, int64_t usage) {
  ScaledPod pod;
  pod.ready = true;
  pod.ready_since = *(pod.started = kNow - std::chrono::hours(2));
  pod.has_metric = true;
  pod.metric_time = kNow - std::chrono::seconds(10);
  pod.containers = {{"app", {request, original, limit}, usage}};
  return pod;
}

ScaleQuestion Question(size_t pods, int64_t usage) {
  ScaleQuestion question;
  question.now = kNow;
  question.current_replicas = static_cast<int64_t>(pods);
  question.target_percent = 50;
  for (size_t i = 0; i < pods; ++i) question.pods.push_back(Pod(1200, 4000, 4000, usage));
  return question;
}

TEST(MetricsFront, AWorkloadThatIsLoweredFrom4To1200mKeepsItsCountAndItsPercentage) {
  const ScaleQuestion question = Question(10, 2000);
  EXPECT_EQ(Replicas(question, Basis::kRequest)->replicas, 34);  // 166 % of what is requested
  EXPECT_EQ(Replicas(question, Basis::kOriginal)->replicas, 10);
  const FrontAnswer answer = *AnswerFor(question, Basis::kOriginal);
  EXPECT_TRUE(answer.exact);
  EXPECT_EQ(answer.wanted.percent, 50);
  EXPECT_EQ(answer.usage, std::vector<std::optional<int64_t>>(10, 600));  // 50 % of 1200
}

TEST(MetricsFront, WhereRequestsAreLoweredPodByPodTheCountStays) {
  // Through a rolling restart: so many pods of the new revision.
  for (size_t lowered = 0; lowered <= 10; ++lowered) {
    ScaleQuestion question = Question(10, 2600);
    for (size_t i = lowered; i < 10; ++i) question.pods[i] = Pod(4000, 4000, 4000, 2600);
    const FrontAnswer answer = *AnswerFor(question, Basis::kOriginal);
    for (size_t i = 0; i < 10; ++i) question.pods[i].containers[0].usage = answer.usage[i];
    const ScaleAnswer reached = *Replicas(question, Basis::kRequest);
    EXPECT_EQ(reached.replicas, 13) << lowered;
    EXPECT_EQ(reached.percent, 65) << lowered;
  }
}

TEST(MetricsFront, NothingIsAnsweredWhereTheControllerItselfCouldNotCount) {
  ScaleQuestion question = Question(2, 100);
  question.pods[1].containers[0].amounts[static_cast<size_t>(Basis::kLimit)].reset();
  EXPECT_FALSE(AnswerFor(question, Basis::kLimit).ok());
  question = Question(2, 100);
  question.target_percent = 0;
  EXPECT_FALSE(AnswerFor(question, Basis::kLimit).ok());
  question = Question(0, 0);
  EXPECT_FALSE(AnswerFor(question, Basis::kLimit).ok());
}

RC_GTEST_PROP(Spread, GivesTheWholeAndNobodyMuchMoreThanItsShare, ()) {
  const int64_t total = *rc::gen::inRange<int64_t>(0, int64_t{1} << 50);
  std::vector<int64_t> weights(*rc::gen::inRange<size_t>(1, 20));
  for (int64_t& weight : weights) weight = *rc::gen::inRange<int64_t>(0, int64_t{1} << *rc::gen::inRange(1, 45));
  const std::vector<int64_t> parts = Spread(total, weights);
  RC_ASSERT(std::accumulate(parts.begin(), parts.end(), int64_t{0}) == total);
  const int64_t all = std::accumulate(weights.begin(), weights.end(), int64_t{0});
  for (size_t i = 0; i < parts.size(); ++i) {
    RC_ASSERT(parts[i] >= 0);
    const __int128 share = all == 0 ? 0 : static_cast<__int128>(total) * weights[i] / all;
    if (all > 0) RC_ASSERT(parts[i] >= share && parts[i] <= share + 1);
  }
}

}  // namespace
}  // namespace huygens::recommend
