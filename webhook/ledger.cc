#include "webhook/ledger.h"

#include <algorithm>
#include <utility>

#include "quota/keys.h"
#include "wire/object_meta.h"

namespace huygens::webhook {
namespace {

using cluster::BizGroupQuota;
using quota::Amounts;

bool IsOlder(const BizGroupQuota& object, const BizGroupQuota& known) {
  return object.uid == known.uid &&
         wire::ParseResourceVersion(object.resource_version) < wire::ParseResourceVersion(known.resource_version);
}

// Hours are no sum of what is charged: the tree takes them from the status by itself.
Amounts WithoutHours(Amounts amounts) {
  std::erase_if(amounts, [](const auto& each) { return quota::IsCash(each.first) || each.second.Sign() < 0; });
  quota::RemoveZeros(amounts);
  return amounts;
}

}  // namespace

void Ledger::Set(BizGroupQuota object) {
  Entry& entry = entries_[object.name];
  if (entry.there && IsOlder(object, entry.object)) return;
  entry.object = object;
  entry.there = true;
  const std::string name = object.name, parent = object.parent;
  tree_.Set(std::move(object));
  Refresh(name);
  if (!parent.empty()) Refresh(parent);
}

void Ledger::Remove(std::string_view name) {
  const auto found = entries_.find(name);
  if (found == entries_.end() || !found->second.there) return;
  found->second.there = false;
  const std::string parent = found->second.object.parent;
  tree_.Remove(name);
  Refresh(name);
  if (!parent.empty()) Refresh(parent);
  if (found->second.held.empty()) entries_.erase(found);
}

void Ledger::Refresh(std::string_view name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  Amounts own;
  if (const quota::Group* group = tree_.Find(name); group != nullptr) {
    Amounts children = group->used;
    quota::Subtract(children, group->charged);
    own = group->object->used;
    quota::Subtract(own, children);
    quota::Max(own, group->object->self_used);
    own = WithoutHours(std::move(own));
  }
  tree_.Release(name, entry.own);
  tree_.Charge(name, own);
  entry.own = std::move(own);
}

void Ledger::Hold(const Charge& charge) {
  entries_[charge.group].held.push_back(charge);
  tree_.Charge(charge.group, charge.increase);
}

void Ledger::LetGo(const Charge& charge) {
  const auto found = entries_.find(charge.group);
  if (found == entries_.end()) return;
  auto& held = found->second.held;
  const auto at = std::find(held.begin(), held.end(), charge);
  if (at == held.end()) return;
  tree_.Release(charge.group, at->increase);
  held.erase(at);
  if (held.empty() && !found->second.there) entries_.erase(found);
}

const BizGroupQuota* Ledger::Find(std::string_view group) const {
  const auto found = entries_.find(group);
  return found == entries_.end() || !found->second.there ? nullptr : &found->second.object;
}

Amounts Ledger::Reserved(std::string_view group, std::string_view uid) const {
  Amounts reserved;
  const auto found = entries_.find(group);
  if (found == entries_.end() || uid.empty()) return reserved;
  if (found->second.there) {
    for (const cluster::QuotaReservation& each : found->second.object.reservations) {
      if (each.uid == uid) quota::Max(reserved, each.amounts);
    }
  }
  for (const Charge& each : found->second.held) {
    if (each.reservation.uid == uid) quota::Max(reserved, each.reservation.amounts);
  }
  return reserved;
}

}  // namespace huygens::webhook
