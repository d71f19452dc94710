#include "usage/curve.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>

namespace huygens::usage {
namespace {

std::vector<int64_t> Values(const Curve& curve) {
  std::vector<int64_t> values;
  curve.ForEach([&](size_t, int64_t value) { values.push_back(value); });
  return values;
}

using Expected = std::vector<int64_t>;

TEST(Curve, AnUnseenSlotCountsAsThePeak) {
  Curve curve(4);
  EXPECT_EQ(curve.seen(), 0u);
  EXPECT_TRUE(curve.Set(4, 10));
  EXPECT_TRUE(curve.Set(5, 30));
  EXPECT_EQ(Values(curve), (Expected{10, 30, 30, 30}));
  EXPECT_TRUE(curve.Set(6, 20));
  EXPECT_EQ(Values(curve), (Expected{10, 30, 20, 30}));
  EXPECT_EQ(curve.seen(), 3u);
  EXPECT_EQ(curve.peak(), 30);
}

TEST(Curve, TheOpenSlotKeepsTheValueOfAWeekBeforeUntilItCloses) {
  Curve curve(4);
  for (int64_t slot = 0; slot < 4; ++slot) curve.Set(slot, 10 * (slot + 1));
  EXPECT_TRUE(curve.Set(4, 5));
  EXPECT_EQ(Values(curve), (Expected{10, 20, 30, 40}));
  EXPECT_TRUE(curve.Set(4, 12));
  EXPECT_FALSE(curve.Set(4, 7));
  EXPECT_EQ(Values(curve), (Expected{12, 20, 30, 40}));
  curve.Set(5, 1);
  EXPECT_EQ(Values(curve), (Expected{12, 20, 30, 40})) << "5 was not all of slot 4: 12 was";
  curve.Set(6, 1);
  EXPECT_EQ(Values(curve), (Expected{12, 1, 30, 40}));
}

TEST(Curve, SlotsWithoutAReadingLoseTheirValueOnceALaterOneComes) {
  Curve curve(4);
  for (int64_t slot = 0; slot < 4; ++slot) curve.Set(slot, 10 * (slot + 1));
  curve.Set(6, 1);
  EXPECT_EQ(Values(curve), (Expected{40, 40, 30, 40}));
  EXPECT_EQ(curve.seen(), 2u);
}

TEST(Curve, AGapOfAWindowLeavesOnlyTheNewReading) {
  for (int64_t slot : {7, 8, 1000}) {
    Curve curve(4);
    for (int64_t before = 0; before < 4; ++before) curve.Set(before, 10 * (before + 1));
    curve.Set(slot, 3);
    const bool week_before = slot == 7;  // slot 3 is
    EXPECT_EQ(curve.seen(), 1u) << slot;
    EXPECT_EQ(curve.peak(), week_before ? 40 : 3) << slot;
    EXPECT_EQ(Values(curve), Expected(4, curve.peak())) << slot;
  }
}

TEST(Curve, ALateReadingOnlyRaises) {
  Curve curve(4);
  for (int64_t slot = 4; slot < 8; ++slot) curve.Set(slot, 20);
  EXPECT_FALSE(curve.Set(5, 10));
  EXPECT_TRUE(curve.Set(5, 25));
  EXPECT_FALSE(curve.Set(2, 99)) << "older than the window";
  EXPECT_EQ(Values(curve), (Expected{20, 25, 20, 20}));
  curve.Set(9, 1);
  EXPECT_TRUE(curve.Set(8, 2)) << "a slot that was passed over";
  EXPECT_EQ(Values(curve), (Expected{2, 25, 20, 20}));
}

TEST(Curve, ALateReadingOfAWeekBeforeRaisesTheOpenSlotUntilItCloses) {
  Curve curve(4);
  for (int64_t slot = 4; slot < 8; ++slot) curve.Set(slot, 20);
  EXPECT_FALSE(curve.Set(3, 10));
  EXPECT_TRUE(curve.Set(3, 30));
  EXPECT_EQ(Values(curve), (Expected{20, 20, 20, 30}));
  EXPECT_EQ(curve.seen(), 4u);
  curve.Set(8, 5);
  EXPECT_EQ(Values(curve), (Expected{20, 20, 20, 20}));
}

TEST(Curve, LargeAmountsAreRoundedUpAndNeverAboveThePeak) {
  Curve curve(4);
  curve.Set(0, 1'000'001);
  curve.Set(1, 3);
  curve.Set(2, 999'999);
  EXPECT_EQ(curve.peak(), 1'000'001);
  EXPECT_EQ(Values(curve), (Expected{1'000'001, 16, 1'000'000, 1'000'001}));
}

TEST(Curve, StepsGetFinerOnceALoneSpikeHasLeft) {
  Curve curve(3);
  curve.Set(0, kMostUse);
  curve.Set(1, 1);
  curve.Set(2, 1);
  EXPECT_EQ(curve.At(1), kMostUse >> 15);
  for (int64_t slot = 3; slot < 15; ++slot) curve.Set(slot, 1000 + slot);
  EXPECT_EQ(Values(curve), (Expected{1012, 1013, 1014}));
}

TEST(Curve, AHugeSampleRaisesTheOthersByNoMoreThanAStep) {
  Curve curve(4);
  curve.Set(0, 1000);
  curve.Set(1, 2000);
  curve.Set(2, int64_t{1} << 44);
  curve.Set(3, 1);
  EXPECT_EQ(curve.peak(), int64_t{1} << 44);
  EXPECT_LE(curve.At(0), int64_t{1} << 29);
  EXPECT_GE(curve.At(0), 1000);
}

TEST(Curve, AmountsAreCutToWhatSumsCanHold) {
  Curve curve(2);
  curve.Set(0, INT64_MAX);
  EXPECT_EQ(curve.peak(), kMostUse);
  curve.Set(1, INT64_MIN);
  EXPECT_EQ(curve.At(1), 0);
}

// Every accepted reading remembered, without any folding.
class NaiveCurve {
 public:
  explicit NaiveCurve(int64_t slots) : slots_(slots) {}
  void Set(int64_t slot, int64_t amount) {
    if (newest_ && *newest_ - slot >= slots_ + std::max<int64_t>(2, slots_ / 7)) {  // the clock went back
      amounts_.clear();
      newest_.reset();
    }
    if (newest_ && slot < *newest_ - slots_) return;
    newest_ = newest_ ? std::max(*newest_, slot) : slot;
    auto [at, added] = amounts_.try_emplace(slot, amount);
    if (!added) at->second = std::max(at->second, amount);
  }
  std::vector<std::optional<int64_t>> Values() const {
    std::vector<std::optional<int64_t>> values(static_cast<size_t>(slots_));
    for (int64_t slot = *newest_ - slots_; slot <= *newest_; ++slot) {
      if (auto at = amounts_.find(slot); at != amounts_.end()) {
        auto& value = values[SlotOfWeek(slot, static_cast<size_t>(slots_))];
        value = std::max(value.value_or(0), at->second);
      }
    }
    return values;
  }

 private:
  int64_t slots_;
  std::optional<int64_t> newest_;
  std::map<int64_t, int64_t> amounts_;
};

void CompareWithNaive(int64_t most) {
  const auto slots = *rc::gen::inRange<int64_t>(1, 12);
  const auto start = *rc::gen::inRange<int64_t>(-20, 20);
  Curve curve(static_cast<size_t>(slots));
  NaiveCurve naive(slots);
  int64_t now = start;
  for (int step = *rc::gen::inRange(1, 60); step > 0; --step) {
    now += *rc::gen::weightedElement<int64_t>({{4, 0}, {8, 1}, {2, 2}, {1, slots}, {1, slots + 3}});
    const int64_t slot = now - *rc::gen::weightedElement<int64_t>({{6, 0}, {2, 1}, {1, 3}, {1, slots}});
    const auto amount = *rc::gen::inRange<int64_t>(0, most);
    const size_t seen = curve.seen();
    const std::vector<int64_t> before = seen > 0 ? Values(curve) : std::vector<int64_t>();
    const bool changed = curve.Set(slot, amount);
    naive.Set(slot, amount);
    if (!changed && seen > 0) RC_ASSERT(Values(curve) == before);

    int64_t peak = 0;
    size_t values = 0;
    for (const auto& value : naive.Values()) {
      peak = std::max(peak, value.value_or(0));
      values += value.has_value();
    }
    RC_ASSERT(curve.seen() == values);
    const int64_t step_size = most <= 0xffff ? 0 : most / 0x7fff + 1;
    for (size_t s = 0; s < static_cast<size_t>(slots); ++s) {
      const int64_t exact = naive.Values()[s].value_or(peak);
      RC_ASSERT(curve.At(s) >= exact);
      RC_ASSERT(curve.At(s) <= exact + step_size);
      RC_ASSERT(curve.At(s) <= curve.peak());
    }
    RC_ASSERT(curve.peak() >= peak);
    RC_ASSERT(curve.peak() <= peak + step_size);
  }
}

RC_GTEST_PROP(CurveProperty, SmallAmountsAreExact, ()) { CompareWithNaive(0xfffe); }
RC_GTEST_PROP(CurveProperty, LargeAmountsAreAtMostAStepAbove, ()) { CompareWithNaive(int64_t{1} << 40); }

TEST(Curve, AClockThatWentBackBeginsAnew) {
  Curve curve(7);
  for (int64_t slot = 1000; slot < 1007; ++slot) curve.Set(slot, 50);
  EXPECT_FALSE(curve.Set(998, 9)) << "late";
  EXPECT_TRUE(curve.Set(997, 9)) << "later than anything can be";
  EXPECT_EQ(curve.newest(), 997);
  EXPECT_EQ(curve.seen(), 1u);
  EXPECT_EQ(Values(curve), Expected(7, 9));
}

}  // namespace
}  // namespace huygens::usage
