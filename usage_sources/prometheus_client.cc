#include "usage_sources/prometheus_client.h"

#include <algorithm>

#include "absl/strings/cord.h"

namespace huygens::usage_sources {
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

// Each server that speaks the API has words of its own for its limits: Prometheus ("too many samples"), Thanos
// ("exceeded series limit"), Mimir ("exceeded the maximum number of chunks"), VictoriaMetrics ("cannot select more than
// -search.maxSamplesPerQuery"). Limits on the age of data or the length of a range are not among them: these no smaller
// query meets.
bool IsTooMuch(const PrometheusAnswer& answer) {
  const auto says = [&](std::string_view part) { return Has(answer.error, part); };
  return answer.error_type == "timeout" || says("too many") || says("-search.max") ||
         ((says("exceed") || says("limit")) && (says("samples") || says("series") || says("chunks") || says("bytes")));
}

constexpr char kSize[] = "huygens.dev/size";  // a payload of statuses

Status Exhausted(std::string_view text, bool size) {
  Status status = absl::ResourceExhaustedError(ToAbsl(text));
  if (size) status.SetPayload(kSize, absl::Cord());
  return status;
}

// What an answer that is no success means to the caller.
Status Explain(int code, const PrometheusAnswer& answer, std::string_view doing) {
  const std::string text = Concat(doing, ": ", answer.error.empty() ? "no reason given" : answer.error, " (HTTP ",
                                  std::to_string(code), answer.error_type.empty() ? "" : ", ", answer.error_type, ")");
  if (IsTooMuch(answer)) {
    const bool time = answer.error_type == "timeout";
    return Exhausted(
        Concat(text, ": load config/prometheus/rules.yaml there, which makes queries cheap, or raise that limit",
               time ? " and usage.prometheus.timeout" : ""),
        !time);
  }
  if (code == 422) return OutOfRange(Concat(text, ": above a limit there, or check the queries in the configuration"));
  if (code == 400) return Invalid(Concat(text, ": check the queries in the configuration"));
  return Unavailable(text);
}

// A reply that Prometheus did not write: a proxy's, or another server's.
Status ExplainForeign(int http_code, std::string_view fault, std::string_view doing) {
  const std::string code = Concat(doing, ": HTTP ", std::to_string(http_code));
  switch (http_code) {
    case 200:
      if (!Has(fault, "incomplete")) break;
      return Unavailable(Concat(code, ": the answer breaks off in the middle (", fault,
                                "): look for a proxy on the way that cuts long "
                                "answers, or lower usage.prometheus.maxReplyBytes so that huygens asks for less"));
    case 401:
    case 403:
      return absl::UnauthenticatedError(
          ToAbsl(Concat(code,
                        ": check the bearer token, or the user and password, and whether the server wants a "
                        "header such as X-Scope-OrgID, in usage.prometheus")));
    case 404:
    case 405:
      return Unavailable(Concat(code, ": check that the URL is that of Prometheus, with its path prefix"));
    case 429:
    case 502:
    case 503:
    case 504:
      return Unavailable(Concat(code, ": overloaded, starting, or away behind a proxy"));
    default:
      break;
  }
  return Unavailable(Concat(code, ", not an answer of Prometheus: ", fault));
}

// What to do where the exchange itself failed.
Status ExplainTransfer(const Status& status) {
  if (absl::IsResourceExhausted(status)) {
    return Exhausted(
        Concat(Message(status), ": raise usage.prometheus.maxReplyBytes where huygens cannot ask for less"), true);
  }
  if (absl::IsDeadlineExceeded(status)) {
    return absl::DeadlineExceededError(
        ToAbsl(Concat(Message(status),
                      ": load config/prometheus/rules.yaml there, which makes queries cheap, or raise "
                      "usage.prometheus.timeout")));
  }
  if (absl::IsUnknown(status)) {
    return absl::UnknownError(ToAbsl(Concat(Message(status), ": the answer was cut off; it is asked for again")));
  }
  return status;
}

}  // namespace

bool IsTooLarge(const Status& status) { return status.GetPayload(kSize).has_value(); }

PrometheusClient::PrometheusClient(std::unique_ptr<net::Client> client, std::string url, Duration timeout,
                                   net::Headers headers)
    : client_(std::move(client)), url_(std::move(url)), timeout_(timeout), headers_(std::move(headers)) {}

StatusOr<std::unique_ptr<PrometheusClient>> PrometheusClient::Create(net::ClientOptions server, Duration timeout,
                                                                     net::Headers headers) {
  headers.insert(headers.end(),
                 {{"Accept", "application/json"}, {"Content-Type", "application/x-www-form-urlencoded"}});
  server.accept_gzip = true;
  std::string url = server.base_url;
  HUYGENS_ASSIGN_OR_RETURN(auto client, net::Client::Create(std::move(server)));
  return std::unique_ptr<PrometheusClient>(
      new PrometheusClient(std::move(client), std::move(url), timeout, std::move(headers)));
}

StatusOr<std::vector<std::string>> PrometheusClient::Ask(std::string_view path, const std::string& form,
                                                         const PrometheusVisitor& visitor) {
  const std::string whole = Concat(form, "&timeout=", Seconds(timeout_ * 9 / 10));
  const std::string doing = Concat("POST ", url_, path);
  StatusOr<net::HttpReply> reply = Unavailable("");
  // Once more on a kept-alive connection that Prometheus had closed: to ask twice does no harm.
  for (int tries = 0; tries < 2; ++tries) {
    PrometheusDecoder decoder(visitor);
    Status read;
    bool began = false;
    ++traffic_.queries;
    reply = client_->Call("POST", path, whole, headers_, timeout_, {nullptr, [&](std::string_view piece) {
                                                                      began = true;
                                                                      read = decoder.Write(piece);
                                                                      return read.ok();
                                                                    }});
    if (absl::IsUnknown(reply.status()) && !began) continue;
    if (!reply.ok()) break;
    traffic_.bytes += reply->transferred;
    auto answer = read.ok() ? decoder.Finish() : StatusOr<PrometheusAnswer>(read);
    if (!answer.ok()) return ExplainForeign(reply->code, Message(answer.status()), doing);
    if (!answer->success) return Explain(reply->code, *answer, doing);
    return std::move(answer->warnings);
  }
  return ExplainTransfer(reply.status());
}

StatusOr<std::vector<std::string>> PrometheusClient::Query(std::string_view query, Time at,
                                                           const PrometheusVisitor& visitor) {
  return Ask("/api/v1/query", Concat("query=", net::PercentEncoded(query), "&time=", Seconds(at.time_since_epoch())),
             visitor);
}

StatusOr<std::vector<std::string>> PrometheusClient::QueryRange(std::string_view query, Time first, Time last,
                                                                Duration step, const PrometheusVisitor& visitor) {
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

}  // namespace huygens::usage_sources
