// What the HPA controller is told in place of what was measured, so that its own arithmetic on lowered requests comes to
// the count of the basis (recommend/metrics_front.h). Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "metrics_front/asked_pod.h"
#include "metrics_front/autoscaler.h"

namespace huygens::metrics_front {

// As kube-controller-manager runs.
struct ControllerOptions {
  double tolerance = 0.1;
  Duration cpu_initialization = std::chrono::minutes(5);
  Duration initial_readiness_delay = std::chrono::seconds(30);
};

// What an autoscaler's targets are a share of: its annotation, else what the youngest pod says that says anything.
// kRequest: nothing is to be changed.
recommend::Basis BasisOf(const Autoscaler& autoscaler, std::span<const AskedPod* const> pods);

struct ScaledAnswer {
  std::string body;  // the list, with other amounts where that is needed
  bool changed = false;
  std::string conflict;  // metrics that contradict, whose resource is left as it was measured; empty: none
};

// `measured`: the PodMetricsList of exactly these pods' selector. By limits where a container has none, original requests
// are taken; where the count cannot be computed at all, what was measured. Fails on what is no such list.
StatusOr<ScaledAnswer> ScaleAnswerFor(const Autoscaler& autoscaler, const Scale& scale, recommend::Basis basis,
                                      std::span<const AskedPod* const> pods, std::string_view measured, Time now,
                                      const ControllerOptions& options);

}  // namespace huygens::metrics_front
