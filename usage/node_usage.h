// What the pods of one node and the node itself use of one resource: the sum of
// their curves by slot of the week and the sum of their peaks. Whole numbers:
// adding a profile and taking it off leaves every figure as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "usage/demand.h"
#include "usage/profile.h"

namespace huygens::usage {

class NodeUsage {
 public:
  void Add(const Profile& profile);
  void Remove(const Profile& profile);
  // Everything anew.
  void Count(std::span<const Profile> profiles);

  int64_t estimates() const { return estimates_; }  // of all pods, measured or not
  int64_t extra() const { return extra_; }          // of the figures below: what was estimated, not measured
  int64_t sum_of_peaks() const { return sum_of_peaks_; }
  int64_t peak_of_sum() const { return extra_ + highest_slot_; }
  size_t peak_slot() const { return peak_slot_; }  // the first slot of the week with that peak
  int64_t At(size_t slot) const { return extra_ + (slots_.empty() ? 0 : slots_[slot]); }

  // What is not in extra(), by slot of the week; empty: nothing, in all of them.
  std::span<const int64_t> slots() const { return slots_; }

  // Peak of the sum with the pod, by two slots alone: the node's highest and
  // the pod's highest. Never above the true one, and less than both peaks
  // together where they do not coincide.
  int64_t LikelyPeak(const ResourceDemand& demand) const {
    return std::max(peak_of_sum() + demand.At(peak_slot_), At(demand.peak_slot) + demand.peak);
  }

  friend bool operator==(const NodeUsage&, const NodeUsage&) = default;

 private:
  void AddOnce(const Profile& profile, int64_t sign);
  void FindPeak();

  int64_t sum_of_peaks_ = 0;
  int64_t extra_ = 0;
  int64_t highest_slot_ = 0;  // of slots_
  int64_t estimates_ = 0;
  size_t peak_slot_ = 0;
  size_t curves_ = 0;           // how many are in slots_
  std::vector<int64_t> slots_;  // empty: no curves
};

}  // namespace huygens::usage
