// A Lease that one of several instances holds (coordination.k8s.io/v1), to bind or to lead: the protocol, one blocking
// call at a time, on the thread that owns it.
//
// Rules as in client-go (tools/leaderelection): updates are guarded by resourceVersion; another holder's term ends
// when, by our own monotonic clock, its record has not changed for the duration it states; our own counts from before
// the request that renewed it was sent. Beyond these:
//  - a holder is believed no longer than our own duration, whatever it states: a dead one may have claimed a day. All
//    instances must have the same duration;
//  - a Lease that was deleted, created by hand or emptied by hand says nothing about who held it a moment ago. So it is
//    claimed at once, which keeps others off, but ours only when whoever held it must have stopped: after the duration.
//    A holder that finds it deleted and has renewed it in time goes on, in another term;
//  - who waits says so in an annotation, so that a holder whom nobody waits for need not pause.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "base/waiter.h"
#include "net/client.h"
#include "wire/lease.h"

namespace huygens::kube {

struct LeaseOptions {
  std::string namespace_name = "kube-system";
  std::string name = "huygens-bind";
  std::string identity;                          // unique per process: "host_6f1c..."
  Duration duration = std::chrono::seconds(10);  // whole seconds
  Duration call_timeout = std::chrono::seconds(3);
};

class Lease {
 public:
  // `waiter` is used as a clock only.
  Lease(net::Client& client, const Waiter& waiter, const Clock& clock, LeaseOptions options);

  // Only looks, so that the time of another holder counts from now on and not from when we want the Lease. OK also if
  // there is none.
  Status Look();
  // Takes or renews it. OK: ours for Left(), after Settling(). FailedPrecondition: another instance holds it, or was
  // faster. Else the API server could not be asked or did not want to; our own time, if any, runs on.
  Status Hold();
  // Asks whoever holds it for a turn, once: as long as the holder has not answered nothing is written.
  Status AskForTurn();
  // Gives it up, if it is ours, so that others need not wait for its end.
  Status Release();

  // How long it is still ours; zero = it is not, or not yet.
  Duration Left() const;
  // Claimed, and this long must pass before it is ours, since whoever held it before may still go by it; else zero.
  Duration Settling() const;
  // Tells that no other instance has ever bound a pod, as far as anyone can see: a Lease that never was before, as
  // after the installation, is then ours as soon as a holder must have noticed that it has none.
  void NobodyElse();

  // Whether it settles because nobody ever saw it.
  bool first() const { return never_was_; }
  // Whether the last look found it.
  bool exists() const { return exists_; }
  // While it is ours: another instance waits for it.
  bool asked() const { return Mine() && !seen_.waiting.empty() && seen_.waiting != options_.identity; }
  // Who else holds it, as far as we know; empty if nobody.
  const std::string& other_holder() const { return other_holder_; }
  // What the other holder states, if that is more than it is believed; else zero.
  Duration excess() const;
  // Grows each time it becomes ours after someone else may have had it. Giving it up and taking it again untouched is
  // the same term.
  uint64_t term() const { return term_; }
  // How often somebody else than an instance of huygens changed it, and what was found last, for the operator.
  uint64_t incidents() const { return incidents_; }
  const std::string& incident() const { return incident_; }

 private:
  Status TryToHold();
  Status TryToRelease();
  // `ours`: as the holder, or as the one who was.
  Status Write(wire::Lease next, bool ours);
  void Observe(wire::Lease lease);
  void ObserveAbsence();
  // Whoever held it before now may go by it for another duration.
  void Doubt(std::string incident);
  // When a holder must have noticed that the Lease is not what it was: its next renewal and the longest call.
  Duration NoticedWithin() const { return options_.duration / 3 + options_.call_timeout; }
  bool Mine() const { return exists_ && seen_.holder == options_.identity; }
  // How long the other holder's record counts, unchanged.
  Duration Believed() const;
  std::string Path() const;

  net::Client& client_;
  const Waiter& waiter_;
  const Clock& clock_;
  const LeaseOptions options_;
  bool looked_ = false;  // seen_ and exists_ are what the API server said last
  bool known_ = false;   // it has been looked at before
  bool exists_ = false;
  wire::Lease seen_;
  Duration observed_{};  // when its record last changed, by our clock
  Duration held_until_{};
  bool held_ = false;
  Duration doubted_{};      // when somebody else last changed it
  Duration not_before_{};   // it is not ours before: someone else may still go by what it was
  bool never_was_ = false;  // that is because nobody ever saw it
  bool nobody_else_ = false;
  std::string our_version_;  // the resource version of our last write
  bool touched_ = true;      // someone else may have held it since our last write
  std::string other_holder_;
  uint64_t term_ = 0;
  uint64_t incidents_ = 0;
  std::string incident_;
};

}  // namespace huygens::kube
