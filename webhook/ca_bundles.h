// Whether API servers believe the certificate that this webhook serves: what the webhook configurations name as
// its authorities (caBundle), looked at again and again, beside what is served. While they do not, each call ends in a
// failed handshake, so a webhook that is not believed is not ready. The loop's thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "kube/call_pool.h"
#include "observe/log.h"
#include "observe/readiness.h"
#include "wire/webhook_configuration.h"

namespace huygens::webhook {

// The item of /readyz for one configuration. NotFound: no API server asks this webhook, which is worth knowing.
// PermissionDenied: nobody can say. Another error: it was never read. `served`: PEM, the server's own certificate
// first.
observe::Readiness::Item JudgeCaBundles(const std::string& name, const StatusOr<wire::WebhookConfiguration>& read,
                                        std::string_view served, Time now);

class CaBundles {
 public:
  // All outlive it, and `served` can be called whenever Describe can, and after a look.
  struct Environment {
    kube::CallPool& calls;
    const Clock& clock;
    observe::Log& log;
    std::function<void(Duration, std::function<void()>)> after;
    std::function<std::string_view()> served;  // empty: plain HTTP, which no API server calls
  };

  CaBundles(const std::vector<std::string>& configurations, Environment environment);

  // Looks from now on.
  void Start() { Look(); }
  std::vector<observe::Readiness::Item> Describe() const;

 private:
  struct Configuration {
    std::string name;
    StatusOr<wire::WebhookConfiguration> read = Unavailable("not read yet");
    std::string logged;
  };

  void Look();
  void Take(std::vector<StatusOr<wire::WebhookConfiguration>> read);
  // What became of it since.
  void Log();

  std::vector<Configuration> configurations_;
  const Environment environment_;
};

}  // namespace huygens::webhook
