#include "quota/group_rules.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/text.h"
#include "quota/keys.h"
#include "quota/periods.h"

namespace huygens::quota {
namespace {

using cluster::BizGroupQuota;
using Faults = std::vector<std::string>;

Status Settle(const BizGroupQuota& group, const Faults& faults) {
  if (faults.empty()) return absl::OkStatus();
  return Refused(Concat("bizrq/", group.name, ": ", absl::StrJoin(faults, "; ")));
}

// A label of DNS, so that the label that names the group can hold it.
bool IsGroupName(std::string_view name) {
  auto ok = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= 63 && name.front() != '-' && name.back() != '-' &&
         std::all_of(name.begin(), name.end(), ok);
}

void CheckHard(const BizGroupQuota& group, Faults& faults) {
  if (!IsGroupName(group.name)) faults.push_back("the name must be a DNS label of at most 63 characters");
  for (const auto& [key, amount] : group.hard) {
    if (!IsKnownKey(key)) faults.push_back(Concat(key, " is no key that a pod could be charged to"));
    if (amount.Sign() < 0) faults.push_back(Concat(key, " must not be negative"));
  }
  if (!group.cash_policy) return;
  if (const auto periods = Periods::Of(*group.cash_policy); !periods.ok()) {
    faults.emplace_back(Message(periods.status()));
  }
}

bool LimitsSameHours(const Amounts& hard, const Amounts& other) {
  return std::any_of(hard.begin(), hard.end(),
                     [&](const auto& each) { return IsCash(each.first) && Find(other, each.first) != nullptr; });
}

// What a child is given anew each period, its parent must be given anew, too; what it has once and for all, it may have
// of whatever its parent has.
void CheckPeriods(const BizGroupQuota& child, const BizGroupQuota& parent, Faults& faults) {
  if (!child.cash_policy || !LimitsSameHours(child.hard, parent.hard)) return;
  if (parent.cash_policy && SamePeriods(*child.cash_policy, *parent.cash_policy)) return;
  faults.push_back(Concat("cashPolicy of ", child.name, " needs the same period, anchor and timeZone in its parent ",
                          parent.name, ", which limits the same hours"));
}

void CheckLacking(std::string_view child, const Amounts& hard, std::string_view parent, const Amounts& wanted,
                  Faults& faults) {
  std::vector<std::string> lacking = LackingKeys(hard, wanted);
  if (lacking.empty()) return;
  faults.push_back(Concat(child, " must limit what its parent ", parent, " limits: ", absl::StrJoin(lacking, ", ")));
}

// The commitment of a group never comes with status here: what it consumed does not change by this request.
void CheckParent(const Tree& tree, const BizGroupQuota& group, const Amounts& before, Faults& faults) {
  if (group.parent.empty()) return;
  if (Verdict standing = tree.Standing(group.parent); !standing.fits()) {
    faults.push_back(Concat("parent ", group.parent, ": ", standing.detail));
    return;
  }
  const std::string path = tree.Path(group.parent);
  if (std::count(path.begin(), path.end(), '/') + 2 > static_cast<std::ptrdiff_t>(kMaxDepth)) {
    faults.push_back(Concat("more than ", std::to_string(kMaxDepth), " levels"));
  }
  const Group& parent = *tree.Find(group.parent);
  CheckLacking(group.name, group.hard, group.parent, parent.object->hard, faults);
  CheckPeriods(group, *parent.object, faults);
  const Amounts increase = Increase(group.hard, before);
  for (const auto& [key, limit] : parent.object->hard) {
    const Quantity* more = Find(increase, key);
    if (!more || more->IsZero()) continue;
    Quantity left = limit;
    left.Sub(Get(parent.used, key));
    if (*more > left) {
      faults.push_back(Concat("parent ", group.parent, " has ", left.Canonical(), " of ", limit.Canonical(), " ", key,
                              " left, ", more->Canonical(), " more wanted"));
    }
  }
}

// Keys that the group did not limit before begin with what is used already; its children must limit them, too.
void CheckBelow(const Tree& tree, const BizGroupQuota& group, const Amounts& before, bool strict, Faults& faults) {
  auto found = tree.groups().find(group.name);
  if (found == tree.groups().end()) return;
  for (const std::string& name : found->second.children) {
    CheckLacking(name, tree.Find(name)->object->hard, group.name, group.hard, faults);
    CheckPeriods(*tree.Find(name)->object, group, faults);
  }
  for (const auto& [key, limit] : group.hard) {
    Quantity used = Get(found->second.used, key);
    const Quantity* old = Find(before, key);
    if (used > limit && (!old || (strict && limit < *old))) {
      faults.push_back(Concat(key, " is used already: ", used.Canonical()));
    }
  }
}

BizGroupQuota Normal(BizGroupQuota group) {
  group.hard = NormalKeys(group.hard);
  return group;
}

}  // namespace

Status MayCreate(const Tree& tree, const BizGroupQuota& given, const Amounts& reserved) {
  const BizGroupQuota group = Normal(given);
  if (tree.Find(group.name)) return absl::AlreadyExistsError(ToAbsl(Concat("bizrq/", group.name, " exists")));
  Faults faults;
  CheckHard(group, faults);
  CheckParent(tree, group, reserved, faults);
  CheckBelow(tree, group, {}, false, faults);
  return Settle(group, faults);
}

Status MayUpdate(const Tree& tree, const BizGroupQuota& given, const GroupRules& rules, const Amounts& reserved) {
  const BizGroupQuota group = Normal(given);
  const Group* before = tree.Find(group.name);
  if (!before) return NotFound(Concat("bizrq/", group.name, " does not exist"));
  Faults faults;
  if (group.parent != before->object->parent) faults.push_back("parentBizGroup cannot be changed");
  const bool same = group.hard == before->object->hard &&
                    group.cash_policy == before->object->cash_policy;  // an edit of something else is nobody's business
  if (!same && faults.empty()) {
    CheckHard(group, faults);
    Amounts paid = before->object->hard;
    Max(paid, reserved);
    CheckParent(tree, group, paid, faults);
    CheckBelow(tree, group, before->object->hard, rules.strict_shrink, faults);
  }
  return Settle(group, faults);
}

Status MayDelete(const Tree& tree, std::string_view name) {
  const Group* group = tree.Find(name);
  if (!group) return NotFound(Concat("bizrq/", name, " does not exist"));
  Faults faults;
  if (!group->children.empty()) faults.push_back(Concat("it has children: ", absl::StrJoin(group->children, ", ")));
  if (!group->charged.empty()) faults.push_back("it has pods");
  return Settle(*group->object, faults);
}

Amounts ConsumedHours(const BizGroupQuota& deleted) {
  Amounts hours;
  for (const auto& [key, amount] : NormalKeys(deleted.used)) {
    if (IsCash(key) && !amount.IsZero()) hours.emplace_back(key, amount);
  }
  return hours;
}

}  // namespace huygens::quota
