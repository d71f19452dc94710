// Amounts of resources by dense id, in integer base units: CPU in milli-cores, everything else in units (bytes,
// devices, pods). Fractions are rounded up as Kubernetes' MilliValue and Value do; sums saturate instead of
// overflowing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// From here on an id is the position of a name in a list of one pod's own (cluster/unknown_resources.h), and means
// something else in every pod.
inline constexpr ResourceId kFirstUnknownResource = 1 << 15;
inline constexpr bool IsUnknownResource(ResourceId id) { return id >= kFirstUnknownResource; }

// Gives each resource name an id that holds for the life of the process. Nodes, topology objects and the configuration
// put names in; pods, which anybody may write, only look them up. Thread-safe: decoders on several threads share one.
class ResourceNames {
 public:
  static constexpr size_t kMaxNames = 4096;  // bounds what faulty nodes can cost

  ResourceNames();
  ResourceNames(const ResourceNames&) = delete;
  ResourceNames& operator=(const ResourceNames&) = delete;

  // The id of `name`, new or known. Fails (resource exhausted) past kMaxNames.
  StatusOr<ResourceId> Intern(std::string_view name);
  std::optional<ResourceId> Find(std::string_view name) const;
  // The name of an id handed out before, empty for any other; the view holds as long as this object.
  std::string_view Name(ResourceId id) const;
  // How many there are: ids run from 0 to size() - 1, and only grow.
  size_t size() const;

  // Of pods, too, decoders keep only what somebody asks for: the keys of labels and of annotations that they are to
  // keep besides. To be said before anything is decoded.
  struct PodKeys {
    std::vector<std::string> labels, annotations;
  };
  void KeepOfPods(PodKeys keys) { pod_keys_ = std::move(keys); }
  const PodKeys& pod_keys() const { return pod_keys_; }

 private:
  PodKeys pod_keys_;
  mutable std::mutex mutex_;
  TextMap<ResourceId> ids_;
  std::deque<std::string> names_;
};

class Quantity;
// `quantity` in the base unit of `resource`, rounded up (away from zero) and saturated.
int64_t BaseUnits(ResourceId resource, const Quantity& quantity);
// The way back, as users write it: bytes in binary units ("4Gi"), everything else in decimal ones.
Quantity ToQuantity(ResourceId resource, int64_t base_units);

// A short list of (resource, amount), ordered by id. An absent resource counts as 0, but a present 0 stays present, as
// in Kubernetes' maps. Small, since every pod has a handful of them: 24 bytes with room for two resources (cpu and
// memory, nearly always), more are on the heap.
class ResourceVector {
 public:
  using Entry = std::pair<ResourceId, int64_t>;
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Entry;

    Iterator(const ResourceId* id, const int64_t* amount) : id_(id), amount_(amount) {}
    Entry operator*() const { return {*id_, *amount_}; }
    Iterator& operator++() {
      ++id_;
      ++amount_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.id_ == b.id_; }

   private:
    const ResourceId* id_;
    const int64_t* amount_;
  };

  ResourceVector() = default;
  ResourceVector(std::initializer_list<Entry> entries);
  ResourceVector(const ResourceVector& other);
  ResourceVector(ResourceVector&& other) noexcept : room_(std::exchange(other.room_, Room())) {}
  ResourceVector& operator=(ResourceVector other) noexcept {
    std::swap(room_, other.room_);
    return *this;
  }
  ~ResourceVector() {
    if (OnHeap()) ::operator delete(room_.heap);
  }

  int64_t Get(ResourceId resource) const;
  bool Has(ResourceId resource) const;
  void Set(ResourceId resource, int64_t amount);
  void Add(ResourceId resource, int64_t amount);
  void Add(const ResourceVector& other);
  void Subtract(const ResourceVector& other);
  // Raises each resource to the larger of both.
  void Max(const ResourceVector& other);

  bool empty() const { return room_.size == 0; }
  Iterator begin() const { return {ids(), amounts()}; }
  Iterator end() const { return {ids() + room_.size, amounts() + room_.size}; }
  friend bool operator==(const ResourceVector& a, const ResourceVector& b);
  template <typename H>
  friend H AbslHashValue(H hash, const ResourceVector& amounts) {
    for (const auto& [resource, amount] : amounts) hash = H::combine(std::move(hash), resource, amount);
    return H::combine(std::move(hash), amounts.room_.size);
  }

 private:
  static constexpr uint16_t kInPlace = 2;
  struct Room {
    union {
      int64_t amounts[kInPlace];
      int64_t* heap;  // `capacity` amounts, and behind them their ids
    };
    ResourceId ids[kInPlace];
    uint16_t size = 0;
    uint16_t capacity = kInPlace;
  };

  bool OnHeap() const { return room_.capacity > kInPlace; }
  const int64_t* amounts() const { return OnHeap() ? room_.heap : room_.amounts; }
  const ResourceId* ids() const {
    return OnHeap() ? reinterpret_cast<const ResourceId*>(room_.heap + room_.capacity) : room_.ids;
  }
  int64_t* amounts() { return const_cast<int64_t*>(std::as_const(*this).amounts()); }
  ResourceId* ids() { return const_cast<ResourceId*>(std::as_const(*this).ids()); }
  // Of the first resource that is not below this one.
  size_t Position(ResourceId resource) const;
  void MakeRoom(uint16_t capacity);

  Room room_{};
};

// a + b without overflow: the result sticks at the ends of int64_t.
int64_t SaturatingAdd(int64_t a, int64_t b);

}  // namespace huygens
