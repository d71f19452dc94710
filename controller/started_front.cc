#include "controller/started_front.h"

#include <utility>

namespace huygens::controller {

StatusOr<std::unique_ptr<metrics_front::Front>> StartFront(const settings::MetricsFrontConfiguration& configuration,
                                                           const net::ClientOptions& api_server,
                                                           const std::string& identity,
                                                           metrics_front::Front::Environment environment) {
  if (!configuration.enabled) return std::unique_ptr<metrics_front::Front>();
  net::ClientOptions upstream{.base_url = configuration.upstream, .ca_file = configuration.upstream_ca_file};
  upstream.bearer_token_file = configuration.token_file;
  upstream.insecure_skip_tls_verify = configuration.upstream_skip_verify;
  metrics_front::ControllerOptions controller;
  controller.tolerance = static_cast<double>(configuration.tolerance) / 1'000'000;
  controller.cpu_initialization = configuration.cpu_initialization;
  controller.initial_readiness_delay = configuration.initial_readiness_delay;
  auto front =
      std::make_unique<metrics_front::Front>(metrics_front::FrontOptions{.api_server = api_server,
                                                                         .upstream = std::move(upstream),
                                                                         .autoscalers = configuration.autoscalers,
                                                                         .controller = controller,
                                                                         .instance = identity},
                                             environment);
  HUYGENS_RETURN_IF_ERROR(Annotate(front->Start(), "controller.metricsFront"));
  return front;
}

}  // namespace huygens::controller
