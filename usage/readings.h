// What a source measured, on its way from the source's thread to the decision thread. Small enough to be applied
// between two requests: a source cuts what it has into pieces of at most kReadingsPerBatch.
//
// Amounts are in base units (base/resource.h; milli-cores for cpu, else what the resource is measured in), rounded up,
// at least 0: whatever a source says that is no such number (NaN, infinite, negative) is left out, never read as 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "usage/options.h"

namespace huygens::usage {

inline constexpr size_t kReadingsPerBatch = 256;

struct Reading {
  std::string subject;
  int64_t amount = 0;
};

// What a node used at one moment: its pods, and itself beyond them.
struct Moment {
  std::string node;
  Time at;
  int64_t pods = 0;
  int64_t system = 0;
};

// The highest use within one slot of time, of one resource.
struct Readings {
  size_t resource = 0;             // position in Options::resources
  int64_t slot = 0;                // number of the slot since 1970, UTC: floor(time / Options::slot)
  Time measured;                   // of the newest sample in it
  std::vector<Reading> workloads;  // subject: usage::WorkloadOf; of several replicas the one that used most
  std::vector<Reading> nodes;      // subject: node name; what the node used beyond its pods
  std::vector<Moment> moments;     // the newest of each node, from a source that knows; says nothing of history
  // The names of nodes whose pods were measured, though not what they used themselves: they are fresh.
  std::vector<std::string> half_measured;
  // The source measures node by node: one that it says nothing of is not fresh, whatever it says of pods elsewhere.
  bool by_node = false;
};

// The slot that `time` lies in.
int64_t SlotAt(Time time, Duration slot);

// The oldest slot that a source brings back at `now`: a window before the oldest one that nothing may have been
// measured of yet though figures are fresh (Options::stale_after), the open one at the latest. Until it is measured it
// counts for what was used a week before.
int64_t OldestSlot(Time now, const Options& options);

}  // namespace huygens::usage
