// A RecommendationTemplate, huygens.dev/v1alpha1 (config/crd/recommendationtemplates.yaml): of which pods there are to be
// recommendations, and how their use is looked at. Written by people, read by `huygens controller`, which says in the
// status what came of it. Safe on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/label_selector.h"
#include "base/status.h"
#include "base/time.h"
#include "recommend/profile.h"
#include "recommendation_api/object.h"
#include "recommendation_api/recommendation.h"

namespace huygens::recommendation_api {

inline constexpr std::string_view kTemplateKind = "RecommendationTemplate";
inline constexpr std::string_view kTemplatesPath = "/apis/huygens.dev/v1alpha1/recommendationtemplates";

// What differs from the pool's own; what is not there is as the pool has it.
struct TemplatePolicy {
  std::string profile;                                      // "weekly", "daily"; empty: the pool's
  std::optional<Duration> half_life;                        // "24h" in JSON
  std::optional<double> cpu_percentile, memory_percentile;  // shares: 0.95
  friend bool operator==(const TemplatePolicy&, const TemplatePolicy&) = default;
};

struct TemplateStatus {
  int64_t observed_generation = 0;
  int64_t targets = 0, ready = 0;
  std::vector<Condition> conditions;  // Ready

  static void Describe(auto& self, auto& fields) {
    fields.IfSet("observedGeneration", self.observed_generation);
    fields.Always("targets", self.targets);
    fields.Always("ready", self.ready);
    fields.IfSet("conditions", self.conditions);
  }
  friend bool operator==(const TemplateStatus&, const TemplateStatus&) = default;
};

struct RecommendationTemplate {
  Metadata metadata;
  std::vector<std::string> namespaces;  // empty: all
  LabelSelector selector;               // of pods; without requirements: all
  std::vector<std::string> kinds;       // of workloads: "Deployment"; empty: all
  Dimension dimension = Dimension::kWorkload;
  TemplatePolicy policy;
  TemplateStatus status;
  std::string defect;  // why it cannot be used; empty: it can
  friend bool operator==(const RecommendationTemplate&, const RecommendationTemplate&) = default;

  bool Selects(std::string_view namespace_name, LabelLookup labels) const;
};

// What is JSON with metadata.name but cannot be used comes back with its defect, so that it is told from one that is gone.
StatusOr<RecommendationTemplate> DecodeRecommendationTemplate(std::string_view json);
// As PUT .../status takes it: what it says besides status is there for the guards by UID and resourceVersion alone.
std::string EncodeTemplateStatus(const RecommendationTemplate& object);

// The pool's profile with what the template says otherwise.
recommend::Profile ProfileWith(const TemplatePolicy& policy, recommend::Profile of_the_pool);

}  // namespace huygens::recommendation_api
