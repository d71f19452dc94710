#include "webhook/watched_recommendations.h"

#include <memory>
#include <utility>

#include "base/text.h"
#include "informer/watch_readiness.h"
#include "kube/decoded_object.h"
#include "recommendation_api/recommendation.h"
#include "wire/object_meta.h"

namespace huygens::webhook {
namespace {

using recommendation_api::Recommendation;

struct DecodedRecommendation final : cluster::DecodedWorkload {
  explicit DecodedRecommendation(Recommendation decoded) : recommendation(std::move(decoded)) {}
  const Recommendation recommendation;
};

// One that cannot be read stays as it was known.
kube::DecodedObject PresentRecommendation(std::string_view json, uint64_t resource_version) {
  kube::DecodedObject result{.event = std::nullopt, .fault = {}, .name = "(no name)"};
  auto read = recommendation_api::DecodeRecommendation(json);
  if (read.ok() && !read->metadata.uid.empty()) {
    result.name = Concat(read->metadata.namespace_name, "/", read->metadata.name);
    result.event =
        cluster::WorkloadSet{std::make_shared<const DecodedRecommendation>(*std::move(read)), resource_version};
    return result;
  }
  result.fault = read.ok() ? Invalid("an object without a UID") : read.status();
  const auto meta = wire::DecodeObjectMeta(json);
  if (meta.ok() && !meta->uid.empty()) {
    result.name = Concat(meta->namespace_name, "/", meta->name);
    result.event = cluster::WorkloadKept{meta->uid};
  }
  return result;
}

}  // namespace

WatchedRecommendations::WatchedRecommendations(ResourceNames& names, net::EventLoop& loop, observe::Log& log,
                                               observe::Metrics& metrics)
    : FollowedObjects("recommendations.huygens.dev", names, loop, log, metrics) {}

Status WatchedRecommendations::Start(const net::ClientOptions& api_server) {
  kube::Resource resource;
  resource.paths = {std::string(recommendation_api::kRecommendationsPath)};
  resource.optional = true;
  resource.why_absent =
      "the API server does not serve this kind: its definition (config/crd/recommendations.yaml) is not installed; "
      "pods are lowered by factors alone";
  resource.present = PresentRecommendation;
  resource.deleted = [](std::string_view json) { return kube::DecodeDeleted(cluster::Kind::kWorkload, json); };
  return FollowedObjects::Start(api_server, std::move(resource));
}

std::string WatchedRecommendations::NotReady() const {
  if (complete()) return "";
  const informer::Missing missing[] = {NotListed()};
  return informer::WaitingText(missing);
}

std::string WatchedRecommendations::Set(const cluster::DecodedWorkload& object) {
  const Recommendation& recommendation = static_cast<const DecodedRecommendation&>(object).recommendation;
  index_.Set(recommendation);
  return recommendation.metadata.uid;
}

}  // namespace huygens::webhook
