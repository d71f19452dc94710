#include "controller/cluster_view.h"

#include <optional>
#include <utility>

namespace huygens::controller {

using cluster::BizGroupQuota;
using cluster::QuotaTransfer;

void ClusterView::Set(BizGroupQuota group) {
  const BizGroupQuota* known = groups_.Find(group.name);
  const std::optional<BizGroupQuota> before = known == nullptr ? std::nullopt : std::optional(*known);
  const std::string name = group.name;
  if (!groups_.Set(std::move(group))) return;
  const BizGroupQuota* after = groups_.Find(name);
  // One of the same name that was deleted and made anew while nobody watched.
  const bool another = before && before->uid != after->uid;
  for (ClusterObserver* each : observers_) {
    if (another) each->GroupChanged(&*before, nullptr);
    each->GroupChanged(before && !another ? &*before : nullptr, after);
  }
}

void ClusterView::Set(QuotaTransfer transfer) {
  const QuotaTransfer* known = transfers_.Find(transfer.name);
  const std::optional<QuotaTransfer> before = known == nullptr ? std::nullopt : std::optional(*known);
  const std::string name = transfer.name;
  if (!transfers_.Set(std::move(transfer))) return;
  for (ClusterObserver* each : observers_) each->TransferChanged(before ? &*before : nullptr, transfers_.Find(name));
}

quota::Amounts ClusterView::HeldBeside(BizGroupQuota group, const std::vector<cluster::QuotaReservation>& reservations,
                                       std::string_view except) const {
  const std::string name = group.name;
  group.reservations = reservations;
  quota::Tree tree = groups_.tree();
  tree.Set(std::move(group));
  return transfers_.HeldBy(name, tree, except);
}

void ClusterView::RemoveTransfer(std::string_view uid) {
  const QuotaTransfer* known = transfers_.ByUid(uid);
  if (known == nullptr) return;
  const QuotaTransfer before = *known;
  transfers_.Remove(before.name);
  for (ClusterObserver* each : observers_) each->TransferChanged(&before, nullptr);
}

void ClusterView::Remove(std::string_view group) {
  const BizGroupQuota* known = groups_.Find(group);
  if (known == nullptr) return;
  const BizGroupQuota before = *known;
  groups_.Remove(group);
  for (ClusterObserver* each : observers_) each->GroupChanged(&before, nullptr);
}

void ClusterView::Tell(const workloads::WorkloadObject* before, const workloads::WorkloadObject* after) {
  for (ClusterObserver* each : observers_) each->WorkloadChanged(before, after);
}

}  // namespace huygens::controller
