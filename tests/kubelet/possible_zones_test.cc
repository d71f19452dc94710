#include "kubelet/possible_zones.h"

#include <gtest/gtest.h>

#include "kubelet/published.h"
#include "tests/kubelet/node.h"

namespace huygens::kubelet {
namespace {

using Cpus = std::vector<int64_t>;

// A pod of these containers, each of so many CPUs.
Pod PodOf(const Cpus& init, const Cpus& app) {
  auto containers = [](const Cpus& cpus) {
    std::vector<std::pair<int64_t, int64_t>> asked;
    for (int64_t each : cpus) asked.emplace_back(each, 1);
    return test::GuaranteedPod("a", asked)->containers;
  };
  cluster::Pod pod;
  pod.init_containers = containers(init);
  pod.containers = containers(app);
  return kubelet::PodOf(pod);
}

class PossibleZones : public testing::Test {
 protected:
  explicit PossibleZones(const std::string& scope = "pod", const std::string& policy = "single-numa-node") {
    const auto object = test::Object({{8, 16}, {8, 16}, {8, 16}}, policy, scope);
    machine = PublishedMachine(object,
                               {.policy = TopologyManagerPolicy::kSingleNumaNode,
                                .scope = scope == "pod" ? TopologyManagerScope::kPod : TopologyManagerScope::kContainer,
                                .static_cpus = true,
                                .static_memory = true});
  }

  // Where each may be, of `used` CPUs of each zone of 8; nothing if that is impossible.
  std::vector<ZoneMask> Narrow(const std::vector<Pod>& pods, const Cpus& used) {
    ShownCpus shown{.used = used};
    for (int64_t each : used) shown.free.push_back(8 - each);
    std::vector<HiddenPod> hidden;
    for (const Pod& pod : pods) hidden.push_back({&pod, 0b111});
    deal = NarrowZones(machine, shown, hidden);
    std::vector<ZoneMask> possible;
    for (const HiddenPod& each : hidden) possible.push_back(each.possible);
    return possible;
  }

  Machine machine;
  Deal deal = Deal::kUnsure;
};

class PossibleZonesOfContainers : public PossibleZones {
 protected:
  PossibleZonesOfContainers() : PossibleZones("container") {}
};

using Masks = std::vector<ZoneMask>;

TEST_F(PossibleZones, APodIsWhereSoManyCpusAreInUse) {
  const std::vector<Pod> pods{PodOf({5}, {3}), PodOf({}, {2})};
  EXPECT_EQ(Narrow(pods, {0, 3, 2}), (Masks{0b010, 0b100}));
  EXPECT_EQ(Narrow(pods, {5, 0, 0}), (Masks{0b001, 0b001}));
  EXPECT_EQ(Narrow({PodOf({5}, {2}), PodOf({}, {2})}, {0, 2, 2}), (Masks{0b110, 0b110}));
}

TEST_F(PossibleZones, WhatInitContainersLeftNeedsRoomThatIsNotInUse) {
  EXPECT_EQ(Narrow({PodOf({5}, {2}), PodOf({}, {2}), PodOf({}, {4})}, {0, 2, 6}), (Masks{0b010, 0b100, 0b100}));
}

TEST_F(PossibleZones, ThereMayBeNoWay) {
  EXPECT_EQ(Narrow({PodOf({5}, {3})}, {2, 1, 0}), (Masks{0b111}));
  EXPECT_EQ(deal, Deal::kNone);
  (void)Narrow({PodOf({5}, {3})}, {-1, 4, 0});
  EXPECT_EQ(deal, Deal::kNone);
}

TEST_F(PossibleZones, TellsNothingWhereTheSearchIsTooLong) {
  const std::vector<Pod> pods(24, PodOf({1}, {1}));
  EXPECT_EQ(Narrow(pods, {8, 8, 8}), Masks(24, 0b111));
  EXPECT_EQ(deal, Deal::kUnsure);
}

TEST_F(PossibleZonesOfContainers, OnlyWhatComesAfterTheInitContainerIsWithIt) {
  Pod pod = PodOf({1, 4}, {2});
  pod.containers[0].kind = Container::Kind::kSidecar;
  EXPECT_EQ(Narrow({pod}, {1, 0, 2}), (Masks{0b100}));
  EXPECT_EQ(Narrow({pod}, {0, 3, 0}), (Masks{0b010}));
}

// Both containers are where CPUs are left, and these are not where others have all.
TEST_F(PossibleZonesOfContainers, ContainersAreTogetherWhileCpusAreLeft) {
  EXPECT_EQ(Narrow({PodOf({5}, {1, 2})}, {0, 3, 0}), (Masks{0b010}));
  (void)Narrow({PodOf({5}, {1, 2})}, {1, 2, 0});
  EXPECT_EQ(deal, Deal::kNone);
  EXPECT_EQ(Narrow({PodOf({3}, {1, 2})}, {1, 2, 0}), (Masks{0b111}));
  EXPECT_EQ(deal, Deal::kFound);
}

TEST_F(PossibleZones, OnlyPodsOfOneZoneTell) {
  EXPECT_TRUE(InOneZone(machine, PodOf({}, {9})));
  machine.options.policy = TopologyManagerPolicy::kRestricted;
  EXPECT_TRUE(InOneZone(machine, PodOf({}, {4, 4})));
  EXPECT_FALSE(InOneZone(machine, PodOf({}, {4, 5})));
  machine.options.scope = TopologyManagerScope::kContainer;
  EXPECT_TRUE(InOneZone(machine, PodOf({}, {4, 5})));
  EXPECT_FALSE(InOneZone(machine, PodOf({}, {9})));
  machine.options.policy = TopologyManagerPolicy::kBestEffort;
  EXPECT_FALSE(InOneZone(machine, PodOf({}, {1})));
}

}  // namespace
}  // namespace huygens::kubelet
