#include "usage/node_usage.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "usage/quantized_headroom.h"

namespace huygens::usage {
namespace {

constexpr size_t kDay = 4;

Curve MakeCurve(const std::vector<int64_t>& values) {
  Curve curve(values.size());
  for (size_t s = 0; s < values.size(); ++s) curve.Set(static_cast<int64_t>(s), values[s]);
  return curve;
}

TEST(Profile, WithoutHistoryIsTheEstimateInEverySlot) {
  const Curve unseen(8);
  for (const Curve* curve : {static_cast<const Curve*>(nullptr), &unseen}) {
    const Profile profile(curve, 100, kDay);
    EXPECT_TRUE(profile.flat());
    EXPECT_EQ(profile.peak(), 100);
    EXPECT_EQ(profile.At(3), 100);
  }
}

TEST(Profile, AnEstimateAboveTheMeasuredFadesOutOverTheFirstDay) {
  Curve curve(8);
  const int64_t kWant[] = {85, 70, 55, 40, 40};  // 40 + 60 * (4 - n) / 4
  for (int64_t slot = 0; slot < 5; ++slot) {
    curve.Set(slot, 40);
    EXPECT_EQ(Profile(&curve, 100, kDay).At(static_cast<size_t>(slot)), kWant[slot]);
    EXPECT_EQ(Profile(&curve, 100, kDay).peak(), kWant[slot]);
    EXPECT_EQ(Profile(&curve, 100, kDay).At(7), kWant[slot]) << "not seen yet";
  }
}

TEST(Profile, AnEstimateBelowTheMeasuredNeverLowersIt) {
  Curve curve(8);
  curve.Set(0, 100);
  EXPECT_EQ(Profile(&curve, 40, kDay).At(0), 100);
  EXPECT_EQ(Profile(&curve, 0, kDay).peak(), 100);
}

TEST(Profile, FadesByTheAgeOfThePodWhereThatIsLonger) {
  Curve curve(8);
  curve.Set(0, 40);
  EXPECT_EQ(Profile(&curve, 100, kDay, 0).peak(), 85) << "as long as it was measured";
  EXPECT_EQ(Profile(&curve, 100, kDay, 2).At(0), 70);
  for (const size_t age : {4U, 500U}) EXPECT_EQ(Profile(&curve, 100, kDay, age).peak(), 40);
}

TEST(Profile, OfAPodThatNobodyKnowsByNameFadesIntoWhatItsNodeUses) {
  EXPECT_EQ(Profile(nullptr, 100, kDay, 0).peak(), 100);
  EXPECT_EQ(Profile(nullptr, 100, kDay, 1).At(3), 75);
  EXPECT_EQ(Profile(nullptr, 100, kDay, 4).peak(), 0);
  EXPECT_EQ(Profile(nullptr, 100, kDay, 4).estimate(), 100) << "where figures are stale";
}

TEST(Profile, OfTheSystemCountsAboveWhatIsReserved) {
  const Curve curve = MakeCurve({10, 80, 20, 30});
  const Profile system = Profile::OfSystem(&curve, 25);
  EXPECT_EQ(system.peak(), 55);
  EXPECT_EQ(system.At(0), 0);
  NodeUsage usage;
  usage.Add(system);
  EXPECT_EQ(usage.At(1), 55);
  EXPECT_EQ(usage.At(2), 0);
  EXPECT_EQ(usage.At(3), 5);
  usage.Remove(system);
  EXPECT_EQ(usage, NodeUsage());
  EXPECT_EQ(Profile::OfSystem(nullptr, 25).peak(), 0);
}

TEST(Profile, RoundsWhatFadesUp) {
  Curve curve(8);
  curve.Set(0, 0);
  EXPECT_EQ(Profile(&curve, 1, 3).At(0), 1);
}

TEST(NodeUsage, AddsCurvesAndPeaksApart) {
  const Curve morning = MakeCurve({10, 80, 20, 10});
  const Curve evening = MakeCurve({10, 10, 20, 60});
  NodeUsage usage;
  usage.Add(Profile(&morning, 0, 1));
  usage.Add(Profile(&evening, 7, 1));
  usage.Add(Profile(nullptr, 5, 1));
  EXPECT_EQ(usage.sum_of_peaks(), 145);
  EXPECT_EQ(usage.peak_of_sum(), 95);
  EXPECT_EQ(usage.peak_slot(), 1u);
  EXPECT_EQ(usage.At(3), 75);
  EXPECT_EQ(usage.estimates(), 12);
  EXPECT_EQ(usage.extra(), 5) << "the rest is measured";
}

TEST(NodeUsage, LikelyPeakFavoursPodsWhosePeaksLieElsewhere) {
  const Curve node = MakeCurve({10, 80, 70, 10});
  NodeUsage usage;
  usage.Add(Profile(&node, 0, 1));
  const Curve same = MakeCurve({5, 40, 5, 5});
  const Curve beside = MakeCurve({5, 5, 40, 5});
  const Curve elsewhere = MakeCurve({5, 5, 5, 40});
  EXPECT_EQ(usage.LikelyPeak(DemandOf(Profile(&same, 0, 1))), 120);
  EXPECT_EQ(usage.LikelyPeak(DemandOf(Profile(&beside, 0, 1))), 110);
  EXPECT_EQ(usage.LikelyPeak(DemandOf(Profile(&elsewhere, 0, 1))), 85);
  EXPECT_EQ(usage.LikelyPeak(DemandOf(Profile(nullptr, 40, 1))), 120);
}

rc::Gen<std::vector<int64_t>> AnyCurve(size_t slots, int64_t most) {
  return rc::gen::container<std::vector<int64_t>>(
      slots, rc::gen::weightedOneOf<int64_t>(
                 {{6, rc::gen::inRange<int64_t>(0, 20)}, {2, rc::gen::inRange<int64_t>(0, most)}}));
}

// Even ones, so that many slots are near the peak, and spiky ones up to amounts that are rounded.
int64_t AnyMost() { return *rc::gen::element<int64_t>(20, 40, 1000, int64_t{1} << 40); }

std::vector<Curve> SomeCurves(size_t slots, int most) {
  std::vector<Curve> curves;
  const int64_t amount = AnyMost();
  for (int n = *rc::gen::inRange(0, most); n > 0; --n) curves.push_back(MakeCurve(*AnyCurve(slots, amount)));
  return curves;
}

RC_GTEST_PROP(NodeUsageProperty, AddingAndRemovingInAnyOrderLeavesWhatACountFinds, ()) {
  const auto slots = *rc::gen::inRange<size_t>(1, 40);
  const std::vector<Curve> curves = SomeCurves(slots, 6);
  std::vector<Profile> profiles;
  for (const Curve& curve : curves) profiles.emplace_back(&curve, *rc::gen::inRange(0, 99), *rc::gen::inRange(1, 50));
  for (const Curve& curve : curves)
    profiles.emplace_back(&curve, *rc::gen::inRange(0, 99), 50, *rc::gen::inRange(0, 60));
  for (const Curve& curve : curves) profiles.push_back(Profile::OfSystem(&curve, *rc::gen::inRange(0, 30)));
  for (int n = *rc::gen::inRange(0, 3); n > 0; --n) profiles.emplace_back(nullptr, *rc::gen::inRange(0, 99), 1);

  NodeUsage usage;
  std::vector<size_t> here;
  for (int step = *rc::gen::inRange(0, 30); step > 0 && !profiles.empty(); --step) {
    if (here.empty() || *rc::gen::inRange(0, 3) > 0) {
      here.push_back(*rc::gen::inRange<size_t>(0, profiles.size()));
      usage.Add(profiles[here.back()]);
    } else {
      const auto which = here.begin() + *rc::gen::inRange<ptrdiff_t>(0, std::ssize(here));
      usage.Remove(profiles[*which]);
      here.erase(which);
    }
    std::vector<Profile> left;
    for (size_t p : here) left.push_back(profiles[p]);
    NodeUsage counted;
    counted.Count(left);
    RC_ASSERT(usage == counted);
    for (size_t s = 0; s < slots; ++s) {
      int64_t sum = 0;
      for (const Profile& profile : left) sum += profile.At(s);
      RC_ASSERT(usage.At(s) == sum);
      RC_ASSERT(sum <= usage.peak_of_sum());
    }
    RC_ASSERT(usage.At(usage.peak_slot()) == usage.peak_of_sum());
    RC_ASSERT(usage.peak_of_sum() <= usage.sum_of_peaks());
  }
}

int64_t PeakWith(const NodeUsage& usage, const Profile& pod, size_t slots) {
  int64_t peak = 0;
  for (size_t s = 0; s < slots; ++s) peak = std::max(peak, usage.At(s) + pod.At(s));
  return peak;
}

RC_GTEST_PROP(NodeUsageProperty, FitsExactlyWhereEverySlotDoes, ()) {
  const auto slots = *rc::gen::inRange<size_t>(1, 40);
  NodeUsage usage;
  const std::vector<Curve> curves = SomeCurves(slots, 5);
  for (const Curve& curve : curves) usage.Add(Profile(&curve, *rc::gen::inRange(0, 200), 20));
  if (*rc::gen::arbitrary<bool>()) usage.Add(Profile(nullptr, *rc::gen::inRange(0, 99), 1));
  const Curve curve = MakeCurve(*AnyCurve(slots, AnyMost()));
  const Profile pod(*rc::gen::arbitrary<bool>() ? &curve : nullptr, *rc::gen::inRange(0, 500), 20);

  const int64_t peak = PeakWith(usage, pod, slots);
  const ResourceDemand demand = DemandOf(pod);
  const QuantizedDemand asked = QuantizedHeadroom::Of(demand, slots);
  int64_t lowest = demand.peak;
  for (size_t slot = 0; slot < slots; ++slot) lowest = std::min(lowest, demand.At(slot));
  RC_ASSERT(usage.LikelyPeak(demand) <= peak);
  RC_ASSERT(usage.LikelyPeak(demand) >= usage.peak_of_sum());
  QuantizedHeadroom quantized(slots);
  for (int64_t limit : {std::max<int64_t>(0, peak - 1), peak, peak + 1, usage.peak_of_sum() + lowest,
                        usage.sum_of_peaks() + demand.peak, *rc::gen::inRange<int64_t>(0, 3000)}) {
    quantized.Set(0, usage, limit);
    RC_ASSERT(quantized.Fits(0, usage, demand, asked, limit) == (peak <= limit));
  }
}

TEST(NodeUsage, SumsOfAbsurdAmountsDoNotOverflow) {
  constexpr int64_t kPods = 100'000;
  const Curve curve = MakeCurve({INT64_MAX, 0});
  const Profile absurd(&curve, kMostUse, 1);
  NodeUsage usage;
  for (int64_t pod = 0; pod < kPods; ++pod) usage.Add(absurd);
  EXPECT_EQ(usage.sum_of_peaks(), kPods * kMostUse);
  EXPECT_EQ(usage.peak_of_sum(), kPods * kMostUse);
  EXPECT_EQ(usage.estimates(), kPods * kMostUse);
  const ResourceDemand demand = DemandOf(absurd);
  const QuantizedDemand asked = QuantizedHeadroom::Of(demand, 2);
  QuantizedHeadroom quantized(2);
  quantized.Set(0, usage, 1000 * kMostUse);
  EXPECT_FALSE(quantized.Fits(0, usage, demand, asked, 1000 * kMostUse));
}

// A few, up to several lines of the quantized, the week's 672.
size_t AnySlots() { return *rc::gen::element<size_t>(1, 3, 40, 256, 257, 672); }

RC_GTEST_PROP(OutlineProperty, SaysWhatTheExactCurvesSay, ()) {
  const size_t slots = AnySlots();
  constexpr cluster::NodeIndex kNodes = 3;
  QuantizedHeadroom quantized(slots);
  std::vector<std::vector<Curve>> curves;
  std::array<NodeUsage, kNodes> usage;
  std::array<int64_t, kNodes> limits;
  const Curve curve = MakeCurve(*AnyCurve(slots, AnyMost()));
  const Profile pod(*rc::gen::weightedElement<const Curve*>({{4, &curve}, {1, nullptr}}), *rc::gen::inRange(0, 500),
                    20);
  const ResourceDemand demand = DemandOf(pod);
  const QuantizedDemand asked = QuantizedHeadroom::Of(demand, slots);
  for (cluster::NodeIndex n = kNodes; n-- > 0;) {
    curves.push_back(SomeCurves(slots, 5));
    for (const Curve& each : curves.back()) usage[n].Add(Profile(&each, *rc::gen::inRange(0, 200), 20));
    if (*rc::gen::arbitrary<bool>()) usage[n].Add(Profile(nullptr, *rc::gen::inRange(0, 99), 1));
    const int64_t peak = PeakWith(usage[n], pod, slots);
    // Just enough, a little too little, less than is used already, nothing, far away.
    limits[n] = std::max<int64_t>(
        0, *rc::gen::elementOf(std::vector<int64_t>{peak, peak - 1, peak + 1, usage[n].sum_of_peaks() + demand.peak,
                                                    usage[n].peak_of_sum() / 2, 0, int64_t{1} << 40, 1000 * kMostUse}));
    quantized.Set(n, usage[n], limits[n]);
  }
  for (cluster::NodeIndex n = 0; n < kNodes; ++n) {
    const bool fits = PeakWith(usage[n], pod, slots) <= limits[n];
    RC_ASSERT(quantized.Fits(n, usage[n], demand, asked, limits[n]) == fits);
  }
}

}  // namespace
}  // namespace huygens::usage
