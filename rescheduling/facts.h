// What the planner has to be told of pods and nodes, since it is not in cluster::State: who must never move, which
// nodes may be left or moved to, who is on the way already. Called on the decision thread; cheap, it is asked of many.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "cluster/account.h"
#include "cluster/objects.h"

namespace huygens::rescheduling {

class Facts {
 public:
  virtual ~Facts() = default;
  // Why this pod must not be moved, as a fixed text ("has no controller"); empty: it may be. Not for caps and
  // freezes, which pass: those are asked when a move is to begin (limits.h).
  virtual std::string_view Unmovable(const cluster::Pod& /*pod*/) const { return {}; }
  // Whether pods may be evicted from the node: it is Ready.
  virtual bool MayLeave(cluster::NodeIndex /*node*/) const { return true; }
  // Whether the node may get pods at all: it is Ready and not cordoned.
  virtual bool IsOpen(cluster::NodeIndex /*node*/) const { return true; }
  // Whether the node may get this pod, as far as it is not a matter of huygens' checks: it did not leave it within a
  // day, say. Only asked of nodes that are open and would otherwise be chosen.
  virtual bool MayTake(const cluster::Pod& /*pod*/, cluster::NodeIndex /*node*/) const { return true; }
  // The same, with these pods of the plan on their way there.
  virtual bool MayTakeBeside(const cluster::Pod& pod, cluster::NodeIndex node,
                             std::span<const std::shared_ptr<const cluster::Pod>> /*arrivals*/) const {
    return MayTake(pod, node);
  }
  // Whether the pod is being moved or deleted: it counts as gone from its node, and is moved no second time.
  virtual bool Leaving(const cluster::Pod& pod) const { return pod.deleting; }
};

}  // namespace huygens::rescheduling
