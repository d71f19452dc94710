// What operators are told of real use beyond /debug: the log lines when the check steps aside or comes back, and when
// it only reports since too little was measured; the item of /readyz?verbose, and the metrics, among them the counts of
// nodes. Decision thread only.
#pragma once

#include <optional>

#include "admin/core_context.h"
#include "observe/readiness.h"

namespace huygens::oversight {

class UsageWatch {
 public:
  explicit UsageWatch(admin::CoreContext& context) : context_(context) {}

  void EverySecond();
  void RefreshMetrics();
  // Nothing where nobody looks at usage.
  std::optional<observe::Readiness::Item> Describe() const;

 private:
  void TellOfHistory(const usage::Account& usage);

  admin::CoreContext& context_;
  usage::ResourceMask aside_;  // as last logged
  usage::ResourceMask short_;  // likewise
  bool displaced_ = false;     // likewise
};

}  // namespace huygens::oversight
