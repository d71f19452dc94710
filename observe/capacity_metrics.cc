#include "observe/capacity_metrics.h"

#include "observe/families.h"

namespace huygens::observe {
struct CapacityMetrics::Families {
  explicit Families(prometheus::Registry& registry)
      : zones(GaugesNamed(registry, "huygens_real_capacity_zones",
                          "Zones by what an attribute of them is found to be by the facts.")),
        writes(CountersNamed(registry, "huygens_real_capacity_writes_total",
                             "Writes of topology objects by the controller, by how they ended.")),
        removed(CountersNamed(registry, "huygens_real_capacity_removed_total",
                              "Attributes of zones that were taken away.")),
        answers(CountersNamed(registry, "huygens_real_capacity_answers_total",
                              "Answers of sources of facts, by whether they could be used.")),
        answered(GaugesNamed(registry, "huygens_real_capacity_answered_timestamp_seconds",
                             "When a source last answered so that it could be used; 0: never.")),
        unknown(GaugesNamed(registry, "huygens_real_capacity_unknown",
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
  RaiseTo(families_->writes, {{"result", "ok"}}, totals.written);
  RaiseTo(families_->writes, {{"result", "conflict"}}, totals.conflicts);
  RaiseTo(families_->writes, {{"result", "refused"}}, totals.refused);
  RaiseTo(families_->writes, {{"result", "failed"}}, totals.failed);
  RaiseTo(families_->removed, {}, totals.removed);
  for (const auto& [name, query] : totals.queries) {
    RaiseTo(families_->answers, {{"query", name}, {"result", "good"}}, query.good);
    RaiseTo(families_->answers, {{"query", name}, {"result", "bad"}}, query.bad);
    const double answered =
        query.answered ? std::chrono::duration<double>(query.answered->time_since_epoch()).count() : 0;
    families_->answered.Add({{"query", name}}).Set(answered);
  }
  families_->unknown.Add({{"what", "node"}}).Set(static_cast<double>(totals.unknown_nodes));
  families_->unknown.Add({{"what", "zone"}}).Set(static_cast<double>(totals.unknown_zones));
}

}  // namespace huygens::observe
