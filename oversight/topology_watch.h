// What operators are told of nodes that lost their topology object: log lines, an Event on each such Node, the item of
// /readyz?verbose and the gauge. Decision thread only.
#pragma once

#include <functional>
#include <optional>

#include "admin/core_context.h"
#include "observe/readiness.h"

namespace huygens::oversight {

class TopologyWatch {
 public:
  // `warn`: says it on the Node, returns at once.
  using Warn = std::function<void(const cluster::Node& node, const kube::PodWarning& warning)>;
  TopologyWatch(admin::CoreContext& context, Warn warn) : context_(context), warn_(std::move(warn)) {}

  // `now`: of a clock that never jumps. Gives up what was lost too long ago.
  void EverySecond(Duration now);
  void RefreshMetrics();
  // Nothing while no object is missing.
  std::optional<observe::Readiness::Item> Describe() const;

 private:
  std::string Names(std::span<const cluster::NodeIndex> nodes) const;

  admin::CoreContext& context_;
  const Warn warn_;
  size_t lost_ = 0;  // as last looked at
  Duration longest_{};
};

}  // namespace huygens::oversight
