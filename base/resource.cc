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
  return id < names_.size() ? std::string_view(names_[id]) : std::string_view();  // a deque never moves its elements
}

size_t ResourceNames::size() const {
  std::lock_guard lock(mutex_);
  return names_.size();
}

int64_t BaseUnits(ResourceId resource, const Quantity& quantity) {
  return resource == kCpu ? quantity.MilliValue() : quantity.Value();
}

Quantity ToQuantity(ResourceId resource, int64_t base_units) {
  if (resource == kCpu) return Quantity::FromMilli(base_units);
  const bool bytes = resource == kMemory || resource == kEphemeralStorage || IsHugepages(resource);
  return Quantity::FromInt(base_units, bytes ? Quantity::Format::kBinarySI : Quantity::Format::kDecimalSI);
}

ResourceVector::ResourceVector(std::initializer_list<Entry> entries) {
  for (const auto& [resource, amount] : entries) Set(resource, amount);
}

ResourceVector::ResourceVector(const ResourceVector& other) {
  MakeRoom(other.room_.size);
  std::copy_n(other.ids(), other.room_.size, ids());
  std::copy_n(other.amounts(), other.room_.size, amounts());
  room_.size = other.room_.size;
}

// Grows only.
void ResourceVector::MakeRoom(uint16_t capacity) {
  if (capacity <= room_.capacity) return;
  ResourceVector larger;
  larger.room_.heap = static_cast<int64_t*>(::operator new(capacity * (sizeof(int64_t) + sizeof(ResourceId))));
  larger.room_.capacity = capacity;
  larger.room_.size = room_.size;
  std::copy_n(ids(), room_.size, larger.ids());
  std::copy_n(amounts(), room_.size, larger.amounts());
  std::swap(room_, larger.room_);
}

size_t ResourceVector::Position(ResourceId resource) const {
  const ResourceId* first = ids();
  size_t at = 0;
  while (at < room_.size && first[at] < resource) ++at;
  return at;
}

int64_t ResourceVector::Get(ResourceId resource) const {
  const size_t at = Position(resource);
  return at < room_.size && ids()[at] == resource ? amounts()[at] : 0;
}

bool ResourceVector::Has(ResourceId resource) const {
  const size_t at = Position(resource);
  return at < room_.size && ids()[at] == resource;
}

void ResourceVector::Set(ResourceId resource, int64_t amount) {
  const size_t at = Position(resource);
  if (at == room_.size || ids()[at] != resource) {
    if (room_.size == room_.capacity) MakeRoom(static_cast<uint16_t>(2 * room_.capacity));
    std::copy_backward(ids() + at, ids() + room_.size, ids() + room_.size + 1);
    std::copy_backward(amounts() + at, amounts() + room_.size, amounts() + room_.size + 1);
    ids()[at] = resource;
    ++room_.size;
  }
  amounts()[at] = amount;
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

bool operator==(const ResourceVector& a, const ResourceVector& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace huygens
