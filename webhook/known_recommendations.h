// What is known of recommendations when a pod is created, from wherever it is known.
#pragma once

#include <string>

#include "recommendation_api/index.h"

namespace huygens::webhook {

class KnownRecommendations {
 public:
  virtual ~KnownRecommendations() = default;
  virtual const recommendation_api::RecommendationIndex& index() const = 0;
  // What is not known yet and is needed, in words for people; empty: nothing.
  virtual std::string NotReady() const = 0;
};

}  // namespace huygens::webhook
