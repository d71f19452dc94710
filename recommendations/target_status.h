// What is to be said of a target in its Recommendation: what its pods use, what they would ask for, and why that is or is
// not done. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "recommendation_api/recommendation.h"
#include "settings/overcommit_pools.h"

namespace huygens::recommendations {

struct TargetState;

// Why a target is to be given up; empty: it is not.
inline constexpr std::string_view kWorkloadGone = "WorkloadGone";
inline constexpr std::string_view kTemplateGone = "TemplateGone";
inline constexpr std::string_view kNotSelected = "NotSelected";

// Conditions keep the time of their last transition where they say the same as those that are stored. `gone`: one of the
// reasons above.
recommendation_api::RecommendationStatus StatusOf(const TargetState& target, const settings::OvercommitPools& pools,
                                                  Time now, std::string_view gone = {});

// The same for two statuses between which nothing has changed but what changes with every sample.
uint64_t DigestOf(const recommendation_api::RecommendationStatus& status);
// Of that what does not follow from the value of the model.
uint64_t OutlineOf(recommendation_api::RecommendationStatus status);

}  // namespace huygens::recommendations
