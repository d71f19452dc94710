#include "runtime/known_containers.h"

#include <utility>

#include "base/steady_now.h"

namespace huygens::runtime {

namespace {

bool Same(const Pod& a, const Pod& b) {
  return a.uid == b.uid && a.namespace_name == b.namespace_name && a.name == b.name && a.ready == b.ready &&
         a.labels == b.labels && a.annotations == b.annotations;
}

}  // namespace

std::shared_ptr<const Pod> KnownContainers::Remember(Pod pod) {
  const std::lock_guard lock(mutex_);
  auto& [known, at] = pods_[pod.sandbox_id];
  if (known == nullptr || !Same(*known, pod)) known = std::make_shared<const Pod>(std::move(pod));
  at = SteadyNow();
  return known;
}

std::shared_ptr<const Pod> KnownContainers::FindPod(std::string_view sandbox_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = pods_.find(sandbox_id);
  return found == pods_.end() ? nullptr : found->second.value;
}

void KnownContainers::Remember(std::string_view id, Entry entry) {
  const std::lock_guard lock(mutex_);
  containers_[std::string(id)] = {.value = std::move(entry), .at = SteadyNow()};
}

void KnownContainers::RememberState(const Container& container) {
  const std::lock_guard lock(mutex_);
  const auto found = containers_.find(container.id);
  if (found == containers_.end()) return;
  found->second.value.last.state = container.state;
  found->second.value.last.pod = container.pod;
}

void KnownContainers::ForgetResources(std::string_view id) {
  const std::lock_guard lock(mutex_);
  if (const auto found = containers_.find(id); found != containers_.end()) found->second.value.asked.reset();
}

std::optional<KnownContainers::Entry> KnownContainers::Find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto found = containers_.find(id);
  if (found == containers_.end()) return std::nullopt;
  return found->second.value;
}

void KnownContainers::Keep(const TextSet& sandbox_ids, const TextSet& container_ids, Duration since) {
  const std::lock_guard lock(mutex_);
  absl::erase_if(pods_,
                 [&](const auto& entry) { return entry.second.at < since && !sandbox_ids.contains(entry.first); });
  absl::erase_if(containers_,
                 [&](const auto& entry) { return entry.second.at < since && !container_ids.contains(entry.first); });
}

}  // namespace huygens::runtime
