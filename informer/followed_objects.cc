#include "informer/followed_objects.h"

#include <utility>

#include "base/steady_now.h"

namespace huygens::informer {

using cluster::Kind;

FollowedObjects::FollowedObjects(std::string name, ResourceNames& names, net::EventLoop& loop, observe::Log& log,
                                 observe::Metrics& metrics)
    : name_(std::move(name)), queue_(*this, loop, log, metrics, SteadyNow, name_), reflectors_(names, queue_) {}

Status FollowedObjects::Start(const net::ClientOptions& api_server, kube::Resource resource) {
  paths_ = resource.paths;
  return reflectors_.Start(api_server, std::move(resource));
}

Missing FollowedObjects::NotListed() const {
  const kube::WatchReport& watch = Watch();
  return {name_, watch.state == kube::WatchState::kBroken ? std::string_view(watch.why) : std::string_view()};
}

void FollowedObjects::CatchUp() { reflectors_.CatchUp(Kind::kWorkload, queue_.Seen(Kind::kWorkload) + 1); }

WatchedKind FollowedObjects::Watched() {
  return {.name = name_,
          .paths = paths_,
          .seen = [this] { return queue_.Seen(Kind::kWorkload); },
          .catch_up = [this](uint64_t version) { reflectors_.CatchUp(Kind::kWorkload, version); }};
}

observe::Readiness::Item FollowedObjects::Describe() const {
  observe::Readiness::Item item = DescribeWatch(Watch(), complete_, Silence());
  item.name = name_;
  return item;
}

bool FollowedObjects::Sweep(Kind, size_t limit) {
  for (; limit > 0 && !unnamed_.empty(); --limit) Remove(*unnamed_.begin());
  return !unnamed_.empty();
}

void FollowedObjects::On(const cluster::WorkloadSet& event) {
  const std::string uid = Set(*event.workload);
  there_.insert(uid);
  unnamed_.erase(uid);
}

// By value, since it may be an element of one of the sets.
void FollowedObjects::Remove(std::string uid) {  // NOLINT(performance-unnecessary-value-param)
  unnamed_.erase(uid);
  there_.erase(uid);
  Gone(uid);
}

}  // namespace huygens::informer
