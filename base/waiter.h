// Monotonic time and waiting that can be cut short. Whatever waits (back-off, renewal of a Lease, polling, looking
// for a missing CRD) gets one passed in, so that a test replaces minutes by nothing.
//
// One thread waits; Wake and Interrupt may be called from any thread.
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/time.h"

namespace huygens {

class Waiter {
 public:
  virtual ~Waiter() = default;
  // Since an arbitrary start; never goes back.
  virtual Duration Now() const = 0;
  // Waits for `duration`, or until Wake or Interrupt.
  virtual void Wait(Duration duration) = 0;
  // Ends the wait that is under way, or the next one when none is.
  virtual void Wake() = 0;
  // Ends this wait and all later ones at once. For good.
  virtual void Interrupt() = 0;
  virtual bool interrupted() const = 0;
};

class SteadyWaiter final : public Waiter {
 public:
  Duration Now() const override;
  void Wait(Duration duration) override;
  void Wake() override;
  void Interrupt() override;
  bool interrupted() const override;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  bool interrupted_ = false;
};

}  // namespace huygens
