// Recommendations, as the watch of an API server tells of them. A cluster may be without their definition: then there are
// none, and pods are lowered by factors alone. On the loop's thread.
#pragma once

#include <string>

#include "base/resource.h"
#include "base/status.h"
#include "informer/followed_objects.h"
#include "net/client.h"
#include "webhook/known_recommendations.h"

namespace huygens::webhook {

class WatchedRecommendations final : public KnownRecommendations, public informer::FollowedObjects {
 public:
  // What is referred to must outlive this.
  WatchedRecommendations(ResourceNames& names, net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics);
  ~WatchedRecommendations() override { Stop(); }

  // Once. Fails if the client options are not usable.
  Status Start(const net::ClientOptions& api_server);

  const recommendation_api::RecommendationIndex& index() const override { return index_; }
  std::string NotReady() const override;

 private:
  std::string Set(const cluster::DecodedWorkload& object) override;
  void Gone(const std::string& uid) override { index_.Remove(uid); }

  recommendation_api::RecommendationIndex index_;
};

}  // namespace huygens::webhook
