#include "policy/check.h"

namespace huygens::policy {

void Candidates::Reset(std::span<const NodeIndex> nodes) {
  nodes_.assign(nodes.begin(), nodes.end());
  reasons_.assign(nodes.size(), Reason::kFits);
}

}  // namespace huygens::policy
