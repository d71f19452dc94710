// The room that each node has left of one resource, in outline: the least of each block of slots of the week, one byte
// each and side by side, where the sums themselves (usage/node_usage.h) lie far apart. Only where the outline leaves
// open whether a pod fits is the sum looked at, so that a question about thousands of nodes is answered from the cache.
// That a pod fitted is remembered until the node changes or another need is asked about: pods of one workload come in
// a row.
//
// A byte says how large an amount is to a 32nd, from the octave (power of two) of the node's limit down: room is
// rounded down, what a pod needs up, and a pod surely fits where no byte of its need is above that of the room.
//
// Decision thread only: const calls remember, too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/account.h"
#include "usage/node_usage.h"

namespace huygens::usage {

class Outline {
 public:
  explicit Outline(size_t slots);

  // `limit`: at least 0.
  void Set(cluster::NodeIndex node, const NodeUsage& usage, int64_t limit);
  // Whether no slot of the sum is above the limit with the pod; `usage` and `limit` are those of Set, and are looked at
  // only where the outline leaves it open.
  bool Fits(cluster::NodeIndex node, const NodeUsage& usage, const ResourceDemand& demand, int64_t limit) const {
    if (Fitted(node, demand.outline)) return true;
    if (!FitsBySlots(node, usage, demand, limit)) return false;
    Remember(node, demand.outline);
    return true;
  }
  // By the outline alone; false: it is open.
  bool SurelyFits(cluster::NodeIndex node, const PodOutline& pod) const {
    if (Fitted(node, pod)) return true;
    const ByteLine* need = NeedOn(node, pod);
    if (!need) return false;
    const ByteLine* room = RoomOf(node);
    ByteLine::Words above{};
    for (size_t i = 0; i < width_; ++i) {
      above |= Above(need[i].lanes[0], room[i].lanes[0]) | Above(need[i].lanes[1], room[i].lanes[1]) |
               Above(need[i].lanes[2], room[i].lanes[2]) | Above(need[i].lanes[3], room[i].lanes[3]);
    }
    if ((above[0] | above[1]) != 0) return false;
    Remember(node, pod);
    return true;
  }

  // The outline of a demand, and with an id as long as one of the same curve is asked for in a row.
  static PodOutline Of(const ResourceDemand& demand, size_t slots);
  PodOutline Of(const ResourceDemand& demand) const;

 private:
  // Of the limit: what lies further below it is told apart no more.
  static constexpr int kOctaves = 7;

  bool Fitted(cluster::NodeIndex node, const PodOutline& pod) const { return pod.id != 0 && fits_[node] == pod.id; }
  void Remember(cluster::NodeIndex node, const PodOutline& pod) const {
    if (pod.id != 0) fits_[node] = pod.id;
  }
  const ByteLine* RoomOf(cluster::NodeIndex node) const { return &lines_[node * width_]; }
  // What the pod needs, below a limit of the node's octave; null: its peak is above the limit.
  const ByteLine* NeedOn(cluster::NodeIndex node, const PodOutline& pod) const {
    const int above = std::min(octaves_[node] - pod.octave, kOctaves);
    return above < 0 ? nullptr : &pod.lines[static_cast<size_t>(above) * width_];
  }
  static ByteLine::Words Above(ByteLine::Lane need, ByteLine::Lane room) {
    return reinterpret_cast<ByteLine::Words>(need > room);
  }
  bool FitsBySlots(cluster::NodeIndex node, const NodeUsage& usage, const ResourceDemand& demand, int64_t limit) const;
  bool FitsIn(size_t block, const NodeUsage& usage, const ResourceDemand& demand, int64_t limit) const;

  size_t slots_;
  size_t width_;                        // lines of each node
  std::vector<uint8_t> octaves_;        // of the limit, by node
  std::vector<ByteLine> lines_;         // node by node
  mutable std::vector<uint64_t> fits_;  // by node: the id of what it was found to have room for; 0 = nothing
  mutable ResourceDemand last_;         // that an outline was asked for
};

}  // namespace huygens::usage
