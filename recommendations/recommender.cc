#include "recommendations/recommender.h"

#include <utility>

#include "base/steady_now.h"
#include "informer/watch_readiness.h"
#include "observe/controller_metrics.h"
#include "recommendations/recommendation_pages.h"
#include "settings/usage_source.h"

namespace huygens::recommendations {

namespace {

using recommendation_api::Recommendation;
using recommendation_api::RecommendationTemplate;

std::shared_ptr<UseSource> SourceOf(const settings::UsageConfiguration& usage) {
  if (!usage.prometheus) return MakeMetricsApiUse();
  return MakePrometheusUse({.server = settings::PrometheusServer(*usage.prometheus),
                            .headers = settings::PrometheusHeaders(*usage.prometheus),
                            .scope = settings::PrometheusScope(*usage.prometheus),
                            .timeout = usage.prometheus->timeout});
}

// A reconciler of those that share a Recommender: it owns a part of it.
class Sharing final : public reconcile::Reconciler {
 public:
  Sharing(std::shared_ptr<Recommender> shared, reconcile::Reconciler& reconciler, bool first)
      : shared_(std::move(shared)), reconciler_(reconciler), first_(first) {}

  std::string_view name() const override { return reconciler_.name(); }
  void Start(reconcile::WorkKeys& keys) override { reconciler_.Start(keys); }
  std::string NotReady() const override { return reconciler_.NotReady(); }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override { reconciler_.ForEachKey(visit); }
  void Reconcile(const std::string& key, Done done) override { reconciler_.Reconcile(key, std::move(done)); }
  void Interrupt() override { shared_->Interrupt(); }
  void StopLeading() override { reconciler_.StopLeading(); }
  void Describe(observe::Readiness& readiness) const override {
    if (first_) shared_->Describe(readiness);
  }
  void RefreshMetrics(observe::Metrics& metrics) const override {
    if (first_) shared_->RefreshMetrics(metrics);
  }

 private:
  const std::shared_ptr<Recommender> shared_;
  reconcile::Reconciler& reconciler_;
  const bool first_;  // speaks for all
};

}  // namespace

Recommender::Recommender(Environment environment)
    : environment_(environment),
      targets_(settings::OvercommitPools(environment.configuration.overcommit),
               [this](const std::string& key) { recommendations_.Look(key); }),
      source_(SourceOf(environment.configuration.usage)),
      followed_templates_("recommendationtemplates.huygens.dev", names_, environment.loop, environment.log,
                          environment.metrics,
                          {.set =
                               [this](const RecommendationTemplate& object) {
                                 targets_.SetTemplate(object);
                                 templates_.Look(object.metadata.name);
                                 return object.metadata.uid;
                               },
                           .gone = [this](const std::string& uid) { targets_.RemoveTemplate(uid); }}),
      followed_recommendations_("recommendations.huygens.dev", names_, environment.loop, environment.log,
                                environment.metrics,
                                {.set =
                                     [this](const Recommendation& object) {
                                       targets_.SetStored(object);
                                       return object.metadata.uid;
                                     },
                                 .gone = [this](const std::string& uid) { targets_.RemoveStored(uid); }}),
      followed_pods_("pods (for recommendations)", names_, environment.loop, environment.log, environment.metrics,
                     {.set =
                          [this](const MeasuredPod& pod) {
                            targets_.SetPod(pod);
                            return pod.uid;
                          },
                      .gone = [this](const std::string& uid) { targets_.RemovePod(uid); }}),
      recommendations_({.targets = targets_,
                        .calls = environment.calls,
                        .clock = environment.clock,
                        .log = environment.log,
                        .monotonic = SteadyNow,
                        .source = source_,
                        .not_ready = [this] { return NotReady(); }}),
      scan_({.targets = targets_,
             .calls = environment.calls,
             .loop = environment.loop,
             .clock = environment.clock,
             .log = environment.log,
             .monotonic = SteadyNow,
             .source = source_,
             .not_ready = [this] { return NotReady(); }}),
      templates_({.targets = targets_, .calls = environment.calls, .clock = environment.clock, .not_ready = [this] {
                    return NotReady();
                  }}) {}

Status Recommender::Start() {
  HUYGENS_RETURN_IF_ERROR(followed_templates_.Start(environment_.api_server, TemplatesResource()));
  HUYGENS_RETURN_IF_ERROR(followed_recommendations_.Start(environment_.api_server, RecommendationsResource()));
  return followed_pods_.Start(environment_.api_server, PodsResource(names_));
}

void Recommender::Stop() {
  followed_templates_.Stop();
  followed_recommendations_.Stop();
  followed_pods_.Stop();
}

std::string Recommender::NotReady() const {
  std::vector<informer::Missing> missing;
  for (const informer::FollowedObjects* each :
       {static_cast<const informer::FollowedObjects*>(&followed_templates_),
        static_cast<const informer::FollowedObjects*>(&followed_recommendations_),
        static_cast<const informer::FollowedObjects*>(&followed_pods_)}) {
    if (!each->complete()) missing.push_back(each->NotListed());
  }
  return missing.empty() ? std::string() : informer::WaitingText(missing);
}

void Recommender::Describe(observe::Readiness& readiness) const {
  readiness.items.push_back(followed_templates_.Describe());
  readiness.items.push_back(followed_recommendations_.Describe());
  readiness.items.push_back(followed_pods_.Describe());
  const std::string& trouble = scan_.trouble();
  readiness.items.push_back({.name = "use for recommendations",
                             .detail = trouble.empty()
                                           ? Concat(std::to_string(targets_.size()), " targets, ",
                                                    std::to_string(scan_.counts().scans), " scans of ", source_->name())
                                           : trouble});
}

void Recommender::RefreshMetrics(observe::Metrics& metrics) const {
  observe::RecommendationCounts counts;
  targets_.ForEach([&](const TargetState& target) {
    if (target.uid.empty()) return;
    const auto is = [&](std::string_view type) {
      const auto* condition = recommendation_api::FindCondition(target.conditions, type);
      return condition != nullptr && condition->status == "True";
    };
    ++(is(recommendation_api::kApplied)     ? counts.applied
       : is(recommendation_api::kEffective) ? counts.effective
       : is(recommendation_api::kReady)     ? counts.young
                                            : counts.unready);
  });
  for (const auto& [pool, use] : targets_.pool_use()) {
    for (size_t r = 0; r < recommend::kResources; ++r) {
      const double units = recommend::UnitsOf(static_cast<recommend::Resource>(r));
      counts.pools.push_back({.pool = pool,
                              .resource = r == 0 ? "cpu" : "memory",
                              .used = static_cast<double>(use.used[r]) / units,
                              .requested = static_cast<double>(use.requested[r]) / units,
                              .original = static_cast<double>(use.original[r]) / units,
                              .samples = use.samples[r],
                              .exceeded = use.exceeded[r]});
    }
  }
  const ScanReconciler::Counts& scan = scan_.counts();
  counts.scans = scan.scans;
  counts.failed_namespaces = scan.failed_namespaces;
  counts.samples = scan.counted;
  counts.left_out = scan.left_out;
  counts.scan_seconds = std::chrono::duration<double>(scan.last).count();
  const RecommendationReconciler::Counts& written = recommendations_.counts();
  counts.checkpoints = written.checkpoints;
  counts.statuses = written.statuses;
  counts.deleted = written.deleted;
  metrics.controller().SetRecommendations(counts);
}

std::shared_ptr<Recommender> AddReconcilers(const Recommender::Environment& environment,
                                            std::vector<std::unique_ptr<reconcile::Reconciler>>& reconcilers,
                                            std::unique_ptr<const admin::Pages>& pages) {
  if (environment.configuration.overcommit.mode == settings::OvercommitMode::kOff) return nullptr;
  const auto shared = std::make_shared<Recommender>(environment);
  if (const Status started = shared->Start(); !started.ok()) {
    environment.log.Error("no recommendations", {{"why", Message(started)}});
    return nullptr;
  }
  reconcilers.push_back(std::make_unique<Sharing>(shared, shared->recommendations(), true));
  reconcilers.push_back(std::make_unique<Sharing>(shared, shared->scan(), false));
  reconcilers.push_back(std::make_unique<Sharing>(shared, shared->templates(), false));
  pages = MakeRecommendationPages(shared);
  return shared;
}

}  // namespace huygens::recommendations
