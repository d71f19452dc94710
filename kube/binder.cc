#include "kube/binder.h"

#include <algorithm>
#include <optional>

#include "kube/api_call.h"
#include "kube/pod_place.h"
#include "wire/binding.h"

namespace huygens::kube {
namespace {

std::string PodPath(const BindRequest& request) {
  return Concat("/api/v1/namespaces/", request.namespace_name, "/pods/", request.pod_name);
}

}  // namespace

std::string BindingText(const BindRequest& request) {
  std::vector<std::pair<std::string_view, std::string_view>> annotations(request.annotations.begin(),
                                                                         request.annotations.end());
  std::string body;
  wire::AppendBinding(body, {.pod_name = request.pod_name,
                             .namespace_name = request.namespace_name,
                             .pod_uid = request.uid,
                             .node = request.node,
                             .annotations = annotations});
  return body;
}

Status ValidateBind(const BindRequest& request) {
  if (!IsObjectName(request.pod_name) || !IsObjectName(request.namespace_name)) {
    return Invalid("the pod's name or namespace is not a Kubernetes name");
  }
  if (request.uid.empty()) return Invalid("a pod without UID cannot be bound safely");
  if (!IsObjectName(request.node)) return Invalid("the node's name is not a Kubernetes name");
  return ValidateAnnotations(request.annotations);
}

std::string_view Name(BindVerdict verdict) {
  switch (verdict) {
    case BindVerdict::kBound:
      return "bound";
    case BindVerdict::kBoundOtherwise:
      return "bound_otherwise";
    case BindVerdict::kBoundElsewhere:
      return "bound_elsewhere";
    case BindVerdict::kReplaced:
      return "replaced";
    case BindVerdict::kGone:
      return "gone";
    case BindVerdict::kUnbound:
      return "unbound";
    case BindVerdict::kRefused:
      return "refused";
    case BindVerdict::kUnknown:
      return "unknown";
  }
  return "unknown";
}

// What one POST came to, and what may follow it.
struct Binder::Attempt {
  enum class Next { kDone, kRepeat, kLook };
  Next next = Next::kDone;
  BindOutcome outcome;                  // of kDone; of kRepeat and kLook its message says what happened
  bool in_doubt = false;                // it may have taken effect, or may still
  std::optional<Duration> retry_after;  // the API server's wish
};

Binder::Binder(net::Client& client, Waiter& waiter, Random random, BindOptions options)
    : client_(client), waiter_(waiter), random_(std::move(random)), options_(options) {}

Binder::Attempt Binder::Post(const BindRequest& request, const std::string& path, const std::string& body,
                             Duration timeout) {
  using Next = Attempt::Next;
  const auto reply = client_.Call("POST", path, body, JsonHeaders(), timeout);
  if (!reply.ok()) {
    const std::string text(Message(reply.status()));
    switch (reply.status().code()) {
      case absl::StatusCode::kUnavailable:
        return {Next::kRepeat, {BindVerdict::kUnbound, text}, false, {}};
      case absl::StatusCode::kUnauthenticated:
      case absl::StatusCode::kInvalidArgument:
      case absl::StatusCode::kFailedPrecondition:
        return {Next::kDone, {BindVerdict::kUnbound, text}, false, {}};
      default:
        return {Next::kLook, {BindVerdict::kUnknown, text}, true, {}};
    }
  }
  if (Succeeded(*reply)) return {Next::kDone, {BindVerdict::kBound, ""}, false, {}};
  const std::string text = ExplainReply(*reply);
  if (reply->code == 409) return {Next::kLook, {BindVerdict::kRefused, text, true}, false, {}};
  if (reply->code == 429) return {Next::kRepeat, {BindVerdict::kUnbound, text}, false, reply->retry_after};
  // An API server that lost etcd in the middle of the write answers 500 or 504, a proxy in front of it 502 or 503.
  if (reply->code >= 500) return {Next::kLook, {BindVerdict::kUnknown, text}, true, reply->retry_after};
  if (reply->code == 404) {
    return {Next::kDone,
            {BindVerdict::kGone, Concat("pod ", request.namespace_name, "/", request.pod_name, ": ", text), true},
            false,
            {}};
  }
  return {Next::kDone, {BindVerdict::kRefused, text, true}, false, {}};
}

BindOutcome Binder::Look(const BindRequest& request, Duration timeout) {
  const auto reply = client_.Call("GET", PodPath(request), "", JsonHeaders(), timeout);
  if (!reply.ok()) return {BindVerdict::kUnknown, std::string(Message(reply.status()))};
  if (reply->code == 404) return {BindVerdict::kGone, "the pod does not exist any more", true};
  if (!Succeeded(*reply)) return {BindVerdict::kUnknown, ExplainReply(*reply)};
  const auto place = DecodePodPlace(reply->body);
  if (!place.ok()) return {BindVerdict::kUnknown, Concat("the pod cannot be read: ", Message(place.status()))};
  return JudgePlace(*place, request);
}

bool Binder::Pause(Duration pause, Duration deadline, const std::atomic<bool>& cancel) {
  if (cancel || waiter_.interrupted() || waiter_.Now() + pause >= deadline) return false;
  waiter_.Wait(pause);
  return !cancel && !waiter_.interrupted();
}

BindOutcome Binder::Bind(const BindRequest& request, Duration deadline, const std::atomic<bool>& cancel) {
  using Next = Attempt::Next;
  if (const Status status = ValidateBind(request); !status.ok())
    return {BindVerdict::kRefused, std::string(Message(status))};
  const std::string path = PodPath(request) + "/binding";
  const std::string body = BindingText(request);
  Backoff backoff(options_.first_pause, options_.longest_pause, random_);
  const auto left = [&] { return deadline - waiter_.Now(); };

  BindOutcome outcome{BindVerdict::kUnbound, "no time was left to send it"};
  bool in_doubt = false;  // of any POST so far
  Next next = Next::kRepeat;
  int posts = 0;
  while (left() > Duration::zero() && !cancel) {
    std::optional<Duration> retry_after;
    if (next == Next::kRepeat) {
      if (posts > options_.retries) break;
      ++posts;
      // A third of the time is kept for asking what became of it.
      Attempt attempt = Post(request, path, body, left() * 2 / 3);
      outcome = std::move(attempt.outcome);
      in_doubt = in_doubt || attempt.in_doubt;
      next = attempt.next;
      retry_after = attempt.retry_after;
    }
    if (next == Next::kLook && left() > Duration::zero() && !cancel) {
      const BindOutcome found = Look(request, left());
      if (found.verdict != BindVerdict::kUnbound && found.verdict != BindVerdict::kUnknown) {
        outcome = found;
        next = Next::kDone;
      } else if (found.verdict == BindVerdict::kUnbound) {
        // After 409 the API server's objection stands; after anything else the POST may be repeated.
        next = outcome.verdict == BindVerdict::kRefused ? Next::kDone : Next::kRepeat;
      } else {
        outcome = {BindVerdict::kUnknown, Concat(outcome.message, "; then ", found.message)};
        in_doubt = true;
      }
    }
    if (next == Next::kDone) {
      // A refusal of one POST says nothing about an earlier one that may still be carried out.
      if (in_doubt && (outcome.verdict == BindVerdict::kRefused || outcome.verdict == BindVerdict::kUnbound)) break;
      outcome.attempts = posts;
      return outcome;
    }
    if (!Pause(std::max(backoff.Next(), retry_after.value_or(Duration::zero())), deadline, cancel)) break;
  }
  outcome.attempts = posts;
  outcome.verdict = in_doubt ? BindVerdict::kUnknown : BindVerdict::kUnbound;
  return outcome;
}

BindOutcome Binder::Settle(const BindRequest& request, Duration since_sent, Duration timeout) {
  if (const Status status = ValidateBind(request); !status.ok())
    return {BindVerdict::kRefused, std::string(Message(status))};
  BindOutcome outcome = Look(request, timeout);
  if (outcome.verdict == BindVerdict::kUnbound && since_sent < options_.in_flight) {
    outcome = {BindVerdict::kUnknown, "the pod is not bound yet, but the API server may still be at it"};
  }
  return outcome;
}

}  // namespace huygens::kube
