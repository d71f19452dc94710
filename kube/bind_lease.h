// Keeps the bind Lease on a thread of its own: takes it when a bind is wanted, renews it while there are binds, gives
// it up when there were none for a while, and now and then in the middle of work, so that several instances with work
// all make progress.
//
//   decision thread: Want(), later Now().held? decide      binder thread: Begin(term, longest call), POST, End()
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/status.h"
#include "base/time.h"
#include "base/waiter.h"
#include "kube/lease.h"
#include "net/client.h"

namespace huygens::kube {

struct BindLeaseOptions {
  LeaseOptions lease;
  Duration idle_release = std::chrono::seconds(1);        // no bind wanted or under way for so long: given up
  Duration longest_hold = std::chrono::seconds(30);       // then others get a chance
  Duration yield_pause = std::chrono::milliseconds(400);  // in which others may take it; longer than `poll`
  Duration poll = std::chrono::milliseconds(200);         // between looks while another instance holds it
  Duration patience = std::chrono::seconds(3);            // how long a Want is remembered while it is not ours
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
  std::string trouble;  // not held although wanted: why, for the operator
};

class BindLease {
 public:
  using Options = BindLeaseOptions;
  using View = BindLeaseView;

  // `on_change` is called on the lease's thread whenever held, term or trouble has changed. It must not block nor call
  // back.
  BindLease(std::unique_ptr<net::Client> client, std::unique_ptr<Waiter> waiter, const Clock& clock, Options options,
            std::function<void(const View&)> on_change);
  ~BindLease();
  BindLease(const BindLease&) = delete;
  BindLease& operator=(const BindLease&) = delete;

  void Start();
  // Gives the Lease up, unless a bind is in doubt, and waits for the thread: at most one call's time-out. The binds
  // must have ended.
  void Stop();

  // Any thread.
  void Want();
  View Now() const;
  // Around each Binding call, on its thread. Fails, and then needs no End, unless the Lease is ours in this very term
  // for `needed` more: the longest that the call may take.
  Status Begin(uint64_t term, Duration needed);
  // `in_doubt`: how long a Binding whose outcome is unknown may still be carried out. Until then the Lease is not given
  // up: the next holder would decide without having seen it.
  void End(Duration in_doubt = {});

 private:
  void Loop();
  // Does what is due and returns how long nothing will be.
  Duration Step();
  Duration StepHeld();
  Duration StepWanted();
  // Lets no further bind begin if it is to be given up now: since it is idle, or `yield` is set. What is under way then
  // ends first.
  bool Close(bool yield);
  bool UnderWay() const;
  // With the lock held.
  bool Busy() const { return under_way_ > 0 || waiter_->Now() < doubt_until_; }
  void Publish(bool held, std::string trouble);
  void Notify(const View& before);

  const Options options_;
  const std::unique_ptr<net::Client> client_;
  const std::unique_ptr<Waiter> waiter_;
  const std::function<void(const View&)> on_change_;
  std::thread thread_;

  // Of the thread alone.
  Lease lease_;
  Duration held_since_{};
  Duration renew_at_{};
  Duration not_before_{};
  std::string renewal_fault_;  // of the last renewal
  uint64_t term_read_ = 0;     // the term that must_have_seen_ was read in
  uint64_t must_have_seen_ = 0;

  mutable std::mutex mutex_;  // guards all below
  View view_;
  Duration held_until_{};
  bool wanted_ = false;  // by someone who does not have it yet
  Duration last_use_{};
  int under_way_ = 0;
  Duration doubt_until_{};
};

}  // namespace huygens::kube
