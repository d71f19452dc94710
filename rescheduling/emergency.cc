#include "rescheduling/emergency.h"

#include <algorithm>

namespace huygens::rescheduling {

namespace {

int64_t Mark(int64_t capacity, int64_t millionths) {
  return capacity / usage::kMillion * millionths + capacity % usage::kMillion * millionths / usage::kMillion;
}

constexpr int64_t kChoice = 2000;  // what weighing a pod costs, in looks at a slot

}  // namespace

// The facts, and besides that a node stays below the low mark right now.
class Emergency::Calm final : public Facts {
 public:
  explicit Calm(Emergency& emergency) : emergency_(emergency) {}
  Time now{};
  int64_t adds = 0;  // the pod that is searched for, now

  std::string_view Unmovable(const cluster::Pod& pod) const override { return emergency_.facts_.Unmovable(pod); }
  bool MayLeave(NodeIndex node) const override { return emergency_.facts_.MayLeave(node); }
  bool IsOpen(NodeIndex node) const override { return emergency_.facts_.IsOpen(node); }
  bool Leaving(const cluster::Pod& pod) const override { return emergency_.facts_.Leaving(pod); }
  bool MayTakeBeside(const cluster::Pod& pod, NodeIndex node,
                     std::span<const std::shared_ptr<const cluster::Pod>> arrivals) const override {
    const usage::NodeUse use = emergency_.placement_.usage().Use(node, *emergency_.cpu_, now);
    if (!use.now_measured) return false;
    int64_t expected = use.now + adds;
    const auto on_its_way = [&](const cluster::Pod& other) {
      const Load load(emergency_.placement_.usage().DemandOf(other), emergency_.placement_.options().usage);
      expected += emergency_.NowOf(load, now);
    };
    for (const auto& each : arrivals) on_its_way(*each);
    // Held for replacements, or just come: what was measured does not know of them.
    for (const cluster::PlacedPod* placed : emergency_.placement_.state().PodsOn(node)) {
      const cluster::Pod& other = *placed->pod;
      if (!other.Bound() || (other.start_time && *other.start_time >= *use.now_measured)) on_its_way(other);
    }
    return expected <= Mark(use.capacity, emergency_.options_.low) &&
           emergency_.facts_.MayTakeBeside(pod, node, arrivals);
  }

 private:
  Emergency& emergency_;
};

Emergency::Emergency(placement::Placement& placement, const Facts& facts, EmergencyOptions options)
    : placement_(placement),
      facts_(facts),
      options_(options),
      use_(placement.usage()),
      calm_(std::make_unique<Calm>(*this)),
      search_(placement, *calm_, use_, planned_) {
  const auto& resources = placement.usage().options().resources;
  for (size_t r = 0; r < resources.size() && !cpu_; ++r) {
    if (resources[r].resource == kCpu) cpu_ = r;
  }
}
Emergency::~Emergency() = default;

void Emergency::Poll(Time now) {
  if (!cpu_) return;
  const cluster::State& state = placement_.state();
  std::map<std::string, Water, std::less<>> water;
  for (NodeIndex node = 0; node < state.NodeSlots(); ++node) {
    if (state.GetNode(node) == nullptr) continue;
    const usage::NodeUse use = placement_.usage().Use(node, *cpu_, now);
    if (!use.now_measured || use.capacity == 0) continue;
    const auto before = water_.find(state.NodeName(node));
    Water next = before == water_.end() ? Water() : before->second;
    if (next.above == 0 && !next.acts && use.now <= Mark(use.capacity, options_.high)) continue;
    if (*use.now_measured > next.measured) {  // the same figures say nothing new
      next.measured = *use.now_measured;
      next.above = use.now > Mark(use.capacity, options_.high) ? next.above + 1 : 0;
      if (next.above >= options_.polls) next.acts = true;
      if (use.now < Mark(use.capacity, options_.low)) next.acts = false;
    }
    if (next.above > 0 || next.acts) water.emplace(state.NodeName(node), next);
  }
  water_ = std::move(water);
}

std::vector<std::string> Emergency::acting() const {
  std::vector<std::string> names;
  for (const auto& [name, water] : water_) {
    if (water.acts) names.push_back(name);
  }
  return names;
}

bool Emergency::Acts(std::string_view node) const {
  const auto found = water_.find(node);
  return found != water_.end() && found->second.acts;
}

int64_t Emergency::NowOf(const Load& load, Time now) const {
  if (load.resources() <= *cpu_) return 0;
  const usage::Options& options = use_.options();
  const size_t slots = use_.slots();
  return load.At(*cpu_, slots == 1 ? 0 : usage::SlotOfWeek(usage::SlotAt(now, options.slot), slots));
}

int64_t Emergency::Leaving(NodeIndex node, Time now) const {
  int64_t leaving = 0;
  for (const cluster::PlacedPod* placed : placement_.state().PodsOn(node)) {
    if (!facts_.Leaving(*placed->pod)) continue;
    const auto demand = placement_.usage().DemandOn(node, *placed->pod);
    if (demand) leaving += NowOf(Load(*demand, use_.options()), now);
  }
  return leaving;
}

bool Emergency::Begin(Time now) {
  moves_.clear();
  helpless_.clear();
  hot_.clear();
  next_ = 0;
  listed_ = searching_ = false;
  const cluster::State& state = placement_.state();
  for (const auto& [name, water] : water_) {
    const auto node = state.FindNode(name);
    if (!water.acts || !node || !facts_.MayLeave(*node)) continue;
    const usage::NodeUse use = placement_.usage().Use(*node, *cpu_, now);
    if (!use.now_measured || use.capacity == 0) continue;  // it may be over by now
    const int64_t excess = use.now - Leaving(*node, now) - Mark(use.capacity, options_.low);
    if (excess < 0) continue;
    hot_.push_back({*node, excess, static_cast<double>(use.now) / static_cast<double>(use.capacity)});
  }
  if (hot_.empty()) return false;
  std::ranges::stable_sort(hot_, std::greater<>(), &Hot::share);
  planned_ = {};
  for (const Hot& each : hot_) planned_.left.insert(each.node);
  use_.Reset(now, placement_.usage().SteppingAside(now) | placement_.usage().ShortHistory(), state.NodeSlots());
  calm_->now = now;
  order_.Build(placement_, facts_, use_, *cpu_);
  return true;
}

void Emergency::ListChoices(Time now) {
  const Hot& hot = hot_[next_];
  choices_.clear();
  for (const cluster::PlacedPod* placed : placement_.state().PodsOn(hot.node)) {
    const cluster::Pod& pod = *placed->pod;
    if (!pod.Bound() || facts_.Leaving(pod) || !facts_.Unmovable(pod).empty()) continue;
    auto stand_in = StandIn(pod);
    Load load(placement_.usage().DemandOf(*stand_in), use_.options());
    const int64_t uses = NowOf(load, now);
    if (uses > 0) choices_.push_back({placed->pod, std::move(stand_in), std::move(load), uses});
  }
  // Who is enough alone comes first, the smallest in front; of the others the largest.
  std::ranges::sort(choices_, [&](const Choice& a, const Choice& b) {
    const bool a_enough = a.now > hot.excess, b_enough = b.now > hot.excess;
    if (a_enough != b_enough) return a_enough;
    if (a.now != b.now) return a_enough ? a.now < b.now : a.now > b.now;
    return std::pair(a.pod->Key(), std::string_view(a.pod->uid)) <
           std::pair(b.pod->Key(), std::string_view(b.pod->uid));
  });
  choice_ = 0;
  listed_ = true;
}

bool Emergency::Step(Time now) {
  const cluster::State& state = placement_.state();
  int64_t budget = options_.step;
  while (budget > 0 && next_ < hot_.size()) {
    if (!listed_) {
      ListChoices(now);
      budget -= kChoice * static_cast<int64_t>(choices_.size());
      continue;
    }
    const NodeIndex node = hot_[next_].node;
    if (choice_ == choices_.size()) {
      helpless_.emplace_back(state.NodeName(node));
      ++next_;
      listed_ = false;
      continue;
    }
    const Choice& choice = choices_[choice_];
    if (!searching_) {
      calm_->adds = choice.now;
      search_.Begin(
          {.pod = choice.pod, .stand_in = choice.stand_in, .load = &choice.load, .source = node, .rank_by = *cpu_},
          order_);
    }
    searching_ = search_.Advance(budget, now);
    if (searching_) break;
    ++choice_;
    if (!search_.found()) continue;
    const NodeIndex target = search_.found()->node;
    const cluster::Pod& pod = *choice.pod;
    const cluster::QuotaLabels* quota = cluster::QuotaLabelsOf(pod);
    moves_.push_back({.number = ++last_number_,
                      .pod = {pod.namespace_name, pod.name, pod.uid},
                      .owner = {pod.owner_kind, pod.owner_name},
                      .workload = WorkloadKey(pod),
                      .group = quota ? std::string(quota->group) : std::string(),
                      .source = pod.node_name,
                      .target = std::string(state.NodeName(target)),
                      .cause = Cause::kEmergency,
                      .clears = "cpu above the high water mark"});
    use_.Change(target, choice.load, 1);
    planned_.arrivals[target].push_back(choice.stand_in);
    ++next_;
    listed_ = false;
  }
  if (next_ < hot_.size()) return true;
  choices_.clear();
  return false;
}

}  // namespace huygens::rescheduling
