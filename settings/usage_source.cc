#include "settings/usage_source.h"

#include <utility>

#include "kube/metrics_api.h"
#include "usage_sources/history_file.h"
#include "usage_sources/manifest_source.h"
#include "usage_sources/metrics_api_source.h"
#include "usage_sources/prometheus_source.h"

namespace huygens::settings {
namespace {

StatusOr<std::unique_ptr<usage_sources::Source>> Prometheus(const UsageConfiguration& from, const usage::Options& usage,
                                                            const usage_sources::PlacedPods& pods) {
  usage_sources::PrometheusOptions options{.usage = usage};
  const PrometheusConfiguration& prometheus = *from.prometheus;
  options.server = PrometheusServer(prometheus);
  options.headers = PrometheusHeaders(prometheus);
  options.scope = PrometheusScope(prometheus);
  options.timeout = prometheus.timeout;
  options.concurrency = static_cast<size_t>(prometheus.concurrency);
  for (const UsageResource& each : from.resources) options.queries.push_back({each.pod_query, each.node_query});
  return usage_sources::PrometheusSource::Create(std::move(options), pods);
}

StatusOr<std::unique_ptr<usage_sources::Source>> MetricsApi(const std::string& history_file,
                                                            const usage::Options& usage, const ResourceNames& names,
                                                            usage_sources::PlacedPods& pods,
                                                            const net::ClientOptions& api_server) {
  std::unique_ptr<usage_sources::HistoryFile> history;
  if (!history_file.empty()) {
    auto opened = usage_sources::HistoryFile::Open(history_file, usage);
    if (!opened.ok()) return Annotate(opened.status(), "usage.historyFile");
    history = *std::move(opened);
  }
  HUYGENS_ASSIGN_OR_RETURN(std::shared_ptr<kube::MetricsApi> api, kube::MetricsApi::Create(api_server, names));
  usage_sources::MetricsReader reader{.pods = [api] { return api->Pods(); },
                                      .nodes = [api] { return api->Nodes(); },
                                      .cancel = [api] { api->Cancel(); }};
  return std::make_unique<usage_sources::MetricsApiSource>(std::move(reader), usage, pods, std::move(history));
}

}  // namespace

net::ClientOptions PrometheusServer(const PrometheusConfiguration& from) {
  net::ClientOptions server;
  server.base_url = from.url;
  server.bearer_token_file = from.bearer_token_file;
  server.username = from.username;
  server.password_file = from.password_file;
  server.ca_file = from.ca_file;
  server.cert_file = from.cert_file;
  server.key_file = from.key_file;
  server.max_reply_bytes = static_cast<size_t>(from.max_reply_bytes);
  return server;
}

net::Headers PrometheusHeaders(const PrometheusConfiguration& from) {
  net::Headers headers;
  for (const HeaderConfiguration& each : from.headers) headers.emplace_back(each.name, each.value);
  return headers;
}

usage_sources::Scope PrometheusScope(const PrometheusConfiguration& from) {
  return {from.matchers, from.replica_labels};
}

usage_sources::PlacedPods::Which PodsForUsage(const Configuration& configuration) {
  using Which = usage_sources::PlacedPods::Which;
  return configuration.usage.prometheus || configuration.cluster.manifests ? Which::kOwnerNotInName : Which::kAll;
}

StatusOr<std::unique_ptr<usage_sources::Source>> MakeUsageSource(const Configuration& configuration,
                                                                 const usage::Options& usage,
                                                                 const ResourceNames& names,
                                                                 usage_sources::PlacedPods& pods,
                                                                 const net::ClientOptions* api_server,
                                                                 std::span<const wire::UsageHistory> manifests) {
  const UsageConfiguration& from = configuration.usage;
  if (from.prometheus) return Prometheus(from, usage, pods);
  if (api_server != nullptr) return MetricsApi(from.history_file, usage, names, pods, *api_server);
  return std::make_unique<usage_sources::ManifestSource>(manifests, usage);
}

}  // namespace huygens::settings
