#include "controller/reconcilers.h"

#include <tuple>
#include <utility>

#include "base/steady_now.h"
#include "capacity_writer/capacity_reconciler.h"
#include "certificates/certificate_reconciler.h"
#include "controller/api_group_store.h"
#include "controller/config_map_hours.h"
#include "controller/event_news.h"
#include "controller/quota_reconciler.h"
#include "controller/transfer_reconciler.h"
#include "recommendations/recommender.h"
#include "resizing/resize_reconciler.h"
#include "rule_keeping/rule_keeper.h"
#include "settings/real_capacity_options.h"
#include "settings/usage_source.h"

namespace huygens::controller {
namespace {

quota::KeyOptions KeysOf(const Surroundings& given) {
  return {.gpu_resources = given.configuration.quota.gpu_resources};
}

quota::ReplicaOptions ReplicasOf(const Surroundings& given) {
  return {.include_surge = given.configuration.webhook.include_surge};
}

std::unique_ptr<reconcile::Reconciler> MakeQuota(const Surroundings& given) {
  QuotaReconciler::Options options;
  options.count.hours = given.configuration.controller.hours_interval;
  options.keys = KeysOf(given);
  options.replicas = ReplicasOf(given);
  return std::make_unique<QuotaReconciler>(
      given.cluster, std::make_unique<ApiGroupStore>(given.calls),
      QuotaReconciler::Environment{
          given.clock, given.log, SteadyNow,
          std::make_shared<ConfigMapHours>(given.calls, given.configuration.controller.lease.namespace_name),
          std::make_shared<EventNews>(given.calls, given.clock, given.log, SystemRandom(), given.identity)},
      options);
}

std::unique_ptr<reconcile::Reconciler> MakeTransfers(const Surroundings& given) {
  return std::make_unique<TransferReconciler>(
      given.cluster, std::make_unique<ApiGroupStore>(given.calls), std::make_unique<ApiTransferStore>(given.calls),
      TransferReconciler::Environment{given.clock, given.log}, KeysOf(given), ReplicasOf(given));
}

std::unique_ptr<reconcile::Reconciler> MakeCertificates(const Surroundings& given) {
  const settings::CertificatesConfiguration& certificates = given.configuration.controller.certificates;
  certificates::CertificateKeeperOptions options;
  options.namespace_name = certificates.namespace_name;
  options.secret = certificates.secret;
  options.configurations = certificates.configurations;
  options.rules.dns_names = {Concat(certificates.service, ".", certificates.namespace_name, ".svc")};
  return std::make_unique<certificates::CertificateReconciler>(
      std::move(options), certificates::CertificateReconciler::Environment{given.calls, given.clock, given.log});
}

// Where a document is: the server, and what it is asked for.
std::pair<std::string, std::string> SplitUrl(const std::string& url) {
  const size_t path = url.find_first_of("/?", url.find("//") + 2);
  if (path == std::string::npos) return {url, "/"};
  return {url.substr(0, path), Concat(url[path] == '?' ? "/" : "", url.substr(path))};
}

capacity_writer::FactSourceOptions FactSources(const settings::RealCapacityFacts& from) {
  capacity_writer::FactSourceOptions options;
  if (from.prometheus) {
    options.prometheus = settings::PrometheusServer(*from.prometheus);
    options.headers = settings::PrometheusHeaders(*from.prometheus);
    options.timeout = from.prometheus->timeout;
  }
  for (const settings::FactQuery& each : from.queries) {
    capacity_writer::QuerySource& query = options.queries.emplace_back();
    query.name = each.name;
    query.query = each.query;
    query.node_label = each.node_label;
    query.zone_label = each.zone_label;
    std::tie(query.document.base_url, query.path) = SplitUrl(each.url);
    query.document.bearer_token_file = each.bearer_token_file;
    query.document.ca_file = each.ca_file;
  }
  return options;
}

std::unique_ptr<reconcile::Reconciler> MakeRealCapacity(const Surroundings& given) {
  const settings::RealCapacityFacts& from = given.configuration.controller.real_capacity;
  capacity_writer::CapacityOptions options;
  options.rules = settings::RealCapacityRules(from);
  options.sources = FactSources(from);
  options.interval = from.interval;
  options.writes = from.mode == settings::RealCapacityMode::kEnforce;
  options.writes_per_second = static_cast<double>(from.writes_per_second);
  options.carry_over = from.without_list_map == settings::WithoutListMap::kCarryOver;
  options.take_over = from.take_over;
  if (from.objects == settings::ZoneObjects::kCommunity) options.kinds = {cluster::TopologySource::kCommunity};
  if (from.objects == settings::ZoneObjects::kBoth) options.kinds.push_back(cluster::TopologySource::kCommunity);
  return std::make_unique<capacity_writer::CapacityReconciler>(
      std::move(options), capacity_writer::CapacityReconciler::Environment{.calls = given.calls,
                                                                           .api_server = given.api_server,
                                                                           .loop = given.loop,
                                                                           .clock = given.clock,
                                                                           .log = given.log,
                                                                           .metrics = given.metrics,
                                                                           .monotonic = SteadyNow,
                                                                           .random = SystemRandom(),
                                                                           .instance = given.identity});
}

}  // namespace

std::vector<std::unique_ptr<reconcile::Reconciler>> MakeReconcilers(const Surroundings& given) {
  std::vector<std::unique_ptr<reconcile::Reconciler>> reconcilers;
  reconcilers.push_back(MakeQuota(given));
  reconcilers.push_back(MakeTransfers(given));
  if (given.configuration.controller.certificates.enabled) reconcilers.push_back(MakeCertificates(given));
  if (given.configuration.controller.real_capacity.mode != settings::RealCapacityMode::kOff) {
    reconcilers.push_back(MakeRealCapacity(given));
  }
  const std::shared_ptr<recommendations::Recommender> recommender = recommendations::AddReconcilers(
      {given.configuration, given.api_server, given.loop, given.log, given.metrics, given.clock, given.calls},
      reconcilers, given.pages);
  if (recommender != nullptr && resizing::IsWanted(given.configuration.overcommit)) {
    reconcilers.push_back(resizing::MakeResizing(recommender));
  }
  rule_keeping::AddReconcilers(
      {given.configuration, given.api_server, given.loop, given.log, given.metrics, given.clock, given.calls},
      reconcilers);
  return reconcilers;
}

}  // namespace huygens::controller
