#include "extender/bind.h"

#include <algorithm>

#include "oversight/report_watch.h"
#include "wire/binding.h"

namespace huygens::extender {

using std::chrono::milliseconds;
using std::chrono::seconds;

// One (pod, node) on its way: from the first call until its outcome is known.
struct BindFlow::Attempt {
  BindArgs args;
  std::string key;  // of attempts_
  std::vector<Answer> waiting;
  net::Timer deadline;
  net::Timer settle;
  Duration started{};  // by Context::monotonic
  std::shared_ptr<const cluster::Pod> pod;
  placement::Reservation made;
  BindOrder order;
  bool queued = false;  // behind another one in turns_
  bool sent = false;    // a Binding left, or may have left
};

BindFlow::BindFlow(Context& context, Backend& backend, net::EventLoop& loop, Duration request_deadline,
                   std::string identity)
    : context_(context),
      backend_(backend),
      loop_(loop),
      request_deadline_(request_deadline),
      identity_(std::move(identity)) {}

std::string_view BindFlow::Name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kBound:
      return "bound";
    case Outcome::kAlreadyBound:
      return "already_bound";
    case Outcome::kRejected:
      return "rejected";
    case Outcome::kRefused:
      return "refused";
    case Outcome::kNotReady:
      return "not_ready";
    case Outcome::kNotAdmitted:
      return "not_admitted";
    case Outcome::kNoPod:
      return "no_pod";
    case Outcome::kOtherUid:
      return "other_uid";
    case Outcome::kExpired:
      return "expired";
    case Outcome::kFailed:
      return "failed";
  }
  return "";
}

BindFlow::~BindFlow() {
  // A pending settle timer and its attempt own each other.
  for (auto& [key, attempt] : attempts_) attempt->settle.Cancel();
}

void BindFlow::Bind(BindArgs args, Answer answer) {
  auto refuse = [&](Outcome outcome, std::string_view error) {
    Record(args, {}, outcome, error);
    answer(error);
  };
  if (args.pod_name.empty() || args.pod_namespace.empty() || args.node.empty()) {
    return refuse(Outcome::kRefused, "PodName, PodNamespace and Node are needed to bind");
  }
  std::string key = Concat(args.pod_namespace, "/", args.pod_name, "/", args.pod_uid);
  if (auto found = attempts_.find(key); found != attempts_.end()) {
    const std::string& node = found->second->args.node;
    if (node != args.node) {
      return refuse(Outcome::kRefused,
                    Concat("the pod is being bound to node ", node, "; try again when that is settled"));
    }
    return Wait(found->second, std::move(answer));
  }
  if (std::string why = context_.not_ready(); !why.empty()) {
    return refuse(Outcome::kNotReady, Concat("huygens is not ready: ", why));
  }

  auto attempt = std::make_shared<Attempt>();
  attempt->args = std::move(args);
  attempt->key = key;
  Wait(attempt, std::move(answer));
  attempts_.emplace(std::move(key), attempt);
  backend_.Admit([this, attempt](StatusOr<uint64_t> term) {
    if (!term.ok()) return Finish(attempt, Outcome::kNotAdmitted, Message(term.status()));
    attempt->order.term = *term;
    FindPod(attempt);
  });
}

void BindFlow::Wait(const AttemptPtr& attempt, Answer answer) {
  attempt->waiting.push_back(std::move(answer));
  if (attempt->deadline.pending()) return;
  attempt->started = context_.monotonic();  // a Binding that is not sent yet has the time of those who wait for it
  attempt->deadline = loop_.After(request_deadline_, [this, weak = std::weak_ptr(attempt)] {
    if (auto attempt = weak.lock()) Expire(attempt);
  });
}

void BindFlow::FindPod(const AttemptPtr& attempt) {
  const BindArgs& args = attempt->args;
  const cluster::State& state = context_.placement.state();
  attempt->pod = args.pod_uid.empty() ? state.FindPod(args.pod_namespace, args.pod_name) : state.FindPod(args.pod_uid);
  if (!attempt->pod && !args.pod_uid.empty()) attempt->pod = context_.pods.Find(args.pod_uid);
  if (attempt->pod) return Decide(attempt);
  backend_.FetchPod(args.pod_namespace, args.pod_name,
                    [this, attempt](StatusOr<std::shared_ptr<const cluster::Pod>> pod) {
                      if (!pod.ok())
                        return Finish(attempt, Outcome::kNoPod, Message(Annotate(pod.status(), "looking up the pod")));
                      attempt->pod = *std::move(pod);
                      Decide(attempt);
                    });
}

bool BindFlow::AwaitsItsTurn(const AttemptPtr& attempt) {
  const auto node = context_.placement.state().FindNode(attempt->args.node);
  if (!node || !context_.placement.Zones(*node).OrderMatters()) return false;
  auto& turns = turns_[attempt->args.node];
  if (turns.empty() || turns.front() != attempt) turns.push_back(attempt);
  attempt->queued = turns.front() != attempt;
  return attempt->queued;
}

void BindFlow::EndTurn(const AttemptPtr& attempt) {
  auto turns = turns_.find(attempt->args.node);
  if (turns == turns_.end()) return;
  auto& queue = turns->second;
  if (attempt->queued) {
    queue.erase(std::find(queue.begin(), queue.end(), attempt));
    return;
  }
  if (queue.front() != attempt) return;
  queue.pop_front();
  if (queue.empty()) {
    turns_.erase(turns);
    return;
  }
  const AttemptPtr& next = queue.front();
  next->queued = false;
  next->settle = loop_.After(Duration::zero(), [this, next] { Decide(next); });
}

void BindFlow::Decide(const AttemptPtr& attempt) {
  // Everybody was told that it failed: binding now would surprise them.
  if (attempt->waiting.empty()) return Finish(attempt, Outcome::kExpired, "requestDeadline passed before the decision");
  const BindArgs& args = attempt->args;
  const cluster::Pod& pod = *attempt->pod;
  if (!args.pod_uid.empty() && pod.uid != args.pod_uid) {
    return Finish(attempt, Outcome::kOtherUid,
                  Concat("the pod of that name now has UID ", pod.uid, ", not ", args.pod_uid));
  }
  if (AwaitsItsTurn(attempt)) return;
  Time now = context_.clock.Now();
  StatusOr<placement::Reservation> reservation = context_.placement.Reserve(attempt->pod, args.node, now);
  if (!reservation.ok()) return Finish(attempt, Outcome::kRefused, Message(reservation.status()));
  attempt->made = *reservation;
  if (!reservation->Accepted()) {
    return Finish(attempt, Outcome::kRejected, policy::Text(reservation->reason));
  }
  if (reservation->existed) {
    // A call that names no UID does not join the attempt of one that does.
    const cluster::Ledger::Entry* entry = context_.placement.state().ledger().Find(pod.uid);
    if (entry != nullptr && entry->state == cluster::ReservationState::kReserved) {
      return Finish(attempt, Outcome::kRefused, "another call is binding the pod; try again when that is settled");
    }
    return Finish(attempt, Outcome::kAlreadyBound, "");
  }
  Send(attempt, *reservation);
}

void BindFlow::Send(const AttemptPtr& attempt, const placement::Reservation& reservation) {
  const cluster::Pod& pod = *attempt->pod;
  BindOrder& order = attempt->order;
  order.request = {pod.name, pod.namespace_name, pod.uid, attempt->args.node, {}};
  order.pod = attempt->pod;
  const Time now = context_.clock.Now();
  auto& annotations = order.request.annotations;
  const cluster::NodeTopology* topology = context_.placement.state().Topology(reservation.node);
  const bool managed = context_.placement.Zones(reservation.node).ReadsResult(reservation.node);
  const bool of_zones = topology != nullptr && (managed || !reservation.zones.empty());
  // What it is charged as, which its labels may not say any more when the watch shows it bound.
  const cluster::PlacedPod* held = context_.placement.state().FindPlaced(pod.uid);
  const bool of_group = context_.placement.quota() != nullptr && held != nullptr && quota::Account::Counts(*held->pod);
  // One that the pod brought along was written by who knows whom, and could name any group.
  if (of_zones || of_group || (held != nullptr && held->pod->placement_mark)) {
    // A pod that gets no zones may have brought a result along: it is overwritten, since the node's agent reads it,
    // too.
    if (of_zones && managed && (!reservation.zones.empty() || pod.has_topology_result)) {
      std::string result;
      wire::AppendTopologyResult(result, reservation.zones, context_.resources);
      annotations.emplace_back(wire::kTopologyResultAnnotation, std::move(result));
    }
    std::optional<std::span<const cluster::ZoneShare>> zones;
    if (of_zones) zones = reservation.zones;
    std::string placement;
    wire::AppendPlacementAnnotation(placement,
                                    {.uid = pod.uid,
                                     .node = attempt->args.node,
                                     .quota = of_group ? cluster::QuotaLabelsOf(*held->pod) : nullptr,
                                     .zones = zones,
                                     .by = identity_,
                                     .at = now},
                                    context_.resources);
    annotations.emplace_back(wire::kPlacementAnnotation, std::move(placement));
  }
  attempt->sent = true;
  const Duration least = std::min<Duration>(milliseconds(100), request_deadline_);
  const Duration budget = std::max(request_deadline_ - (context_.monotonic() - attempt->started), least);
  backend_.Bind(order, budget, [this, attempt](const BindReport& report) { Report(attempt, report); });
}

void BindFlow::Report(const AttemptPtr& attempt, const BindReport& report) {
  switch (report.result) {
    case BindResult::kBound:
      context_.placement.Assume(attempt->order.request.uid, Steady());
      return Finish(attempt, Outcome::kBound, "");
    case BindResult::kRefused:
      context_.placement.Release(attempt->order.request.uid);
      if (report.worth_event) {
        backend_.Warn(*attempt->pod, {.reason = "BindFailed", .message = report.message, .repeat_key = report.message});
      }
      return Finish(attempt, Outcome::kFailed, report.message);
    case BindResult::kUnknown:
      attempt->order.last_sent = context_.monotonic();  // the POST may have been repeated until now
      Tell(*attempt, Concat("outcome of the binding is not known yet (", report.message,
                            "); the capacity stays reserved until it is"));
      return Settle(attempt, milliseconds(500));
  }
}

void BindFlow::Settle(const AttemptPtr& attempt, Duration delay) {
  attempt->settle = loop_.After(delay, [this, attempt, delay] {
    // The watch may have been faster than the GET.
    const cluster::Ledger::Entry* entry = context_.placement.state().ledger().Find(attempt->order.request.uid);
    if (entry == nullptr) {
      backend_.Settled(attempt->order.request.uid);
      const cluster::State& state = context_.placement.state();
      const cluster::PlacedPod* placed = state.FindPlaced(attempt->order.request.uid);
      if (placed == nullptr) return Finish(attempt, Outcome::kFailed, "the pod is gone");
      std::string_view node = state.NodeName(placed->node);
      if (node != attempt->args.node)
        return Finish(attempt, Outcome::kFailed, Concat("the pod is bound to node ", node));
      return Finish(attempt, Outcome::kBound, "");
    }
    backend_.Settle(attempt->order, [this, attempt, delay](const BindReport& report) {
      if (report.result == BindResult::kUnknown) return Settle(attempt, std::min<Duration>(2 * delay, seconds(15)));
      Report(attempt, report);
    });
  });
}

void BindFlow::SettleOverdue(Duration age) {
  const cluster::State& state = context_.placement.state();
  for (const std::string& uid : state.ledger().AssumedSince(Steady() - age)) {
    const cluster::PlacedPod* placed = state.FindPlaced(uid);
    if (placed == nullptr || !settling_.insert(uid).second) continue;
    context_.metrics.ReservationOverdue();
    BindOrder order{
        .request = {placed->pod->name, placed->pod->namespace_name, uid, std::string(state.NodeName(placed->node)), {}},
        .pod = placed->pod,
        .last_sent = state.ledger().Find(uid)->since.time_since_epoch()};
    backend_.Settle(order, [this, uid](const BindReport& report) {
      settling_.erase(uid);
      // Bound, or nobody could say: the watch will show it, and until it does is soon enough to ask again.
      if (report.result != BindResult::kRefused) return context_.placement.Assume(uid, Steady());
      context_.log.Warn("released a reservation that the API server does not know",
                        {{"uid", uid}, {"reason", report.message}});
      context_.placement.Release(uid);
    });
  }
}

void BindFlow::Expire(const AttemptPtr& attempt) {
  constexpr std::string_view kNotSent = "requestDeadline passed before the binding could be sent";
  // What it waits for may take long, and nobody waits for it any more.
  if (attempt->queued) return Finish(attempt, Outcome::kExpired, kNotSent);
  Tell(*attempt, attempt->sent ? "no answer from the API server within requestDeadline; the binding goes on, ask again"
                               : kNotSent);
}

void BindFlow::Tell(Attempt& attempt, std::string_view error) {
  attempt.deadline.Cancel();
  std::vector<Answer> waiting = std::move(attempt.waiting);
  attempt.waiting.clear();
  for (const Answer& answer : waiting) answer(error);
}

void BindFlow::Record(const BindArgs& args, const placement::Reservation& made, Outcome outcome,
                      std::string_view error) {
  context_.journal.Bind(args, made, Name(outcome), error, context_.clock.Now());
  const bool fault = !error.empty() && outcome != Outcome::kRejected;
  context_.log.Write(fault ? observe::LogLevel::kWarn : observe::LogLevel::kInfo,
                     error.empty() ? "pod bound" : "pod not bound",
                     {{"pod", Concat(args.pod_namespace, "/", args.pod_name)},
                      {"uid", args.pod_uid},
                      {"node", args.node},
                      {"outcome", Name(outcome)},
                      {"error", error}});
}

void BindFlow::Finish(const AttemptPtr& attempt, Outcome outcome, std::string_view error) {
  Record(attempt->args, attempt->made, outcome, error);
  if (context_.reports != nullptr && outcome == Outcome::kBound) {
    context_.reports->Bound(*attempt->pod, attempt->args.node, attempt->made.reports);
  }
  attempts_.erase(attempt->key);
  EndTurn(attempt);
  Tell(*attempt, error);
}

}  // namespace huygens::extender
