#include "publish/kubelet_cpus.h"

#include <algorithm>

namespace huygens::publish {

std::map<int, KubeletCpu> KubeletCpus(const kubelet_api::KubeletMachine& machine) {
  std::map<int, KubeletCpu> cpus;
  for (const kubelet_api::KubeletNode& node : machine.nodes) {
    if (node.id < 0 || !node.cores) continue;
    for (const kubelet_api::KubeletCore& core : *node.cores) {
      if (core.cpus.empty()) continue;
      const auto lowest = static_cast<int>(*std::min_element(core.cpus.begin(), core.cpus.end()));
      for (const int64_t cpu : core.cpus) {
        cpus[static_cast<int>(cpu)] = {.zone = static_cast<int>(node.id), .core = lowest, .package = core.package};
      }
    }
  }
  return cpus;
}

bool Has(const kubelet_api::Options& options, std::string_view name) {
  return std::ranges::any_of(options,
                             [&](const auto& option) { return option.first == name && option.second == "true"; });
}

}  // namespace huygens::publish
