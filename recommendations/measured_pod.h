// A pod as far as recommendations look at it: whose it is, what its containers ask for and asked for at first, which of
// them run, and which were killed for want of memory. Safe on any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/label_selector.h"
#include "base/resource.h"
#include "base/status.h"
#include "base/time.h"
#include "recommend/decision.h"

namespace huygens::recommendations {

// Sidecars too; init containers that end are none.
struct PodContainer {
  std::string name;
  recommend::PerResource<std::optional<int64_t>> original, requested, limit;  // milli-CPU, bytes
  friend bool operator==(const PodContainer&, const PodContainer&) = default;
};

struct PodOwner {
  std::string group, kind, name;  // the outermost controller that its name tells; empty: it stands for itself
  friend bool operator==(const PodOwner&, const PodOwner&) = default;
};

// What the pods of one revision of a workload have in common, kept once for all of them.
struct PodShape {
  PodOwner owner;
  Labels labels;  // but those that say which replica it is
  std::vector<PodContainer> containers;
  bool guaranteed = false;  // as it was written
  bool opted_out = false;
  bool pinned = false;  // its CPUs or zones are chosen by whole requests
  friend bool operator==(const PodShape&, const PodShape&) = default;

  // Of all containers; nothing: none asks for it.
  std::optional<int64_t> SumOf(recommend::PerResource<std::optional<int64_t>> PodContainer::* amounts,
                               recommend::Resource resource) const;
  // For recommend::Decide: as it was written.
  recommend::PodRequests AsWritten() const;
};

struct OomKill {
  Time time;
  int64_t bytes = 0;  // what the pod used then, as far as is known: no less than what the container may use
  friend bool operator==(const OomKill&, const OomKill&) = default;
};

struct MeasuredPod {
  std::string namespace_name, name, uid;
  std::shared_ptr<const PodShape> shape;
  Time created;
  bool counts = false;   // it runs, and is not being deleted
  uint64_t running = 0;  // a bit for each of the first 64 containers of its shape
  std::vector<OomKill> oom_kills;

  std::string Key() const { return Concat(namespace_name, "/", name); }
};

// Fails where the pod cannot be read, naming the field.
StatusOr<MeasuredPod> DecodeMeasuredPod(std::string_view json, const ResourceNames& names);

}  // namespace huygens::recommendations
