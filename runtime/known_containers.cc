#include "runtime/known_containers.h"

#include <utility>

namespace huygens::runtime {

namespace {

bool Same(const Pod& a, const Pod& b) {
  return a.uid == b.uid && a.namespace_name == b.namespace_name && a.name == b.name && a.ready == b.ready &&
         a.labels == b.labels && a.annotations == b.annotations;
}

}  // namespace

std::shared_ptr<const Pod> KnownContainers::Remember(Pod pod) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Pod>& known = pods_[pod.sandbox_id];
  if (known == nullptr || !Same(*known, pod)) known = std::make_shared<const Pod>(std::move(pod));
  return known;
}

std::shared_ptr<const Pod> KnownContainers::FindPod(std::string_view sandbox_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = pods_.find(sandbox_id);
  return found == pods_.end() ? nullptr : found->second;
}

void KnownContainers::Remember(std::string_view id, Entry entry) {
  const std::lock_guard lock(mutex_);
  containers_[std::string(id)] = std::move(entry);
}

void KnownContainers::RememberState(const Container& container) {
  const std::lock_guard lock(mutex_);
  const auto found = containers_.find(container.id);
  if (found == containers_.end()) return;
  found->second.last.state = container.state;
  found->second.last.pod = container.pod;
}

void KnownContainers::RememberUpdate(std::string_view id, const Cpuset& to) {
  const std::lock_guard lock(mutex_);
  const auto found = containers_.find(id);
  if (found == containers_.end()) return;
  Cpuset& cpuset = found->second.last.resources.cpuset;
  if (!to.cpus.empty()) cpuset.cpus = to.cpus;
  if (!to.mems.empty()) cpuset.mems = to.mems;
}

std::optional<KnownContainers::Entry> KnownContainers::Find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto found = containers_.find(id);
  if (found == containers_.end()) return std::nullopt;
  return found->second;
}

void KnownContainers::Keep(const TextSet& sandbox_ids, const TextSet& container_ids) {
  const std::lock_guard lock(mutex_);
  absl::erase_if(pods_, [&](const auto& entry) { return !sandbox_ids.contains(entry.first); });
  absl::erase_if(containers_, [&](const auto& entry) { return !container_ids.contains(entry.first); });
}

}  // namespace huygens::runtime
