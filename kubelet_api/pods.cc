#include "kubelet_api/pods.h"

#include <algorithm>
#include <iterator>

#include "json/reader.h"

namespace huygens::kubelet_api {
namespace {

Status ReadAnnotations(JsonReader& in, Pod& pod) {
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) {
    if (!key.text.starts_with("huygens.dev/") && !key.text.starts_with("topology.crane.io/")) return absl::OkStatus();
    return in.Read(pod.annotations.emplace_back(key.text, "").second);
  }));
  std::sort(pod.annotations.begin(), pod.annotations.end());
  return absl::OkStatus();
}

Status ReadMetadata(JsonReader& in, Pod& pod) {
  std::string deleted;
  HUYGENS_RETURN_IF_ERROR(in.Fields("uid", pod.uid, "namespace", pod.namespace_name, "name", pod.name,
                                    "deletionTimestamp", deleted, "annotations",
                                    [&] { return ReadAnnotations(in, pod); }));
  pod.deleting = !deleted.empty();
  return absl::OkStatus();
}

Status ReadCpu(JsonReader& in, std::string& cpu) {
  return in.Members([&](const JsonKey& key) { return key.text == "cpu" ? in.Read(cpu) : absl::OkStatus(); });
}

Status ReadContainers(JsonReader& in, bool init, std::vector<Container>& out) {
  return in.Elements([&](size_t) -> Status {
    Container container;
    std::string restart;
    const auto requests = [&] { return ReadCpu(in, container.cpu_request); };
    const auto limits = [&] { return ReadCpu(in, container.cpu_limit); };
    HUYGENS_RETURN_IF_ERROR(in.Fields("name", container.name, "restartPolicy", restart, "resources",
                                      [&] { return in.Fields("requests", requests, "limits", limits); }));
    if (init) container.kind = restart == "Always" ? ContainerKind::kSidecar : ContainerKind::kInit;
    out.push_back(std::move(container));
    return absl::OkStatus();
  });
}

Status ReadPod(JsonReader& in, Pod& pod) {
  std::string phase, qos;
  std::vector<Container> init, app;
  const auto read_init = [&] { return ReadContainers(in, true, init); };
  const auto read_app = [&] { return ReadContainers(in, false, app); };
  HUYGENS_RETURN_IF_ERROR(in.Fields(
      "metadata", [&] { return ReadMetadata(in, pod); },                                       //
      "spec", [&] { return in.Fields("initContainers", read_init, "containers", read_app); },  //
      "status", [&] { return in.Fields("phase", phase, "qosClass", qos); }));
  pod.terminal = phase == "Succeeded" || phase == "Failed";
  pod.guaranteed = qos == "Guaranteed";
  pod.containers = std::move(init);
  std::move(app.begin(), app.end(), std::back_inserter(pod.containers));
  return absl::OkStatus();
}

}  // namespace

std::string_view Pod::Annotation(std::string_view key) const {
  const auto found = std::ranges::find(annotations, key, [](const auto& pair) { return std::string_view(pair.first); });
  return found == annotations.end() ? std::string_view() : found->second;
}

StatusOr<std::vector<Pod>> DecodePods(std::string_view json) {
  std::string kind;
  auto pods = DecodeObject<std::vector<Pod>>(json, [&](JsonReader& in, std::vector<Pod>& out) {
    return in.Fields("kind", kind, "items",
                     [&] { return in.Elements([&](size_t) { return ReadPod(in, out.emplace_back()); }); });
  });
  if (!pods.ok()) return Annotate(pods.status(), "kubelet's /pods");
  if (kind != "PodList") return Invalid("kubelet's /pods is no PodList");
  std::erase_if(*pods, [](const Pod& pod) { return pod.uid.empty(); });
  std::stable_sort(pods->begin(), pods->end(), [](const Pod& a, const Pod& b) { return a.uid < b.uid; });
  return pods;
}

}  // namespace huygens::kubelet_api
