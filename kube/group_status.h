// The status and the finalizers of a BizGroupResourceQuota at the API server. Blocking; one thread per client.
#pragma once

#include <string>

#include "base/status.h"
#include "base/time.h"
#include "cluster/biz_group_quota.h"
#include "net/client.h"

namespace huygens::kube {

// Replaces the status, if the group still has this UID and resource version, and returns the object as it is now.
// Aborted: it has changed since. NotFound: there is none. FailedPrecondition: the API server takes no such status, and
// has written nothing. Other errors as those of net::Client, and Unavailable for any other answer: whether it was
// written is then not known.
StatusOr<cluster::BizGroupQuota> WriteGroupStatus(net::Client& client, const cluster::BizGroupQuota& group,
                                                  Duration timeout);
// Replaces its finalizers, likewise; without the last one an object that is being deleted is gone, and as it was returned.
StatusOr<cluster::BizGroupQuota> WriteGroupFinalizers(net::Client& client, const cluster::BizGroupQuota& group,
                                                      Duration timeout);
// NotFound: there is none.
StatusOr<cluster::BizGroupQuota> ReadGroup(net::Client& client, const std::string& name, Duration timeout);

}  // namespace huygens::kube
