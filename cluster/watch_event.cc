#include "cluster/watch_event.h"

namespace huygens::cluster {

std::string_view Name(Kind kind) {
  switch (kind) {
    case Kind::kNode:
      return "nodes";
    case Kind::kPod:
      return "pods";
    case Kind::kCraneTopology:
      return "noderesourcetopologies.topology.crane.io";
    case Kind::kCommunityTopology:
      return "noderesourcetopologies.topology.node.k8s.io";
    case Kind::kBizGroupQuota:
      return "bizgroupresourcequotas.quota.huygens.dev";
    case Kind::kResourceClaim:
      return "resourceclaims.resource.k8s.io";
    case Kind::kDeviceClass:
      return "deviceclasses.resource.k8s.io";
    case Kind::kWorkload:
      return "workloads";
  }
  return "unknown";
}

}  // namespace huygens::cluster
