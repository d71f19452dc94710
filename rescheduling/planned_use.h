// What nodes would use if a plan were carried out: the sums of usage/ with pods taken off and put on, slot by slot of
// the week. Nobody but the plan sees it. Where peaks are summed (usage::Options::estimator) a week has one slot.
//
// Nodes that the plan does not touch cost nothing. Decision thread only.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "usage/account.h"

namespace huygens::rescheduling {

using cluster::NodeIndex;

// What one pod uses: by resource its peak, the first slot of that, and the value in each slot.
class Load {
 public:
  Load(const usage::Demand& demand, const usage::Options& options);
  size_t resources() const { return peaks_.size(); }
  int64_t peak(size_t resource) const { return peaks_[resource]; }
  size_t peak_slot(size_t resource) const { return peak_slots_[resource]; }
  int64_t At(size_t resource, size_t slot) const { return values_[resource * slots_ + slot]; }
  std::span<const int64_t> of(size_t resource) const { return {values_.data() + resource * slots_, slots_}; }

 private:
  size_t slots_;
  std::vector<int64_t> peaks_;
  std::vector<size_t> peak_slots_;
  std::vector<int64_t> values_;
};

class PlannedUse {
 public:
  explicit PlannedUse(const usage::Account& account);

  // Forgets the plan, and takes in the ceilings of the first `nodes` nodes as they are now. Of `left_out` resources
  // nothing is looked at.
  void Reset(Time now, usage::ResourceMask left_out, size_t nodes);

  // The same, and of this node alone.
  void ResetOne(Time now, usage::ResourceMask left_out, NodeIndex node);

  size_t resources() const { return resources_; }
  size_t slots() const { return slots_; }
  const usage::Options& options() const { return account_.options(); }

  // Of the node's resource: nothing where there is no ceiling, or it is left out.
  std::optional<int64_t> Limit(NodeIndex node, size_t resource) const {
    const size_t at = node * resources_ + resource;
    return at < bounds_.size() && bounds_[at].limit != kNoLimit ? std::optional(bounds_[at].limit) : std::nullopt;
  }
  int64_t Capacity(NodeIndex node, size_t resource) const {
    const size_t at = node * resources_ + resource;
    return at < bounds_.size() ? bounds_[at].capacity : 0;
  }
  // Whether what is known of all its resources that have ceilings is fresh.
  bool Fresh(NodeIndex node) const;

  int64_t At(NodeIndex node, size_t resource, size_t slot) const;
  int64_t Peak(NodeIndex node, size_t resource) const;
  // The peak with this besides; at least the second.
  int64_t PeakWith(NodeIndex node, size_t resource, const Load& load) const;
  int64_t LikelyPeakWith(NodeIndex node, size_t resource, const Load& load) const;

  // Puts it on (`sign` 1) or takes it off (-1).
  void Change(NodeIndex node, const Load& load, int64_t sign);

 private:
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  struct Bounds {
    int64_t limit = kNoLimit;
    int64_t capacity = 0;
  };
  struct Touched {
    std::vector<int64_t> change;  // resource by resource, slot by slot
    std::vector<int64_t> peaks;   // with the change, by resource
    std::vector<size_t> peak_slots;
  };
  void TakeIn(NodeIndex node, usage::ResourceMask left_out);
  const Touched* Find(NodeIndex node) const { return node < touched_.size() ? touched_[node].get() : nullptr; }
  int64_t Base(NodeIndex node, size_t resource, size_t slot) const;

  const usage::Account& account_;
  size_t resources_, slots_;
  bool of_sum_;
  Time now_{};
  std::vector<Bounds> bounds_;                     // by node and resource
  std::vector<std::unique_ptr<Touched>> touched_;  // by node; null: not by the plan
};

}  // namespace huygens::rescheduling
