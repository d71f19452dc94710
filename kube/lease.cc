#include "kube/lease.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kube/api_call.h"

namespace huygens::kube {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

// What a holder changes when it renews; the resource version also grows when somebody adds a label or waits.
bool SameRecord(const wire::Lease& a, const wire::Lease& b) {
  const auto record = [](const wire::Lease& lease) {
    return std::tie(lease.uid, lease.holder, lease.duration_seconds, lease.acquired, lease.renewed, lease.transitions);
  };
  return record(a) == record(b);
}

// As Release leaves it, and client-go does. One that is free and looks otherwise was made or emptied by hand.
bool WasReleased(const wire::Lease& lease) {
  return lease.holder.empty() && lease.renewed.has_value() && lease.duration_seconds == 1;
}

}  // namespace

Lease::Lease(net::Client& client, const Waiter& waiter, const Clock& clock, LeaseOptions options)
    : client_(client), waiter_(waiter), clock_(clock), options_(std::move(options)) {}

std::string Lease::Path() const {
  return Concat("/apis/coordination.k8s.io/v1/namespaces/", options_.namespace_name, "/leases");
}

Duration Lease::Left() const {
  if (!held_ || Settling() > Duration::zero()) return Duration::zero();
  return std::max(Duration::zero(), held_until_ - waiter_.Now());
}

Duration Lease::Settling() const {
  const Duration now = waiter_.Now();
  return held_ && now < held_until_ ? std::max(Duration::zero(), not_before_ - now) : Duration::zero();
}

Duration Lease::Believed() const {
  const Duration stated = seconds(seen_.duration_seconds);
  return stated > Duration::zero() ? std::min(stated, options_.duration) : options_.duration;
}

Duration Lease::excess() const {
  const Duration stated = seconds(seen_.duration_seconds);
  return !other_holder_.empty() && stated > options_.duration ? stated : Duration::zero();
}

void Lease::NobodyElse() {
  nobody_else_ = true;
  if (never_was_) not_before_ = std::min(not_before_, doubted_ + NoticedWithin());
}

void Lease::Doubt(std::string incident) {
  const Duration now = waiter_.Now();
  touched_ = true;
  // Had another instance claimed it since our last renewal, its claim would not have settled yet.
  const bool in_time = held_ && now < held_until_ && now - (held_until_ - options_.duration) < NoticedWithin();
  held_ = false;
  if (!in_time) {
    doubted_ = now;
    not_before_ = now + options_.duration;
    never_was_ = !known_ && !exists_;
    if (nobody_else_) NobodyElse();
  }
  if (incident.empty()) return;
  ++incidents_;
  incident_ = std::move(incident);
}

void Lease::ObserveAbsence() {
  const bool news = !known_ || exists_;
  const bool was_ours = Mine();
  exists_ = false;
  if (news) Doubt(!known_ ? "" : was_ours ? "it was deleted while this instance held it" : "it was deleted");
  looked_ = known_ = true;
  other_holder_.clear();
}

void Lease::Observe(wire::Lease lease) {
  const bool another = exists_ && lease.uid != seen_.uid;
  const bool changed = !exists_ || !SameRecord(seen_, lease);
  if (changed) observed_ = waiter_.Now();
  const bool emptied = changed && lease.holder.empty() && !WasReleased(lease);
  exists_ = true;
  seen_ = std::move(lease);
  if (another) Doubt("it was deleted and created again");
  if (!another && emptied) Doubt("it is free, and no instance left it so: it was created or emptied by hand");
  looked_ = known_ = true;
  other_holder_ = Mine() ? "" : seen_.holder;
  if (!Mine() && seen_.resource_version != our_version_) touched_ = true;
  // If it is ours by a write whose answer was lost, held_until_ stays that of the write before: too early is safe.
  if (!Mine()) held_ = false;
}

Status Lease::Look() {
  HUYGENS_ASSIGN_OR_RETURN(const net::HttpReply reply, client_.Call("GET", Concat(Path(), "/", options_.name), "",
                                                                    JsonHeaders(), options_.call_timeout));
  if (reply.code == 404) {
    ObserveAbsence();
    return absl::OkStatus();
  }
  if (!Succeeded(reply)) return Unavailable(ExplainReply(reply));
  HUYGENS_ASSIGN_OR_RETURN(wire::Lease lease, wire::DecodeLease(reply.body));
  Observe(std::move(lease));
  return absl::OkStatus();
}

Status Lease::Write(wire::Lease next, bool ours) {
  const bool create = !exists_;
  next.name = options_.name;
  next.namespace_name = options_.namespace_name;
  if (create) next.uid = next.resource_version = "";
  std::string body;
  wire::AppendLease(body, next);
  const auto reply =
      create ? client_.Call("POST", Path(), body, JsonHeaders(), options_.call_timeout)
             : client_.Call("PUT", Concat(Path(), "/", options_.name), body, JsonHeaders(), options_.call_timeout);
  looked_ = false;  // unless all goes well, look before the next write
  if (!reply.ok()) return reply.status();
  if (reply->code == 409) return Refused("another instance was faster");
  if (reply->code == 404 && create) return Unavailable(Concat("cannot create it: ", ReplyText(*reply)));
  if (reply->code == 404) {
    ObserveAbsence();
    return NotFound("it was deleted");
  }
  if (!Succeeded(*reply)) return Unavailable(ExplainReply(*reply));
  HUYGENS_ASSIGN_OR_RETURN(wire::Lease written, wire::DecodeLease(reply->body));
  if (ours) our_version_ = written.resource_version;
  Observe(std::move(written));
  return absl::OkStatus();
}

Status Lease::Hold() {
  const bool ours = held_;
  const Status status = TryToHold();
  // Somebody deleted it, or wrote into it since our last renewal: a label, or that it waits. Who holds it is known only
  // after another look.
  const bool surprised = absl::IsNotFound(status) || (absl::IsFailedPrecondition(status) && !looked_);
  return ours && surprised ? TryToHold() : status;
}

Status Lease::TryToHold() {
  // While it is ours and nothing went wrong, the record is known, and a renewal is one call.
  if (!looked_ || !Mine()) HUYGENS_RETURN_IF_ERROR(Look());
  if (exists_ && !seen_.holder.empty() && !Mine() && waiter_.Now() < observed_ + Believed())
    return Refused(Concat("held by ", seen_.holder));
  wire::Lease next = exists_ ? seen_ : wire::Lease{};
  Time now = clock_.Now();
  if (now == seen_.renewed) now += microseconds(1);  // a record that does not change is of a dead holder
  if (!Mine()) {
    next.acquired = now;
    next.waiting.clear();
    if (exists_) ++next.transitions;
  }
  next.holder = options_.identity;
  next.duration_seconds = static_cast<int32_t>(std::chrono::ceil<seconds>(options_.duration).count());
  next.renewed = now;
  const Duration sent = waiter_.Now();
  HUYGENS_RETURN_IF_ERROR(Write(std::move(next), true));
  held_ = Mine();
  if (!held_) return absl::OkStatus();
  if (std::exchange(touched_, false)) ++term_;
  held_until_ = sent + options_.duration;
  return absl::OkStatus();
}

Status Lease::AskForTurn() {
  if (!looked_ || !exists_ || other_holder_.empty() || !seen_.waiting.empty()) return absl::OkStatus();
  wire::Lease next = seen_;
  next.waiting = options_.identity;
  return Write(std::move(next), false);
}

Status Lease::Release() {
  held_ = false;                                             // whatever becomes of the record
  if (waiter_.Now() < not_before_) return absl::OkStatus();  // others have to wait as we had: no word of it being free
  const Status status = TryToRelease();
  return absl::IsFailedPrecondition(status) ? TryToRelease() : status;  // somebody has begun to wait
}

Status Lease::TryToRelease() {
  if (!looked_) HUYGENS_RETURN_IF_ERROR(Look());
  if (!Mine()) return absl::OkStatus();
  wire::Lease next = seen_;
  next.holder.clear();
  next.waiting.clear();
  next.duration_seconds = 1;  // as client-go: whoever still counts waits no longer than this
  next.renewed = clock_.Now();
  return Write(std::move(next), true);
}

}  // namespace huygens::kube
