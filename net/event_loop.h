// One thread that serves sockets, timers and tasks: the decision thread runs one, the admin server another.
//
// Tasks run one at a time, in the order in which they were posted; between two rounds of the queue the sockets are
// served, so a task that has much to do does a part of it and posts itself again. A task must not block. Post, Stop and
// InLoop may be called from any thread, everything else on the loop's thread or before Run. The loop must outlive what
// uses it and every thread that may still post to it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/time.h"

namespace huygens::net {

// A pending call of EventLoop::After. Destroying or replacing the handle cancels the call, so an owner may capture
// `this`.
class Timer {
 public:
  Timer();
  Timer(Timer&&) noexcept;
  Timer& operator=(Timer&&) noexcept;
  ~Timer();

  void Cancel();
  // Lets the call happen although nobody holds the handle any more.
  void Detach();
  bool pending() const;

 private:
  friend class EventLoop;
  struct State;
  explicit Timer(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

class EventLoop {
 public:
  using Task = absl::AnyInvocable<void()>;

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void Post(Task task);
  // Calls `task` once, `delay` (monotonic clock) from now. The handle may be replaced or destroyed inside the call.
  [[nodiscard]] Timer After(Duration delay, Task task);
  // Calls `task` with the signal's number each time one of `signals` reaches the process. One loop per process does
  // this.
  void OnSignal(const std::vector<int>& signals, std::function<void(int)> task);

  // Runs on the calling thread until Stop. May be called again afterwards.
  void Run();
  // Runs what is ready now without waiting and returns how many tasks and socket events that were. For tests and
  // simulators.
  size_t Poll();
  // Makes Run, or the next Run when none is active, return after the task that is running; queued tasks wait for the
  // Run after it.
  void Stop();
  // Whether the calling thread is inside Run or Poll of this loop.
  bool InLoop() const;

  // For the files of this room.
  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Writing to a connection that the peer has closed must be an error, not the end of the process. Call once in main.
void IgnoreBrokenPipes();

}  // namespace huygens::net
