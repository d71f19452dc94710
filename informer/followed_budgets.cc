#include "informer/followed_budgets.h"

#include <utility>
#include <variant>

namespace huygens::informer {

using cluster::Kind;

std::vector<Missing> FollowedBudgets::NotListed() const {
  std::vector<Missing> missing;
  for (const Kind kind : kKinds) {
    const kube::WatchReport& watch = Watch(kind);
    const bool forbidden = watch.state == kube::WatchState::kForbidden;
    if (Listed(kind) || (forbidden && kind == Kind::kDeviceClass && without_classes_)) continue;
    const bool broken = forbidden || watch.state == kube::WatchState::kBroken;
    missing.push_back({Name(kind), broken ? std::string_view(watch.why) : std::string_view()});
  }
  return missing;
}

std::vector<observe::Readiness::Item> FollowedBudgets::Describe(const WatchEventQueue& queue) const {
  std::vector<observe::Readiness::Item> items;
  for (const Kind kind : kKinds) {
    kube::WatchReport watch = Watch(kind);
    watch.kind = kind;
    items.push_back(DescribeWatch(watch, Listed(kind), queue.Silence(kind)));
    items.back().ok = items.back().ok && (Listed(kind) || without_classes_);
  }
  return items;
}

void FollowedBudgets::Apply(Kind, const cluster::WatchEvent& event) {
  std::visit([this](const auto& each) { On(each); }, event);
}

bool FollowedBudgets::Sweep(Kind kind, size_t limit) {
  List& list = Of(kind);
  for (; limit > 0 && !list.unnamed.empty(); --limit) {
    const std::string name = std::move(list.unnamed.extract(list.unnamed.begin()).value());
    if (kind == Kind::kBizGroupQuota) On(cluster::BizGroupQuotaGone{name});
    if (kind == Kind::kDeviceClass) On(cluster::DeviceClassGone{name});
  }
  return !list.unnamed.empty();
}

void FollowedBudgets::List::Set(const std::string& name) {
  there.insert(name);
  unnamed.erase(name);
}

void FollowedBudgets::On(const cluster::ListEnd& event) {
  Of(event.kind).complete = true;
  if (event.kind == Kind::kBizGroupQuota) GroupsListed(Of(event.kind).there);
}

void FollowedBudgets::On(const cluster::BizGroupQuotaSet& event) {
  Of(Kind::kBizGroupQuota).Set(event.group.name);
  GroupSet(event.group);
}

void FollowedBudgets::On(const cluster::BizGroupQuotaGone& event) {
  Of(Kind::kBizGroupQuota).there.erase(event.name);
  GroupGone(event.name);
}

void FollowedBudgets::On(const cluster::DeviceClassSet& event) {
  Of(Kind::kDeviceClass).Set(event.device_class.name);
  ClassSet(event.device_class);
}

void FollowedBudgets::On(const cluster::DeviceClassGone& event) {
  Of(Kind::kDeviceClass).there.erase(event.name);
  ClassGone(event.name);
}

}  // namespace huygens::informer
