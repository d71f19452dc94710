// The whole of `huygens webhook` behind one object: what it knows of the cluster, the server that API servers post
// reviews to, and the admin server. So far it knows a directory of manifests as it is at start, answers each review by
// that alone, and writes nothing down: for trying out what would be refused. Everything runs on the thread of `loop`.
#pragma once

#include <functional>
#include <memory>

#include "admin/process.h"
#include "admin/service_shell.h"
#include "base/status.h"
#include "base/time.h"
#include "net/event_loop.h"
#include "net/server.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "settings/configuration.h"
#include "webhook/manifest_cluster.h"

namespace huygens::webhook {

// The one path of all webhooks, below server.pathPrefix: API servers keep one set of connections per path.
inline constexpr std::string_view kPath = "validate";

class Webhook final : public admin::RunningService {
 public:
  // `loop`, `log` and `clock` must outlive it. Errors say which address, file or setting cannot be used.
  static StatusOr<std::unique_ptr<Webhook>> Start(const settings::Configuration& configuration, net::EventLoop& loop,
                                                  observe::Log& log, const Clock& clock);

  uint16_t port() const { return shell_->port(); }
  uint16_t admin_port() const { return shell_->admin_port(); }

  void Drain(std::function<void()> done) override {
    shell_->Drain([done = std::move(done)](size_t) { done(); });
  }
  void EndLameDuck() override { shell_->EndLameDuck(); }

 private:
  Webhook(const settings::Configuration& configuration, observe::Log& log);
  net::Response Answer(const net::Request& request) const;

  const std::string path_;
  observe::Log& log_;
  observe::Metrics metrics_;
  ManifestCluster cluster_;
  std::unique_ptr<admin::ServiceShell> shell_;
};

}  // namespace huygens::webhook
