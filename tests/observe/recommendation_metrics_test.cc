#include "observe/recommendation_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observe/controller_metrics.h"
#include "observe/metrics.h"

namespace huygens::observe {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RecommendationMetrics, AreThereOnlyWhereTheyAreMadeAndGrow) {
  Metrics metrics({.version = "1", .commit = "c"});
  EXPECT_THAT(metrics.Render(), Not(HasSubstr("huygens_recommendation")));
  RecommendationCounts counts;
  counts.pools = {
      {.pool = "shared", .resource = "cpu", .used = 1.5, .requested = 4, .original = 8, .samples = 20, .exceeded = 1}};
  counts.applied = 3;
  counts.scans = 2;
  counts.left_out = 5;
  counts.checkpoints = 7;
  metrics.controller().SetRecommendations(counts);
  counts.pools[0].samples = 30;
  counts.scans = 3;
  metrics.controller().SetRecommendations(counts);
  const std::string text = metrics.Render();
  EXPECT_THAT(text, HasSubstr(R"(huygens_overcommit_used{pool="shared",resource="cpu"} 1.5)"));
  EXPECT_THAT(text, HasSubstr(R"(huygens_overcommit_requested{pool="shared",resource="cpu"} 4)"));
  EXPECT_THAT(text, HasSubstr(R"(huygens_overcommit_samples_total{pool="shared",resource="cpu"} 30)"));
  EXPECT_THAT(text, HasSubstr(R"(huygens_overcommit_samples_exceeded_total{pool="shared",resource="cpu"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(huygens_recommendations{state="applied"} 3)"));
  EXPECT_THAT(text, HasSubstr("huygens_recommendation_scans_total 3"));
  EXPECT_THAT(text, HasSubstr(R"(huygens_recommendation_samples_total{result="leftOut"} 5)"));
  EXPECT_THAT(text, HasSubstr(R"(huygens_recommendation_writes_total{what="checkpoint"} 7)"));
}

}  // namespace
}  // namespace huygens::observe
