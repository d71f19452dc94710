#include "topology/core_use.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/base/clock.h"
#include "topology/zone_account.h"

namespace huygens::topology {
namespace {

using cluster::Core;
using cluster::Smt;

using huygens::test::kNow;

// Cores of these many threads, CPUs numbered from `first` on.
std::vector<Core> Cores(const std::vector<int>& threads, int first = 0) {
  std::vector<Core> cores;
  for (int count : threads) {
    Core& core = cores.emplace_back();
    for (int t = 0; t < count; ++t) core.push_back(static_cast<uint16_t>(first++));
  }
  return cores;
}

TEST(CoreUse, TellsFullCoresFromOthers) {
  struct Case {
    const char* what;
    std::vector<int> threads;
    int64_t full, per_core, smaller, smaller_threads;
  } cases[] = {
      {"unknown", {}, 0, 0, 0, 0},
      {"SMT off", {1, 1, 1}, 3, 1, 0, 0},
      {"two threads", {2, 2, 2, 2}, 4, 2, 0, 0},
      {"an offline sibling", {2, 1, 2}, 2, 2, 1, 1},
      {"performance and efficiency cores", {2, 2, 1, 1, 1, 1}, 2, 2, 4, 4},
      {"four threads, two of one core offline", {4, 2, 4, 1}, 2, 4, 2, 3},
  };
  for (const Case& each : cases) {
    ZoneCores cores = CountCores(Cores(each.threads));
    EXPECT_EQ(cores.full, each.full) << each.what;
    EXPECT_EQ(cores.threads, each.per_core) << each.what;
    EXPECT_EQ(cores.smaller, each.smaller) << each.what;
    EXPECT_EQ(cores.smaller_threads, each.smaller_threads) << each.what;
    EXPECT_EQ(cores.Known(), !each.threads.empty()) << each.what;
  }
}

TEST(CoreUse, CountsWhatIsLeftToEachPolicy) {
  const std::vector<int> kEight = std::vector<int>(8, 2);
  struct Case {
    const char* what;
    std::vector<int> threads;
    std::vector<CoreClaim> claims;
    int64_t floating;
    int64_t whole, different;
  } cases[] = {
      {"empty", kEight, {}, 0, 8, 8},
      {"floating pods are moved together", kEight, {}, 7, 4, 8},
      {"an isolating pod of 3 takes two cores", kEight, {{Smt::kIsolate, 3}}, 0, 6, 6},
      {"two isolating pods of 1 take one each", kEight, {{Smt::kIsolate, 1}, {Smt::kIsolate, 1}}, 0, 6, 6},
      {"a packed pod of 5 touches three", kEight, {{Smt::kPack, 5}}, 0, 5, 6},
      {"a spread pod touches a core with each thread", kEight, {{Smt::kSpread, 5}}, 0, 3, 6},
      {"floating pods use the other threads of these", kEight, {{Smt::kSpread, 5}}, 5, 3, 6},
      {"and whole cores beyond", kEight, {{Smt::kSpread, 5}}, 6, 2, 6},
      {"an immovable pod counts as its agent pleases", kEight, {{Smt::kUnset, 4}}, 0, 4, 6},
      {"more single threads than cores", kEight, {{Smt::kSpread, 8}, {Smt::kSpread, 4}}, 0, 0, 2},
      {"more than there is", kEight, {{Smt::kIsolate, 20}, {Smt::kSpread, 4}}, 4, 0, 0},
      {"smaller cores are never whole", {2, 2, 1, 1}, {}, 0, 2, 4},
      {"smaller cores take floating pods first", {2, 2, 1, 1}, {}, 2, 2, 4},
      {"single threads may fill them", {2, 2, 1, 1}, {{Smt::kSpread, 1}}, 0, 1, 3},
      {"SMT off", {1, 1, 1, 1}, {{Smt::kIsolate, 1}, {Smt::kSpread, 1}}, 1, 1, 2},
      {"SMT off, packed", {1, 1, 1, 1}, {{Smt::kPack, 3}}, 0, 1, 1},
      {"unknown cores give nothing", {}, {{Smt::kIsolate, 1}}, 1, 0, 0},
  };
  for (const Case& each : cases) {
    const ZoneCores cores = CountCores(Cores(each.threads));
    const CoreUse use = Use(cores, each.claims, each.floating);
    EXPECT_EQ(WholeCores(cores, use), each.whole) << each.what;
    EXPECT_EQ(DifferentCores(cores, use), each.different) << each.what;
  }
}

TEST(CoreUse, UsableCpusFollowThePolicy) {
  const ZoneCores cores = CountCores(Cores(std::vector<int>(8, 2)));
  const CoreUse use = Use(cores, std::vector<CoreClaim>{{Smt::kSpread, 4}}, 0);  // 4 whole cores, 12 threads free
  EXPECT_EQ(UsableCpus(cores, use, Smt::kSpread, 12, false), 12);
  EXPECT_EQ(UsableCpus(cores, use, Smt::kIsolate, 12, false), 8);
  EXPECT_EQ(UsableCpus(cores, use, Smt::kPack, 12, false), 9);
  EXPECT_EQ(UsableCpus(cores, use, Smt::kPack, 12, true), 8);
  // The amounts limit, too.
  EXPECT_EQ(UsableCpus(cores, use, Smt::kIsolate, 5, false), 4);
  EXPECT_EQ(UsableCpus(cores, use, Smt::kPack, 5, false), 5);
  EXPECT_EQ(UsableCpus(cores, use, Smt::kSpread, 5, true), 5);
  EXPECT_EQ(UsableCpus(cores, use, Smt::kIsolate, 1, false), 0);
  for (Smt smt : {Smt::kSpread, Smt::kPack, Smt::kIsolate}) EXPECT_EQ(UsableCpus({}, use, smt, 12, false), 0);
}

// A node agent that pins CPUs by the rules in topology/core_use.h and takes every freedom they leave it, by dice.
class Agent {
 public:
  explicit Agent(const std::vector<int>& threads, std::mt19937_64& dice) : cores_(threads.size()), dice_(dice) {
    for (size_t i = 0; i < threads.size(); ++i) cores_[i].threads = threads[i];
    full_ = *std::max_element(threads.begin(), threads.end());
  }

  // False if it cannot keep to the rules.
  bool Start(int pod, Smt smt, bool immovable, int cpus) {
    bool served = true;
    if (smt == Smt::kIsolate) served = TakeWhole(pod, (cpus + full_ - 1) / full_);
    if (smt == Smt::kPack) served = TakeWhole(pod, cpus / full_) && TakeOne(pod, cpus % full_);
    if (smt == Smt::kSpread) served = TakeDifferent(pod, cpus);
    if (smt == Smt::kUnset && immovable) served = TakeAny(pod, cpus);
    if (smt == Smt::kUnset && !immovable) floating_[pod] = cpus;
    return served && FloatingFit(0);
  }

  void Stop(int pod) {
    floating_.erase(pod);
    for (CoreState& core : cores_) {
      if (core.owner == pod) core.owner = -1;
      core.pinned.erase(pod);
    }
  }

  // What it could give a single pod, moving those that may be moved.
  int WholeCores() const {
    int untouched = 0;
    for (const CoreState& core : cores_) untouched += core.Untouched() && core.threads == full_;
    while (untouched > 0 && !FloatingFit(untouched)) --untouched;
    return untouched;
  }

 private:
  struct CoreState {
    int threads = 0;
    int owner = -1;             // of the whole core
    std::map<int, int> pinned;  // threads by pod
    int Free() const {
      int free = owner < 0 ? threads : 0;
      for (const auto& [pod, count] : pinned) free -= count;
      return free;
    }
    bool Untouched() const { return owner < 0 && pinned.empty(); }
  };

  bool FloatingFit(int cores_cleared) const {
    int left = -cores_cleared * full_;
    for (const CoreState& core : cores_) left += core.Free();
    for (const auto& [pod, cpus] : floating_) left -= cpus;
    return left >= 0;
  }

  std::vector<CoreState*> Shuffled() {
    std::vector<CoreState*> cores;
    for (CoreState& core : cores_) cores.push_back(&core);
    std::shuffle(cores.begin(), cores.end(), dice_);
    return cores;
  }

  bool TakeWhole(int pod, int count) {
    for (CoreState* core : Shuffled()) {
      if (count == 0) break;
      if (!core->Untouched() || core->threads != full_) continue;
      core->owner = pod;
      --count;
    }
    return count == 0;
  }

  bool TakeOne(int pod, int threads) {
    for (CoreState* core : Shuffled()) {
      if (threads == 0) break;
      if (core->Free() < threads) continue;
      core->pinned[pod] = threads;
      threads = 0;
    }
    return threads == 0;
  }

  bool TakeDifferent(int pod, int threads) {
    bool progress = true;
    while (threads > 0 && progress) {
      progress = false;
      for (CoreState* core : Shuffled()) {
        if (threads == 0 || core->Free() == 0) continue;
        ++core->pinned[pod];
        --threads;
        progress = true;
      }
    }
    return threads == 0;
  }

  bool TakeAny(int pod, int threads) {
    for (CoreState* core : Shuffled()) {
      int taken = std::min({threads, core->Free(), 1 + static_cast<int>(dice_() % 2)});
      if (taken == 0) continue;
      core->pinned[pod] += taken;
      threads -= taken;
    }
    return threads == 0 || TakeAny(pod, threads);
  }

  std::vector<CoreState> cores_;
  std::map<int, int> floating_;
  int full_ = 1;
  std::mt19937_64& dice_;
};

cluster::NodeTopology Node(const std::vector<std::vector<int>>& zones) {
  cluster::NodeTopology topology;
  topology.pinned_by_agent = true;
  for (size_t z = 0; z < zones.size(); ++z) {
    cluster::Zone& zone = topology.zones.emplace_back();
    zone.id = static_cast<int>(z);
    zone.cores = Cores(zones[z], static_cast<int>(1000 * z));
    int64_t threads = 0;
    for (int count : zones[z]) threads += count;
    zone.allocatable = {{kCpu, 1000 * threads}};
  }
  return topology;
}

// Whatever comes and goes, an agent that keeps to the rules can serve every pod that the account lets in, and can clear
// as many cores as the account says.
RC_GTEST_PROP(CoreUse, WhatTheAccountLetsInCanBeServed, (uint64_t seed)) {
  std::mt19937_64 dice(seed);
  auto between = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(dice); };
  std::vector<std::vector<int>> zones(static_cast<size_t>(between(1, 3)));
  for (auto& zone : zones) {
    const int full = std::vector<int>{1, 2, 2, 2, 4}[static_cast<size_t>(between(0, 4))];
    const bool mixed = between(0, 2) == 0;
    zone.assign(static_cast<size_t>(between(1, 8)), full);
    for (int& threads : zone) threads = mixed && between(0, 2) == 0 ? between(1, full) : full;
  }
  ZoneAccount account({});
  cluster::NodeTopology topology = Node(zones);
  for (cluster::Zone& zone : topology.zones) {
    if (between(0, 3) == 0) zone.allocatable.Set(kCpu, zone.allocatable.Get(kCpu) - 500 * between(0, 3));
  }
  account.NodeChanged(0, &topology);
  std::vector<Agent> agents;
  for (const auto& zone : zones) agents.emplace_back(zone, dice);

  std::map<int, cluster::PlacedPod> present;
  for (int step = 0; step < 60; ++step) {
    if (!present.empty() && between(0, 2) == 0) {
      auto gone = std::next(present.begin(), between(0, static_cast<int>(present.size()) - 1));
      account.Leave(gone->second);
      for (Agent& agent : agents) agent.Stop(gone->first);
      present.erase(gone);
    } else {
      auto pod = std::make_shared<cluster::Pod>();
      pod->smt = static_cast<Smt>(between(0, 3));
      if (between(0, 3) == 0) pod->cpu_policy = cluster::CpuPolicy::kImmovable;
      for (int c = between(1, 2); c > 0; --c) {
        const ResourceVector cpus = {{kCpu, 1000 * between(1, 5)}};
        pod->containers.push_back({.requests = cpus, .limits = cpus});
      }
      pod->topology_awareness = between(0, 1) == 0;
      const ZoneRequest request = RequestOf(*pod, account.options().managed_resources);
      ZoneOffers offers;
      auto set = account.Choose(0, request, kNow, offers);
      RC_ASSERT(set.has_value() == (account.Check(0, request, kNow) == Fit::kFits));
      if (set) {
        cluster::PlacedPod placed{pod, 0, Divide(offers, *set, request.amounts, account.options().managed_resources)};
        for (const cluster::ZoneAmount& part : placed.zones) {
          RC_ASSERT(agents[static_cast<size_t>(part.zone)].Start(step, pod->smt,
                                                                 pod->cpu_policy == cluster::CpuPolicy::kImmovable,
                                                                 static_cast<int>(part.amount.Get(kCpu) / 1000)));
        }
        account.Place(placed);
        present[step] = placed;
      }
    }
    for (const auto& zone : account.Figures(0, kNow)) {
      RC_ASSERT(zone.whole_cores <= agents[static_cast<size_t>(zone.zone)].WholeCores());
    }
  }
}

}  // namespace
}  // namespace huygens::topology
