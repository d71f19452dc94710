#include "controller/watched_cluster.h"

#include <utility>
#include <variant>

#include "informer/watch_readiness.h"

namespace huygens::controller {

using cluster::Kind;

WatchedCluster::WatchedCluster(net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics)
    : workloads_(names_, loop, log, metrics, /*pods=*/true), queue_(*this, loop, log, metrics) {
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
  std::vector<informer::Missing> missing;
  for (const Kind kind : kKinds) {
    if (Of(kind).complete) continue;
    const kube::WatchReport& watch = queue_.Watch(kind);
    const bool broken = watch.state == kube::WatchState::kBroken || watch.state == kube::WatchState::kForbidden;
    missing.push_back({Name(kind), broken ? std::string_view(watch.why) : std::string_view()});
  }
  return missing.empty() ? workloads_.NotReady() : informer::WaitingText(missing);
}

void WatchedCluster::Describe(observe::Readiness& readiness) const {
  for (const Kind kind : kKinds) {
    kube::WatchReport watch = queue_.Watch(kind);
    watch.kind = kind;
    observe::Readiness::Item item = informer::DescribeWatch(watch, Of(kind).complete, queue_.Silence(kind));
    item.ok = item.ok && Of(kind).complete;
    readiness.items.push_back(std::move(item));
  }
  for (observe::Readiness::Item& each : workloads_.Describe()) readiness.items.push_back(std::move(each));
}

Duration WatchedCluster::Silence(std::string_view kind) const {
  return kind == cluster::kGroupKind ? queue_.Silence(Kind::kBizGroupQuota) : workloads_.Silence(kind);
}

void WatchedCluster::CatchUp(std::string_view kind) {
  if (kind != cluster::kGroupKind) return workloads_.CatchUp(kind);
  reflectors_.CatchUp(Kind::kBizGroupQuota, queue_.Seen(Kind::kBizGroupQuota) + 1);
}

void WatchedCluster::Apply(Kind, const cluster::WatchEvent& event) {
  std::visit([this](const auto& each) { On(each); }, event);
}

bool WatchedCluster::Sweep(Kind kind, size_t limit) {
  List& list = Of(kind);
  for (; limit > 0 && !list.unnamed.empty(); --limit) {
    const std::string name = std::move(list.unnamed.extract(list.unnamed.begin()).value());
    if (kind == Kind::kBizGroupQuota) On(cluster::BizGroupQuotaGone{name});
    if (kind == Kind::kDeviceClass) On(cluster::DeviceClassGone{name});
  }
  return !list.unnamed.empty();
}

void WatchedCluster::On(const cluster::BizGroupQuotaSet& event) {
  List& list = Of(Kind::kBizGroupQuota);
  list.there.insert(event.group.name);
  list.unnamed.erase(event.group.name);
  Set(event.group);
}

void WatchedCluster::On(const cluster::BizGroupQuotaGone& event) {
  Of(Kind::kBizGroupQuota).there.erase(event.name);
  Remove(event.name);
}

void WatchedCluster::On(const cluster::DeviceClassSet& event) {
  List& list = Of(Kind::kDeviceClass);
  list.there.insert(event.device_class.name);
  list.unnamed.erase(event.device_class.name);
  classes_.Set(event.device_class);
}

void WatchedCluster::On(const cluster::DeviceClassGone& event) {
  Of(Kind::kDeviceClass).there.erase(event.name);
  classes_.Remove(event.name);
}

}  // namespace huygens::controller
