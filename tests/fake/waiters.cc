#include "tests/fake/waiters.h"

#include <cstdio>
#include <cstdlib>

namespace huygens::fake {

Duration ManualWaiter::Now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

void ManualWaiter::Wait(Duration duration) {
  std::unique_lock lock(mutex_);
  until_ = now_ + duration;
  waiting_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return now_ >= until_ || woken_ || interrupted_; });
  woken_ = false;
  waiting_ = false;
}

void ManualWaiter::Wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

void ManualWaiter::Interrupt() {
  const std::lock_guard lock(mutex_);
  interrupted_ = true;
  changed_.notify_all();
}

bool ManualWaiter::interrupted() const {
  const std::lock_guard lock(mutex_);
  return interrupted_;
}

Duration ManualWaiter::AwaitWaiting() {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, std::chrono::seconds(30), [this] { return waiting_ && !woken_ && until_ > now_; })) {
    std::fputs("ManualWaiter: the thread does not come to rest\n", stderr);
    std::abort();
  }
  return until_ - now_;
}

void ManualWaiter::Advance(Duration duration) {
  AwaitWaiting();
  {
    const std::lock_guard lock(mutex_);
    now_ += duration;
    changed_.notify_all();
  }
  AwaitWaiting();
}

}  // namespace huygens::fake
