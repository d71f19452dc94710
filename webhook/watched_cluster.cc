#include "webhook/watched_cluster.h"

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

std::string WatchedCluster::NotReady() const {
  const std::vector<informer::Missing> missing = NotListed();
  return missing.empty() ? workloads_.NotReady() : informer::WaitingText(missing);
}

}  // namespace huygens::webhook
