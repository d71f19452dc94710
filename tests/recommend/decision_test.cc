#include "recommend/decision.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace huygens::recommend {
namespace {

constexpr int64_t kMi = 1 << 20;

PoolPolicy Policy(PoolPolicy::Type type) {
  PoolPolicy policy;
  policy.enabled = policy.auto_apply = policy.memory = policy.lower_guaranteed = true;
  policy.type = type;
  policy.static_factor = {500'000, 800'000};
  policy.expansion = {1'200'000, 1'200'000};
  return policy;
}

Recommendation Effective(double cores, double bytes) {
  return {true, std::chrono::hours(48), std::chrono::minutes(1), {cores, bytes}};
}

PodRequests Pod(const std::vector<std::pair<int64_t, int64_t>>& containers) {
  PodRequests pod;
  for (const auto& [cpu, memory] : containers) pod.containers.push_back({{cpu, memory}, {}});
  return pod;
}

struct Case {
  PoolPolicy policy;
  PodRequests pod;
  std::optional<Recommendation> recommendation;
};

Case Draw() {
  Case drawn;
  drawn.policy = Policy(static_cast<PoolPolicy::Type>(*rc::gen::inRange(0, 3)));
  drawn.policy.memory = *rc::gen::arbitrary<bool>();
  for (auto& factor : drawn.policy.static_factor) {
    factor = *rc::gen::inRange<int64_t>(1, 1'500'000);
    if (*rc::gen::inRange(0, 5) == 0) factor.reset();
  }
  for (auto& expansion : drawn.policy.expansion) expansion = *rc::gen::inRange<int64_t>(500'000, 2'000'000);
  drawn.policy.rounding[0].step = *rc::gen::element<int64_t>(1, 5, 10, 50);
  drawn.policy.rounding[1].step = *rc::gen::element<int64_t>(1, kMi, 1'000'000);
  const int containers = *rc::gen::inRange(1, 5);
  for (int i = 0; i < containers; ++i) {
    ContainerRequests& container = drawn.pod.containers.emplace_back();
    if (*rc::gen::inRange(0, 6)) container.requests[0] = *rc::gen::inRange<int64_t>(0, 20'000);
    if (*rc::gen::inRange(0, 6)) container.requests[1] = *rc::gen::inRange<int64_t>(0, 40'000) * kMi;
  }
  if (*rc::gen::arbitrary<bool>()) {
    drawn.recommendation = Effective(*rc::gen::inRange(0, 40'000) / 1000.0, *rc::gen::inRange(0, 80'000) * 1e6);
    if (*rc::gen::arbitrary<bool>()) drawn.recommendation->memory_guard = *rc::gen::inRange<int64_t>(0, 60'000) * kMi;
  }
  return drawn;
}

Decision Decide(const Case& drawn, const PodRequests& pod) {
  return Decide(pod, drawn.policy, drawn.recommendation ? &*drawn.recommendation : nullptr);
}

void AssertSame(const Decision& a, const Decision& b) {
  for (size_t i = 0; i < a.containers.size(); ++i) RC_ASSERT(a.containers[i].requests == b.containers[i].requests);
  RC_ASSERT(a.source == b.source);
}

RC_GTEST_PROP(Decision, TenRedeploysChangeNothing, ()) {
  const Case drawn = Draw();
  const Decision first = Decide(drawn, drawn.pod);
  PodRequests copy = drawn.pod;
  for (int redeploy = 0; redeploy < 10; ++redeploy) {
    copy.containers = Decide(drawn, copy).containers;  // a copy of the lowered pod, with what it recorded
    AssertSame(Decide(drawn, copy), first);
  }
}

RC_GTEST_PROP(Decision, ARaisedRequestIsANewOriginal, ()) {
  const Case drawn = Draw();
  PodRequests lowered = drawn.pod, written = drawn.pod;
  lowered.containers = Decide(drawn, drawn.pod).containers;
  for (size_t i = 0; i < lowered.containers.size(); ++i) {
    if (!written.containers[i].requests[0]) continue;
    // Above the original: no value that was applied.
    lowered.containers[i].requests[0] = written.containers[i].requests[0] = *written.containers[i].requests[0] + 1'000;
  }
  AssertSame(Decide(drawn, lowered), Decide(drawn, written));
}

RC_GTEST_PROP(Decision, NothingIsRaisedAndWhatWasNotAskedForStaysSo, ()) {
  const Case drawn = Draw();
  const Decision decision = Decide(drawn, drawn.pod);
  for (size_t resource = 0; resource < kResources; ++resource) {
    int64_t before = 0, after = 0;
    for (size_t i = 0; i < drawn.pod.containers.size(); ++i) {
      const auto& original = drawn.pod.containers[i].requests[resource];
      const auto& request = decision.containers[i].requests[resource];
      RC_ASSERT(original.has_value() == request.has_value());
      if (!original) continue;
      RC_ASSERT(*request <= *original && (*request > 0 || *original == 0));
      const int64_t floor = drawn.policy.rounding[resource].floor;
      RC_ASSERT(*request >= std::min(floor, *original));
      before += *original;
      after += *request;
    }
    if (decision.source[resource] != Source::kDynamic) continue;
    const double wanted = drawn.recommendation->model[resource] * UnitsOf(static_cast<Resource>(resource)) *
                          static_cast<double>(drawn.policy.expansion[resource]) / kOne;
    RC_ASSERT(static_cast<double>(after) >= std::min(static_cast<double>(before), wanted * (1 - 1e-9)));
    if (resource == 1) RC_ASSERT(after >= std::min(before, drawn.recommendation->memory_guard));
  }
}

TEST(Decision, TheFactorAndTheRecommendationNeverMultiply) {
  const PodRequests pod = Pod({{4000, 8192 * kMi}});
  const Recommendation recommendation = Effective(1, 1024.0 * kMi);
  const Decision dynamic = Decide(pod, Policy(PoolPolicy::Type::kBoth), &recommendation);
  EXPECT_EQ(dynamic.containers[0].requests[0], 1200);
  EXPECT_EQ(dynamic.source[0], Source::kDynamic);
  EXPECT_EQ(dynamic.containers[0].recorded[0], (Recorded{4000, 1200}));
  const Decision first = Decide(pod, Policy(PoolPolicy::Type::kBoth), nullptr);
  EXPECT_EQ(first.containers[0].requests[0], 2000);
  EXPECT_EQ(first.source[0], Source::kStatic);
  EXPECT_EQ(first.reason, Decision::Reason::kNoRecommendation);
  PodRequests again = pod;
  again.containers = first.containers;
  EXPECT_EQ(Decide(again, Policy(PoolPolicy::Type::kBoth), &recommendation).containers[0].requests[0], 1200);
}

TEST(Decision, TheGuardHoldsMemoryUpWhateverLowersIt) {
  const PodRequests pod = Pod({{1000, 6000 * kMi}, {1000, 2000 * kMi}});
  Recommendation recommendation = Effective(1, 1000.0 * kMi);
  recommendation.memory_guard = 4000 * kMi;
  const Decision dynamic = Decide(pod, Policy(PoolPolicy::Type::kDynamic), &recommendation);
  EXPECT_EQ(dynamic.containers[0].requests[1], 3000 * kMi);
  EXPECT_EQ(dynamic.containers[1].requests[1], 1000 * kMi);
  PoolPolicy half = Policy(PoolPolicy::Type::kStatic);
  half.static_factor[1] = 250'000;
  EXPECT_EQ(Decide(pod, half, &recommendation).containers[0].requests[1], 3000 * kMi);
  recommendation.memory_guard = 9000 * kMi;
  EXPECT_EQ(Decide(pod, half, &recommendation).containers[0].requests[1], 6000 * kMi);
}

TEST(Decision, APodWhoseCpusArePinnedStaysAsItIsWhateverThePoolSays) {
  PodRequests pod = Pod({{4000, 8192 * kMi}});
  pod.pinned = true;
  const Decision decision = Decide(pod, Policy(PoolPolicy::Type::kStatic), nullptr);
  EXPECT_EQ(decision.reason, Decision::Reason::kGuaranteedKept);
  EXPECT_EQ(decision.containers[0].requests[0], 4000);
}

TEST(Decision, AQueryTellsWhatWouldBeDone) {
  PoolPolicy policy = Policy(PoolPolicy::Type::kStatic);
  policy.enabled = policy.auto_apply = false;
  const PodRequests pod = Pod({{4000, 8192 * kMi}});
  EXPECT_EQ(Decide(pod, policy, nullptr).containers[0].requests[0], 4000);
  EXPECT_EQ(WouldDecide(pod, policy, nullptr).containers[0].requests[0], 2000);
}

TEST(Correct, NearlyAStepIsThatStep) {
  EXPECT_EQ(Correct(10.000000000000002, kOne, {1, 1}, 100), 10);
  EXPECT_EQ(Correct(10.00001, kOne, {1, 1}, 100), 11);
  EXPECT_EQ(Correct(0, kOne, {1, 10}, 100), 10);
  EXPECT_EQ(Correct(0, kOne, {1, 10}, 4), 4);
  EXPECT_EQ(Correct(std::numeric_limits<double>::quiet_NaN(), kOne, {1, 10}, 40), 40);
  EXPECT_EQ(Correct(1e300, kOne, {1, 10}, 40), 40);
}

}  // namespace
}  // namespace huygens::recommend
