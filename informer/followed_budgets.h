// Groups and classes of devices, as the watches of an API server tell of them: what every service that charges budgets
// follows besides workloads (followed_workloads.h). Says what has come and gone, and what was never listed. On the
// thread of the queue's loop.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/watch_event.h"
#include "informer/watch_event_queue.h"
#include "informer/watch_readiness.h"
#include "observe/readiness.h"

namespace huygens::informer {

class FollowedBudgets : public WatchEventHandler {
 public:
  static constexpr cluster::Kind kKinds[] = {cluster::Kind::kBizGroupQuota, cluster::Kind::kDeviceClass};

  // `without_classes`: whether the service does what concerns no devices while it may not read classes of devices.
  explicit FollowedBudgets(bool without_classes) : without_classes_(without_classes) {}

  bool Listed(cluster::Kind kind) const { return lists_[static_cast<size_t>(kind)].complete; }
  // What the watch of the kind last reported.
  const kube::WatchReport& Watch(cluster::Kind kind) const { return reports_[static_cast<size_t>(kind)]; }
  // The kinds that the service waits for. Valid until the next report.
  std::vector<Missing> NotListed() const;
  // Items of /readyz; `queue` is the one that tells this.
  std::vector<observe::Readiness::Item> Describe(const WatchEventQueue& queue) const;

  void WatchChanged(const kube::WatchReport& report) override { reports_[static_cast<size_t>(report.kind)] = report; }
  void Apply(cluster::Kind kind, const cluster::WatchEvent& event) override;
  bool Sweep(cluster::Kind kind, size_t limit) override;

 protected:
  virtual void GroupSet(const cluster::BizGroupQuota& group) = 0;
  virtual void GroupGone(std::string_view name) = 0;
  // All that there are, at the end of a list: one that is known otherwise than by this watch may be gone.
  using Names = std::set<std::string, std::less<>>;
  virtual void GroupsListed(const Names& /*there*/) {}
  virtual void ClassSet(const cluster::DeviceClass& device_class) = 0;
  virtual void ClassGone(std::string_view name) = 0;

 private:
  // Of one kind: the names that are there, and those that the LIST under way has not named yet.
  struct List {
    Names there, unnamed;
    bool complete = false;
    void Set(const std::string& name);
  };

  List& Of(cluster::Kind kind) { return lists_[static_cast<size_t>(kind)]; }
  void On(const cluster::ListBegin& event) { Of(event.kind).unnamed = Of(event.kind).there; }
  void On(const cluster::ListEnd& event);
  void On(const cluster::BizGroupQuotaSet& event);
  void On(const cluster::BizGroupQuotaGone& event);
  void On(const cluster::DeviceClassSet& event);
  void On(const cluster::DeviceClassGone& event);
  template <typename Other>
  void On(const Other&) {}  // kinds that nobody asked for

  const bool without_classes_;
  std::array<List, cluster::kKindCount> lists_;
  std::array<kube::WatchReport, cluster::kKindCount> reports_;
};

}  // namespace huygens::informer
