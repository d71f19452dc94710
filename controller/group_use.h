// What the workloads that name a group take of it: those that are charged by themselves, not with what made them, as the
// webhook charges them. And whose use a change of the cluster may change. Owned by one thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "controller/cluster_view.h"
#include "controller/observed.h"
#include "workloads/charge.h"

namespace huygens::controller {

class GroupUse {
 public:
  // What is referred to must outlive this.
  GroupUse(const ClusterView& cluster, quota::KeyOptions keys, quota::ReplicaOptions replicas)
      : cluster_(cluster), keys_(std::move(keys)), replicas_(replicas) {}

  // One whose pods cannot be counted takes nothing: the webhook would have refused it. One that is being deleted takes no
  // more than it did when that was first seen: it makes no further pods, and so the webhook asks nobody whether it may grow.
  std::vector<ObservedObject> Of(std::string_view group) const;
  // What its children take of it. Hours of one whose hours are the group's already count no more.
  std::vector<ObservedObject> OfChildren(const cluster::BizGroupQuota& group) const;
  // The groups whose use may not be the same after this change. As ClusterObserver::WorkloadChanged.
  std::set<std::string> Concerned(const workloads::WorkloadObject* before, const workloads::WorkloadObject* after);

  workloads::Costs costs() const { return {cluster_.names(), cluster_.classes(), keys_, replicas_}; }

 private:
  // Nothing: it does not count, or is not there.
  std::optional<quota::Amounts> UseOf(const workloads::WorkloadObject* workload) const;
  void Note(const workloads::WorkloadObject* workload, int by);
  // Keeps the most that one may take that is being deleted.
  void NoteDeletion(const workloads::WorkloadObject* before, const workloads::WorkloadObject* after);

  const ClusterView& cluster_;
  const quota::KeyOptions keys_;
  const quota::ReplicaOptions replicas_;
  // How many workloads of each group are owned by the one of this UID: whether they are charged depends on it.
  TextMap<std::map<std::string, int>> groups_of_owned_;
  TextMap<quota::Amounts> most_of_deleting_;  // by UID
};

}  // namespace huygens::controller
