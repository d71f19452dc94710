// What machines of a state (replay/rebalance_state.h) use while instances move, counted from the raw data alone: no code
// of huygens takes part, so that it can convict huygens.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "replay/rebalance_state.h"

namespace huygens::replay {

class MachineUse {
 public:
  // `state` must outlive it; its curves may change before Count.
  explicit MachineUse(const RebalanceState& state);
  // Everything anew, from `on`.
  void Count(const std::vector<std::optional<uint32_t>>& on);

  void Put(uint32_t app, uint32_t machine) { Change(app, machine, 1); }
  void Take(uint32_t app, uint32_t machine) { Change(app, machine, -1); }

  // Points at which CPU is above the ceiling.
  size_t HotPoints(uint32_t machine) const;
  bool IsHot(uint32_t machine) const { return HotPoints(machine) > 0; }
  // By how many cores at a point; at most 0 where it is not.
  double Above(uint32_t machine, size_t point) const;
  // Whether the machine stays at or under the ceiling and its other capacities with one more of this application, and no
  // rule of who disturbs whom is broken by it. `more`: applications of others that are on their way there.
  bool Takes(uint32_t app, uint32_t machine, const std::vector<uint32_t>& more = {}) const {
    return Fits(app, machine, more) && Keeps(app, machine, more);
  }
  const std::map<uint32_t, uint32_t>& apps(uint32_t machine) const { return apps_[machine]; }

 private:
  double& At(uint32_t machine, size_t resource, size_t point) {
    return use_[(machine * kTraceResources.size() + resource) * kPoints + point];
  }
  double At(uint32_t machine, size_t resource, size_t point) const {
    return use_[(machine * kTraceResources.size() + resource) * kPoints + point];
  }
  void Change(uint32_t app, uint32_t machine, int sign);
  bool Fits(uint32_t app, uint32_t machine, const std::vector<uint32_t>& more) const;
  bool Keeps(uint32_t app, uint32_t machine, const std::vector<uint32_t>& more) const;

  const RebalanceState& state_;
  std::vector<double> use_;
  std::vector<std::map<uint32_t, uint32_t>> apps_;  // by machine: instances by application
};

// The fewest moves that could do: over the hot machines, the fewest instances whose leaving clears all points (exact up
// to three, beyond that by single points).
struct Bound {
  size_t moves = 0;
  size_t hopeless = 0;  // machines that nothing clears
};
// `movable`: only instances that some machine which is not hot could take now.
Bound FewestMoves(const RebalanceState& state, const MachineUse& use, bool movable);

}  // namespace huygens::replay
