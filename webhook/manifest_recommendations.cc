#include "webhook/manifest_recommendations.h"

#include <utility>

#include "kube/manifest_files.h"
#include "recommendation_api/recommendation.h"

namespace huygens::webhook {

Status ManifestRecommendations::Load(const std::string& directory) {
  return kube::ForEachManifest(directory, [this](const kube::ManifestObject& object) -> Status {
    if (object.meta.api_version != recommendation_api::kApiVersion ||
        object.meta.kind != recommendation_api::kRecommendationKind) {
      return absl::OkStatus();
    }
    auto read = recommendation_api::DecodeRecommendation(object.json);
    if (!read.ok()) return Annotate(read.status(), object.place);
    if (read->metadata.uid.empty()) read->metadata.uid = read->target.Key();
    index_.Set(*std::move(read));
    return absl::OkStatus();
  });
}

}  // namespace huygens::webhook
