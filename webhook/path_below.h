// Where a webhook of this service is asked. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace huygens::webhook {

// "/validate".
inline std::string PathBelow(std::string_view prefix, std::string_view path) {
  return Concat(prefix, prefix.ends_with('/') ? "" : "/", path);
}

}  // namespace huygens::webhook
