#include "tests/simulation/api_server.h"

#include <utility>

#include "base/text.h"
#include "wire/biz_group_quota.h"

namespace huygens::simulation {

using cluster::BizGroupQuota;

const Workload* ApiServer::Find(std::string_view kind, const std::string& name) const {
  const auto of_kind = workloads_.find(kind);
  if (of_kind == workloads_.end()) return nullptr;
  const auto found = of_kind->second.find(name);
  return found == of_kind->second.end() ? nullptr : &found->second;
}

const Workload* ApiServer::ByUid(std::string_view uid) const {
  const auto found = by_uid_.find(uid);
  return found == by_uid_.end() ? nullptr : found->second;
}

std::string ApiServer::NewUid(std::string_view name) { return Concat(name, "-", std::to_string(++uids_)); }

StatusOr<BizGroupQuota> ApiServer::ReadGroup(const std::string& name) const {
  const auto found = groups_.find(name);
  if (found == groups_.end()) return absl::NotFoundError("not found");
  return found->second;
}

StatusOr<BizGroupQuota*> ApiServer::Current(const BizGroupQuota& group) {
  const auto found = groups_.find(group.name);
  if (found == groups_.end()) return absl::NotFoundError("not found");
  if (group.uid != found->second.uid || group.resource_version != found->second.resource_version) {
    return absl::AbortedError("the object has been modified");
  }
  return &found->second;
}

BizGroupQuota ApiServer::Store(BizGroupQuota group) {
  group.resource_version = std::to_string(++version_);
  const bool gone = group.deleting && group.finalizers.empty();
  if (gone) {
    groups_.erase(group.name);
  } else {
    groups_[group.name] = group;
  }
  Append(kGroups, {.gone = gone, .group = std::make_shared<const BizGroupQuota>(group), .workload = nullptr});
  return group;
}

StatusOr<BizGroupQuota> ApiServer::WriteStatus(const BizGroupQuota& group) {
  HUYGENS_ASSIGN_OR_RETURN(const BizGroupQuota* known, Current(group));
  HUYGENS_ASSIGN_OR_RETURN(BizGroupQuota sent, wire::DecodeBizGroupQuota(wire::EncodeBizGroupStatus(group)));
  BizGroupQuota next = *known;
  next.counted_hard = std::move(sent.counted_hard);
  next.used = std::move(sent.used);
  next.self_used = std::move(sent.self_used);
  next.reservations = std::move(sent.reservations);
  next.reservations_as_text = sent.reservations_as_text;
  next.exact_hours = std::move(sent.exact_hours);
  next.inherited = std::move(sent.inherited);
  next.last_reconcile = sent.last_reconcile;
  next.hours_since = sent.hours_since;
  next.carried_hours = std::move(sent.carried_hours);
  return Store(std::move(next));
}

StatusOr<BizGroupQuota> ApiServer::WriteFinalizers(const BizGroupQuota& group) {
  HUYGENS_ASSIGN_OR_RETURN(const BizGroupQuota* known, Current(group));
  BizGroupQuota next = *known;
  next.finalizers = group.finalizers;
  return Store(std::move(next));
}

Status ApiServer::CreateGroup(BizGroupQuota group) {
  if (groups_.contains(group.name)) return absl::AlreadyExistsError("exists");
  group.created = std::chrono::floor<std::chrono::seconds>(time_.Now());
  Store(std::move(group));
  return absl::OkStatus();
}

Status ApiServer::SetHard(const std::string& name, const cluster::QuotaAmounts& hard, const std::string& version) {
  const auto found = groups_.find(name);
  if (found == groups_.end()) return absl::NotFoundError("not found");
  if (found->second.resource_version != version) return absl::AbortedError("the object has been modified");
  BizGroupQuota next = found->second;
  next.hard = hard;
  Store(std::move(next));
  return absl::OkStatus();
}

Status ApiServer::DeleteGroup(const std::string& name, const std::string& uid) {
  const auto found = groups_.find(name);
  if (found == groups_.end() || found->second.uid != uid) return absl::NotFoundError("not found");
  BizGroupQuota next = found->second;
  next.deleting = true;
  Store(std::move(next));
  return absl::OkStatus();
}

Status ApiServer::SetBudget(const BizGroupQuota& group) {
  HUYGENS_ASSIGN_OR_RETURN(const BizGroupQuota* known, Current(group));
  BizGroupQuota next = *known;
  next.hard = group.hard;
  next.transfers = group.transfers;
  Store(std::move(next));
  return absl::OkStatus();
}

cluster::QuotaTransfer ApiServer::Store(cluster::QuotaTransfer transfer) {
  transfer.resource_version = std::to_string(++version_);
  const bool gone = transfer.deleting && !transfer.finalizer;
  if (gone) {
    transfers_.erase(transfer.name);
  } else {
    transfers_[transfer.name] = transfer;
  }
  Append(kTransfers, {.gone = gone,
                      .group = nullptr,
                      .workload = nullptr,
                      .transfer = std::make_shared<const cluster::QuotaTransfer>(transfer)});
  return transfer;
}

void ApiServer::CreateTransfer(cluster::QuotaTransfer transfer) {
  transfer.uid = NewUid(transfer.name);
  if (!transfers_.contains(transfer.name)) Store(std::move(transfer));
}

void ApiServer::DeleteTransfer(const std::string& name) {
  const auto found = transfers_.find(name);
  if (found == transfers_.end()) return;
  cluster::QuotaTransfer next = found->second;
  next.deleting = true;
  Store(std::move(next));
}

StatusOr<cluster::QuotaTransfer> ApiServer::ReadTransfer(const std::string& name) const {
  const auto found = transfers_.find(name);
  if (found == transfers_.end()) return absl::NotFoundError("not found");
  return found->second;
}

StatusOr<cluster::QuotaTransfer> ApiServer::WriteTransfer(cluster::QuotaTransfer transfer, bool status) {
  HUYGENS_ASSIGN_OR_RETURN(cluster::QuotaTransfer next, ReadTransfer(transfer.name));
  if (transfer.uid != next.uid) return absl::NotFoundError("not found");
  if (transfer.resource_version != next.resource_version) return absl::AbortedError("the object has been modified");
  if (!status) {
    next.finalizer = transfer.finalizer;
    return Store(std::move(next));
  }
  transfer.finalizer = next.finalizer;
  transfer.deleting = next.deleting;
  transfer.until = next.until;
  return Store(std::move(transfer));
}

Status ApiServer::Create(Workload workload) {
  auto& of_kind = workloads_[workload.kind];
  if (of_kind.contains(workload.name)) return absl::AlreadyExistsError("exists");
  workload.version = ++version_;
  by_uid_[workload.uid] = &(of_kind[workload.name] = workload);
  Append(workload.kind, {.gone = false, .group = nullptr, .workload = std::make_shared<const Workload>(workload)});
  return absl::OkStatus();
}

Status ApiServer::Update(Workload workload) {
  const Workload* known = Find(workload.kind, workload.name);
  if (known == nullptr || known->uid != workload.uid) return absl::NotFoundError("not found");
  if (known->version != workload.version) return absl::AbortedError("the object has been modified");
  workload.version = ++version_;
  workloads_[workload.kind][workload.name] = workload;
  Append(workload.kind, {.gone = false, .group = nullptr, .workload = std::make_shared<const Workload>(workload)});
  return absl::OkStatus();
}

void ApiServer::Remove(std::string_view kind, const std::string& name) {
  const auto of_kind = workloads_.find(kind);
  if (of_kind == workloads_.end()) return;
  auto found = of_kind->second.extract(name);
  if (found.empty()) return;
  by_uid_.erase(found.mapped().uid);
  Append(kind,
         {.gone = true, .group = nullptr, .workload = std::make_shared<const Workload>(std::move(found.mapped()))});
}

void ApiServer::Append(std::string_view kind, Change change) {
  logs_.find(kind)->second.push_back(std::move(change));
  for (const auto& call : calls_) call(kind);
}

}  // namespace huygens::simulation
