// The pods that wait for a node where kube-scheduler has made room for them (status.nominatedNodeName): until their
// victims have gone and they are bound, no other pod may take what they need, unless its priority is higher than
// theirs. kube-scheduler's own plugins see to that by filtering with them on their nodes (pkg/scheduler/framework,
// RunFilterPluginsWithNominatedPods); an extender is not asked that way, so for zones it is done here.
//
// Who is being deleted counts as gone when it is worked out what a nominated pod needs; where that does not help, so
// does everybody of lower priority (unless its preemptionPolicy is Never), since kube-scheduler nominates before it
// evicts. If it does not fit even then, nothing is kept for it. On managed nodes it is given zones in thought, and
// others what is left. kubelet pins whoever comes first: there, as wherever the order of pods matters, another pod
// passes if the nominated ones would be let in after it, wherever it goes.
//
// Costs nothing while no pod is nominated, and next to nothing for those that are nominated to other nodes than those
// in question. Decision thread only.
#pragma once

#include <span>
#include <vector>

#include "cluster/state.h"
#include "policy/check.h"
#include "topology/node_kinds.h"

namespace huygens::placement {

class NominatedPods {
 public:
  // Both must outlive this.
  NominatedPods(const cluster::State& state, topology::NodeKinds& kinds) : state_(state), kinds_(kinds) {}

  // As long as it lives, `kinds` show these nodes with the nominated pods on them that go before the asking one.
  class Kept {
   public:
    Kept(NominatedPods& pods, const policy::PodQuery& query, std::span<const cluster::NodeIndex> nodes) : pods_(pods) {
      if (!pods_.state_.Nominated().empty()) pods_.Keep(query, nodes);
    }
    ~Kept() { pods_.Forget(); }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;

   private:
    NominatedPods& pods_;
  };

  // While there is a Kept for this query: rejects the nodes where a nominated pod would not be let in after this one.
  void Check(const policy::PodQuery& query, policy::Candidates& nodes) const;

 private:
  struct Nominated {
    cluster::NodeIndex node = 0;
    std::shared_ptr<const cluster::Pod> pod;
  };

  void Keep(const policy::PodQuery& query, std::span<const cluster::NodeIndex> nodes);
  void Forget();
  void PlaceInThought(const Nominated& nominated, const policy::PodQuery& query);
  bool LeavesRoom(const policy::PodQuery& query, std::span<const Nominated> nominated) const;

  const cluster::State& state_;
  topology::NodeKinds& kinds_;
  std::vector<cluster::PlacedPod> placed_;  // in thought
  std::vector<Nominated> in_order_;         // on nodes where the order matters, ordered by node
};

}  // namespace huygens::placement
