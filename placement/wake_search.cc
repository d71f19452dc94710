#include "placement/wake_search.h"

#include <algorithm>
#include <utility>

namespace huygens::placement {

namespace {

// So few that a step stays far below a millisecond, even where each node costs as much as predicting kubelet may.
constexpr size_t kNodesPerStep = 16;
// So many are asked in vain whether they fit beside the first.
constexpr size_t kOthers = 8;
// kube-scheduler asks for a pod that it was told of within a second, unless it backs off.
constexpr Duration kLetGoFor = std::chrono::seconds(10);

// Told by its node, kube-scheduler would try all that wait, also those whose groups still hold them back.
void SplitFew(std::vector<Wake>& wakes, size_t most) {
  const auto let_go = std::find_if(wakes.begin(), wakes.end(), [](const Wake& each) { return each.anywhere; });
  if (let_go == wakes.end() || wakes.size() - 1 + let_go->pods.size() > most) return;
  const Wake all = std::move(*let_go);
  wakes.erase(let_go);
  for (const auto& pod : all.pods) wakes.push_back({all.node, true, {pod}});
}

bool GrowsAtPodLevel(const cluster::Pod& pod) {
  if (!pod.pod_level || !pod.pod_level_status) return false;
  for (const auto& [resource, asked] : pod.pod_level->requests) {
    const int64_t in_force = pod.pod_level_status->requests.Get(resource);
    if (asked > std::max(in_force, pod.pod_level_allocated.Get(resource))) return true;
  }
  return false;
}

// kube-scheduler asks about a bound pod that is to grow in place (Kubernetes 1.37), until kubelet has given it what it
// asks. Where it saw a pod leave before huygens did, its question came too soon.
bool WaitsForResize(const cluster::Pod& pod) {
  if (!pod.Bound() || pod.resize_infeasible) return false;
  const auto pending = [](const cluster::Container& container) { return bool{container.status}; };
  const auto sidecar_pending = [&](const auto& container) { return container.restartable && pending(container); };
  return std::ranges::any_of(pod.containers, pending) || std::ranges::any_of(pod.init_containers, sidecar_pending) ||
         GrowsAtPodLevel(pod);
}

}  // namespace

bool WakeSearch::Begin(Time now) {
  WaitingPods& waiting = placement_.waiting();
  EndLetGo(now);
  nodes_.clear();
  let_go_by_.clear();
  for (auto& [node, gang] : waiting.TakeChanged()) {
    nodes_.push_back(node);
    if (!gang.empty()) let_go_by_.emplace(node, std::move(gang));
  }
  budgets_changed_ = waiting.TakeBudgetsChanged();
  if (budgets_changed_) others_wait_ = false;
  turn_ = 0;
  next_node_ = 0;
  sent_by_.clear();
  gains_.clear();
  kept_from_ = nodes_.size();
  return budgets_changed_.has_value() || !nodes_.empty();
}

bool WakeSearch::Step(Time now) {
  WaitingPods& waiting = placement_.waiting();
  const uint64_t turn = turn_;
  WaitingPods::Entry* entry = waiting.Next(turn_);
  if (entry == nullptr) return false;
  if (turn_ != turn) {  // the pod whose turn it was does not wait any more
    next_node_ = 0;
    sent_by_.clear();
  }
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
    if (one_by_one_ && entry->held && Writes() == most_nodes_) {  // no write is left for it this time
      waiting.BudgetsChanged();
      NextPod();
      return true;
    }
    anywhere_ = entry->held || LetOnMoreModels(*entry);
  }
  some_.clear();
  const size_t end = anywhere_ ? placement_.state().NodeSlots() : kept_from_;
  for (; next_node_ < end && some_.size() < kNodesPerStep; ++next_node_) {
    const NodeIndex node = anywhere_ ? static_cast<NodeIndex>(next_node_) : nodes_[next_node_];
    if (!entry->Concerns(node) || placement_.state().GetNode(node) == nullptr || IsOfOwnGang(*entry, node)) continue;
    const Gain* gain = IsAnywhere(*entry, node) ? nullptr : FindGain(node, false);
    (gain != nullptr && gain->SpokenFor() ? sent_by_ : some_).push_back(node);
  }
  static const quota::Amounts kNone;
  const quota::Amounts* others = OthersOf(*entry->pod);
  const auto fit =
      some_.empty() ? std::nullopt : placement_.FirstFit(*entry->pod, some_, now, others ? *others : kNone);
  if (fit && !IsAnywhere(*entry, *fit) && !TakesBeside(entry->pod, *fit, now)) {
    sent_by_.push_back(*fit);
    next_node_ = (anywhere_ ? *fit : Position(*fit)) + 1;
    return true;
  }
  if (fit) {
    Found(*entry, *fit, now);
  } else if (next_node_ >= end) {
    // From now on it waits for nodes, unless others of its group were faster meanwhile.
    if (entry->held) entry->held = !placement_.GroupLets(*entry->pod);
    entry->models = placement_.RefusedModels(*entry->pod, others ? *others : kNone);
    others_wait_ = others_wait_ || (others && !entry->models.empty());
    KeepNodes(anywhere_ ? kept_from_ : end);
  }
  if (fit || next_node_ >= end) NextPod();
  return true;
}

bool WakeSearch::BudgetsChangedFor(const cluster::Pod& pod) const {
  return budgets_changed_ && (budgets_changed_->empty() || *budgets_changed_ != GangOf(pod));
}

bool WakeSearch::Held(WaitingPods::Entry& entry) {
  const cluster::Pod& pod = *entry.pod;
  if (entry.held && !BudgetsChangedFor(pod)) return true;
  if (!placement_.GroupLets(pod)) return entry.held = true;
  const quota::Amounts* others = OthersOf(pod);
  if (!others || placement_.GroupLets(pod, *others)) return false;
  others_wait_ = true;
  return entry.held = true;
}

bool WakeSearch::LetOnMoreModels(WaitingPods::Entry& entry) {
  if (!BudgetsChangedFor(*entry.pod) || entry.models.empty()) return false;
  static const quota::Amounts kNone;
  const quota::Amounts* others = OthersOf(*entry.pod);
  const std::vector<uint32_t> before =
      std::exchange(entry.models, placement_.RefusedModels(*entry.pod, others ? *others : kNone));
  others_wait_ = others_wait_ || (others && !entry.models.empty());
  return !std::ranges::includes(entry.models, before);
}

bool WakeSearch::IsOfOwnGang(const WaitingPods::Entry& entry, NodeIndex node) const {
  if (anywhere_ || entry.pod->scheduling_group.empty()) return false;
  const auto gang = let_go_by_.find(node);
  return gang != let_go_by_.end() && gang->second == GangOf(*entry.pod);
}

void WakeSearch::LookAgain(NodeIndex node) {
  const auto gang = let_go_by_.find(node);
  placement_.waiting().Changed(node, gang == let_go_by_.end() ? std::string_view() : gang->second);
}

bool WakeSearch::IsAnywhere(const WaitingPods::Entry& entry, NodeIndex node) const {
  return anywhere_ && (entry.held || !std::ranges::binary_search(nodes_, node));
}

const quota::Amounts* WakeSearch::OthersOf(const cluster::Pod& pod) const {
  const auto others = quota::Account::Counts(pod) ? going_.find(cluster::QuotaLabelsOf(pod)->group) : going_.end();
  return others == going_.end() ? nullptr : &others->second;
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
  if (latest->Terminal() || latest->deleting) return false;
  return placement_.state().FindPlaced(uid) == nullptr || WaitsForResize(*latest);
}

std::vector<Wake> WakeSearch::TakeWakes() {
  WaitingPods& waiting = placement_.waiting();
  std::vector<Wake> wakes;
  for (Gain& gain : std::exchange(gains_, {})) {
    if (placement_.state().GetNode(gain.wake.node) == nullptr) {  // another node may do for the pods found there
      kept_from_ = 0;
      waiting.BudgetsChanged();
      continue;
    }
    // Told by its node, kube-scheduler tries those that were sent on as well.
    if (gain.wanted && gain.wake.pods.size() == 1) LookAgain(gain.wake.node);
    wakes.push_back(std::move(gain.wake));
  }
  for (; kept_from_ < nodes_.size(); ++kept_from_) LookAgain(nodes_[kept_from_]);
  SplitFew(wakes, most_nodes_);
  std::stable_sort(wakes.begin(), wakes.end(), [](const Wake& a, const Wake& b) { return a.node < b.node; });
  return wakes;
}

void WakeSearch::NextPod() {
  ++turn_;
  next_node_ = 0;
  sent_by_.clear();
}

bool WakeSearch::Gain::SpokenFor() const { return wake.pods.size() == 1 && sent_on == kOthers; }

size_t WakeSearch::Writes() {
  const Gain* anywhere = one_by_one_ ? FindGain(0, true) : nullptr;
  return gains_.size() + (anywhere == nullptr ? 0 : anywhere->wake.pods.size() - 1);
}

WakeSearch::Gain* WakeSearch::FindGain(NodeIndex node, bool anywhere) {
  auto gain = std::find_if(gains_.begin(), gains_.end(), [&](const Gain& each) {
    return each.wake.anywhere == anywhere && (anywhere || each.wake.node == node);
  });
  return gain == gains_.end() ? nullptr : &*gain;
}

bool WakeSearch::TakesBeside(const std::shared_ptr<const cluster::Pod>& pod, NodeIndex node, Time now) {
  Gain* gain = FindGain(node, false);
  if (gain == nullptr || gain->wake.pods.size() > 1) return true;
  const std::shared_ptr<const cluster::Pod> pods[] = {gain->wake.pods.front(), pod};
  if (placement_.FitsTogether(pods, node, now)) return true;
  ++gain->sent_on;
  return false;
}

void WakeSearch::KeepNodes(size_t position) {
  kept_from_ = std::min(kept_from_, position);
  for (NodeIndex node : sent_by_) FindGain(node, false)->wanted = true;
}

size_t WakeSearch::Position(NodeIndex node) const {
  return static_cast<size_t>(std::lower_bound(nodes_.begin(), nodes_.end(), node) - nodes_.begin());
}

void WakeSearch::Found(WaitingPods::Entry& entry, NodeIndex node, Time now) {
  const bool anywhere = IsAnywhere(entry, node);
  Gain* gain = FindGain(node, anywhere);
  if (anywhere) entry.held = true;  // should nobody be told after all, it is looked for everywhere again
  const bool another_write = gain == nullptr || (anywhere && one_by_one_);
  if (another_write && Writes() == most_nodes_) {
    return anywhere ? placement_.waiting().BudgetsChanged() : KeepNodes(Position(node));
  }
  if (gain == nullptr) gain = &gains_.emplace_back(Gain{{node, anywhere, {}}});
  gain->wake.pods.push_back(entry.pod);
  if (!placement_.quota() || !quota::Account::Counts(*entry.pod)) return;
  if (placement_.state().FindPlaced(entry.pod->uid) != nullptr) return;  // its group is charged already
  auto [let_go, is_new] = let_go_.try_emplace(entry.pod->uid);
  if (!is_new) return;  // asked for again during this search
  let_go->second = {cluster::QuotaLabelsOf(*entry.pod)->group, placement_.quota()->UsageOn(*entry.pod, node), now,
                    entry.watched};
  quota::Add(going_[let_go->second.group], let_go->second.amounts);
}

}  // namespace huygens::placement
