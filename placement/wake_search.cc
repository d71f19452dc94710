#include "placement/wake_search.h"

#include <algorithm>
#include <utility>

namespace huygens::placement {

namespace {

// So few that a step stays far below a millisecond, even where each node costs as much as predicting kubelet may.
constexpr size_t kNodesPerStep = 16;
// So many are asked whether they fit beside the first.
constexpr size_t kOthers = 8;
// kube-scheduler asks for a pod that it was told of within a second, unless it backs off.
constexpr Duration kLetGoFor = std::chrono::seconds(10);

}  // namespace

bool WakeSearch::Begin(Time now) {
  WaitingPods& waiting = placement_.waiting();
  EndLetGo(now);
  nodes_ = waiting.TakeChanged();
  budgets_changed_ = waiting.TakeBudgetsChanged();
  if (budgets_changed_) others_wait_ = false;
  turn_ = 0;
  next_node_ = 0;
  wakes_.clear();
  return budgets_changed_ || !nodes_.empty();
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
    if (entry->waking || Held(*entry)) {
      NextPod();
      return true;
    }
    anywhere_ = entry->held;
  }
  some_.clear();
  const size_t end = anywhere_ ? placement_.state().NodeSlots() : nodes_.size();
  for (; next_node_ < end && some_.size() < kNodesPerStep; ++next_node_) {
    const NodeIndex node = anywhere_ ? static_cast<NodeIndex>(next_node_) : nodes_[next_node_];
    if (entry->Concerns(node) && placement_.state().GetNode(node) != nullptr) some_.push_back(node);
  }
  const auto fit = some_.empty() ? std::nullopt : placement_.FirstFit(*entry->pod, some_, now);
  if (fit) {
    Found(*entry, *fit, now);
  } else if (next_node_ >= end && anywhere_) {
    // From now on it waits for nodes, unless others of its group were faster meanwhile.
    entry->held = !placement_.CheckQuota(*entry->pod).fits();
  }
  if (fit || next_node_ >= end) NextPod();
  return true;
}

bool WakeSearch::Held(WaitingPods::Entry& entry) {
  const cluster::Pod& pod = *entry.pod;
  if (entry.held && !budgets_changed_) return true;
  if (!placement_.CheckQuota(pod).fits()) return entry.held = true;
  const auto others = pod.quota ? going_.find(pod.quota->group) : going_.end();
  if (others == going_.end() || placement_.CheckQuota(pod, others->second).fits()) return false;
  others_wait_ = true;
  return entry.held = true;
}

void WakeSearch::EndLetGo(Time now) {
  const cluster::State& state = placement_.state();
  bool gave_up = false;
  for (auto pod = let_go_.begin(); pod != let_go_.end();) {
    const auto& [uid, let_go] = *pod;
    const bool placed = state.FindPlaced(uid) != nullptr;
    const auto latest = state.FindPod(uid);
    const bool over = latest ? latest->Terminal() || latest->deleting : let_go.known;
    const bool patient = now >= let_go.since && now - let_go.since < kLetGoFor;
    if (!placed && !over && patient && !placement_.waiting().Waits(uid)) {
      ++pod;
      continue;
    }
    gave_up = gave_up || !placed;
    auto going = going_.find(let_go.group);
    quota::Subtract(going->second, let_go.amounts);
    quota::RemoveZeros(going->second);
    if (going->second.empty()) going_.erase(going);
    pod = let_go_.erase(pod);
  }
  if (gave_up && others_wait_) placement_.waiting().BudgetsChanged();
}

bool WakeSearch::StillWaits(WaitingPods::Entry& entry) const {
  const std::string_view uid = entry.pod->uid;
  const auto latest = placement_.state().FindPod(uid);
  if (!latest) return !entry.watched;
  entry.watched = true;
  return !latest->Terminal() && !latest->deleting && placement_.state().FindPlaced(uid) == nullptr;
}

std::vector<Wake> WakeSearch::TakeWakes(Time now) {
  const size_t gone =
      std::erase_if(wakes_, [&](const Wake& each) { return placement_.state().GetNode(each.node) == nullptr; });
  if (gone > 0) {  // another node may do for the pods found there
    for (NodeIndex node : nodes_) placement_.waiting().Changed(node);
    placement_.waiting().BudgetsChanged();
  }
  for (auto& [node, anywhere, pods] : wakes_) {
    if (anywhere || pods.size() < 2) continue;
    const std::span first(pods.data(), std::min(pods.size(), kOthers + 1));
    if (placement_.TakesAnotherBeside(first, node, now)) continue;
    pods.resize(1);
    placement_.waiting().Changed(node);
  }
  SplitFew();
  std::stable_sort(wakes_.begin(), wakes_.end(), [](const Wake& a, const Wake& b) { return a.node < b.node; });
  return std::exchange(wakes_, {});
}

// Told by its node, kube-scheduler would try all that wait, also those whose groups still hold them back.
void WakeSearch::SplitFew() {
  const auto let_go = std::find_if(wakes_.begin(), wakes_.end(), [](const Wake& each) { return each.anywhere; });
  if (let_go == wakes_.end() || wakes_.size() - 1 + let_go->pods.size() > most_nodes_) return;
  const Wake all = std::move(*let_go);
  wakes_.erase(let_go);
  for (const auto& pod : all.pods) wakes_.push_back({all.node, true, {pod}});
}

void WakeSearch::NextPod() {
  ++turn_;
  next_node_ = 0;
}

void WakeSearch::Found(const WaitingPods::Entry& entry, NodeIndex node, Time now) {
  auto wake = std::find_if(wakes_.begin(), wakes_.end(), [&](const Wake& each) {
    return each.anywhere == anywhere_ && (anywhere_ || each.node == node);
  });
  if (wake == wakes_.end()) {
    if (wakes_.size() == most_nodes_) {
      return anywhere_ ? placement_.waiting().BudgetsChanged() : placement_.waiting().Changed(node);
    }
    wake = wakes_.insert(wake, Wake{node, anywhere_, {}});
  }
  wake->pods.push_back(entry.pod);
  if (!placement_.quota() || !quota::Account::Counts(*entry.pod)) return;
  auto [let_go, is_new] = let_go_.try_emplace(entry.pod->uid);
  if (!is_new) return;  // asked for again during this search
  let_go->second = {entry.pod->quota->group, placement_.quota()->UsageOf(*entry.pod), now, entry.watched};
  quota::Add(going_[let_go->second.group], let_go->second.amounts);
}

}  // namespace huygens::placement
