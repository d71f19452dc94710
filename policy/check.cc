#include "policy/check.h"

#include <algorithm>

namespace huygens::policy {

const topology::PreparedPod* PodQuery::PreparedFor(const topology::NodeZones& kind) const {
  for (const auto& [of, prepared] : prepared_) {
    if (of == &kind) return prepared.get();
  }
  return prepared_.emplace_back(&kind, kind.Prepare(pod)).second.get();
}

std::span<const float> PodQuery::UsageShares(const usage::Account& account, std::span<const NodeIndex> nodes) const {
  if (!std::equal(nodes.begin(), nodes.end(), shares_.nodes.begin(), shares_.nodes.end())) {
    shares_.nodes.assign(nodes.begin(), nodes.end());
    shares_.values.clear();
    shares_.values.reserve(nodes.size() * usage.resources.size());
    for (NodeIndex node : nodes) {
      for (size_t r = 0; r < usage.resources.size(); ++r) shares_.values.push_back(account.Share(node, r, usage, now));
    }
  }
  return shares_.values;
}

void Candidates::Reset(std::span<const NodeIndex> nodes) {
  nodes_.assign(nodes.begin(), nodes.end());
  reasons_.assign(nodes.size(), Reason::kFits);
  for (std::vector<Reason>& each : reports_) each.clear();
  Begin(0, CheckMode::kEnforce);
}

void Candidates::Report(size_t position, Reason reason) {
  if (check_ >= reports_.size()) reports_.resize(check_ + 1);
  std::vector<Reason>& said = reports_[check_];
  if (said.empty()) said.assign(nodes_.size(), Reason::kFits);
  if (said[position] == Reason::kFits) said[position] = reason;
}

}  // namespace huygens::policy
