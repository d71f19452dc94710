#include "informer/followed_kinds.h"

#include <string_view>

#include "informer/watch_readiness.h"

namespace huygens::informer {

std::string FollowedKinds::NotReady() const {
  std::vector<Missing> missing;
  for (cluster::Kind kind : kinds_) {
    if (state_.Synced(kind)) continue;
    const kube::WatchReport& watch = queue_.Watch(kind);
    if (watch.state == kube::WatchState::kForbidden) continue;
    const bool broken = watch.state == kube::WatchState::kBroken;
    missing.push_back({Name(kind), broken ? std::string_view(watch.why) : std::string_view()});
  }
  return WaitingText(missing);
}

observe::Readiness FollowedKinds::Describe() const {
  observe::Readiness readiness;
  for (cluster::Kind kind : kinds_) {
    kube::WatchReport watch = queue_.Watch(kind);
    watch.kind = kind;
    readiness.items.push_back(DescribeWatch(watch, state_.Synced(kind), Silence(kind)));
  }
  return readiness;
}

std::vector<FollowedKinds::Silent> FollowedKinds::NotHeardOf() const {
  std::vector<Silent> silent;
  for (cluster::Kind kind : kinds_) {
    const kube::WatchReport& watch = queue_.Watch(kind);
    const bool broken = watch.state == kube::WatchState::kBroken;
    const Duration silence = Silence(kind);
    if (!watched_ || !state_.Synced(kind) || (!broken && silence <= kWorrying)) continue;
    silent.push_back({kind, silence, broken ? watch.why : std::string()});
  }
  return silent;
}

}  // namespace huygens::informer
