// Finds the waiting pods that nodes which changed would take now, by the same checks as filter, in steps of a few
// microseconds, so that a storm of changes is looked through between requests. Changes nothing but who waits. One
// thread at a time.
//
// A pod that its business group held back is looked at when budgets changed, and then on all its nodes, as long as its
// group has room for it beside those found before, in this search or an earlier one. Those keep their room until they
// are placed, are gone, wait again, or ten seconds have passed; if they were not placed, who came after them is looked
// at again.
//
//   if (search.Begin(now)) while (search.Step(now)) {}   then   search.TakeWakes(now)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "placement/placement.h"

namespace huygens::placement {

// A node that gained, and the pods that it would take, ordered by their turn.
struct Wake {
  NodeIndex node = 0;
  bool anywhere = false;  // their groups let them go: the node is one that the first would fit, others may do as well
  std::vector<std::shared_ptr<const cluster::Pod>> pods;
};

class WakeSearch {
 public:
  // Finds pods for at most `most_nodes` nodes at a time; the others count as changed again. `placement` must outlive
  // it.
  WakeSearch(Placement& placement, size_t most_nodes) : placement_(placement), most_nodes_(most_nodes) {}

  // Starts over with the nodes that changed since the last time. False: there is nothing to look at.
  bool Begin(Time now);
  // Asks for one pod about a few nodes. False: everything has been looked at.
  bool Step(Time now);
  // Ordered by node. Each pod is in one of them; those that groups let go are in one each if they are few, else
  // together in one. Where a node would take any of several pods, but only one, it is the first; the node counts as
  // changed again, in case that one goes elsewhere. Nodes that went meanwhile are left out.
  std::vector<Wake> TakeWakes(Time now);

 private:
  struct LetGo {
    std::string group;
    quota::Amounts amounts;
    Time since;
    bool known = false;  // State knew the pod, so if it does not any more it is gone
  };

  void EndLetGo(Time now);
  bool StillWaits(WaitingPods::Entry& entry) const;
  // Whether its group keeps the pod waiting; notes that it is so.
  bool Held(WaitingPods::Entry& entry);
  void SplitFew();
  void NextPod();
  void Found(const WaitingPods::Entry& entry, NodeIndex node, Time now);

  Placement& placement_;
  const size_t most_nodes_;
  std::vector<NodeIndex> nodes_;
  bool budgets_changed_ = false;
  std::map<std::string, LetGo> let_go_;          // by UID: those that were found and are not placed yet
  std::map<std::string, quota::Amounts> going_;  // by group: what they would take
  bool others_wait_ = false;                     // for the sake of these
  bool anywhere_ = false;  // the group of the pod whose turn it is let it go: all nodes are looked at, not only nodes_
  size_t next_node_ = 0;   // of those, for that pod
  uint64_t turn_ = 0;
  std::vector<NodeIndex> some_;  // asked about in this step
  std::vector<Wake> wakes_;
};

}  // namespace huygens::placement
