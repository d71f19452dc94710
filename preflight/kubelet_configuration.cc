#include "preflight/kubelet_configuration.h"

#include "json/reader.h"
#include "wire/resources.h"

namespace huygens::preflight {
namespace {

Status ReadPolicyOptions(JsonReader& in, wire::TextPairs& out) {
  out.clear();
  return wire::ReadTextMap(in, out);
}

Status ReadKubelet(JsonReader& in, KubeletConfiguration& out) {
  const auto topology_options = [&] { return ReadPolicyOptions(in, out.topology_manager_policy_options); };
  const auto cpu_options = [&] { return ReadPolicyOptions(in, out.cpu_manager_policy_options); };
  return in.Fields("topologyManagerPolicy", out.topology_manager_policy, "topologyManagerScope",
                   out.topology_manager_scope, "cpuManagerPolicy", out.cpu_manager_policy, "memoryManagerPolicy",
                   out.memory_manager_policy, "topologyManagerPolicyOptions", topology_options,
                   "cpuManagerPolicyOptions", cpu_options);
}

}  // namespace

StatusOr<KubeletConfiguration> DecodeConfigz(std::string_view json) {
  bool found = false;
  auto configuration = DecodeObject<KubeletConfiguration>(json, [&](JsonReader& in, KubeletConfiguration& out) {
    return in.Fields("kubeletconfig", [&] {
      found = true;
      return ReadKubelet(in, out);
    });
  });
  if (configuration.ok() && !found) return Invalid("no kubeletconfig in it: not the answer of a kubelet");
  return configuration;
}

}  // namespace huygens::preflight
