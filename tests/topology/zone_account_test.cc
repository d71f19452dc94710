#include "topology/zone_account.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "tests/base/clock.h"
#include "tests/topology/placed_pod.h"

namespace huygens::topology {
namespace {

using cluster::NodeTopology;
using cluster::PlacedPod;
using cluster::ZoneAmount;
using std::chrono::minutes;

using huygens::test::kNow;

NodeTopology Managed(const std::vector<std::pair<int, int64_t>>& zones) {
  NodeTopology topology;
  topology.pinned_by_agent = true;
  for (const auto& [id, cpu] : zones) {
    cluster::Zone zone;
    zone.id = id;
    zone.name = "node" + std::to_string(id);
    zone.allocatable = {{kCpu, cpu}, {kMemory, cpu}};
    topology.zones.push_back(zone);
  }
  return topology;
}

PlacedPod Pod(cluster::NodeIndex node, std::vector<ZoneAmount> zones) {
  return test::HoldingPod(std::move(zones), node);
}
PlacedPod Pod(cluster::NodeIndex node, int zone, int64_t cpu) { return Pod(node, {{zone, {{kCpu, cpu}}}}); }

ZoneRequest Ask(int64_t cpu, std::optional<bool> aware = std::nullopt) { return {{cpu}, aware}; }

std::map<int, int64_t> Used(const ZoneAccount& account, cluster::NodeIndex node) {
  std::map<int, int64_t> used;
  for (const auto& figures : account.Figures(node, kNow)) {
    if (figures.used[0] != 0) used[figures.zone] = figures.used[0];
  }
  return used;
}

int64_t FreeCpu(const ZoneAccount& account, int zone, Time now = kNow) {
  for (const auto& figures : account.Figures(0, now)) {
    if (figures.zone == zone) return figures.free[0];
  }
  return -1;
}

TEST(ZoneAccount, TellsTheKindsOfNodesApart) {
  ZoneAccount account({});
  EXPECT_EQ(account.Mode(0), NodeMode::kNoTopology);
  NodeTopology topology = Managed({{0, 1000}});
  account.NodeChanged(3, &topology);
  EXPECT_EQ(account.Mode(3), NodeMode::kManaged);
  EXPECT_EQ(account.Mode(2), NodeMode::kNoTopology);

  NodeTopology kubelet = topology;
  kubelet.pinned_by_agent = false;
  account.NodeChanged(0, &kubelet);
  EXPECT_EQ(account.Mode(0), NodeMode::kKubelet);

  NodeTopology community = topology;
  community.source = cluster::TopologySource::kCommunity;
  community.defect = "65 zones";
  account.NodeChanged(0, &community);
  EXPECT_EQ(account.Mode(0), NodeMode::kKubelet);

  NodeTopology defect = topology;
  defect.defect = "65 zones";
  account.NodeChanged(0, &defect);
  EXPECT_EQ(account.Mode(0), NodeMode::kUnusable);

  NodeTopology twice = Managed({{0, 1000}, {0, 1000}});
  account.NodeChanged(0, &twice);
  EXPECT_EQ(account.Mode(0), NodeMode::kUnusable);

  std::vector<std::pair<int, int64_t>> zones;
  for (int id = 0; id < 65; ++id) zones.push_back({id, 1000});
  NodeTopology many = Managed(zones);
  account.NodeChanged(0, &many);
  EXPECT_EQ(account.Mode(0), NodeMode::kUnusable);
  many.zones.pop_back();
  account.NodeChanged(0, &many);
  EXPECT_EQ(account.Mode(0), NodeMode::kManaged);

  account.NodeChanged(0, nullptr);
  EXPECT_EQ(account.Mode(0), NodeMode::kNoTopology);
}

TEST(ZoneAccount, OneZoneIsThePodsWordElseTheNodes) {
  ZoneAccount account({});
  NodeTopology topology = Managed({{0, 4000}, {1, 4000}});
  account.NodeChanged(0, &topology);
  EXPECT_FALSE(account.OneZone(0, Ask(1000)));
  EXPECT_TRUE(account.OneZone(0, Ask(1000, true)));
  topology.single_numa = true;
  account.NodeChanged(0, &topology);
  EXPECT_TRUE(account.OneZone(0, Ask(1000)));
  EXPECT_FALSE(account.OneZone(0, Ask(1000, false)));
}

TEST(ZoneAccount, SaysWhetherAndWhyNot) {
  ZoneAccount account({});
  NodeTopology topology = Managed({{0, 4000}, {1, 6500}});
  account.NodeChanged(0, &topology);
  account.Place(Pod(0, 1, 3000));
  struct Case {
    const char* what;
    ZoneRequest request;
    Fit fit;
  } cases[] = {
      {"one zone has room", Ask(4000, true), Fit::kFits},
      {"only the empty zone has room", Ask(5000, true), Fit::kTaken},
      {"the whole capacity of the larger zone", Ask(6000, true), Fit::kTaken},
      {"no zone is that large", Ask(7000, true), Fit::kTooSmall},
      {"both zones together", Ask(7000, false), Fit::kFits},
      {"half a CPU of the larger zone does not count across zones", Ask(8000, false), Fit::kTaken},
      {"all zones empty", Ask(10000, false), Fit::kTaken},
      {"more than the node has in whole CPUs", Ask(11000, false), Fit::kTooSmall},
      {"the node's word: across zones", Ask(7000), Fit::kFits},
  };
  for (const Case& each : cases) EXPECT_EQ(account.Check(0, each.request, kNow), each.fit) << each.what;
}

TEST(ZoneAccount, OfferFitsExactlyWhenCheckSaysSo) {
  ZoneAccount account({});
  NodeTopology topology = Managed({{0, 4300}, {2, 6500}});
  account.NodeChanged(0, &topology);
  account.Place(Pod(0, 2, 700));
  ZoneOffers offers;
  account.Choose(0, Ask(1000, true), kNow, offers);
  EXPECT_EQ(offers.zones, (absl::InlinedVector<int, 8>{0, 2}));
  EXPECT_EQ(offers.Free(1, 0), 5800);
  EXPECT_EQ(offers.Usable(1, 0), 5800);
  account.Choose(0, Ask(1000, false), kNow, offers);
  EXPECT_EQ(offers.Free(1, 0), 5800);
  EXPECT_EQ(offers.Usable(1, 0), 5300);
  EXPECT_EQ(offers.Usable(0, 0), 4000);
  EXPECT_EQ(offers.size(), 2u);
}

TEST(ZoneAccount, RealCapacityCountsWhileFresh) {
  struct Case {
    const char* what;
    WhenStale when_stale;
    std::optional<minutes> age;  // none: no date given
    int64_t free;
    Fit fit;  // of a request for 8 CPUs
  } cases[] = {
      {"fresh", WhenStale::kUseAllocatable, minutes(4), 3000, Fit::kTooSmall},
      {"at the limit", WhenStale::kUseAllocatable, minutes(5), 3000, Fit::kTooSmall},
      {"stale, back to allocatable", WhenStale::kUseAllocatable, minutes(6), 9000, Fit::kFits},
      {"stale, last figure", WhenStale::kUseLast, minutes(6), 3000, Fit::kTooSmall},
      {"stale, rejected", WhenStale::kReject, minutes(6), 0, Fit::kStale},
      {"no date never goes stale", WhenStale::kReject, std::nullopt, 3000, Fit::kTooSmall},
      {"from the future", WhenStale::kReject, minutes(-60), 3000, Fit::kTooSmall},
  };
  for (const Case& each : cases) {
    ZoneAccount account({.stale_after = minutes(5), .when_stale = each.when_stale});
    NodeTopology topology = Managed({{0, 10000}});
    topology.zones[0].offline_cpu = 4000;
    if (each.age) topology.zones[0].offline_updated = kNow - *each.age;
    account.NodeChanged(0, &topology);
    account.Place(Pod(0, 0, 1000));
    EXPECT_EQ(FreeCpu(account, 0), each.free) << each.what;
    EXPECT_EQ(account.Check(0, Ask(8000, true), kNow), each.fit) << each.what;
  }
}

TEST(ZoneAccount, StaleCapacityThatWouldHaveFitIsNamedAsTheCause) {
  ZoneAccount account({.stale_after = minutes(5), .when_stale = WhenStale::kReject});
  NodeTopology topology = Managed({{0, 10000}, {1, 10000}});
  topology.zones[0].offline_cpu = 8000;
  topology.zones[0].offline_updated = kNow - minutes(10);
  account.NodeChanged(0, &topology);
  EXPECT_EQ(account.Check(0, Ask(8000, true), kNow), Fit::kFits);  // zone 1
  account.Place(Pod(0, 1, 5000));
  EXPECT_EQ(account.Check(0, Ask(8000, true), kNow), Fit::kTaken);
  topology.zones[1].allocatable.Set(kCpu, 5000);
  account.NodeChanged(0, &topology);
  EXPECT_EQ(account.Check(0, Ask(8000, true), kNow), Fit::kStale);
  EXPECT_EQ(account.Check(0, Ask(10000, true), kNow), Fit::kStale)
      << "more than it had last; what it has now nobody knows";
  EXPECT_EQ(account.Check(0, Ask(11000, true), kNow), Fit::kTooSmall);
  account.Place(Pod(0, 0, 3000));
  EXPECT_EQ(account.Check(0, Ask(8000, true), kNow), Fit::kStale) << "not too small for the empty node";
  EXPECT_EQ(account.Check(0, Ask(8000, false), kNow), Fit::kStale);
  EXPECT_TRUE(account.Figures(0, kNow)[0].stale);
  EXPECT_FALSE(account.Figures(0, kNow)[1].stale);
}

TEST(ZoneAccount, OfflineCapacityNeverRaisesAndNeverGoesBelowZero) {
  ZoneAccount account({});
  NodeTopology topology = Managed({{0, 4000}, {1, 4000}});
  topology.zones[0].offline_cpu = 9000;
  topology.zones[1].offline_cpu = -500;
  account.NodeChanged(0, &topology);
  EXPECT_EQ(FreeCpu(account, 0), 4000);
  EXPECT_EQ(FreeCpu(account, 1), 0);
}

TEST(ZoneAccount, OverfullZonesHaveNothingFree) {
  ZoneAccount account({});
  NodeTopology topology = Managed({{0, 4000}, {1, 4000}});
  account.NodeChanged(0, &topology);
  account.Place(Pod(0, 0, 3000));
  topology.zones[0].offline_cpu = 1000;
  account.NodeChanged(0, &topology);
  EXPECT_EQ(FreeCpu(account, 0), 0);
  // The excess is not taken from the other zone.
  EXPECT_EQ(account.Check(0, Ask(4000, false), kNow), Fit::kFits);
}

TEST(ZoneAccount, OvercommittedZonesAreThoseThatGaveMoreThanTheyCan) {
  struct Case {
    const char* what;
    ZoneAmount first, second;  // what the pod holds of two zones, which have 4000 of each
    size_t zones;
  } cases[] = {
      {"nothing used", {0, {}}, {1, {}}, 0},
      {"exactly full", {0, {{kCpu, 4000}}}, {1, {{kCpu, 4000}, {kMemory, 4000}}}, 0},
      {"one beyond", {0, {{kCpu, 4001}}}, {1, {{kCpu, 4000}}}, 1},
      {"beyond in another resource than cpu", {0, {{kCpu, 1}, {kMemory, 4001}}}, {1, {}}, 1},
      {"beyond in both resources counts once", {0, {{kCpu, 4001}, {kMemory, 4001}}}, {1, {}}, 1},
      {"both", {0, {{kCpu, 4001}}}, {1, {{kMemory, 4001}}}, 2},
      {"a zone that nobody publishes", {0, {{kCpu, 4000}}}, {7, {{kCpu, 1}}}, 1},
  };
  for (const Case& each : cases) {
    ZoneAccount account({.managed_resources = {kCpu, kMemory}});
    const NodeTopology topology = Managed({{0, 4000}, {1, 4000}});
    account.NodeChanged(0, &topology);
    account.Place(Pod(0, {each.first, each.second}));
    EXPECT_EQ(account.Overcommitted(0, kNow), each.zones) << each.what;
    account.NodeChanged(0, nullptr);
    EXPECT_EQ(account.Overcommitted(0, kNow), 0u) << each.what << ", no node that huygens manages";
  }
  EXPECT_EQ(ZoneAccount({}).Overcommitted(5, kNow), 0u) << "a node that nobody has told of";
}

TEST(ZoneAccount, ALoweredRealCapacityOvercommitsAZoneWhileItIsFresh) {
  ZoneAccount account({.stale_after = minutes(5), .when_stale = WhenStale::kUseAllocatable});
  NodeTopology topology = Managed({{0, 10000}});
  topology.zones[0].offline_cpu = 4000;
  topology.zones[0].offline_updated = kNow;
  account.NodeChanged(0, &topology);
  account.Place(Pod(0, 0, 4000));
  EXPECT_EQ(account.Overcommitted(0, kNow), 0u) << "exactly full";
  account.Place(Pod(0, 0, 1));
  EXPECT_EQ(account.Overcommitted(0, kNow), 1u);
  EXPECT_EQ(account.Overcommitted(0, kNow + minutes(6)), 0u) << "stale: allocatable counts again";
}

TEST(ZoneAccount, ClaimsOnVanishedZonesStayUntilThePodLeaves) {
  ZoneAccount account({});
  NodeTopology both = Managed({{0, 4000}, {1, 4000}});
  NodeTopology one = Managed({{0, 4000}});
  PlacedPod pod = Pod(0, 1, 3000);
  account.Place(pod);  // before the object
  EXPECT_EQ(Used(account, 0), (std::map<int, int64_t>{{1, 3000}}));
  account.NodeChanged(0, &both);
  EXPECT_EQ(FreeCpu(account, 1), 1000);
  account.NodeChanged(0, &one);
  EXPECT_FALSE(account.Figures(0, kNow).at(1).present);
  account.NodeChanged(0, nullptr);
  EXPECT_EQ(Used(account, 0), (std::map<int, int64_t>{{1, 3000}}));
  account.NodeChanged(0, &both);
  EXPECT_EQ(FreeCpu(account, 1), 1000);
  account.NodeChanged(0, &one);
  account.Leave(pod);
  EXPECT_EQ(account.Figures(0, kNow).size(), 1u);
}

TEST(ZoneAccount, OnlyManagedResourcesAreCharged) {
  ZoneAccount account({.managed_resources = {kMemory, kCpu}});
  EXPECT_EQ(account.options().managed_resources, (std::vector<ResourceId>{kCpu, kMemory}));
  NodeTopology topology = Managed({{0, 4000}});
  account.NodeChanged(0, &topology);
  account.Place(Pod(0, {{0, {{kCpu, 1000}, {kMemory, 1500}, {kEphemeralStorage, 77}}}}));
  EXPECT_EQ(account.Figures(0, kNow)[0].free, Amounts({3000, 2500}));
  EXPECT_EQ(account.Check(0, {{3000, 2500}, true}, kNow), Fit::kFits);
  EXPECT_EQ(account.Check(0, {{3000, 2501}, true}, kNow), Fit::kTaken);
  EXPECT_EQ(account.Check(0, {{3000, 4001}, true}, kNow), Fit::kTooSmall);
}

TEST(ZoneAccount, WhatAPodHasComeToAskIsChargedToItsZones) {
  struct Case {
    const char* what;
    std::vector<ZoneAmount> zones;
    int64_t cpu, memory;  // asked now
    bool by_huygens;
    std::vector<Amounts> used;  // of zones 0 and 1
  } cases[] = {
      {"as bound", {{0, {{kCpu, 4000}, {kMemory, 10}}}}, 4000, 10, true, {{4000, 10}, {0, 0}}},
      {"grown", {{0, {{kCpu, 4000}, {kMemory, 10}}}}, 6000, 13, true, {{6000, 13}, {0, 0}}},
      {"grown in two zones: evenly, in whole CPUs",
       {{0, {{kCpu, 4000}, {kMemory, 10}}}, {1, {{kCpu, 1000}, {kMemory, 1}}}},
       8000,
       14,
       true,
       {{6000, 12}, {2000, 2}}},
      {"crane assigns in part", {{0, {{kCpu, 4000}}}}, 9000, 0, false, {{4000, 0}, {0, 0}}},
      {"huygens leaves nothing out", {{0, {{kCpu, 4000}}}}, 4500, 0, true, {{4500, 0}, {0, 0}}},
      {"what was not managed at bind", {{0, {{kCpu, 4000}}}}, 4000, 10, true, {{4000, 0}, {0, 0}}},
      {"absurd", {{0, {{kCpu, 4000}}}}, INT64_MAX / 1000 * 1000, 0, true, {{kMostPerZone, 0}, {0, 0}}},
  };
  for (const Case& each : cases) {
    ZoneAccount account({.managed_resources = {kCpu, kMemory}});
    const NodeTopology topology = Managed({{0, 64000}, {1, 64000}});
    account.NodeChanged(0, &topology);
    auto pod = std::make_shared<cluster::Pod>();
    const ResourceVector asked = {{kCpu, each.cpu}, {kMemory, each.memory}};
    pod->containers = {{"c", asked, asked, false}};
    if (const int64_t fraction = each.cpu % 1000; fraction != 0) {  // in force, and the spec asks whole CPUs
      const ResourceVector whole = {{kCpu, each.cpu - fraction}};
      pod->containers[0] = {"c", whole, whole, false, cluster::ContainerStatus{asked, {}, {}}};
    }
    if (each.by_huygens) pod->placement_mark = cluster::PlacementMark{};
    const PlacedPod placed{pod, 0, each.zones};
    account.Place(placed);
    const auto figures = account.Figures(0, kNow);
    EXPECT_EQ(figures[0].used, each.used[0]) << each.what;
    EXPECT_EQ(figures[1].used, each.used[1]) << each.what;
    const PlacedPod* pods[] = {&placed};
    EXPECT_FALSE(account.Recount(0, pods)) << each.what;
    account.Leave(placed);
    EXPECT_EQ(Used(account, 0), (std::map<int, int64_t>())) << each.what;
  }
}

TEST(ZoneAccount, DistancesAreForgottenUnlessAllAreKnown) {
  ZoneAccount account({});
  NodeTopology topology = Managed({{0, 4000}, {1, 4000}, {4, 4000}});
  topology.zones[0].costs = {{0, 10}, {1, 12}, {4, 30}};
  topology.zones[1].costs = {{1, 10}, {4, 31}};
  account.NodeChanged(0, &topology);
  ZoneOffers offers;
  account.Choose(0, Ask(1000, false), kNow, offers);
  EXPECT_FALSE(offers.even);
  EXPECT_EQ(offers.nearest, 24);
  EXPECT_EQ(offers.Distance(0, 1), 24);  // the way back is as long as the way there
  EXPECT_EQ(offers.Distance(2, 1), 62);
  topology.zones[1].costs = {{1, 10}};
  account.NodeChanged(0, &topology);
  account.Choose(0, Ask(1000, false), kNow, offers);
  EXPECT_TRUE(offers.even);
  EXPECT_EQ(offers.Distance(0, 1), 510);
}

TEST(ZoneAccount, SocketsTakeThePlaceOfDistancesThatTheObjectDoesNotGive) {
  ZoneAccount account({});
  NodeTopology topology = Managed({{0, 4000}, {1, 5000}, {2, 4000}, {3, 4000}});
  for (cluster::Zone& zone : topology.zones) zone.parent = zone.id % 2 == 0 ? "socket0" : "socket1";
  account.NodeChanged(0, &topology);
  ZoneOffers offers;
  EXPECT_EQ(account.Choose(0, Ask(8000, false), kNow, offers)->members, 0b1010u);  // 1 and 3: the freer socket
  EXPECT_EQ(account.Choose(0, Ask(9000, false), kNow, offers)->members, 0b1010u);
  topology.zones[1].allocatable.Set(kCpu, 4000);
  account.NodeChanged(0, &topology);
  EXPECT_EQ(account.Choose(0, Ask(8000, false), kNow, offers)->members, 0b0101u);
  topology.zones[2].parent = "";
  account.NodeChanged(0, &topology);
  EXPECT_TRUE((account.Choose(0, Ask(8000, false), kNow, offers), offers.even));
}

TEST(ZoneAccount, ZonesAreKnownByTheirIdsHoweverSparse) {
  ZoneAccount account({});
  NodeTopology topology = Managed({{3, 4000}, {17, 8000}, {65535, 6000}});
  account.NodeChanged(0, &topology);
  account.Place(Pod(0, 17, 7000));
  ZoneOffers offers;
  auto set = account.Choose(0, Ask(9000, false), kNow, offers);
  ASSERT_TRUE(set);
  EXPECT_EQ(Divide(offers, *set, Amounts({9000}), account.options().managed_resources),
            (std::vector<ZoneAmount>{{3, {{kCpu, 3000}}}, {65535, {{kCpu, 6000}}}}));
}

// Two zones of CPUs and memory, 34 of memory alone, as on GB200.
TEST(ZoneAccount, ZonesWithoutCpusGiveMemoryAlone) {
  ZoneAccount account({.managed_resources = {kCpu, kMemory}});
  NodeTopology topology = Managed({{0, 8000}, {1, 8000}});
  for (int id = 2; id < 36; ++id) {
    cluster::Zone zone;
    zone.id = id;
    zone.allocatable = {{kMemory, 9000}};
    topology.zones.push_back(zone);
  }
  account.NodeChanged(0, &topology);
  auto given = [&](ZoneRequest request) {
    ZoneOffers offers;
    auto set = account.Choose(0, request, kNow, offers);
    return set ? Divide(offers, *set, request.amounts, account.options().managed_resources) : std::vector<ZoneAmount>();
  };
  using Parts = std::vector<ZoneAmount>;
  EXPECT_EQ(given({{8000, 8000}, true}), (Parts{{0, {{kCpu, 8000}, {kMemory, 8000}}}}));
  EXPECT_EQ(given({{1000, 9000}, true}), Parts());
  EXPECT_EQ(given({{8000, 9000}, false}), (Parts{{0, {{kCpu, 8000}, {kMemory, 8000}}}, {1, {{kMemory, 1000}}}}));
  EXPECT_EQ(given({{1000, 17000}, false}), (Parts{{0, {{kCpu, 1000}, {kMemory, 8000}}}, {2, {{kMemory, 9000}}}}));
  EXPECT_EQ(given({{17000, 1000}, false}), Parts());
}

TEST(ZoneAccount, RecountFindsAndRepairsDrift) {
  ZoneAccount account({});
  NodeTopology topology = Managed({{0, 4000}, {1, 4000}});
  account.NodeChanged(0, &topology);
  PlacedPod a = Pod(0, 0, 1000), b = Pod(0, 7, 2000);
  account.Place(a);
  account.Place(b);
  const PlacedPod* both[] = {&a, &b};
  EXPECT_FALSE(account.Recount(0, both));
  EXPECT_TRUE(account.Recount(0, std::span(both).first(1)));
  EXPECT_EQ(Used(account, 0), (std::map<int, int64_t>{{0, 1000}}));
  EXPECT_TRUE(account.Recount(0, both));
  EXPECT_FALSE(account.Recount(0, both));
  EXPECT_FALSE(account.Recount(9, {}));
}

// Any order of pods coming and going and objects changing leaves exactly what the pods present hold.
RC_GTEST_PROP(ZoneAccount, HoldsWhatThePodsPresentHoldWhateverCameBefore, ()) {
  ZoneAccount account({});
  std::vector<PlacedPod> present;
  const int steps = *rc::gen::inRange(1, 60);
  for (int i = 0; i < steps; ++i) {
    switch (*rc::gen::inRange(0, 4)) {
      case 0: {
        std::vector<std::pair<int, int64_t>> zones;
        for (int id = 0; id < 5; ++id) {
          if (*rc::gen::inRange(0, 3) > 0) zones.push_back({id, 1000 * *rc::gen::inRange(0, 9)});
        }
        NodeTopology topology = Managed(zones);
        topology.pinned_by_agent = *rc::gen::inRange(0, 4) > 0;
        bool absent = *rc::gen::inRange(0, 5) == 0;
        account.NodeChanged(0, absent ? nullptr : &topology);
        break;
      }
      case 1:
        if (!present.empty()) {
          auto gone = present.begin() + *rc::gen::inRange<int>(0, static_cast<int>(present.size()));
          account.Leave(*gone);
          present.erase(gone);
        }
        break;
      default: {
        std::vector<ZoneAmount> zones;
        for (int n = *rc::gen::inRange(0, 3); n > 0; --n) {
          zones.push_back({*rc::gen::inRange(0, 7), {{kCpu, *rc::gen::element<int64_t>(-3, 0, 1, 2500, INT64_MAX)}}});
        }
        present.push_back(Pod(0, zones));
        account.Place(present.back());
      }
    }
    std::map<int, int64_t> expected;
    for (const PlacedPod& pod : present) {
      for (const ZoneAmount& amount : pod.zones) {
        expected[amount.zone] += std::clamp<int64_t>(amount.amount.Get(kCpu), 0, kMostPerZone);
      }
    }
    std::erase_if(expected, [](const auto& entry) { return entry.second == 0; });
    RC_ASSERT(Used(account, 0) == expected);
    std::vector<const PlacedPod*> pods;
    for (const PlacedPod& pod : present) pods.push_back(&pod);
    RC_ASSERT(!account.Recount(0, pods));
  }
}

}  // namespace
}  // namespace huygens::topology
