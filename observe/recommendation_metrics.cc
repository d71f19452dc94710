#include "observe/recommendation_metrics.h"

#include "observe/families.h"

namespace huygens::observe {
struct RecommendationMetrics::Families {
  explicit Families(prometheus::Registry& registry)
      : used(GaugesNamed(registry, "huygens_overcommit_used",
                         "What the measured pods of a pool used at the last scan, in cores or bytes.")),
        requested(GaugesNamed(registry, "huygens_overcommit_requested", "What the same pods ask for.")),
        original(GaugesNamed(registry, "huygens_overcommit_original", "What the same pods were written to ask for.")),
        samples(
            CountersNamed(registry, "huygens_overcommit_samples_total", "Samples of pods that ask for the resource.")),
        exceeded(CountersNamed(registry, "huygens_overcommit_samples_exceeded_total",
                               "Those of them in which a pod used more than it asks for.")),
        recommendations(GaugesNamed(registry, "huygens_recommendations", "Recommendations by what they are good for.")),
        scans(CountersNamed(registry, "huygens_recommendation_scans_total", "Scans of what pods use.")),
        failed(CountersNamed(registry, "huygens_recommendation_scan_failures_total",
                             "Namespaces that a scan could not read.")),
        taken(CountersNamed(registry, "huygens_recommendation_samples_total",
                            "Samples of pods, by whether they were added to a history.")),
        scan_seconds(GaugesNamed(registry, "huygens_recommendation_scan_seconds",
                                 "How long the last scan took, waiting for answers included.")),
        writes(CountersNamed(registry, "huygens_recommendation_writes_total",
                             "Writes of the controller for recommendations, by what was written.")),
        resizes(CountersNamed(registry, "huygens_overcommit_resizes_total",
                              "Running pods that were to be lowered in place, by what came of it.")) {}
  GaugeFamily& used;
  GaugeFamily& requested;
  GaugeFamily& original;
  CounterFamily& samples;
  CounterFamily& exceeded;
  GaugeFamily& recommendations;
  CounterFamily& scans;
  CounterFamily& failed;
  CounterFamily& taken;
  GaugeFamily& scan_seconds;
  CounterFamily& writes;
  CounterFamily& resizes;
};

RecommendationMetrics::RecommendationMetrics(prometheus::Registry& registry)
    : families_(std::make_unique<Families>(registry)) {}
RecommendationMetrics::~RecommendationMetrics() = default;

void RecommendationMetrics::Set(const RecommendationCounts& totals) {
  for (const RecommendationCounts::Pool& each : totals.pools) {
    const prometheus::Labels labels = {{"pool", each.pool}, {"resource", each.resource}};
    families_->used.Add(labels).Set(each.used);
    families_->requested.Add(labels).Set(each.requested);
    families_->original.Add(labels).Set(each.original);
    RaiseTo(families_->samples, labels, each.samples);
    RaiseTo(families_->exceeded, labels, each.exceeded);
  }
  const auto level = [](GaugeFamily& family, const prometheus::Labels& labels, uint64_t value) {
    family.Add(labels).Set(static_cast<double>(value));
  };
  level(families_->recommendations, {{"state", "applied"}}, totals.applied);
  level(families_->recommendations, {{"state", "effective"}}, totals.effective);
  level(families_->recommendations, {{"state", "young"}}, totals.young);
  level(families_->recommendations, {{"state", "unready"}}, totals.unready);
  RaiseTo(families_->scans, {}, totals.scans);
  RaiseTo(families_->failed, {}, totals.failed_namespaces);
  RaiseTo(families_->taken, {{"result", "counted"}}, totals.samples);
  RaiseTo(families_->taken, {{"result", "leftOut"}}, totals.left_out);
  families_->scan_seconds.Add({}).Set(totals.scan_seconds);
  RaiseTo(families_->writes, {{"what", "checkpoint"}}, totals.checkpoints);
  RaiseTo(families_->writes, {{"what", "status"}}, totals.statuses);
  RaiseTo(families_->writes, {{"what", "deletion"}}, totals.deleted);
}

void RecommendationMetrics::Set(const ResizeCounts& totals) {
  RaiseTo(families_->resizes, {{"result", "lowered"}}, totals.lowered);
  RaiseTo(families_->resizes, {{"result", "kept"}}, totals.kept);
  RaiseTo(families_->resizes, {{"result", "refused"}}, totals.refused);
  RaiseTo(families_->resizes, {{"result", "failed"}}, totals.failed);
}

}  // namespace huygens::observe
