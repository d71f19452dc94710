#include "webhook/webhook.h"

#include <optional>
#include <utility>

#include "admin/service_shell.h"
#include "net/client.h"
#include "observe/metrics.h"
#include "settings/service_options.h"
#include "webhook/manifest_cluster.h"
#include "webhook/review_service.h"

namespace huygens::webhook {

class Webhook::Impl {
 public:
  Impl(const settings::Configuration& configuration, net::EventLoop& loop, observe::Log& log, const Clock& clock)
      : configuration_(configuration),
        loop_(loop),
        log_(log),
        clock_(clock),
        rules_{.keys = {.gpu_resources = configuration.quota.gpu_resources}},
        metrics_(settings::MetricsOptions(configuration.usage)) {}
  ~Impl() { shell_.reset(); }

  Status Start();
  admin::ServiceShell& shell() const { return *shell_; }

 private:
  Status ReadManifests(const std::string& directory);
  Status StartShell();
  observe::Readiness Describe() const;

  const settings::Configuration configuration_;
  net::EventLoop& loop_;
  observe::Log& log_;
  const Clock& clock_;
  const Rules rules_;
  observe::Metrics metrics_;
  std::unique_ptr<KnownCluster> cluster_;
  std::unique_ptr<ReviewService> service_;
  std::unique_ptr<admin::ServiceShell> shell_;
};

Status Webhook::Impl::Start() {
  const auto& manifests = configuration_.cluster.manifests;
  if (!manifests) return Invalid("cluster.manifests is needed: reviews are judged by a directory of manifests so far");
  HUYGENS_RETURN_IF_ERROR(ReadManifests(manifests->directory));
  service_ =
      std::make_unique<ReviewService>(*cluster_, rules_, nullptr, configuration_.server.path_prefix,
                                      ReviewService::Environment{log_, metrics_, [] { return SteadyWaiter().Now(); }});
  return StartShell();
}

Status Webhook::Impl::ReadManifests(const std::string& directory) {
  auto cluster = std::make_unique<ManifestCluster>(rules_);
  HUYGENS_RETURN_IF_ERROR(Annotate(cluster->Load(directory), "cluster.manifests.directory"));
  cluster_ = std::move(cluster);
  return absl::OkStatus();
}

Status Webhook::Impl::StartShell() {
  admin::ServiceWork work{
      .handle = [this](const net::Request& request,
                       const net::Respond& respond) { service_->Handle(request, respond); },
      .on_refused = [](const net::RefusedRequest&) {},
      .readiness = [this](bool) { return Describe(); },
      .refresh_metrics = [this] { metrics_.SetReady(!shell_->draining() && cluster_->NotReady().empty()); },
      .pages = nullptr};
  HUYGENS_ASSIGN_OR_RETURN(shell_, admin::ServiceShell::Start(configuration_.server, nullptr, admin::Identity(),
                                                              {loop_, log_, clock_, metrics_}, std::move(work)));
  return absl::OkStatus();
}

observe::Readiness Webhook::Impl::Describe() const {
  return observe::Readiness{{{.name = "manifests", .detail = "read"}}};
}

Webhook::Webhook(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Webhook::~Webhook() = default;

StatusOr<std::unique_ptr<Webhook>> Webhook::Start(const settings::Configuration& configuration, net::EventLoop& loop,
                                                  observe::Log& log, const Clock& clock) {
  auto impl = std::make_unique<Impl>(configuration, loop, log, clock);
  HUYGENS_RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<Webhook>(new Webhook(std::move(impl)));
}

uint16_t Webhook::port() const { return impl_->shell().port(); }
uint16_t Webhook::admin_port() const { return impl_->shell().admin_port(); }
void Webhook::EndLameDuck() { impl_->shell().EndLameDuck(); }
void Webhook::Drain(std::function<void()> done) {
  impl_->shell().Drain([done = std::move(done)](size_t) { done(); });
}

}  // namespace huygens::webhook
