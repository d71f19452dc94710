#include "reports/decision_text.h"

#include <gtest/gtest.h>

namespace huygens::reports {
namespace {

TEST(ZonesText, SaysAmountsAsPodsDo) {
  constexpr int64_t kGibibyte = int64_t{1} << 30;
  const std::vector<admin_api::DecisionDocument::Zone> zones = {
      {"node0", {{"cpuMilli", 2500}, {"memory", kGibibyte}, {"hugepages-2Mi", kGibibyte}, {"example.com/gpu", 2}}},
      {"node1", {{"cpuMilli", 1000}}}};
  EXPECT_EQ(ZonesText(zones), "node0: 2500m cpu 1Gi memory 1Gi hugepages-2Mi 2 example.com/gpu, node1: 1 cpu");
}

}  // namespace
}  // namespace huygens::reports
