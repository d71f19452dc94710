#include "extender/quota_watch.h"

#include <algorithm>
#include <set>
#include <utility>

#include "extender/quota_json.h"

namespace huygens::extender {

namespace {

void AppendFigures(std::string_view name, const quota::Group& group, std::vector<observe::QuotaFigures>& figures) {
  for (const auto& [key, hard] : group.object->hard) {
    auto& shown = figures.emplace_back(observe::QuotaFigures{std::string(name), key, Approximate(hard), {}});
    if (const Quantity* used = group.UsedOf(key)) shown.used = Approximate(*used);
  }
}

}  // namespace

QuotaWatch::QuotaWatch(const placement::Placement& placement, observe::Metrics& metrics,
                       std::vector<std::string> groups)
    : placement_(placement), metrics_(metrics), groups_(std::move(groups)) {}

void QuotaWatch::CountStates(const quota::Tree& tree) {
  for (std::string_view state : observe::kQuotaGroupStates) states_[state] = 0;
  for (const auto& [name, group] : tree.groups()) ++states_[StateOf(tree.Standing(name))];
  counted_ = tree.revision();
}

void QuotaWatch::RefreshMetrics() {
  if (!placement_.quota()) return;
  const quota::Tree& tree = placement_.quota()->tree();
  if (counted_ != tree.revision()) CountStates(tree);
  for (const auto& [state, count] : states_) metrics_.SetQuotaGroups(state, count);
  std::vector<observe::QuotaFigures> figures;
  if (std::find(groups_.begin(), groups_.end(), "*") != groups_.end()) {
    for (const auto& [name, group] : tree.groups()) {
      if (group.object) AppendFigures(name, group, figures);
    }
  } else {
    for (const std::string& name : std::set<std::string>(groups_.begin(), groups_.end())) {
      if (const quota::Group* group = tree.Find(name)) AppendFigures(name, *group, figures);
    }
  }
  metrics_.SetQuotas(std::move(figures));
}

}  // namespace huygens::extender
