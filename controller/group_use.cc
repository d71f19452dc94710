#include "controller/group_use.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "quota/keys.h"

namespace huygens::controller {

using workloads::WorkloadObject;

namespace {

quota::Amounts LesserOf(const quota::Amounts& one, const quota::Amounts& other) {
  quota::Amounts lesser;
  for (const auto& [key, amount] : one) {
    const Quantity least = std::min(amount, quota::Get(other, key));
    if (!least.IsZero()) quota::Set(lesser, key, least);
  }
  return lesser;
}

}  // namespace

std::optional<quota::Amounts> GroupUse::UseOf(const WorkloadObject* workload) const {
  if (workload == nullptr || workload->labels.group.empty()) return std::nullopt;
  if (workloads::IsChargedWithItsOwner(*workload, cluster_.workloads())) return std::nullopt;
  StatusOr<quota::Amounts> usage = quota::Amounts();
  if (workload->templates.empty() && !workload->template_name.empty()) {
    WorkloadObject borrower = *workload;
    workloads::BorrowTemplate(borrower, cluster_.workloads());
    usage = workloads::UsageOf(borrower, costs());
  } else {
    usage = workloads::UsageOf(*workload, costs());
  }
  if (!usage.ok()) return std::nullopt;
  const auto most = workload->deleting ? most_of_deleting_.find(workload->uid) : most_of_deleting_.end();
  return most == most_of_deleting_.end() ? *std::move(usage) : LesserOf(*usage, most->second);
}

void GroupUse::NoteDeletion(const WorkloadObject* before, const WorkloadObject* after) {
  if (after == nullptr) {
    most_of_deleting_.erase(before->uid);
    return;
  }
  // What it took before that is not known for sure: a watch that was cut tells of its growth and its deletion at once.
  if (!after->deleting || before == nullptr || !before->deleting) return;
  const std::optional<quota::Amounts> was = UseOf(before);
  if (was && before->labels.group == after->labels.group) most_of_deleting_.insert_or_assign(after->uid, *was);
}

std::vector<ObservedObject> GroupUse::Of(std::string_view group) const {
  std::vector<ObservedObject> observed;
  cluster_.workloads().ForEachOf(group, [&](const WorkloadObject& each) {
    std::optional<quota::Amounts> usage = UseOf(&each);
    if (!usage) return;
    observed.push_back({each.uid, quota::KindText(each.counted.group, each.counted.kind), each.namespace_name,
                        each.name, *std::move(usage)});
  });
  return observed;
}

std::vector<ObservedObject> GroupUse::OfChildren(const cluster::BizGroupQuota& group) const {
  std::vector<ObservedObject> children;
  for (const cluster::BizGroupQuota* each : cluster_.groups().ChildrenOf(group.name)) {
    ObservedObject child{each->uid, std::string(cluster::kGroupKind), "", each->name,
                         cluster_.groups().Commitment(each->name)};
    const bool inherited = std::any_of(group.inherited.begin(), group.inherited.end(),
                                       [&](const auto& known) { return known.uid == each->uid; });
    if (inherited) std::erase_if(child.usage, [](const auto& amount) { return quota::IsCash(amount.first); });
    children.push_back(std::move(child));
  }
  return children;
}

void GroupUse::Note(const WorkloadObject* workload, int by) {
  if (workload == nullptr || workload->labels.group.empty() || workload->owner_uid.empty()) return;
  auto& groups = groups_of_owned_[workload->owner_uid];
  int& count = groups[workload->labels.group];
  count += by;
  if (count <= 0) groups.erase(workload->labels.group);
  if (groups.empty()) groups_of_owned_.erase(workload->owner_uid);
}

std::set<std::string> GroupUse::Concerned(const WorkloadObject* before, const WorkloadObject* after) {
  Note(before, -1);
  Note(after, 1);
  const std::optional<quota::Amounts> use_before = UseOf(before);
  NoteDeletion(before, after);
  std::set<std::string> groups;
  const WorkloadObject& any = after != nullptr ? *after : *before;
  const bool same_group = before != nullptr && after != nullptr && before->labels.group == after->labels.group;
  if (!same_group || before->owner_uid != after->owner_uid || use_before != UseOf(after)) {
    for (const WorkloadObject* each : {before, after}) {
      if (each != nullptr && !each->labels.group.empty()) groups.insert(each->labels.group);
    }
  }
  if (same_group) return groups;
  if (const auto owned = groups_of_owned_.find(any.uid); owned != groups_of_owned_.end()) {
    for (const auto& [group, count] : owned->second) groups.insert(group);
  }
  return groups;
}

}  // namespace huygens::controller
