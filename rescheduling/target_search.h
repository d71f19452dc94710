// Where a pod could go: of the nodes that keep to their ceilings in every slot with it, beside what the plan brings
// there, and that all checks accept, the one whose highest share of use is the least; of equal ones the first by index.
//
// Best first: nodes are looked at in the order of what they use now, each first in two slots, which cannot be above the
// true peak, then in all; so most of a large cluster is not looked at. In steps.
#pragma once

#include <memory>
#include <optional>
#include <queue>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/text.h"
#include "placement/placement.h"
#include "rescheduling/facts.h"
#include "rescheduling/move.h"
#include "rescheduling/planned_use.h"

namespace huygens::rescheduling {

// What the plan so far does to nodes, and what it has learnt.
struct PlannedPods {
  // By workload: the peaks of a pod that no node had room for below its ceilings. Nodes only fill up while a plan grows,
  // so another one like it need not be searched for.
  mutable TextMap<std::vector<int64_t>> nowhere;
  absl::flat_hash_map<NodeIndex, std::vector<std::shared_ptr<const cluster::Pod>>> arrivals;  // stand-ins
  absl::flat_hash_set<NodeIndex> left;  // nodes that lose pods: nobody is sent there, for it would have to wait
};

// All open nodes with fresh figures by their share of one resource, ascending.
class NodesByShare {
 public:
  struct Entry {
    float share;
    NodeIndex node;
  };
  void Build(const placement::Placement& placement, const Facts& facts, const PlannedUse& use, size_t resource);
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

// What is asked for one pod.
struct TargetWanted {
  std::shared_ptr<const cluster::Pod> pod;       // as it is placed
  std::shared_ptr<const cluster::Pod> stand_in;  // StandIn(pod)
  const Load* load = nullptr;                    // what it counts for elsewhere; null: nothing is known of use
  NodeIndex source = 0;
  size_t rank_by = 0;  // resource
  // Share of the ceiling, in millionths: of the nodes that stay below it the one that is used most is taken, so that
  // large pods that come later find room; else the one that stays lowest. 0: that one in any case.
  int64_t comfort = 0;
  bool source_is_hot = false;    // above a ceiling: no other pod would go there
  std::optional<int> max_zones;  // over so many zones it may be spread there
};

struct Target {
  NodeIndex node = 0;
  float share = 0;  // of the resource that ranks, with the pod
};

class TargetSearch {
 public:
  // All must outlive it.
  TargetSearch(placement::Placement& placement, const Facts& facts, const PlannedUse& use, const PlannedPods& planned)
      : placement_(placement), facts_(facts), use_(use), planned_(planned) {}

  void Begin(TargetWanted wanted, const NodesByShare& order);
  // Uses up `budget`, a look at one slot of one node being 1 or so. True: there may be more to do.
  bool Advance(int64_t& budget, Time now);
  // Once Advance has said false.
  const std::optional<Target>& found() const { return found_; }
  // Whether this node takes the pod by all checks and facts, beside what the plan brings there; `load` is not looked at.
  bool Takes(TargetWanted wanted, NodeIndex node, Time now);
  // Whether any node kept to its ceilings, whatever the checks said.
  bool any_room() const { return any_room_; }

 private:
  struct Candidate {
    float share;
    NodeIndex node;
    bool exact;
    bool operator>(const Candidate& other) const {
      return share != other.share ? share > other.share : node > other.node;
    }
  };
  void Want(TargetWanted wanted);
  bool Allowed(NodeIndex node) const;
  // Nothing: it would be above a ceiling.
  std::optional<float> Share(NodeIndex node, bool exact) const;
  bool Passes(NodeIndex node, Time now);
  // Tries the nodes that are used most but would stay comfortable, in turn.
  bool AdvanceComfortable(int64_t& budget, Time now);
  bool IsComfortable(NodeIndex node, float share) const;
  // Whether a pod like it was found to have no room.
  bool IsKnownToFail();

  placement::Placement& placement_;
  const Facts& facts_;
  const PlannedUse& use_;
  const PlannedPods& planned_;
  TargetWanted wanted_;
  const NodesByShare* order_ = nullptr;
  size_t next_ = 0;         // in the order
  size_t comfortable_ = 0;  // so many of the order, from the front, have not been tried
  std::string workload_;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> open_;
  std::optional<quota::WantedModels> models_;
  std::optional<Target> found_;
  bool any_room_ = false;
};

}  // namespace huygens::rescheduling
