// The questions that an Account answers.
#include <algorithm>
#include <array>
#include <limits>

#include "usage/account.h"
#include "usage/estimate.h"
#include "usage/workload.h"

namespace huygens::usage {

MetricState Account::State(NodeIndex node, size_t resource, Time now) const {
  return node < nodes_.size() ? StateOf(node, resource, now) : MetricState::kAbsent;
}

const Account::Freshness& Account::FreshnessAt(Time now) const {
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  if (freshness_ && freshness_->at == second) return *freshness_;
  int64_t nodes = 0;
  std::array<int64_t, kMaxResources> stale{};
  Time until = now + options_.stale_after;
  for (NodeIndex node = 0; node < nodes_.size(); ++node) {
    nodes += nodes_[node].name.empty() ? 0 : 1;
    for (size_t r = 0; r < resources_.size(); ++r) {
      if (!ceilings_.IsLimited(node, r)) continue;
      if (StateOf(node, r, now) == MetricState::kFresh) {
        if (ceilings_.IsStale(node, r)) ceilings_.SetFresh(node, r, Left(At(node, r)));
        until = std::min(until, LastMeasured(node, r) + options_.stale_after);
      } else {
        ceilings_.SetStale(node, r);
        ++stale[r];
      }
    }
  }
  freshness_ = {.at = second, .aside = {}, .share = 0, .from = now, .until = until};
  for (size_t r = 0; r < resources_.size(); ++r) {
    const int64_t share = nodes == 0 ? 0 : stale[r] * kMillion / nodes;
    freshness_->aside[r] = share > options_.max_stale_nodes;
    freshness_->share = std::max(freshness_->share, share);
  }
  return *freshness_;
}

std::vector<NodeIndex> Account::TakeRelieved() {
  std::vector<NodeIndex> relieved;
  for (NodeIndex node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].relieved) relieved.push_back(node);
    nodes_[node].relieved = false;
  }
  return relieved;
}

Duration Account::HistoryOf(size_t resource) const {
  return static_cast<int64_t>(resources_[resource].covered.seen()) * options_.slot;
}

ResourceMask Account::ShortHistory() const {
  ResourceMask mask;
  const Duration enough = std::min(options_.min_history, static_cast<int64_t>(options_.slots) * options_.slot);
  for (size_t r = 0; r < resources_.size(); ++r) mask[r] = HistoryOf(r) < enough;
  return mask;
}

Demand Account::DemandOf(const cluster::Pod& pod) const {
  const History* history = workloads_.Find(WorkloadOf(pod));
  Demand demand;
  demand.resources.reserve(resources_.size());
  for (size_t r = 0; r < resources_.size(); ++r) {
    const Curve* curve = history ? &history->resources[r].curve : nullptr;
    demand.resources.push_back(usage::DemandOf(Profile(curve, EstimateOf(pod, options_.resources[r].resource), day_)));
  }
  ceilings_.Remember(demand);
  return demand;
}

std::optional<Demand> Account::DemandOn(NodeIndex node, const cluster::Pod& pod) const {
  if (node >= nodes_.size()) return std::nullopt;
  const auto& pods = nodes_[node].pods;
  const auto here = std::ranges::find_if(pods, [&](const PodHere& each) { return each.pod.get() == &pod; });
  if (here == pods.end()) return std::nullopt;
  Demand demand;
  demand.resources.reserve(resources_.size());
  for (size_t r = 0; r < resources_.size(); ++r) {
    demand.resources.push_back(usage::DemandOf(ProfileOf(node, *here, r)));
  }
  return demand;
}

Account::CeilingQuery::CeilingQuery(const Account& account, const Demand& demand, const Known& known, Time now,
                                    ResourceMask left_out)
    : account_(account),
      demand_(demand),
      known_(known),
      now_(now),
      left_out_(left_out),
      index_(account.ceilings_, demand, known, left_out,
             account.FreshnessAt(now).HoldsAt(now) ? account.nodes_.size() : 0) {}

Verdict Account::CeilingQuery::Evaluate(NodeIndex node) const {
  Verdict worst = Verdict::kFits;
  if (node >= account_.nodes_.size()) return worst;
  for (size_t r = 0; r < demand_.resources.size(); ++r) {
    const Sum& sum = account_.At(node, r);
    if (sum.limit == kNoLimit || left_out_[r]) continue;
    const MetricState state = account_.StateOf(node, r, now_);
    worst =
        std::max(worst, state == MetricState::kFresh ? account_.JudgeUse(node, r, demand_, known_)
                                                     : account_.JudgeByRequests(sum, r, demand_.resources[r], state));
  }
  return worst;
}

Verdict Account::Judge(NodeIndex node, const Demand& demand, Time now, ResourceMask left_out) const {
  const Known known = Find(demand);
  const CeilingQuery query(*this, demand, known, now, left_out);
  const bool fits = query.NextUndecided({&node, 1}, 0, [](size_t) { return false; }) == 1;
  return fits ? Verdict::kFits : query.Evaluate(node);
}

// The peak of the week with the pod may be the ceiling, no more. Where both peaks together stay below it, slots need not
// be looked at.
Verdict Account::JudgeUse(NodeIndex node, size_t resource, const Demand& demand, const Known& known) const {
  const Sum& sum = At(node, resource);
  const ResourceDemand& added = demand.resources[resource];
  if (added.peak <= Left(sum)) return Verdict::kFits;
  if (ceilings_.FitsByCurve(node, resource, demand, known, sum.usage, sum.limit)) return Verdict::kFits;
  return FitsAlone(node, resource, added) ? Verdict::kOverCeiling : Verdict::kNeverFits;
}

Verdict Account::JudgeByRequests(const Sum& sum, size_t resource, const ResourceDemand& demand,
                                 MetricState state) const {
  const ResourceOptions& options = options_.resources[resource];
  switch (state == MetricState::kStale ? options.when_stale : options.when_absent) {
    case WhenUnknown::kPass:
      return Verdict::kFits;
    case WhenUnknown::kReject:
      return Verdict::kUnknown;
    case WhenUnknown::kUseRequests:
      break;
  }
  if (sum.usage.estimates() + demand.estimate <= sum.limit) return Verdict::kFits;
  return demand.estimate <= sum.limit ? Verdict::kOverCeiling : Verdict::kNeverFits;
}

// Whether the pod would fit if it were the only one.
bool Account::FitsAlone(NodeIndex node, size_t resource, const ResourceDemand& demand) const {
  const int64_t limit = At(node, resource).limit;
  const Profile system = SystemProfile(node, resource);
  if (demand.peak + system.peak() <= limit) return true;
  if (options_.estimator == Estimator::kSumOfPeaks || system.flat()) return false;
  for (size_t slot = 0; slot < options_.slots; ++slot) {
    if (demand.At(slot) + system.At(slot) > limit) return false;
  }
  return true;
}

int64_t Account::Predicted(const Sum& sum) const {
  return options_.estimator == Estimator::kSumOfPeaks ? sum.usage.sum_of_peaks() : sum.usage.peak_of_sum();
}

float Account::Share(NodeIndex node, size_t resource, const Demand& demand, Time now) const {
  if (node >= nodes_.size() || At(node, resource).capacity == 0) return std::numeric_limits<float>::quiet_NaN();
  const Sum& sum = At(node, resource);
  const ResourceDemand& added = demand.resources[resource];
  int64_t use = 0;
  if (StateOf(node, resource, now) != MetricState::kFresh) {
    use = sum.usage.estimates() + added.estimate;
  } else if (options_.estimator == Estimator::kSumOfPeaks) {
    use = sum.usage.sum_of_peaks() + added.peak;
  } else {
    use = sum.usage.LikelyPeak(added);
  }
  return static_cast<float>(static_cast<double>(use) / static_cast<double>(sum.capacity));
}

NodeUse Account::Use(NodeIndex node, size_t resource, Time now) const {
  NodeUse use;
  if (node >= nodes_.size()) return use;
  const Sum& sum = At(node, resource);
  use.state = StateOf(node, resource, now);
  if (use.state != MetricState::kAbsent) use.measured = LastMeasured(node, resource);
  use.capacity = sum.capacity;
  if (sum.limit != kNoLimit) use.ceiling = sum.limit;
  const bool fresh = use.state == MetricState::kFresh;
  const auto slot = SlotOfWeek(SlotAt(now, options_.slot), options_.slots);
  use.now = !fresh                        ? sum.usage.estimates()
            : IsFresh(sum.moment.at, now) ? sum.moment.pods + std::max<int64_t>(0, sum.moment.system - sum.reserved)
                                          : sum.usage.At(slot) - sum.usage.extra();
  if (fresh && IsFresh(sum.moment.at, now)) use.now_measured = sum.moment.at;
  use.measured_peak = Predicted(sum) - sum.usage.extra();
  use.peak = fresh ? Predicted(sum) : sum.usage.estimates();
  return use;
}

std::optional<Time> Account::Measured(size_t resource) const {
  const Time newest = resources_[resource].newest;
  return newest == Time::min() ? std::nullopt : std::optional<Time>(newest);
}

NodeFigures Account::FiguresOf(NodeIndex node, size_t resource, Time now) const {
  const Sum& sum = At(node, resource);
  NodeFigures figures;
  figures.name = options_.resources[resource].name;
  figures.state = StateOf(node, resource, now);
  if (figures.state != MetricState::kAbsent) figures.measured = LastMeasured(node, resource);
  figures.capacity = sum.capacity;
  if (sum.limit != kNoLimit) figures.ceiling = sum.limit;
  figures.sum_of_peaks = sum.usage.sum_of_peaks();
  figures.peak_of_sum = sum.usage.peak_of_sum();
  figures.peak_slot = sum.usage.peak_slot();
  figures.system = nodes_[node].history ? nodes_[node].history->resources[resource].curve.peak() : 0;
  figures.reserved = sum.reserved;
  figures.estimates = sum.usage.estimates();
  for (size_t slot = 0; slot < options_.slots; ++slot) figures.curve.push_back(sum.usage.At(slot));
  for (const PodHere& pod : nodes_[node].pods) {
    const Profile profile = ProfileOf(node, pod, resource);
    figures.pods.push_back({pod.pod->Key(), WorkloadHere(node, *pod.pod), profile.peak(), profile.measured()});
  }
  std::sort(figures.pods.begin(), figures.pods.end(),
            [](const auto& a, const auto& b) { return a.peak != b.peak ? a.peak > b.peak : a.key < b.key; });
  return figures;
}

Account::Peak Account::PeakOf(NodeIndex node, size_t resource) const {
  Peak peak;
  const NodeUsage& usage = At(node, resource).usage;
  bool level = true;
  for (size_t slot = 0; level && slot < options_.slots; ++slot) level = usage.At(slot) == usage.peak_of_sum();
  if (options_.estimator == Estimator::kPeakOfSum && !level) peak.slot = usage.peak_slot();
  const PodHere* largest = nullptr;
  int64_t most = 0;
  for (const PodHere& pod : nodes_[node].pods) {
    const int64_t own = ProfileOf(node, pod, resource).peak();
    const bool first_by_key = largest != nullptr && own == most && pod.pod->Key() < largest->pod->Key();
    if (own < most || (own == most && !first_by_key)) continue;
    largest = &pod;
    most = own;
  }
  if (largest == nullptr) return peak;
  const Profile profile = ProfileOf(node, *largest, resource);
  peak.largest = {largest->pod->Key(), WorkloadHere(node, *largest->pod), most, profile.measured()};
  return peak;
}

std::vector<NodeFigures> Account::Figures(NodeIndex node, Time now) const {
  std::vector<NodeFigures> all;
  if (node >= nodes_.size()) return all;
  for (size_t r = 0; r < resources_.size(); ++r) all.push_back(FiguresOf(node, r, now));
  return all;
}

}  // namespace huygens::usage
