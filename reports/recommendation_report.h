// What `huygens recommend` prints of recommendations. Pure; any thread.
#pragma once

#include <string>

#include "admin_api/recommendation_document.h"

namespace huygens::reports {

// A line for each resource of each target, and why it is not applied; a sum of what would be free at the end.
std::string RecommendationsText(const admin_api::RecommendationListDocument& document);

}  // namespace huygens::reports
