#include "net/event_loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <utility>

#include "net/event_loop_impl.h"

namespace huygens::net {

struct Timer::State {
  State(asio::io_context& context, EventLoop::Task call) : timer(context), task(std::move(call)) {}
  asio::steady_timer timer;
  EventLoop::Task task;
  bool pending = true;
};

Timer::Timer() = default;
Timer::Timer(std::shared_ptr<State> state) : state_(std::move(state)) {}
Timer::Timer(Timer&&) noexcept = default;
Timer::~Timer() { Cancel(); }

Timer& Timer::operator=(Timer&& other) noexcept {
  if (this != &other) {
    Cancel();
    state_ = std::move(other.state_);
  }
  return *this;
}

void Timer::Cancel() {
  const auto state = std::exchange(state_, nullptr);
  if (state == nullptr || !state->pending) return;
  state->pending = false;
  // The task may own the object that holds this timer: it dies last.
  const EventLoop::Task task = std::exchange(state->task, nullptr);
  state->timer.cancel();
}

void Timer::Detach() { state_.reset(); }

bool Timer::pending() const { return state_ != nullptr && state_->pending; }

EventLoop::EventLoop() : impl_(std::make_unique<Impl>()) {}
EventLoop::~EventLoop() = default;

void EventLoop::Post(Task task) {
  asio::post(impl_->context, [task = std::move(task)]() mutable { task(); });
}

Timer EventLoop::After(Duration delay, Task task) {
  auto state = std::make_shared<Timer::State>(impl_->context, std::move(task));
  state->timer.expires_after(delay);
  state->timer.async_wait([state](const boost::system::error_code& error) {
    if (error || !state->pending) return;
    state->pending = false;
    Task call = std::exchange(state->task, nullptr);
    call();
  });
  return Timer(std::move(state));
}

namespace {

void WaitForSignal(asio::signal_set& signals, std::function<void(int)> task) {
  signals.async_wait([&signals, task = std::move(task)](const boost::system::error_code& error, int number) {
    if (error) return;
    WaitForSignal(signals, task);
    task(number);
  });
}

}  // namespace

void EventLoop::OnSignal(const std::vector<int>& signals, std::function<void(int)> task) {
  auto set = std::make_unique<asio::signal_set>(impl_->context);
  for (const int number : signals) set->add(number);
  WaitForSignal(*set, std::move(task));
  impl_->signals.push_back(std::move(set));
}

void EventLoop::Run() {
  impl_->context.run();
  // Only now: a Stop that came before this Run must not be lost.
  impl_->context.restart();
}

size_t EventLoop::Poll() { return impl_->context.poll(); }

void EventLoop::Stop() { impl_->context.stop(); }

bool EventLoop::InLoop() const { return impl_->context.get_executor().running_in_this_thread(); }

void IgnoreBrokenPipes() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace huygens::net
