#include "placement/wake_search.h"

#include <algorithm>
#include <utility>

namespace huygens::placement {

namespace {

// So few that a step stays far below a millisecond, even where each node costs as much as predicting kubelet may.
constexpr size_t kNodesPerStep = 16;
// So many are asked whether they fit beside the first.
constexpr size_t kOthers = 8;

}  // namespace

bool WakeSearch::Begin() {
  WaitingPods& waiting = placement_.waiting();
  nodes_ = waiting.TakeChanged();
  turn_ = 0;
  next_node_ = 0;
  wakes_.clear();
  return !nodes_.empty();
}

bool WakeSearch::Step(Time now) {
  WaitingPods& waiting = placement_.waiting();
  const uint64_t turn = turn_;
  WaitingPods::Entry* entry = waiting.Next(turn_);
  if (entry == nullptr) return false;
  if (turn_ != turn) next_node_ = 0;  // the pod whose turn it was does not wait any more
  if (next_node_ == 0) {
    if (!StillWaits(*entry)) {
      NextPod();
      waiting.Remove(entry->pod->uid);
      return true;
    }
    if (entry->waking) {
      NextPod();
      return true;
    }
  }
  some_.clear();
  while (next_node_ < nodes_.size() && some_.size() < kNodesPerStep) {
    const NodeIndex node = nodes_[next_node_++];
    if (entry->Concerns(node) && placement_.state().GetNode(node) != nullptr) some_.push_back(node);
  }
  const auto fit = placement_.FirstFit(*entry->pod, some_, now);
  if (fit) Found(*entry, *fit);
  if (fit || next_node_ == nodes_.size()) NextPod();
  return true;
}

bool WakeSearch::StillWaits(WaitingPods::Entry& entry) const {
  const std::string& uid = entry.pod->uid;
  const auto latest = placement_.state().FindPod(uid);
  if (!latest) return !entry.watched;
  entry.watched = true;
  return !latest->Terminal() && !latest->deleting && placement_.state().FindPlaced(uid) == nullptr;
}

std::vector<Wake> WakeSearch::TakeWakes(Time now) {
  const size_t gone =
      std::erase_if(wakes_, [&](const Wake& each) { return placement_.state().GetNode(each.node) == nullptr; });
  if (gone > 0) {  // another node that changed may do for the pods found there
    for (NodeIndex node : nodes_) placement_.waiting().Changed(node);
  }
  for (auto& [node, pods] : wakes_) {
    if (pods.size() < 2) continue;
    const std::span first(pods.data(), std::min(pods.size(), kOthers + 1));
    if (placement_.TakesAnotherBeside(first, node, now)) continue;
    pods.resize(1);
    placement_.waiting().Changed(node);
  }
  std::sort(wakes_.begin(), wakes_.end(), [](const Wake& a, const Wake& b) { return a.node < b.node; });
  return std::exchange(wakes_, {});
}

void WakeSearch::NextPod() {
  ++turn_;
  next_node_ = 0;
}

void WakeSearch::Found(const WaitingPods::Entry& entry, NodeIndex node) {
  auto wake = std::find_if(wakes_.begin(), wakes_.end(), [&](const Wake& each) { return each.node == node; });
  if (wake == wakes_.end()) {
    if (wakes_.size() == most_nodes_) return placement_.waiting().Changed(node);
    wake = wakes_.insert(wake, Wake{node, {}});
  }
  wake->pods.push_back(entry.pod);
}

}  // namespace huygens::placement
