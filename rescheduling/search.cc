#include "rescheduling/search.h"

#include <algorithm>

namespace huygens::rescheduling {

namespace {

// What looking at a node or a pod costs, in looks at a slot.
constexpr int64_t kNodeLook = 100;
constexpr int64_t kPodLook = 20;
// A plan with more than a fiftieth of moves too many is made once more.
constexpr size_t kWorthAnother = 50;

}  // namespace

Planner::Search::Search(placement::Placement& placement, const Facts& facts, PlannerOptions options)
    : placement_(placement),
      facts_(facts),
      options_(options),
      draft_(placement.usage()),
      orders_(std::max<size_t>(1, placement.usage().options().resources.size())),
      relief_(placement, facts, draft_, orders_, comfort_, options.comfort),
      zone_relief_(placement, facts, draft_),
      target_(placement, facts, draft_.use(), draft_.planned()) {}

void Planner::Search::Next(Stage stage) {
  stage_ = stage;
  next_ = 0;
  under_way_ = false;
}

void Planner::Search::Begin(Time now, const std::vector<Violation>& rules) {
  rules_.clear();
  for (const Violation& each : rules) rules_.emplace(each.pod_uid, each.what);
  first_.reset();
  comfort_ = 0;
  Reset(now);
}

void Planner::Search::Reset(Time now) {
  // Ceilings that nobody is held to are no violations, nor are those whose figures the check does not trust.
  usage::ResourceMask left_out = placement_.usage().SteppingAside(now) | placement_.usage().ShortHistory();
  if (!placement_.Enforces(&policy::Needs::ceilings)) left_out.set();
  draft_.Reset(now, left_out, placement_.state().NodeSlots());
  found_ = {};
  stuck_.clear();
  least_ = stuck_hot_ = 0;
  began_ = now;
  Next(Stage::kQueue);
}

bool Planner::Search::Step(Time now) {
  int64_t budget = options_.step;
  while (stage_ != Stage::kIdle && budget > 0) Do(budget, now);
  return stage_ != Stage::kIdle;
}

void Planner::Search::Do(int64_t& budget, Time now) {
  switch (stage_) {
    case Stage::kIdle:
      return;
    case Stage::kQueue:
      return TakeInQueue(budget);
    case Stage::kScan:
      return Scan(budget, now);
    case Stage::kOrders:
      if (next_ == orders_.size()) return Next(Stage::kMisplaced);
      orders_[next_].Build(placement_, facts_, draft_.use(), next_);
      ++next_;
      budget = 0;  // it sorts all nodes
      return;
    case Stage::kMisplaced:
      return DoMisplaced(budget, now);
    case Stage::kZones:
      return DoZones(budget, now);
    case Stage::kHot:
      return DoHot(budget, now);
  }
}

// What the moves that wait will have done counts as done.
void Planner::Search::TakeInQueue(int64_t& budget) {
  const cluster::State& state = placement_.state();
  while (next_ < queue.size() && budget > 0) {
    const Move& move = queue[next_];
    const cluster::PlacedPod* placed = state.FindPlaced(move.pod.uid);
    const auto target = state.FindNode(move.target);
    if (placed == nullptr || state.NodeName(placed->node) != move.source || !target) {
      queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(next_));
      continue;
    }
    draft_.Add(std::make_shared<const Leaver>(placement_, placed->pod, placed->node), *target, move.cause, move.clears);
    budget -= static_cast<int64_t>(draft_.use().slots() * draft_.use().resources()) * 4;
    if (AboveCeiling(draft_.use(), *target)) {  // it has filled up since: the pod is planned for anew
      draft_.TakeBack();
      queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(next_));
      continue;
    }
    ++next_;
  }
  if (next_ < queue.size()) return;
  draft_.Settle();
  kept_steps_ = draft_.steps().size();
  Next(Stage::kScan);
}

void Planner::Search::Scan(int64_t& budget, Time now) {
  const size_t nodes = placement_.state().NodeSlots();
  for (; next_ < nodes && budget > 0; ++next_) {
    const auto node = static_cast<NodeIndex>(next_);
    FindViolations(placement_, facts_, rules_, options_.gather_zones, node, now, draft_.use(), found_);
    budget -= kNodeLook + kPodLook * static_cast<int64_t>(placement_.state().PodsOn(node).size());
  }
  if (next_ < nodes) return;
  std::erase_if(found_.pods, [&](const Misplaced& each) { return IsPlanned(each.pod->uid); });
  std::ranges::sort(found_.hot, [](const HotNode& a, const HotNode& b) {
    return a.above != b.above ? a.above > b.above : a.node < b.node;
  });
  hot_nodes_ = found_.hot.size();
  Next(Stage::kOrders);
}

bool Planner::Search::IsPlanned(std::string_view uid) const {
  return std::ranges::any_of(draft_.steps(), [&](const Draft::Step& step) { return step.pod->uid == uid; });
}

size_t Planner::Search::RankBy() const { return 0; }

std::vector<std::shared_ptr<const Leaver>> Planner::Search::Movable(NodeIndex node) const {
  std::vector<std::shared_ptr<const cluster::Pod>> pods;
  for (const cluster::PlacedPod* placed : placement_.state().PodsOn(node)) {
    const cluster::Pod& pod = *placed->pod;
    if (!pod.Bound() || facts_.Leaving(pod) || !facts_.Unmovable(pod).empty()) continue;
    pods.push_back(placed->pod);
  }
  if (draft_.planned().left.contains(node)) std::erase_if(pods, [&](const auto& pod) { return IsPlanned(pod->uid); });
  std::ranges::sort(pods, {}, [](const auto& pod) { return std::tuple(pod->Key(), std::string_view(pod->uid)); });
  std::vector<std::shared_ptr<const Leaver>> leavers;
  leavers.reserve(pods.size());
  for (const auto& pod : pods) leavers.push_back(std::make_shared<const Leaver>(placement_, pod, node));
  return leavers;
}

bool Planner::Search::SearchFor(const std::shared_ptr<const Leaver>& leaver, std::optional<int> max_zones,
                                int64_t& budget, Time now) {
  if (!under_way_) {
    target_.Begin({.pod = leaver->pod,
                   .stand_in = leaver->stand_in,
                   .load = leaver->there.resources() > 0 ? &leaver->there : nullptr,
                   .source = leaver->source,
                   .rank_by = RankBy(),
                   .max_zones = max_zones},
                  orders_[RankBy()]);
    under_way_ = true;
  }
  under_way_ = target_.Advance(budget, now);
  return under_way_;
}

void Planner::Search::DoMisplaced(int64_t& budget, Time now) {
  if (next_ == found_.pods.size()) return Next(Stage::kZones);
  const Misplaced& misplaced = found_.pods[next_];
  if (!under_way_) {
    const std::string_view never = facts_.Unmovable(*misplaced.pod);
    if (!never.empty()) {
      StuckAt(misplaced.node, misplaced.pod.get(), misplaced.cause, never);
      ++next_;
      return;
    }
    leaver_ = std::make_shared<const Leaver>(placement_, misplaced.pod, misplaced.node);
  }
  if (SearchFor(leaver_, misplaced.max_zones, budget, now)) return;
  if (target_.found()) {
    draft_.Add(leaver_, target_.found()->node, misplaced.cause, misplaced.what);
    draft_.Settle();
  } else if (!misplaced.max_zones) {  // else it could only stand better, and does not
    StuckAt(misplaced.node, misplaced.pod.get(), misplaced.cause, "no other node takes it");
  }
  ++next_;
}

void Planner::Search::DoZones(int64_t& budget, Time now) {
  if (next_ == found_.zones.size()) {
    steps_before_pass_ = draft_.steps().size();
    return Next(Stage::kHot);
  }
  const NodeIndex node = found_.zones[next_];
  if (!under_way_) {
    std::vector<std::shared_ptr<const Leaver>> movable = Movable(node);
    std::erase_if(movable, [&](const auto& leaver) {
      const cluster::PlacedPod* placed = placement_.state().FindPlaced(leaver->pod->uid);
      return placed == nullptr || placed->zones.empty();
    });
    budget -= kNodeLook * static_cast<int64_t>(movable.size());
    zone_relief_.Begin(node, std::move(movable), orders_[RankBy()], RankBy());
  }
  under_way_ = zone_relief_.Advance(budget, now);
  if (under_way_) return;
  if (!zone_relief_.cleared()) StuckAt(node, nullptr, Cause::kZones, "no node takes the pods that would have to leave");
  draft_.Settle();
  ++next_;
}

void Planner::Search::DoHot(int64_t& budget, Time now) {
  if (next_ == found_.hot.size()) {
    if (TryAgain()) return Reset(now);
    return End();
  }
  const NodeIndex node = found_.hot[next_].node;
  if (!under_way_) {
    std::vector<std::shared_ptr<const Leaver>> movable = Movable(node);
    budget -= static_cast<int64_t>(draft_.use().slots() * draft_.use().resources() * movable.size()) * 4;
    relief_.Begin(node, std::move(movable));
  }
  under_way_ = relief_.Advance(budget, now);
  if (under_way_) return;
  if (relief_.cleared()) {
    least_ += relief_.least();
  } else {
    StuckAt(node, nullptr, Cause::kCeiling, relief_.why_not());
    ++stuck_hot_;
  }
  draft_.Settle();
  ++next_;
}

void Planner::Search::StuckAt(NodeIndex node, const cluster::Pod* pod, Cause cause, std::string_view reason) {
  Stuck stuck{.node = std::string(placement_.state().NodeName(node)), .cause = cause, .reason = std::string(reason)};
  if (pod != nullptr) stuck.pod = {pod->namespace_name, pod->name, pod->uid};
  stuck_.push_back(std::move(stuck));
}

Move Planner::Search::MoveOf(const Draft::Step& step) {
  const cluster::Pod& pod = *step.pod;
  const cluster::QuotaLabels* quota = cluster::QuotaLabelsOf(pod);
  return {.number = ++last_number_,
          .pod = {pod.namespace_name, pod.name, pod.uid},
          .owner = {pod.owner_kind, pod.owner_name},
          .workload = WorkloadKey(pod),
          .group = quota ? std::string(quota->group) : std::string(),
          .source = pod.node_name,
          .target = std::string(placement_.state().NodeName(step.target)),
          .cause = step.cause,
          .clears = step.clears};
}

bool Planner::Search::TryAgain() {
  if (first_ || options_.comfort == 0) return false;
  const size_t moves = draft_.steps().size() - steps_before_pass_;
  if (stuck_hot_ == 0 && moves <= least_ + least_ / kWorthAnother) return false;
  first_ = {draft_.steps(), stuck_, stuck_hot_};
  comfort_ = options_.comfort;
  return true;
}

void Planner::Search::End() {
  std::vector<Draft::Step> steps = draft_.steps();
  if (first_ && std::pair(first_->stuck_hot, first_->steps.size()) <= std::pair(stuck_hot_, steps.size())) {
    steps = std::move(first_->steps);
    stuck_ = std::move(first_->stuck);
  }
  first_.reset();
  for (size_t i = kept_steps_; i < steps.size(); ++i) {
    const Draft::Step& step = steps[i];
    if (placement_.state().GetNode(step.target) != nullptr) queue.push_back(MoveOf(step));
  }
  std::ranges::sort(stuck_, {},
                    [](const Stuck& each) { return std::tie(each.node, each.pod.namespace_name, each.pod.name); });
  stuck = std::move(stuck_);
  hot_nodes = hot_nodes_;
  draft_.Reset(Time(), {}, 0);
  found_ = {};
  orders_.assign(orders_.size(), {});
  leaver_.reset();
  Next(Stage::kIdle);
}

}  // namespace huygens::rescheduling
