#include "extender/usage_source.h"

#include <utility>

#include "kube/metrics_api.h"
#include "prom/history_file.h"
#include "prom/manifest_source.h"
#include "prom/metrics_api_source.h"
#include "prom/prometheus_source.h"

namespace huygens::extender {
namespace {

StatusOr<std::unique_ptr<prom::Source>> Prometheus(const UsageConfiguration& from, const usage::Options& usage,
                                                   const prom::PlacedPods& pods) {
  prom::PrometheusOptions options{.usage = usage};
  options.server.base_url = from.prometheus->url;
  options.server.bearer_token_file = from.prometheus->bearer_token_file;
  options.server.ca_file = from.prometheus->ca_file;
  for (const UsageResource& each : from.resources) options.queries.push_back({each.pod_query, each.node_query});
  return prom::PrometheusSource::Create(std::move(options), pods);
}

StatusOr<std::unique_ptr<prom::Source>> MetricsApi(const std::string& history_file, const usage::Options& usage,
                                                   const ResourceNames& names, prom::PlacedPods& pods,
                                                   const net::ClientOptions& api_server) {
  std::unique_ptr<prom::HistoryFile> history;
  if (!history_file.empty()) {
    auto opened = prom::HistoryFile::Open(history_file, usage);
    if (!opened.ok()) return Annotate(opened.status(), "usage.historyFile");
    history = *std::move(opened);
  }
  HUYGENS_ASSIGN_OR_RETURN(std::shared_ptr<kube::MetricsApi> api, kube::MetricsApi::Create(api_server, names));
  prom::MetricsReader reader{.pods = [api] { return api->Pods(); },
                             .nodes = [api] { return api->Nodes(); },
                             .cancel = [api] { api->Cancel(); }};
  return std::make_unique<prom::MetricsApiSource>(std::move(reader), usage, pods, std::move(history));
}

}  // namespace

prom::PlacedPods::Which PodsForUsage(const Configuration& configuration) {
  using Which = prom::PlacedPods::Which;
  return configuration.usage.prometheus || configuration.cluster.manifests ? Which::kMisleading : Which::kAll;
}

StatusOr<std::unique_ptr<prom::Source>> MakeUsageSource(const Configuration& configuration, const usage::Options& usage,
                                                        const ResourceNames& names, prom::PlacedPods& pods,
                                                        const net::ClientOptions* api_server,
                                                        std::span<const wire::UsageHistory> manifests) {
  const UsageConfiguration& from = configuration.usage;
  if (from.prometheus) return Prometheus(from, usage, pods);
  if (api_server != nullptr) return MetricsApi(from.history_file, usage, names, pods, *api_server);
  return std::make_unique<prom::ManifestSource>(manifests, usage);
}

}  // namespace huygens::extender
