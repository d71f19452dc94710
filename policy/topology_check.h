// Check "topology": can the zones of the node take the pod now? Each kind of node answers for its own
// (topology/node_zones.h); pods that ask nothing of a kind pass.
#pragma once

#include "policy/check.h"
#include "topology/node_kinds.h"

namespace huygens::policy {

class TopologyCheck final : public Check {
 public:
  // The kinds must outlive the check.
  explicit TopologyCheck(const topology::NodeKinds& nodes) : kinds_(nodes) {}

  std::string_view name() const override { return "topology"; }
  void Run(const PodQuery& pod, const cluster::Prepared* prepared, const cluster::State& state,
           Candidates& nodes) const override;

 private:
  const topology::NodeKinds& kinds_;
};

}  // namespace huygens::policy
