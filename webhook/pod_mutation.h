// Pods on their way into a cluster: what is lowered of their requests, as a patch (docs/overcommit.md). Nothing here refuses a pod: one that cannot be read, is in no pool, or comes before the
// recommendations are known is created as it is written. The loop's thread.
#pragma once

#include <string_view>

#include "base/resource.h"
#include "base/time.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "observe/metrics.h"
#include "settings/overcommit_pools.h"
#include "webhook/admission_review.h"
#include "webhook/known_recommendations.h"

namespace huygens::webhook {

// Of a namespace: no pod in it is lowered.
inline constexpr std::string_view kOvercommitLabel = "huygens.dev/overcommit";

// Whether the review is about a pod that is to be created.
bool IsAPodToBe(const AdmissionRequest& request);

class PodMutation {
 public:
  struct Environment {
    observe::Log& log;
    observe::Metrics& metrics;
    const Clock& clock;
  };

  // Everything referred to must outlive it.
  PodMutation(const settings::OvercommitPools& pools, const KnownRecommendations& known, Environment environment)
      : pools_(pools), known_(known), environment_(environment) {}

  bool off() const { return pools_.off(); }
  AdmissionAnswer Judge(const AdmissionRequest& request);

 private:
  // No patch, and why: nobody's pod is to wait for that.
  AdmissionAnswer AsWritten(const AdmissionRequest& request, std::string_view why);

  const settings::OvercommitPools& pools_;
  const KnownRecommendations& known_;
  const Environment environment_;
  const ResourceNames names_;
  observe::RateLimit warnings_{std::chrono::seconds(10)};
};

}  // namespace huygens::webhook
