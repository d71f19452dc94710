#include "observe/recommendation_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

namespace huygens::observe {
namespace {

using Counts = prometheus::Family<prometheus::Counter>;
using Levels = prometheus::Family<prometheus::Gauge>;

Counts& CountsNamed(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
Levels& LevelsNamed(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

void GrowTo(Counts& family, const prometheus::Labels& labels, uint64_t total) {
  prometheus::Counter& counter = family.Add(labels);
  counter.Increment(static_cast<double>(total) - counter.Value());
}

}  // namespace

struct RecommendationMetrics::Families {
  explicit Families(prometheus::Registry& registry)
      : used(LevelsNamed(registry, "huygens_overcommit_used",
                         "What the measured pods of a pool used at the last scan, in cores or bytes.")),
        requested(LevelsNamed(registry, "huygens_overcommit_requested", "What the same pods ask for.")),
        original(LevelsNamed(registry, "huygens_overcommit_original", "What the same pods were written to ask for.")),
        samples(
            CountsNamed(registry, "huygens_overcommit_samples_total", "Samples of pods that ask for the resource.")),
        exceeded(CountsNamed(registry, "huygens_overcommit_samples_exceeded_total",
                             "Those of them in which a pod used more than it asks for.")),
        recommendations(LevelsNamed(registry, "huygens_recommendations", "Recommendations by what they are good for.")),
        scans(CountsNamed(registry, "huygens_recommendation_scans_total", "Scans of what pods use.")),
        failed(CountsNamed(registry, "huygens_recommendation_scan_failures_total",
                           "Namespaces that a scan could not read.")),
        taken(CountsNamed(registry, "huygens_recommendation_samples_total",
                          "Samples of pods, by whether they were added to a history.")),
        scan_seconds(LevelsNamed(registry, "huygens_recommendation_scan_seconds",
                                 "How long the last scan took, waiting for answers included.")),
        writes(CountsNamed(registry, "huygens_recommendation_writes_total",
                           "Writes of the controller for recommendations, by what was written.")),
        resizes(CountsNamed(registry, "huygens_overcommit_resizes_total",
                            "Running pods that were to be lowered in place, by what came of it.")) {}
  Levels& used;
  Levels& requested;
  Levels& original;
  Counts& samples;
  Counts& exceeded;
  Levels& recommendations;
  Counts& scans;
  Counts& failed;
  Counts& taken;
  Levels& scan_seconds;
  Counts& writes;
  Counts& resizes;
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
    GrowTo(families_->samples, labels, each.samples);
    GrowTo(families_->exceeded, labels, each.exceeded);
  }
  const auto level = [](Levels& family, const prometheus::Labels& labels, uint64_t value) {
    family.Add(labels).Set(static_cast<double>(value));
  };
  level(families_->recommendations, {{"state", "applied"}}, totals.applied);
  level(families_->recommendations, {{"state", "effective"}}, totals.effective);
  level(families_->recommendations, {{"state", "young"}}, totals.young);
  level(families_->recommendations, {{"state", "unready"}}, totals.unready);
  GrowTo(families_->scans, {}, totals.scans);
  GrowTo(families_->failed, {}, totals.failed_namespaces);
  GrowTo(families_->taken, {{"result", "counted"}}, totals.samples);
  GrowTo(families_->taken, {{"result", "leftOut"}}, totals.left_out);
  families_->scan_seconds.Add({}).Set(totals.scan_seconds);
  GrowTo(families_->writes, {{"what", "checkpoint"}}, totals.checkpoints);
  GrowTo(families_->writes, {{"what", "status"}}, totals.statuses);
  GrowTo(families_->writes, {{"what", "deletion"}}, totals.deleted);
}

void RecommendationMetrics::Set(const ResizeCounts& totals) {
  GrowTo(families_->resizes, {{"result", "lowered"}}, totals.lowered);
  GrowTo(families_->resizes, {{"result", "kept"}}, totals.kept);
  GrowTo(families_->resizes, {{"result", "refused"}}, totals.refused);
  GrowTo(families_->resizes, {{"result", "failed"}}, totals.failed);
}

}  // namespace huygens::observe
