#include "extender/quota_watch.h"

#include <algorithm>
#include <utility>

#include "extender/quota_json.h"

namespace huygens::extender {

QuotaWatch::QuotaWatch(const placement::Placement& placement, observe::Metrics& metrics,
                       std::vector<std::string> groups)
    : placement_(placement), metrics_(metrics), groups_(std::move(groups)) {}

bool QuotaWatch::Shows(const std::string& group) const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [&](const std::string& shown) { return shown == "*" || shown == group; });
}

void QuotaWatch::RefreshMetrics() {
  if (!placement_.quota()) return;
  const quota::Tree& tree = placement_.quota()->tree();
  std::vector<std::pair<std::string_view, size_t>> states;
  for (std::string_view state : observe::kQuotaGroupStates) states.emplace_back(state, 0);
  std::vector<observe::QuotaFigures> figures;
  for (const auto& [name, group] : tree.groups()) {
    const std::string_view state = StateOf(tree.Standing(name));
    for (auto& [each, count] : states) count += each == state;
    if (!group.object || !Shows(name)) continue;
    for (const auto& [key, hard] : group.object->hard) {
      observe::QuotaFigures& shown = figures.emplace_back(observe::QuotaFigures{name, key, Approximate(hard), {}});
      if (const Quantity* used = group.UsedOf(key)) shown.used = Approximate(*used);
    }
  }
  for (const auto& [state, count] : states) metrics_.SetQuotaGroups(state, count);
  metrics_.SetQuotas(std::move(figures));
}

}  // namespace huygens::extender
