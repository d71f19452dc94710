#include "kube/bind_lease.h"

#include <algorithm>
#include <utility>

#include "kube/reflector.h"

namespace huygens::kube {
namespace {

constexpr Duration kNothingToDo = std::chrono::hours(1);

}  // namespace

BindLease::BindLease(std::unique_ptr<net::Client> client, std::unique_ptr<Waiter> waiter, const Clock& clock,
                     Options options, std::function<void(const View&)> on_change)
    : options_(std::move(options)),
      client_(std::move(client)),
      waiter_(std::move(waiter)),
      on_change_(std::move(on_change)),
      lease_(*client_, *waiter_, clock, options_.lease) {}

BindLease::~BindLease() { Stop(); }

void BindLease::Start() {
  thread_ = std::thread([this] { Loop(); });
}

void BindLease::Stop() {
  waiter_->Interrupt();
  if (thread_.joinable()) thread_.join();
}

void BindLease::Want() {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    last_use_ = waiter_->Now();
    const bool held = view_.held && held_until_ > last_use_;
    wake = !held && !wanted_;
    if (!held) wanted_ = true;
  }
  if (wake) waiter_->Wake();
}

BindLeaseView BindLease::Now() const {
  const std::lock_guard lock(mutex_);
  View view = view_;
  view.left = view.held ? std::max(Duration::zero(), held_until_ - waiter_->Now()) : Duration::zero();
  if (view.left == Duration::zero()) view.held = false;
  return view;
}

Status BindLease::Begin(uint64_t term, Duration needed) {
  const std::lock_guard lock(mutex_);
  if (!view_.held) return Unavailable("the bind Lease is not ours any more");
  if (term != view_.term) return Unavailable("the bind Lease changed hands after the decision");
  if (held_until_ - waiter_->Now() < needed) return Unavailable("the bind Lease ends before the Binding would be done");
  ++under_way_;
  return absl::OkStatus();
}

void BindLease::End(Duration in_doubt) {
  const std::lock_guard lock(mutex_);
  --under_way_;
  last_use_ = waiter_->Now();
  doubt_until_ = std::max(doubt_until_, last_use_ + in_doubt);
}

void BindLease::Loop() {
  while (!waiter_->interrupted()) waiter_->Wait(Step());
  Publish(false, "stopping");
  if (!UnderWay()) (void)lease_.Release();  // best effort: otherwise others wait for its end
}

Duration BindLease::Step() {
  if (lease_.Left() > Duration::zero()) return StepHeld();
  bool wanted = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiter_->Now() - last_use_ > options_.patience) wanted_ = false;
    wanted = wanted_;
  }
  if (wanted) return StepWanted();
  Publish(false, std::exchange(renewal_fault_, ""));
  return kNothingToDo;
}

bool BindLease::Close(bool yield) {
  View before;
  {
    const std::lock_guard lock(mutex_);
    before = view_;
    const bool idle = !Busy() && waiter_->Now() - last_use_ >= options_.idle_release;
    if (!yield && !idle) return false;
    view_.held = false;
    view_.trouble.clear();  // whoever waits will have it again in a moment
  }
  Notify(before);
  return true;
}

bool BindLease::UnderWay() const {
  const std::lock_guard lock(mutex_);
  return Busy();
}

Duration BindLease::StepHeld() {
  const bool yield = waiter_->Now() - held_since_ >= options_.longest_hold;
  const bool closed = Close(yield);
  if (closed && !UnderWay()) {
    (void)lease_.Release();  // if it fails, others wait for its end
    if (yield) not_before_ = waiter_->Now() + options_.yield_pause;
    return Duration::zero();
  }
  if (waiter_->Now() >= renew_at_) {
    const Status renewed = lease_.Hold();
    renew_at_ = waiter_->Now() + options_.lease.duration / (renewed.ok() ? 3 : 20);
    renewal_fault_ = std::string(Message(renewed));
    if (lease_.Left() <= Duration::zero()) return Duration::zero();
  }
  if (!closed) Publish(true, "");
  const Duration now = waiter_->Now();
  const Duration next = std::min({renew_at_ - now, lease_.Left(), options_.idle_release / 4});
  return std::max(next, Duration::zero());
}

Duration BindLease::StepWanted() {
  const Duration now = waiter_->Now();
  if (now < not_before_) return not_before_ - now;
  if (const Status status = lease_.Hold(); !status.ok()) {
    Publish(false, std::string(Message(status)));
    return options_.poll;
  }
  if (term_read_ != lease_.term()) {
    const auto version = ReadResourceVersion(*client_, cluster::Kind::kPod, options_.lease.call_timeout);
    if (!version.ok()) {
      (void)lease_.Release();
      Publish(false, Concat("cannot read the pods' resource version: ", Message(version.status())));
      return options_.poll;
    }
    must_have_seen_ = *version;
    term_read_ = lease_.term();
  }
  held_since_ = now;
  renew_at_ = now + options_.lease.duration / 3;
  Publish(true, "");
  return Duration::zero();
}

void BindLease::Publish(bool held, std::string trouble) {
  View before;
  {
    const std::lock_guard lock(mutex_);
    before = view_;
    if (held && !view_.held) {
      wanted_ = false;
      last_use_ = std::max(last_use_, waiter_->Now());  // whoever wanted it has a while to use it
    }
    held_until_ = waiter_->Now() + lease_.Left();
    view_.held = held;
    view_.trouble = std::move(trouble);
    view_.holder = lease_.other_holder();
    view_.term = lease_.term();
    view_.must_have_seen = must_have_seen_;
  }
  Notify(before);
}

void BindLease::Notify(const View& before) {
  const View now = Now();
  if (now.held != before.held || now.term != before.term || now.trouble != before.trouble) on_change_(now);
}

}  // namespace huygens::kube
