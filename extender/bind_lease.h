// Keeps the bind Lease on a thread of its own: takes it when a bind is wanted, renews it while there are binds, gives
// it up when there were none for a while, and now and then in the middle of work if another instance waits, so that
// several instances with work all make progress. While nothing is wanted it looks at it, so that the time of a holder
// that died counts from its death and not from the first bind here.
//
//   decision thread: Want(), later Now().held? decide      binder thread: Begin(term, longest call), POST, End()
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/status.h"
#include "base/text.h"
#include "base/time.h"
#include "base/waiter.h"
#include "kube/lease.h"
#include "net/client.h"

namespace huygens::extender {

struct BindLeaseOptions {
  kube::LeaseOptions lease;
  Duration idle_release = std::chrono::seconds(1);          // no bind wanted or under way for so long: given up
  Duration drain_release = std::chrono::milliseconds(200);  // the same once Drain was called
  Duration longest_hold = std::chrono::seconds(30);         // then others who wait get a chance
  Duration yield_pause = std::chrono::milliseconds(400);    // in which others may take it; longer than `poll`
  Duration poll = std::chrono::milliseconds(200);           // between looks while another instance holds it
  Duration observe = std::chrono::seconds(2);               // between looks while it is not wanted
  Duration patience = std::chrono::seconds(3);              // how long a Want is remembered while it is not ours
};

struct BindLeaseView {
  bool held = false;
  // A decision made in one term must not be bound in another: someone else may have bound pods in between.
  uint64_t term = 0;
  // Nothing may be decided in this term before the pod watch has passed this resource version (a LIST or a bookmark
  // also moves it).
  uint64_t must_have_seen = 0;
  Duration left{};      // zero if not held
  std::string holder;   // who else holds it, as far as is known
  Duration settling{};  // it is claimed, and nobody binds for so long: see Lease::Settling
  Duration excess{};    // what that one states, if it is more than it is believed
  std::string trouble;  // why it cannot be had, for the operator
  bool first = false;   // there was none: see NobodyElse
  // How often somebody else than an instance of huygens changed the Lease, and what was found last.
  uint64_t incidents = 0;
  std::string incident;
};

class BindLease {
 public:
  using Options = BindLeaseOptions;
  using View = BindLeaseView;

  // `on_change` is called on the lease's thread whenever held, term, trouble, first or incidents has changed. It must
  // not block nor call back.
  BindLease(std::unique_ptr<net::Client> client, std::unique_ptr<Waiter> waiter, const Clock& clock, Options options,
            std::function<void(const View&)> on_change);
  ~BindLease();
  BindLease(const BindLease&) = delete;
  BindLease& operator=(const BindLease&) = delete;

  void Start();
  // This instance is about to end and another is taking over: it need not wait for the Lease as long as usually.
  void Drain();
  // Gives the Lease up, unless a bind is in doubt, and waits for the thread: at most one call's time-out. The binds
  // must have ended.
  void Stop();

  // Any thread.
  void Want();
  View Now() const;
  // Says that no pod shows that another instance ever bound it: a Lease that was never there before need not be left
  // alone for its whole duration.
  void NobodyElse();
  // Around each Binding call, on its thread. Fails, and then needs no End, unless the Lease is ours in this very term
  // for `needed` more: the longest that the call may take.
  Status Begin(uint64_t term, Duration needed);
  void End();
  // As End, of a Binding whose outcome is unknown and that may be carried out for so long. Until then, or until it is
  // settled, the Lease is not given up: the next holder would decide without having seen it.
  void EndInDoubt(std::string_view pod_uid, Duration in_doubt);
  void Settled(std::string_view pod_uid);

 private:
  void Loop();
  // Does what is due and returns how long nothing will be.
  Duration Step();
  Duration StepHeld();
  Duration StepSettling();
  Duration StepWanted();
  Duration StepIdle();
  // Renews it if that is due.
  void Renew();
  Duration RenewAfter() const;
  // Makes it usable in its term, once it is ours; whether it is.
  bool Enter();
  bool Wanted();
  // Whether another instance shall have it now.
  bool ShallYield();
  // Lets no further bind begin if it is to be given up now: since it is idle, or `yield` is set. What is under way then
  // ends first.
  bool Close(bool yield);
  bool UnderWay();
  // With the lock held.
  bool InDoubt();
  Duration IdleRelease() const { return draining_ ? options_.drain_release : options_.idle_release; }
  bool Busy() { return under_way_ > 0 || InDoubt(); }
  void Publish(bool held, std::string trouble);
  void Notify(const View& before);

  const Options options_;
  const std::unique_ptr<net::Client> client_;
  const std::unique_ptr<Waiter> waiter_;
  const std::function<void(const View&)> on_change_;
  std::thread thread_;

  // Of the thread alone.
  kube::Lease lease_;
  bool entered_ = false;  // published as held in the present term, since held_since_
  Duration held_since_{};
  Duration renew_at_{};
  Duration not_before_{};
  std::string renewal_fault_;  // of the last renewal
  uint64_t term_read_ = 0;     // the term that must_have_seen_ was read in
  uint64_t must_have_seen_ = 0;

  mutable std::mutex mutex_;  // guards all below
  View view_;
  Duration held_until_{};
  Duration settled_at_{};
  bool wanted_ = false;  // by someone who does not have it yet
  Duration last_use_{};
  int under_way_ = 0;
  TextMap<Duration> doubts_;  // by UID of the pod: when the Binding can no longer be carried out
  bool nobody_else_ = false;
  bool draining_ = false;
};

}  // namespace huygens::extender
