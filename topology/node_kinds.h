// Which kind each node is of, and so what answers for it (the rule is ModeOf, topology/node_mode.h). Decision thread only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "topology/node_zones.h"

namespace huygens::topology {

// To State one account, which tells every kind what it is told itself.
class NodeKinds final : public cluster::Account {
 public:
  // No stretch is longer, so that the answers about one have room on the stack.
  static constexpr size_t kLongestStretch = 64;

  NodeKinds() = default;
  explicit NodeKinds(std::vector<std::unique_ptr<NodeZones>> kinds)
      : kinds_(std::move(kinds)), nodes_of_(kinds_.size()) {}
  NodeKinds(const NodeKinds&) = delete;
  NodeKinds& operator=(const NodeKinds&) = delete;

  // Before the first event; at most 255. A node is of the first kind that claims it, so the last has to claim all.
  template <typename Kind>
  Kind& Add(std::unique_ptr<Kind> kind) {
    Kind& added = *kind;
    kinds_.push_back(std::move(kind));
    nodes_of_.push_back(0);
    return added;
  }

  NodeZones& Of(NodeIndex node) { return *kinds_[Number(node)]; }
  const NodeZones& Of(NodeIndex node) const { return *kinds_[Number(node)]; }

  // Whether `asks(kind)` holds for a kind that there are nodes of; asked from the last to the first.
  template <typename Asks>
  bool AnyWithNodes(Asks&& asks) const {
    for (size_t k = kinds_.size(); k-- > 0;) {
      if ((nodes_of_[k] > 0 || k + 1 == kinds_.size()) && asks(*kinds_[k])) return true;
    }
    return false;
  }
  std::span<const std::unique_ptr<NodeZones>> all() const { return kinds_; }

  // Divides the nodes into stretches of one kind and one `mark(position)`, and calls f(kind, mark, first, end) for
  // each: so a call over thousands of nodes costs one virtual call per stretch.
  template <typename Mark, typename F>
  void InStretches(std::span<const NodeIndex> nodes, Mark&& mark, F&& f) const {
    for (size_t first = 0, end = 0; first < nodes.size(); first = end) {
      const uint8_t kind = Number(nodes[first]);
      const auto as = mark(first);
      const size_t longest = std::min(nodes.size(), first + kLongestStretch);
      for (end = first + 1; end < longest && Number(nodes[end]) == kind && mark(end) == as;) ++end;
      f(std::as_const(*kinds_[kind]), as, first, end);
    }
  }

  void Place(const cluster::PlacedPod& pod) override;
  void Leave(const cluster::PlacedPod& pod) override;
  void NodeObjectChanged(NodeIndex node, const cluster::Node* object) override;
  void NodeChanged(NodeIndex node, const cluster::NodeTopology* topology) override;
  bool Recount(NodeIndex node, std::span<const cluster::PlacedPod* const> pods) override;

 private:
  // Of a node that nobody has told of: the last.
  uint8_t Number(NodeIndex node) const {
    return node < kind_of_.size() ? kind_of_[node] : static_cast<uint8_t>(kinds_.size() - 1);
  }

  std::vector<std::unique_ptr<NodeZones>> kinds_;
  std::vector<uint8_t> kind_of_;  // by node
  std::vector<size_t> nodes_of_;  // by kind; nodes that went are of the last
};

}  // namespace huygens::topology
