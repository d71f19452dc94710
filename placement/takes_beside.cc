// Whether a node would take a pod after others that are not there yet: they are placed in thought.
#include <algorithm>

#include "placement/node_fit.h"
#include "placement/placement.h"

namespace huygens::placement {

bool Placement::TakesBeside(const cluster::Pod& pod, NodeIndex node,
                            std::span<const std::shared_ptr<const cluster::Pod>> others, Time now) {
  const cluster::Node* object = state_.GetNode(node);
  if (object == nullptr || (!others.empty() && kinds_.Of(node).OrderMatters())) return false;
  ResourceVector used = state_.RequestedOn(node, pod.uid);
  for (const auto& other : others) used.Add(RequestsOf(*other));
  if (!Lacking(RequestsOf(pod), object->allocatable, used).empty()) return false;

  std::vector<cluster::PlacedPod> supposed;
  supposed.reserve(others.size());
  bool takes = true;
  for (const auto& other : others) {
    auto zones = ChooseZones(Query(*other, now), node);
    takes = takes && (zones || !Enforces(&policy::Needs::zones));
    supposed.push_back({other, node, std::move(zones).value_or(std::vector<cluster::ZoneAmount>())});
    for (cluster::Account* account : accounts_) account->Place(supposed.back());
  }
  takes = takes && FirstFit(pod, {&node, 1}, now).has_value();
  while (!supposed.empty()) {
    for (cluster::Account* account : accounts_) account->Leave(supposed.back());
    supposed.pop_back();
  }
  return takes;
}

size_t Placement::OvercommittedWithout(NodeIndex node, std::span<const cluster::PlacedPod* const> gone, Time now) {
  for (const cluster::PlacedPod* pod : gone) {
    for (cluster::Account* account : accounts_) account->Leave(*pod);
  }
  const size_t zones = OvercommittedZones(node, now);
  for (const cluster::PlacedPod* pod : gone) {
    for (cluster::Account* account : accounts_) account->Place(*pod);
  }
  return zones;
}

}  // namespace huygens::placement
