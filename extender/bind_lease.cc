#include "extender/bind_lease.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kube/list_path.h"

namespace huygens::extender {
namespace {

// However long the Lease lasts: another instance may believe it less long, and who was deprived of it is to notice.
constexpr Duration kLongestRenewal = std::chrono::seconds(10) / 3;

constexpr std::string_view kSettling =
    "it was created just now: nobody binds until another instance that held an earlier one must have noticed";

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

void BindLease::Drain() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  waiter_->Wake();
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
  view.settling = std::max(Duration::zero(), settled_at_ - waiter_->Now());
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

void BindLease::End() {
  const std::lock_guard lock(mutex_);
  --under_way_;
  last_use_ = waiter_->Now();
}

void BindLease::EndInDoubt(std::string_view pod_uid, Duration in_doubt) {
  const std::lock_guard lock(mutex_);
  --under_way_;
  last_use_ = waiter_->Now();
  doubts_.insert_or_assign(std::string(pod_uid), last_use_ + in_doubt);
}

void BindLease::Settled(std::string_view pod_uid) {
  const std::lock_guard lock(mutex_);
  if (auto doubt = doubts_.find(pod_uid); doubt != doubts_.end()) doubts_.erase(doubt);
}

void BindLease::NobodyElse() {
  {
    const std::lock_guard lock(mutex_);
    nobody_else_ = true;
  }
  waiter_->Wake();
}

bool BindLease::InDoubt() {
  absl::erase_if(doubts_, [now = waiter_->Now()](const auto& doubt) { return doubt.second <= now; });
  return !doubts_.empty();
}

bool BindLease::UnderWay() {
  const std::lock_guard lock(mutex_);
  return Busy();
}

bool BindLease::Wanted() {
  const std::lock_guard lock(mutex_);
  if (waiter_->Now() - last_use_ > options_.patience) wanted_ = false;
  return wanted_;
}

void BindLease::Loop() {
  while (!waiter_->interrupted()) waiter_->Wait(Step());
  Publish(false, "stopping");
  if (!UnderWay()) (void)lease_.Release();  // best effort: otherwise others wait for its end
}

Duration BindLease::Step() {
  {
    const std::lock_guard lock(mutex_);
    if (nobody_else_) lease_.NobodyElse();
  }
  if (lease_.Settling() > Duration::zero()) return StepSettling();
  if (entered_ && lease_.Left() > Duration::zero()) return StepHeld();
  entered_ = false;
  return Wanted() ? StepWanted() : StepIdle();
}

Duration BindLease::RenewAfter() const { return std::min<Duration>(options_.lease.duration / 3, kLongestRenewal); }

void BindLease::Renew() {
  if (waiter_->Now() < renew_at_) return;
  const Status renewed = lease_.Hold();
  renew_at_ = waiter_->Now() + (renewed.ok() ? RenewAfter() : options_.lease.duration / 20);
  renewal_fault_ = std::string(Message(renewed));
}

Duration BindLease::StepSettling() {
  entered_ = false;
  Renew();
  Publish(false, std::string(kSettling));
  return std::max(Duration::zero(), std::min(renew_at_ - waiter_->Now(), lease_.Settling()));
}

Duration BindLease::StepIdle() {
  if (lease_.Left() > Duration::zero()) (void)lease_.Release();  // claimed, and nobody came
  std::string trouble = std::exchange(renewal_fault_, "");
  const Status seen = lease_.Look();
  if (!seen.ok()) trouble = std::string(Message(seen));
  if (seen.ok() && !lease_.exists()) {
    // Whoever creates it has to wait; now, nobody waits yet.
    const Status created = lease_.Hold();
    renew_at_ = waiter_->Now() + RenewAfter();
    if (created.ok()) return Duration::zero();
    if (!absl::IsFailedPrecondition(created)) trouble = std::string(Message(created));
  }
  Publish(false, std::move(trouble));
  return options_.observe;
}

bool BindLease::ShallYield() {
  const Duration held = waiter_->Now() - held_since_;
  if (!lease_.asked() || held < options_.longest_hold) return false;
  // While an outcome is in doubt the Lease cannot be given up, and nobody at all could bind: the others have their turn
  // when it is settled. Only where doubts never end they come before.
  const std::lock_guard lock(mutex_);
  return !InDoubt() || held >= 2 * options_.longest_hold;
}

bool BindLease::Close(bool yield) {
  View before;
  {
    const std::lock_guard lock(mutex_);
    before = view_;
    const bool idle = !Busy() && waiter_->Now() - last_use_ >= IdleRelease();
    if (!yield && !idle) return false;
    view_.held = false;
    view_.trouble.clear();  // whoever waits will have it again in a moment
  }
  Notify(before);
  return true;
}

Duration BindLease::StepHeld() {
  const bool yield = ShallYield();
  const bool closed = Close(yield);
  if (closed && !UnderWay()) {
    (void)lease_.Release();  // if it fails, others wait for its end
    if (yield) not_before_ = waiter_->Now() + options_.yield_pause;
    return Duration::zero();
  }
  Renew();
  if (lease_.Left() <= Duration::zero()) {
    Publish(false, renewal_fault_);  // at once, before anything else is asked
    return Duration::zero();
  }
  if (!closed && !Enter()) return Duration::zero();
  const Duration now = waiter_->Now();
  const std::lock_guard lock(mutex_);
  const Duration next = std::min({renew_at_ - now, lease_.Left(), IdleRelease() / 4});
  return std::max(next, Duration::zero());
}

Duration BindLease::StepWanted() {
  const Duration now = waiter_->Now();
  if (now < not_before_) return not_before_ - now;
  if (const Status status = lease_.Hold(); !status.ok()) {
    if (!lease_.other_holder().empty()) (void)lease_.AskForTurn();  // asked again with the next look
    Publish(false, std::string(Message(status)));
    return options_.poll;
  }
  renew_at_ = now + RenewAfter();
  if (lease_.Settling() > Duration::zero()) return Duration::zero();
  held_since_ = now;
  return Enter() ? Duration::zero() : options_.poll;
}

bool BindLease::Enter() {
  if (term_read_ != lease_.term()) {
    const auto version = kube::ReadResourceVersion(*client_, cluster::Kind::kPod, options_.lease.call_timeout);
    if (!version.ok()) {
      (void)lease_.Release();
      Publish(false, Concat("cannot read the pods' resource version: ", Message(version.status())));
      return false;
    }
    must_have_seen_ = *version;
    term_read_ = lease_.term();
  }
  entered_ = true;
  Publish(true, "");
  return true;
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
    settled_at_ = waiter_->Now() + lease_.Settling();
    view_.held = held;
    view_.trouble = std::move(trouble);
    view_.holder = lease_.other_holder();
    view_.excess = lease_.excess();
    view_.first = lease_.first();
    view_.incidents = lease_.incidents();
    view_.incident = lease_.incident();
    view_.term = lease_.term();
    view_.must_have_seen = must_have_seen_;
  }
  Notify(before);
}

void BindLease::Notify(const View& before) {
  const View now = Now();
  const auto told = [](const View& view) {
    return std::tie(view.held, view.term, view.trouble, view.first, view.incidents);
  };
  if (told(now) != told(before)) on_change_(now);
}

}  // namespace huygens::extender
