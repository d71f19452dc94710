#include "reports/not_heard_of.h"

#include <algorithm>

#include "base/text.h"

namespace huygens::reports {

std::string NotHeardText(const std::vector<admin_api::NotHeardOf>& kinds) {
  if (kinds.empty()) return "";
  std::string names;
  for (size_t i = 0; i < kinds.size(); ++i) {
    names += Concat(i == 0 ? "" : i + 1 == kinds.size() ? " and " : ", ", kinds[i].kind);
  }
  // Most have the same cause, and the one that is longest gone says best how old a figure may be.
  const auto& oldest = *std::ranges::max_element(kinds, {}, &admin_api::NotHeardOf::seconds);
  return Concat("! huygens has not heard of ", names, " for ", std::to_string(oldest.seconds), " s",
                oldest.why.empty() ? std::string() : Concat(" (", oldest.why, ")"),
                ": what follows is that old, and decisions go by it, too.\n");
}

}  // namespace huygens::reports
