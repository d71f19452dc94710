// Asks a Prometheus, or what speaks its HTTP API. POST with the query in a form, since queries are long; gzip; a path
// prefix in the URL is kept. Blocking; one thread, only Cancel may be called from others.
//
// Errors say what failed, where, and what to do about it, and hold no secret. Their codes:
//   InvalidArgument    the query is refused (400): asking again will not help
//   ResourceExhausted  too much at once: too many samples, the query timed out there, or the reply is too large; asking
//                      for a shorter time may help
//   OutOfRange         any other query that could not be worked out (422): above a limit, for which each server that
//                      speaks the API has words of its own, or a fault of the query that only its data bring to light
//   Unauthenticated    TLS, or the credentials (401, 403)
//   DeadlineExceeded, Unavailable, Unknown, Cancelled, FailedPrecondition   as net/client.h; Unavailable also for what
//                      cannot be a reply of Prometheus
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "net/client.h"
#include "wire/prometheus.h"

namespace huygens::prom {

class PrometheusClient {
 public:
  // `timeout` bounds each call; Prometheus is told to give up a little earlier.
  static StatusOr<std::unique_ptr<PrometheusClient>> Create(net::ClientOptions server, Duration timeout);

  // The warnings of the answer; where there are any the data may be partial. After an error the visitor may have seen a
  // part of the answer.
  StatusOr<std::vector<std::string>> Query(std::string_view query, Time at, const wire::PrometheusVisitor& visitor);
  // At `first`, `first` + `step`, … up to `last`; cut where Prometheus allows no more points in one answer.
  StatusOr<std::vector<std::string>> QueryRange(std::string_view query, Time first, Time last, Duration step,
                                                const wire::PrometheusVisitor& visitor);
  void Cancel() { client_->Cancel(); }

 private:
  PrometheusClient(std::unique_ptr<net::Client> client, std::string url, Duration timeout);
  StatusOr<std::vector<std::string>> Ask(std::string_view path, const std::string& form,
                                         const wire::PrometheusVisitor& visitor);

  const std::unique_ptr<net::Client> client_;
  const std::string url_;
  const Duration timeout_;
};

}  // namespace huygens::prom
