// Check "usage": would the pod take the node above a ceiling of real use, if the last seven days came again
// (usage/judge.cc has the rule)? Leaves out resources of which too many nodes have no fresh figures, only reports what
// it finds by those of which too little of the window was measured, and passes always the pods that are no choice
// between nodes: those of DaemonSets and those that are bound. They count on their nodes all the same.
//
// Victims could cure a node that the others on it fill, not one whose ceiling the pod exceeds alone, nor one of whose
// use too little is known.
#pragma once

#include "policy/check.h"
#include "usage/account.h"

namespace huygens::policy {

class PodUsage;

class UsageCheck final : public Check {
 public:
  // The account must outlive the check.
  explicit UsageCheck(const usage::Account& usage) : usage_(usage) {}

  std::string_view name() const override { return "usage"; }
  void Run(const PodQuery& pod, const cluster::Prepared* prepared, const cluster::State& state,
           Candidates& nodes) const override;

 private:
  void Judge(const PodUsage& adds, Time now, usage::ResourceMask left_out, Candidates& nodes) const;

  const usage::Account& usage_;
};

}  // namespace huygens::policy
