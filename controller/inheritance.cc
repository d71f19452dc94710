#include "controller/inheritance.h"

#include <algorithm>
#include <utility>

namespace huygens::controller {
namespace {

using cluster::BizGroupQuota;
using cluster::InheritedGroup;
using Texts = std::map<std::string, std::string>;

// How long a parent remembers whose hours it has: longer than any instance remembers what a group left.
constexpr Duration kRemembered = std::chrono::hours(1);
constexpr Duration kLeftFor = std::chrono::minutes(10);
constexpr size_t kMostRemembered = 1000;  // of 2000 that the definition allows

bool IsInherited(const BizGroupQuota& parent, std::string_view uid) {
  return std::any_of(parent.inherited.begin(), parent.inherited.end(),
                     [uid](const InheritedGroup& each) { return each.uid == uid; });
}

}  // namespace

bool HasFinalizer(const BizGroupQuota& group) {
  return std::find(group.finalizers.begin(), group.finalizers.end(), kFinalizer) != group.finalizers.end();
}

bool AnyHours(const Texts& exact_hours) {
  return std::any_of(exact_hours.begin(), exact_hours.end(),
                     [](const auto& each) { return each.second.find_first_not_of('0') != std::string::npos; });
}

bool Inheritance::Gone(const BizGroupQuota& group, Time now) {
  if (group.parent.empty() || !AnyHours(group.exact_hours)) return false;
  left_[group.parent].push_back({group.uid, group.name, group.exact_hours, now});
  return true;
}

std::vector<quota::CashLedger> Inheritance::TakeOver(BizGroupQuota& group, Time now) {
  std::vector<quota::CashLedger> ledgers;
  const Time at = std::chrono::floor<std::chrono::seconds>(now);
  const auto take = [&](const std::string& uid, const std::string& name, const Texts& exact_hours) {
    if (IsInherited(group, uid)) return;
    const auto ledger = quota::CashLedger::FromTexts(exact_hours);
    if (!ledger.ok()) return;
    ledgers.push_back(*ledger);
    group.inherited.push_back({uid, name, at});
  };
  for (const BizGroupQuota* child : cluster_.groups().ChildrenOf(group.name)) {
    if (!child->deleting || !HasFinalizer(*child) || !AnyHours(child->exact_hours)) continue;
    if (KeptBy(*child, now).empty()) take(child->uid, child->name, child->exact_hours);
  }
  if (const auto left = left_.find(group.name); left != left_.end()) {
    std::erase_if(left->second,
                  [&](const Left& each) { return IsInherited(group, each.uid) || each.at + kLeftFor <= now; });
    for (const Left& each : left->second) take(each.uid, each.name, each.exact_hours);
    if (left->second.empty()) left_.erase(left);
  }
  if (!ledgers.empty()) Forget(group, now);
  return ledgers;
}

void Inheritance::Forget(BizGroupQuota& group, Time now) const {
  const auto is_gone = [&](const InheritedGroup& each) {
    const BizGroupQuota* known = cluster_.groups().Find(each.name);
    return known == nullptr || known->uid != each.uid;
  };
  std::erase_if(group.inherited,
                [&](const InheritedGroup& each) { return each.at + kRemembered <= now && is_gone(each); });
  while (group.inherited.size() > kMostRemembered) {
    const auto oldest = std::find_if(group.inherited.begin(), group.inherited.end(), is_gone);
    if (oldest == group.inherited.end()) return;
    group.inherited.erase(oldest);
  }
}

std::string Inheritance::KeptBy(const BizGroupQuota& group, Time now) const {
  const auto children = cluster_.groups().ChildrenOf(group.name);
  if (!children.empty()) return Concat("its child ", children.front()->name);
  const auto takes = [](const auto& each) { return each.kind != cluster::kRecallKind; };
  const auto reserved = std::find_if(group.reservations.begin(), group.reservations.end(), takes);
  if (reserved != group.reservations.end()) return Concat("a reservation of ", reserved->kind, " ", reserved->name);
  const auto workloads = use_.Of(group.name);
  if (!workloads.empty()) {
    const ObservedObject& first = workloads.front();
    return Concat(first.kind, " ", first.namespace_name, "/", first.name);
  }
  return hours_.Of(group.name, now).empty() ? "" : "pods of which hours are to be counted";
}

bool Inheritance::LeavesHours(const BizGroupQuota& group) const {
  if (group.parent.empty() || !AnyHours(group.exact_hours)) return false;
  const BizGroupQuota* parent = cluster_.groups().Find(group.parent);
  return parent != nullptr && parent->defect.empty() && !IsInherited(*parent, group.uid) &&
         quota::CashLedger::FromTexts(group.exact_hours).ok();
}

}  // namespace huygens::controller
