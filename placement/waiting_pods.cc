#include "placement/waiting_pods.h"

#include <algorithm>
#include <utility>

namespace huygens::placement {

void WaitingPods::Add(std::shared_ptr<const cluster::Pod> pod, std::span<const NodeIndex> nodes, bool unknown,
                      bool held) {
  if (capacity_ == 0 || pod->uid.empty()) return;
  if (!std::equal(nodes.begin(), nodes.end(), last_asked_.begin(), last_asked_.end())) {
    last_asked_.assign(nodes.begin(), nodes.end());
    std::vector<bool> set(nodes.empty() ? 0 : *std::max_element(nodes.begin(), nodes.end()) + size_t{1});
    for (NodeIndex node : nodes) set[node] = true;
    last_set_ = std::make_shared<const std::vector<bool>>(std::move(set));
  }
  auto [turn, is_new] = turns_.try_emplace(pod->uid, next_turn_);
  if (is_new) ++next_turn_;
  Entry& entry = entries_[turn->second];
  entry = {std::move(pod), unknown ? nullptr : last_set_, entry.watched, false, held};
  if (entries_.size() > capacity_) Remove(entries_.begin()->second.pod->uid);
}

void WaitingPods::Remove(std::string_view uid) {
  auto turn = turns_.find(uid);
  if (turn == turns_.end()) return;
  const uint64_t at = turn->second;  // `uid` may be the entry's own
  turns_.erase(turn);
  entries_.erase(at);
  if (!entries_.empty()) return;
  changed_.clear();
  left_.clear();
  left_before_.clear();
  budgets_changed_ = group_left_ = group_left_before_ = false;
}

WaitingPods::Entry* WaitingPods::Find(std::string_view uid) {
  auto turn = turns_.find(uid);
  return turn == turns_.end() ? nullptr : &entries_.at(turn->second);
}

void WaitingPods::BeginWaking(std::string_view uid) {
  if (Entry* entry = Find(uid)) entry->waking = true;
}

void WaitingPods::EndWaking(std::string_view uid, bool told) {
  Entry* entry = Find(uid);
  if (entry == nullptr || !entry->waking) return;
  entry->waking = false;
  if (told) Remove(uid);
}

WaitingPods::Entry* WaitingPods::Next(uint64_t& turn) {
  auto found = entries_.lower_bound(turn);
  if (found == entries_.end()) return nullptr;
  turn = found->first;
  return &found->second;
}

void WaitingPods::Changed(NodeIndex node) {
  if (!entries_.empty()) changed_.insert(node);
}

void WaitingPods::Remind(size_t count, size_t slots) {
  if (entries_.empty()) return;
  changed_.insert(left_before_.begin(), left_before_.end());
  left_before_ = std::exchange(left_, {});
  budgets_changed_ |= group_left_before_;
  group_left_before_ = std::exchange(group_left_, false);
  for (size_t n = std::min(count, slots); n > 0; --n) {
    next_reminded_ = next_reminded_ + 1 < slots ? next_reminded_ + 1 : 0;
    changed_.insert(next_reminded_);
  }
}

std::vector<NodeIndex> WaitingPods::TakeChanged() {
  std::vector<NodeIndex> nodes(changed_.begin(), changed_.end());
  changed_.clear();
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

void WaitingPods::Leave(const cluster::PlacedPod& pod) {
  if (entries_.empty()) return;
  left_.insert(pod.node);
  group_left_ |= pod.pod->quota != nullptr;
}

}  // namespace huygens::placement
