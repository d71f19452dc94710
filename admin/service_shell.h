// What every service has around its work, besides the life of its process: the server that its callers reach, the admin
// server beside it, who may read the pages of the latter, and how both end. Decision thread only, as the loop's.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "admin/admin.h"
#include "admin/pages.h"
#include "admin/shutdown.h"
#include "admin/token_access.h"
#include "base/status.h"
#include "base/time.h"
#include "net/client.h"
#include "net/event_loop.h"
#include "net/server.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "observe/metrics.h"
#include "observe/readiness.h"
#include "settings/configuration.h"

namespace huygens::admin {

// What a service does, and says of itself, within its shell.
struct ServiceWork {
  net::Handler handle;  // null: it has no callers, and only the admin server is served
  std::function<void(const net::RefusedRequest&)> on_refused;
  // As AdminSources has them; that it drains, and when its certificate expires, is added.
  std::function<observe::Readiness(bool verbose)> readiness;
  std::function<void()> refresh_metrics;
  std::unique_ptr<const Pages> pages;
};

class ServiceShell {
 public:
  // All of it outlives the shell.
  struct Environment {
    net::EventLoop& loop;
    observe::Log& log;
    const Clock& clock;
    observe::Metrics& metrics;
  };

  // Serves from now on. `api_server` says who may read /debug where the admin address is not this machine's own; null:
  // there is none. `identity` is for the log. Errors say which address, file or credential cannot be used.
  static StatusOr<std::unique_ptr<ServiceShell>> Start(const settings::ServerConfiguration& configuration,
                                                       const net::ClientOptions* api_server,
                                                       const std::string& identity, Environment environment,
                                                       ServiceWork work);
  ~ServiceShell();
  ServiceShell(const ServiceShell&) = delete;
  ServiceShell& operator=(const ServiceShell&) = delete;

  uint16_t port() const { return server_ == nullptr ? 0 : server_->port(); }
  uint16_t admin_port() const { return admin_->port(); }

  // As Shutdown has them; at once where there are no callers.
  void Drain(std::function<void(size_t cut)> done);
  void EndLameDuck();
  bool draining() const { return draining_; }
  // What its callers are shown, as PEM, its own first; empty for plain HTTP.
  std::string_view certificates() const { return server_ == nullptr ? std::string_view() : server_->certificates(); }

 private:
  ServiceShell(const settings::ServerConfiguration& configuration, Environment environment, ServiceWork work)
      : configuration_(configuration), environment_(environment), work_(std::move(work)) {}
  Status StartServer();
  Status StartAdmin(const net::ClientOptions* api_server);
  net::ServerObservers ServerObservers();
  observe::Readiness Describe(bool verbose) const;
  void RefreshMetrics();

  const settings::ServerConfiguration configuration_;
  const Environment environment_;
  ServiceWork work_;
  std::unique_ptr<net::Server> server_;  // null: no callers
  std::unique_ptr<Shutdown> shutdown_;   // of it
  bool draining_ = false;
  std::unique_ptr<TokenAccess> token_access_;  // null: /debug is for this machine only
  std::unique_ptr<Admin> admin_;
  observe::RateLimit handshake_warnings_{std::chrono::seconds(10)};
};

}  // namespace huygens::admin
