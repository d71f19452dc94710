// The metrics of `huygens controller`. Counts are kept where they are made and copied here before a scrape; each only
// grows. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "observe/capacity_metrics.h"
#include "observe/recommendation_metrics.h"

namespace prometheus {
class Registry;
}

namespace huygens::observe {

inline constexpr std::string_view kReconcileResults[] = {"ok", "failed"};
inline constexpr std::string_view kStatusWriteReasons[] = {"figures", "settled", "hours", "inherited", "finalizer"};
inline constexpr std::string_view kReservationEnds[] = {"settled", "expired", "superseded"};
inline constexpr std::string_view kDriftDirections[] = {"over", "under"};

// Of the reconciler that counts groups.
struct QuotaCounts {
  uint64_t figures = 0, settled_writes = 0, hours = 0, inherited = 0, finalizers = 0;  // writes that succeeded
  uint64_t conflicts = 0;                                                              // of writes
  uint64_t settled = 0, expired = 0, superseded = 0;                                   // reservations that ended
  uint64_t drift_over = 0, drift_under = 0;  // keys of groups of which the status said too much, too little
};

// A budget of which a group's own workloads use most.
struct FilledBudget {
  std::string group, key;
  double share = 0;  // of the budget that is used, 1 = all
};

class ControllerMetrics {
 public:
  // For the files of observe/: registers them.
  ControllerMetrics(prometheus::Registry& registry, std::span<const std::string_view> reconcilers);
  ~ControllerMetrics();

  void SetLeader(bool leads);
  void SetReconciler(std::string_view name, size_t depth, uint64_t succeeded, uint64_t failed);
  void SetQuota(const QuotaCounts& totals);
  // All that are to be shown.
  void SetFilled(std::span<const FilledBudget> budgets);
  void SetRealCapacity(const RealCapacityCounts& totals);
  void SetRecommendations(const RecommendationCounts& totals);
  void SetResizes(const ResizeCounts& totals);

 private:
  struct Series;
  std::unique_ptr<Series> series_;
  prometheus::Registry& registry_;
  std::unique_ptr<CapacityMetrics> capacity_;               // null: nobody has called SetRealCapacity
  std::unique_ptr<RecommendationMetrics> recommendations_;  // null: neither of the last two
};

}  // namespace huygens::observe
