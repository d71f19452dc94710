// What the controller knows of a cluster, as the watches of an API server tell it: groups, workloads and pods, classes
// of devices. Every instance follows it, so that whoever begins to lead knows it already. On the loop's thread.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "cluster/watch_event.h"
#include "controller/cluster_view.h"
#include "informer/followed_workloads.h"
#include "informer/reflectors.h"
#include "informer/watch_event_queue.h"
#include "net/client.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "observe/readiness.h"

namespace huygens::controller {

class WatchedCluster final : public ClusterView, public informer::WatchEventHandler {
 public:
  // All of it must outlive this.
  WatchedCluster(net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics);
  ~WatchedCluster() override { Stop(); }

  // Once. Fails if the client options are not usable.
  Status Start(const net::ClientOptions& api_server);
  void Stop();

  const workloads::WorkloadIndex& workloads() const override { return workloads_.index(); }
  // Without classes of devices nothing can be counted that asks for them, and so nothing is.
  std::string NotReady() const override;
  Duration Silence(std::string_view kind) const override;
  void CatchUp(std::string_view kind) override;
  // Items of /readyz.
  void Describe(observe::Readiness& readiness) const;

  void Apply(cluster::Kind kind, const cluster::WatchEvent& event) override;
  bool Sweep(cluster::Kind kind, size_t limit) override;

 private:
  using Names = std::set<std::string, std::less<>>;
  // Of one kind: the names that are there, and those that the LIST under way has not named yet.
  struct List {
    Names there, unnamed;
    bool complete = false;
  };
  static constexpr cluster::Kind kKinds[] = {cluster::Kind::kBizGroupQuota, cluster::Kind::kDeviceClass};

  List& Of(cluster::Kind kind) { return lists_[static_cast<size_t>(kind)]; }
  const List& Of(cluster::Kind kind) const { return lists_[static_cast<size_t>(kind)]; }
  void On(const cluster::ListBegin& event) { Of(event.kind).unnamed = Of(event.kind).there; }
  void On(const cluster::ListEnd& event) { Of(event.kind).complete = true; }
  void On(const cluster::BizGroupQuotaSet& event);
  void On(const cluster::BizGroupQuotaGone& event);
  void On(const cluster::DeviceClassSet& event);
  void On(const cluster::DeviceClassGone& event);
  template <typename Other>
  void On(const Other&) {}  // kinds that nobody asked for

  informer::FollowedWorkloads workloads_;
  std::array<List, cluster::kKindCount> lists_;
  informer::WatchEventQueue queue_;
  informer::Reflectors reflectors_{names_, queue_};
};

}  // namespace huygens::controller
