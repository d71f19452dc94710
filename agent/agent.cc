#include "agent/agent.h"

#include <string>
#include <utility>
#include <vector>

#include "admin/admin.h"
#include "agent/node_facts.h"
#include "agent/parts.h"
#include "base/commit.h"
#include "base/text.h"
#include "observe/instruments.h"
#include "settings/service_options.h"

namespace huygens::agent {
namespace {

class Agent final : public admin::RunningService {
 public:
  Agent(const AgentConfiguration& configuration, net::EventLoop& loop, observe::Log& log, const Clock& clock)
      : configuration_(configuration), loop_(loop), log_(log), clock_(clock) {}
  ~Agent() override {
    admin_.reset();
    StopParts();
  }

  Status Start(const kube::Environment& environment) {
    if (configuration_.node_name.empty()) configuration_.node_name = environment("NODE_NAME");
    if (configuration_.node_name.empty())
      return Invalid("nodeName: is not given, and the environment has no NODE_NAME (fieldRef: spec.nodeName)");
    if (configuration_.kubelet.url.empty()) {
      const std::string host = environment("HOST_IP");
      if (host.empty())
        return Invalid("kubelet.url: is not given, and the environment has no HOST_IP (fieldRef: status.hostIP)");
      const bool v6 = host.find(':') != std::string::npos;
      configuration_.kubelet.url = Concat("https://", v6 ? "[" : "", host, v6 ? "]" : "", ":10250");
    }
    HUYGENS_ASSIGN_OR_RETURN(api_server_, settings::ApiServer(configuration_.kubernetes, log_));
    metrics_
        .MakeGauge("huygens_build_info", "Always 1; the labels say what runs.",
                   {{"commit", std::string(Commit())}, {"version", HUYGENS_VERSION}})
        .Set(1);
    parts_ = MakeParts({.configuration = configuration_,
                        .node_name = configuration_.node_name,
                        .api_server = api_server_,
                        .facts = facts_,
                        .loop = loop_,
                        .log = log_,
                        .clock = clock_,
                        .metrics = metrics_});
    for (const auto& part : parts_) HUYGENS_RETURN_IF_ERROR(part->Start());
    return StartAdmin();
  }

  uint16_t port() const override { return 0; }
  uint16_t admin_port() const override { return admin_->port(); }
  // Nobody calls it, and containers stay as they are: nothing is to be waited for.
  void Drain(std::function<void()> done) override {
    StopParts();
    done();
  }
  void EndLameDuck() override {}

 private:
  Status StartAdmin() {
    admin::AdminSources sources{.decision = loop_,
                                .render_metrics = [this] { return metrics_.Render(); },
                                .readiness = [this](bool) { return Describe(); },
                                .refresh_metrics = [this] { RefreshMetrics(); }};
    HUYGENS_ASSIGN_OR_RETURN(
        admin_, admin::Admin::Start(std::move(sources), {.address = configuration_.admin_address,
                                                         .allow_plain_http = configuration_.allow_plain_http_admin,
                                                         .observers = {}}));
    log_.Info("serving", {{"admin", Concat("port ", std::to_string(admin_->port()))},
                          {"node", configuration_.node_name},
                          {"version", HUYGENS_VERSION},
                          {"commit", Commit()}});
    return absl::OkStatus();
  }
  void StopParts() {
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) (*part)->Stop();
  }
  observe::Readiness Describe() const {
    observe::Readiness readiness;
    for (const auto& part : parts_) part->Describe(readiness);
    return readiness;
  }
  void RefreshMetrics() {
    for (const auto& part : parts_) part->RefreshMetrics();
  }

  AgentConfiguration configuration_;
  net::EventLoop& loop_;
  observe::Log& log_;
  const Clock& clock_;
  observe::Instruments metrics_;
  net::ClientOptions api_server_;
  NodeFacts facts_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::unique_ptr<admin::Admin> admin_;
};

}  // namespace

StatusOr<std::unique_ptr<admin::RunningService>> StartAgent(const AgentConfiguration& configuration,
                                                            net::EventLoop& loop, observe::Log& log, const Clock& clock,
                                                            const kube::Environment& environment) {
  auto agent = std::make_unique<Agent>(configuration, loop, log, clock);
  HUYGENS_RETURN_IF_ERROR(agent->Start(environment));
  return std::unique_ptr<admin::RunningService>(std::move(agent));
}

}  // namespace huygens::agent
