// Lets a group without a parent that is deleted and made anew go on with the hours that it had consumed, or whoever does
// so would mint them: before it goes its hours are written down elsewhere (controller/left_hours.h), and before a new
// one is counted for the first time they are looked up. What it consumed in a period that is over does not come back.
// One that went while nobody could write them down is remembered for as long as this object lives. Owned by one thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cluster/biz_group_quota.h"
#include "controller/left_hours.h"
#include "observe/log.h"
#include "observe/log_limit.h"

namespace huygens::controller {

class RootHours {
 public:
  // `store` null: nothing is kept. All outlive it.
  RootHours(LeftHoursStore* store, const Clock& clock, observe::Log& log) : store_(store), clock_(clock), log_(log) {}

  // Whether it must be looked up first what the group begins with.
  bool Unknown(const cluster::BizGroupQuota& group) const;
  // An error: nobody could say, ask again.
  void LookUp(const cluster::BizGroupQuota& group, std::function<void(Status)> then);
  // Of a group that was never counted: exactHours become what it begins with.
  void Resume(cluster::BizGroupQuota& group);

  // Whether it has hours that must be kept before it goes.
  bool Leaves(const cluster::BizGroupQuota& group) const;
  // An error: it must not go yet.
  void Keep(const cluster::BizGroupQuota& group, std::function<void(Status)> then);
  // It is gone, as it was last seen.
  void Gone(const cluster::BizGroupQuota& group);

 private:
  struct LookedUp {
    std::string uid;
    std::optional<LeftHours> left;
  };

  // Whether it is to be done without: one that may not read or write is not to stop everything.
  bool Forgiven(const Status& status, std::string_view group);

  LeftHoursStore* const store_;
  const Clock& clock_;
  observe::Log& log_;
  std::map<std::string, LookedUp, std::less<>> looked_up_;  // by name
  std::map<std::string, LeftHours, std::less<>> gone_;      // by name
  // exactHours that were kept, by UID, of groups that are being deleted.
  std::map<std::string, std::map<std::string, std::string>, std::less<>> kept_;
  observe::RateLimit warnings_{std::chrono::minutes(1)};
};

}  // namespace huygens::controller
