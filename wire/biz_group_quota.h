// A BizGroupResourceQuota, quota.huygens.dev/v1alpha1. What is JSON but cannot be used (a wrong type or quantity, a
// negative amount in spec.hard) does not fail: the object comes back with `defect` set and no budget, so that the pods
// of its group are refused by name. A fault in `status` costs the status alone, as if nobody had written it yet;
// `status_fault`, if given, receives it. Fails on text that is not a JSON object with metadata.name. Safe on any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "cluster/biz_group_quota.h"

namespace huygens::wire {

StatusOr<cluster::BizGroupQuota> DecodeBizGroupQuota(std::string_view json, Status* status_fault = nullptr);

// The group as PUT .../status takes it: what it says besides status is there for the guards by UID and resourceVersion
// alone. status.hard is `counted_hard`, the budget that the figures were reckoned with.
std::string EncodeBizGroupStatus(const cluster::BizGroupQuota& group);
// Its finalizers as a merge patch, with the same guards.
std::string EncodeBizGroupFinalizers(const cluster::BizGroupQuota& group);

// The keys of spec.hard that change and the mark of a transfer, set or taken away with them, as a merge patch that is
// refused where the group has another UID or resourceVersion.
std::string EncodeBudgetChange(const cluster::BizGroupQuota& group, const cluster::QuotaAmounts& hard,
                               std::string_view transfer_uid, bool marked);

}  // namespace huygens::wire
