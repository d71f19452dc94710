// The guarantee of the usage check on a part of a public trace: every twentieth application and machine. The judge is
// replay/outcome.h, which knows the raw data and nothing of huygens.
#include "replay/replay.h"

#include <gtest/gtest.h>

namespace huygens::replay {
namespace {

constexpr uint32_t kPart = 20;

Trace PartOf(const Trace& whole) {
  Trace part;
  for (uint32_t app = 0; app < whole.apps.size(); app += kPart) {
    App& kept = part.apps.emplace_back(whole.apps[app]);
    kept.at_most.clear();
    for (auto [other, most] : whole.apps[app].at_most) {
      if (other % kPart == 0) kept.at_most.emplace_back(other / kPart, most);
    }
  }
  for (uint32_t machine = 0; machine < whole.machines.size(); machine += kPart) {
    part.machines.push_back(whole.machines[machine]);
  }
  for (uint32_t app : whole.instances) {
    if (app % kPart == 0) part.instances.push_back(app / kPart);
  }
  return part;
}

class TraceReplay : public testing::Test {
 protected:
  void SetUp() override {
    StatusOr<Trace> trace = ReadTrace(HUYGENS_SHARED_DATA "/tianchi2018b");
    if (absl::IsNotFound(trace.status())) GTEST_SKIP() << trace.status();
    ASSERT_TRUE(trace.ok()) << trace.status();
    trace_ = PartOf(*trace);
    ASSERT_GT(trace_.instances.size(), 1000u);
  }

  Outcome OutcomeOf(const ReplayOptions& options) const {
    const StatusOr<Assignment> assignment = Replay(trace_, options);
    EXPECT_TRUE(assignment.ok()) << assignment.status();
    return assignment.ok() ? Count(trace_, *assignment) : Outcome{};
  }

  Trace trace_;
};

const std::vector<placement::WeightedTerm> kScore = {{"LeastUsed", 1}, {"Balanced", 1}};

TEST_F(TraceReplay, LeavesNoMachineAboveItsCeilingAtAnyPoint) {
  for (usage::Estimator estimator : {usage::Estimator::kPeakOfSum, usage::Estimator::kSumOfPeaks}) {
    for (bool anti_affinity : {false, true}) {
      for (ReplayOptions options : {ReplayOptions{}, {.terms = kScore}, {.terms = kScore, .grow = true}}) {
        options.estimator = estimator;
        options.anti_affinity = anti_affinity;
        const Outcome outcome = OutcomeOf(options);
        EXPECT_GT(outcome.machines, 0u);
        EXPECT_LT(outcome.unplaced, trace_.instances.size() / 100);
        EXPECT_EQ(outcome.over_80, 0u);
        EXPECT_EQ(outcome.overfull, 0u);
        if (anti_affinity) {
          EXPECT_EQ(outcome.conflicts, 0u);
        }
      }
    }
  }
}

// Requests that were lowered to what is recommended let more onto a machine than it can carry at some hour; the ceiling
// holds all the same.
TEST_F(TraceReplay, LoweredRequestsMakeHotMachinesAndTheCeilingNone) {
  const ReplayOptions alone{.requests = Requests::kRecommended, .usage_check = false, .terms = kScore, .grow = true};
  const Outcome without = OutcomeOf(alone);
  EXPECT_GT(without.over_80, without.machines / 10);
  EXPECT_EQ(without.overfull, 0u);
  ReplayOptions both = alone;
  both.usage_check = true;
  const Outcome with = OutcomeOf(both);
  EXPECT_EQ(with.over_80, 0u);
  EXPECT_EQ(with.overfull, 0u);
  ReplayOptions written = both;
  written.requests = Requests::kWritten;
  EXPECT_LT(with.cores, OutcomeOf(written).cores);  // or lowering had been for nothing
}

// Or the judge would acquit anybody.
TEST_F(TraceReplay, LeavesHotMachinesIfItGoesByUseAtTheTroughOrByTheMean) {
  for (Knowledge knowledge : {Knowledge::kAtTrough, Knowledge::kMean}) {
    const Outcome outcome = OutcomeOf({.knowledge = knowledge});
    EXPECT_GT(outcome.over_80, outcome.machines / 2);
    EXPECT_GT(outcome.over_100, 0u);
    EXPECT_GT(outcome.conflicts, 0u);
  }
}

TEST_F(TraceReplay, NeedsFewerCoresByPeakOfSumThanBySumOfPeaks) {
  const Outcome sum_of_peaks = OutcomeOf({.estimator = usage::Estimator::kSumOfPeaks});
  const Outcome peak_of_sum = OutcomeOf({});
  EXPECT_LT(peak_of_sum.cores, 0.9 * sum_of_peaks.cores);
}

TEST_F(TraceReplay, PlacesTheSameAgain) {
  const ReplayOptions options{.terms = kScore};
  EXPECT_EQ(*Replay(trace_, options), *Replay(trace_, options));
}

}  // namespace
}  // namespace huygens::replay
