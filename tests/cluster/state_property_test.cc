#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "cluster/state.h"
#include "tests/cluster/history.h"
#include "tests/cluster/recording_account.h"

namespace huygens::cluster {
namespace {

const Time kNow = Time(std::chrono::hours(1));

// All that can be seen of a State and its account, by names.
std::map<std::string, std::string> Picture(const State& state, test::RecordingAccount& account) {
  std::map<std::string, std::string> picture;
  for (int i = 0; i < 5; ++i) {
    std::string name = "node-" + std::to_string(i);
    auto index = state.FindNode(name);
    if (!index) continue;
    std::string& text = picture[name];
    const NodeTopology* topology = state.Topology(*index);
    text += topology ? Concat(topology->source == TopologySource::kCrane ? "crane " : "community ",
                              std::to_string(topology->zones.size()), " told ",
                              std::to_string(account.TopologyZones(*index)))
                     : Concat("none told ", std::to_string(account.TopologyZones(*index)));
    std::map<std::string, std::string> pods;
    for (const PlacedPod* placed : state.PodsOn(*index)) {
      for (const auto& zone : placed->zones) {
        pods[placed->pod->uid] += Concat(" ", std::to_string(zone.zone), "=", std::to_string(zone.amount.Get(kCpu)));
      }
    }
    for (const auto& [uid, zones] : pods) text += Concat("; ", uid, zones);
    std::set<std::string> nominated;
    for (const auto& pod : state.NominatedTo(*index)) nominated.insert(pod->uid);
    for (const std::string& uid : nominated) text += Concat("; nominated ", uid);
    for (const auto& [zone, cpu] : account.Cpu(*index))
      text += Concat(" | ", std::to_string(zone), "=", std::to_string(cpu));
  }
  picture["pods"] = std::to_string(state.PodCount());
  for (const auto& [uid, pod] : state.Nominated()) picture["nominated"] += Concat(uid, ":", pod->nominated_node, " ");
  for (int i = 0; i < 12; ++i) {
    auto pod = state.FindPod("default", "pod-" + std::to_string(i));
    if (pod) picture["named"] += Concat(pod->name, "=", pod->uid, " ");
  }
  return picture;
}

// Events in any order across kinds, twice, with gaps and LISTs, and reservations that race with them, end in the same
// state as one LIST.
RC_GTEST_PROP(State, EndsWhereOneListWouldHaveStarted, (uint64_t seed)) {
  test::History history(seed);
  history.nominates = true;
  test::RecordingAccount account;
  // What goes is lost first; given up, it leaves no trace.
  State state({.loss_grace = std::chrono::seconds(5)});
  state.AddAccount(account);
  int seconds = 0;
  struct Flight {
    std::string uid, node;
    std::vector<ZoneAmount> zones;
  };
  std::vector<Flight> flying;
  for (int step = 0; step < 150; ++step) {
    history.Change();
    if (auto pod = history.Chance(30) ? history.AnyPendingPod() : nullptr) {
      std::string node = history.AnyNode();
      if (auto index = state.FindNode(node)) {
        std::vector<ZoneAmount> zones = {{history.Pick(4), {{kCpu, 1000}}}};
        bool holds = state.FindPlaced(pod->uid) != nullptr;
        auto terminal = state.FindPod(pod->uid);
        if (!(terminal && terminal->Terminal())) {
          Status reserved = state.Reserve(pod, *index, zones, kNow);
          RC_ASSERT(reserved.ok() == !holds);
          if (reserved.ok()) flying.push_back({pod->uid, node, zones});
        }
      }
    }
    if (!flying.empty() && history.Chance(50)) {
      Flight flight = flying.back();
      flying.pop_back();
      bool bound = history.Bind(flight.uid, flight.node, flight.zones);
      // The binder's word may come before or after the watch's.
      if (history.Chance(50)) {
        for (const WatchEvent& event : history.Read()) state.Apply(event);
      }
      if (bound) {
        state.Assume(flight.uid, kNow);
      } else {
        state.Release(flight.uid);
      }
    }
    for (int n = history.Pick(3); n > 0; --n) {
      for (const WatchEvent& event : history.Read()) state.Apply(event);
    }
    if (history.Chance(30)) (void)state.AgeLosses(std::chrono::seconds(++seconds));
    RC_ASSERT(state.Reconcile(state.NodeSlots()) == 0u);
    size_t nominated = 0;
    for (NodeIndex i = 0; i < state.NodeSlots(); ++i) nominated += state.NominatedTo(i).size();
    RC_ASSERT(nominated == state.Nominated().size());
  }
  for (const Flight& flight : flying) state.Release(flight.uid);
  for (const WatchEvent& event : history.ReadAll()) state.Apply(event);
  // A pod that was bound and deleted in a gap of the watch before it was ever seen is what the overdue list is for: a
  // GET finds it gone.
  for (const std::string& uid : state.ledger().AssumedSince(Time::max())) {
    RC_ASSERT(!history.pods().contains(uid));
    state.Release(uid);
  }
  RC_ASSERT(state.ledger().size() == 0u);
  for (int more : {0, 5}) (void)state.AgeLosses(std::chrono::seconds(seconds + more));
  RC_ASSERT(state.LostTopologies() == 0u);

  test::RecordingAccount fresh_account;
  State fresh;
  fresh.AddAccount(fresh_account);
  for (const WatchEvent& event : history.Lists()) fresh.Apply(event);
  RC_ASSERT(Picture(state, account) == Picture(fresh, fresh_account));
  RC_ASSERT(account.Present() == fresh_account.Present());
  RC_ASSERT(account.Groups() == fresh_account.Groups());
  for (Kind kind : kKinds) RC_ASSERT(fresh.Synced(kind));
}

// The same events give the same indexes, and with them the same order everywhere.
RC_GTEST_PROP(State, SameEventsSameIndexes, (uint64_t seed)) {
  State states[2];
  for (State& state : states) {
    test::History history(seed);
    for (int step = 0; step < 60; ++step) {
      history.Change();
      for (const WatchEvent& event : history.Read()) state.Apply(event);
    }
  }
  RC_ASSERT(states[0].revision() == states[1].revision());
  RC_ASSERT(states[0].NodeSlots() == states[1].NodeSlots());
  for (NodeIndex i = 0; i < states[0].NodeSlots(); ++i) {
    RC_ASSERT(states[0].NodeName(i) == states[1].NodeName(i));
    RC_ASSERT(states[0].PodsOn(i).size() == states[1].PodsOn(i).size());
    for (size_t p = 0; p < states[0].PodsOn(i).size(); ++p) {
      RC_ASSERT(states[0].PodsOn(i)[p]->pod->uid == states[1].PodsOn(i)[p]->pod->uid);
    }
  }
}

}  // namespace
}  // namespace huygens::cluster
