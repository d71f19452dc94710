// Check "topology": can the zones of the node hold what the pod asks of them now? Where kubelet pins: will it admit the
// pod? A pod that it refuses could be cured by victims if kubelet would admit it to the node with no pod there, or if
// the search for that answer was cut short. Pods that ask nothing pass, as do nodes that kubelet pins without an object
// that says what they have. A node that lost its object gives no zones until that is back or counts as absent.
#pragma once

#include "kubelet/account.h"
#include "policy/check.h"
#include "topology/zone_account.h"

namespace huygens::policy {

class TopologyCheck final : public Check {
 public:
  // The accounts must outlive the check.
  TopologyCheck(const topology::ZoneAccount& zones, const kubelet::Account& kubelet)
      : zones_(zones), kubelet_(kubelet) {}

  std::string_view name() const override { return "topology"; }
  void Run(const PodQuery& pod, const cluster::State& state, Candidates& nodes) const override;

 private:
  Reason Judge(const PodQuery& pod, NodeIndex node) const;
  Reason JudgeLost(const PodQuery& pod, NodeIndex node) const;
  Reason JudgeManaged(const PodQuery& pod, NodeIndex node) const;
  Reason JudgeKubelet(const PodQuery& pod, NodeIndex node) const;

  const topology::ZoneAccount& zones_;
  const kubelet::Account& kubelet_;
};

}  // namespace huygens::policy
