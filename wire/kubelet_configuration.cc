#include "wire/kubelet_configuration.h"

#include "json/reader.h"

namespace huygens::wire {
namespace {

Status ReadOptions(JsonReader& in, std::vector<std::pair<std::string, std::string>>& out) {
  out.clear();
  return in.Members([&](const JsonKey& key) {
    out.emplace_back(key.text, "");
    return in.Read(out.back().second);
  });
}

Status ReadKubelet(JsonReader& in, KubeletConfiguration& out) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("topologyManagerPolicy")) return in.Read(out.topology_manager_policy);
    if (key.Is("topologyManagerScope")) return in.Read(out.topology_manager_scope);
    if (key.Is("cpuManagerPolicy")) return in.Read(out.cpu_manager_policy);
    if (key.Is("memoryManagerPolicy")) return in.Read(out.memory_manager_policy);
    if (key.Is("topologyManagerPolicyOptions")) return ReadOptions(in, out.topology_manager_policy_options);
    if (key.Is("cpuManagerPolicyOptions")) return ReadOptions(in, out.cpu_manager_policy_options);
    return absl::OkStatus();
  });
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

}  // namespace huygens::wire
