#include "recommend/histogram.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace huygens::recommend {
namespace {

constexpr Duration kDay = std::chrono::hours(24);
constexpr Time kMidnight = Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 2));

HistogramOptions Options() {
  static const HistogramOptions options = HistogramOptions::Cpu(kDay);
  return options;
}

struct Sample {
  double value = 0;
  double weight = 0;
  Time time;
};

// Within some 200 days, so that the reference time moves now and then.
std::vector<Sample> SamplesOf(const std::vector<std::pair<uint16_t, uint32_t>>& numbers) {
  std::vector<Sample> samples;
  samples.reserve(numbers.size());
  for (const auto& [value, second] : numbers) {
    samples.push_back({value / 1000.0, 0.1 + value % 7, kMidnight + std::chrono::seconds(second % 17'000'000)});
  }
  return samples;
}

Histogram Of(const std::vector<Sample>& samples) {
  Histogram histogram(Options());
  for (const Sample& sample : samples) RC_ASSERT(histogram.Add(sample.value, sample.weight, sample.time).ok());
  return histogram;
}

// The same weights as of one moment, but for the last bits.
void AssertSame(Histogram a, Histogram b) {
  const Time latest = std::max(a.reference().value_or(kMidnight), b.reference().value_or(kMidnight));
  const Histogram moment = *Histogram::Load(Options(), {latest, 0, {}});
  RC_ASSERT(a.Merge(moment).ok() && b.Merge(moment).ok());
  const double scale = std::max(a.total(), b.total());
  for (size_t bucket = 0; bucket < a.weights().size(); ++bucket) {
    RC_ASSERT(std::abs(a.weights()[bucket] - b.weights()[bucket]) <= 1e-12 * scale);
  }
}

using Numbers = std::vector<std::pair<uint16_t, uint32_t>>;

RC_GTEST_PROP(Histogram, TheOrderOfSamplesDoesNotMatter, (const Numbers& numbers, uint32_t seed)) {
  std::vector<Sample> samples = SamplesOf(numbers);
  const Histogram before = Of(samples);
  for (size_t i = samples.size(); i > 1; --i)
    std::swap(samples[i - 1], samples[(seed = seed * 1664525 + 1013904223) % i]);
  AssertSame(Of(samples), before);
}

RC_GTEST_PROP(Histogram, AMergeIsAsIfAllSamplesHadBeenAddedToOne, (const Numbers& left, const Numbers& right)) {
  const Histogram a = Of(SamplesOf(left)), b = Of(SamplesOf(right));
  Histogram merged = a, other_way = b;
  RC_ASSERT(merged.Merge(b).ok() && other_way.Merge(a).ok());
  std::vector<Sample> all = SamplesOf(left);
  for (const Sample& sample : SamplesOf(right)) all.push_back(sample);
  AssertSame(merged, Of(all));
  AssertSame(merged, other_way);
}

RC_GTEST_PROP(Histogram, SubtractingWhatWasAddedLeavesTheRest, (const Numbers& kept, const Numbers& taken)) {
  const std::vector<Sample> rest = SamplesOf(kept);
  Histogram histogram = Of(rest);
  for (const Sample& sample : SamplesOf(taken)) RC_ASSERT(histogram.Add(sample.value, sample.weight, sample.time).ok());
  const double most = histogram.total();
  for (const Sample& sample : SamplesOf(taken)) {
    RC_ASSERT(histogram.Subtract(sample.value, sample.weight, sample.time).ok());
  }
  // What is less than epsilon is taken for nothing, so that an old sample may be lost beside a young one.
  for (const double weight : histogram.weights()) RC_ASSERT(weight >= 0);
  const Histogram before = Of(rest);
  if (histogram.reference() != before.reference()) RC_DISCARD("the reference moved");
  for (size_t bucket = 0; bucket < before.weights().size(); ++bucket) {
    RC_ASSERT(std::abs(histogram.weights()[bucket] - before.weights()[bucket]) <= 1e-4 + 1e-12 * most);
  }
}

RC_GTEST_PROP(Histogram, PercentilesDoNotDependOnWhenItAllHappened, (const Numbers& numbers, uint8_t days)) {
  std::vector<Sample> samples = SamplesOf(numbers);
  const Histogram before = Of(samples);
  for (Sample& sample : samples) sample.time += days * kDay;
  const Histogram later = Of(samples);
  for (const double share : {0.0, 0.5, 0.95, 0.99, 1.0}) RC_ASSERT(later.Percentile(share) == before.Percentile(share));
}

RC_GTEST_PROP(Histogram, SavingWhatWasLoadedGivesTheSameCheckpoint, (const Numbers& numbers)) {
  const HistogramCheckpoint once = Of(SamplesOf(numbers)).Save();
  const HistogramCheckpoint twice = Histogram::Load(Options(), once)->Save();
  RC_ASSERT(twice.reference == once.reference);
  RC_ASSERT(std::abs(twice.total - once.total) <= 1e-12 * once.total);
  // A bucket of less weight than epsilon at either end goes; all others stay as they were.
  const auto first = std::search(once.weights.begin(), once.weights.end(), twice.weights.begin(), twice.weights.end());
  RC_ASSERT(first != once.weights.end() || twice.weights.empty());
}

TEST(Histogram, ASampleWeighsHalfAsMuchAfterEachHalfLife) {
  Histogram histogram(Options());
  for (const int days : {0, 1, 2, -2})
    ASSERT_TRUE(histogram.Add(std::abs(days) + days, 1, kMidnight - days * kDay).ok());
  const Buckets& buckets = *Options().buckets;
  // By value: 0 are that of now and the one in two days; 2 and 4 are one and two days old.
  EXPECT_EQ(histogram.weights()[buckets.Find(0)], 1 + 4);
  EXPECT_EQ(histogram.weights()[buckets.Find(2)], 0.5);
  EXPECT_EQ(histogram.weights()[buckets.Find(4)], 0.25);
}

TEST(Histogram, AFullDayIsLostToPercentilesAsItsShareSays) {
  // A day with high use among days without: P95 forgets it after 3.32 days, P99 after 5.64.
  const auto percentile = [](double share, int quiet_hours) {
    Histogram histogram(Options());
    for (int minute = -30 * 1440; minute < quiet_hours * 60; ++minute) {
      const bool busy = minute >= -1440 && minute < 0;
      EXPECT_TRUE(histogram.Add(busy ? 8 : 1, 1, kMidnight + std::chrono::minutes(minute)).ok());
    }
    return histogram.Percentile(share);
  };
  EXPECT_GT(percentile(0.95, 79), 8);
  EXPECT_LT(percentile(0.95, 81), 2);
  EXPECT_GT(percentile(0.99, 134), 8);
  EXPECT_LT(percentile(0.99, 137), 2);
}

TEST(Histogram, WhatIsNoSampleIsRefusedAndChangesNothing) {
  Histogram histogram(Options());
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(histogram.Add(nan, 1, kMidnight).ok());
  EXPECT_FALSE(histogram.Add(infinity, 1, kMidnight).ok());
  EXPECT_FALSE(histogram.Add(1, -1, kMidnight).ok());
  EXPECT_FALSE(histogram.Add(1, nan, kMidnight).ok());
  EXPECT_FALSE(histogram.Add(1, 1, Time::max()).ok());
  EXPECT_FALSE(histogram.Add(1, 1, Time::min()).ok());
  EXPECT_EQ(histogram.reference(), std::nullopt);
  EXPECT_EQ(histogram.total(), 0);
  EXPECT_EQ(histogram.Percentile(0.95), 0);
}

TEST(Histogram, OthersOfOtherOptionsAreNotMerged) {
  Histogram histogram(Options());
  EXPECT_FALSE(histogram.Merge(Histogram(HistogramOptions::Cpu(2 * kDay))).ok());
  EXPECT_FALSE(histogram.Merge(Histogram(HistogramOptions::Memory(kDay))).ok());
  EXPECT_TRUE(histogram.Merge(Histogram(HistogramOptions::Cpu(kDay))).ok());
}

TEST(Histogram, ALoadSaysWhatIsWrongWithACheckpoint) {
  const auto message = [](const HistogramCheckpoint& checkpoint) {
    return std::string(Message(Histogram::Load(Options(), checkpoint).status()));
  };
  EXPECT_EQ(message({kMidnight, -1, {}}), "checkpoint: the total weight is negative or no number");
  EXPECT_EQ(message({kMidnight, 1, {{176, 5}}}), "checkpoint: there is no bucket 176 of 176");
  EXPECT_EQ(message({kMidnight, 1, {{-1, 5}}}), "checkpoint: there is no bucket -1 of 176");
  EXPECT_EQ(message({kMidnight, 1, {{5, -3}}}), "checkpoint: bucket 5 has a negative weight");
  EXPECT_EQ(message({Time::max(), 1, {}}), "checkpoint: the reference time is not between 1900 and 2200");
}

TEST(Histogram, ReferencesAreMultiplesSinceTheYearOne) {
  const auto rounded = [](int hours, Duration step) {
    return std::chrono::duration_cast<std::chrono::hours>(RoundAsInGo(kMidnight + std::chrono::hours(hours), step) -
                                                          kMidnight)
        .count();
  };
  EXPECT_EQ(rounded(11, kDay), 0);
  EXPECT_EQ(rounded(12, kDay), 24);
  EXPECT_EQ(rounded(0, 3 * kDay), 24);  // 2026-03-03
  EXPECT_EQ(rounded(80, 7 * kDay), 0);  // Mondays
  EXPECT_EQ(rounded(84, 7 * kDay), 168);
}

TEST(Buckets, WhatCannotBeBucketsIsRefused) {
  EXPECT_FALSE(Buckets::Exponential(0, 1.05, 1000).ok());
  EXPECT_FALSE(Buckets::Exponential(0.01, 1, 1000).ok());
  EXPECT_FALSE(Buckets::Exponential(0.01, 1.05, -1).ok());
  EXPECT_FALSE(Buckets::Exponential(0.01, 1.0000001, 1e300).ok());
  EXPECT_FALSE(Buckets::Linear(1e-9, 1).ok());
  EXPECT_FALSE(Buckets::Linear(0, 1).ok());
}

}  // namespace
}  // namespace huygens::recommend
