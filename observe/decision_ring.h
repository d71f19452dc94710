// The last decisions, in memory, bounded in number and in bytes: the oldest go first. Any thread; readers do not hold
// writers up while they render.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

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

  // Newest first, at most `limit`.
  std::vector<std::shared_ptr<const DecisionRecord>> Find(const DecisionQuery& query, size_t limit) const;
  // The same as {"decisions":[...]}; stops after the record that passes `max_bytes` and then says "truncated":true.
  std::string Json(const DecisionQuery& query, size_t limit, size_t max_bytes = size_t{32} << 20) const;

  size_t size() const;
  size_t bytes() const;

 private:
  const size_t max_decisions_;
  const size_t max_bytes_;
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<const DecisionRecord>> records_;  // oldest first
  size_t bytes_ = 0;
};

}  // namespace huygens::observe
