// What the zones of a node lack for a pod, in figures for people: worked out when somebody asks, never on the way of a
// pod. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "base/time.h"
#include "placement/placement.h"
#include "policy/reason.h"

namespace huygens::placement {

// What the zones of a node lack for a pod. `free`, and `of` (what there is when no pod is there), name the resources
// that are needed.
struct ZoneShortage {
  ResourceVector needs;
  bool one_zone = false;      // all of it in one zone; else in all zones together
  std::string_view asked_by;  // who wants one zone of a managed node: "pod" or "node"
  bool fits_across = false;   // it would fit now, did nobody ask for one zone
  bool holds_across = false;  // likewise, were no pod there
  std::string container;      // that was refused, where kubelet pins by container
  std::string policy;         // kubelet's, where it pins
  // Where kubelet gives whole cores only and `needs`, of `container`, is CPUs that make none: the threads of a core.
  int core_threads = 0;
  std::string zone;      // the one that comes nearest; empty: all together
  bool largest = false;  // which it does since none is large enough; else it is the freest of those that are
  ResourceVector free;
  ResourceVector of;
  // Of one zone: the one that has most free of what is needed, which may be another than `zone`.
  std::string freest;
  ResourceVector most_free;
  ResourceVector claimed;       // by `zone` or all, where real capacity is less, or out of date
  std::string lower;            // the zones of which it is: "node0, node2"
  bool stale = false;           // that real capacity
  std::optional<int64_t> last;  // its last figure, in milli-cores
  std::optional<Time> last_at;  // when that was written; of several the oldest
  bool claims_hold = false;     // they are too small, and would hold the pod if they gave all that they claim
  // A zone that would hold the pod at once if it gave what it claims, of which nobody says any more what it can really
  // give.
  struct StaleZone {
    std::string name;
    std::optional<int64_t> last;  // that figure, in milli-cores
    std::optional<Time> written;  // when it was
    int64_t must_give = 0;        // how much it must be for the pod to fit beside those there
  };
  std::vector<StaleZone> stale_zones;
  // Where kubelet pins: how many milli-CPUs the topology object says are taken that no pod known there holds, and when
  // the object was written.
  int64_t unaccounted = 0;
  std::optional<Time> written;
  bool asks_cores = false;  // by huygens.dev/smt; then the following are those of `zone`, or of all
  int64_t whole_cores = 0;  // that nobody uses
  int64_t cores = 0;
};

// Of a node that refused the pod for this reason, which is one about amounts of zones. `written` is left to whoever has
// the topology object.
ZoneShortage ShortageOf(const cluster::Pod& pod, const NodeDescription& node, policy::Reason reason,
                        const topology::Options& options);

}  // namespace huygens::placement
