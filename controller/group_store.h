// Where groups are kept: the API server, or in tests what stands in for it. Answers come on the loop's thread, never
// before the call has returned; none comes where this instance leads no more.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "cluster/biz_group_quota.h"

namespace huygens::controller {

class GroupStore {
 public:
  // The object as it is stored now. Aborted: it has changed since (409). NotFound: there is none. FailedPrecondition:
  // such an object is never taken (422). Any other error: it may or may not have been written.
  using Done = std::function<void(StatusOr<cluster::BizGroupQuota>)>;

  virtual ~GroupStore() = default;
  // If the group still has this UID and resource version: its status, its finalizers, some of its budget.
  virtual void WriteStatus(const cluster::BizGroupQuota& group, Done done) = 0;
  virtual void WriteFinalizers(const cluster::BizGroupQuota& group, Done done) = 0;
  // `hard`: the keys of spec.hard that change; together with them the mark of a transfer is set, or taken away.
  virtual void WriteBudget(const cluster::BizGroupQuota& group, const cluster::QuotaAmounts& hard,
                           const std::string& transfer_uid, bool marked, Done done) = 0;
  virtual void Read(const std::string& name, Done done) = 0;
};

}  // namespace huygens::controller
