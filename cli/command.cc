#include "cli/command.h"

#include <cstdio>

namespace huygens::cli {

int UsageError(std::string_view name, std::string_view message) {
  std::fprintf(stderr, "huygens %.*s: %.*s\n", static_cast<int>(name.size()), name.data(),
               static_cast<int>(message.size()), message.data());
  return kUsage;
}

}  // namespace huygens::cli
