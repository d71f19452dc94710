#include "policy/check.h"

namespace huygens::policy {

PodQuery::PodQuery(const cluster::Pod& asking, topology::ZoneRequest request, Time at)
    : pod(asking), zones(std::move(request)), now(at) {}

void Candidates::Reset(std::span<const NodeIndex> nodes) {
  nodes_.assign(nodes.begin(), nodes.end());
  reasons_.assign(nodes.size(), Reason::kFits);
}

}  // namespace huygens::policy
