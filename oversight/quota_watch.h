// What operators are told of budgets in numbers: the gauges of business groups. Decision thread only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "observe/log.h"
#include "observe/metrics.h"
#include "placement/placement.h"

namespace huygens::oversight {

class QuotaWatch {
 public:
  // `groups`: whose figures are shown; "*" among them stands for all.
  QuotaWatch(const placement::Placement& placement, observe::Metrics& metrics, observe::Log& log,
             const std::vector<std::string>& groups);

  void RefreshMetrics();

 private:
  void CountStates(const quota::Tree& tree);
  void TellOfMissing(const quota::Tree& tree);

  const placement::Placement& placement_;
  observe::Metrics& metrics_;
  observe::Log& log_;
  const std::set<std::string> groups_;
  bool told_ = false;  // of groups that are asked for and not there
  // As of this revision of the tree: a scrape asks no group whose standing cannot have changed.
  std::optional<uint64_t> counted_;
  std::map<std::string_view, size_t> states_;
};

}  // namespace huygens::oversight
