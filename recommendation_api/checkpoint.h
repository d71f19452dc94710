// A RecommendationCheckpoint, huygens.dev/v1alpha1 (config/crd/recommendationcheckpoints.yaml): the history that a
// Recommendation of the same name rests on, as recommend::TargetHistory stores it. An object of its own, so that whoever
// follows recommendations is not told of it. Safe on any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "recommendation_api/object.h"

namespace huygens::recommendation_api {

inline constexpr std::string_view kCheckpointKind = "RecommendationCheckpoint";
inline constexpr std::string_view kCheckpoints = "recommendationcheckpoints";
inline constexpr std::string_view kCheckpointsPath = "/apis/huygens.dev/v1alpha1/recommendationcheckpoints";
// Two histograms of 176 buckets take less than 6000 bytes.
inline constexpr size_t kMostHistoryBytes = 64 << 10;

struct Checkpoint {
  Metadata metadata;
  std::string target;   // Target::Key() of what it is of
  std::string history;  // JSON, of at most kMostHistoryBytes; empty: there is none
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

StatusOr<Checkpoint> DecodeCheckpoint(std::string_view json);
std::string EncodeCheckpoint(const Checkpoint& checkpoint);

}  // namespace huygens::recommendation_api
