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
      queue_(*this, loop, log, metrics) {
  workloads_.Call([this](const auto* before, const auto* after) { Tell(before, after); });
}

Status WatchedCluster::Start(const net::ClientOptions& api_server) {
  HUYGENS_RETURN_IF_ERROR(reflectors_.Start(api_server, kKinds));
  return workloads_.Start(api_server);
}

void WatchedCluster::Stop() {
  reflectors_.Stop();
  workloads_.Stop();
}

std::string WatchedCluster::NotReady() const {
  const std::vector<informer::Missing> missing = NotListed();
  return missing.empty() ? workloads_.NotReady() : informer::WaitingText(missing);
}

void WatchedCluster::Describe(observe::Readiness& readiness) const {
  std::ranges::move(FollowedBudgets::Describe(queue_), std::back_inserter(readiness.items));
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
