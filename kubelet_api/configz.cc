#include "kubelet_api/configz.h"

#include <algorithm>

#include "base/text.h"
#include "json/reader.h"

namespace huygens::kubelet_api {
namespace {

// Kubelet's own, for a text that is empty as for one that is not there.
Status ReadWord(JsonReader& in, std::string& out) {
  std::string text;
  HUYGENS_RETURN_IF_ERROR(in.Read(text));
  if (!text.empty()) out = std::move(text);
  return absl::OkStatus();
}

void Sort(auto& pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

Status ReadOptions(JsonReader& in, Options& out) {
  out.clear();
  HUYGENS_RETURN_IF_ERROR(
      in.Members([&](const JsonKey& key) { return in.Read(out.emplace_back(key.text, "").second); }));
  Sort(out);
  return absl::OkStatus();
}

Status ReadAmounts(JsonReader& in, Amounts& out) {
  out.clear();
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) -> Status {
    std::string name(key.text), text;
    HUYGENS_RETURN_IF_ERROR(in.Read(text));
    StatusOr<Quantity> amount = Quantity::Parse(text);
    if (!amount.ok()) return Annotate(amount.status(), Concat("\"", CutText(text, 40), "\""));
    if (amount->Sign() < 0) return Invalid(Concat("\"", CutText(text, 40), "\" is negative"));
    out.emplace_back(std::move(name), *std::move(amount));
    return absl::OkStatus();
  }));
  Sort(out);
  return absl::OkStatus();
}

Status ReadReservedMemory(JsonReader& in, std::vector<ReservedMemory>& out) {
  out.clear();
  HUYGENS_RETURN_IF_ERROR(in.Elements([&](size_t) {
    ReservedMemory& each = out.emplace_back();
    return in.Fields("numaNode", each.zone, "limits", [&] { return ReadAmounts(in, each.limits); });
  }));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.zone < b.zone; });
  return absl::OkStatus();
}

Status ReadConfiguration(JsonReader& in, RunningConfiguration& out) {
  return in.Members([&](const JsonKey& key) -> Status {
    if (key.Is("cpuManagerPolicy")) return ReadWord(in, out.cpu_manager_policy);
    if (key.Is("cpuManagerPolicyOptions")) return ReadOptions(in, out.cpu_manager_options);
    if (key.Is("memoryManagerPolicy")) return ReadWord(in, out.memory_manager_policy);
    if (key.Is("topologyManagerPolicy")) return ReadWord(in, out.topology_manager_policy);
    if (key.Is("topologyManagerScope")) return ReadWord(in, out.topology_manager_scope);
    if (key.Is("topologyManagerPolicyOptions")) return ReadOptions(in, out.topology_manager_options);
    if (key.Is("reservedSystemCPUs")) {
      std::string text;
      HUYGENS_RETURN_IF_ERROR(in.Read(text));
      if (text.empty()) return absl::OkStatus();
      HUYGENS_ASSIGN_OR_RETURN(out.reserved_cpus, machine::ParseIdList(text));
      return absl::OkStatus();
    }
    if (key.Is("systemReserved")) return ReadAmounts(in, out.system_reserved);
    if (key.Is("kubeReserved")) return ReadAmounts(in, out.kube_reserved);
    if (key.Is("reservedMemory")) return ReadReservedMemory(in, out.reserved_memory);
    if (key.Is("evictionHard")) return ReadOptions(in, out.eviction_hard);
    if (key.Is("maxPods")) return in.Read(out.max_pods);
    if (key.Is("cgroupDriver")) return ReadWord(in, out.cgroup_driver);
    if (key.Is("cgroupRoot")) return ReadWord(in, out.cgroup_root);
    if (key.Is("cpuCFSQuota")) return in.Read(out.cpu_quota);
    return absl::OkStatus();
  });
}

}  // namespace

StatusOr<RunningConfiguration> DecodeConfigz(std::string_view json) {
  bool found = false;
  auto decoded = DecodeObject<RunningConfiguration>(json, [&](JsonReader& in, RunningConfiguration& out) {
    return in.Members([&](const JsonKey& key) {
      if (!key.Is("kubeletconfig")) return absl::OkStatus();
      found = in.Next() == JsonType::kObject;
      return ReadConfiguration(in, out);
    });
  });
  if (!decoded.ok()) return Annotate(decoded.status(), "kubelet's /configz");
  if (!found) return Invalid("kubelet's /configz has no kubeletconfig");
  return decoded;
}

Quantity ReservedOf(const RunningConfiguration& configuration, std::string_view resource) {
  if (resource == "cpu" && configuration.reserved_cpus) {
    return Quantity::FromInt(static_cast<int64_t>(configuration.reserved_cpus->size()));
  }
  Quantity sum;
  for (const Amounts* amounts : {&configuration.system_reserved, &configuration.kube_reserved}) {
    for (const auto& [name, amount] : *amounts) {
      if (name == resource) sum.Add(amount);
    }
  }
  return sum;
}

}  // namespace huygens::kubelet_api
