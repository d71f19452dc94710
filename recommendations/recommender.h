// All that makes recommendations in `huygens controller`: what it follows of the cluster, where use is read, and the two
// reconcilers. Owned by the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "admin/pages.h"
#include "base/resource.h"
#include "base/time.h"
#include "net/client.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "observe/readiness.h"
#include "recommendations/followed.h"
#include "recommendations/recommendation_reconciler.h"
#include "recommendations/scan_reconciler.h"
#include "recommendations/targets.h"
#include "recommendations/template_reconciler.h"
#include "reconcile/leader_calls.h"
#include "reconcile/reconciler.h"
#include "settings/configuration.h"

namespace huygens::recommendations {

class Recommender {
 public:
  // What is referred to outlives this.
  struct Environment {
    const settings::Configuration& configuration;
    const net::ClientOptions& api_server;
    net::EventLoop& loop;
    observe::Log& log;
    observe::Metrics& metrics;
    const Clock& clock;
    reconcile::LeaderCalls& calls;
  };
  explicit Recommender(Environment environment);
  ~Recommender() { Stop(); }
  Recommender(const Recommender&) = delete;
  Recommender& operator=(const Recommender&) = delete;

  // Once. Fails if the client options are not usable.
  Status Start();
  void Stop();
  // What was never listed yet, in words; empty: all was.
  std::string NotReady() const;
  // Items of /readyz.
  void Describe(observe::Readiness& readiness) const;
  void RefreshMetrics(observe::Metrics& metrics) const;
  void Interrupt() { source_->Interrupt(); }

  Targets& targets() { return targets_; }
  const Targets& targets() const { return targets_; }
  RecommendationReconciler& recommendations() { return recommendations_; }
  ScanReconciler& scan() { return scan_; }
  TemplateReconciler& templates() { return templates_; }
  const Environment& environment() const { return environment_; }

 private:
  const Environment environment_;
  ResourceNames names_;
  Targets targets_;
  std::shared_ptr<UseSource> source_;
  FollowedTemplates followed_templates_;
  FollowedRecommendations followed_recommendations_;
  FollowedPods followed_pods_;
  RecommendationReconciler recommendations_;
  ScanReconciler scan_;
  TemplateReconciler templates_;
};

// The reconcilers, which own what they share, and the page that shows it; none and null where overcommit.mode is off.
std::shared_ptr<Recommender> AddReconcilers(const Recommender::Environment& environment,
                                            std::vector<std::unique_ptr<reconcile::Reconciler>>& reconcilers,
                                            std::unique_ptr<const admin::Pages>& pages);

}  // namespace huygens::recommendations
