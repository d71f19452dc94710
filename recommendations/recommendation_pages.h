// /debug/recommendations?namespace=NS&pool=POOL&target=NAME&limit=N: what recommendations say now, with the samples of the
// last scan (admin_api/recommendation_document.h). Of the instance that leads alone: the others have no history.
#pragma once

#include <memory>

#include "admin/pages.h"
#include "recommendations/recommender.h"

namespace huygens::recommendations {

std::unique_ptr<const admin::Pages> MakeRecommendationPages(std::shared_ptr<const Recommender> recommender);

}  // namespace huygens::recommendations
