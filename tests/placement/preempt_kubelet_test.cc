// Victims on nodes that kubelet pins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/placement.h"
#include "tests/kubelet/node.h"

namespace huygens::placement {
namespace {

using kubelet::test::Gi;
using testing::ElementsAre;
using testing::IsEmpty;

const Time kStart = Time(std::chrono::hours(24 * 365 * 56));
const Time kLater = kStart + std::chrono::minutes(5);

using Zones = std::vector<cluster::ZoneAmount>;

// A node of two zones with 8 CPUs each; pod "a" has one, pod "b", of lower priority, the other.
class PreemptOnKubeletNode : public testing::Test {
 protected:
  PreemptOnKubeletNode() : placement_(std::move(*Placement::Create({}))) {
    cluster::Node node{.name = "node"};
    node.allocatable = {{kCpu, 20000}, {kMemory, 64 * Gi}, {kPodSlots, 110}};
    placement_->Apply(cluster::NodeSet{node});
    preemptor_ = kubelet::test::GuaranteedPod("preemptor", {{8, 2}});
    preemptor_->priority = 1000;
  }
  void Publish(int64_t cpus, Time written, const std::string& fingerprint = "") {
    auto object = kubelet::test::Object({{cpus, 14}, {cpus, 14}});
    object.node_name = "node";
    object.written = written;
    if (!fingerprint.empty())
      object.attributes.insert(object.attributes.begin(), {"nodeTopologyPodsFingerprint", fingerprint});
    placement_->Apply(cluster::TopologySet{object});
  }
  void AddPods(bool with_zones) {
    for (int zone = 0; zone < 2; ++zone) {
      auto pod = kubelet::test::GuaranteedPod(zone == 0 ? "a" : "b", {{8, 2}});
      pod->priority = zone == 0 ? 10 : 5;
      Zones zones;
      if (with_zones) zones = {{zone, {{kCpu, 8000}, {kMemory, 2 * Gi}}}};
      placement_->Apply(cluster::PodSet{kubelet::test::BoundPod(*pod, zones, kStart)});
    }
  }
  std::vector<std::string_view> Victims(std::vector<std::string_view> chosen = {}) {
    const PreemptionCandidate candidate{"node", std::move(chosen)};
    return placement_->Preempt(*preemptor_, {&candidate, 1}, kLater).at(0).victims;
  }

  std::unique_ptr<Placement> placement_;
  std::shared_ptr<cluster::Pod> preemptor_;
};

TEST_F(PreemptOnKubeletNode, WhatIsChargedForAPodIsFreedWithIt) {
  Publish(8, kStart);  // too early to contain them
  AddPods(true);
  for (int times = 0; times < 2; ++times) {
    EXPECT_THAT(Victims(), ElementsAre("uid-b"));
    EXPECT_THAT(Victims({"uid-a"}), ElementsAre("uid-a"));
  }
}

TEST_F(PreemptOnKubeletNode, WhatAnObjectWithFingerprintContainsIsFreedInItsZone) {
  Publish(8, kStart);
  AddPods(true);
  Publish(0, kLater, kubelet::test::Fingerprint({"a", "b"}));
  for (int times = 0; times < 2; ++times) {
    EXPECT_THAT(Victims(), ElementsAre("uid-b"));
    EXPECT_THAT(Victims({"uid-a"}), ElementsAre("uid-a"));
  }
}

TEST_F(PreemptOnKubeletNode, NothingIsExpectedOfPodsWhoseZonesAreUnknown) {
  Publish(8, kStart);
  AddPods(false);
  Publish(0, kLater, kubelet::test::Fingerprint({"a", "b"}));
  EXPECT_THAT(Victims({"uid-a"}), IsEmpty());
}

}  // namespace
}  // namespace huygens::placement
