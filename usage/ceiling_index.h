// Which nodes surely stay at or under their ceilings with a pod on them. The sums of use (usage/node_usage.h) lie far
// apart and have hundreds of slots each, so a question about thousands of nodes is answered from what is kept of them
// here: on which nodes the same demand fitted a moment ago (recent_fits.h), what the peaks leave (peak_headroom.h), what
// the curves leave, in bytes (quantized_headroom.h). Each is asked where the one before leaves it open, and none says
// that a pod fits which does not. What all of them leave open needs a closer look at the node.
//
// What each layer is worth: docs/performance.md. Decision thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cluster/account.h"
#include "usage/demand.h"
#include "usage/node_usage.h"
#include "usage/options.h"
#include "usage/peak_headroom.h"
#include "usage/quantized_headroom.h"
#include "usage/recent_fits.h"

namespace huygens::usage {

class CeilingIndex {
 public:
  // Only where peaks of sums count (Options::estimator) are there curves to look at.
  explicit CeilingIndex(const Options& options);

  void Resize(size_t nodes);

  // After each change of what a node uses of a resource, or of its limit. `left`: what predicted use leaves of that;
  // nothing: the figures are not fresh.
  void Set(cluster::NodeIndex node, size_t resource, const NodeUsage& usage, int64_t limit,
           std::optional<int64_t> left);
  void SetUnlimited(cluster::NodeIndex node, size_t resource);
  // Figures get out of date, and fresh again, without a change.
  void SetStale(cluster::NodeIndex node, size_t resource);
  void SetFresh(cluster::NodeIndex node, size_t resource, int64_t left);
  bool IsLimited(cluster::NodeIndex node, size_t resource) const {
    return Left(node, resource) != PeakHeadroom::kNoLimit;
  }
  bool IsStale(cluster::NodeIndex node, size_t resource) const {
    return Left(node, resource) == PeakHeadroom::kUnknown;
  }

  // What helps with the demand: kept from question to question for those that were remembered last.
  using Known = RecentFits::Known;
  Known Remember(const Demand& demand) { return recent_fits_.Remember(demand, slots_); }
  Known Find(const Demand& demand) const { return recent_fits_.Find(demand, slots_); }

  // Whether no slot of the node's sum is above the limit with the pod, where its peaks leave that open. `usage` and
  // `limit` are those of Set. False where only peaks count.
  bool FitsByCurve(cluster::NodeIndex node, size_t resource, const Demand& demand, const Known& known,
                   const NodeUsage& usage, int64_t limit) const {
    return known.quantized != nullptr &&
           curves_[resource].Fits(node, usage, demand.resources[resource], (*known.quantized)[resource], limit);
  }

  // Holds as long as the index and the demand stay as they are and no other demand is remembered.
  class Query {
   public:
    // Of the first `nodes` nodes; the others are left open. Of `left_out` nothing is asked.
    Query(CeilingIndex& index, const Demand& demand, const Known& known, ResourceMask left_out, size_t nodes);

    // The position of the first of the nodes, `from` or later, that is not to be skipped and for which it is left open;
    // their number if there is none. `sum_of(node, resource)` has `usage` and `limit`.
    template <typename Skip, typename SumOf>
    size_t NextUndecided(std::span<const cluster::NodeIndex> nodes, size_t from, Skip skip, SumOf sum_of) const {
      const cluster::NodeIndex* const node = nodes.data();
      RecentFits::Bits* const fits = index_.recent_fits_.data();
      for (size_t i = from; i < nodes.size(); ++i) {
        if (node[i] < nodes_ && (fits[node[i]] & bit_) != 0) continue;
        if (skip(i)) continue;
        if (node[i] >= nodes_ || !(FitsByPeaks(node[i]) || Fits(node[i], sum_of))) return i;
        fits[node[i]] |= bit_;
      }
      return nodes.size();
    }

   private:
    bool FitsByPeaks(cluster::NodeIndex node) const {
      const float* left = index_.peaks_.Of(node);
      bool fits = true;
      for (size_t r = 0; r < resources_; ++r) fits &= needed_[r] <= left[r];
      return fits;
    }
    template <typename SumOf>
    bool Fits(cluster::NodeIndex node, SumOf sum_of) const {
      const float* left = index_.peaks_.Of(node);
      for (size_t r = 0; r < resources_; ++r) {
        if (needed_[r] <= left[r]) continue;
        if (left[r] == PeakHeadroom::kUnknown) return false;
        const auto& sum = sum_of(node, r);
        if (!index_.FitsByCurve(node, r, demand_, known_, sum.usage, sum.limit)) return false;
      }
      return true;
    }

    CeilingIndex& index_;
    const Demand& demand_;
    const Known& known_;
    size_t nodes_;
    size_t resources_;
    RecentFits::Bits bit_ = 0;                   // of the demand, where fits on all resources are asked for
    std::array<float, kMaxResources> needed_{};  // by resource
  };

 private:
  float Left(cluster::NodeIndex node, size_t resource) const { return peaks_.Of(node)[resource]; }

  size_t slots_;  // of the curves; 0: there are none
  RecentFits recent_fits_;
  PeakHeadroom peaks_;
  std::vector<QuantizedHeadroom> curves_;  // by resource
};

}  // namespace huygens::usage
