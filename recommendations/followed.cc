#include "recommendations/followed.h"

#include <memory>
#include <string_view>

#include "base/text.h"
#include "kube/decoded_object.h"
#include "wire/object_meta.h"

namespace huygens::recommendations {

namespace {

using recommendation_api::Recommendation;
using recommendation_api::RecommendationTemplate;

// One that cannot be read stays as it was.
template <typename Object>
kube::DecodedObject Present(StatusOr<Object> object, std::string_view json, uint64_t resource_version) {
  kube::DecodedObject result{.event = std::nullopt, .fault = object.status(), .name = "(no name)"};
  const auto meta = wire::DecodeObjectMeta(json);
  if (meta.ok()) result.name = Concat(meta->namespace_name, meta->namespace_name.empty() ? "" : "/", meta->name);
  const bool has_uid = meta.ok() && !meta->uid.empty();
  if (object.ok() && has_uid) {
    result.event =
        cluster::WorkloadSet{std::make_shared<const DecodedObject<Object>>(*std::move(object)), resource_version};
  } else if (has_uid) {
    result.event = cluster::WorkloadKept{meta->uid};
  } else if (object.ok()) {
    result.fault = Invalid("an object without a UID");
  }
  return result;
}

kube::Resource Optional(std::string_view path, std::string_view definition) {
  kube::Resource resource;
  resource.paths = {std::string(path)};
  resource.optional = true;
  resource.why_absent = Concat("the API server does not serve this kind: its definition (config/crd/", definition,
                               ") is not installed, and so there are no recommendations");
  resource.deleted = [](std::string_view json) { return kube::DecodeDeleted(cluster::Kind::kWorkload, json); };
  return resource;
}

}  // namespace

kube::Resource TemplatesResource() {
  kube::Resource resource = Optional(recommendation_api::kTemplatesPath, "recommendationtemplates.yaml");
  resource.present = [](std::string_view json, uint64_t resource_version) {
    auto object = recommendation_api::DecodeRecommendationTemplate(json);
    const std::string defect = object.ok() ? object->defect : std::string();
    kube::DecodedObject result = Present(std::move(object), json, resource_version);
    if (!defect.empty()) result.fault = Invalid(defect);
    return result;
  };
  return resource;
}

kube::Resource RecommendationsResource() {
  kube::Resource resource = Optional(recommendation_api::kRecommendationsPath, "recommendations.yaml");
  resource.present = [](std::string_view json, uint64_t resource_version) {
    return Present(recommendation_api::DecodeRecommendation(json), json, resource_version);
  };
  return resource;
}

kube::Resource PodsResource(const ResourceNames& names) {
  kube::Resource resource;
  resource.paths = {"/api/v1/pods"};
  resource.present = [&names](std::string_view json, uint64_t resource_version) {
    return Present(DecodeMeasuredPod(json, names), json, resource_version);
  };
  resource.deleted = [](std::string_view json) { return kube::DecodeDeleted(cluster::Kind::kWorkload, json); };
  return resource;
}

}  // namespace huygens::recommendations
