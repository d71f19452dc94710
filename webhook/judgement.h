// What must be answered to an admission review, and what its yes changes: a rule of its own, without I/O, a clock or
// anything written. Whoever asks brings the tree of groups with all that is used of them, and the workloads that are
// known; whoever answers first writes the changes down, so that two reviews do not share what is left.
//
// Only what grows is held against a budget. Decreases, deletions, the removal of finalizers and edits of something else
// pass, whether the group is over its budget, being deleted or gone. What a change gives back is for the controller to
// release once it sees the stored object: another webhook may still refuse it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advances/charge.h"
#include "base/resource.h"
#include "quota/device_classes.h"
#include "quota/group_rules.h"
#include "quota/keys.h"
#include "quota/tree.h"
#include "quota/workload_kinds.h"
#include "webhook/admission_review.h"
#include "workloads/charge.h"
#include "workloads/index.h"

namespace huygens::webhook {

struct Rules {
  quota::KeyOptions keys;
  quota::ReplicaOptions replicas;
  quota::GroupRules groups;
  // Whose writes of budgets are those of transfers: the user of huygens controller; empty: nobody's are.
  std::string transfers_by;
  bool refuse_autoscalers = true;  // that may ask for more than there is; false: they are warned
};

// What was reserved in a group for the object of this UID by earlier reviews of it that are not seen to be stored yet.
using Reserved = std::function<quota::Amounts(std::string_view group, std::string_view uid)>;

struct Facts {
  const quota::Tree& tree;
  const workloads::WorkloadIndex& workloads;
  const quota::DeviceClasses& classes;
  const ResourceNames& names;
  Reserved reserved = nullptr;  // nothing ever is
  // Whether what is used is what the status of groups says, so that a key without a figure was never counted.
  bool by_status = false;
  // Why `classes` has none, where the API server lets nobody read them, in words for whoever asked; empty: it does.
  std::string classes_hidden = {};

  quota::Amounts ReservedFor(std::string_view group, std::string_view uid) const {
    return reserved == nullptr ? quota::Amounts() : reserved(group, uid);
  }
  // Whether somebody has counted what is used of the key, which the budget limits. A key that was taken out of the budget
  // and put back has a figure of old, and only the controller says that it was reckoned with again.
  bool Counted(const cluster::BizGroupQuota& group, std::string_view key) const;
  workloads::Costs Costs(const Rules& rules) const { return {names, classes, rules.keys, rules.replicas}; }
};

// By how much the status of a group would have to change, of keys that it limits.
struct GroupChange {
  std::string group;
  quota::Amounts amounts;  // below 0: what becomes free, not before the object is stored
};

using advances::Charge;

struct Judgement {
  bool allowed = true;
  int code = 0;  // of a refusal: kForbidden, or kServiceUnavailable where nothing can be said yet
  std::string message;
  std::vector<GroupChange> changes;   // of what is allowed
  std::optional<Charge> charge;       // of what is allowed and grows
  std::vector<std::string> warnings;  // one line each
  // Of a refusal for now: a watch is likely to tell within moments what is missing.
  bool soon = false;
  // Of a refusal because nobody has seen this group: a watch may be behind, so whoever can asks the API server for it and
  // judges again.
  std::string unknown_group = {};
  // Of a refusal for lack of room: of this group, and by how much, if that is known.
  std::string short_of = {};
  quota::Amounts lacking = {};
};

// Whether the review deletes a group, or makes its budget smaller.
bool TakesRoomAway(const AdmissionRequest& request);

Judgement Judge(const AdmissionRequest& request, const Facts& facts, const Rules& rules = {});

// The answer, with the group and its charge for the audit log.
AdmissionAnswer ToAnswer(const AdmissionRequest& request, const Judgement& judgement);

}  // namespace huygens::webhook
