#include "base/waiter.h"

#include "base/steady_now.h"

namespace huygens {

Duration SteadyWaiter::Now() const { return SteadyNow(); }

void SteadyWaiter::Wait(Duration duration) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, duration, [this] { return woken_ || interrupted_; });
  woken_ = false;
}

void SteadyWaiter::Wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

void SteadyWaiter::Interrupt() {
  const std::lock_guard lock(mutex_);
  interrupted_ = true;
  changed_.notify_all();
}

bool SteadyWaiter::interrupted() const {
  const std::lock_guard lock(mutex_);
  return interrupted_;
}

}  // namespace huygens
