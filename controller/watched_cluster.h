// What the controller knows of a cluster, as the watches of an API server tell it: groups and transfers, workloads
// and pods, classes of devices. Every instance follows it, so that whoever begins to lead knows it already. On the loop's thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "controller/cluster_view.h"
#include "controller/watched_transfers.h"
#include "informer/followed_budgets.h"
#include "informer/followed_workloads.h"
#include "informer/reflectors.h"
#include "informer/watch_event_queue.h"
#include "informer/watched_kind.h"
#include "net/client.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "observe/readiness.h"
#include "reconcile/fresh_start.h"
#include "reconcile/leader_calls.h"

namespace huygens::controller {

class WatchedCluster final : public ClusterView, public informer::FollowedBudgets {
 public:
  // All of it must outlive this.
  WatchedCluster(net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics);
  ~WatchedCluster() override { Stop(); }

  // Once. Fails if the client options are not usable.
  Status Start(const net::ClientOptions& api_server);
  void Stop();

  const workloads::WorkloadIndex& workloads() const override { return workloads_.index(); }
  // Without classes of devices nothing can be counted that asks for them, and so nothing is. Nor is anything counted
  // while the watches are behind what was stored when this instance began to lead.
  std::string NotReady() const override;
  Duration Silence(std::string_view kind) const override;
  void CatchUp(std::string_view kind) override;
  // After Start: this instance leads from now on, and asks by `calls`, which must outlive the term.
  void BeginTerm(reconcile::LeaderCalls& calls);
  void EndTerm() { fresh_.reset(); }
  // Again and again while the term begins. `now`: by a clock that nobody sets.
  void LookWhatIsBehind(Duration now);
  // reconcile::FreshStart::Behind.
  std::string Behind() const { return fresh_ ? fresh_->Behind() : std::string(); }
  // Items of /readyz.
  void Describe(observe::Readiness& readiness) const;

 private:
  std::vector<informer::WatchedKind> Watched();
  void GroupSet(const cluster::BizGroupQuota& group) override { Set(group); }
  void GroupGone(std::string_view name) override { Remove(name); }
  void ClassSet(const cluster::DeviceClass& device_class) override { classes_.Set(device_class); }
  void ClassGone(std::string_view name) override { classes_.Remove(name); }

  informer::FollowedWorkloads workloads_;
  WatchedTransfers transfers_;
  informer::WatchEventQueue queue_;
  informer::Reflectors reflectors_{names_, queue_};
  std::unique_ptr<reconcile::FreshStart> fresh_;  // of the term; null: this instance does not lead
};

}  // namespace huygens::controller
