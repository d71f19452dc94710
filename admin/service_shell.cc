#include "admin/service_shell.h"

#include <algorithm>
#include <utility>

#include "base/commit.h"
#include "base/waiter.h"
#include "settings/scalar.h"
#include "settings/service_options.h"

namespace huygens::admin {

namespace {

// The configured address with the port that was really taken, which differs where 0 was asked for.
std::string WithPort(std::string_view address, uint16_t port) {
  return Concat(address.substr(0, address.rfind(':') + 1), std::to_string(port));
}

}  // namespace

StatusOr<std::unique_ptr<ServiceShell>> ServiceShell::Start(const settings::ServerConfiguration& configuration,
                                                            const net::ClientOptions* api_server,
                                                            const std::string& identity, Environment environment,
                                                            ServiceWork work) {
  std::unique_ptr<ServiceShell> shell(new ServiceShell(configuration, environment, std::move(work)));
  if (shell->work_.handle) HUYGENS_RETURN_IF_ERROR(shell->StartServer());
  HUYGENS_RETURN_IF_ERROR(shell->StartAdmin(api_server));
  environment.log.Info(
      "serving", {{"address", shell->server_ == nullptr ? "none" : WithPort(configuration.address, shell->port())},
                  {"admin", WithPort(configuration.admin_address, shell->admin_port())},
                  {"version", HUYGENS_VERSION},
                  {"commit", Commit()},
                  {"identity", identity}});
  return shell;
}

ServiceShell::~ServiceShell() {
  shutdown_.reset();
  server_.reset();
  if (token_access_) token_access_->Stop();  // it answers the admin server
  admin_.reset();
}

net::ServerObservers ServiceShell::ServerObservers() {
  observe::Log& log = environment_.log;
  net::ServerObservers observers;
  observers.on_connection_error = [&log](std::string_view what) { log.Debug("connection", {{"fault", what}}); };
  observers.on_warning = [&log](std::string_view what) { log.Warn("server", {{"fault", what}}); };
  observers.on_notice = [&log](std::string_view what) { log.Info("server", {{"notice", what}}); };
  return observers;
}

Status ServiceShell::StartServer() {
  net::ServerOptions options = settings::ServerOptions(configuration_);
  options.observers = ServerObservers();
  options.observers.on_refused = work_.on_refused;
  options.observers.on_handshake_failed = [this](std::string_view what) {
    environment_.metrics.TlsHandshakeFailed();
    if (auto left_out = handshake_warnings_.Allow(environment_.clock.Now()))
      environment_.log.Warn("TLS handshake failed", {{"fault", what}, {"leftOut", *left_out}});
  };
  auto server = net::Server::Start(environment_.loop, std::move(options), work_.handle);
  if (!server.ok()) return Annotate(server.status(), "server.address");
  server_ = *std::move(server);
  // Requests under way have requestDeadline whatever lameDuck says.
  const Duration longest_lame_duck = configuration_.shutdown_grace - configuration_.request_deadline;
  shutdown_ =
      std::make_unique<Shutdown>(environment_.loop, *server_, std::min(configuration_.lame_duck, longest_lame_duck),
                                 configuration_.shutdown_grace);
  return absl::OkStatus();
}

Status ServiceShell::StartAdmin(const net::ClientOptions* api_server) {
  AdminSources sources{.decision = environment_.loop,
                       .render_metrics = [this] { return environment_.metrics.Render(); },
                       .readiness = [this](bool verbose) { return Describe(verbose); },
                       .refresh_metrics = [this] { RefreshMetrics(); },
                       .pages = std::move(work_.pages)};
  if (api_server != nullptr && !settings::IsLoopback(configuration_.admin_address)) {
    HUYGENS_ASSIGN_OR_RETURN(token_access_, TokenAccess::Start(*api_server, std::make_unique<SteadyWaiter>()));
    sources.authorize = [this](std::string token, std::string path, TokenAccess::Done done) {
      token_access_->Ask(std::move(token), std::move(path), std::move(done));
    };
  }
  AdminOptions options{.address = configuration_.admin_address,
                       .allow_plain_http = configuration_.allow_plain_http_admin,
                       .observers = ServerObservers()};
  HUYGENS_ASSIGN_OR_RETURN(admin_, Admin::Start(std::move(sources), std::move(options)));
  return absl::OkStatus();
}

void ServiceShell::Drain(std::function<void(size_t cut)> done) {
  draining_ = true;
  if (shutdown_ == nullptr) return done(0);
  shutdown_->Begin(std::move(done));
}

void ServiceShell::EndLameDuck() {
  if (shutdown_ != nullptr) shutdown_->EndLameDuck();
}

observe::Readiness ServiceShell::Describe(bool verbose) const {
  observe::Readiness readiness = work_.readiness(verbose || draining());
  if (draining()) {
    readiness.items.push_back(
        {.ok = false,
         .name = "serving",
         .detail = shutdown_ != nullptr && shutdown_->lame_duck() ? "draining: answers are still given" : "draining"});
  }
  return readiness;
}

void ServiceShell::RefreshMetrics() {
  work_.refresh_metrics();
  if (server_ == nullptr) return;
  if (auto expiry = server_->certificate_expiry()) environment_.metrics.SetCertificateExpiry(*expiry);
}

}  // namespace huygens::admin
