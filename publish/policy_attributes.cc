#include "publish/policy_attributes.h"

#include <map>
#include <span>
#include <string_view>

#include "base/text.h"

namespace huygens::publish {
namespace {

constexpr std::string_view kCpuOptions[] = {"align-by-socket", "distribute-cpus-across-cores",
                                            "distribute-cpus-across-numa", "full-pcpus-only",
                                            "prefer-align-cpus-by-uncorecache"};
constexpr std::string_view kTopologyOptions[] = {"prefer-closest-numa-nodes"};

// full-pcpus-only -> FullPcpusOnly; readers take any case.
std::string CamelCase(std::string_view option) {
  std::string name;
  bool first = true;
  for (const char c : option) {
    if (c == '-') {
      first = true;
    } else {
      name += first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      first = false;
    }
  }
  return name;
}

void AddOptions(std::string_view prefix, std::span<const std::string_view> known, const kubelet_api::Options& given,
                std::map<std::string, std::string>& out) {
  for (const std::string_view name : known) out[Concat(prefix, CamelCase(name))] = "false";
  for (const auto& [name, value] : given) out[Concat(prefix, CamelCase(name))] = value;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> PolicyAttributes(const kubelet_api::RunningConfiguration& kubelet) {
  std::map<std::string, std::string> attributes = {{"cpuManagerPolicy", kubelet.cpu_manager_policy},
                                                   {"memoryManagerPolicy", kubelet.memory_manager_policy},
                                                   {"topologyManagerPolicy", kubelet.topology_manager_policy},
                                                   {"topologyManagerScope", kubelet.topology_manager_scope}};
  AddOptions("cpuManagerOption", kCpuOptions, kubelet.cpu_manager_options, attributes);
  AddOptions("topologyManagerOption", kTopologyOptions, kubelet.topology_manager_options, attributes);
  return {attributes.begin(), attributes.end()};
}

}  // namespace huygens::publish
