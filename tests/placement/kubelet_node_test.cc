// The way of a pod on nodes whose kubelet pins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/placement.h"
#include "tests/cluster/build.h"
#include "tests/kubelet/node.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using kubelet::test::BoundPod;
using kubelet::test::Gi;
using kubelet::test::GuaranteedPod;
using kubelet::test::Object;

constexpr std::string_view kNode = "node";

class KubeletNodeTest : public testing::Test {
 protected:
  // Two zones of 8 CPUs and 16 Gi.
  void Use(const std::string& policy, const std::string& scope = "container") {
    placement_ = std::move(*Placement::Create({}));
    placement_->Apply(cluster::NodeSet{MakeNode(std::string(kNode))});
    Publish(Object({{8, 16}, {8, 16}}, policy, scope));
  }
  void Publish(cluster::NodeTopology object) {
    object.node_name = kNode;
    placement_->Apply(cluster::TopologySet{std::move(object)});
  }
  Reason FilterPod(const cluster::Pod& pod) { return placement_->Filter(pod, {&kNode, 1}, kNow).reasons.at(0); }
  Reason Filter(const std::vector<std::pair<int64_t, int64_t>>& containers) {
    return FilterPod(*GuaranteedPod("asking", containers));
  }
  int64_t Score(const std::vector<std::pair<int64_t, int64_t>>& containers) {
    return placement_->Prioritize(*GuaranteedPod("asking", containers), {&kNode, 1}, kNow)[0];
  }
  std::vector<ZoneShare> Bind(const std::string& name, const std::vector<std::pair<int64_t, int64_t>>& containers) {
    auto made = placement_->Reserve(GuaranteedPod(name, containers), kNode, kNow);
    EXPECT_TRUE(made.ok() && made->Accepted());
    return made.ok() ? made->zones : std::vector<ZoneShare>();
  }

  std::unique_ptr<Placement> placement_;
};

TEST_F(KubeletNodeTest, RefusesWhatKubeletWouldAndSaysWhetherVictimsHelp) {
  Use("single-numa-node");
  Bind("first", {{5, 2}});
  Bind("second", {{6, 2}});
  EXPECT_EQ(Filter({{2, 2}}), Reason::kFits);
  EXPECT_EQ(Filter({{4, 2}}), Reason::kCannotAlignContainer);
  EXPECT_EQ(Filter({{9, 2}}), Reason::kNeverAlignsContainer);
  EXPECT_TRUE(policy::CurableByVictims(Reason::kCannotAlignContainer));
  EXPECT_FALSE(policy::CurableByVictims(Reason::kNeverAlignsContainer));
  Use("restricted", "pod");
  EXPECT_EQ(Filter({{9, 20}}), Reason::kFits);
  EXPECT_EQ(Filter({{9, 2}}), Reason::kNeverAlignsPod) << "CPUs of two zones, memory of one";
  EXPECT_EQ(Filter({{9, 2}, {9, 2}}), Reason::kNeverAlignsPod);
}

// Objects of NFD and of the resource topology exporter have no attribute for the CPU manager's options.
TEST_F(KubeletNodeTest, RefusesByTheOptionsOfTheCpuManagerThatOnlyTheConfigurationSays) {
  Use("single-numa-node");
  EXPECT_EQ(Filter({{3, 1}}), Reason::kFits);
  Options options;
  options.kubelet.full_cores_only = true;
  placement_ = std::move(*Placement::Create(options));
  placement_->Apply(cluster::NodeSet{MakeNode(std::string(kNode))});
  Publish(Object({{8, 16}, {8, 16}}));
  EXPECT_EQ(Filter({{3, 1}}), Reason::kTooFewCores) << "kubelet: SMTAlignmentError";
  EXPECT_EQ(Filter({{4, 1}}), Reason::kFits);
  EXPECT_EQ(Filter({{2, 1}, {1, 1}}), Reason::kTooFewCores);

  options.kubelet.threads_per_core = 1;
  placement_ = std::move(*Placement::Create(options));
  placement_->Apply(cluster::NodeSet{MakeNode(std::string(kNode))});
  Publish(Object({{8, 16}, {8, 16}}));
  EXPECT_EQ(Filter({{3, 1}}), Reason::kFits) << "without SMT each CPU is a core";
}

TEST_F(KubeletNodeTest, RefusesByTheOptionsOfTheCpuManagerThatOnlyALabelSays) {
  Use("single-numa-node");
  auto node = MakeNode(std::string(kNode));
  node.labels = {{"huygens.dev/cpu-manager-policy-options.full-pcpus-only", "true"}};
  placement_->Apply(cluster::NodeSet{node});
  EXPECT_EQ(Filter({{3, 1}}), Reason::kTooFewCores);
  EXPECT_EQ(Filter({{4, 1}}), Reason::kFits);
  EXPECT_FALSE(placement_->Reserve(GuaranteedPod("odd", {{3, 1}}), kNode, kNow)->Accepted());
  const NodeDescription shown = *placement_->Describe(kNode, kNow);
  EXPECT_THAT(shown.kubelet, testing::Contains(kubelet::Setting{"cpuManagerPolicyOptions.full-pcpus-only", "true",
                                                                kubelet::SettingSource::kLabel}));
  EXPECT_THAT(shown.kubelet,
              testing::Contains(kubelet::Setting{"threadsPerCore", "2", kubelet::SettingSource::kConfiguration}))
      << "what is assumed of cores that nobody published is said";

  auto published = Object({{8, 16}, {8, 16}});
  for (cluster::Zone& zone : published.zones) {
    for (uint16_t cpu = 0; cpu < 8; ++cpu) zone.cores.push_back({static_cast<uint16_t>(zone.id * 8 + cpu)});
  }
  Publish(published);
  EXPECT_EQ(Filter({{3, 1}}), Reason::kFits) << "the object lists cores of one thread";

  node.labels.clear();
  placement_->Apply(cluster::NodeSet{node});
  Publish(Object({{8, 16}, {8, 16}}));
  EXPECT_EQ(Filter({{3, 1}}), Reason::kFits) << "the label is gone";
}

TEST_F(KubeletNodeTest, LetsPodsPassThatKubeletDoesNotPin) {
  Use("single-numa-node");
  auto pod = GuaranteedPod("asking", {{20, 1}});
  EXPECT_EQ(FilterPod(*pod), Reason::kNeverAlignsContainer);
  cluster::Container& container = pod->containers[0];
  container.requests.Set(kCpu, 20500);
  container.limits.Set(kCpu, 20500);
  EXPECT_EQ(FilterPod(*pod), Reason::kFits) << "a fraction of a CPU";
  container.requests.Set(kCpu, 20000);
  EXPECT_EQ(FilterPod(*pod), Reason::kFits) << "not Guaranteed";
}

TEST_F(KubeletNodeTest, ReservesThePredictedZonesWithAllThatIsTakenOfThem) {
  Use("restricted");
  const auto one = Bind("one", {{3, 2}});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].name, "node-0");
  EXPECT_EQ(one[0].amount, (ResourceVector{{kCpu, 3000}, {kMemory, 2 * Gi}}));
  EXPECT_EQ(Filter({{8, 1}}), Reason::kFits) << "zone 1 is untouched";
  EXPECT_EQ(Filter({{14, 20}}), Reason::kCannotAlignContainer);
}

TEST_F(KubeletNodeTest, ScoresTheZonesThatKubeletWillTake) {
  Use("best-effort");
  EXPECT_EQ(Score({{4, 1}}), 10);
  EXPECT_LT(Score({{12, 1}}), 6);
  Bind("one", {{5, 1}});
  Bind("two", {{5, 1}});
  EXPECT_LT(Score({{4, 1}}), 6) << "kubelet takes what is left of both";
}

TEST_F(KubeletNodeTest, ShowsHowEachPodIsCounted) {
  Use("single-numa-node");
  Bind("ours", {{3, 2}});
  placement_->Apply(
      cluster::PodSet{BoundPod(*GuaranteedPod("ours", {{3, 2}}), {{0, {{kCpu, 3000}, {kMemory, 2 * Gi}}}})});
  placement_->Apply(cluster::PodSet{BoundPod(*GuaranteedPod("foreign", {{2, 1}}), {})});
  const NodeDescription node = *placement_->Describe(kNode, kNow);
  ASSERT_EQ(node.zones.size(), 2u);
  EXPECT_EQ(node.zones[0].available->Get(kCpu), 8000);
  EXPECT_EQ(node.zones[0].free.Get(kCpu), 3000);
  EXPECT_EQ(node.zones[1].free.Get(kCpu), 6000);
  ASSERT_EQ(node.pods.size(), 2u);
  EXPECT_FALSE(node.pods[0].kubelet->contained || node.pods[0].kubelet->known);  // foreign
  EXPECT_TRUE(node.pods[1].kubelet->known);
}

TEST_F(KubeletNodeTest, LearnsWhereAForeignPodIsWhenItIsObserved) {
  Use("single-numa-node");
  auto foreign = BoundPod(*GuaranteedPod("foreign", {{2, 1}}), {});
  placement_->Apply(cluster::PodSet{foreign});
  EXPECT_EQ(Filter({{8, 1}}), Reason::kCannotAlignContainer);
  auto observed = std::make_shared<cluster::Pod>(*foreign);
  observed->observed_mark = {foreign->uid, foreign->node_name, {{1, {{kCpu, 2000}, {kMemory, Gi}}}}};
  placement_->Apply(cluster::PodSet{observed});
  EXPECT_EQ(Filter({{8, 1}}), Reason::kFits);
  const NodeDescription node = *placement_->Describe(kNode, kNow);
  ASSERT_EQ(node.pods.size(), 1u);
  ASSERT_EQ(node.pods[0].zones.size(), 1u);
  EXPECT_EQ(node.pods[0].zones[0].name, "node-1");
}

TEST_F(KubeletNodeTest, RefusesPinnedPodsWhereTheObjectIsUnusable) {
  Use("single-numa-node");
  auto broken = Object({});
  broken.defect = "65 zones; at most 64 are supported";
  Publish(broken);
  EXPECT_EQ(Filter({{1, 1}}), Reason::kInvalidTopologyData);
  EXPECT_EQ(FilterPod(cluster::Pod()), Reason::kFits);
}

}  // namespace
}  // namespace huygens::placement
