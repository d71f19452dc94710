// The highest value of each subject (a workload or a node) in each of a few slots, gathered in any order and delivered
// ascending by slot. Memory: 24 bytes a sample. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "usage/readings.h"
#include "usage_sources/source.h"
#include "usage_sources/subject.h"

namespace huygens::usage_sources {

class SlotMaxima {
 public:
  // A number for the subject, new or known.
  uint32_t Subject(SubjectKind kind, std::string_view name);
  // `measured`: the time of the sample.
  void Raise(uint32_t subject, int64_t slot, int64_t amount, Time measured);

  // A node of which only the pods were measured, not what it uses itself.
  void RaiseWithoutAmount(uint32_t node, int64_t slot, Time measured) { Raise(node, slot, kNoAmount, measured); }

  // The first slot in which a subject of that kind has something.
  std::optional<int64_t> FirstSlot(SubjectKind kind) const;

  // Whether a subject of that kind has an amount.
  bool AnyAmount(SubjectKind kind) const;
  // The first by name of the nodes that have none; empty: all have.
  std::string FirstWithoutAmount() const;

  // Everything, by slot, then workloads before nodes, then by time of the newest sample (to the minute, oldest first:
  // in a batch of its own, a node that fell silent does not pass for fresh), then by name.
  void DeliverTo(const Deliver& deliver, size_t resource) &&;

 private:
  static constexpr int64_t kNoAmount = -1;

  struct Named {
    SubjectKind kind;
    std::string name;
  };
  struct Sample {
    int64_t amount;
    Time measured;
    uint32_t subject;
    int32_t slot;  // of a second or more, so this lasts
  };
  template <typename Visit>
  void Each(SubjectKind kind, Visit visit) const;  // sample

  std::vector<Named> subjects_;
  TextMap<uint32_t> numbers_[2];  // by kind and name
  std::vector<Sample> samples_;
};

}  // namespace huygens::usage_sources
