#include "kube/lease.h"

#include <algorithm>
#include <utility>

#include "kube/api_call.h"

namespace huygens::kube {
Lease::Lease(net::Client& client, const Waiter& waiter, const Clock& clock, LeaseOptions options)
    : client_(client), waiter_(waiter), clock_(clock), options_(std::move(options)) {}

std::string Lease::Path() const {
  return Concat("/apis/coordination.k8s.io/v1/namespaces/", options_.namespace_name, "/leases");
}

Duration Lease::Left() const {
  if (!held_) return Duration::zero();
  return std::max(Duration::zero(), held_until_ - waiter_.Now());
}

void Lease::Observe(wire::Lease lease) {
  if (!exists_ || lease.resource_version != seen_.resource_version) observed_ = waiter_.Now();
  seen_ = std::move(lease);
  looked_ = exists_ = true;
  other_holder_ = Mine() ? "" : seen_.holder;
  if (!Mine() && seen_.resource_version != our_version_) touched_ = true;
}

Status Lease::Look() {
  HUYGENS_ASSIGN_OR_RETURN(const net::HttpReply reply, client_.Call("GET", Concat(Path(), "/", options_.name), "",
                                                                    JsonHeaders(), options_.call_timeout));
  if (reply.code == 404) {
    looked_ = true;
    exists_ = held_ = false;
    touched_ = true;
    other_holder_.clear();
    return absl::OkStatus();
  }
  if (!Succeeded(reply)) return Unavailable(ExplainReply(reply));
  HUYGENS_ASSIGN_OR_RETURN(wire::Lease lease, wire::DecodeLease(reply.body));
  Observe(std::move(lease));
  // If it is ours by a write whose answer was lost, held_until_ stays that of the write before: too early is safe.
  if (!Mine()) held_ = false;
  return absl::OkStatus();
}

Status Lease::Write(wire::Lease next) {
  const bool create = !exists_;
  next.name = options_.name;
  next.namespace_name = options_.namespace_name;
  if (create) next.resource_version.clear();
  std::string body;
  wire::AppendLease(body, next);
  const Duration sent = waiter_.Now();
  const auto reply =
      create ? client_.Call("POST", Path(), body, JsonHeaders(), options_.call_timeout)
             : client_.Call("PUT", Concat(Path(), "/", options_.name), body, JsonHeaders(), options_.call_timeout);
  looked_ = false;  // unless all goes well, look before the next write
  if (!reply.ok()) return reply.status();
  if (reply->code == 409) return Refused("another instance was faster");
  if (reply->code == 404)
    return Unavailable(create ? Concat("cannot create it: ", ReplyText(*reply)) : "it was deleted");
  if (!Succeeded(*reply)) return Unavailable(ExplainReply(*reply));
  HUYGENS_ASSIGN_OR_RETURN(wire::Lease written, wire::DecodeLease(reply->body));
  our_version_ = written.resource_version;
  Observe(std::move(written));
  if (Mine()) {
    if (touched_) ++term_;
    touched_ = false;
    held_ = true;
    held_until_ = sent + options_.duration;
  } else {
    held_ = false;
  }
  return absl::OkStatus();
}

Status Lease::Hold() {
  // While it is ours and nothing went wrong, the record is known, and a renewal is one call.
  if (!looked_ || !Mine()) HUYGENS_RETURN_IF_ERROR(Look());
  if (exists_ && !seen_.holder.empty() && !Mine()) {
    const Duration ends = observed_ + std::chrono::seconds(seen_.duration_seconds);
    if (waiter_.Now() < ends) return Refused(Concat("held by ", seen_.holder));
  }
  wire::Lease next = exists_ ? seen_ : wire::Lease{};
  const Time now = clock_.Now();
  if (!Mine()) {
    next.acquired = now;
    if (exists_) ++next.transitions;
  }
  next.holder = options_.identity;
  next.duration_seconds = static_cast<int32_t>(std::chrono::ceil<std::chrono::seconds>(options_.duration).count());
  next.renewed = now;
  return Write(std::move(next));
}

Status Lease::Release() {
  if (!looked_) HUYGENS_RETURN_IF_ERROR(Look());
  if (!Mine()) {
    held_ = false;
    return absl::OkStatus();
  }
  held_ = false;
  wire::Lease next = seen_;
  next.holder.clear();
  next.duration_seconds = 1;  // as client-go: whoever still counts waits no longer than this
  next.renewed = clock_.Now();
  return Write(std::move(next));
}

}  // namespace huygens::kube
