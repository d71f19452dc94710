#include "usage/ceiling_index.h"

namespace huygens::usage {

CeilingIndex::CeilingIndex(const Options& options)
    : slots_(options.estimator == Estimator::kPeakOfSum ? options.slots : 0),
      peaks_(options.resources.size()),
      curves_(options.resources.size(), QuantizedHeadroom(options.slots)) {}

void CeilingIndex::Resize(size_t nodes) {
  peaks_.Resize(nodes);
  recent_fits_.Resize(nodes);
}

void CeilingIndex::Set(cluster::NodeIndex node, size_t resource, const NodeUsage& usage, int64_t limit,
                       std::optional<int64_t> left) {
  peaks_.At(node, resource) = left ? PeakHeadroom::Left(*left) : PeakHeadroom::kUnknown;
  recent_fits_.Forget(node);
  if (slots_ > 0) curves_[resource].Set(node, usage, limit);
}

void CeilingIndex::SetUnlimited(cluster::NodeIndex node, size_t resource) {
  peaks_.At(node, resource) = PeakHeadroom::kNoLimit;
  recent_fits_.Forget(node);
}

void CeilingIndex::SetStale(cluster::NodeIndex node, size_t resource) {
  peaks_.At(node, resource) = PeakHeadroom::kUnknown;
  recent_fits_.Forget(node);
}

void CeilingIndex::SetFresh(cluster::NodeIndex node, size_t resource, int64_t left) {
  peaks_.At(node, resource) = PeakHeadroom::Left(left);
}

CeilingIndex::Query::Query(CeilingIndex& index, const Demand& demand, const Known& known, ResourceMask left_out,
                           size_t nodes)
    : index_(index), demand_(demand), known_(known), nodes_(nodes), resources_(demand.resources.size()) {
  if (left_out.none()) bit_ = index.recent_fits_.BitOf(known);
  for (size_t r = 0; r < resources_; ++r) {
    needed_[r] = left_out[r] ? PeakHeadroom::kNothing : PeakHeadroom::Needed(demand.resources[r].peak);
  }
}

}  // namespace huygens::usage
