// Whether the topology objects cover the nodes and say what huygens goes by; and whether what it assumes of kubelets is
// what they say themselves. Pure functions of the decision core's own state, so that both judge alike.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "placement/placement.h"
#include "preflight/finding.h"
#include "preflight/kubelet_configuration.h"
#include "settings/configuration.h"

namespace huygens::preflight {

Findings JudgeTopology(const placement::Placement& placement, const settings::Configuration& configuration, Time now);

// What the kubelet of a node says of itself (/configz).
struct KubeletSays {
  std::string node;
  StatusOr<KubeletConfiguration> configuration;
};
Findings JudgeKubelets(const placement::Placement& placement, const std::vector<KubeletSays>& kubelets);

}  // namespace huygens::preflight
