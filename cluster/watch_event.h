// What a watch, a LIST or a directory of manifests says happened, one object at a time. Applied to State on the
// decision thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "cluster/biz_group_quota.h"
#include "cluster/device_claim.h"
#include "cluster/objects.h"

namespace huygens::cluster {

enum class Kind : uint8_t {
  kNode,
  kPod,
  kCraneTopology,
  kCommunityTopology,
  kBizGroupQuota,
  kResourceClaim,
  kDeviceClass,
  kWorkload  // any kind of workload: which one, whoever follows it knows
};
// Those that State holds.
inline constexpr Kind kKinds[] = {
    Kind::kNode,          Kind::kPod,           Kind::kCraneTopology, Kind::kCommunityTopology,
    Kind::kBizGroupQuota, Kind::kResourceClaim, Kind::kDeviceClass};
inline constexpr size_t kKindCount = std::size(kKinds) + 1;
std::string_view Name(Kind kind);  // plural and group: "pods", "noderesourcetopologies.topology.crane.io"

// A LIST is ListBegin, a Set per object, ListEnd; objects of the kind that it did not name are gone. A kind whose CRD
// is absent sends an empty list.
struct ListBegin {
  Kind kind;
};
struct ListEnd {
  Kind kind;
};
// What is set bears the object's resource version, 0 if that is not known: the same again says that nothing has
// changed.
struct NodeSet {
  Node node;
  uint64_t resource_version = 0;
};
struct NodeGone {
  std::string name;
};
struct PodSet {
  std::shared_ptr<const Pod> pod;
  uint64_t resource_version = 0;
};
// A pod that is there but could not be read: it stays as it was, and as it was it may hold capacity.
struct PodKept {
  std::string uid;
};
struct PodGone {
  std::string uid;
};
struct TopologySet {
  NodeTopology topology;
  uint64_t resource_version = 0;
};
struct TopologyGone {
  TopologySource source;
  std::string node_name;
};

struct BizGroupQuotaSet {
  BizGroupQuota group;
  uint64_t resource_version = 0;
};
struct BizGroupQuotaGone {
  std::string name;
};

// One that cannot be read bears its defect.
struct ResourceClaimSet {
  std::shared_ptr<const ResourceClaim> claim;
  uint64_t resource_version = 0;
};
struct ResourceClaimGone {
  std::string key;  // namespace/name
};
struct DeviceClassSet {
  DeviceClass device_class;
  uint64_t resource_version = 0;
};
struct DeviceClassGone {
  std::string name;
};

// A workload as whoever follows its kind has decoded it.
struct DecodedWorkload {
  virtual ~DecodedWorkload() = default;
};
struct WorkloadSet {
  std::shared_ptr<const DecodedWorkload> workload;
  uint64_t resource_version = 0;
};
// One that is there but could not be read: it stays as it was.
struct WorkloadKept {
  std::string uid;
};
struct WorkloadGone {
  std::string uid;
};

using WatchEvent = std::variant<ListBegin, ListEnd, NodeSet, NodeGone, PodSet, PodKept, PodGone, TopologySet,
                                TopologyGone, BizGroupQuotaSet, BizGroupQuotaGone, ResourceClaimSet, ResourceClaimGone,
                                DeviceClassSet, DeviceClassGone, WorkloadSet, WorkloadKept, WorkloadGone>;

}  // namespace huygens::cluster
