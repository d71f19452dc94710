// What checks (policy/check.h) and terms (scoring/term.h) have in common. Decision thread only.
//
// A rule does no I/O, reads no clock and logs nothing. What it keeps from call to call is what it was told by
// account() and UsageChanged(), never what it was asked: kube-scheduler asks twice, and about pods that it never binds.
#pragma once

#include <memory>
#include <string_view>

#include "cluster/account.h"
#include "cluster/prepared.h"
#include "cluster/state.h"
#include "policy/pod_query.h"

namespace huygens::policy {

class Rule {
 public:
  virtual ~Rule() = default;
  // As in the configuration.
  virtual std::string_view name() const = 0;

  // Once per pod and call, before any node (kube-scheduler: PreFilter): what the rule wants to know of the pod when it
  // is asked about nodes. Null: nothing. The pod, where it holds room already, and whoever is to leave for it still
  // count in account(): do not copy counts into what is prepared; read them when asked about nodes, or keep a pointer.
  virtual std::unique_ptr<cluster::Prepared> Prepare(const PodQuery& /*pod*/, const cluster::State& /*state*/) const {
    return nullptr;
  }

  // What the rule counts per node: told of every node and of each pod that comes and goes, also in thought, when it is
  // asked what would be without some pods. Null: nothing. It must be the same in each call and live as long as the
  // rule.
  virtual cluster::Account* account() { return nullptr; }

  // Histories of real use have changed, and the figures of all nodes (usage/account.h) are up to date with them.
  virtual void UsageChanged() {}

  // What Prepare said of this pod.
  const cluster::Prepared* PreparedFor(const PodQuery& pod, const cluster::State& state) const {
    return pod.Once(this, [&] { return Prepare(pod, state); });
  }
};

}  // namespace huygens::policy
