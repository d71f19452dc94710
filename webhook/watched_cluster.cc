#include "webhook/watched_cluster.h"

#include <utility>
#include <variant>
#include <vector>

#include "informer/watch_readiness.h"

namespace huygens::webhook {

using cluster::Kind;

Facts WatchedCluster::facts() const {
  return {.tree = ledger_.tree(),
          .workloads = workloads_.index(),
          .classes = classes_,
          .names = names_,
          .reserved = [this](std::string_view group, std::string_view uid) { return ledger_.Reserved(group, uid); },
          .by_status = true,
          .classes_hidden = ClassesHidden()};
}

// As long as they were never listed; later those that were seen last are gone by.
std::string WatchedCluster::ClassesHidden() const {
  const kube::WatchReport& watch = Watch(Kind::kDeviceClass);
  if (Listed(Kind::kDeviceClass) || watch.state != kube::WatchState::kForbidden) return {};
  return "which devices it asks for is not known: huygens may not read deviceclasses.resource.k8s.io";
}

// Without classes of devices huygens can do what concerns none.
std::string WatchedCluster::NotReady() const {
  std::vector<informer::Missing> missing;
  for (const Kind kind : kKinds) {
    const kube::WatchReport& watch = Watch(kind);
    const bool forbidden = watch.state == kube::WatchState::kForbidden;
    if (Listed(kind) || (forbidden && kind == Kind::kDeviceClass)) continue;
    const bool broken = forbidden || watch.state == kube::WatchState::kBroken;
    missing.push_back({Name(kind), broken ? std::string_view(watch.why) : std::string_view()});
  }
  return missing.empty() ? workloads_.NotReady() : informer::WaitingText(missing);
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

void WatchedCluster::On(const cluster::ListBegin& event) {
  List& list = Of(event.kind);
  list.unnamed = list.there;
}

void WatchedCluster::On(const cluster::ListEnd& event) { Of(event.kind).complete = true; }

void WatchedCluster::On(const cluster::BizGroupQuotaSet& event) {
  List& list = Of(Kind::kBizGroupQuota);
  list.there.insert(event.group.name);
  list.unnamed.erase(event.group.name);
  ledger_.Set(event.group);
}

void WatchedCluster::On(const cluster::BizGroupQuotaGone& event) {
  Of(Kind::kBizGroupQuota).there.erase(event.name);
  ledger_.Remove(event.name);
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

}  // namespace huygens::webhook
