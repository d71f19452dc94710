#include "cli/pod_fields.h"

#include <algorithm>
#include <span>
#include <string>

#include "admin_api/amounts.h"
#include "base/nearest_name.h"
#include "json/reader.h"

namespace huygens::cli {

namespace {

using Names = std::span<const std::string_view>;

// core/v1 of Kubernetes 1.36, staging/src/k8s.io/api/core/v1/types.go.
constexpr std::string_view kPod[] = {"apiVersion", "kind", "metadata", "spec", "status"};
constexpr std::string_view kMetadata[] = {"name",
                                          "generateName",
                                          "namespace",
                                          "selfLink",
                                          "uid",
                                          "resourceVersion",
                                          "generation",
                                          "creationTimestamp",
                                          "deletionTimestamp",
                                          "deletionGracePeriodSeconds",
                                          "labels",
                                          "annotations",
                                          "ownerReferences",
                                          "finalizers",
                                          "managedFields"};
constexpr std::string_view kSpec[] = {"volumes",
                                      "initContainers",
                                      "containers",
                                      "ephemeralContainers",
                                      "restartPolicy",
                                      "terminationGracePeriodSeconds",
                                      "activeDeadlineSeconds",
                                      "dnsPolicy",
                                      "nodeSelector",
                                      "serviceAccountName",
                                      "serviceAccount",
                                      "automountServiceAccountToken",
                                      "nodeName",
                                      "hostNetwork",
                                      "hostPID",
                                      "hostIPC",
                                      "shareProcessNamespace",
                                      "securityContext",
                                      "imagePullSecrets",
                                      "hostname",
                                      "subdomain",
                                      "affinity",
                                      "schedulerName",
                                      "tolerations",
                                      "hostAliases",
                                      "priorityClassName",
                                      "priority",
                                      "dnsConfig",
                                      "readinessGates",
                                      "runtimeClassName",
                                      "enableServiceLinks",
                                      "preemptionPolicy",
                                      "overhead",
                                      "topologySpreadConstraints",
                                      "setHostnameAsFQDN",
                                      "os",
                                      "hostUsers",
                                      "schedulingGates",
                                      "resourceClaims",
                                      "resources",
                                      "hostnameOverride",
                                      "workloadRef",
                                      "schedulingGroup"};
constexpr std::string_view kContainer[] = {"name",
                                           "image",
                                           "command",
                                           "args",
                                           "workingDir",
                                           "ports",
                                           "envFrom",
                                           "env",
                                           "resources",
                                           "resizePolicy",
                                           "restartPolicy",
                                           "restartPolicyRules",
                                           "volumeMounts",
                                           "volumeDevices",
                                           "livenessProbe",
                                           "readinessProbe",
                                           "startupProbe",
                                           "lifecycle",
                                           "terminationMessagePath",
                                           "terminationMessagePolicy",
                                           "imagePullPolicy",
                                           "securityContext",
                                           "stdin",
                                           "stdinOnce",
                                           "tty"};
constexpr std::string_view kResources[] = {"limits", "requests", "claims"};

Status CheckName(const JsonKey& key, Names known) {
  if (std::ranges::find(known, key.text) != known.end()) return absl::OkStatus();
  const std::string_view nearest = NearestName(key.text, known);
  return nearest.empty() ? absl::OkStatus() : Invalid(Concat("there is no such field; did you mean ", nearest, "?"));
}

Status CheckResources(JsonReader& in) {
  return in.Members([&](const JsonKey& key) { return CheckName(key, kResources); });
}

Status CheckContainers(JsonReader& in) {
  return in.Elements([&](size_t) {
    return in.Members([&](const JsonKey& key) -> Status {
      HUYGENS_RETURN_IF_ERROR(CheckName(key, kContainer));
      return key.text == "resources" ? CheckResources(in) : absl::OkStatus();
    });
  });
}

Status CheckSpec(JsonReader& in) {
  return in.Members([&](const JsonKey& key) -> Status {
    HUYGENS_RETURN_IF_ERROR(CheckName(key, kSpec));
    if (key.text == "containers" || key.text == "initContainers") return CheckContainers(in);
    return key.text == "resources" ? CheckResources(in) : absl::OkStatus();
  });
}

Status CheckAmounts(const ResourceVector& requests, const ResourceVector& limits, const ResourceNames& names,
                    std::string_view place) {
  for (const auto& [resource, limit] : limits) {
    const int64_t request = requests.Get(resource);
    if (request <= limit) continue;
    return Invalid(Concat(place, ".resources: requests ", admin_api::QuantityText(resource, request), " ",
                          names.Name(resource), ", above the limit of ", admin_api::QuantityText(resource, limit)));
  }
  return absl::OkStatus();
}

Status CheckAll(const std::vector<cluster::Container>& containers, const ResourceNames& names, std::string_view list) {
  for (size_t i = 0; i < containers.size(); ++i) {
    const std::string place = Concat("spec.", list, "[", std::to_string(i), "]");
    HUYGENS_RETURN_IF_ERROR(CheckAmounts(containers[i].requests, containers[i].limits, names, place));
  }
  return absl::OkStatus();
}

}  // namespace

Status CheckPodFields(std::string_view json) {
  struct Nothing {};
  const auto checked = DecodeObject<Nothing>(json, [](JsonReader& in, Nothing&) {
    return in.Members([&](const JsonKey& key) -> Status {
      HUYGENS_RETURN_IF_ERROR(CheckName(key, kPod));
      if (key.text == "spec") return CheckSpec(in);
      if (key.text != "metadata") return absl::OkStatus();
      return in.Members([&](const JsonKey& field) { return CheckName(field, kMetadata); });
    });
  });
  return checked.status();
}

Status CheckPodLimits(const cluster::Pod& pod, const ResourceNames& names) {
  HUYGENS_RETURN_IF_ERROR(CheckAll(pod.init_containers, names, "initContainers"));
  HUYGENS_RETURN_IF_ERROR(CheckAll(pod.containers, names, "containers"));
  return pod.pod_level ? CheckAmounts(pod.pod_level->requests, pod.pod_level->limits, names, "spec") : absl::OkStatus();
}

}  // namespace huygens::cli
