#include "topology/node_kinds.h"

#include <algorithm>

namespace huygens::topology {

void NodeKinds::Place(const cluster::PlacedPod& pod) {
  for (const auto& kind : kinds_) kind->Place(pod);
}

void NodeKinds::Leave(const cluster::PlacedPod& pod) {
  for (const auto& kind : kinds_) kind->Leave(pod);
}

void NodeKinds::NodeObjectChanged(NodeIndex node, const cluster::Node* object) {
  for (const auto& kind : kinds_) kind->NodeObjectChanged(node, object);
}

void NodeKinds::NodeChanged(NodeIndex node, const cluster::NodeTopology* topology) {
  for (const auto& kind : kinds_) kind->NodeChanged(node, topology);
  while (kind_of_.size() <= node) {
    kind_of_.push_back(Number(node));
    ++nodes_of_.back();
  }
  const auto claims = std::ranges::find_if(kinds_, [node](const auto& kind) { return kind->Claims(node); });
  --nodes_of_[kind_of_[node]];
  kind_of_[node] = static_cast<uint8_t>(claims - kinds_.begin());
  ++nodes_of_[kind_of_[node]];
}

bool NodeKinds::Recount(NodeIndex node, std::span<const cluster::PlacedPod* const> pods) {
  bool differed = false;
  for (const auto& kind : kinds_) differed = kind->Recount(node, pods) || differed;
  return differed;
}

}  // namespace huygens::topology
