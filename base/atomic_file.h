// Replaces a file so that readers, and a crash or a full disk in the middle, see either the old content or the new.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens {

// The file is on disk when this returns ok; after an error it is as it was, and nothing is left behind. `mode`: who may
// read it, less what the process' umask takes away.
Status WriteFileAtomically(const std::string& path, std::string_view content, unsigned mode = 0644);

}  // namespace huygens
