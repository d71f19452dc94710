// Finds the waiting pods that nodes which changed would take now, by the same checks as filter, in steps of a few
// microseconds, so that a storm of changes is looked through between requests. Changes nothing but who waits. One
// thread at a time.
//
// Pods are asked for in turn, each about the nodes in order, and found for the first that would take it. A node that
// would, but not beside the first found there, sends it on to the next: nobody is woken for room that is spoken for,
// and no room is forgotten. If no other node takes it, those that sent it on count as changed again: that first pod may
// go elsewhere.
//
// A pod that its business group held back, on all nodes or on those of some models, is looked at when budgets changed
// so that the group lets it go, and then on all its nodes, as long as its group has room for it beside those found
// before, in this search or an earlier one. Those keep their room until they are placed, are gone, wait again, or ten
// seconds have passed; if they were not placed, who came after them is looked at again.
//
//   if (search.Begin(now)) while (search.Step(now)) {}   then   search.TakeWakes()
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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
  // Finds pods for at most `most_nodes` nodes at a time; the others that a pod may need count as changed again.
  // `placement` must outlive it.
  WakeSearch(Placement& placement, size_t most_nodes) : placement_(placement), most_nodes_(most_nodes) {}

  // From now on pods that groups let go are never together in one Wake, and there are `most_nodes` of them at a time.
  void TellOneByOne() { one_by_one_ = true; }

  // Starts over with the nodes that changed since the last time. False: there is nothing to look at.
  bool Begin(Time now);
  // Asks for one pod about a few nodes. False: everything has been looked at.
  bool Step(Time now);
  // Ordered by node. Each pod is in one of them; those that groups let go are in one each if they are few, else
  // together in one. Nodes that went meanwhile are left out.
  std::vector<Wake> TakeWakes();

 private:
  struct LetGo {
    std::string group;
    quota::Amounts amounts;
    Time since;
    bool known = false;  // State knew the pod, so if it does not any more it is gone
  };

  // A Wake in the making.
  struct Gain {
    Wake wake;
    size_t sent_on = 0;   // pods that would have fitted, but not beside the first
    bool wanted = false;  // by one of these that found no other node
    bool SpokenFor() const;
  };

  void EndLetGo(Time now);
  // What pods of its group that were let go would take; null: nothing.
  const quota::Amounts* OthersOf(const cluster::Pod& pod) const;
  bool StillWaits(WaitingPods::Entry& entry) const;
  // Whether its group keeps the pod waiting; notes that it is so.
  bool Held(WaitingPods::Entry& entry);
  // Whether its group, which held it back on nodes of some models, lets it go on one of them; notes the others.
  bool LetOnMoreModels(WaitingPods::Entry& entry);
  // Whether the pod whose turn it is looks at the node since its group let it go, and not since the node changed.
  bool IsAnywhere(const WaitingPods::Entry& entry, NodeIndex node) const;
  bool BudgetsChangedFor(const cluster::Pod& pod) const;
  // Whether the node is looked at only since the pod's own gang gave back what it held there.
  bool IsOfOwnGang(const WaitingPods::Entry& entry, NodeIndex node) const;
  void LookAgain(NodeIndex node);  // in the next search
  // How many it takes to tell of the gains: one per node, and where pods that groups let go are told one by one each.
  size_t Writes();
  // Null: no pod was found there yet.
  Gain* FindGain(NodeIndex node, bool anywhere);
  // Whether the node, which would take the pod, would do so beside the first one found there.
  bool TakesBeside(const std::shared_ptr<const cluster::Pod>& pod, NodeIndex node, Time now);
  void NextPod();
  void Found(WaitingPods::Entry& entry, NodeIndex node, Time now);
  // The pod whose turn it is goes without: those that sent it on, and nodes_ from `position` on, may be for it later.
  void KeepNodes(size_t position);
  size_t Position(NodeIndex node) const;  // in nodes_

  Placement& placement_;
  const size_t most_nodes_;
  std::vector<NodeIndex> nodes_;                 // in order
  std::map<NodeIndex, std::string> let_go_by_;   // the gang, of those that changed since its holds ended (WaitingPods)
  std::optional<std::string> budgets_changed_;   // likewise
  std::map<std::string, LetGo> let_go_;          // by UID: those that were found and are not placed yet
  std::map<std::string, quota::Amounts> going_;  // by group: what they would take
  bool others_wait_ = false;                     // for the sake of these
  bool anywhere_ = false;  // the group of the pod whose turn it is let it go: all nodes are looked at, not only nodes_
  size_t next_node_ = 0;   // of those, for that pod
  uint64_t turn_ = 0;
  std::vector<NodeIndex> some_;     // asked about in this step
  std::vector<NodeIndex> sent_by_;  // nodes that sent on the pod whose turn it is
  std::vector<Gain> gains_;
  bool one_by_one_ = false;
  size_t kept_from_ = 0;  // nodes_ from here on are for the next search
};

}  // namespace huygens::placement
