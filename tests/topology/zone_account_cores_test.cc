#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "tests/base/clock.h"
#include "tests/topology/placed_pod.h"
#include "topology/zone_account.h"

namespace huygens::topology {
namespace {

using cluster::NodeTopology;
using cluster::PlacedPod;
using cluster::Smt;
using cluster::ZoneAmount;
using Parts = std::vector<ZoneAmount>;

using huygens::test::kNow;

// Cores of two threads per zone; -1 = 8 CPUs on unknown cores.
NodeTopology Managed(const std::vector<int>& cores) {
  NodeTopology topology;
  topology.pinned_by_agent = true;
  uint16_t cpu = 0;
  for (int count : cores) {
    cluster::Zone& zone = topology.zones.emplace_back();
    zone.id = static_cast<int>(topology.zones.size()) - 1;
    zone.allocatable = {{kCpu, count < 0 ? 8000 : 2000 * count}};
    for (int i = 0; i < count; ++i) {
      zone.cores.push_back({cpu, static_cast<uint16_t>(cpu + 1)});
      cpu = static_cast<uint16_t>(cpu + 2);
    }
  }
  return topology;
}

PlacedPod Holding(Smt smt, Parts zones) { return test::HoldingPod(std::move(zones), 0, {.smt = smt}); }
PlacedPod Holding(Smt smt, int zone, int64_t cpu) { return Holding(smt, {{zone, {{kCpu, cpu}}}}); }

ZoneRequest Ask(Smt smt, int64_t cpu, bool one_zone = true) { return {{cpu}, one_zone, smt, cpu}; }

Parts Given(const ZoneAccount& account, const ZoneRequest& request) {
  ZoneOffers offers;
  auto set = account.Choose(0, request, kNow, offers);
  return set ? Divide(offers, *set, request.amounts, account.options().managed_resources) : Parts();
}

TEST(ZoneAccountCores, SaysWhyCoresCannotBeGiven) {
  struct Case {
    const char* what;
    std::vector<int> cores;
    std::vector<PlacedPod> pods;
    ZoneRequest request;
    Fit fit;
  } cases[] = {
      {"whole cores are there", {4}, {}, Ask(Smt::kIsolate, 7000), Fit::kFits},
      {"an odd request takes the last core",
       {4},
       {Holding(Smt::kIsolate, 0, 1000)},
       Ask(Smt::kIsolate, 5000),
       Fit::kFits},
      {"CPUs are free, cores are not",
       {4},
       {Holding(Smt::kSpread, 0, 4000)},
       Ask(Smt::kIsolate, 1000),
       Fit::kCoresTaken},
      {"likewise packed", {4}, {Holding(Smt::kSpread, 0, 4000)}, Ask(Smt::kPack, 2000), Fit::kCoresTaken},
      {"a single CPU needs no core", {4}, {Holding(Smt::kSpread, 0, 4000)}, Ask(Smt::kPack, 1000), Fit::kFits},
      {"spread takes what is free", {4}, {Holding(Smt::kSpread, 0, 4000)}, Ask(Smt::kSpread, 4000), Fit::kFits},
      {"CPUs are taken", {4}, {Holding(Smt::kUnset, 0, 8000)}, Ask(Smt::kIsolate, 1000), Fit::kTaken},
      {"too large altogether", {4}, {}, Ask(Smt::kPack, 9000), Fit::kTooSmall},
      {"unknown cores", {-1}, {}, Ask(Smt::kPack, 1000), Fit::kCoresUnknown},
      {"unknown cores, spread", {-1}, {}, Ask(Smt::kSpread, 1000), Fit::kCoresUnknown},
      {"unknown cores of a zone too small", {-1}, {}, Ask(Smt::kPack, 9000), Fit::kTooSmall},
      {"one of two zones says", {-1, 4}, {}, Ask(Smt::kPack, 8000), Fit::kFits},
      {"and its cores are taken", {-1, 4}, {Holding(Smt::kSpread, 1, 4000)}, Ask(Smt::kPack, 8000), Fit::kCoresTaken},
      {"across zones", {2, 2}, {}, Ask(Smt::kIsolate, 8000, false), Fit::kFits},
      {"across zones, cores taken",
       {2, 2},
       {Holding(Smt::kPack, 1, 1000)},
       Ask(Smt::kIsolate, 7000, false),
       Fit::kCoresTaken},
  };
  for (const Case& each : cases) {
    ZoneAccount account({});
    NodeTopology topology = Managed(each.cores);
    account.NodeChanged(0, &topology);
    for (const PlacedPod& pod : each.pods) account.Place(pod);
    EXPECT_EQ(account.Check(0, each.request, kNow), each.fit) << each.what;
    EXPECT_EQ(!Given(account, each.request).empty(), each.fit == Fit::kFits) << each.what;
  }
}

TEST(ZoneAccountCores, SmallerCoresAreTooFewForAnIsolatingPod) {
  ZoneAccount account({});
  NodeTopology topology = Managed({4});
  topology.zones[0].cores = {{0, 1}, {2}, {3}, {4}, {5}};
  account.NodeChanged(0, &topology);
  EXPECT_EQ(account.Check(0, Ask(Smt::kIsolate, 2000), kNow), Fit::kFits);
  EXPECT_EQ(account.Check(0, Ask(Smt::kIsolate, 3000), kNow), Fit::kTooFewCores);
  EXPECT_EQ(account.Check(0, Ask(Smt::kSpread, 6000), kNow), Fit::kFits);
}

TEST(ZoneAccountCores, ListedCoresLimitTheZone) {
  ZoneAccount account({});
  NodeTopology topology = Managed({4});
  topology.zones[0].allocatable.Set(kCpu, 20000);  // says more than there are cores
  account.NodeChanged(0, &topology);
  EXPECT_EQ(account.Figures(0, kNow)[0].effective[0], 8000);
  EXPECT_EQ(account.Check(0, Ask(Smt::kUnset, 8000), kNow), Fit::kFits);
  EXPECT_EQ(account.Check(0, Ask(Smt::kUnset, 9000), kNow), Fit::kTooSmall);
  topology.zones[0].allocatable.Set(kCpu, 5000);  // the rest is reserved
  account.NodeChanged(0, &topology);
  EXPECT_EQ(account.Check(0, Ask(Smt::kIsolate, 4000), kNow), Fit::kFits);
  EXPECT_EQ(account.Check(0, Ask(Smt::kIsolate, 5000), kNow), Fit::kTooFewCores);
}

TEST(ZoneAccountCores, IdleSiblingsOfAnIsolatingPodAreUsed) {
  ZoneAccount account({});
  NodeTopology topology = Managed({4});
  account.NodeChanged(0, &topology);
  const PlacedPod pod = Holding(Smt::kIsolate, 0, 3000);
  account.Place(pod);
  EXPECT_EQ(account.Figures(0, kNow)[0].used[0], 4000);
  EXPECT_EQ(account.Figures(0, kNow)[0].cores, 4);
  EXPECT_EQ(account.Figures(0, kNow)[0].whole_cores, 2);
  EXPECT_EQ(account.Check(0, Ask(Smt::kUnset, 4000), kNow), Fit::kFits);
  EXPECT_EQ(account.Check(0, Ask(Smt::kUnset, 5000), kNow), Fit::kTaken);
  // The object stops listing cores: what the pod holds is its CPUs.
  NodeTopology unknown = Managed({-1});
  account.NodeChanged(0, &unknown);
  EXPECT_EQ(account.Figures(0, kNow)[0].used[0], 3000);
  account.NodeChanged(0, &topology);
  EXPECT_EQ(account.Figures(0, kNow)[0].used[0], 4000);
  account.Leave(pod);
  EXPECT_EQ(account.Figures(0, kNow)[0].whole_cores, 4);
}

TEST(ZoneAccountCores, ASpreadPodGoesWhereNoContainerNeedsBothThreads) {
  ZoneAccount account({});
  NodeTopology topology = Managed({4, 6});
  account.NodeChanged(0, &topology);
  account.Place(Holding(Smt::kIsolate, 1, 6000));  // zone 0: 4 cores, 8 CPUs; zone 1: 3 cores, 6 CPUs
  account.Place(Holding(Smt::kUnset, 0, 4000));    // zone 0: 4 CPUs on 4 cores; the agent may move the others
  EXPECT_EQ(Given(account, Ask(Smt::kUnset, 4000)), (Parts{{1, {{kCpu, 4000}}}}));  // the freest
  EXPECT_EQ(Given(account, Ask(Smt::kSpread, 4000)), (Parts{{0, {{kCpu, 4000}}}}));
  // No zone has five cores: two threads of one are allowed.
  EXPECT_EQ(Given(account, Ask(Smt::kSpread, 5000)), (Parts{{1, {{kCpu, 5000}}}}));
  // Across zones there are.
  EXPECT_EQ(Given(account, Ask(Smt::kSpread, 5000, false)), (Parts{{0, {{kCpu, 2000}}}, {1, {{kCpu, 3000}}}}));
  // Two containers of 3 may share three cores.
  EXPECT_EQ(Given(account, {{6000}, true, Smt::kSpread, 3000}), (Parts{{1, {{kCpu, 6000}}}}));
}

TEST(ZoneAccountCores, APodAcrossZonesHasOnlyOneCorePartlyUsed) {
  ZoneAccount account({});
  NodeTopology topology = Managed({4, 4});
  account.NodeChanged(0, &topology);
  account.Place(Holding(Smt::kUnset, 0, 1000));
  account.Place(Holding(Smt::kUnset, 1, 2000));
  EXPECT_EQ(Given(account, Ask(Smt::kUnset, 11000, false)), (Parts{{0, {{kCpu, 7000}}}, {1, {{kCpu, 4000}}}}));
  for (Smt smt : {Smt::kPack, Smt::kIsolate}) {
    EXPECT_EQ(Given(account, Ask(smt, 11000, false)), (Parts{{0, {{kCpu, 6000}}}, {1, {{kCpu, 5000}}}}));
  }
}

// However pods came and went and the object changed: the figures are those of the pods that are there.
RC_GTEST_PROP(ZoneAccountCores, PodsLeaveNoTrace, ()) {
  ZoneAccount account({});
  NodeTopology topology = Managed({4, 4, -1});
  account.NodeChanged(0, &topology);
  std::vector<PlacedPod> present;
  for (int steps = *rc::gen::inRange(1, 40); steps > 0; --steps) {
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        topology = Managed({*rc::gen::inRange(1, 5), *rc::gen::element(-1, 3), *rc::gen::element(-1, 2)});
        account.NodeChanged(0, &topology);
        break;
      case 1:
      case 2:
        if (!present.empty()) {
          auto gone = present.begin() + *rc::gen::inRange<int>(0, static_cast<int>(present.size()));
          account.Leave(*gone);
          present.erase(gone);
        }
        break;
      default: {
        Parts zones;
        for (int zone = 0; zone < 4; ++zone) {
          if (*rc::gen::arbitrary<bool>()) zones.push_back({zone, {{kCpu, 500 * *rc::gen::inRange(0, 9)}}});
        }
        PlacedPod pod = Holding(static_cast<Smt>(*rc::gen::inRange(0, 4)), zones);
        account.Place(pod);
        present.push_back(std::move(pod));
      }
    }
    ZoneAccount fresh({});
    fresh.NodeChanged(0, &topology);
    std::vector<const PlacedPod*> pods;
    for (const PlacedPod& pod : present) {
      fresh.Place(pod);
      pods.push_back(&pod);
    }
    auto figures = [](const ZoneAccount& each) {
      std::vector<std::tuple<int, Amounts, int64_t, int64_t>> all;
      for (const auto& f : each.Figures(0, kNow)) all.emplace_back(f.zone, f.used, f.cores, f.whole_cores);
      return all;
    };
    RC_ASSERT(figures(account) == figures(fresh));
    RC_ASSERT(!account.Recount(0, pods));
    ZoneAccount repaired({});
    repaired.NodeChanged(0, &topology);
    repaired.Recount(0, pods);
    RC_ASSERT(figures(repaired) == figures(fresh));
  }
}

}  // namespace
}  // namespace huygens::topology
