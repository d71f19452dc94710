#include "controller/transfer_use.h"

#include <algorithm>
#include <utility>

#include "controller/recount.h"
#include "quota/keys.h"

namespace huygens::controller {
namespace {

using cluster::BizGroupQuota;
using cluster::QuotaReservation;
using cluster::QuotaTransfer;
using quota::Amounts;

// As the webhook reserves.
constexpr auto kReservation = std::chrono::seconds(90);

void EraseReservation(BizGroupQuota& group, std::string_view uid) {
  std::erase_if(group.reservations,
                [&](const QuotaReservation& each) { return each.uid == uid && each.kind == cluster::kGroupKind; });
}

// When a key that has come to the budget can be counted, StatusCount knows alone.
void KeepUncounted(const BizGroupQuota& before, BizGroupQuota& group) {
  const Amounts known = quota::Masked(quota::NormalKeys(before.counted_hard), quota::NormalKeys(before.used));
  for (cluster::QuotaAmounts* figures : {&group.used, &group.self_used, &group.counted_hard}) {
    std::erase_if(*figures, [&](const auto& each) {
      const std::string key = quota::NormalKey(each.first);
      return !quota::IsCash(key) && quota::Find(known, key) == nullptr;
    });
  }
}

}  // namespace

BizGroupQuota TransferUse::Counted(BizGroupQuota group, std::string_view without_transfer) const {
  const std::vector<ObservedObject> workloads = use_.Of(group.name), children = use_.OfChildren(group);
  Recount({.workloads = workloads,
           .children = children,
           .holder_of = [](const QuotaReservation&) { return std::optional<NameHolder>(); },
           .known_since = [](const QuotaReservation&) { return Time(); },
           .watched_until = Time::min(),
           .held =
               [&](const std::vector<QuotaReservation>& standing) {
                 return cluster_.HeldBeside(group, standing, without_transfer);
               }},
          group);
  return group;
}

quota::TransferStep TransferUse::NextStep(const QuotaTransfer& transfer, Time now) const {
  const quota::Tree& known = cluster_.groups().tree();
  const quota::Spending spending = quota::NextSpending(transfer, known);
  const BizGroupQuota* payer = cluster_.groups().Find(spending.payer);
  if (payer == nullptr) return quota::NextTransferStep(transfer, known, now);
  BizGroupQuota own_left_out = *payer;
  if (const BizGroupQuota* child = cluster_.groups().Find(spending.child)) EraseReservation(own_left_out, child->uid);
  Amounts used = Counted(std::move(own_left_out), transfer.uid).used;
  quota::Subtract(used, known.Find(spending.payer)->used);
  // Hours the status says; what the budget does not limit nobody asks for.
  std::erase_if(used, [](const auto& each) { return quota::IsCash(each.first) || each.second.Sign() <= 0; });
  quota::Tree tree = known;
  tree.Charge(spending.payer, used);
  return quota::NextTransferStep(transfer, tree, now);
}

BizGroupQuota TransferUse::Reserved(const quota::TransferStep& step, Time now) const {
  BizGroupQuota payer = *cluster_.groups().Find(step.payer);
  const BizGroupQuota& child = *cluster_.groups().Find(step.group);
  // What the webhook has charged for a change of the child that is not known here yet stays charged.
  QuotaReservation reservation{.uid = child.uid,
                               .kind = std::string(cluster::kGroupKind),
                               .namespace_name = "",
                               .name = child.name,
                               .amounts = step.reserved,
                               .until = std::chrono::ceil<std::chrono::seconds>(now) + kReservation};
  for (const QuotaReservation& each : payer.reservations) {
    if (each.uid != child.uid || each.kind != cluster::kGroupKind) continue;
    quota::Max(reservation.amounts, quota::NormalKeys(each.amounts));
    reservation.until = std::max(reservation.until, each.until);
  }
  EraseReservation(payer, child.uid);
  payer.reservations.push_back(std::move(reservation));
  const BizGroupQuota before = payer;
  BizGroupQuota counted = Counted(std::move(payer), "");
  KeepUncounted(before, counted);
  return counted;
}

}  // namespace huygens::controller
