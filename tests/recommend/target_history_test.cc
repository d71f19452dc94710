#include "recommend/target_history.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace huygens::recommend {
namespace {

constexpr Time kMidnight = Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 2));
constexpr int64_t kMi = 1 << 20;

TargetHistory Empty() { return {ModelOptions::Cpu(kDaily), ModelOptions::Memory(kDaily)}; }

void Scan(TargetHistory& history, std::string_view pod, Time time, int64_t cpu, int64_t memory) {
  const std::vector<std::optional<int64_t>> cpus = {cpu}, bytes = {memory};
  history.Add({pod, time, 4000, cpus}, {pod, time, 4000, bytes});
}

TargetHistory Drawn() {
  TargetHistory history = Empty();
  const int scans = *rc::gen::inRange(0, 200);
  Time time = kMidnight + std::chrono::minutes(*rc::gen::inRange(0, 10'000));
  for (int i = 0; i < scans; ++i) {
    time += std::chrono::seconds(*rc::gen::inRange(1, 40'000));
    Scan(history, "a", time, *rc::gen::inRange(0, 8000), *rc::gen::inRange<int64_t>(0, 8000) * kMi);
    if (*rc::gen::inRange(0, 20) == 0) history.AddOomKill(*rc::gen::inRange<int64_t>(0, 8000) * kMi, time);
  }
  return history;
}

RC_GTEST_PROP(TargetHistory, ACheckpointMovesARecommendationByABucketAtMost, ()) {
  const TargetHistory history = Drawn();
  TargetHistory loaded = Empty();
  const Status status = loaded.Load(history.Save());
  if (!status.ok()) RC_FAIL(std::string(Message(status)));
  const Time now = history.cpu().last().value_or(kMidnight);
  const Recommendation before = history.Recommend(now), after = loaded.Recommend(now);
  RC_ASSERT(before.ready == after.ready && before.history == after.history && before.age == after.age);
  RC_ASSERT(before.memory_guard == after.memory_guard);
  for (const Resource resource : {Resource::kCpu, Resource::kMemory}) {
    const Buckets buckets = resource == Resource::kCpu ? Buckets::Cpu() : Buckets::Memory();
    const size_t one = buckets.Find(before.model[static_cast<size_t>(resource)] * (1 + 1e-9));
    const size_t other = buckets.Find(after.model[static_cast<size_t>(resource)] * (1 + 1e-9));
    RC_ASSERT(one <= other + 1 && other <= one + 1);
  }
  TargetHistory again = Empty();
  RC_ASSERT(again.Load(loaded.Save()).ok());
  RC_ASSERT(again.Recommend(now).model == after.model);
}

TEST(TargetHistory, WhatIsNoCheckpointOfThisKindIsRefusedAndChangesNothing) {
  TargetHistory history = Empty();
  Scan(history, "a", kMidnight, 500, 100 * kMi);
  const std::string good = history.Save();
  const auto load = [&](std::string text, std::string_view from, std::string_view to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const Status status = history.Load(text);
    EXPECT_EQ(history.Save(), good) << from;
    return status;
  };
  EXPECT_TRUE(history.Load(good).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(load(good, R"("version":1)", R"("version":2)")));
  EXPECT_TRUE(absl::IsFailedPrecondition(load(good, R"("halfLifeSeconds":86400)", R"("halfLifeSeconds":259200)")));
  EXPECT_TRUE(absl::IsFailedPrecondition(load(good, R"("ratio":1.05)", R"("ratio":1.1)")));
  EXPECT_TRUE(absl::IsInvalidArgument(load(good, R"(:10000)", R"(:-1)")));
  EXPECT_TRUE(absl::IsInvalidArgument(load(good, R"("weights":{")", R"("weights":{"9)")));
  EXPECT_TRUE(absl::IsInvalidArgument(load(good, R"("weights":{")", R"("weights":{"x)")));
  EXPECT_TRUE(absl::IsInvalidArgument(load(good, R"("samples":1)", R"("samples":0)")));
  EXPECT_TRUE(absl::IsInvalidArgument(load(good, R"("referenceTime")", R"("reference")")));
  EXPECT_FALSE(history.Load("").ok());
  EXPECT_FALSE(history.Load("{}").ok());
  EXPECT_FALSE(history.Load(good.substr(0, good.size() / 2)).ok());
  EXPECT_EQ(history.Save(), good);
}

TEST(TargetHistory, ASampleThatIsToldTwiceCountsOnce) {
  TargetHistory history = Empty();
  for (const char* pod : {"a", "a", "b"}) Scan(history, pod, kMidnight, 500, 100 * kMi);
  EXPECT_EQ(history.cpu().samples(), 2);
  Scan(history, "a", kMidnight - std::chrono::minutes(1), 500, 100 * kMi);
  EXPECT_EQ(history.cpu().samples(), 2);
  EXPECT_EQ(history.cpu().histogram().total(), 8);  // by 4 cores each
  EXPECT_EQ(history.memory().histogram().total(), 2);
}

TEST(TargetHistory, AContainerWithoutAMetricOrWithANegativeOneMakesTheSampleVoid) {
  TargetHistory history = Empty();
  const std::vector<std::optional<int64_t>> lacking = {1, std::nullopt}, negative = {5, -1}, none;
  EXPECT_FALSE(history.Add({"a", kMidnight, 1000, lacking}, {"a", kMidnight, 1000, negative}));
  EXPECT_FALSE(history.Add({"a", kMidnight, 1000, none}, {"a", kMidnight, 1000, none}));
  EXPECT_FALSE(history.Recommend(kMidnight).ready);
}

TEST(MemoryGuard, HoldsForSevenDaysAfterTheHighestUse) {
  MemoryGuard guard;
  guard.AddUse(1000 * kMi, kMidnight + std::chrono::hours(5));
  guard.AddUse(100 * kMi, kMidnight + std::chrono::hours(6));
  EXPECT_EQ(guard.Least(kMidnight + std::chrono::hours(7)), 1050 * kMi);
  guard.AddUse(100 * kMi, kMidnight + std::chrono::hours(7 * 24 + 6));
  EXPECT_EQ(guard.Least(kMidnight + std::chrono::hours(7 * 24 + 6)), 1050 * kMi);
  EXPECT_EQ(guard.Least(kMidnight + std::chrono::hours(8 * 24)), 105 * kMi);
  guard.AddUse(100 * kMi, kMidnight + std::chrono::hours(8 * 24));
  guard.AddUse(5000 * kMi, kMidnight);  // too old: the day's place is taken
  EXPECT_EQ(guard.Least(kMidnight + std::chrono::hours(8 * 24)), 105 * kMi);
}

TEST(MemoryGuard, AnOomKillAsksForAHundredMebibytesOrAFifthMore) {
  MemoryGuard guard;
  guard.AddOomKill(200 * kMi, kMidnight);
  EXPECT_EQ(guard.Least(kMidnight), 300 * kMi);
  guard.AddOomKill(1000 * kMi, kMidnight);
  EXPECT_EQ(guard.Least(kMidnight), 1200 * kMi);
  EXPECT_EQ(guard.Least(kMidnight + std::chrono::hours(24 * 8)), 0);
}

}  // namespace
}  // namespace huygens::recommend
