#include "base/resource.h"

#include <algorithm>
#include <limits>

#include "base/quantity.h"

namespace huygens {

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

ResourceNames::ResourceNames() {
  for (std::string_view name : {"cpu", "memory", "ephemeral-storage", "pods"}) (void)Intern(name);
  for (std::string_view size : {"64Ki", "1Mi", "2Mi", "16Mi", "32Mi", "512Mi", "1Gi", "2Gi", "16Gi", "512Gi"}) {
    (void)Intern(Concat("hugepages-", size));
  }
}

StatusOr<ResourceId> ResourceNames::Intern(std::string_view name) {
  std::lock_guard lock(mutex_);
  if (auto found = ids_.find(name); found != ids_.end()) return found->second;
  if (names_.size() >= kMaxNames) {
    return absl::ResourceExhaustedError(
        ToAbsl(Concat("more than 4096 different resource names seen; refused: ", name)));
  }
  auto id = static_cast<ResourceId>(names_.size());
  names_.emplace_back(name);
  ids_.emplace(std::string(name), id);
  return id;
}

std::optional<ResourceId> ResourceNames::Find(std::string_view name) const {
  std::lock_guard lock(mutex_);
  auto found = ids_.find(name);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::string_view ResourceNames::Name(ResourceId id) const {
  std::lock_guard lock(mutex_);
  return names_[id];  // a deque never moves its elements
}

int64_t BaseUnits(ResourceId resource, const Quantity& quantity) {
  return resource == kCpu ? quantity.MilliValue() : quantity.Value();
}

ResourceVector::ResourceVector(std::initializer_list<Entry> entries) {
  for (const auto& [resource, amount] : entries) Set(resource, amount);
}

namespace {
template <typename Entries>
auto Position(Entries& entries, ResourceId resource) {
  return std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first >= resource; });
}
}  // namespace

int64_t ResourceVector::Get(ResourceId resource) const {
  auto at = Position(entries_, resource);
  return at != entries_.end() && at->first == resource ? at->second : 0;
}

bool ResourceVector::Has(ResourceId resource) const {
  auto at = Position(entries_, resource);
  return at != entries_.end() && at->first == resource;
}

void ResourceVector::Set(ResourceId resource, int64_t amount) {
  auto at = Position(entries_, resource);
  if (at != entries_.end() && at->first == resource) {
    at->second = amount;
  } else {
    entries_.insert(at, {resource, amount});
  }
}

void ResourceVector::Add(ResourceId resource, int64_t amount) { Set(resource, SaturatingAdd(Get(resource), amount)); }

void ResourceVector::Add(const ResourceVector& other) {
  for (const auto& [resource, amount] : other) Add(resource, amount);
}

void ResourceVector::Subtract(const ResourceVector& other) {
  for (const auto& [resource, amount] : other) {
    Add(resource, amount == std::numeric_limits<int64_t>::min() ? std::numeric_limits<int64_t>::max() : -amount);
  }
}

void ResourceVector::Max(const ResourceVector& other) {
  for (const auto& [resource, amount] : other) {
    if (!Has(resource) || Get(resource) < amount) Set(resource, amount);
  }
}

}  // namespace huygens
