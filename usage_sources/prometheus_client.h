// Asks a Prometheus, or what speaks its HTTP API. POST with the query in a form, since queries are long; gzip; a path
// prefix in the URL is kept. Answers are read as they arrive and never held as a whole. Blocking; one thread, only
// Cancel may be called from others.
//
// Errors say what failed, where, and what to do about it, and hold no secret. Their codes:
//   InvalidArgument    the query is refused (400): asking again will not help
//   ResourceExhausted  too much at once: above a limit of the server on samples, series or time, or a reply that is
//                      larger than ClientOptions::max_reply_bytes; asking for less may help
//   OutOfRange         any other query that could not be worked out (422): above a limit, for which each server that
//                      speaks the API has words of its own, or a fault of the query that only its data bring to light
//   Unauthenticated    TLS, or the credentials (401, 403)
//   DeadlineExceeded, Unavailable, Unknown, Cancelled, FailedPrecondition   as net/client.h; Unavailable also for what
//                      cannot be a reply of Prometheus, or broke off
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "net/client.h"
#include "usage_sources/prometheus_answer.h"

namespace huygens::usage_sources {

// Of an error of ResourceExhausted: whether it is the size that was too much, and not the time. Then parts of the same
// question may be asked; where it is time, more questions make it worse.
bool IsTooLarge(const Status& status);

class PrometheusClient {
 public:
  // What it took to ask, so far.
  struct Traffic {
    uint64_t queries = 0;
    int64_t bytes = 0;  // of answers, as they came: compressed
  };

  // `timeout` bounds each call; Prometheus is told to give up a little earlier. `headers` go with each.
  static StatusOr<std::unique_ptr<PrometheusClient>> Create(net::ClientOptions server, Duration timeout,
                                                            net::Headers headers = {});

  // The warnings of the answer; where there are any the data may be partial. After an error the visitor may have seen a
  // part of the answer.
  StatusOr<std::vector<std::string>> Query(std::string_view query, Time at, const PrometheusVisitor& visitor);
  // At `first`, `first` + `step`, … up to `last`; cut where Prometheus allows no more points in one answer.
  StatusOr<std::vector<std::string>> QueryRange(std::string_view query, Time first, Time last, Duration step,
                                                const PrometheusVisitor& visitor);
  void Cancel() { client_->Cancel(); }
  const Traffic& traffic() const { return traffic_; }

 private:
  PrometheusClient(std::unique_ptr<net::Client> client, std::string url, Duration timeout, net::Headers headers);
  StatusOr<std::vector<std::string>> Ask(std::string_view path, const std::string& form,
                                         const PrometheusVisitor& visitor);

  const std::unique_ptr<net::Client> client_;
  const std::string url_;
  const Duration timeout_;
  const net::Headers headers_;
  Traffic traffic_;
};

}  // namespace huygens::usage_sources
