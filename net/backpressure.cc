#include "net/backpressure.h"

namespace huygens::net {

bool Backpressure::Enter(size_t amount) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || amount == 0 || taken_ < size_; });
  if (closed_) return false;
  taken_ += amount;
  return true;
}

void Backpressure::Leave(size_t amount) {
  const std::lock_guard lock(mutex_);
  taken_ -= amount;
  changed_.notify_all();
}

void Backpressure::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

size_t Backpressure::taken() const {
  const std::lock_guard lock(mutex_);
  return taken_;
}

}  // namespace huygens::net
