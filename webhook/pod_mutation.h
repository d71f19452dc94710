// Pods on their way into a cluster, at the path of the mutating webhook: what is lowered of their requests, as a patch
// (docs/overcommit.md). Nothing here refuses a pod: one that cannot be read, is in no pool, or comes before the
// recommendations are known is created as it is written. The loop's thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/resource.h"
#include "base/status.h"
#include "base/time.h"
#include "net/server.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "observe/metrics.h"
#include "settings/overcommit_pools.h"
#include "webhook/admission_review.h"
#include "webhook/known_recommendations.h"

namespace huygens::webhook {

// Below server.pathPrefix.
inline constexpr std::string_view kMutatePath = "mutate";

class PodMutation {
 public:
  struct Environment {
    observe::Log& log;
    observe::Metrics& metrics;
    const Clock& clock;
    std::function<Duration()> monotonic;
  };

  // Everything referred to must outlive it.
  PodMutation(const settings::OvercommitPools& pools, const KnownRecommendations& known, std::string_view path_prefix,
              Environment environment);

  const std::string& path() const { return path_; }
  void Handle(const net::Request& request, const net::Respond& respond);
  // The review that answers one, as text; an error where `body` is no review.
  StatusOr<std::string> Answer(std::string_view body);

 private:
  AdmissionAnswer Judge(const AdmissionRequest& request);
  // No patch, and why: nobody's pod is to wait for that.
  AdmissionAnswer AsWritten(const AdmissionRequest& request, std::string_view why);

  const settings::OvercommitPools& pools_;
  const KnownRecommendations& known_;
  const std::string path_;
  const Environment environment_;
  const ResourceNames names_;
  observe::RateLimit warnings_{std::chrono::seconds(10)};
};

}  // namespace huygens::webhook
