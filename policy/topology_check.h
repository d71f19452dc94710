// Check "topology": can the zones of the node hold what the pod asks of them now? Pods that ask nothing, and nodes that
// kubelet pins, pass.
#pragma once

#include "policy/check.h"
#include "topology/zone_account.h"

namespace huygens::policy {

class TopologyCheck final : public Check {
 public:
  // The account must outlive the check.
  explicit TopologyCheck(const topology::ZoneAccount& zones) : zones_(zones) {}

  std::string_view name() const override { return "topology"; }
  void Run(const PodQuery& pod, const cluster::State& state, Candidates& nodes) const override;

 private:
  Reason Judge(const PodQuery& pod, NodeIndex node) const;

  const topology::ZoneAccount& zones_;
};

}  // namespace huygens::policy
