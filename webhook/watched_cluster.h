// What a webhook must know of a cluster, as the watches of an API server tell it: groups with what is used of them,
// classes of devices, and workloads. Applied on the loop's thread; owned by it.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "base/resource.h"
#include "cluster/watch_event.h"
#include "informer/followed_workloads.h"
#include "informer/watch_event_queue.h"
#include "quota/device_classes.h"
#include "webhook/known_cluster.h"
#include "webhook/ledger.h"

namespace huygens::webhook {

class WatchedCluster final : public KnownCluster, public informer::WatchEventHandler {
 public:
  // `workloads` must outlive it.
  WatchedCluster(const ResourceNames& names, const informer::FollowedWorkloads& workloads)
      : names_(names), workloads_(workloads) {}

  Facts facts() const override;
  std::string NotReady() const override;
  Ledger& ledger() { return ledger_; }
  // The kinds that are followed besides workloads.
  static constexpr cluster::Kind kKinds[] = {cluster::Kind::kBizGroupQuota, cluster::Kind::kDeviceClass};
  bool Listed(cluster::Kind kind) const { return lists_[static_cast<size_t>(kind)].complete; }
  // What the watches of these kinds last reported.
  const kube::WatchReport& Watch(cluster::Kind kind) const { return reports_[static_cast<size_t>(kind)]; }

  void WatchChanged(const kube::WatchReport& report) override { reports_[static_cast<size_t>(report.kind)] = report; }
  void Apply(cluster::Kind kind, const cluster::WatchEvent& event) override;
  bool Sweep(cluster::Kind kind, size_t limit) override;

 private:
  using Names = std::set<std::string, std::less<>>;
  // Of one kind: the names that are there, and those that the LIST under way has not named yet.
  struct List {
    Names there, unnamed;
    bool complete = false;
  };

  std::string ClassesHidden() const;
  List& Of(cluster::Kind kind) { return lists_[static_cast<size_t>(kind)]; }
  void On(const cluster::ListBegin& event);
  void On(const cluster::ListEnd& event);
  void On(const cluster::BizGroupQuotaSet& event);
  void On(const cluster::BizGroupQuotaGone& event);
  void On(const cluster::DeviceClassSet& event);
  void On(const cluster::DeviceClassGone& event);
  template <typename Other>
  void On(const Other&) {}  // kinds that nobody asked for

  const ResourceNames& names_;
  const informer::FollowedWorkloads& workloads_;
  Ledger ledger_;
  quota::DeviceClasses classes_;
  std::array<List, cluster::kKindCount> lists_;
  std::array<kube::WatchReport, cluster::kKindCount> reports_;
};

}  // namespace huygens::webhook
