#include "workloads/index.h"

#include <utility>

namespace huygens::workloads {
namespace {

std::string Key(std::string_view group, std::string_view kind, std::string_view namespace_name, std::string_view name) {
  return Concat(group, "/", kind, "/", namespace_name, "/", name);
}

std::string KeyOf(const WorkloadObject& workload) {
  return Key(workload.counted.group, workload.counted.kind, workload.namespace_name, workload.name);
}

}  // namespace

void WorkloadIndex::Set(WorkloadObject workload) {
  Remove(workload.uid);
  uids_[KeyOf(workload)] = workload.uid;
  if (!workload.labels.group.empty()) of_group_[workload.labels.group].insert(workload.uid);
  by_uid_[workload.uid] = std::move(workload);
}

void WorkloadIndex::Remove(std::string_view uid) {
  const auto found = by_uid_.find(uid);
  if (found == by_uid_.end()) return;
  // Another of the same name may have come before this one was told to be gone.
  if (const auto name = uids_.find(KeyOf(found->second)); name != uids_.end() && name->second == uid) uids_.erase(name);
  if (const auto group = of_group_.find(found->second.labels.group); group != of_group_.end()) {
    group->second.erase(found->first);
    if (group->second.empty()) of_group_.erase(group);
  }
  by_uid_.erase(found);
}

void WorkloadIndex::ForEachOf(std::string_view group, absl::FunctionRef<void(const WorkloadObject&)> visit) const {
  const auto found = of_group_.find(group);
  if (found == of_group_.end()) return;
  for (const std::string& uid : found->second) visit(*ByUid(uid));
}

void WorkloadIndex::ForEach(absl::FunctionRef<void(const WorkloadObject&)> visit) const {
  for (const auto& [uid, workload] : by_uid_) visit(workload);
}

const WorkloadObject* WorkloadIndex::ByUid(std::string_view uid) const {
  const auto found = by_uid_.find(uid);
  return found == by_uid_.end() ? nullptr : &found->second;
}

const WorkloadObject* WorkloadIndex::ByName(std::string_view group, std::string_view kind,
                                            std::string_view namespace_name, std::string_view name) const {
  const auto found = uids_.find(Key(group, kind, namespace_name, name));
  return found == uids_.end() ? nullptr : ByUid(found->second);
}

}  // namespace huygens::workloads
