// What a LIST means to State: an object that it did not name has gone. Of pods there are many, and most stay: they are
// kept in the order in which they were last named, so that those that are gone are found without looking at the others.
#include <string>
#include <vector>

#include "cluster/state.h"

namespace huygens::cluster {

void State::On(const ListBegin& event) {
  ++Of(event.kind).list;
  Of(event.kind).swept = 0;
  Of(event.kind).swept_name.clear();
}

void State::On(const ListEnd& event) {
  while (Sweep(event.kind, nodes_.size() + pods_.size() + 1)) {
  }
  Of(event.kind).synced = true;
}

bool State::Sweep(Kind kind, size_t limit) {
  if (kind == Kind::kPod) return SweepPods(limit);
  if (kind == Kind::kBizGroupQuota) return SweepKept<BizGroupQuotaGone>(kind, groups_, limit);
  if (kind == Kind::kResourceClaim) return SweepKept<ResourceClaimGone>(kind, claims_, limit);
  if (kind == Kind::kDeviceClass) return SweepKept<DeviceClassGone>(kind, classes_, limit);
  KindState& state = Of(kind);
  for (; limit > 0 && state.swept < nodes_.size(); --limit, ++state.swept) {
    NodeSlot& slot = nodes_[state.swept];
    if (kind == Kind::kNode) {
      if (slot.node && slot.node_list != state.list) Apply(NodeGone{std::string(slot.name)});
      continue;
    }
    auto source = kind == Kind::kCraneTopology ? TopologySource::kCrane : TopologySource::kCommunity;
    auto s = static_cast<size_t>(source);
    if (slot.topology[s] && slot.topology_list[s] != state.list) Apply(TopologyGone{source, std::string(slot.name)});
  }
  return state.swept < nodes_.size();
}

// Those that the LIST named come behind those that it did not.
bool State::SweepPods(size_t limit) {
  const uint32_t list = Of(Kind::kPod).list;
  for (; first_named_ != nullptr && first_named_->list != list; --limit) {
    if (limit == 0) return true;
    Apply(PodGone{std::string(first_named_->pod->uid)});
  }
  return false;
}

void State::On(const PodKept& event) {
  PodRecord* record = FindRecord(event.uid);
  if (record != nullptr && record->watched) Name(*record);
}

void State::Name(PodRecord& record) {
  Unlink(record);
  record.list = Of(Kind::kPod).list;
  record.before = last_named_;
  (last_named_ ? last_named_->after : first_named_) = &record;
  last_named_ = &record;
}

void State::Unlink(PodRecord& record) {
  if (record.before == nullptr && first_named_ != &record) return;  // is in no order
  (record.before ? record.before->after : first_named_) = record.after;
  (record.after ? record.after->before : last_named_) = record.before;
  record.before = record.after = nullptr;
}

}  // namespace huygens::cluster
