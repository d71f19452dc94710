#include "rescheduler/options.h"

#include <utility>

namespace huygens::rescheduler {

StatusOr<rescheduling::LimitOptions> LimitOptionsOf(const settings::ReschedulerConfiguration& configuration) {
  rescheduling::LimitOptions limits;
  const auto count = [](int64_t value) { return static_cast<size_t>(value); };
  limits.in_flight_cluster = count(configuration.in_flight.cluster);
  limits.in_flight_source = count(configuration.in_flight.source);
  limits.in_flight_target = count(configuration.in_flight.target);
  limits.in_flight_namespace = count(configuration.in_flight.namespaces);
  limits.in_flight_group = count(configuration.in_flight.group);
  limits.hour_cluster = count(configuration.per_hour.cluster);
  limits.hour_node = count(configuration.per_hour.node);
  limits.hour_group = count(configuration.per_hour.group);
  limits.workload_share = configuration.workload_share;
  limits.pod_cool_down = configuration.pod_cool_down;
  limits.node_cool_down = configuration.node_cool_down;
  limits.allow_singletons = configuration.allow_singletons;
  for (const std::string& text : configuration.freezes) {
    auto window = rescheduling::ParseFreezeWindow(text);
    if (!window.ok()) return Annotate(window.status(), Concat("rescheduler.freezes: \"", text, "\""));
    limits.freezes.push_back(*std::move(window));
  }
  return limits;
}

rescheduling::NeverOptions NeverOptionsOf(const settings::ReschedulerConfiguration& configuration) {
  return {.allow_jobs = configuration.allow_jobs,
          .youngest = configuration.minimum_age,
          .least_history = configuration.minimum_history};
}

moves::Patience PatienceOf(const settings::ReschedulerConfiguration& configuration) {
  return {.settle = configuration.settle, .budget_retry = configuration.move_interval};
}

}  // namespace huygens::rescheduler
