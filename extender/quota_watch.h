// What operators are told of budgets in numbers: the gauges of business groups. Decision thread only.
#pragma once

#include <string>
#include <vector>

#include "observe/metrics.h"
#include "placement/placement.h"

namespace huygens::extender {

class QuotaWatch {
 public:
  // `groups`: whose figures are shown; "*" among them stands for all.
  QuotaWatch(const placement::Placement& placement, observe::Metrics& metrics, std::vector<std::string> groups);

  void RefreshMetrics();

 private:
  bool Shows(const std::string& group) const;

  const placement::Placement& placement_;
  observe::Metrics& metrics_;
  const std::vector<std::string> groups_;
};

}  // namespace huygens::extender
