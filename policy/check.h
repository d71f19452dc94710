// The filter seam: a check removes the nodes that cannot take the pod and says why. All nodes of a call at once, so
// that a check can walk arrays. Checks are pure: no I/O, no clock, no memory of their own. Decision thread only.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "cluster/state.h"
#include "policy/reason.h"
#include "quota/check.h"
#include "quota/node_model.h"
#include "topology/kubelet_request.h"
#include "topology/zone_request.h"
#include "usage/account.h"

namespace huygens::policy {

using cluster::NodeIndex;

// One pod and what was worked out about it once for all nodes.
struct PodQuery {
  PodQuery(const cluster::Pod& asking, topology::ZoneRequest request, Time at);

  const cluster::Pod& pod;
  topology::ZoneRequest zones;  // of nodes that the agent pins
  Time now;
  usage::Demand usage;         // empty where nobody looks at usage
  quota::Verdict quota;        // of its business group, whatever the node; fits where nobody asks
  quota::WantedModels models;  // that its labels name; none where nobody asks

  // Of nodes that kubelet pins; worked out when first asked for.
  const topology::KubeletRequest& kubelet() const {
    if (!kubelet_) kubelet_ = topology::KubeletRequestOf(pod);
    return *kubelet_;
  }
  // What usage::Account::Share says of these nodes, node by node and of each by position in usage::Options::resources.
  // Worked out once for all terms, which are asked about the same nodes and with nothing placed in between; holds until
  // the next call. Not for checks: some are asked with pods placed or taken off in thought.
  std::span<const float> UsageShares(const usage::Account& account, std::span<const NodeIndex> nodes) const;

 private:
  struct Shares {
    std::vector<NodeIndex> nodes;
    std::vector<float> values;
  };
  mutable Shares shares_;
  mutable std::optional<topology::KubeletRequest> kubelet_;
};

// The nodes of a call, by position, and what became of each.
class Candidates {
 public:
  // Starts over with these nodes; keeps its memory from call to call.
  void Reset(std::span<const NodeIndex> nodes);

  size_t size() const { return nodes_.size(); }
  NodeIndex node(size_t position) const { return nodes_[position]; }
  std::span<const NodeIndex> nodes() const { return nodes_; }
  bool Rejected(size_t position) const { return reasons_[position] != Reason::kFits; }
  // The first reason stays.
  void Reject(size_t position, Reason reason) {
    if (!Rejected(position)) reasons_[position] = reason;
  }
  Reason reason(size_t position) const { return reasons_[position]; }

 private:
  std::vector<NodeIndex> nodes_;
  std::vector<Reason> reasons_;
};

class Check {
 public:
  virtual ~Check() = default;
  // As in the configuration's `filter.checks`.
  virtual std::string_view name() const = 0;
  virtual void Run(const PodQuery& pod, const cluster::State& state, Candidates& nodes) const = 0;
};

}  // namespace huygens::policy
