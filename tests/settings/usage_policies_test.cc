// The two sample configurations for clusters that are placed by real use, and the case that told them apart: under
// equal weights a hot node whose CPUs and memory are used alike beats a cool one (Didi's elastic cloud had it so).
#include <gtest/gtest.h>

#include "settings/placement_options.h"
#include "settings/yaml.h"
#include "tests/cluster/build.h"

namespace huygens::settings {
namespace {

const Time kNow = *ParseRfc3339("2026-11-21T12:00:00Z");

class UsagePolicies : public testing::Test {
 protected:
  // Scores of a small pod on a node whose CPUs and memory are both used to 70%, and on one that uses 5% and 75%.
  std::vector<int64_t> Score(const std::string& sample) {
    auto configuration = LoadConfiguration(HUYGENS_SOURCE_DIR "/config/samples/" + sample);
    EXPECT_TRUE(configuration.ok()) << configuration.status();
    ResourceNames resources;
    auto placement = placement::Placement::Create(*PlacementOptions(*configuration, resources));
    EXPECT_TRUE(placement.ok()) << placement.status();
    AddNode(**placement, "hot", 70'000, 280);
    AddNode(**placement, "cool", 5'000, 300);
    (*placement)->SettleUsage();
    cluster::Pod pod = test::PodAsking({{kCpu, 100}, {kMemory, int64_t{1} << 28}}, {});
    pod.name = pod.uid = "new";
    const std::string_view names[] = {"hot", "cool"};
    EXPECT_EQ((*placement)->Filter(pod, names, kNow).feasible.size(), 2u);
    const auto scores = (*placement)->Prioritize(pod, names, kNow);
    return {scores.begin(), scores.end()};
  }

 private:
  // Of 100 CPUs and 400 GiB.
  static void AddNode(placement::Placement& placement, const std::string& name, int64_t milli_cpus, int64_t gibibytes) {
    cluster::Node node;
    node.name = name;
    node.allocatable = {{kCpu, 100'000}, {kMemory, int64_t{400} << 30}};
    placement.Apply(cluster::NodeSet{node});
    const int64_t use[] = {milli_cpus, gibibytes << 30};
    for (size_t r = 0; r < 2; ++r) {
      placement.ApplyUsage({.resource = r,
                            .slot = usage::SlotAt(kNow, std::chrono::minutes(15)),
                            .measured = kNow,
                            .workloads = {},
                            .nodes = {{name, use[r]}}},
                           kNow);
    }
  }
};

TEST_F(UsagePolicies, EqualWeightsChooseTheHotterButMoreBalancedNode) {
  const auto scores = Score("usage-equal-weights.yaml");
  EXPECT_GT(scores[0], scores[1]);
}

TEST_F(UsagePolicies, MoreWeightOnLeastUsedChoosesTheCoolerNode) {
  const auto scores = Score("usage-least-used.yaml");
  EXPECT_LT(scores[0], scores[1]);
}

}  // namespace
}  // namespace huygens::settings
