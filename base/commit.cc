#include "base/commit.h"

namespace huygens {

std::string_view Commit() {
  constexpr std::string_view kGiven = HUYGENS_COMMIT;
  return kGiven.empty() ? "unknown" : kGiven;
}

}  // namespace huygens
