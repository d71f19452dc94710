// The status, the finalizers and the budget of a BizGroupResourceQuota at the API server. Blocking; one thread per client.
// Errors as those of kube/object_call.h.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "cluster/biz_group_quota.h"
#include "net/client.h"

namespace huygens::kube {

// Replaces the status, if the group still has this UID and resource version, and returns the object as it is now.
// FailedPrecondition, with the file to apply, where the CustomResourceDefinition is an earlier one: API servers drop the
// fields that it does not know, and store the rest.
StatusOr<cluster::BizGroupQuota> WriteGroupStatus(net::Client& client, const cluster::BizGroupQuota& group,
                                                  Duration timeout);
// Whether it would be taken whole, with the errors of WriteGroupStatus; nothing is stored.
Status TryGroupStatus(net::Client& client, const cluster::BizGroupQuota& group, Duration timeout);
// Replaces its finalizers, likewise; without the last one an object that is being deleted is gone, and as it was returned.
StatusOr<cluster::BizGroupQuota> WriteGroupFinalizers(net::Client& client, const cluster::BizGroupQuota& group,
                                                      Duration timeout);
// Changes these keys of spec.hard and the mark of a transfer, likewise.
StatusOr<cluster::BizGroupQuota> WriteGroupBudget(net::Client& client, const cluster::BizGroupQuota& group,
                                                  const cluster::QuotaAmounts& hard, std::string_view transfer_uid,
                                                  bool marked, Duration timeout);
// NotFound: there is none.
StatusOr<cluster::BizGroupQuota> ReadGroup(net::Client& client, const std::string& name, Duration timeout);

}  // namespace huygens::kube
