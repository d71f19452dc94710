// What a pod would add to the real use of nodes, worked out once for the check "usage" and for the terms that go by
// real use. Decision thread only.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "cluster/prepared.h"
#include "policy/pod_query.h"
#include "usage/account.h"

namespace huygens::policy {

class PodUsage final : public cluster::Prepared {
 public:
  PodUsage(const usage::Account& account, usage::Demand of_pod)
      : demand(std::move(of_pod)), known(account.Find(demand)) {}

  const usage::Demand demand;
  const usage::Account::Known known;  // of it

  // What usage::Account::Share says of these nodes, node by node and of each by position in usage::Options::resources.
  // Worked out once for all terms, which are asked about the same nodes and with nothing placed in between; holds until
  // the next call. Not for checks: some are asked with pods placed or taken off in thought.
  std::span<const float> Shares(const usage::Account& account, std::span<const cluster::NodeIndex> nodes,
                                Time now) const;

 private:
  mutable std::vector<cluster::NodeIndex> nodes_;
  mutable std::vector<float> shares_;
};

const PodUsage& UsageOf(const PodQuery& pod, const usage::Account& account);

}  // namespace huygens::policy
