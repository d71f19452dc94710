// What may be done to a group of the tree: the rules of creating, changing and deleting a budget. A refused change is a
// failed Status that names every rule broken, key by key. Pure; the tree is the state before the change.
//
// Only increases are held against the parent (what is given back is free once the change is stored), key by key: the
// parent's limits.cpu pays for limits.cpu and its limits.cpu.A4 for limits.cpu.A4, with no roll-up; what the parent
// does not limit costs it nothing. A child limits at least what its parent limits: keys are added at the leaves first
// and removed at the root first. Hours that a child is given anew each period its parent must be given anew at the same
// moments, if it limits them: otherwise the child would consume more than was handed to it. A budget may shrink below what is used, which evicts nothing and stops what would add.
#pragma once

#include <string_view>

#include "base/status.h"
#include "cluster/biz_group_quota.h"
#include "quota/amounts.h"
#include "quota/tree.h"

namespace huygens::quota {

struct GroupRules {
  bool strict_shrink = false;  // refuse a budget below what is used
};

// `reserved`: what the parent has been charged for this group already by earlier reviews of it, which the tree counts as
// used; it is not asked for a second time.
Status MayCreate(const Tree& tree, const cluster::BizGroupQuota& group, const Amounts& reserved = {});
// `group` as it will be; the tree has it as it is.
Status MayUpdate(const Tree& tree, const cluster::BizGroupQuota& group, const GroupRules& rules = {},
                 const Amounts& reserved = {});
// Leaves without use only. A group whose parent is gone can be deleted like any other.
Status MayDelete(const Tree& tree, std::string_view name);

// The hours that a deleted child consumed, which stay with its parent: otherwise whoever deletes and makes a child
// again would mint them.
Amounts ConsumedHours(const cluster::BizGroupQuota& deleted);

}  // namespace huygens::quota
