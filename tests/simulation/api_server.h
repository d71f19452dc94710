// An API server as far as budgets go: groups and workloads with UIDs and resource versions, compare-and-swap, finalizers,
// and for each kind a log of all changes, from which watches tell. All at once; what time passes on the way is for whoever
// calls. What of a group's status is written comes through the JSON that production sends.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cluster/biz_group_quota.h"
#include "cluster/quota_transfer.h"
#include "tests/base/virtual_time.h"
#include "tests/simulation/objects.h"

namespace huygens::simulation {

// An object as it is now, or as it was when it went.
struct Change {
  bool gone = false;
  std::shared_ptr<const cluster::BizGroupQuota> group;  // one of the three
  std::shared_ptr<const Workload> workload;
  std::shared_ptr<const cluster::QuotaTransfer> transfer = nullptr;

  // What it is known by: groups by name, since one that is made anew takes the place of the old one.
  const std::string& key() const {
    return group != nullptr ? group->name : transfer != nullptr ? transfer->uid : workload->uid;
  }
};

class ApiServer {
 public:
  using Groups = std::map<std::string, cluster::BizGroupQuota, std::less<>>;
  using Workloads = std::map<std::string, std::map<std::string, Workload>, std::less<>>;  // by kind and name

  explicit ApiServer(const test::VirtualTime& time) : time_(time) {
    for (const std::string_view kind : kAllKinds) logs_.try_emplace(std::string(kind));
  }

  const Groups& groups() const { return groups_; }
  const Workloads& workloads() const { return workloads_; }
  // Null: there is none.
  const Workload* Find(std::string_view kind, const std::string& name) const;
  const Workload* ByUid(std::string_view uid) const;
  std::string NewUid(std::string_view name);

  StatusOr<cluster::BizGroupQuota> ReadGroup(const std::string& name) const;
  StatusOr<cluster::BizGroupQuota> WriteStatus(const cluster::BizGroupQuota& group);
  StatusOr<cluster::BizGroupQuota> WriteFinalizers(const cluster::BizGroupQuota& group);
  Status CreateGroup(cluster::BizGroupQuota group);
  // `version`: the one that it must have still.
  Status SetHard(const std::string& name, const cluster::QuotaAmounts& hard, const std::string& version);
  Status DeleteGroup(const std::string& name, const std::string& uid);
  // Its budget and the marks of transfers, if it has the version still that `group` names.
  Status SetBudget(const cluster::BizGroupQuota& group);

  const std::map<std::string, cluster::QuotaTransfer>& transfers() const { return transfers_; }
  void CreateTransfer(cluster::QuotaTransfer transfer);
  void DeleteTransfer(const std::string& name);
  StatusOr<cluster::QuotaTransfer> ReadTransfer(const std::string& name) const;
  StatusOr<cluster::QuotaTransfer> WriteTransfer(cluster::QuotaTransfer transfer, bool status);

  Status Create(Workload workload);
  // If it has the version still that `workload` names.
  Status Update(Workload workload);
  void Remove(std::string_view kind, const std::string& name);

  const std::vector<Change>& Log(std::string_view kind) const { return logs_.find(kind)->second; }
  // Grows with each change of an object of the kind.
  uint64_t Version(std::string_view kind) const { return Log(kind).size() + 1; }
  // After each change of an object of the kind.
  void OnChange(std::function<void(std::string_view kind)> call) { calls_.push_back(std::move(call)); }

 private:
  StatusOr<cluster::BizGroupQuota*> Current(const cluster::BizGroupQuota& group);
  cluster::BizGroupQuota Store(cluster::BizGroupQuota group);
  cluster::QuotaTransfer Store(cluster::QuotaTransfer transfer);
  void Append(std::string_view kind, Change change);

  const test::VirtualTime& time_;
  Groups groups_;
  std::map<std::string, cluster::QuotaTransfer> transfers_;
  Workloads workloads_;
  std::map<std::string, const Workload*, std::less<>> by_uid_;
  std::map<std::string, std::vector<Change>, std::less<>> logs_;
  std::vector<std::function<void(std::string_view)>> calls_;
  uint64_t version_ = 100, uids_ = 0;
};

}  // namespace huygens::simulation
