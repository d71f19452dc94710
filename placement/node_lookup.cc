#include "placement/node_lookup.h"

namespace huygens::placement {

void NodeLookup::Resolve(const cluster::State& state, std::span<const std::string_view> names,
                         std::vector<cluster::NodeIndex>& nodes, std::vector<uint32_t>& positions) {
  nodes.clear();
  positions.clear();
  if (node_set_revision_ != state.node_set_revision()) {
    node_set_revision_ = state.node_set_revision();
    text_.clear();
    ends_.clear();
    nodes_.clear();
    behind_.assign(state.NodeSlots(), 0);
  }
  size_t next = 0;
  size_t misses = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string_view name = names[i];
    if (next < nodes_.size()) {
      uint32_t begin = next == 0 ? 0 : ends_[next - 1];
      if (std::string_view(text_.data() + begin, ends_[next] - begin) == name) {
        nodes.push_back(nodes_[next++]);
        positions.push_back(static_cast<uint32_t>(i));
        continue;
      }
    }
    ++misses;
    if (auto node = state.FindNode(name)) {
      nodes.push_back(*node);
      positions.push_back(static_cast<uint32_t>(i));
      next = behind_[*node];
    }
  }
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
