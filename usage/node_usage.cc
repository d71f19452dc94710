#include "usage/node_usage.h"

#include <algorithm>

namespace huygens::usage {
namespace {

// The highest of each block; returns the first slot with the highest of all.
size_t FindBlocks(std::span<const int64_t> slots, std::vector<int64_t>& blocks) {
  blocks.resize((slots.size() + kSlotsPerBlock - 1) / kSlotsPerBlock);
  const int64_t* slot = slots.data();
  for (size_t b = 0; b < blocks.size(); ++b) {
    const int64_t* end = slots.data() + std::min((b + 1) * kSlotsPerBlock, slots.size());
    int64_t highest = *slot;
    while (++slot < end) highest = std::max(highest, *slot);
    blocks[b] = highest;
  }
  const auto top = std::max_element(blocks.begin(), blocks.end());
  const auto first = slots.begin() + (top - blocks.begin()) * static_cast<ptrdiff_t>(kSlotsPerBlock);
  return static_cast<size_t>(std::find(first, slots.end(), *top) - slots.begin());
}

}  // namespace

ResourceDemand DemandOf(const Profile& profile) {
  ResourceDemand demand;
  demand.estimate = profile.estimate();
  demand.peak = demand.lowest = profile.peak();
  if (profile.flat()) return demand;
  demand.curve.assign(profile.slots(), 0);
  profile.AddTo(demand.curve, 1);
  demand.peak_slot = FindBlocks(demand.curve, demand.blocks);
  demand.lowest = *std::min_element(demand.curve.begin(), demand.curve.end());
  return demand;
}

void NodeUsage::Add(const Profile& profile) {
  AddOnce(profile, 1);
  if (!profile.flat()) FindPeak();
}

void NodeUsage::Remove(const Profile& profile) {
  AddOnce(profile, -1);
  if (!profile.flat()) FindPeak();
}

void NodeUsage::Count(std::span<const Profile> profiles) {
  sum_of_peaks_ = flat_ = estimates_ = 0;
  curves_ = 0;
  std::fill(slots_.begin(), slots_.end(), 0);
  for (const Profile& profile : profiles) AddOnce(profile, 1);
  FindPeak();
}

void NodeUsage::AddOnce(const Profile& profile, int64_t sign) {
  estimates_ += sign * profile.estimate();
  sum_of_peaks_ += sign * profile.peak();
  if (profile.flat()) {
    flat_ += sign * profile.peak();
    return;
  }
  slots_.resize(profile.slots());
  profile.AddTo(slots_, sign);
  curves_ += static_cast<size_t>(sign);
}

void NodeUsage::FindPeak() {
  if (curves_ == 0) {
    slots_ = {};
    blocks_ = {};
    peak_slot_ = 0;
    highest_slot_ = 0;
    return;
  }
  peak_slot_ = FindBlocks(slots_, blocks_);
  highest_slot_ = slots_[peak_slot_];
}

bool NodeUsage::FitsBySlot(const ResourceDemand& demand, int64_t limit) const {
  const int64_t room = limit - flat_;
  // Without a curve on one side its peak would have decided.
  if (curves_ == 0 || demand.curve.empty() || LikelyPeak(demand) > limit) return false;
  const int64_t* of_pod = demand.blocks.data();
  const int64_t* of_node = blocks_.data();
  for (size_t b = 0; b < blocks_.size(); ++b) {
    if (of_node[b] + of_pod[b] <= room) continue;
    const size_t end = std::min((b + 1) * kSlotsPerBlock, slots_.size());
    for (size_t s = b * kSlotsPerBlock; s < end; ++s) {
      if (slots_[s] + demand.curve[s] > room) return false;
    }
  }
  return true;
}

}  // namespace huygens::usage
