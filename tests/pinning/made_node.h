// Nodes and pods for tests of who runs where.
#pragma once

#include <string>
#include <vector>

#include "pinning/assignment.h"

namespace huygens::pinning::testing {

// `zones` zones of `cores` cores with `threads` threads each, threads of a core next to each other: core 0 has CPUs 0
// and 1.
inline machine::Machine MadeMachine(int zones, int cores, int threads) {
  machine::Machine made;
  int cpu = 0;
  for (int z = 0; z < zones; ++z) {
    machine::Zone zone;
    zone.id = z;
    zone.memory_kb = 1 << 20;
    for (int c = 0; c < cores; ++c) {
      machine::Core core;
      for (int t = 0; t < threads; ++t) core.cpus.push_back(cpu++);
      zone.cpus.insert(zone.cpus.end(), core.cpus.begin(), core.cpus.end());
      made.cores.push_back(std::move(core));
    }
    zone.claimed = zone.cpus;
    made.online.insert(made.online.end(), zone.cpus.begin(), zone.cpus.end());
    made.zones.push_back(std::move(zone));
  }
  made.present = made.online;
  return made;
}

inline LivePod MadePod(const std::string& uid, Pool pool, std::vector<ZoneShare> zones, std::vector<int> containers,
                       cluster::Smt smt = cluster::Smt::kUnset) {
  LivePod pod;
  pod.uid = uid;
  pod.name = "default/" + uid;
  pod.ask.pool = pool;
  pod.ask.zones = std::move(zones);
  pod.ask.smt = smt;
  for (size_t i = 0; i < containers.size(); ++i) {
    pod.containers.push_back({uid + "-" + std::to_string(i), "c" + std::to_string(i), containers[i]});
  }
  return pod;
}

inline std::string OwnOf(const Assignment& assignment, const std::string& uid) {
  const auto at = assignment.pods.find(uid);
  return at == assignment.pods.end() ? "" : ListOf(at->second.own);
}

}  // namespace huygens::pinning::testing
