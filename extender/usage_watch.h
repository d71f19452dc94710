// What operators are told of real use beyond /debug: the log line when the check steps aside or comes back, the item of
// /readyz?verbose, and the metrics, among them the counts of nodes. Decision thread only.
#pragma once

#include <optional>

#include "extender/context.h"
#include "extender/readiness.h"

namespace huygens::extender {

class UsageWatch {
 public:
  explicit UsageWatch(Context& context) : context_(context) {}

  void EverySecond();
  void RefreshMetrics();
  // Nothing where nobody looks at usage.
  std::optional<Readiness::Item> Describe() const;

 private:
  Context& context_;
  usage::ResourceMask aside_;  // as last logged
};

}  // namespace huygens::extender
