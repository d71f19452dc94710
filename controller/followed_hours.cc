#include "controller/followed_hours.h"

#include <algorithm>
#include <utility>

#include "quota/keys.h"

namespace huygens::controller {
namespace {

using workloads::WorkloadObject;

bool IsPod(const WorkloadObject& workload) { return workload.counted.group.empty() && workload.counted.kind == "Pod"; }

bool LimitsHours(const cluster::BizGroupQuota& group) {
  return std::any_of(group.hard.begin(), group.hard.end(), [](const auto& each) { return quota::IsCash(each.first); });
}

}  // namespace

void FollowedHours::GroupChanged(const cluster::BizGroupQuota* before, const cluster::BizGroupQuota* after) {
  const std::string& name = (after != nullptr ? after : before)->name;
  const bool counted = after != nullptr && LimitsHours(*after);
  if (counted == counted_.contains(name)) return;
  if (counted) {
    counted_.insert(name);
  } else {
    counted_.erase(name);
  }
  all_anew_ = true;
}

void FollowedHours::WorkloadChanged(const WorkloadObject* before, const WorkloadObject* after, Time now) {
  const WorkloadObject& any = after != nullptr ? *after : *before;
  if (!IsPod(any)) {
    all_anew_ = all_anew_ || (before != nullptr && after != nullptr && before->labels != after->labels);
    return;
  }
  if (after == nullptr) return spans_.Gone(any.uid, now);
  if (!counted_.empty()) Set(*after, now);
}

void FollowedHours::Set(const WorkloadObject& pod, Time now) {
  spans_.Set(pod, cluster_.workloads(), use_.costs(), [this](std::string_view group) { return IsCounted(group); }, now);
}

std::vector<CountedPod> FollowedHours::Of(std::string_view group, Time now) {
  if (std::exchange(all_anew_, false)) {
    cluster_.workloads().ForEach([&](const WorkloadObject& each) {
      if (IsPod(each)) Set(each, now);
    });
  }
  for (const std::string& uid : spans_.Unresolved()) {
    if (const WorkloadObject* pod = cluster_.workloads().ByUid(uid)) Set(*pod, now);
  }
  return spans_.Of(group);
}

}  // namespace huygens::controller
