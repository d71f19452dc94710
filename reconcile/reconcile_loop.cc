#include "reconcile/reconcile_loop.h"

#include <algorithm>
#include <utility>

namespace huygens::reconcile {
namespace {

// Keys that are begun before others on this thread have their turn.
constexpr int kAtOnce = 64;

}  // namespace

ReconcileLoop::ReconcileLoop(Reconciler& reconciler, Environment environment, Duration resync,
                             WorkQueue::Options options)
    : reconciler_(reconciler), environment_(std::move(environment)), resync_(resync), options_(options) {
  reconciler_.Start(*this);
}

void ReconcileLoop::Lead() {
  queue_.emplace(options_, environment_.random);
  Resync(++term_);
}

void ReconcileLoop::StopLeading() {
  if (!queue_) return;
  queue_.reset();
  wake_at_.reset();
  ++term_;
  reconciler_.StopLeading();
}

void ReconcileLoop::Resync(uint64_t term) {
  if (term != term_) return;
  reconciler_.ForEachKey([this](std::string_view key) { Add(key); });
  environment_.after(resync_, [this, term, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired()) Resync(term);
  });
}

void ReconcileLoop::AddAfter(std::string_view key, Duration delay) {
  if (!queue_) return;
  const Duration at = environment_.monotonic() + delay;
  if (delay <= Duration::zero()) {
    queue_->Add(key);
  } else {
    queue_->AddAt(key, at);
  }
  WakeAt(at);
}

void ReconcileLoop::WakeAt(Duration at) {
  if (working_ || (wake_at_ && *wake_at_ <= at)) return;
  wake_at_ = at;
  environment_.after(std::max(at - environment_.monotonic(), Duration::zero()),
                     [this, at, alive = std::weak_ptr<bool>(alive_)] {
                       if (alive.expired() || wake_at_ != at) return;  // an earlier one came
                       wake_at_.reset();
                       Work();
                     });
}

void ReconcileLoop::Work() {
  if (!queue_ || working_) return;
  working_ = true;
  int begun = 0;
  while (queue_ && begun < kAtOnce) {
    const std::optional<std::string> key = queue_->Take(environment_.monotonic());
    if (!key) break;
    ++begun;
    Begin(*key);
  }
  working_ = false;
  if (!queue_) return;
  if (begun == kAtOnce) return WakeAt(environment_.monotonic());
  if (const std::optional<Duration> next = queue_->NextDue()) WakeAt(*next);
}

void ReconcileLoop::Begin(const std::string& key) {
  reconciler_.Reconcile(key, [this, key, term = term_, alive = std::weak_ptr<bool>(alive_)](const Reconciled& result) {
    if (!alive.expired() && term == term_) Ended(key, result);
  });
}

void ReconcileLoop::Ended(const std::string& key, const Reconciled& result) {
  const bool succeeded = result.status.ok();
  ++(succeeded ? counts_.succeeded : counts_.failed);
  if (!succeeded) {
    if (const auto left_out = warnings_.Allow(environment_.clock.Now())) {
      environment_.log.Warn(
          "cannot reconcile",
          {{"reconciler", name()}, {"key", key}, {"why", Message(result.status)}, {"leftOut", *left_out}});
    }
  }
  const Duration now = environment_.monotonic();
  if (result.again) queue_->AddAt(key, now + *result.again);
  queue_->Done(key, succeeded, now);
  Work();
}

}  // namespace huygens::reconcile
