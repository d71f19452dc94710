// version.Info of k8s.io/apimachinery, as GET /version of an API server answers. Safe on any thread.
#pragma once

#include <compare>
#include <string_view>

#include "base/status.h"

namespace huygens::wire {

struct ServerVersion {
  int major = 0;
  int minor = 0;
  friend auto operator<=>(const ServerVersion&, const ServerVersion&) = default;
};

// Fails if either number is missing. What providers write behind them is left out: minor is "31+" in some clusters.
StatusOr<ServerVersion> DecodeServerVersion(std::string_view json);

}  // namespace huygens::wire
