#include "oversight/quota_watch.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "admin/quota_json.h"

namespace huygens::oversight {

namespace {

void AppendFigures(std::string_view name, const quota::Group& group, std::vector<observe::QuotaFigures>& figures) {
  for (const auto& [key, hard] : group.object->hard) {
    auto& shown = figures.emplace_back(observe::QuotaFigures{std::string(name), key, admin::Approximate(hard), {}});
    if (const Quantity* used = group.UsedOf(key)) shown.used = admin::Approximate(*used);
  }
}

}  // namespace

QuotaWatch::QuotaWatch(const placement::Placement& placement, observe::Metrics& metrics, observe::Log& log,
                       const std::vector<std::string>& groups)
    : placement_(placement), metrics_(metrics), log_(log), groups_(groups.begin(), groups.end()) {}

void QuotaWatch::CountStates(const quota::Tree& tree) {
  for (std::string_view state : observe::kQuotaGroupStates) states_[state] = 0;
  for (const auto& [name, group] : tree.groups()) ++states_[admin::StateOf(tree.Standing(name))];
  counted_ = tree.revision();
}

void QuotaWatch::TellOfMissing(const quota::Tree& tree) {
  std::vector<std::string> missing;
  for (const std::string& name : groups_) {
    if (!tree.Find(name)) missing.push_back(name);
  }
  if (missing.empty()) return;
  log_.Warn("quota.metricGroups names groups that do not exist; huygens_quota_hard and huygens_quota_used lack them",
            {{"groups", absl::StrJoin(missing, ",")}});
}

void QuotaWatch::RefreshMetrics() {
  if (!placement_.quota()) return;
  const quota::Tree& tree = placement_.quota()->tree();
  if (counted_ != tree.revision()) CountStates(tree);
  for (const auto& [state, count] : states_) metrics_.SetQuotaGroups(state, count);
  std::vector<observe::QuotaFigures> figures;
  if (groups_.contains("*")) {
    for (const auto& [name, group] : tree.groups()) {
      if (group.object) AppendFigures(name, group, figures);
    }
  } else {
    const bool all_known = placement_.state().Synced(cluster::Kind::kBizGroupQuota);
    if (all_known && !std::exchange(told_, true)) TellOfMissing(tree);
    for (const std::string& name : groups_) {
      if (const quota::Group* group = tree.Find(name)) AppendFigures(name, *group, figures);
    }
  }
  metrics_.SetQuotas(std::move(figures));
}

}  // namespace huygens::oversight
