// Time in which tasks run one after another, and that passes between them alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/time.h"

namespace huygens::test {

// Runs tasks in the order of their times, and of their posting where these are equal.
class VirtualTime final : public Clock {
 public:
  Time Now() const override { return Time(std::chrono::hours(500000)) + now_; }
  Duration Monotonic() const { return now_; }
  void After(Duration delay, std::function<void()> task) { tasks_.push({now_ + delay, ++posted_, std::move(task)}); }
  // Until nothing is left to do, or this time has come.
  void Run(Duration until) {
    while (!tasks_.empty() && tasks_.top().at <= until) {
      const Task task = tasks_.top();
      tasks_.pop();
      now_ = std::max(now_, task.at);
      task.run();
    }
    now_ = std::max(now_, until);
  }

 private:
  struct Task {
    Duration at;
    uint64_t number;
    std::function<void()> run;
    bool operator<(const Task& other) const {
      return at != other.at ? at > other.at : number > other.number;  // the top is what comes first
    }
  };

  std::priority_queue<Task> tasks_;
  Duration now_{};
  uint64_t posted_ = 0;
};

}  // namespace huygens::test
