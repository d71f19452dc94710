#include "policy/pod_usage.h"

#include <algorithm>
#include <memory>

namespace huygens::policy {

std::span<const float> PodUsage::Shares(const usage::Account& account, std::span<const cluster::NodeIndex> nodes,
                                        Time now) const {
  if (!std::equal(nodes.begin(), nodes.end(), nodes_.begin(), nodes_.end())) {
    nodes_.assign(nodes.begin(), nodes.end());
    shares_.clear();
    shares_.reserve(nodes.size() * demand.resources.size());
    for (cluster::NodeIndex node : nodes) {
      for (size_t r = 0; r < demand.resources.size(); ++r) shares_.push_back(account.Share(node, r, demand, now));
    }
  }
  return shares_;
}

const PodUsage& UsageOf(const PodQuery& pod, const usage::Account& account) {
  return *pod.Once(&account, [&] { return std::make_unique<PodUsage>(account, account.DemandOf(pod.pod)); });
}

}  // namespace huygens::policy
