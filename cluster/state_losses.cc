// Topology objects that go while their nodes stay.
#include <algorithm>

#include "cluster/state.h"

namespace huygens::cluster {

void State::On(const TopologyGone& event) {
  auto index = node_index_.find(event.node_name);
  if (index == node_index_.end()) return;
  NodeSlot& slot = nodes_[index->second];
  const auto source = static_cast<size_t>(event.source);
  if (!slot.topology[source] || (slot.lost && slot.lost->source == source)) return;
  if (options_.loss_grace > Duration::zero() && slot.node && !slot.lost &&
      Topology(index->second) == &*slot.topology[source]) {
    slot.lost = {source, std::nullopt};
    ++lost_;
    in_force_lost_[index->second] = true;
    return;
  }
  DropTopology(index->second, source);
  Tidy(index->second);
}

void State::DropTopology(NodeIndex index, size_t source) {
  nodes_[index].topology[source].reset();
  NodeChanged(index);
}

void State::FoundAgain(NodeSlot& slot) {
  slot.lost.reset();
  --lost_;
}

void State::DropLost(NodeIndex index) {
  NodeSlot& slot = nodes_[index];
  if (!slot.lost) return;
  const size_t source = slot.lost->source;
  FoundAgain(slot);
  DropTopology(index, source);
}

std::optional<Duration> State::LossLeft(NodeIndex index) const {
  if (!TopologyLost(index)) return std::nullopt;
  const auto& since = nodes_[index].lost->since;
  return since ? options_.loss_grace - (aged_ - *since) : options_.loss_grace;
}

size_t State::LostTopologies() const {
  return lost_ == 0 ? 0 : static_cast<size_t>(std::ranges::count(in_force_lost_, true));
}

State::Losses State::AgeLosses(Duration now) {
  Losses losses;
  aged_ = now;
  if (lost_ == 0) return losses;
  for (NodeIndex i = 0; i < nodes_.size(); ++i) {
    auto& lost = nodes_[i].lost;
    if (!lost) continue;
    if (!lost->since) {
      lost->since = now;
      losses.begun.push_back(i);
    }
    if (now - *lost->since < options_.loss_grace) {
      losses.longest = std::max(losses.longest, now - *lost->since);
      continue;
    }
    losses.given_up.push_back(i);
    ++revision_;
    DropLost(i);
    nodes_[i].gave_up_topology = true;
  }
  return losses;
}

}  // namespace huygens::cluster
