#include "controller/reconcilers.h"

#include "base/steady_now.h"
#include "certificates/certificate_reconciler.h"
#include "controller/api_group_store.h"
#include "controller/config_map_hours.h"
#include "controller/event_news.h"
#include "controller/quota_reconciler.h"
#include "controller/transfer_reconciler.h"

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

}  // namespace

std::vector<std::unique_ptr<reconcile::Reconciler>> MakeReconcilers(const Surroundings& surroundings) {
  std::vector<std::unique_ptr<reconcile::Reconciler>> reconcilers;
  reconcilers.push_back(MakeQuota(surroundings));
  reconcilers.push_back(MakeTransfers(surroundings));
  if (surroundings.configuration.controller.certificates.enabled) reconcilers.push_back(MakeCertificates(surroundings));
  return reconcilers;
}

}  // namespace huygens::controller
