// Recorded series are compressed files. Blocking; any thread.
#pragma once

#include <string>

#include "base/status.h"

namespace huygens::replay {

// All of a gzip file, or of one that is not compressed. Errors name it.
StatusOr<std::string> ReadGzip(const std::string& path);

}  // namespace huygens::replay
