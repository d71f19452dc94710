// The pods whose hours are to be counted, group by group, as the cluster changes: which are whose, and since when. Owned by
// one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "controller/cluster_view.h"
#include "controller/group_use.h"
#include "controller/pod_spans.h"

namespace huygens::controller {

class FollowedHours {
 public:
  // What is referred to must outlive this.
  FollowedHours(const ClusterView& cluster, const GroupUse& use) : cluster_(cluster), use_(use) {}

  // As ClusterObserver has them.
  void GroupChanged(const cluster::BizGroupQuota* before, const cluster::BizGroupQuota* after);
  void WorkloadChanged(const workloads::WorkloadObject* before, const workloads::WorkloadObject* after, Time now);

  // Whether the group has a budget of hours.
  bool IsCounted(std::string_view group) const { return counted_.contains(group); }
  // Pods of the group that run, or ended and were not forgotten.
  std::vector<CountedPod> Of(std::string_view group, Time now);
  // Whether there are pods of which nobody knows yet whose they are: something that made them is not known.
  bool AnyUnresolved() const { return !spans_.Unresolved().empty(); }
  bool AnyRuns(std::string_view group) const { return spans_.AnyRuns(group); }
  // As PodSpans::Counted.
  void Counted(std::string_view group, Time until) { spans_.Counted(group, until); }

 private:
  void Set(const workloads::WorkloadObject& pod, Time now);

  const ClusterView& cluster_;
  const GroupUse& use_;
  PodSpans spans_;
  TextSet counted_;
  bool all_anew_ = true;  // whose pods are may have changed unseen
};

}  // namespace huygens::controller
