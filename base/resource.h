// Amounts of resources by dense id, in integer base units: CPU in milli-cores, everything else in units (bytes,
// devices, pods). Fractions are rounded up as Kubernetes' MilliValue and Value do; sums saturate instead of
// overflowing.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "base/status.h"
#include "base/text.h"

namespace huygens {

using ResourceId = uint16_t;
inline constexpr ResourceId kCpu = 0;
inline constexpr ResourceId kMemory = 1;
inline constexpr ResourceId kEphemeralStorage = 2;
inline constexpr ResourceId kPodSlots = 3;  // "pods" of a node's allocatable
// "hugepages-64Ki" to "hugepages-512Gi": the sizes that Linux has on any architecture.
inline constexpr ResourceId kFirstHugepages = 4;
inline constexpr ResourceId kLastHugepages = 13;
inline constexpr bool IsHugepages(ResourceId id) { return id >= kFirstHugepages && id <= kLastHugepages; }

// Gives each resource name an id that holds for the life of the process. Thread-safe: decoders on several threads share
// one.
class ResourceNames {
 public:
  static constexpr size_t kMaxNames = 4096;  // bounds what a stream of made-up names can cost

  ResourceNames();
  ResourceNames(const ResourceNames&) = delete;
  ResourceNames& operator=(const ResourceNames&) = delete;

  // The id of `name`, new or known. Fails (resource exhausted) past kMaxNames.
  StatusOr<ResourceId> Intern(std::string_view name);
  std::optional<ResourceId> Find(std::string_view name) const;
  // The name of an id handed out before; the view holds as long as this object.
  std::string_view Name(ResourceId id) const;

 private:
  mutable std::mutex mutex_;
  TextMap<ResourceId> ids_;
  std::deque<std::string> names_;
};

class Quantity;
// `quantity` in the base unit of `resource`, rounded up (away from zero) and saturated.
int64_t BaseUnits(ResourceId resource, const Quantity& quantity);

// A short list of (resource, amount), ordered by id. An absent resource counts as 0, but a present 0 stays present, as
// in Kubernetes' maps.
class ResourceVector {
 public:
  using Entry = std::pair<ResourceId, int64_t>;

  ResourceVector() = default;
  ResourceVector(std::initializer_list<Entry> entries);

  int64_t Get(ResourceId resource) const;
  bool Has(ResourceId resource) const;
  void Set(ResourceId resource, int64_t amount);
  void Add(ResourceId resource, int64_t amount);
  void Add(const ResourceVector& other);
  void Subtract(const ResourceVector& other);
  // Raises each resource to the larger of both.
  void Max(const ResourceVector& other);

  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  friend bool operator==(const ResourceVector&, const ResourceVector&) = default;

 private:
  absl::InlinedVector<Entry, 2> entries_;  // cpu and memory, nearly always
};

// a + b without overflow: the result sticks at the ends of int64_t.
int64_t SaturatingAdd(int64_t a, int64_t b);

}  // namespace huygens
