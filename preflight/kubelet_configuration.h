// What a kubelet says of its own configuration: GET /api/v1/nodes/NAME/proxy/configz (k8s.io/kubelet/config/v1beta1
// KubeletConfiguration below `kubeletconfig`). Only what decides where pods are pinned. Safe on any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace huygens::preflight {

struct KubeletConfiguration {
  std::string topology_manager_policy;
  std::string topology_manager_scope;
  std::string cpu_manager_policy;
  std::string memory_manager_policy;
  std::vector<std::pair<std::string, std::string>> topology_manager_policy_options;  // in order of the answer
  std::vector<std::pair<std::string, std::string>> cpu_manager_policy_options;
};

// Fails on what is no such answer.
StatusOr<KubeletConfiguration> DecodeConfigz(std::string_view json);

}  // namespace huygens::preflight
