// The pods for which filter last found no node, each with the nodes it was asked about, and the nodes on which room may
// have appeared since: what WakeSearch needs. Bounded; the pod that waits longest goes first, since kube-scheduler asks
// for each again within five minutes anyway. Decision thread only.
//
// Told by State like any account: a node whose Node or topology object changed is to be looked at, and so is one that a
// pod left, a little later (kube-scheduler sees that by itself, but may have asked before our watch had it). The same
// goes for budgets: a pod whose group refused it is looked at when some group changed, or pods of one left. Which group
// does not matter: one that appears can mend those below it, one that shrinks relieves its parent, and asking a group
// costs next to nothing. Likewise when a ResourceClaim or DeviceClass changed, and when a pod with claims is placed:
// its claims cost the next pod that names them nothing. While nobody waits nothing is remembered.
//
// Where a gang that does not fit whole gives back what it held (gang_holds.h), there is room for others and none for
// the gang itself: its own pods would be woken for that room, hold it and give it back again, for ever. So a change
// that comes of the holds of one gang alone bears that gang's name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/text.h"
#include "cluster/account.h"
#include "policy/sources.h"

namespace huygens::placement {

using cluster::NodeIndex;

class WaitingPods final : public cluster::Account, public policy::Waker {
 public:
  // `capacity` 0: nothing is ever remembered.
  explicit WaitingPods(size_t capacity) : capacity_(capacity) {}

  struct Entry {
    std::shared_ptr<const cluster::Pod> pod;
    std::shared_ptr<const std::vector<bool>> nodes;  // by index; null: any node, since some names were not known yet
    bool watched = false;                            // the watch has shown it, so if it does not any more it is gone
    bool waking = false;                             // kube-scheduler is being told
    bool held = false;                               // its group refused it, whatever the node
    std::vector<uint32_t> models;                    // on nodes of which its group refused it: VerdictsByModel::Refused
    bool Concerns(NodeIndex node) const { return !nodes || (node < nodes->size() && (*nodes)[node]); }
  };

  // As Entry's.
  struct ByGroup {
    bool held = false;
    std::vector<uint32_t> models;
  };
  // `nodes`: the known ones that filter was asked about and rejected; `unknown`: there were others. A pod that waits
  // already keeps its turn.
  void Add(std::shared_ptr<const cluster::Pod> pod, std::span<const NodeIndex> nodes, bool unknown, ByGroup refused);
  void Remove(std::string_view uid);
  // Before and after kube-scheduler is told: a pod that was told waits no more, unless filter has rejected it again
  // meanwhile.
  void BeginWaking(std::string_view uid);
  void EndWaking(std::string_view uid, bool told);

  size_t size() const { return entries_.size(); }
  bool Full() const { return entries_.size() >= capacity_; }
  bool Waits(std::string_view uid) const { return turns_.contains(uid); }
  // The first pod whose turn is at `turn` or later; moves `turn` there. Null if there is none.
  Entry* Next(uint64_t& turn);

  // `gang`: whose holds ended there, if nothing else did (GangOf); empty: there is room for everybody.
  void Changed(NodeIndex node, std::string_view gang = {});
  void BudgetsChanged(std::string_view gang = {});
  void Gained(NodeIndex node) override { Changed(node); }
  // Call it once a second: nodes and groups that pods left more than a second ago count as changed, and so do `count`
  // of the `slots` nodes, going round (a real capacity that goes out of date can be a rise, too, and nothing tells of
  // it).
  void Remind(size_t count, size_t slots);
  // The nodes that changed since the last call, in order, each with its gang as above.
  std::vector<std::pair<NodeIndex, std::string>> TakeChanged();
  // Whether budgets changed since the last call; the gang as above.
  std::optional<std::string> TakeBudgetsChanged() { return std::exchange(budgets_changed_, std::nullopt); }

  void Place(const cluster::PlacedPod& pod) override;
  void Leave(const cluster::PlacedPod& pod) override;
  void NodeChanged(NodeIndex node, const cluster::NodeTopology*) override { Changed(node); }
  void GroupChanged(const cluster::BizGroupQuota&) override { BudgetsChanged(); }
  void GroupGone(std::string_view) override { BudgetsChanged(); }
  void ClaimChanged(const std::shared_ptr<const cluster::ResourceClaim>&) override { BudgetsChanged(); }
  void ClaimGone(std::string_view) override { BudgetsChanged(); }
  void ClassChanged(const cluster::DeviceClass&) override { BudgetsChanged(); }
  void ClassGone(std::string_view) override { BudgetsChanged(); }
  bool Recount(NodeIndex, std::span<const cluster::PlacedPod* const>) override { return false; }

 private:
  // The last pod to leave, and what that marked: a bound pod whose object changes leaves and comes back at once.
  struct Left {
    cluster::PlacedPod pod;
    bool marked_node = false;
    bool marked_group = false;
  };

  Entry* Find(std::string_view uid);

  const size_t capacity_;
  uint64_t next_turn_ = 0;
  std::map<uint64_t, Entry> entries_;  // by turn
  TextMap<uint64_t> turns_;            // by UID
  std::vector<NodeIndex> last_asked_;  // kube-scheduler asks about the same nodes again and again: pods share one set
  std::shared_ptr<const std::vector<bool>> last_set_ = std::make_shared<const std::vector<bool>>();
  using Nodes = absl::flat_hash_map<NodeIndex, std::string>;  // with the gang, as for Changed
  Nodes changed_;
  Nodes left_, left_before_;                   // since the last Remind, and before it
  using Budgets = std::optional<std::string>;  // likewise; nothing: they did not change
  Budgets budgets_changed_;
  Budgets group_left_, group_left_before_;  // by some pod; likewise
  std::optional<Left> last_left_;
  NodeIndex next_reminded_ = 0;
};

}  // namespace huygens::placement
