// The placed pods of each controller, by its UID: how many replicas a workload has and how many of them serve is asked
// before each move. State keeps it up to date like any account. Decision thread only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/text.h"
#include "cluster/account.h"

namespace huygens::rescheduler {

class WorkloadPods final : public cluster::Account {
 public:
  struct Counts {
    size_t replicas = 0;     // that are on nodes and not being deleted
    size_t unavailable = 0;  // not Ready, or being deleted
  };

  void Place(const cluster::PlacedPod& placed) override;
  void Leave(const cluster::PlacedPod& placed) override;
  void NodeChanged(cluster::NodeIndex, const cluster::NodeTopology*) override {}
  bool Recount(cluster::NodeIndex, std::span<const cluster::PlacedPod* const>) override { return false; }

  Counts Of(std::string_view owner_uid) const;
  std::span<const std::shared_ptr<const cluster::Pod>> PodsOf(std::string_view owner_uid) const;

 private:
  TextMap<std::vector<std::shared_ptr<const cluster::Pod>>> pods_;  // by UID of the owner
};

}  // namespace huygens::rescheduler
