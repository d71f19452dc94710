#include "webhook/ledger.h"

#include <algorithm>
#include <utility>

#include "advances/advance.h"
#include "base/text.h"
#include "quota/keys.h"
#include "wire/object_meta.h"

namespace huygens::webhook {
namespace {

using cluster::BizGroupQuota;
using cluster::QuotaReservation;
using quota::Amounts;

// Of each write both its answer and the watch tell.
bool SaysNothingNew(const BizGroupQuota& object, const BizGroupQuota& known) {
  if (object.uid != known.uid) return false;
  const uint64_t version = wire::ParseResourceVersion(object.resource_version);
  const uint64_t known_version = wire::ParseResourceVersion(known.resource_version);
  return version < known_version || (version == known_version && version != 0);
}

// Hours are no sum of what is charged: the tree takes them from the status by itself.
Amounts WithoutHours(Amounts amounts) {
  std::erase_if(amounts, [](const auto& each) { return quota::IsCash(each.first) || each.second.Sign() < 0; });
  quota::RemoveZeros(amounts);
  return amounts;
}

bool Covers(const Amounts& reserved, const Amounts& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const auto& each) { return quota::Get(reserved, each.first) >= each.second; });
}

}  // namespace

void Ledger::KeepsAdvances(std::string instance, std::function<void(const std::string&)> recalled) {
  instance_ = std::move(instance);
  recalled_ = std::move(recalled);
}

void Ledger::Set(BizGroupQuota object) {
  Entry& entry = entries_[object.name];
  if (entry.there && SaysNothingNew(object, entry.object)) return;
  entry.object = object;
  entry.there = true;
  const std::string name = object.name, parent = object.parent;
  tree_.Set(std::move(object));
  Refresh(name);
  if (!parent.empty()) Refresh(parent);
  if (advances::AdvanceOf(entry.object, instance_) == nullptr) return;
  const auto is_recall = [](const auto& each) { return each.kind == cluster::kRecallKind; };
  const auto& reservations = entry.object.reservations;
  if (recalled_ && std::any_of(reservations.begin(), reservations.end(), is_recall)) recalled_(name);
}

bool Ledger::SetAnswer(BizGroupQuota object, uint64_t removals) {
  if (removals != removals_ && Find(object.name) == nullptr) return false;
  Set(std::move(object));
  return true;
}

void Ledger::Remove(std::string_view name) {
  ++removals_;
  const auto found = entries_.find(name);
  if (found == entries_.end() || !found->second.there) return;
  found->second.there = false;
  const std::string parent = found->second.object.parent;
  tree_.Remove(name);
  Refresh(name);
  if (!parent.empty()) Refresh(parent);
  if (found->second.held.empty()) entries_.erase(found);
}

void Ledger::KeepOnly(const std::set<std::string, std::less<>>& names) {
  std::vector<std::string> others;
  for (const auto& [name, entry] : entries_) {
    if (entry.there && !names.contains(name)) others.push_back(name);
  }
  for (const std::string& each : others) Remove(each);
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
    if (const auto* advance = advances::AdvanceOf(*group->object, instance_)) {
      quota::Subtract(own, quota::Masked(quota::NormalKeys(advance->amounts), own));
    }
    own = WithoutHours(std::move(own));
  }
  ReleaseTree(name, entry.own);
  ChargeTree(name, own);
  entry.own = std::move(own);
  RefreshHeld(entry);
}

// The watch may tell of a write before its answer comes: then the status has the charge, and so have those who hold it.
void Ledger::RefreshHeld(Entry& entry) {
  if (entry.held.empty()) return;
  TextMap<std::vector<const QuotaReservation*>> written;
  if (entry.there) {
    for (const QuotaReservation& each : entry.object.reservations) written[each.uid].push_back(&each);
  }
  for (Held& held : entry.held) {
    const QuotaReservation& wanted = held.charge.reservation;
    const auto found = written.find(wanted.uid);
    const bool in_status =
        found != written.end() && std::any_of(found->second.begin(), found->second.end(), [&](const auto* each) {
          return each->kind == wanted.kind && Covers(each->amounts, wanted.amounts);
        });
    if (held.in_tree != in_status) continue;
    held.in_tree = !in_status;
    if (in_status) {
      ReleaseTree(held.charge.group, held.charge.increase);
    } else {
      ChargeTree(held.charge.group, held.charge.increase);
    }
  }
}

void Ledger::ChargeTree(std::string_view name, const Amounts& amounts) {
  if (!amounts.empty()) tree_.Charge(name, amounts);
}

void Ledger::ReleaseTree(std::string_view name, const Amounts& amounts) {
  if (!amounts.empty()) tree_.Release(name, amounts);
}

void Ledger::Hold(const Charge& charge) {
  entries_[charge.group].held.push_back({charge});
  ChargeTree(charge.group, charge.increase);
}

void Ledger::LetGo(const Charge& charge) {
  const auto found = entries_.find(charge.group);
  if (found == entries_.end()) return;
  auto& held = found->second.held;
  const auto at = std::find_if(held.begin(), held.end(), [&](const Held& each) { return each.charge == charge; });
  if (at == held.end()) return;
  if (at->in_tree) ReleaseTree(charge.group, at->charge.increase);
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
    for (const QuotaReservation& each : found->second.object.reservations) {
      if (each.uid == uid) quota::Max(reserved, each.amounts);
    }
  }
  for (const Held& each : found->second.held) {
    if (each.charge.reservation.uid == uid) quota::Max(reserved, each.charge.reservation.amounts);
  }
  return reserved;
}

}  // namespace huygens::webhook
