// The front of the metrics API (metrics_front/front.h) as the configuration wants it. Every instance serves it, whoever
// leads.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "metrics_front/front.h"
#include "net/client.h"
#include "settings/configuration.h"

namespace huygens::controller {

// Null where it is off. `identity`: which of the instances this is. What `environment` refers to must outlive it. Errors say which setting cannot be used.
StatusOr<std::unique_ptr<metrics_front::Front>> StartFront(const settings::MetricsFrontConfiguration& configuration,
                                                           const net::ClientOptions& api_server,
                                                           const std::string& identity,
                                                           metrics_front::Front::Environment environment);

}  // namespace huygens::controller
