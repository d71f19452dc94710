// The last decisions, in memory, bounded in number and in bytes: the oldest go first. Any thread; readers do not hold
// writers up while they render.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "observe/decision.h"

namespace huygens::observe {

// Which decisions are looked for; what is empty matches all.
struct DecisionQuery {
  std::string_view pod;  // "namespace/name", or a bare name in any namespace
  std::string_view uid;
};

class DecisionRing {
 public:
  static constexpr size_t kMaxDecisions = 1000;
  static constexpr size_t kMaxBytes = size_t{64} << 20;
  explicit DecisionRing(size_t max_decisions = kMaxDecisions, size_t max_bytes = kMaxBytes);

  void Add(std::shared_ptr<const DecisionRecord> record);

  // Decisions are numbered as they come. The newest one that matches and came before that number: for readers that take
  // one after the other and hold none of them meanwhile.
  struct Numbered {
    std::shared_ptr<const DecisionRecord> record;
    uint64_t number = 0;
  };
  static constexpr uint64_t kNewest = UINT64_MAX;
  std::optional<Numbered> Before(const DecisionQuery& query, uint64_t number) const;

  size_t size() const;
  size_t bytes() const;

 private:
  const size_t max_decisions_;
  const size_t max_bytes_;
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<const DecisionRecord>> records_;  // oldest first
  uint64_t first_number_ = 0;                                  // of the oldest, or of the next where there is none
  size_t bytes_ = 0;
};

}  // namespace huygens::observe
