#include "placement/waiting_pods.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "placement/gang_holds.h"

namespace huygens::placement {
namespace {

auto Amounts(const cluster::Container& container) {
  const auto& status = container.status;
  return std::tuple(container.requests, container.limits, status.has_value(),
                    status ? status->requests : ResourceVector(), status ? status->limits : ResourceVector(),
                    status ? status->allocated : ResourceVector());
}

auto Amounts(const Boxed<cluster::PodResources>& level) {
  return level ? std::pair(level->requests, level->limits) : std::pair(ResourceVector(), ResourceVector());
}

bool SameAmounts(const std::vector<cluster::Container>& a, const std::vector<cluster::Container>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& left, const auto& right) { return Amounts(left) == Amounts(right); });
}

// Whether nobody gains by the change.
bool HoldsTheSame(const cluster::PlacedPod& before, const cluster::PlacedPod& after) {
  const cluster::Pod& a = *before.pod;
  const cluster::Pod& b = *after.pod;
  const bool same_labels = cluster::SameLabels(cluster::QuotaLabelsOf(a), cluster::QuotaLabelsOf(b));
  return a.uid == b.uid && before.node == after.node && before.zones == after.zones && same_labels &&
         a.texts == b.texts && SameAmounts(a.containers, b.containers) &&
         SameAmounts(a.init_containers, b.init_containers) && a.overhead == b.overhead &&
         Amounts(a.pod_level) == Amounts(b.pod_level) && Amounts(a.pod_level_status) == Amounts(b.pod_level_status) &&
         a.pod_level_allocated == b.pod_level_allocated && a.resize_infeasible == b.resize_infeasible &&
         a.cpu_policy == b.cpu_policy && a.smt == b.smt && a.topology_awareness == b.topology_awareness &&
         a.claims == b.claims;
}

// Whether it is the first change noted there. Of two causes both are noted as nobody's.
bool Note(absl::flat_hash_map<NodeIndex, std::string>& nodes, NodeIndex node, std::string_view gang) {
  const auto [noted, is_new] = nodes.try_emplace(node, gang);
  if (!is_new && noted->second != gang) noted->second.clear();
  return is_new;
}

bool Note(std::optional<std::string>& budgets, std::string_view gang) {
  if (!budgets) {
    budgets = gang;
    return true;
  }
  if (*budgets != gang) budgets->clear();
  return false;
}

}  // namespace

void WaitingPods::Add(std::shared_ptr<const cluster::Pod> pod, std::span<const NodeIndex> nodes, bool unknown,
                      ByGroup refused) {
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
  entry = {std::move(pod), unknown ? nullptr : last_set_, entry.watched, false,
           refused.held,   std::move(refused.models)};
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
  last_left_.reset();
  budgets_changed_ = group_left_ = group_left_before_ = std::nullopt;
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

void WaitingPods::Changed(NodeIndex node, std::string_view gang) {
  if (!entries_.empty()) Note(changed_, node, gang);
}

void WaitingPods::BudgetsChanged(std::string_view gang) {
  if (!entries_.empty()) Note(budgets_changed_, gang);
}

void WaitingPods::Remind(size_t count, size_t slots) {
  if (entries_.empty()) return;
  for (const auto& [node, gang] : left_before_) Changed(node, gang);
  left_before_ = std::exchange(left_, {});
  last_left_.reset();
  if (group_left_before_) BudgetsChanged(*group_left_before_);
  group_left_before_ = std::exchange(group_left_, std::nullopt);
  for (size_t n = std::min(count, slots); n > 0; --n) {
    next_reminded_ = next_reminded_ + 1 < slots ? next_reminded_ + 1 : 0;
    Changed(next_reminded_);
  }
}

std::vector<std::pair<NodeIndex, std::string>> WaitingPods::TakeChanged() {
  std::vector<std::pair<NodeIndex, std::string>> nodes(changed_.begin(), changed_.end());
  changed_.clear();
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

void WaitingPods::Leave(const cluster::PlacedPod& pod) {
  if (entries_.empty()) return;
  const std::string gang = pod.pod->Bound() ? std::string() : GangOf(*pod.pod);
  last_left_ = Left{pod, Note(left_, pod.node, gang), false};
  if (cluster::QuotaLabelsOf(*pod.pod)) last_left_->marked_group = Note(group_left_, gang);
}

void WaitingPods::Place(const cluster::PlacedPod& pod) {
  if (entries_.empty()) return;
  const std::optional<Left> last = std::exchange(last_left_, std::nullopt);
  if (!last || !HoldsTheSame(last->pod, pod)) {
    if (pod.pod->claims) BudgetsChanged(pod.pod->Bound() ? std::string() : GangOf(*pod.pod));
    return;
  }
  const Left& left = *last;
  if (left.marked_node) left_.erase(pod.node);
  if (left.marked_group) group_left_.reset();
}

}  // namespace huygens::placement
