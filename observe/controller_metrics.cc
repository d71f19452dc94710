#include "observe/controller_metrics.h"

#include <map>
#include <string>
#include <utility>

#include "observe/by_value.h"
#include "observe/families.h"

namespace huygens::observe {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;

ByValue<Counter> EachCounter(Family<Counter>& family, const char* label, std::span<const std::string_view> values) {
  return ByValue<Counter>(values,
                          [&](std::string value) -> Counter& { return family.Add({{label, std::move(value)}}); });
}

}  // namespace

struct ControllerMetrics::Series {
  Series(prometheus::Registry& registry, std::span<const std::string_view> reconcilers)
      : leader(GaugesNamed(registry, "huygens_controller_leader", "1 while this instance leads.").Add({})),
        depths(GaugesNamed(registry, "huygens_controller_queue_depth", "Keys that are due or worked on.")),
        depth(reconcilers,
              [this](std::string name) -> Gauge& { return depths.Add({{"reconciler", std::move(name)}}); }),
        reconciled(
            CountersNamed(registry, "huygens_controller_reconciles_total", "Looks at a key, by how they ended.")),
        reconciles(reconcilers, std::span(kReconcileResults),
                   [this](const std::string& name, std::string result) -> Counter& {
                     return reconciled.Add({{"reconciler", name}, {"result", std::move(result)}});
                   }),
        writes(EachCounter(CountersNamed(registry, "huygens_quota_status_writes_total",
                                         "Writes of business groups by the controller, by what had changed."),
                           "reason", kStatusWriteReasons)),
        conflicts(CountersNamed(registry, "huygens_quota_write_conflicts_total",
                                "Writes of business groups by the controller that another writer was ahead of.")
                      .Add({})),
        ended(EachCounter(CountersNamed(registry, "huygens_quota_reservations_ended_total",
                                        "Reservations taken out of the status of business groups, by why."),
                          "how", kReservationEnds)),
        drift(EachCounter(CountersNamed(registry, "huygens_quota_drift_total",
                                        "Figures of business groups that were wrong though nothing had changed."),
                          "direction", kDriftDirections)),
        filled(GaugesNamed(
            registry, "huygens_quota_filled",
            "Share of a budget that is used, where it is nearly all and workloads of the group itself use it.")) {}

  Gauge& leader;
  Family<Gauge>& depths;
  ByValue<Gauge> depth;
  Family<Counter>& reconciled;
  ByTwoValues<Counter> reconciles;
  ByValue<Counter> writes;
  Counter& conflicts;
  ByValue<Counter> ended;
  ByValue<Counter> drift;
  Family<Gauge>& filled;
  std::map<std::pair<std::string, std::string>, Gauge*> shown;  // of `filled`, by group and key
};

ControllerMetrics::ControllerMetrics(prometheus::Registry& registry, std::span<const std::string_view> reconcilers)
    : series_(std::make_unique<Series>(registry, reconcilers)), registry_(registry) {}
ControllerMetrics::~ControllerMetrics() = default;

void ControllerMetrics::SetLeader(bool leads) { series_->leader.Set(leads ? 1 : 0); }

void ControllerMetrics::SetReconciler(std::string_view name, size_t depth, uint64_t succeeded, uint64_t failed) {
  series_->depth[name].Set(static_cast<double>(depth));
  RaiseTo(series_->reconciles.At(name, "ok"), succeeded);
  RaiseTo(series_->reconciles.At(name, "failed"), failed);
}

void ControllerMetrics::SetQuota(const QuotaCounts& totals) {
  RaiseTo(series_->writes["figures"], totals.figures);
  RaiseTo(series_->writes["settled"], totals.settled_writes);
  RaiseTo(series_->writes["hours"], totals.hours);
  RaiseTo(series_->writes["inherited"], totals.inherited);
  RaiseTo(series_->writes["finalizer"], totals.finalizers);
  RaiseTo(series_->conflicts, totals.conflicts);
  RaiseTo(series_->ended["settled"], totals.settled);
  RaiseTo(series_->ended["expired"], totals.expired);
  RaiseTo(series_->ended["superseded"], totals.superseded);
  RaiseTo(series_->drift["over"], totals.drift_over);
  RaiseTo(series_->drift["under"], totals.drift_under);
}

void ControllerMetrics::SetRealCapacity(const RealCapacityCounts& totals) {
  if (capacity_ == nullptr) capacity_ = std::make_unique<CapacityMetrics>(registry_);
  capacity_->Set(totals);
}

void ControllerMetrics::SetRecommendations(const RecommendationCounts& totals) {
  if (recommendations_ == nullptr) recommendations_ = std::make_unique<RecommendationMetrics>(registry_);
  recommendations_->Set(totals);
}

void ControllerMetrics::SetResizes(const ResizeCounts& totals) {
  if (recommendations_ == nullptr) recommendations_ = std::make_unique<RecommendationMetrics>(registry_);
  recommendations_->Set(totals);
}

void ControllerMetrics::SetFilled(std::span<const FilledBudget> budgets) {
  auto gone = std::exchange(series_->shown, {});
  for (const FilledBudget& each : budgets) {
    Gauge& gauge = series_->filled.Add({{"group", each.group}, {"key", each.key}});
    gauge.Set(each.share);
    series_->shown.emplace(std::pair(each.group, each.key), &gauge);
    gone.erase({each.group, each.key});
  }
  for (const auto& [name, gauge] : gone) series_->filled.Remove(gauge);
}

}  // namespace huygens::observe
