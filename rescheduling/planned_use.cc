#include "rescheduling/planned_use.h"

#include <algorithm>

namespace huygens::rescheduling {

namespace {

bool OfSum(const usage::Options& options) { return options.estimator == usage::Estimator::kPeakOfSum; }

size_t SlotsOf(const usage::Options& options) { return OfSum(options) ? options.slots : 1; }

}  // namespace

Load::Load(const usage::Demand& demand, const usage::Options& options) : slots_(SlotsOf(options)) {
  values_.reserve(demand.resources.size() * slots_);
  for (const usage::ResourceDemand& each : demand.resources) {
    peaks_.push_back(each.peak);
    const bool by_slot = OfSum(options) && !each.curve.empty();
    peak_slots_.push_back(by_slot ? each.peak_slot : 0);
    if (by_slot) {
      values_.insert(values_.end(), each.curve.begin(), each.curve.end());
    } else {
      values_.resize(values_.size() + slots_, each.peak);
    }
  }
}

PlannedUse::PlannedUse(const usage::Account& account)
    : account_(account),
      resources_(account.options().resources.size()),
      slots_(SlotsOf(account.options())),
      of_sum_(OfSum(account.options())) {}

void PlannedUse::TakeIn(NodeIndex node, usage::ResourceMask left_out) {
  for (size_t r = 0; r < resources_; ++r) {
    const usage::NodeUse use = account_.Use(node, r, now_);
    bounds_[node * resources_ + r] = {left_out[r] ? kNoLimit : use.ceiling.value_or(kNoLimit), use.capacity};
  }
}

void PlannedUse::Reset(Time now, usage::ResourceMask left_out, size_t nodes) {
  now_ = now;
  touched_.clear();
  bounds_.assign(nodes * resources_, {});
  for (NodeIndex node = 0; node < nodes && account_.Knows(node); ++node) TakeIn(node, left_out);
}

void PlannedUse::ResetOne(Time now, usage::ResourceMask left_out, NodeIndex node) {
  Reset(now, left_out, 0);
  bounds_.assign((node + 1) * resources_, {});
  if (account_.Knows(node)) TakeIn(node, left_out);
}

bool PlannedUse::Fresh(NodeIndex node) const {
  if (!account_.Knows(node)) return false;
  for (size_t r = 0; r < resources_; ++r) {
    if (Limit(node, r) && account_.State(node, r, now_) != usage::MetricState::kFresh) return false;
  }
  return true;
}

int64_t PlannedUse::Base(NodeIndex node, size_t resource, size_t slot) const {
  const usage::NodeUsage& sum = account_.SumOf(node, resource);
  return of_sum_ ? sum.At(slot) : sum.sum_of_peaks();
}

int64_t PlannedUse::At(NodeIndex node, size_t resource, size_t slot) const {
  const Touched* touched = Find(node);
  return Base(node, resource, slot) + (touched ? touched->change[resource * slots_ + slot] : 0);
}

int64_t PlannedUse::Peak(NodeIndex node, size_t resource) const {
  if (const Touched* touched = Find(node)) return touched->peaks[resource];
  const usage::NodeUsage& sum = account_.SumOf(node, resource);
  return of_sum_ ? sum.peak_of_sum() : sum.sum_of_peaks();
}

int64_t PlannedUse::LikelyPeakWith(NodeIndex node, size_t resource, const Load& load) const {
  const usage::NodeUsage& sum = account_.SumOf(node, resource);
  if (!of_sum_) return Peak(node, resource) + load.peak(resource);
  const Touched* touched = Find(node);
  const size_t highest = touched ? touched->peak_slots[resource] : sum.peak_slot();
  const int64_t there = (touched ? touched->peaks[resource] : sum.peak_of_sum()) + load.At(resource, highest);
  const size_t own = load.peak_slot(resource);
  return std::max(there, sum.At(own) + (touched ? touched->change[resource * slots_ + own] : 0) + load.peak(resource));
}

int64_t PlannedUse::PeakWith(NodeIndex node, size_t resource, const Load& load) const {
  const usage::NodeUsage& sum = account_.SumOf(node, resource);
  if (!of_sum_) return Peak(node, resource) + load.peak(resource);
  const Touched* touched = Find(node);
  const std::span<const int64_t> base = sum.slots();
  const int64_t* added = load.of(resource).data();
  const int64_t* change = touched ? touched->change.data() + resource * slots_ : nullptr;
  int64_t highest = 0;
  if (base.empty()) {
    for (size_t s = 0; s < slots_; ++s) highest = std::max(highest, added[s] + (change ? change[s] : 0));
  } else if (change == nullptr) {
    for (size_t s = 0; s < slots_; ++s) highest = std::max(highest, base[s] + added[s]);
  } else {
    for (size_t s = 0; s < slots_; ++s) highest = std::max(highest, base[s] + added[s] + change[s]);
  }
  return sum.extra() + highest;
}

void PlannedUse::Change(NodeIndex node, const Load& load, int64_t sign) {
  if (node >= touched_.size()) touched_.resize(node + 1);
  if (!touched_[node]) touched_[node] = std::make_unique<Touched>();
  Touched& touched = *touched_[node];
  touched.change.resize(resources_ * slots_);
  touched.peaks.resize(resources_);
  touched.peak_slots.resize(resources_);
  for (size_t r = 0; r < resources_; ++r) {
    const std::span<const int64_t> added = load.of(r);
    int64_t* change = touched.change.data() + r * slots_;
    size_t highest = 0;
    for (size_t s = 0; s < slots_; ++s) {
      change[s] += sign * added[s];
      if (Base(node, r, s) + change[s] > Base(node, r, highest) + change[highest]) highest = s;
    }
    touched.peak_slots[r] = highest;
    touched.peaks[r] = Base(node, r, highest) + change[highest];
  }
}

}  // namespace huygens::rescheduling
