#include "usage/node_usage.h"

#include <algorithm>

namespace huygens::usage {
namespace {

// The first slot with the highest value.
size_t FindPeakOf(std::span<const int64_t> slots) {
  return static_cast<size_t>(std::max_element(slots.begin(), slots.end()) - slots.begin());
}

}  // namespace

ResourceDemand DemandOf(const Profile& profile) {
  ResourceDemand demand;
  demand.estimate = profile.estimate();
  demand.peak = profile.peak();
  if (profile.flat()) return demand;
  demand.curve.assign(profile.slots(), profile.extra());
  profile.AddTo(demand.curve, 1);
  demand.peak_slot = FindPeakOf(demand.curve);
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
  sum_of_peaks_ = extra_ = estimates_ = 0;
  curves_ = 0;
  std::fill(slots_.begin(), slots_.end(), 0);
  for (const Profile& profile : profiles) AddOnce(profile, 1);
  FindPeak();
}

void NodeUsage::AddOnce(const Profile& profile, int64_t sign) {
  estimates_ += sign * profile.estimate();
  sum_of_peaks_ += sign * profile.peak();
  extra_ += sign * profile.extra();
  if (profile.flat()) return;
  slots_.resize(profile.slots());
  profile.AddTo(slots_, sign);
  curves_ += static_cast<size_t>(sign);
}

void NodeUsage::FindPeak() {
  if (curves_ == 0) {
    slots_ = {};
    peak_slot_ = 0;
    highest_slot_ = 0;
    return;
  }
  peak_slot_ = FindPeakOf(slots_);
  highest_slot_ = slots_[peak_slot_];
}

}  // namespace huygens::usage
