// Templates, recommendations and pods, as the watches of an API server tell of them. A cluster may be without the
// definitions of the former: then there are none. On the loop's thread.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/resource.h"
#include "informer/followed_objects.h"
#include "kube/resource.h"
#include "net/client.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "recommendation_api/recommendation.h"
#include "recommendation_api/recommendation_template.h"
#include "recommendations/measured_pod.h"

namespace huygens::recommendations {

// An object as the reflector's thread has decoded it.
template <typename Object>
struct DecodedObject final : cluster::DecodedWorkload {
  explicit DecodedObject(Object decoded) : object(std::move(decoded)) {}
  const Object object;
};

template <typename Object>
class Followed final : public informer::FollowedObjects {
 public:
  struct Callbacks {
    std::function<std::string(const Object&)> set;  // says the UID
    std::function<void(const std::string& uid)> gone;
  };
  Followed(std::string name, ResourceNames& names, net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics,
           Callbacks callbacks)
      : FollowedObjects(std::move(name), names, loop, log, metrics), callbacks_(std::move(callbacks)) {}
  ~Followed() override { Stop(); }

 private:
  std::string Set(const cluster::DecodedWorkload& object) override {
    return callbacks_.set(static_cast<const DecodedObject<Object>&>(object).object);
  }
  void Gone(const std::string& uid) override { callbacks_.gone(uid); }

  const Callbacks callbacks_;
};

using FollowedTemplates = Followed<recommendation_api::RecommendationTemplate>;
using FollowedRecommendations = Followed<recommendation_api::Recommendation>;
using FollowedPods = Followed<MeasuredPod>;

kube::Resource TemplatesResource();
kube::Resource RecommendationsResource();
// `names` outlives it.
kube::Resource PodsResource(const ResourceNames& names);

}  // namespace huygens::recommendations
