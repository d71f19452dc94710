#include "placement/node_lookup.h"

namespace huygens::placement {

void NodeLookup::Resolve(const cluster::State& state, std::span<const std::string_view> names,
                         std::vector<cluster::NodeIndex>& nodes, std::vector<uint32_t>& positions) {
  nodes.resize(names.size());
  positions.resize(names.size());
  if (node_set_revision_ != state.node_set_revision()) {
    node_set_revision_ = state.node_set_revision();
    text_.clear();
    ends_.clear();
    nodes_.clear();
    behind_.assign(state.NodeSlots(), 0);
  }
  size_t next = 0;
  size_t known = 0;
  size_t misses = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (next < nodes_.size() && Remembered(next) == names[i]) {
      nodes[known] = nodes_[next++];
    } else {
      ++misses;
      const std::optional<cluster::NodeIndex> node = state.FindNode(names[i]);
      if (!node) continue;
      nodes[known] = *node;
      next = behind_[*node];
    }
    positions[known++] = static_cast<uint32_t>(i);
  }
  nodes.resize(known);
  positions.resize(known);
  if (misses > names.size() / 16) Remember(names, nodes, positions);
}

void NodeLookup::Remember(std::span<const std::string_view> names, std::span<const cluster::NodeIndex> nodes,
                          std::span<const uint32_t> positions) {
  text_.clear();
  ends_.clear();
  nodes_.assign(nodes.begin(), nodes.end());
  for (size_t i = 0; i < nodes.size(); ++i) {
    text_ += names[positions[i]];
    ends_.push_back(static_cast<uint32_t>(text_.size()));
    behind_[nodes[i]] = static_cast<uint32_t>(i + 1);
  }
}

}  // namespace huygens::placement
