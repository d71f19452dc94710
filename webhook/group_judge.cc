#include <algorithm>

#include "base/text.h"
#include "quota/group_rules.h"
#include "webhook/verdicts.h"
#include "wire/biz_group_quota.h"
#include "wire/object_meta.h"

namespace huygens::webhook {
namespace {

using cluster::BizGroupQuota;
using quota::Amounts;

// What the known group, by its name, takes of its parent.
Amounts TakenBy(const quota::Tree& tree, const std::string& name) {
  const auto found = tree.groups().find(name);
  return found == tree.groups().end() ? Amounts() : found->second.committed;
}

// What it will take. What its pods and children consumed is not in the object under review.
Amounts WillTake(const quota::Tree& tree, BizGroupQuota group) {
  const auto found = tree.groups().find(group.name);
  group.hard = quota::NormalKeys(group.hard);
  group.self_used.clear();
  if (found == tree.groups().end()) return quota::Commitment(group, {});
  if (found->second.object) group.self_used = found->second.object->self_used;
  return quota::Commitment(group, found->second.used);
}

// Whether the budget under review is one that no watch has told of: if it was made smaller meanwhile, what it grows by
// would be taken for what it has.
bool HasChangedSince(const BizGroupQuota& known, const BizGroupQuota& before) {
  return quota::NormalKeys(known.hard) != quota::NormalKeys(before.hard) &&
         wire::ParseResourceVersion(known.resource_version) < wire::ParseResourceVersion(before.resource_version);
}

// The group is charged to its parent as a workload is to its group.
std::optional<Charge> ChargeFor(const BizGroupQuota& group, const Amounts& was, const Facts& facts) {
  const quota::Group* parent = facts.tree.Find(group.parent);
  if (parent == nullptr) return std::nullopt;
  const Amounts total = quota::Masked(WillTake(facts.tree, group), parent->object->hard);
  Amounts grown = quota::Increase(total, was);
  quota::RemoveZeros(grown);
  if (grown.empty()) return std::nullopt;
  Amounts before = facts.ReservedFor(group.parent, group.uid);
  quota::Max(before, was);
  Charge charge{.group = group.parent, .reservation = {}, .increase = quota::Increase(total, before), .of_child = true};
  quota::RemoveZeros(charge.increase);
  charge.reservation.uid = group.uid;
  charge.reservation.kind = cluster::kGroupKind;
  charge.reservation.name = group.name;
  charge.reservation.amounts = total;
  return charge;
}

// Of what grows at the expense of the parent; empty: nothing, or it was counted.
std::string Uncounted(const std::optional<Charge>& charge, const Facts& facts) {
  if (!charge) return {};
  const BizGroupQuota& parent = *facts.tree.Find(charge->group)->object;
  for (const auto& [key, amount] : charge->reservation.amounts) {
    if (facts.Counted(parent, key)) continue;
    return Concat("bizrq/", charge->reservation.name, ": what is used of ", key, " of its parent ", charge->group,
                  " has not been counted yet; huygens controller does so when a group is new or its budget changes");
  }
  return {};
}

Judgement Create(const BizGroupQuota& group, const Facts& facts) {
  const Amounts reserved = facts.ReservedFor(group.parent, group.uid);
  if (const Status may = quota::MayCreate(facts.tree, group, reserved); !may.ok()) {
    Judgement refusal = Refuse(Message(may));
    refusal.unknown_group = MissingGroup(facts.tree, group.parent);
    refusal.short_of = group.parent;
    return refusal;
  }
  Judgement judgement;
  judgement.charge = ChargeFor(group, {}, facts);
  if (std::string uncounted = Uncounted(judgement.charge, facts); !uncounted.empty()) return NotKnownYet(uncounted);
  AddChange(facts.tree, group.parent, WillTake(facts.tree, group), judgement);
  return judgement;
}

Judgement Update(const BizGroupQuota& before, const BizGroupQuota& group, bool by_controller, const Facts& facts,
                 const Rules& rules) {
  const bool same_budget = before.hard == group.hard && before.cash_policy == group.cash_policy;
  if (before.parent == group.parent && same_budget) return {};
  const quota::Group* known = facts.tree.Find(group.name);
  if (known == nullptr) return NotKnownYet(Concat("bizrq/", group.name, " is not known here yet"));
  if (HasChangedSince(*known->object, before)) {
    Judgement behind = NotKnownYet(Concat("bizrq/", group.name, " has changed, which is not known here yet"));
    behind.unknown_group = group.name;
    return behind;
  }
  const Amounts reserved = facts.ReservedFor(group.parent, group.uid);
  // What a transfer takes has room by its own reckoning, which does not count what it keeps itself; the figures here do.
  // Its mark alone proves nothing: whoever may edit the group may write it.
  quota::GroupRules by = rules.groups;
  by.strict_shrink = by.strict_shrink && (!by_controller || before.transfers == group.transfers);
  if (const Status may = quota::MayUpdate(facts.tree, group, by, reserved); !may.ok()) {
    Judgement refusal = Refuse(Message(may));
    refusal.short_of = group.parent;
    return refusal;
  }
  Judgement judgement;
  Amounts more = WillTake(facts.tree, group);
  const Amounts taken = TakenBy(facts.tree, group.name);
  judgement.charge = ChargeFor(group, taken, facts);
  if (std::string uncounted = Uncounted(judgement.charge, facts); !uncounted.empty()) return NotKnownYet(uncounted);
  quota::Subtract(more, taken);
  AddChange(facts.tree, group.parent, more, judgement);
  for (const auto& [key, hard] : quota::NormalKeys(group.hard)) {
    const Quantity* used = known->UsedOf(key);
    if (used == nullptr || *used <= hard) continue;
    judgement.warnings.push_back(Concat("quota bizrq/", group.name, ": ", key, " used ", used->Canonical(), " of ",
                                        hard.Canonical(), "; what runs stays, nothing new fits"));
  }
  return judgement;
}

Judgement Delete(const BizGroupQuota& group, const quota::Tree& tree) {
  const quota::Group* known = tree.Find(group.name);
  if (known == nullptr) return NotKnownYet(Concat("bizrq/", group.name, " is not known here yet"));
  if (const Status may = quota::MayDelete(tree, group.name); !may.ok()) return Refuse(Message(may));
  Judgement judgement;
  Amounts stays = quota::ConsumedHours(group);
  quota::Subtract(stays, TakenBy(tree, group.name));
  AddChange(tree, known->object->parent, stays, judgement);
  return judgement;
}

}  // namespace

bool TakesRoomAway(const AdmissionRequest& request) {
  if (request.operation == Operation::kDelete) return true;
  const auto before = wire::DecodeBizGroupQuota(request.old_object), after = wire::DecodeBizGroupQuota(request.object);
  if (!before.ok() || !after.ok()) return false;
  const Amounts hard = quota::NormalKeys(after->hard);
  const Amounts was = quota::NormalKeys(before->hard);
  return std::any_of(was.begin(), was.end(), [&](const auto& each) {
    const Quantity* now = quota::Find(hard, each.first);
    return now != nullptr && *now < each.second;
  });
}

Judgement JudgeGroup(const AdmissionRequest& request, const Facts& facts, const Rules& rules) {
  const bool created = request.operation == Operation::kCreate;
  const bool deleted = request.operation == Operation::kDelete;
  const auto read = [](std::string_view json, std::string_view which) -> StatusOr<BizGroupQuota> {
    auto group = wire::DecodeBizGroupQuota(json);
    return group.ok() ? group : StatusOr<BizGroupQuota>(Annotate(group.status(), which));
  };
  const auto before = read(request.old_object, "oldObject");
  if (!created && !before.ok()) return Refuse(Message(before.status()));
  if (deleted) return Delete(*before, facts.tree);
  const auto group = read(request.object, "object");
  if (!group.ok()) return Refuse(Message(group.status()));
  if (!group->defect.empty()) {  // one that had it before must still lose its finalizers
    if (!created && before->defect == group->defect) return {};
    return Refuse(Concat("bizrq/", group->name, ": ", group->defect));
  }
  const bool by_controller = !request.user.empty() && request.user == rules.transfers_by;
  return created ? Create(*group, facts) : Update(*before, *group, by_controller, facts, rules);
}

}  // namespace huygens::webhook
