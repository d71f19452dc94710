#include "topology/zone_choice.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

namespace huygens::topology {
namespace {

// Owns what ZoneOffers refers to.
struct Machine {
  ZoneOffers offers;
  std::vector<uint16_t> distance;

  Machine(const std::vector<int64_t>& cpu, const std::vector<std::vector<int>>& one_way = {}) {
    for (size_t i = 0; i < cpu.size(); ++i) {
      offers.zones.push_back(static_cast<int>(i));
      offers.free.push_back(cpu[i]);
      offers.usable.push_back(cpu[i]);
    }
    SetDistance(one_way);
  }
  void SetDistance(const std::vector<std::vector<int>>& one_way) {
    size_t n = offers.size();
    distance.assign(n * n, 0);
    offers.even = true;
    offers.nearest = 510;
    for (size_t a = 0; a < n; ++a) {
      for (size_t b = 0; b < n; ++b) {
        if (a == b) continue;
        distance[a * n + b] = static_cast<uint16_t>(one_way.empty() ? 510 : one_way[a][b] + one_way[b][a]);
        offers.nearest = std::min<int64_t>(offers.nearest, distance[a * n + b]);
        offers.even = offers.even && distance[a * n + b] == distance[1];
      }
    }
    offers.distance = distance;
  }
};

std::vector<int> Ids(const ZoneOffers& offers, const ZoneSet& set) {
  std::vector<int> ids;
  for (size_t i = 0; i < offers.size(); ++i) {
    if (set.members >> i & 1) ids.push_back(offers.zones[i]);
  }
  return ids;
}

std::vector<int> Chosen(const ZoneOffers& offers, const std::vector<int64_t>& request, bool one_zone = false) {
  auto set = SelectZones(offers, request, one_zone);
  return set ? Ids(offers, *set) : std::vector<int>{};
}

TEST(ZoneChoice, TakesTheFreestOfTheZonesThatSuffice) {
  EXPECT_EQ(Chosen(Machine({4000, 9000, 9000, 1000}).offers, {3000}), std::vector<int>({1}));
  EXPECT_EQ(Chosen(Machine({4000, 9000, 9000, 1000}).offers, {3000}, true), std::vector<int>({1}));
}

TEST(ZoneChoice, OneZoneMeansOne) {
  Machine machine({4000, 4000});
  EXPECT_EQ(Chosen(machine.offers, {5000}, true), std::vector<int>());
  EXPECT_EQ(Chosen(machine.offers, {5000}, false), std::vector<int>({0, 1}));
  EXPECT_EQ(Chosen(machine.offers, {9000}, false), std::vector<int>());
}

TEST(ZoneChoice, FewerZonesBeatNearerOnes) {
  // 0 and 3 are far apart but suffice; 0, 1 and 2 are near.
  Machine machine({6000, 3000, 3000, 6000}, {{10, 11, 11, 40}, {11, 10, 11, 40}, {11, 11, 10, 40}, {40, 40, 40, 10}});
  EXPECT_EQ(Chosen(machine.offers, {12000}), std::vector<int>({0, 3}));
}

TEST(ZoneChoice, NearerZonesBeatFreerOnes) {
  // Two sockets of two zones each.
  Machine machine({4000, 4000, 9000, 5000}, {{10, 11, 21, 21}, {11, 10, 21, 21}, {21, 21, 10, 11}, {21, 21, 11, 10}});
  EXPECT_EQ(Chosen(machine.offers, {8000}), std::vector<int>({2}));
  machine.offers.free[2] = machine.offers.usable[2] = 2000;
  EXPECT_EQ(Chosen(machine.offers, {8000}), std::vector<int>({0, 1}));
}

TEST(ZoneChoice, EqualSetsGoToTheLowestIds) {
  EXPECT_EQ(Chosen(Machine({5000, 5000, 5000, 5000}).offers, {10000}), std::vector<int>({0, 1}));
  EXPECT_EQ(Chosen(Machine({1000, 5000, 5000, 5000}).offers, {10000}), std::vector<int>({1, 2}));
  // Two sockets with the same free in sum, though the freest zone of all is in the second.
  Machine sockets({5000, 5000, 9000, 1000}, {{10, 11, 21, 21}, {11, 10, 21, 21}, {21, 21, 10, 11}, {21, 21, 11, 10}});
  EXPECT_EQ(Chosen(sockets.offers, {10000}), std::vector<int>({0, 1}));
}

TEST(ZoneChoice, EmptyZonesAreNeverChosen) {
  EXPECT_EQ(Chosen(Machine({0, 2000, 0, 2000}).offers, {4000}), std::vector<int>({1, 3}));
  EXPECT_EQ(Chosen(Machine({}).offers, {1000}), std::vector<int>());
  EXPECT_EQ(Chosen(Machine({0, 0}).offers, {1000}), std::vector<int>());
}

TEST(ZoneChoice, TheFreestZoneGivesAllItHas) {
  Machine machine({4000, 16000, 9000});
  auto set = SelectZones(machine.offers, std::vector<int64_t>{18000}, false);
  ASSERT_TRUE(set);
  auto parts = Divide(machine.offers, *set, std::vector<int64_t>{18000}, std::vector<ResourceId>{kCpu});
  EXPECT_EQ(parts, (std::vector<cluster::ZoneAmount>{{1, {{kCpu, 16000}}}, {2, {{kCpu, 2000}}}}));
}

TEST(ZoneChoice, PreferenceGoesByFreeEvenWhereOnlyWholeCpusAreUsable) {
  Machine machine({16000, 16500});
  machine.offers.usable[1] = 16000;
  auto set = SelectZones(machine.offers, std::vector<int64_t>{18000}, false);
  auto parts = Divide(machine.offers, *set, std::vector<int64_t>{18000}, std::vector<ResourceId>{kCpu});
  EXPECT_EQ(parts, (std::vector<cluster::ZoneAmount>{{0, {{kCpu, 2000}}}, {1, {{kCpu, 16000}}}}));
}

TEST(ZoneChoice, EveryResourceMustFit) {
  Machine machine({8000, 8000, 4000});
  machine.offers.resources = 2;
  machine.offers.free = machine.offers.usable = {8000, 10, 8000, 0, 4000, 90};
  EXPECT_EQ(Chosen(machine.offers, {4000, 20}), std::vector<int>({2}));
  EXPECT_EQ(Chosen(machine.offers, {8000, 20}), std::vector<int>({0, 2}));
  EXPECT_EQ(Chosen(machine.offers, {4000, 101}), std::vector<int>());
  EXPECT_EQ(Chosen(machine.offers, {20000, 100}), std::vector<int>({0, 1, 2}));
}

// The rule as it is stated, over every subset there is.
std::optional<ZoneSet> Naive(const ZoneOffers& offers, const std::vector<int64_t>& request) {
  std::optional<ZoneSet> best;
  auto cpu = [&](const ZoneSet& set) {
    int64_t sum = 0;
    for (size_t i = 0; i < offers.size(); ++i) sum += set.members >> i & 1 ? offers.Free(i, 0) : 0;
    return sum;
  };
  for (uint64_t members = 1; members < uint64_t{1} << offers.size(); ++members) {
    ZoneSet set{members, std::popcount(members), 0};
    bool holds = true;
    for (size_t r = 0; r < request.size(); ++r) {
      int64_t sum = 0;
      for (size_t i = 0; i < offers.size(); ++i) sum += members >> i & 1 ? offers.Usable(i, r) : 0;
      holds = holds && sum >= request[r];
    }
    if (!holds) continue;
    for (size_t a = 0; a < offers.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        if ((members >> a & 1) && (members >> b & 1)) set.distance += offers.Distance(a, b);
      }
    }
    auto key = [&](const ZoneSet& each) {
      return std::tuple(each.count, each.distance, -cpu(each), Ids(offers, each));
    };
    if (!best || key(set) < key(*best)) best = set;
  }
  return best;
}

// Draws machines and requests; the same seed, the same ones. Few different figures, so that ties are common.
class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}

  int Between(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  Machine NextMachine(int most_zones) {
    const int zones = Between(1, most_zones);
    Machine machine(std::vector<int64_t>(static_cast<size_t>(zones), 0));
    machine.offers.resources = static_cast<size_t>(Between(1, 2));
    machine.offers.free.clear();
    machine.offers.usable.clear();
    const int most = std::vector<int>{2, 5, 40}[static_cast<size_t>(Between(0, 2))];
    for (int i = 0; i < zones * static_cast<int>(machine.offers.resources); ++i) {
      const int usable = Between(0, most);
      const bool cpu = machine.offers.resources == 1 || i % 2 == 0;
      machine.offers.usable.push_back(usable * 1000);
      machine.offers.free.push_back(usable * 1000 + (cpu && Between(0, 3) == 0 ? 300 * Between(0, 3) : 0));
    }
    std::vector<std::vector<int>> one_way(static_cast<size_t>(zones), std::vector<int>(static_cast<size_t>(zones), 20));
    const int shape = Between(0, 2);  // even, two sockets, noise
    for (int a = 0; a < zones; ++a) {
      for (int b = 0; b < zones; ++b) {
        int& cost = one_way[static_cast<size_t>(a)][static_cast<size_t>(b)];
        if (shape == 1) cost = (a < zones / 2) == (b < zones / 2) ? 11 : 21;
        if (shape == 2) cost = Between(10, 30);
      }
    }
    machine.SetDistance(one_way);
    return machine;
  }

  // Uneven distances and so many thousand of each resource per zone.
  Machine Noise(int zones, int least, int most, size_t resources) {
    Machine machine(std::vector<int64_t>(static_cast<size_t>(zones), 0));
    machine.offers.resources = resources;
    machine.offers.free.clear();
    for (size_t i = 0; i < static_cast<size_t>(zones) * resources; ++i) {
      machine.offers.free.push_back(1000 * Between(least, most));
    }
    machine.offers.usable = machine.offers.free;
    std::vector<std::vector<int>> one_way(static_cast<size_t>(zones));
    for (auto& row : one_way) {
      for (int b = 0; b < zones; ++b) row.push_back(Between(10, 74));
    }
    machine.SetDistance(one_way);
    return machine;
  }

  std::vector<int64_t> NextRequest(const ZoneOffers& offers) {
    std::vector<int64_t> request;
    for (size_t r = 0; r < offers.resources; ++r) {
      int64_t sum = 0;
      for (size_t z = 0; z < offers.size(); ++z) sum += offers.Usable(z, r) / 1000;
      request.push_back(1000 * Between(r == 0 ? 1 : 0, static_cast<int>(sum) + 1));
    }
    return request;
  }

 private:
  std::mt19937_64 random_;
};

RC_GTEST_PROP(ZoneChoice, IsTheBestOfAllSubsets, (uint64_t seed)) {
  Dice dice(seed);
  for (int i = 0; i < 40; ++i) {
    Machine machine = dice.NextMachine(i == 0 ? 12 : 8);
    auto request = dice.NextRequest(machine.offers);
    RC_ASSERT(SelectZones(machine.offers, request, false) == Naive(machine.offers, request));
  }
}

RC_GTEST_PROP(ZoneChoice, OneZoneIsTheBestOfAllZones, (uint64_t seed)) {
  Dice dice(seed);
  for (int i = 0; i < 20; ++i) {
    Machine machine = dice.NextMachine(8);
    auto request = dice.NextRequest(machine.offers);
    auto best = Naive(machine.offers, request);
    if (best && best->count > 1) best.reset();
    RC_ASSERT(SelectZones(machine.offers, request, true) == best);
  }
}

RC_GTEST_PROP(ZoneChoice, PartsAddUpToTheRequestAndNeverExceedAZone, (uint64_t seed)) {
  Dice dice(seed);
  Machine machine = dice.NextMachine(64);
  auto request = dice.NextRequest(machine.offers);
  auto set = SelectZones(machine.offers, request, false);
  if (!set) return;
  const std::vector<ResourceId> resources = {kCpu, kMemory};
  auto parts = Divide(machine.offers, *set, request, resources);
  RC_ASSERT(parts.size() == static_cast<size_t>(set->count));
  for (size_t r = 0; r < request.size(); ++r) {
    int64_t sum = 0;
    for (const auto& part : parts) {
      sum += part.amount.Get(resources[r]);
      RC_ASSERT(part.amount.Get(resources[r]) <= machine.offers.Usable(static_cast<size_t>(part.zone), r));
      RC_ASSERT(!part.amount.empty());
    }
    RC_ASSERT(sum == request[r]);
  }
  if (request.size() == 1) {
    for (const auto& part : parts) RC_ASSERT(part.amount.Get(kCpu) % 1000 == 0);
  }
}

TEST(ZoneChoice, IsExactForTwelveZonesOfAnyDistances) {
  Dice dice(7);
  Machine machine = dice.Noise(12, 4, 4, 1);
  for (int64_t cpus : {5, 9, 20, 24, 28, 40, 47}) {
    std::vector<int64_t> request = {cpus * 1000};
    EXPECT_EQ(SelectZones(machine.offers, request, false), Naive(machine.offers, request)) << cpus;
  }
}

// Sockets of `per_socket` zones in blades of `per_blade`, each zone with 8 CPUs but for those in `fuller`, with 6.
Machine Sockets(int zones, int per_socket, int per_blade, const std::vector<int>& fuller) {
  std::vector<std::vector<int>> one_way(static_cast<size_t>(zones), std::vector<int>(static_cast<size_t>(zones)));
  std::vector<int64_t> cpu(static_cast<size_t>(zones), 8000);
  for (int zone : fuller) cpu[static_cast<size_t>(zone)] = 6000;
  for (int a = 0; a < zones; ++a) {
    for (int b = 0; b < zones; ++b) {
      one_way[static_cast<size_t>(a)][static_cast<size_t>(b)] = a / per_socket == b / per_socket ? 11
                                                                : a / per_blade == b / per_blade ? 21
                                                                                                 : 32;
    }
  }
  return Machine(cpu, one_way);
}

TEST(ZoneChoice, SubNumaZonesOfOneSocketBeatFreerOnesOfTwo) {
  // Two sockets of four zones; one of each socket is fuller.
  EXPECT_EQ(Chosen(Sockets(8, 4, 8, {1, 5}).offers, {16000}), std::vector<int>({0, 2}));
  EXPECT_EQ(Chosen(Sockets(8, 4, 8, {0, 1, 2}).offers, {24000}), std::vector<int>({4, 5, 6}));
  // Four zones are needed: a whole socket, the freer one.
  EXPECT_EQ(Chosen(Sockets(8, 4, 8, {1}).offers, {29000}), std::vector<int>({4, 5, 6, 7}));
}

TEST(ZoneChoice, StaysWithinSocketAndBladeAmongSixtyFourZones) {
  // The second zone of each socket is fuller but for the one at 40..43.
  std::vector<int> fuller;
  for (int socket = 0; socket < 64; socket += 4) {
    if (socket != 40) fuller.push_back(socket + 1);
  }
  Machine machine = Sockets(64, 4, 16, fuller);
  EXPECT_EQ(Chosen(machine.offers, {32000}), std::vector<int>({40, 41, 42, 43}));
  // 16 zones hold 126 CPUs on the blade with that socket only, though the freest 16 of all hold 128.
  std::vector<int> blade(16);
  std::iota(blade.begin(), blade.end(), 32);
  for (int zone : {33, 37, 45}) fuller.erase(std::find(fuller.begin(), fuller.end(), zone));
  EXPECT_EQ(Chosen(Sockets(64, 4, 16, fuller).offers, {122000}), blade);
}

// 32 of 64 zones with noise for distances: 10^18 sets. The answer uses the fewest zones, and is no worse than the
// freest ones.
TEST(ZoneChoice, ManyZonesGetTheFewestAndNoFartherThanTheFreest) {
  Dice dice(1);
  for (int zones : {13, 16, 36, 64}) {
    for (int share : {10, 30, 50, 70, 90, 100}) {
      Machine machine = dice.Noise(zones, 4, 8, 1);
      std::vector<size_t> freest(static_cast<size_t>(zones));
      std::iota(freest.begin(), freest.end(), 0);
      std::stable_sort(freest.begin(), freest.end(),
                       [&](size_t a, size_t b) { return machine.offers.Free(a, 0) > machine.offers.Free(b, 0); });
      const int64_t sum = std::accumulate(machine.offers.free.begin(), machine.offers.free.end(), int64_t{0});
      const std::vector<int64_t> request = {sum * share / 100 / 1000 * 1000};
      int64_t distance = 0;
      int64_t left = request[0];
      size_t count = 0;
      for (; left > 0; left -= machine.offers.Free(freest[count++], 0)) {
        for (size_t i = 0; i < count; ++i) distance += machine.offers.Distance(freest[count], freest[i]);
      }
      auto set = SelectZones(machine.offers, request, false);
      ASSERT_TRUE(set);
      EXPECT_EQ(static_cast<size_t>(set->count), count) << zones << " zones, " << share << " %";
      EXPECT_LE(set->distance, distance) << zones << " zones, " << share << " %";
    }
  }
}

TEST(ZoneChoice, SeveralResourcesOfManyZonesAreHeldByZonesThatAreAllNeeded) {
  Dice dice(3);
  for (int zones : {13, 24, 64}) {
    for (int share : {20, 50, 80, 100}) {
      Machine machine = dice.Noise(zones, 0, 20, 3);
      const ZoneOffers& offers = machine.offers;
      auto sum = [&](uint64_t members, size_t r) {
        int64_t amount = 0;
        for (size_t z = 0; z < offers.size(); ++z) amount += members >> z & 1 ? offers.Usable(z, r) : 0;
        return amount;
      };
      std::vector<int64_t> request;
      for (size_t r = 0; r < 3; ++r) request.push_back(std::max<int64_t>(1, sum(~uint64_t{0}, r) * share / 100));
      auto set = SelectZones(offers, request, false);
      ASSERT_TRUE(set) << zones << " zones, " << share << " %";
      for (size_t r = 0; r < 3; ++r) EXPECT_GE(sum(set->members, r), request[r]);
      for (size_t z = 0; z < offers.size(); ++z) {
        if ((set->members >> z & 1) == 0) continue;
        const uint64_t without = set->members & ~(uint64_t{1} << z);
        bool holds = true;
        for (size_t r = 0; r < 3; ++r) holds = holds && sum(without, r) >= request[r];
        EXPECT_FALSE(holds) << "zone " << z << " of " << zones << " can be spared at " << share << " %";
      }
    }
  }
}

}  // namespace
}  // namespace huygens::topology
