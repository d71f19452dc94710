// Carries items from any thread to the thread of an EventLoop and works them off there in the order of their delivery,
// in slices of a fifth of a millisecond between requests, so that a storm of them holds no request back. A request with
// a large body waits for several of them: one before each 64 KiB that are read of it.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "net/event_loop.h"

namespace huygens::net {

template <typename Item>
class TimeSlicedQueue {
 public:
  // `step` does some microseconds of work on the item and says whether more of it is left. `idle`, if given, does a
  // little of what is due when nothing waits, and says the same. Called on the loop's thread.
  TimeSlicedQueue(net::EventLoop& loop, std::function<bool(Item&)> step, std::function<bool()> idle = nullptr)
      : loop_(loop), step_(std::move(step)), idle_(std::move(idle)) {}

  // Any thread.
  void Deliver(Item item) {
    bool schedule = false;
    {
      std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
      schedule = !std::exchange(scheduled_, true);
    }
    if (schedule) loop_.Post([this] { Drain(); });
  }

 private:
  void Drain() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    do {
      if (!Step()) return;
    } while (std::chrono::steady_clock::now() < end);
    loop_.Post([this] { Drain(); });
  }

  // False: there is nothing left to do.
  bool Step() {
    if (!current_) {
      std::lock_guard lock(mutex_);
      if (!items_.empty()) {
        current_ = std::move(items_.front());
        items_.pop_front();
      }
    }
    if (current_) {
      if (!step_(*current_)) current_.reset();
      return true;
    }
    if (idle_ && idle_()) return true;
    std::lock_guard lock(mutex_);
    scheduled_ = !items_.empty();
    return scheduled_;
  }

  net::EventLoop& loop_;
  const std::function<bool(Item&)> step_;
  const std::function<bool()> idle_;
  std::optional<Item> current_;  // being worked off

  std::mutex mutex_;  // guards what follows
  std::deque<Item> items_;
  bool scheduled_ = false;
};

}  // namespace huygens::net
