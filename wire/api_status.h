// meta/v1 Status: what the API server answers when it refuses a call. Safe on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens::wire {

struct ApiStatus {
  bool success = false;  // status: Success
  int32_t code = 0;      // an HTTP code; 0 if it has none
  std::string reason;    // one word: "Conflict", "Expired", "AlreadyExists"
  std::string message;
  std::optional<int32_t> retry_after_seconds;
};

// Fails on anything whose kind is not Status.
StatusOr<ApiStatus> DecodeApiStatus(std::string_view json);

}  // namespace huygens::wire
