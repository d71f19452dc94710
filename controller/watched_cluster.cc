#include "controller/watched_cluster.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "informer/watch_readiness.h"

namespace huygens::controller {

using cluster::Kind;

WatchedCluster::WatchedCluster(net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics)
    : FollowedBudgets(/*without_classes=*/false),
      workloads_(names_, loop, log, metrics, /*pods=*/true),
      transfers_(
          names_, loop, log, metrics, [this](const auto& transfer) { ClusterView::Set(transfer); },
          [this](const auto& uid) { RemoveTransfer(uid); }),
      queue_(*this, loop, log, metrics) {
  workloads_.Call([this](const auto* before, const auto* after) { Tell(before, after); });
}

Status WatchedCluster::Start(const net::ClientOptions& api_server) {
  HUYGENS_RETURN_IF_ERROR(reflectors_.Start(api_server, kKinds));
  HUYGENS_RETURN_IF_ERROR(transfers_.Start(api_server));
  return workloads_.Start(api_server);
}

void WatchedCluster::Stop() {
  reflectors_.Stop();
  transfers_.Stop();
  workloads_.Stop();
}

std::string WatchedCluster::NotReady() const {
  const std::vector<informer::Missing> missing = NotListed();
  if (!missing.empty()) return informer::WaitingText(missing);
  const std::string workloads = workloads_.NotReady();
  return workloads.empty() ? transfers_.NotReady() : workloads;
}

void WatchedCluster::Describe(observe::Readiness& readiness) const {
  std::ranges::move(FollowedBudgets::Describe(queue_), std::back_inserter(readiness.items));
  readiness.items.push_back(transfers_.Describe());
  std::ranges::move(workloads_.Describe(), std::back_inserter(readiness.items));
}

Duration WatchedCluster::Silence(std::string_view kind) const {
  return kind == cluster::kGroupKind ? queue_.Silence(Kind::kBizGroupQuota) : workloads_.Silence(kind);
}

void WatchedCluster::CatchUp(std::string_view kind) {
  if (kind != cluster::kGroupKind) return workloads_.CatchUp(kind);
  reflectors_.CatchUp(Kind::kBizGroupQuota, queue_.Seen(Kind::kBizGroupQuota) + 1);
}

}  // namespace huygens::controller
