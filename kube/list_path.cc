#include "kube/list_path.h"

#include <array>

#include "base/text.h"
#include "kube/api_call.h"
#include "kube/object_call.h"
#include "wire/list.h"
#include "wire/object_meta.h"

namespace huygens::kube {

using cluster::Kind;

namespace {

constexpr std::array<std::string_view, 1> kNodes = {"/api/v1/nodes"};
constexpr std::array<std::string_view, 1> kPods = {"/api/v1/pods"};
constexpr std::array<std::string_view, 1> kCraneTopologies = {
    "/apis/topology.crane.io/v1alpha1/noderesourcetopologies"};
constexpr std::array<std::string_view, 1> kCommunityTopologies = {
    "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"};
constexpr std::array<std::string_view, 1> kBizGroupQuotas = {"/apis/quota.huygens.dev/v1alpha1/bizgroupresourcequotas"};
// v1 since Kubernetes 1.34, v1beta2 since 1.33, v1beta1 since 1.32.
constexpr std::array<std::string_view, 3> kResourceClaims = {"/apis/resource.k8s.io/v1/resourceclaims",
                                                             "/apis/resource.k8s.io/v1beta2/resourceclaims",
                                                             "/apis/resource.k8s.io/v1beta1/resourceclaims"};
constexpr std::array<std::string_view, 3> kDeviceClasses = {"/apis/resource.k8s.io/v1/deviceclasses",
                                                            "/apis/resource.k8s.io/v1beta2/deviceclasses",
                                                            "/apis/resource.k8s.io/v1beta1/deviceclasses"};

StatusOr<uint64_t> VersionAt(net::Client& client, std::string_view path, Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const wire::ObjectList list,
                           CallForObject(wire::DecodeList, client, "GET", Concat(path, "?limit=1"), "", timeout));
  const uint64_t version = wire::ParseResourceVersion(list.resource_version);
  if (version == 0) return Internal("the API server's resource version is not a number");
  return version;
}

}  // namespace

std::span<const std::string_view> ListPaths(Kind kind) {
  switch (kind) {
    case Kind::kNode:
      return kNodes;
    case Kind::kPod:
      return kPods;
    case Kind::kCraneTopology:
      return kCraneTopologies;
    case Kind::kCommunityTopology:
      return kCommunityTopologies;
    case Kind::kBizGroupQuota:
      return kBizGroupQuotas;
    case Kind::kResourceClaim:
      return kResourceClaims;
    case Kind::kDeviceClass:
      return kDeviceClasses;
    case Kind::kWorkload:  // whoever follows them says where
      break;
  }
  return {};
}

bool IsOptional(Kind kind) { return kind != Kind::kNode && kind != Kind::kPod; }

bool IsOfDevices(Kind kind) { return kind == Kind::kResourceClaim || kind == Kind::kDeviceClass; }

std::string_view WhyAbsent(Kind kind) {
  return IsOfDevices(kind) ? "the API server serves no version of this kind that huygens reads (resource.k8s.io v1, "
                             "v1beta2, v1beta1)"
                           : "the API server does not serve this kind: its definition (CRD) is not installed";
}

std::string WhyForbidden(Kind kind, const net::HttpReply& reply) {
  return Concat(ReplyText(reply), ": add to the ClusterRole of huygens the rule {apiGroups: [resource.k8s.io], ",
                "resources: [resourceclaims, deviceclasses], verbs: [list, watch]}; without ", Name(kind),
                " pods that ask for devices are refused where their group has a budget of devices");
}

StatusOr<uint64_t> ReadResourceVersion(net::Client& client, Kind kind, Duration timeout) {
  return VersionAt(client, ListPath(kind), timeout);
}

StatusOr<uint64_t> ReadResourceVersion(net::Client& client, std::span<const std::string> paths, Duration timeout) {
  for (const std::string& path : paths) {
    StatusOr<uint64_t> version = VersionAt(client, path, timeout);
    if (!absl::IsNotFound(version.status())) return version;
  }
  return 0;
}

}  // namespace huygens::kube
