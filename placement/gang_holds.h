// Pods of a gang (spec.schedulingGroup) that have a node and are not bound yet. kube-scheduler chooses the nodes of all
// of them one after the other and binds them only then (pkg/scheduler/schedule_one_podgroup.go, Kubernetes 1.37), so
// that without this each would be promised the same room. What a pod of a gang is promised by filter is held from then
// on, until it is bound, asked about again, gone, or nobody has asked about its gang for kPatience.
//
// Where a pod of the gang was refused the try fails, unless the gang may do with fewer, whose binds then follow at
// once: what is held for it goes back after kPatienceOnceRefused.
//
// kube-scheduler tries a gang again from the beginning: after a failure, and for each set of nodes that it compares. So
// where a pod is asked about that was asked about before, all that its gang holds is given back first. Decision thread
// only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/text.h"
#include "base/time.h"
#include "cluster/state.h"

namespace huygens::placement {

// NAMESPACE/NAME of the pod's gang; empty: it is of none.
std::string GangOf(const cluster::Pod& pod);

class GangHolds {
 public:
  static constexpr Duration kPatience = std::chrono::seconds(10);
  static constexpr Duration kPatienceOnceRefused = std::chrono::seconds(2);

  // `state` must outlive this.
  explicit GangHolds(cluster::State& state) : state_(state) {}

  // Before filter judges the pod.
  void Asked(const cluster::Pod& pod, Time now);
  // Filter has answered that the pod goes to this node, of which it takes these zones.
  void Hold(const std::shared_ptr<const cluster::Pod>& pod, cluster::NodeIndex node,
            std::vector<cluster::ZoneAmount> zones, Time now);
  // Filter has answered that no node takes the pod.
  void Refused(const cluster::Pod& pod);
  // Gives back what is held for the pod, if anything.
  void Release(std::string_view uid);
  // How many pods of its gang hold something, itself among them where it does.
  size_t HeldByGang(const cluster::Pod& pod) const;
  // How many pods of its gang are not bound, itself among them: those that were asked about in the present try, and
  // those that waited by State when this function was first called in that try; who comes or goes later is not noticed.
  // 0 where its gang was not asked about.
  size_t Unbound(const cluster::Pod& pod) const;
  // Gives back what nobody has asked about for too long.
  void Expire(Time now);

 private:
  struct Gang {
    absl::flat_hash_set<std::string> asked;  // UIDs, in the present try
    Time last_asked;
    bool refused = false;  // one of these
    // UIDs, by Unbound: to find them takes a walk over all pods, which each refused pod of a large gang would repeat.
    mutable std::optional<absl::flat_hash_set<std::string>> waiting;
  };

  void ReleaseAll(const Gang& gang);

  cluster::State& state_;
  TextMap<Gang> gangs_;  // by namespace/name
};

}  // namespace huygens::placement
