#include "scoring/weighted_mean.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scoring/registry.h"
#include "tests/policy/sources.h"

namespace huygens::scoring {
namespace {

// Says what it was told, node by node.
class Fixed final : public Term {
 public:
  explicit Fixed(std::vector<float> says, int* asked = nullptr) : says_(std::move(says)), asked_(asked) {}
  std::string_view name() const override { return "Fixed"; }
  void Score(const PodQuery&, const cluster::Prepared*, const cluster::State&, std::span<const NodeIndex> nodes,
             std::span<float> scores) const override {
    if (asked_) ++*asked_;
    for (size_t i = 0; i < nodes.size(); ++i) scores[i] = says_[nodes[i]];
  }

 private:
  std::vector<float> says_;
  int* asked_;
};

std::vector<int64_t> Scores(WeightedMean& mean, std::vector<NodeIndex> nodes) {
  cluster::Pod pod;
  cluster::State state;
  std::vector<double> means(nodes.size());
  mean.Mean({pod, Time()}, state, nodes, means);
  std::vector<int64_t> scores;
  for (double each : means) scores.push_back(mean.Scale(each));
  return scores;
}

TEST(WeightedMean, WeighsTheTermsThatHaveAnOpinion) {
  WeightedMean mean(100);
  mean.Add(std::make_unique<Fixed>(std::vector<float>{1, 0, kNoOpinion, kNoOpinion}), 3);
  mean.Add(std::make_unique<Fixed>(std::vector<float>{0, 1, 0.25f, kNoOpinion}), 1);
  EXPECT_EQ(Scores(mean, {0, 1, 2, 3}), (std::vector<int64_t>{75, 25, 25, 0}));
  EXPECT_TRUE(std::isnan(mean.said(0)[2]));
  EXPECT_EQ(mean.said(1)[2], 0.25f);
}

TEST(WeightedMean, RoundsHalfUpToTheScale) {
  WeightedMean ten(10), hundred(100), one(1);
  for (WeightedMean* mean : {&ten, &hundred, &one}) {
    mean->Add(std::make_unique<Fixed>(std::vector<float>{0.25f, 0.5f, 1.0f / 3, 1, 0}), 1);
  }
  EXPECT_EQ(Scores(ten, {0, 1, 2, 3, 4}), (std::vector<int64_t>{3, 5, 3, 10, 0}));
  EXPECT_EQ(Scores(hundred, {0, 1, 2, 3, 4}), (std::vector<int64_t>{25, 50, 33, 100, 0}));
  EXPECT_EQ(Scores(one, {0, 1, 2, 3, 4}), (std::vector<int64_t>{0, 1, 0, 1, 0}));
}

TEST(WeightedMean, CutsWhatIsOutOfRange) {
  WeightedMean mean(10);
  mean.Add(std::make_unique<Fixed>(std::vector<float>{7, -7, INFINITY}), 1);
  EXPECT_EQ(Scores(mean, {0, 1, 2}), (std::vector<int64_t>{10, 0, 10}));
}

TEST(WeightedMean, DoesNotAskATermOfWeightZero) {
  int asked = 0;
  WeightedMean mean(10);
  mean.Add(std::make_unique<Fixed>(std::vector<float>{1}, &asked), 0);
  EXPECT_EQ(Scores(mean, {0}), (std::vector<int64_t>{0}));
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(mean.size(), 0u);
}

TEST(TermRegistry, MakesEachTermUnderItsOwnName) {
  policy::test::SourcesOfAll sources;
  for (const TermEntry& entry : KnownTerms()) {
    EXPECT_EQ(FindTerm(entry.name), &entry);
    const auto options = entry.options ? entry.options() : nullptr;
    const policy::Sources from = sources.For(entry.needs, options.get());
    EXPECT_EQ(entry.make({from})->name(), entry.name);
    if (entry.weighs_resources) {
      EXPECT_EQ(entry.make({from, {{kCpu, 2}}})->name(), entry.name);
    }
    if (entry.has_dominant_form) {
      EXPECT_EQ(entry.make({from, {}, true})->name(), entry.name);
    }
  }
  EXPECT_EQ(FindTerm("fewestZones"), nullptr);
}

}  // namespace
}  // namespace huygens::scoring
