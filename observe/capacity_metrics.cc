#include "observe/capacity_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

namespace huygens::observe {
namespace {

using CounterFamily = prometheus::Family<prometheus::Counter>;
using GaugeFamily = prometheus::Family<prometheus::Gauge>;

CounterFamily& CountersOf(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
GaugeFamily& GaugesOf(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

void Raise(CounterFamily& family, const prometheus::Labels& labels, uint64_t total) {
  prometheus::Counter& counter = family.Add(labels);
  counter.Increment(static_cast<double>(total) - counter.Value());
}

}  // namespace

struct CapacityMetrics::Families {
  explicit Families(prometheus::Registry& registry)
      : zones(GaugesOf(registry, "huygens_real_capacity_zones",
                       "Zones by what an attribute of them is found to be by the facts.")),
        writes(CountersOf(registry, "huygens_real_capacity_writes_total",
                          "Writes of topology objects by the controller, by how they ended.")),
        removed(
            CountersOf(registry, "huygens_real_capacity_removed_total", "Attributes of zones that were taken away.")),
        answers(CountersOf(registry, "huygens_real_capacity_answers_total",
                           "Answers of sources of facts, by whether they could be used.")),
        answered(GaugesOf(registry, "huygens_real_capacity_answered_timestamp_seconds",
                          "When a source last answered so that it could be used; 0: never.")),
        unknown(GaugesOf(registry, "huygens_real_capacity_unknown",
                         "Nodes and zones that the sources name and the cluster does not have.")) {}
  GaugeFamily& zones;
  CounterFamily& writes;
  CounterFamily& removed;
  CounterFamily& answers;
  GaugeFamily& answered;
  GaugeFamily& unknown;
};

CapacityMetrics::CapacityMetrics(prometheus::Registry& registry) : families_(std::make_unique<Families>(registry)) {}
CapacityMetrics::~CapacityMetrics() = default;

void CapacityMetrics::Set(const RealCapacityCounts& totals) {
  for (const auto& [attribute, counts] : totals.zones) {
    for (size_t i = 0; i < kZoneStates.size(); ++i) {
      families_->zones.Add({{"attribute", attribute}, {"state", std::string(kZoneStates[i])}})
          .Set(static_cast<double>(counts[i]));
    }
  }
  Raise(families_->writes, {{"result", "ok"}}, totals.written);
  Raise(families_->writes, {{"result", "conflict"}}, totals.conflicts);
  Raise(families_->writes, {{"result", "refused"}}, totals.refused);
  Raise(families_->writes, {{"result", "failed"}}, totals.failed);
  Raise(families_->removed, {}, totals.removed);
  for (const auto& [name, query] : totals.queries) {
    Raise(families_->answers, {{"query", name}, {"result", "good"}}, query.good);
    Raise(families_->answers, {{"query", name}, {"result", "bad"}}, query.bad);
    const double answered =
        query.answered ? std::chrono::duration<double>(query.answered->time_since_epoch()).count() : 0;
    families_->answered.Add({{"query", name}}).Set(answered);
  }
  families_->unknown.Add({{"what", "node"}}).Set(static_cast<double>(totals.unknown_nodes));
  families_->unknown.Add({{"what", "zone"}}).Set(static_cast<double>(totals.unknown_zones));
}

}  // namespace huygens::observe
