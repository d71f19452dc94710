// The bind verb: the one moment of truth. Decides again for the named node on the current state, reserves, sends one
// Binding with the result in its annotations, and commits or rolls back by what the API server says. Decision thread
// only.
//
//   admit (bind Lease) -> find the pod -> Placement::Reserve -> Backend::Bind -> Assume | Release | settle later
//
// Idempotent per (UID, node): a repeated call joins the one under way, or succeeds at once when the pod is there
// already. Every caller gets an answer within the request deadline, also when the Binding takes longer; the next call
// then finds what became of it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "extender/backend.h"
#include "extender/context.h"
#include "extender/extender_args.h"
#include "net/event_loop.h"
#include "net/server.h"

namespace huygens::extender {

class BindFlow {
 public:
  BindFlow(Context& context, Backend& backend, net::EventLoop& loop, Duration request_deadline, std::string identity);
  ~BindFlow();

  using Answer = std::function<void(std::string_view error)>;  // empty = bound
  void Bind(BindArgs args, Answer answer);

  // Asks the API server about reservations that the watch should have confirmed and has not for longer than `age`.
  // Counted: it should never be needed.
  void SettleOverdue(Duration age);

  size_t InFlight() const { return attempts_.size(); }

 private:
  struct Attempt;
  using AttemptPtr = std::shared_ptr<Attempt>;
  enum class Outcome : uint8_t {
    kBound,
    kAlreadyBound,  // by an earlier call
    kRejected,      // the decision: the node cannot take the pod
    // Whatever else keeps a pod from being bound is somebody's fault.
    kRefused,      // the call makes no sense, or another is under way
    kNotReady,     // huygens does not know the cluster yet
    kNotAdmitted,  // another instance binds
    kNoPod,        // nobody knows the pod
    kOtherUid,     // the pod of that name is another one now
    kExpired,      // requestDeadline passed first
    kFailed,       // the API server took no Binding
  };
  // As the journal and the log say it.
  static std::string_view Name(Outcome outcome);

  // Answers `answer` when the outcome is known, or at the deadline of those who wait now.
  void Wait(const AttemptPtr& attempt, Answer answer);
  // What the ledger gets for the time: ages must not change with a wall clock that is set.
  Time Steady() const { return Time(context_.monotonic()); }
  void FindPod(const AttemptPtr& attempt);
  // Whether others are on their way to the node first. Pods reach a kubelet in the order of their Bindings, and which
  // zones it takes depends on that order: so there a decision waits for the outcome of the one before, or until nobody
  // waits for it any more.
  bool AwaitsItsTurn(const AttemptPtr& attempt);
  void EndTurn(const AttemptPtr& attempt);
  void Decide(const AttemptPtr& attempt);
  void Send(const AttemptPtr& attempt, const placement::Reservation& reservation);
  void Report(const AttemptPtr& attempt, const BindReport& report);
  void Settle(const AttemptPtr& attempt, Duration delay);
  void Expire(const AttemptPtr& attempt);
  // Answers everyone who waits now; the attempt itself goes on.
  void Tell(Attempt& attempt, std::string_view error);
  void Finish(const AttemptPtr& attempt, Outcome outcome, std::string_view error);
  // In the journal and the log.
  void Record(const BindArgs& args, const placement::Reservation& made, Outcome outcome, std::string_view error);

  Context& context_;
  Backend& backend_;
  net::EventLoop& loop_;
  Duration request_deadline_;
  std::string identity_;
  TextMap<AttemptPtr> attempts_;           // by pod key and UID; an unsettled outcome stays here
  TextMap<std::deque<AttemptPtr>> turns_;  // by node that kubelet pins; the first is on its way
  TextSet settling_;                       // UIDs that SettleOverdue has asked about
};

}  // namespace huygens::extender
