#include "kube/leader_election.h"

#include <algorithm>
#include <utility>

namespace huygens::kube {

LeaderElection::LeaderElection(std::unique_ptr<net::Client> client, std::unique_ptr<Waiter> waiter, const Clock& clock,
                               net::EventLoop& loop, Options options, Duties duties)
    : options_(std::move(options)),
      client_(std::move(client)),
      waiter_(std::move(waiter)),
      loop_(loop),
      duties_(std::move(duties)),
      lease_(*client_, *waiter_, clock, options_.lease) {}

void LeaderElection::Start() {
  thread_ = std::thread([this] { Loop(); });
}

void LeaderElection::Stop() {
  End("stopping");
  waiter_->Interrupt();
  if (thread_.joinable()) thread_.join();
}

Duration LeaderElection::Left() const {
  if (waiter_->interrupted()) return Duration::zero();
  return std::max(Duration::zero(), held_until_.load() - waiter_->Now());
}

void LeaderElection::Loop() {
  while (!waiter_->interrupted()) waiter_->Wait(Step());
  held_until_ = Duration::zero();
  (void)lease_.Release();  // best effort: otherwise others wait for its end
}

Duration LeaderElection::Step() {
  const Status held = lease_.Hold();
  const Duration now = waiter_->Now();  // read first: rather too early an end than too late
  const Duration left = lease_.Left();
  held_until_ = left > Duration::zero() ? now + left : Duration::zero();
  const bool settling = lease_.Settling() > Duration::zero();
  std::string trouble(Message(held));
  if (held.ok() && settling) trouble = "nobody may lead yet: another instance might still go by the Lease as it was";
  loop_.Post([this, alive = std::weak_ptr<bool>(alive_), view = View{lease_.term(), std::move(trouble)}]() mutable {
    if (!alive.expired()) Take(std::move(view));
  });
  const Duration renewal = options_.lease.duration / 3;
  if (settling) return std::min(renewal, lease_.Settling());
  if (held.ok()) return renewal;
  // As long as it is ours there is little time to renew it.
  return left > Duration::zero() ? options_.lease.duration / 20 : std::min(renewal, options_.retry);
}

void LeaderElection::Take(View view) {
  trouble_ = std::move(view.trouble);
  const Duration left = Left();
  if (waiter_->interrupted()) return;
  if (left <= options_.end_before) return End(trouble_);
  if (leading_ && term_ != view.term) End("another instance may have led in between");
  end_ = loop_.After(left - options_.end_before, [this] {
    trouble_ = "the Lease could not be renewed in time";
    End(trouble_);
  });
  if (std::exchange(leading_, true)) return;
  term_ = view.term;
  duties_.begin(term_);
}

void LeaderElection::End(std::string_view why) {
  end_.Cancel();
  if (std::exchange(leading_, false)) duties_.end(why);
}

}  // namespace huygens::kube
