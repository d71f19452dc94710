// Tells people by Events, which `kubectl describe` shows: the owner of a pod what keeps it from its node, whoever looks
// after a node that its topology object is gone, whoever has a budget that it is nearly used up. Best effort and
// bounded: a token bucket for each reason, and the same about the same object at most once in a while. Shared by
// threads.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/backoff.h"
#include "base/status.h"
#include "base/text.h"
#include "base/time.h"
#include "net/client.h"
#include "wire/event_object.h"

namespace huygens::kube {

struct EventRecorderOptions {
  double per_second = 1;  // sustained, of each reason
  int burst = 25;
  Duration repeat_after = std::chrono::minutes(5);  // the same about the same object
  size_t remembered = 1000;                         // (object, reason, repeat key)
  Duration timeout = std::chrono::seconds(3);
  std::string reporter = "huygens";  // who says so
  std::string instance;              // which of them: host name
};

struct PodWarning {
  std::string_view reason;  // an UpperCamelCase word, one of few
  std::string_view message;
  // What makes it the same as an earlier one for this reason: the message, or less where figures in it seldom stay.
  std::string_view repeat_key;
};

class EventRecorder {
 public:
  EventRecorder(const Clock& clock, Random random, EventRecorderOptions options);

  // Whether the limits let this be sent; then it counts as sent.
  bool Allow(std::string_view uid, const PodWarning& warning);
  // Blocking; after Allow. `warning`: else of type Normal. The error is for a log line at most.
  Status Send(net::Client& client, const wire::EventSubject& subject, std::string_view reason, std::string_view message,
              bool warning = true);

  struct Counts {
    uint64_t sent = 0;        // taken by the API server
    uint64_t suppressed = 0;  // by the limits
    uint64_t failed = 0;      // refused by the API server, or it did not answer
  };
  Counts counts() const;

 private:
  struct Bucket {
    double tokens;
    Time refilled;
  };

  bool TakeToken(std::string_view reason, Time now);

  const Clock& clock_;
  const EventRecorderOptions options_;
  mutable std::mutex mutex_;
  Random random_;
  std::map<std::string, Bucket, std::less<>> buckets_;  // by reason
  TextMap<Time> last_;                                  // by UID, reason and repeat key
  std::deque<std::string> order_;                       // keys of last_, oldest first
  Counts counts_;
};

}  // namespace huygens::kube
