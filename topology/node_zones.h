// The zones of a node, whoever pins pods to them: can they take a pod, which does it get, what is people shown of them.
// One object for each kind of node (topology::ZoneAccount, kubelet::Account), whatever the number of nodes;
// topology/node_kinds.h says which kind a node is of. State tells every kind of all nodes and pods, so that a node may
// change its kind. Decision thread only.
//
// A new kind of node is one class that implements this, and one line in placement/build.cc, with its word
// in observe::kNodeTopologies.
// Questions about many nodes are asked at once, since filter asks them of thousands.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/time.h"
#include "cluster/account.h"
#include "cluster/prepared.h"
#include "topology/zone_choice.h"

namespace huygens::topology {

using cluster::NodeIndex;

// Whether the zones of a node can take a pod, or why not. "Never": not even if no other pod were there. policy/ has a
// reason for each.
enum class Fit : uint8_t {
  kFits,
  kNoTopology,           // there is no topology object, and the pod or the operator demands one
  kLostTopology,         // there was one, and it went while the node stayed
  kUnusableTopology,     // crane's object has a defect
  kInvalidTopologyData,  // the community's has one
  kTaken,                // would fit if pods left
  kCoresTaken,           // likewise, and the amounts are there: it is whole cores that are missing
  kStale,                // would fit the empty node if zones whose real capacity is unknown gave all that they claim
  kTooSmall,             // would not fit into the empty zones either
  kTooFewCores,          // the amounts would fit into the empty zones, but not onto their cores
  kCoresUnknown,         // nobody says which cores the zones have, and the pod asks for cores
  // Whoever pins there would refuse the pod, or a container of it.
  kCannotAlignPod,
  kCannotAlignContainer,
  kCannotAlignInitContainer,
  kCannotAlignSidecar,
  kNeverAlignsPod,
  kNeverAlignsContainer,
  kNeverAlignsInitContainer,
  kNeverAlignsSidecar,
};

// What a kind of node has worked out about a pod that asks something of nodes of this kind.
struct PreparedPod : cluster::Prepared {};

// A zone as people are shown it.
struct ZoneDescription {
  int zone = -1;
  std::string name;
  bool present = true;  // false: only pods still name it
  bool stale = false;   // its offline capacity is older than the limit
  std::optional<int64_t> offline_cpu;
  std::optional<Time> offline_updated;
  ResourceVector allocatable;
  ResourceVector effective;  // what it can really give: min(allocatable, offline), by the rule for stale figures
  ResourceVector used;
  // What the topology object says is available; where it counts, `effective` and `used` are empty.
  std::optional<ResourceVector> available;
  ResourceVector free;      // what is free now, at least 0
  int64_t cores = 0;        // full physical cores that the object lists; 0 = none
  int64_t whole_cores = 0;  // of these that a pod could still have to itself
};

class NodeZones : public cluster::Account {
 public:
  // Whether the node is of this kind, going by what NodeObjectChanged and NodeChanged have just said of it.
  virtual bool Claims(NodeIndex node) const = 0;

  // What the pod asks of nodes of this kind, worked out once for all of them; null: nothing, so that all of them take
  // it and give it no zones. The result may refer to the pod and to this object.
  virtual std::unique_ptr<PreparedPod> Prepare(const cluster::Pod& pod) const = 0;

  // The following are about nodes that this kind claims; `pod` is of its own Prepare.

  // Writes fits[i] for nodes[i]. `lost`: of nodes that have all lost their topology object, which last said what this
  // account goes by; zones of such are not given.
  virtual void Check(const PreparedPod& pod, std::span<const NodeIndex> nodes, bool lost, Time now,
                     std::span<Fit> fits) const = 0;
  // Writes in taken[i] over how many zones of nodes[i] the pod would be spread and how far they are from each other:
  // of a ZoneSet `count` and `distance` alone. Count 0: it takes none, or nobody knows; nothing: it does not fit.
  virtual void ZonesTaken(const PreparedPod& pod, std::span<const NodeIndex> nodes, Time now,
                          std::span<std::optional<ZoneSet>> taken) const = 0;
  // What the pod gets of each zone, ordered by zone; empty: it takes none, or nobody knows; nothing: it does not fit.
  virtual std::optional<std::vector<cluster::ZoneAmount>> Assign(NodeIndex node, const PreparedPod& pod,
                                                                 Time now) const = 0;

  // Whether it matters in which order pods come to a node: then they are bound one after the other, and no pod is
  // placed in thought.
  virtual bool OrderMatters() const { return false; }
  // Only asked where the order matters: whether the nominated pods, one after the other, would be let in after this one
  // as they would be without it. `gone(other, nominated, all_lower)` says which of the pods there have left by the turn
  // of each; those of lower priority count as gone only where it is not let in else. `others_leave`: some pod of the
  // node is being deleted.
  using Gone = absl::FunctionRef<bool(const cluster::Pod& other, const cluster::Pod& nominated, bool all_lower)>;
  virtual bool LeavesRoom(NodeIndex /*node*/, const PreparedPod& /*pod*/,
                          std::span<const cluster::Pod* const> /*nominated*/, Gone /*gone*/,
                          bool /*others_leave*/) const {
    return true;
  }
  // How much longer Check takes about this node than about a managed one.
  virtual size_t CostOfCheck(NodeIndex /*node*/) const { return 1; }

  // Whether the node's agent pins by the annotation that crane calls topology-result.
  virtual bool ReadsResult(NodeIndex /*node*/) const { return false; }

  // What the node is, in one word: for the debug pages and as a label of metrics (observe::kNodeTopologies).
  virtual std::string_view Name(NodeIndex node) const = 0;
  // In the order of the object, `topology`, which is the one in force; nothing: this kind knows no figures of the
  // zones.
  virtual std::optional<std::vector<ZoneDescription>> Describe(NodeIndex /*node*/,
                                                               const cluster::NodeTopology* /*topology*/,
                                                               Time /*now*/) const {
    return std::nullopt;
  }
  // The zones of the node of which more is used than they can give.
  virtual size_t Overcommitted(NodeIndex /*node*/, Time /*now*/) const { return 0; }
  // Why the pod was given no zones of this node, which people call `name`: one cause; empty if it is due some.
  virtual std::string WhyNoZones(NodeIndex /*node*/, std::string_view /*name*/,
                                 const cluster::NodeTopology* /*topology*/, const cluster::Pod& /*pod*/) const {
    return {};
  }
};

}  // namespace huygens::topology
