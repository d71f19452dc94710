#include "controller/watched_cluster.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "informer/watch_readiness.h"
#include "kube/list_path.h"

namespace huygens::controller {

using cluster::Kind;

namespace {

constexpr Duration kAskTimeout = std::chrono::seconds(5);

}  // namespace

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
  std::string workloads = workloads_.NotReady();
  if (!workloads.empty()) return workloads;
  const std::string transfers = transfers_.NotReady();
  return transfers.empty() ? Behind() : transfers;
}

std::vector<informer::WatchedKind> WatchedCluster::Watched() {
  std::vector<informer::WatchedKind> kinds = workloads_.Watched();
  for (const Kind kind : kKinds) {
    const auto paths = kube::ListPaths(kind);
    kinds.push_back({.name = std::string(Name(kind)),
                     .paths = {paths.begin(), paths.end()},
                     .seen = [this, kind] { return queue_.Seen(kind); },
                     .catch_up = [this, kind](uint64_t version) { reflectors_.CatchUp(kind, version); }});
  }
  kinds.push_back(transfers_.Watched());
  kinds.back().may_be_forbidden = true;
  return kinds;
}

void WatchedCluster::BeginTerm(reconcile::LeaderCalls& calls) {
  std::vector<reconcile::FreshStart::Kind> kinds;
  for (informer::WatchedKind& each : Watched()) {
    const auto ask = [&calls, paths = each.paths,
                      may_be_forbidden = each.may_be_forbidden](const reconcile::FreshStart::Kind::Answer& answer) {
      calls.Post([=](net::Client& client, Duration longest) -> kube::CallPool::Then {
        StatusOr<uint64_t> version = kube::ReadResourceVersion(client, paths, std::min(longest, kAskTimeout));
        if (may_be_forbidden && absl::IsPermissionDenied(version.status())) version = 0;
        return [answer, version = std::move(version)] { answer(version); };
      });
    };
    kinds.push_back(
        {.name = std::move(each.name), .ask = ask, .seen = std::move(each.seen), .catch_up = std::move(each.catch_up)});
  }
  fresh_ = std::make_unique<reconcile::FreshStart>(std::move(kinds));
  fresh_->Begin();
}

void WatchedCluster::LookWhatIsBehind(Duration now) {
  if (fresh_ != nullptr) fresh_->Look(now);
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
