// Where the status of groups is kept: the API server, or in tests what stands in for it. Answers come on the thread that
// asked, never before the call has returned.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "cluster/biz_group_quota.h"

namespace huygens::webhook {

class StatusStore {
 public:
  // The object as it is stored now. Aborted: it has changed since (409). NotFound: there is none. FailedPrecondition:
  // such a status is never taken (422). Any other error: it may or may not have been written.
  using Done = std::function<void(StatusOr<cluster::BizGroupQuota>)>;

  virtual ~StatusStore() = default;
  // The status of the group, if it still has this UID and resource version.
  virtual void Write(const cluster::BizGroupQuota& group, Duration timeout, Done done) = 0;
  virtual void Read(const std::string& name, Duration timeout, Done done) = 0;
};

}  // namespace huygens::webhook
