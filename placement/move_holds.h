// Room that is held on a node for the replacement of a pod that is to move: by a stand-in in the ledger, a pod that
// nobody will ever bind and that all checks see. Decision thread only.
//
// The replacement, once somebody says which pod that is (Claim), is judged as if the stand-in were not there, and as if
// its group did not pay for the pod that it replaces, which may run on for its grace period: the victim's share covers
// the replacement, or a group at its budget could never be relieved. When the replacement is reserved on the node the
// stand-in leaves in the same step.
//
// kube-scheduler does not know of stand-ins: on nodes that have any, a pod whose requests would not fit beside them is
// refused here.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cluster/state.h"
#include "policy/check.h"
#include "quota/account.h"

namespace huygens::placement {

class MoveHolds {
 public:
  struct Claimed {
    std::string stand_in, victim;  // UIDs
  };

  // `state` must outlive this.
  explicit MoveHolds(cluster::State& state) : state_(state) {}

  // The stand-in was reserved on this node (Placement::HoldForMove).
  void Add(std::string_view stand_in, cluster::NodeIndex node) { held_.insert_or_assign(std::string(stand_in), node); }
  bool Holds(std::string_view stand_in) const { return held_.contains(stand_in); }
  size_t size() const { return held_.size(); }
  // Gives back what the stand-in holds, if anything.
  void Release(std::string_view stand_in);
  // The victim is gone, so that its group pays for the stand-in from now on, or somebody else would take its share.
  void Charge(std::string_view stand_in, const std::shared_ptr<const cluster::QuotaLabels>& labels, Time now);

  // The pod of this UID replaces the victim. Both may be gone, or hold nothing.
  void Claim(std::string_view uid, Claimed claimed) {
    ended_.erase(std::string(uid));
    claimed_.insert_or_assign(std::string(uid), std::move(claimed));
  }
  // The move has ended. That the pod replaces the victim is known until one of them is gone.
  void Forget(std::string_view uid);
  // The pod is about to be reserved: what is held for it goes.
  void Consume(std::string_view uid);

  // As long as it lives, the groups do not pay for what the asking pod replaces, nor for its stand-in, nor for a pod that
  // runs out its grace period where its replacement is placed already: else the replacements of one group at its budget
  // would keep each other off their targets. Before the groups are asked.
  class Unpaid {
   public:
    Unpaid(const MoveHolds& holds, quota::Account* groups, const cluster::Pod& asking);
    ~Unpaid();
    Unpaid(const Unpaid&) = delete;
    Unpaid& operator=(const Unpaid&) = delete;

   private:
    quota::Account* groups_;
    std::vector<const cluster::PlacedPod*> left_;
  };
  // The stand-in of the asking pod; null: it has none.
  const cluster::PlacedPod* StandInOf(const cluster::Pod& asking) const;

  // Rejects nodes that hold room for others where the pod's requests do not fit beside that.
  void Check(const policy::PodQuery& query, policy::Candidates& nodes) const;

 private:
  cluster::State& state_;
  TextMap<cluster::NodeIndex> held_;  // by UID of the stand-in
  TextMap<Claimed> claimed_;          // by UID of the replacement
  std::set<std::string> ended_;       // replacements of moves that have ended
};

}  // namespace huygens::placement
