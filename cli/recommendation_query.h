// Recommendations as the API server stores them, for `huygens recommend`. Blocking; one thread.
#pragma once

#include <string>
#include <string_view>

#include "admin_api/recommendation_document.h"
#include "base/status.h"
#include "base/time.h"
#include "cli/api_server.h"

namespace huygens::cli {

struct RecommendationQuery {
  std::string namespace_name;  // empty: all
  std::string pool;            // empty: any
  std::string kind, name;      // of the target: "deployment", "cart"; empty: any
};

// "cart", "deployment/cart", "shop/deployment/cart"; what it does not say stays as it was. Fails on what is
// none of these.
Status ReadTarget(std::string_view text, RecommendationQuery& query);

// By namespace and name. NotFound: the cluster does not serve Recommendations.
StatusOr<admin_api::RecommendationListDocument> FindRecommendations(const ApiCall& call,
                                                                    const RecommendationQuery& query, Time now);

}  // namespace huygens::cli
