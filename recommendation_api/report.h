// A Recommendation in the words of the admin document. Pure; any thread.
#pragma once

#include "admin_api/recommendation_document.h"
#include "base/time.h"
#include "recommendation_api/recommendation.h"

namespace huygens::recommendation_api {

admin_api::RecommendationRow RowOf(const Recommendation& recommendation, Time now);

}  // namespace huygens::recommendation_api
