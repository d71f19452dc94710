// Recommendations from a directory of manifests that stands in for a cluster. Read once. Blocking; one thread at a time.
#pragma once

#include <string>

#include "base/status.h"
#include "webhook/known_recommendations.h"

namespace huygens::webhook {

class ManifestRecommendations final : public KnownRecommendations {
 public:
  // Other objects are passed over. The error has a line for each fault.
  Status Load(const std::string& directory);

  const recommendation_api::RecommendationIndex& index() const override { return index_; }
  std::string NotReady() const override { return {}; }

 private:
  recommendation_api::RecommendationIndex index_;
};

}  // namespace huygens::webhook
