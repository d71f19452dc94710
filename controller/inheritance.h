// What becomes of the hours of a group that is deleted: they stay with its parent, or whoever deletes a group and makes it
// anew would mint them. A finalizer keeps the group until its parent has them in its status, with the group's UID beside
// them, so that they are taken in once, whoever leads. It also keeps it for as long as something depends on it: children,
// workloads, pods that run, reservations. So nothing can be created below it in the moment in which it goes. [quota A19,
// A21, A22]
//
// A group that went without (its finalizer was taken away) leaves what was last seen of it to its parent, if anybody
// watched. One without a parent: controller/root_hours.h. Owned by one thread.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "controller/cluster_view.h"
#include "controller/followed_hours.h"
#include "controller/group_use.h"
#include "quota/cash.h"

namespace huygens::controller {

inline constexpr std::string_view kFinalizer = "quota.huygens.dev/in-use";

bool HasFinalizer(const cluster::BizGroupQuota& group);
// Whether anything of status.exactHours is not 0.
bool AnyHours(const std::map<std::string, std::string>& exact_hours);

class Inheritance {
 public:
  // What is referred to must outlive this.
  Inheritance(const ClusterView& cluster, const GroupUse& use, FollowedHours& hours)
      : cluster_(cluster), use_(use), hours_(hours) {}

  // The group is gone, as it was last seen. Whether it left hours.
  bool Gone(const cluster::BizGroupQuota& group, Time now);

  // What the group takes over now; notes in its `inherited` from whom, and forgets there those that are long gone.
  std::vector<quota::CashLedger> TakeOver(cluster::BizGroupQuota& group, Time now);

  // What keeps a group that is being deleted; empty: nothing.
  std::string KeptBy(const cluster::BizGroupQuota& group, Time now) const;
  // Whether its parent has still to take its hours over.
  bool LeavesHours(const cluster::BizGroupQuota& group) const;

 private:
  struct Left {
    std::string uid, name;
    std::map<std::string, std::string> exact_hours;
    Time at;
  };
  void Forget(cluster::BizGroupQuota& group, Time now) const;

  const ClusterView& cluster_;
  const GroupUse& use_;
  FollowedHours& hours_;
  std::map<std::string, std::vector<Left>, std::less<>> left_;  // by parent
};

}  // namespace huygens::controller
