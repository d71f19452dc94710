// One line of a WATCH answer. The object stays undecoded, a view into the line. Safe on any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "wire/api_status.h"

namespace huygens::wire {

enum class WatchType : uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };

struct WatchLine {
  WatchType type = WatchType::kError;
  std::string_view object;
  std::string resource_version;  // of the object, or where a bookmark stands; empty for kError
  ApiStatus error;               // filled for kError
};

// Fails on a line that is not JSON, has an unknown type, or no object.
StatusOr<WatchLine> DecodeWatchLine(std::string_view line);

}  // namespace huygens::wire
