#include "rescheduling/target_search.h"

#include <algorithm>

#include "usage/workload.h"

namespace huygens::rescheduling {

namespace {

// What the parts of a search cost, in looks at a slot.
constexpr int64_t kGlance = 50;
constexpr int64_t kChecks = 4000;

float ShareOf(int64_t amount, int64_t capacity) {
  return capacity > 0 ? static_cast<float>(static_cast<double>(amount) / static_cast<double>(capacity)) : 0;
}

}  // namespace

void NodesByShare::Build(const placement::Placement& placement, const Facts& facts, const PlannedUse& use,
                         size_t resource) {
  entries_.clear();
  const cluster::State& state = placement.state();
  entries_.reserve(state.NodeCount());
  for (NodeIndex node = 0; node < state.NodeSlots(); ++node) {
    if (state.GetNode(node) == nullptr || !facts.IsOpen(node)) continue;
    if (use.resources() > 0 && !use.Fresh(node)) continue;
    const float share = use.resources() > 0 ? ShareOf(use.Peak(node, resource), use.Capacity(node, resource)) : 0.0F;
    entries_.push_back({share, node});
  }
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
    return a.share != b.share ? a.share < b.share : a.node < b.node;
  });
}

void TargetSearch::Begin(TargetWanted wanted, const NodesByShare& order) {
  Want(std::move(wanted));
  order_ = &order;
  next_ = 0;
  comfortable_ = 0;
  const auto& entries = order.entries();
  if (wanted_.comfort > 0 && wanted_.load != nullptr) {
    while (comfortable_ < entries.size() && IsComfortable(entries[comfortable_].node, entries[comfortable_].share))
      ++comfortable_;
  }
  workload_ = usage::WorkloadOf(*wanted_.stand_in);
  open_ = {};
  found_.reset();
  any_room_ = false;
}

bool TargetSearch::Takes(TargetWanted wanted, NodeIndex node, Time now) {
  Want(std::move(wanted));
  return Allowed(node) && Passes(node, now);
}

void TargetSearch::Want(TargetWanted wanted) {
  wanted_ = std::move(wanted);
  models_.reset();
  const quota::Account* quota = placement_.quota();
  if (quota != nullptr && wanted_.pod->quota) {
    models_ = quota->models().Wanted(*wanted_.pod->quota);
    if (!models_->Any()) models_.reset();
  }
}

bool TargetSearch::Allowed(NodeIndex node) const {
  return node != wanted_.source && !planned_.left.contains(node) && (!models_ || models_->Accept(node)) &&
         placement_.state().GetNode(node) != nullptr;
}

std::optional<float> TargetSearch::Share(NodeIndex node, bool exact) const {
  if (wanted_.load == nullptr) return 0.0F;
  float share = 0;
  for (size_t r = 0; r < use_.resources(); ++r) {
    const std::optional<int64_t> limit = use_.Limit(node, r);
    if (!limit && r != wanted_.rank_by) continue;
    const int64_t peak = exact ? use_.PeakWith(node, r, *wanted_.load) : use_.LikelyPeakWith(node, r, *wanted_.load);
    if (limit && peak > *limit) return std::nullopt;
    if (r == wanted_.rank_by) share = ShareOf(peak, use_.Capacity(node, r));
  }
  return share;
}

bool TargetSearch::Passes(NodeIndex node, Time now) {
  const auto arrivals = planned_.arrivals.find(node);
  std::span<const std::shared_ptr<const cluster::Pod>> others;
  if (arrivals != planned_.arrivals.end()) others = arrivals->second;
  if (!facts_.MayTakeBeside(*wanted_.pod, node, others)) return false;
  const quota::Account* quota = placement_.quota();
  if (quota != nullptr && wanted_.pod->quota && quota::Account::Counts(*wanted_.pod) &&
      quota->UsageOn(*wanted_.pod, node) != quota->UsageOn(*wanted_.pod, wanted_.source)) {
    // Another model's budget pays there: that of the group as a whole pays already.
    auto charged = std::make_shared<cluster::Pod>(*wanted_.stand_in);
    charged->quota = wanted_.pod->quota;
    const quota::VerdictsByModel by_model = placement_.CheckQuotaByModel(*charged);
    if (by_model.On(node) != nullptr) return false;
  }
  if (wanted_.max_zones) {
    const topology::NodeZones& zones = placement_.Zones(node);
    const auto prepared = zones.Prepare(*wanted_.stand_in);
    std::optional<topology::ZoneSet> taken;
    if (prepared) zones.ZonesTaken(*prepared, {&node, 1}, now, {&taken, 1});
    if (!taken || taken->count == 0 || taken->count > *wanted_.max_zones) return false;
  }
  return placement_.TakesBeside(*wanted_.stand_in, node, others, now);
}

bool TargetSearch::IsComfortable(NodeIndex node, float share) const {
  const std::optional<int64_t> limit = use_.Limit(node, wanted_.rank_by);
  const int64_t capacity = use_.Capacity(node, wanted_.rank_by);
  if (!limit || capacity == 0) return false;
  const double comfortable = static_cast<double>(*limit) * static_cast<double>(wanted_.comfort) / usage::kMillion;
  return static_cast<double>(share) * static_cast<double>(capacity) <= comfortable;
}

bool TargetSearch::AdvanceComfortable(int64_t& budget, Time now) {
  const auto& entries = order_->entries();
  while (comfortable_ > 0 && budget > 0) {
    const NodeIndex node = entries[--comfortable_].node;
    budget -= kGlance;
    if (!Allowed(node)) continue;
    std::optional<float> share = Share(node, false);
    if (!share || !IsComfortable(node, *share)) continue;
    budget -= static_cast<int64_t>(use_.slots() * use_.resources());
    share = Share(node, true);
    if (!share || !IsComfortable(node, *share)) continue;
    any_room_ = true;
    budget -= kChecks;
    if (!Passes(node, now)) continue;
    found_ = Target{node, *share};
    return false;
  }
  return true;
}

bool TargetSearch::IsKnownToFail() {
  if (wanted_.load == nullptr) return false;
  const auto known = planned_.nowhere.find(workload_);
  if (known == planned_.nowhere.end()) return false;
  for (size_t r = 0; r < wanted_.load->resources(); ++r) {
    if (wanted_.load->peak(r) < known->second[r]) return false;
  }
  return true;
}

bool TargetSearch::Advance(int64_t& budget, Time now) {
  if (next_ == 0 && open_.empty() && IsKnownToFail()) return false;
  if (!AdvanceComfortable(budget, now)) return false;
  const auto& entries = order_->entries();
  while (budget > 0) {
    const bool more = next_ < entries.size();
    if (!open_.empty() && (!more || open_.top().share <= entries[next_].share)) {
      const Candidate best = open_.top();
      open_.pop();
      if (!best.exact) {
        budget -= static_cast<int64_t>(use_.slots() * use_.resources());
        const std::optional<float> share = Share(best.node, true);
        if (share) open_.push({*share, best.node, true});
        continue;
      }
      any_room_ = true;
      budget -= kChecks;
      if (!Passes(best.node, now)) continue;
      found_ = Target{best.node, best.share};
      return false;
    }
    if (!more) {
      if (any_room_ || !wanted_.source_is_hot || models_) return false;
      std::vector<int64_t>& peaks = planned_.nowhere[workload_];
      peaks.clear();
      for (size_t r = 0; r < wanted_.load->resources(); ++r) peaks.push_back(wanted_.load->peak(r));
      return false;
    }
    const NodeIndex node = entries[next_++].node;
    budget -= kGlance;
    if (!Allowed(node)) continue;
    const std::optional<float> share = Share(node, false);
    if (share) open_.push({*share, node, wanted_.load == nullptr});
  }
  return true;
}

}  // namespace huygens::rescheduling
