#include <algorithm>
#include <iterator>
#include <set>

#include "base/text.h"
#include "kube/metrics_api.h"
#include "preflight/usage.h"
#include "settings/usage_source.h"
#include "usage_sources/placed_pods.h"
#include "usage_sources/prometheus_client.h"
#include "usage_sources/queries.h"
#include "usage_sources/series.h"
#include "usage_sources/subject.h"

namespace huygens::preflight {

namespace {

constexpr int kProbes = 56;  // of the window, evenly spread: every three hours of a week

// One Prometheus, asked for single numbers.
class Asking {
 public:
  Asking(usage_sources::PrometheusClient& client, Time now) : client_(client), now_(now) {}

  // Nothing where the answer has no series.
  StatusOr<std::optional<double>> Number(const std::string& query) {
    std::optional<double> number;
    HUYGENS_RETURN_IF_ERROR(
        Ask(query, now_,
            {.on_series = [](const auto&) { return true; }, .on_sample = [&](Time, double value) { number = value; }}));
    return number;
  }
  StatusOr<size_t> Count(const std::string& query) {
    HUYGENS_ASSIGN_OR_RETURN(const std::optional<double> number, Number(query));
    return static_cast<size_t>(number.value_or(0));
  }
  // Which recordings there are, as Expression::recorded writes them.
  StatusOr<TextSet> Recordings(const usage_sources::Scope& scope) {
    TextSet recordings;
    HUYGENS_RETURN_IF_ERROR(Ask(usage_sources::RecordingsQuery(scope), now_,
                                {.on_series =
                                     [&](const usage_sources::PrometheusLabels& labels) {
                                       recordings.insert(usage_sources::Recording(labels, scope));
                                       return false;
                                     },
                                 .on_sample = [](Time, double) {}}));
    return recordings;
  }
  StatusOr<size_t> Series(std::string_view metric, const usage_sources::Scope& scope,
                          std::initializer_list<std::string_view> matchers = {}) {
    return Count(Concat("count(", usage_sources::Selector(metric, scope, matchers), ")"));
  }
  // In order, each once.
  StatusOr<std::vector<std::string>> Subjects(const std::string& query, usage_sources::SubjectKind kind,
                                              Duration ago = {}) {
    const usage_sources::PlacedPods none(
        usage_sources::PlacedPods::Which::kOwnerNotInName);  // a pod's name says enough to list it
    std::set<std::string> names;
    HUYGENS_RETURN_IF_ERROR(Ask(query, now_ - ago,
                                {.on_series =
                                     [&](const usage_sources::PrometheusLabels& labels) {
                                       names.insert(usage_sources::SubjectOf(kind, labels, none));
                                       return false;
                                     },
                                 .on_sample = [](Time, double) {}}));
    names.erase("");
    return std::vector<std::string>(names.begin(), names.end());
  }
  // Of all answers so far, each once.
  const std::set<std::string>& warnings() const { return warnings_; }

 private:
  Status Ask(const std::string& query, Time at, const usage_sources::PrometheusVisitor& visitor) {
    HUYGENS_ASSIGN_OR_RETURN(const std::vector<std::string> warnings, client_.Query(query, at, visitor));
    warnings_.insert(warnings.begin(), warnings.end());
    return {};
  }

  usage_sources::PrometheusClient& client_;
  const Time now_;
  std::set<std::string> warnings_;
};

StatusOr<double> Covered(Asking& asking, const std::string& expression, Duration window) {
  const Duration step = window / kProbes;
  const std::string seconds = std::to_string(std::chrono::ceil<std::chrono::seconds>(step).count());
  const std::string whole = std::to_string(std::chrono::ceil<std::chrono::seconds>(window).count());
  HUYGENS_ASSIGN_OR_RETURN(const auto probes, asking.Number(Concat("count_over_time(count(", expression, ")[", whole,
                                                                   "s:", seconds, "s])")));
  return std::min(probes.value_or(0) / kProbes, 1.0);
}

using Names = std::vector<std::string>;

Names Without(const Names& names, const Names& others) {
  Names left;
  std::ranges::set_difference(names, others, std::back_inserter(left));
  return left;
}

// At three moments, since Prometheus itself may have been away at one. Each costs what a poll of huygens does.
StatusOr<WorkloadHistory> AskHistory(Asking& asking, const std::string& expression, Duration enough) {
  HUYGENS_ASSIGN_OR_RETURN(Names young, asking.Subjects(expression, usage_sources::SubjectKind::kWorkload));
  const size_t workloads = young.size();
  for (const Duration ago : {enough, enough * 5 / 4, enough * 3 / 2}) {
    if (young.empty()) break;
    HUYGENS_ASSIGN_OR_RETURN(const Names then, asking.Subjects(expression, usage_sources::SubjectKind::kWorkload, ago));
    young = Without(young, then);
  }
  return WorkloadHistory{workloads, std::move(young)};
}

StatusOr<std::vector<WholeNodes>> AskSources(Asking& asking, std::string_view resource,
                                             const usage_sources::Scope& scope, const Names& nodes) {
  std::vector<WholeNodes> sources;
  Names left = nodes;
  for (const auto source : {usage_sources::NodeSource::kCadvisor, usage_sources::NodeSource::kNodeExporter,
                            usage_sources::NodeSource::kKubelet}) {
    const std::string series = usage_sources::NodeSeries(resource, source, scope);
    if (series.empty() || (left.empty() && !nodes.empty())) continue;
    HUYGENS_ASSIGN_OR_RETURN(Names found, asking.Subjects(series, usage_sources::SubjectKind::kNode));
    const Names others = Without(left, found);
    if (!nodes.empty()) found = Without(left, others);
    left = others;
    if (!found.empty()) sources.push_back({source, std::move(found)});
  }
  return sources;
}

ResourceSeries AskResource(Asking& asking, const settings::UsageResource& resource,
                           const settings::UsageConfiguration& usage, const TextSet& recordings,
                           const usage_sources::Scope& scope) {
  ResourceSeries series{.name = resource.name};
  series.own_pods = !resource.pod_query.empty();
  series.own_nodes = !resource.node_query.empty();
  const usage_sources::Expressions expressions = usage_sources::ExpressionsFor(
      resource.name, {.pods = resource.pod_query, .nodes = resource.node_query}, usage.replica_quantile, scope);
  series.recorded_workloads = recordings.contains(expressions.workloads.recorded);
  series.recorded_nodes = recordings.contains(expressions.nodes.recorded);
  const std::string& workloads = series.recorded_workloads ? expressions.workloads.recorded : expressions.workloads.raw;
  const std::string& nodes = series.recorded_nodes ? expressions.nodes.recorded : expressions.nodes.raw;
  if (!workloads.empty()) {
    series.workloads = asking.Count(Concat("count(", workloads, ")"));
    // Unrecorded, the expression is asked at moments, not all over the window: Prometheus would work for minutes.
    series.covered = series.recorded_workloads ? Covered(asking, workloads, usage.window) : StatusOr<double>(-1.0);
    const Duration enough = std::min(usage.min_history, usage.window);
    if (enough > Duration::zero()) series.history = AskHistory(asking, workloads, enough);
  }
  if (!nodes.empty()) {
    // NaN: its pods alone
    series.nodes = asking.Subjects(Concat("(", nodes, ") >= 0"), usage_sources::SubjectKind::kNode);
  }
  if (!series.own_nodes && series.nodes.ok()) series.sources = AskSources(asking, resource.name, scope, *series.nodes);
  if (series.own_pods || series.recorded_workloads) return series;
  series.metric = usage_sources::UsualMetric(resource.name);
  if (series.metric.empty()) return series;
  series.all = asking.Series(series.metric, scope);
  if (series.all.ok() && *series.all == 0 && !scope.matchers.empty()) {
    series.unmatched = asking.Series(series.metric, {});
  }
  series.of_pods = asking.Series(series.metric, scope, {R"(container!="")", R"(pod!="")"});
  const std::string containers =
      usage_sources::Selector(series.metric, scope, {R"(container!="")", R"(container!="POD")", R"(pod!="")"});
  series.scraped =
      asking.Count(Concat("max(count by (namespace, pod, container, name, id, cpu, device) (", containers, "))"));
  return series;
}

}  // namespace

PrometheusSeries AskPrometheus(const settings::Configuration& configuration, Time now) {
  const settings::PrometheusConfiguration& from = *configuration.usage.prometheus;
  PrometheusSeries series{.url = from.url};
  const usage_sources::Scope scope = settings::PrometheusScope(from);
  auto client = usage_sources::PrometheusClient::Create(settings::PrometheusServer(from), from.timeout,
                                                        settings::PrometheusHeaders(from));
  if (!client.ok()) {
    series.reachable = client.status();
    return series;
  }
  Asking asking(**client, now);
  const StatusOr<TextSet> recordings = asking.Recordings(scope);
  if (!recordings.ok()) {
    series.reachable = recordings.status();
    return series;
  }
  series.owners = asking.Count(Concat("count(", usage_sources::Selector("kube_pod_owner", scope, {}), " or ",
                                      usage_sources::Selector("huygens:pod_owner", scope, {}), ")"));
  for (const settings::UsageResource& resource : configuration.usage.resources) {
    series.resources.push_back(AskResource(asking, resource, configuration.usage, *recordings, scope));
  }
  series.warnings.assign(asking.warnings().begin(), asking.warnings().end());
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
