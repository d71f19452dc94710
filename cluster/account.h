// What a domain keeps per node: zones in use, usage curves, quota charged. State tells every account of each pod that
// is placed on or leaves a node, whatever the cause (watch, bind, simulation); placing a pod and
// taking it off again leaves the figures as they were, and so does the reverse, which is how preemption asks what would
// be if a pod left.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/biz_group_quota.h"
#include "cluster/device_claim.h"
#include "cluster/objects.h"

namespace huygens::cluster {

// Dense number of a node name; valid as long as State knows a node, a topology object or a pod of that name.
using NodeIndex = uint32_t;

// A pod that holds capacity on a node: bound and not finished, or reserved in the ledger.
struct PlacedPod {
  std::shared_ptr<const Pod> pod;
  NodeIndex node = 0;
  std::vector<ZoneAmount> zones;  // what it holds of the node's zones; empty = no result
};

class Account {
 public:
  virtual ~Account() = default;
  virtual void Place(const PlacedPod& pod) = 0;
  virtual void Leave(const PlacedPod& pod) = 0;
  // The Node appeared, changed or went (null). NodeChanged follows.
  virtual void NodeObjectChanged(NodeIndex /*node*/, const Node* /*object*/) {}
  // The Node or its topology object appeared, changed or went; `topology` is the one in force (State::Topology), null
  // if none.
  virtual void NodeChanged(NodeIndex node, const NodeTopology* topology) = 0;
  // A business group appeared or changed; it went.
  virtual void GroupChanged(const BizGroupQuota& /*group*/) {}
  virtual void GroupGone(std::string_view /*name*/) {}
  // A ResourceClaim appeared or says something else now; that of this namespace/name went.
  virtual void ClaimChanged(const std::shared_ptr<const ResourceClaim>& /*claim*/) {}
  virtual void ClaimGone(std::string_view /*key*/) {}
  // Likewise of a DeviceClass.
  virtual void ClassChanged(const DeviceClass& /*device_class*/) {}
  virtual void ClassGone(std::string_view /*name*/) {}
  // Compares this node's figures with a count of `pods` from nothing, repairs them, and says whether they differed.
  virtual bool Recount(NodeIndex node, std::span<const PlacedPod* const> pods) = 0;
};

}  // namespace huygens::cluster
