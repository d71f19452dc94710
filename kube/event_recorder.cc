#include "kube/event_recorder.h"

#include <algorithm>
#include <cstdio>

#include "kube/api_call.h"

namespace huygens::kube {
namespace {

constexpr size_t kMaxNamePart = 200;  // of an Event's name, which may have 253 bytes

std::string Hex(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

EventRecorder::EventRecorder(const Clock& clock, Random random, EventRecorderOptions options)
    : clock_(clock), options_(std::move(options)), random_(std::move(random)) {}

bool EventRecorder::TakeToken(std::string_view reason, Time now) {
  auto [found, is_new] = buckets_.try_emplace(std::string(reason), Bucket{static_cast<double>(options_.burst), now});
  Bucket& bucket = found->second;
  const double elapsed = std::chrono::duration<double>(now - bucket.refilled).count();
  bucket.tokens = std::min<double>(options_.burst, bucket.tokens + std::max(0.0, elapsed) * options_.per_second);
  bucket.refilled = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

bool EventRecorder::Allow(std::string_view uid, const PodWarning& warning) {
  const std::string key = Concat(uid, "\n", warning.reason, "\n", warning.repeat_key);
  const Time now = clock_.Now();
  const std::lock_guard lock(mutex_);
  const auto known = last_.find(key);
  // A clock that was set back must not silence for as long as it was ahead.
  const bool too_soon = known != last_.end() && now >= known->second && now - known->second < options_.repeat_after;
  if (too_soon || !TakeToken(warning.reason, now)) {
    ++counts_.suppressed;
    return false;
  }
  if (known != last_.end()) {
    known->second = now;
    return true;
  }
  order_.push_back(key);
  last_.emplace(key, now);
  if (order_.size() > options_.remembered) {
    last_.erase(order_.front());
    order_.pop_front();
  }
  return true;
}

Status EventRecorder::Send(net::Client& client, const wire::EventSubject& subject, std::string_view reason,
                           std::string_view message, bool warning) {
  if (!IsObjectName(subject.home()) || !IsObjectName(subject.name)) return Invalid("not the name of an object");
  const Time now = clock_.Now();
  std::string name(subject.name.substr(0, kMaxNamePart));
  {
    const std::lock_guard lock(mutex_);
    name +=
        "." + Hex(static_cast<uint64_t>(random_() * 0x1p53) ^ static_cast<uint64_t>(now.time_since_epoch().count()));
  }
  std::string body;
  wire::AppendObjectEvent(body, {.name = name,
                                 .subject = subject,
                                 .reason = reason,
                                 .message = message,
                                 .warning = warning,
                                 .reporter = options_.reporter,
                                 .instance = options_.instance,
                                 .at = now});
  const auto reply = client.Call("POST", Concat("/api/v1/namespaces/", subject.home(), "/events"), body, JsonHeaders(),
                                 options_.timeout);
  const bool sent = reply.ok() && Succeeded(*reply);
  {
    const std::lock_guard lock(mutex_);
    ++(sent ? counts_.sent : counts_.failed);
  }
  if (!reply.ok()) return reply.status();
  return sent ? absl::OkStatus() : Unavailable(ExplainReply(*reply));
}

EventRecorder::Counts EventRecorder::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace huygens::kube
