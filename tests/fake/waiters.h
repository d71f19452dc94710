// Time for tests: none of them sleeps.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/time.h"
#include "base/waiter.h"

namespace huygens::fake {

// Waiting takes no time, moves the clock, and is remembered.
class InstantWaiter final : public Waiter {
 public:
  Duration Now() const override {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  void Wait(Duration duration) override {
    const std::lock_guard lock(mutex_);
    if (interrupted_) return;
    waits_.push_back(duration);
    now_ += duration;
  }
  void Wake() override {}
  void Interrupt() override {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
  }
  bool interrupted() const override {
    const std::lock_guard lock(mutex_);
    return interrupted_;
  }
  void Advance(Duration duration) {
    const std::lock_guard lock(mutex_);
    now_ += duration;
  }
  std::vector<Duration> waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
  }

 private:
  mutable std::mutex mutex_;
  Duration now_ = std::chrono::hours(1);
  std::vector<Duration> waits_;
  bool interrupted_ = false;
};

// A wait ends only when the test moves the clock that far (or wakes it). For one waiting thread.
class ManualWaiter final : public Waiter {
 public:
  Duration Now() const override;
  void Wait(Duration duration) override;
  void Wake() override;
  void Interrupt() override;
  bool interrupted() const override;

  // Blocks until the thread waits for something in the future; returns how far in the future. Fails the process after
  // 30 s.
  Duration AwaitWaiting();
  // Moves the clock and then waits until the thread has done what became due and waits again.
  void Advance(Duration duration);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Duration now_ = std::chrono::hours(1);
  Duration until_{};
  bool waiting_ = false;
  bool woken_ = false;
  bool interrupted_ = false;
};

}  // namespace huygens::fake
