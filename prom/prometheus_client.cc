#include "prom/prometheus_client.h"

#include <algorithm>

namespace huygens::prom {
namespace {

constexpr int64_t kMostPoints = 11'000;  // of a series in one answer (web/api/v1/api.go)

// Seconds with milliseconds: "1795262400.999".
std::string Seconds(Duration duration) {
  const int64_t count = std::chrono::floor<std::chrono::milliseconds>(duration).count();
  std::string text = std::to_string(count / 1000);
  const std::string fraction = std::to_string(1000 + count % 1000);
  return Concat(text, ".", std::string_view(fraction).substr(1));
}

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// What an answer that is no success means to the caller.
Status Explain(int code, const wire::PrometheusAnswer& answer, std::string_view doing) {
  const std::string text = Concat(doing, ": ", answer.error.empty() ? "no reason given" : answer.error, " (HTTP ",
                                  std::to_string(code), answer.error_type.empty() ? "" : ", ", answer.error_type, ")");
  if (answer.error_type == "timeout" || Has(answer.error, "too many samples")) {
    return absl::ResourceExhaustedError(ToAbsl(text));
  }
  if (code == 422) return OutOfRange(Concat(text, ": above a limit there, or check the queries in the configuration"));
  if (code == 400) return Invalid(Concat(text, ": check the queries in the configuration"));
  return Unavailable(text);
}

// A reply that Prometheus did not write: a proxy's, or another server's.
Status ExplainForeign(const net::HttpReply& reply, std::string_view fault, std::string_view doing) {
  const std::string code = Concat(doing, ": HTTP ", std::to_string(reply.code));
  switch (reply.code) {
    case 401:
    case 403:
      return absl::UnauthenticatedError(ToAbsl(Concat(code, ": check the bearer token")));
    case 404:
    case 405:
      return Unavailable(Concat(code, ": check that the URL is that of Prometheus, with its path prefix"));
    case 429:
    case 502:
    case 503:
    case 504:
      return Unavailable(Concat(code, ": overloaded, starting, or away behind a proxy"));
    default:
      return Unavailable(Concat(code, ", not an answer of Prometheus: ", fault));
  }
}

}  // namespace

PrometheusClient::PrometheusClient(std::unique_ptr<net::Client> client, std::string url, Duration timeout)
    : client_(std::move(client)), url_(std::move(url)), timeout_(timeout) {}

StatusOr<std::unique_ptr<PrometheusClient>> PrometheusClient::Create(net::ClientOptions server, Duration timeout) {
  server.accept_gzip = true;
  std::string url = server.base_url;
  HUYGENS_ASSIGN_OR_RETURN(auto client, net::Client::Create(std::move(server)));
  return std::unique_ptr<PrometheusClient>(new PrometheusClient(std::move(client), std::move(url), timeout));
}

StatusOr<std::vector<std::string>> PrometheusClient::Ask(std::string_view path, const std::string& form,
                                                         const wire::PrometheusVisitor& visitor) {
  const net::Headers headers = {{"Accept", "application/json"}, {"Content-Type", "application/x-www-form-urlencoded"}};
  const std::string whole = Concat(form, "&timeout=", Seconds(timeout_ * 9 / 10));
  auto reply = client_->Call("POST", path, whole, headers, timeout_);
  // A kept-alive connection that Prometheus had closed. To ask twice does no harm.
  if (reply.status().code() == absl::StatusCode::kUnknown) {
    reply = client_->Call("POST", path, whole, headers, timeout_);
  }
  if (!reply.ok()) return reply.status();
  const std::string doing = Concat("POST ", url_, path);
  auto answer = wire::DecodePrometheusAnswer(reply->body, visitor);
  if (!answer.ok()) return ExplainForeign(*reply, Message(answer.status()), doing);
  if (!answer->success) return Explain(reply->code, *answer, doing);
  return std::move(answer->warnings);
}

StatusOr<std::vector<std::string>> PrometheusClient::Query(std::string_view query, Time at,
                                                           const wire::PrometheusVisitor& visitor) {
  return Ask("/api/v1/query", Concat("query=", net::PercentEncoded(query), "&time=", Seconds(at.time_since_epoch())),
             visitor);
}

StatusOr<std::vector<std::string>> PrometheusClient::QueryRange(std::string_view query, Time first, Time last,
                                                                Duration step, const wire::PrometheusVisitor& visitor) {
  const std::string encoded = net::PercentEncoded(query);
  std::vector<std::string> warnings;
  for (Time start = first; start <= last; start += step * kMostPoints) {
    const Time end = std::min(last, start + step * (kMostPoints - 1));
    HUYGENS_ASSIGN_OR_RETURN(std::vector<std::string> more,
                             Ask("/api/v1/query_range",
                                 Concat("query=", encoded, "&start=", Seconds(start.time_since_epoch()),
                                        "&end=", Seconds(end.time_since_epoch()), "&step=", Seconds(step)),
                                 visitor));
    std::move(more.begin(), more.end(), std::back_inserter(warnings));
  }
  return warnings;
}

}  // namespace huygens::prom
