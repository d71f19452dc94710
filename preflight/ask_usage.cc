#include "base/text.h"
#include "extender/usage_source.h"
#include "kube/metrics_api.h"
#include "preflight/usage.h"
#include "prom/prometheus_client.h"
#include "prom/queries.h"
#include "prom/series.h"

namespace huygens::preflight {

namespace {

constexpr auto kTimeout = std::chrono::seconds(20);
constexpr int kProbes = 56;  // of the window, evenly spread: every three hours of a week

// One Prometheus, asked for single numbers.
class Asking {
 public:
  Asking(prom::PrometheusClient& client, Time now) : client_(client), now_(now) {}

  // Nothing where the answer has no series.
  StatusOr<std::optional<double>> Number(const std::string& query) {
    std::optional<double> number;
    const auto asked = client_.Query(
        query, now_,
        {.on_series = [](const auto&) { return true; }, .on_sample = [&](Time, double value) { number = value; }});
    if (!asked.ok()) return asked.status();
    return number;
  }
  StatusOr<size_t> Count(const std::string& query) {
    HUYGENS_ASSIGN_OR_RETURN(const std::optional<double> number, Number(query));
    return static_cast<size_t>(number.value_or(0));
  }
  StatusOr<std::vector<std::string>> Values(const std::string& query, std::string_view label) {
    std::vector<std::string> values;
    const auto asked = client_.Query(query, now_,
                                     {.on_series =
                                          [&](const wire::PrometheusLabels& labels) {
                                            for (const auto& [key, value] : labels) {
                                              if (key == label) values.emplace_back(value);
                                            }
                                            return false;
                                          },
                                      .on_sample = [](Time, double) {}});
    if (!asked.ok()) return asked.status();
    return values;
  }

 private:
  prom::PrometheusClient& client_;
  const Time now_;
};

StatusOr<double> Covered(Asking& asking, const std::string& expression, Duration window) {
  const Duration step = window / kProbes;
  const std::string seconds = std::to_string(std::chrono::ceil<std::chrono::seconds>(step).count());
  const std::string whole = std::to_string(std::chrono::ceil<std::chrono::seconds>(window).count());
  HUYGENS_ASSIGN_OR_RETURN(const auto probes, asking.Number(Concat("count_over_time(count(", expression, ")[", whole,
                                                                   "s:", seconds, "s])")));
  return std::min(probes.value_or(0) / kProbes, 1.0);
}

ResourceSeries AskResource(Asking& asking, const extender::UsageResource& resource, Duration window,
                           const TextSet& recordings, const prom::Scope& scope) {
  ResourceSeries series{.name = resource.name, .nodes = std::vector<std::string>()};
  series.own_queries = !resource.pod_query.empty() || !resource.node_query.empty();
  const prom::Expressions expressions = prom::ExpressionsFor(
      resource.name, {.pods = resource.pod_query, .nodes = resource.node_query}, usage::kMillion, scope);
  series.recorded_workloads = recordings.contains(expressions.workloads.recorded);
  series.recorded_nodes = recordings.contains(expressions.nodes.recorded);
  const std::string& workloads = series.recorded_workloads ? expressions.workloads.recorded : expressions.workloads.raw;
  const std::string& nodes = series.recorded_nodes ? expressions.nodes.recorded : expressions.nodes.raw;
  if (!workloads.empty()) {
    series.workloads = asking.Count(Concat("count(", workloads, ")"));
    // Unrecorded, the expression is asked once, not all over the window: Prometheus would work for minutes.
    series.covered = series.recorded_workloads ? Covered(asking, workloads, window) : StatusOr<double>(-1.0);
  }
  if (!nodes.empty()) series.nodes = asking.Values(Concat("(", nodes, ") >= 0"), "node");  // NaN: its pods alone
  series.metric = prom::UsualMetric(resource.name);
  if (series.metric.empty() || !resource.pod_query.empty() || series.recorded_workloads) {
    series.metric.clear();
    return series;
  }
  series.all = asking.Count(Concat("count(", series.metric, ")"));
  series.of_pods = asking.Count(Concat("count(", series.metric, R"({container!="",pod!=""}))"));
  series.of_roots = asking.Count(Concat("count(", series.metric, R"({id="/"}))"));
  series.scraped = asking.Count(Concat("max(count by (namespace, pod, container, name, id, cpu, device) (",
                                       series.metric, R"({container!="",container!="POD",pod!=""})))"));
  return series;
}

}  // namespace

PrometheusSeries AskPrometheus(const extender::Configuration& configuration, Time now) {
  const extender::PrometheusConfiguration& from = *configuration.usage.prometheus;
  PrometheusSeries series{.url = from.url};
  const prom::Scope scope = extender::PrometheusScope(from);
  auto client =
      prom::PrometheusClient::Create(extender::PrometheusServer(from), kTimeout, extender::PrometheusHeaders(from));
  if (!client.ok()) {
    series.reachable = client.status();
    return series;
  }
  Asking asking(**client, now);
  TextSet recordings;
  const auto asked = (*client)->Query(prom::RecordingsQuery(scope), now,
                                      {.on_series =
                                           [&](const wire::PrometheusLabels& labels) {
                                             recordings.insert(prom::Recording(labels, scope));
                                             return false;
                                           },
                                       .on_sample = [](Time, double) {}});
  if (!asked.ok()) {
    series.reachable = asked.status();
    return series;
  }
  series.owners = asking.Count("count(kube_pod_owner)");
  for (const extender::UsageResource& resource : configuration.usage.resources) {
    series.resources.push_back(AskResource(asking, resource, configuration.usage.window, recordings, scope));
  }
  return series;
}

MetricsAnswers AskMetricsApi(const net::ClientOptions& api_server, const ResourceNames& names) {
  auto api = kube::MetricsApi::Create(api_server, names);
  if (!api.ok()) return {api.status(), api.status()};
  auto pods = (*api)->Pods();
  auto nodes = (*api)->Nodes();
  return {std::move(pods), std::move(nodes)};
}

}  // namespace huygens::preflight
