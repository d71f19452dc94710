// Gives a reconciler its keys: those that it asks for, all of them when this instance begins to lead, and all of them
// again at each resync, in case something was missed. Owned by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/backoff.h"
#include "base/time.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "reconcile/reconciler.h"
#include "reconcile/work_queue.h"

namespace huygens::reconcile {

class ReconcileLoop final : public WorkKeys {
 public:
  struct Environment {
    const Clock& clock;  // for the log
    observe::Log& log;
    std::function<Duration()> monotonic;
    // Calls the task once after this time, on the same thread; it may do so when this object is gone.
    std::function<void(Duration, std::function<void()>)> after;
    Random random;
  };
  struct Counts {
    uint64_t succeeded = 0, failed = 0;
  };

  // Starts the reconciler, which must outlive this.
  ReconcileLoop(Reconciler& reconciler, Environment environment, Duration resync, WorkQueue::Options options = {});

  // In turns: this instance leads, and leads no more. Nothing is reconciled before the former or after the latter.
  void Lead();
  void StopLeading();
  bool leading() const { return queue_.has_value(); }

  void Add(std::string_view key) override { AddAfter(key, Duration::zero()); }
  void AddAfter(std::string_view key, Duration delay) override;

  std::string_view name() const { return reconciler_.name(); }
  const Counts& counts() const { return counts_; }
  // Keys that are due or worked on.
  size_t depth() const { return queue_ ? queue_->due() + queue_->working() : 0; }

 private:
  void Resync(uint64_t term);
  // Looks at the queue at this time at the latest.
  void WakeAt(Duration at);
  void Work();
  void Begin(const std::string& key);
  void Ended(const std::string& key, const Reconciled& result);

  Reconciler& reconciler_;
  const Environment environment_;
  const Duration resync_;
  const WorkQueue::Options options_;
  std::optional<WorkQueue> queue_;  // while this instance leads
  uint64_t term_ = 0;               // what was begun in an earlier one ends for nobody
  std::optional<Duration> wake_at_;
  bool working_ = false;
  Counts counts_;
  observe::RateLimit warnings_{std::chrono::seconds(10)};
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace huygens::reconcile
