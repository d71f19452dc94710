#include "kube/decoded_object.h"

#include "wire/biz_group_quota.h"
#include "wire/device_claim.h"
#include "wire/node.h"
#include "wire/object_meta.h"
#include "wire/pod.h"
#include "wire/topology.h"
#include "wire/unknown_annotations.h"

namespace huygens::kube {
namespace {

using cluster::Kind;
using cluster::TopologySource;

TopologySource SourceOf(Kind kind) {
  return kind == Kind::kCraneTopology ? TopologySource::kCrane : TopologySource::kCommunity;
}

std::string NameOf(const wire::ObjectMeta& meta) {
  return meta.namespace_name.empty() ? meta.name : Concat(meta.namespace_name, "/", meta.name);
}

// What to believe of an object that cannot be read: a node or device class is not there, a topology object is there but
// of no use; a pod stays as it was, since it may well hold what it held.
DecodedObject Unreadable(Kind kind, std::string_view json, Status fault) {
  DecodedObject result{.event = std::nullopt, .fault = std::move(fault), .name = "(no name)"};
  const auto meta = wire::DecodeObjectMeta(json);
  if (!meta.ok() || meta->name.empty()) return result;
  result.name = NameOf(*meta);
  if (kind == Kind::kNode) result.event = cluster::NodeGone{meta->name};
  if (kind == Kind::kPod && !meta->uid.empty()) result.event = cluster::PodKept{meta->uid};
  if (kind == Kind::kCraneTopology || kind == Kind::kCommunityTopology) {
    cluster::NodeTopology topology;
    topology.source = SourceOf(kind);
    topology.node_name = meta->name;
    topology.defect = std::string(Message(result.fault));
    result.event = cluster::TopologySet{std::move(topology)};
  }
  if (kind == Kind::kBizGroupQuota) {
    cluster::BizGroupQuota group;
    group.name = meta->name;
    group.defect = std::string(Message(result.fault));
    result.event = cluster::BizGroupQuotaSet{std::move(group)};
  }
  if (kind == Kind::kDeviceClass) result.event = cluster::DeviceClassGone{meta->name};
  return result;
}

}  // namespace

DecodedObject DecodePresent(Kind kind, std::string_view json, ResourceNames& names, uint64_t resource_version) {
  DecodedObject result;
  switch (kind) {
    case Kind::kNode: {
      auto node = wire::DecodeNode(json, names, &result.fault);
      if (!node.ok()) return Unreadable(kind, json, node.status());
      if (node->name.empty()) return Unreadable(kind, json, Invalid("an object without a name"));
      result.name = node->name;
      result.in_use = !result.fault.ok();
      result.event = cluster::NodeSet{*std::move(node), resource_version};
      return result;
    }
    case Kind::kPod: {
      auto pod = wire::DecodePod(json, names, &result.fault);
      if (!pod.ok()) return Unreadable(kind, json, pod.status());
      if (pod->uid.empty() || pod->name.empty()) return Unreadable(kind, json, Invalid("a pod without name or UID"));
      wire::KeepUnknownAnnotations(json, *pod);
      result.name = pod->Key();
      result.in_use = !result.fault.ok();
      result.event = cluster::PodSet{std::make_shared<const cluster::Pod>(*std::move(pod)), resource_version};
      return result;
    }
    case Kind::kCraneTopology:
    case Kind::kCommunityTopology: {
      auto topology = kind == Kind::kCraneTopology ? wire::DecodeCraneTopology(json, names, &result.fault)
                                                   : wire::DecodeCommunityTopology(json, names, &result.fault);
      if (!topology.ok()) return Unreadable(kind, json, topology.status());
      if (topology->node_name.empty()) return Unreadable(kind, json, Invalid("an object without a name"));
      result.name = topology->node_name;
      result.in_use = !result.fault.ok() && topology->defect.empty();
      if (!topology->defect.empty()) result.fault = Invalid(topology->defect);
      result.event = cluster::TopologySet{*std::move(topology), resource_version};
      return result;
    }
    case Kind::kBizGroupQuota: {
      auto group = wire::DecodeBizGroupQuota(json, &result.fault);
      if (!group.ok()) return Unreadable(kind, json, group.status());
      result.name = group->name;
      result.in_use = !result.fault.ok() && group->defect.empty();
      if (!group->defect.empty()) result.fault = Invalid(group->defect);
      result.event = cluster::BizGroupQuotaSet{*std::move(group), resource_version};
      return result;
    }
    case Kind::kResourceClaim: {
      auto claim = wire::DecodeResourceClaim(json, &result.fault);
      if (!claim.ok()) return Unreadable(kind, json, claim.status());
      result.name = claim->Key();
      result.in_use = !result.fault.ok() && claim->defect.empty();
      if (!claim->defect.empty()) result.fault = Invalid(claim->defect);
      result.event = cluster::ResourceClaimSet{std::make_shared<const cluster::ResourceClaim>(*std::move(claim)),
                                               resource_version};
      return result;
    }
    case Kind::kDeviceClass: {
      auto device_class = wire::DecodeDeviceClass(json);
      if (!device_class.ok()) return Unreadable(kind, json, device_class.status());
      result.name = device_class->name;
      result.event = cluster::DeviceClassSet{*std::move(device_class), resource_version};
      return result;
    }
    case Kind::kWorkload:  // by whoever follows them
      break;
  }
  return result;
}

DecodedObject DecodeDeleted(Kind kind, std::string_view json) {
  DecodedObject result;
  const auto meta = wire::DecodeObjectMeta(json);
  if (!meta.ok() || meta->name.empty() || (kind == Kind::kPod && meta->uid.empty())) {
    result.fault = meta.ok() ? Invalid("a deleted object without name or UID") : meta.status();
    result.name = "(no name)";
    return result;
  }
  result.name = NameOf(*meta);
  switch (kind) {
    case Kind::kNode:
      result.event = cluster::NodeGone{meta->name};
      break;
    case Kind::kPod:
      result.event = cluster::PodGone{meta->uid};
      break;
    case Kind::kCraneTopology:
    case Kind::kCommunityTopology:
      result.event = cluster::TopologyGone{SourceOf(kind), meta->name};
      break;
    case Kind::kBizGroupQuota:
      result.event = cluster::BizGroupQuotaGone{meta->name};
      break;
    case Kind::kResourceClaim:
      result.event = cluster::ResourceClaimGone{NameOf(*meta)};
      break;
    case Kind::kDeviceClass:
      result.event = cluster::DeviceClassGone{meta->name};
      break;
    case Kind::kWorkload:
      result.event = cluster::WorkloadGone{meta->uid};
      break;
  }
  return result;
}

}  // namespace huygens::kube
