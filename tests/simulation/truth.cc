#include "tests/simulation/truth.h"

#include "base/text.h"
#include "quota/transfer.h"
#include "wire/quota_transfer.h"

namespace huygens::simulation {
namespace {

using cluster::BizGroupQuota;

void Add(Plain& sum, const Plain& more) {
  for (const auto& [key, amount] : more) sum[key] += amount;
}

int64_t Get(const Plain& plain, std::string_view key) {
  const auto found = plain.find(key);
  return found == plain.end() ? 0 : found->second;
}

std::string Amount(int64_t milli) { return Quantity::FromMilli(milli).Canonical(); }

std::string Differs(const BizGroupQuota& group, std::string_view what, std::string_view key, int64_t said,
                    int64_t stored) {
  return Concat("bizrq/", group.name, " (", group.uid, "): ", what, " says ", key, "=", Amount(said), ", stored is ",
                Amount(stored), ", its budget ", Amount(Get(PlainOf(group.hard), key)));
}

}  // namespace

// What made it pays, if that names a group, or nobody knows it any more.
bool Truth::CountsByItself(const Workload& workload) const {
  if (workload.group.empty()) return false;
  const Workload* at = &workload;
  while (!at->owner_uid.empty()) {
    at = server_.ByUid(at->owner_uid);
    if (at == nullptr || !at->group.empty()) return false;
  }
  return true;
}

std::map<std::string, Truth::Use, std::less<>> Truth::ByGroup() const {
  std::map<std::string, Use, std::less<>> groups;
  for (const auto& [kind, of_kind] : server_.workloads()) {
    for (const auto& [name, each] : of_kind) {
      if (!CountsByItself(each)) continue;
      Use& use = groups[each.group];
      const Plain takes = UseOf(each);
      Add(use.own, takes);
      Add(use.all, takes);
    }
  }
  for (const auto& [name, each] : server_.groups()) {
    if (!each.parent.empty()) Add(groups[each.parent].all, PlainOf(each.hard));
  }
  for (auto& [name, use] : groups) std::erase_if(use.all, [](const auto& each) { return IsHours(each.first); });
  return groups;
}

Plain Truth::Placed(std::string_view group) const {
  Plain sum;
  const auto pods = server_.workloads().find(kPods);
  if (pods == server_.workloads().end()) return sum;
  for (const auto& [name, each] : pods->second) {
    if (each.group == group && !each.node.empty()) Add(sum, UseOf(each));
  }
  return sum;
}

std::string Truth::PayerOf(const Workload& pod) const {
  std::string payer = pod.group;
  for (const Workload* at = server_.ByUid(pod.owner_uid); at != nullptr; at = server_.ByUid(at->owner_uid)) {
    if (!at->group.empty()) payer = at->group;
  }
  return payer;
}

std::string Truth::NothingUncharged() const {
  auto stored = ByGroup();
  for (const auto& [name, group] : server_.groups()) {
    const Plain all = stored[name].all, used = PlainOf(group.used), counted = PlainOf(group.counted_hard);
    for (const auto& [key, hard] : PlainOf(group.hard)) {
      if (IsHours(key) || !counted.contains(key) || !used.contains(key)) continue;
      if (Get(used, key) < Get(all, key)) return Differs(group, "status.used", key, Get(used, key), Get(all, key));
    }
  }
  return {};
}

std::string Truth::WithinBudget(const BizGroupQuota& before, const BizGroupQuota& after) {
  const Plain was = PlainOf(before.used), now = PlainOf(after.used);
  for (const auto& [key, hard] : PlainOf(before.hard)) {
    if (IsHours(key) || Get(now, key) <= Get(was, key) || Get(now, key) <= hard) continue;
    return Concat("bizrq/", before.name, ": a webhook charges ", key, " up to ", Amount(Get(now, key)), " from ",
                  Amount(Get(was, key)), ", and the budget is ", Amount(hard));
  }
  return {};
}

std::set<std::string, std::less<>> Truth::OnTheWay() const {
  std::set<std::string, std::less<>> names;
  for (const auto& [name, each] : server_.transfers()) {
    if (!quota::IsUnderWay(each.phase)) continue;
    names.insert(each.shrinking.begin(), each.shrinking.end());
    names.insert(each.growing.begin(), each.growing.end());
    names.insert(each.common);
  }
  return names;
}

std::string Truth::AtRest() const {
  auto stored = ByGroup();
  const auto on_the_way = OnTheWay();
  for (const auto& [name, each] : server_.transfers()) {
    if (quota::IsUnderWay(each.phase) && each.message.empty() &&
        each.phase != cluster::QuotaTransfer::Phase::kOverdue) {
      return Concat("transfer ", name, " is ", wire::PhaseText(each.phase), " for ever");
    }
  }
  for (const auto& [name, group] : server_.groups()) {
    if (on_the_way.contains(name)) continue;
    if (!group.transfers.empty()) return Concat("bizrq/", name, " has the mark of a transfer for ever");
    if (!group.reservations.empty()) {
      return Concat("bizrq/", name, ": a reservation of ", group.reservations.front().kind, " ",
                    group.reservations.front().uid, " is there for ever");
    }
    if (PlainOf(group.counted_hard) != PlainOf(group.hard)) {
      return Concat("bizrq/", name, ": another budget was counted than is there");
    }
    const auto& [own, all] = stored[name];
    const Plain used = PlainOf(group.used), self = PlainOf(group.self_used);
    for (const auto& [key, hard] : PlainOf(group.hard)) {
      if (IsHours(key)) continue;
      if (Get(used, key) != Get(all, key))
        return Differs(group, "at rest status.used", key, Get(used, key), Get(all, key));
      if (Get(self, key) != Get(own, key)) {
        return Differs(group, "at rest status.selfUsed", key, Get(self, key), Get(own, key));
      }
    }
  }
  return {};
}

}  // namespace huygens::simulation
