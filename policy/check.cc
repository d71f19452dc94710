#include "policy/check.h"

namespace huygens::policy {

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
