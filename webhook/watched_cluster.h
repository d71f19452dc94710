// What a webhook must know of a cluster, as the watches of an API server tell it: groups with what is used of them,
// classes of devices, and workloads. Applied on the loop's thread; owned by it.
#pragma once

#include <string>
#include <string_view>

#include "base/resource.h"
#include "informer/followed_budgets.h"
#include "informer/followed_workloads.h"
#include "quota/device_classes.h"
#include "webhook/known_cluster.h"
#include "webhook/ledger.h"

namespace huygens::webhook {

class WatchedCluster final : public KnownCluster, public informer::FollowedBudgets {
 public:
  // `workloads` must outlive it.
  WatchedCluster(const ResourceNames& names, const informer::FollowedWorkloads& workloads)
      : FollowedBudgets(/*without_classes=*/true), names_(names), workloads_(workloads) {}

  Facts facts() const override;
  std::string NotReady() const override;
  Ledger& ledger() { return ledger_; }

 private:
  std::string ClassesHidden() const;
  void GroupSet(const cluster::BizGroupQuota& group) override { ledger_.Set(group); }
  void GroupGone(std::string_view name) override { ledger_.Remove(name); }
  void GroupsListed(const Names& there) override { ledger_.KeepOnly(there); }
  void ClassSet(const cluster::DeviceClass& device_class) override { classes_.Set(device_class); }
  void ClassGone(std::string_view name) override { classes_.Remove(name); }

  const ResourceNames& names_;
  const informer::FollowedWorkloads& workloads_;
  Ledger ledger_;
  quota::DeviceClasses classes_;
};

}  // namespace huygens::webhook
