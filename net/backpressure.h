// How much may be on its way to a thread: whoever delivers waits while that much is not worked off yet, so that a
// source that is faster than the thread does not fill the memory.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace huygens::net {

class Backpressure {
 public:
  explicit Backpressure(size_t size) : size_(size) {}

  // Waits until less than the size is taken, then takes `amount`: the last one in may pass the size, so that nothing is
  // too large for ever. False: it was closed, and nothing was taken. An amount of 0 takes nothing and never waits.
  // Any thread but the one that works off, which would wait for itself, unless the amount is 0.
  bool Enter(size_t amount);
  // What was worked off. Any thread.
  void Leave(size_t amount);
  // Nobody waits any more or gets in: before a source is stopped. Any thread.
  void Close();
  size_t taken() const;

 private:
  const size_t size_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  size_t taken_ = 0;
  bool closed_ = false;
};

}  // namespace huygens::net
