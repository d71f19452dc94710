// Applies what the watches show to the decision core, and tells what of objects is ignored since nobody understands it.
// Decision thread only.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "admin/node_faults.h"
#include "extender/context.h"
#include "informer/watch_event_queue.h"
#include "kube/known_faults.h"

namespace huygens::extender {

// The kinds that the checks and terms of this decision core ask about.
std::vector<cluster::Kind> KindsToFollow(const placement::Placement& placement);

class ClusterUpdates final : public informer::WatchEventHandler {
 public:
  explicit ClusterUpdates(Context& context) : context_(context) {}

  void Apply(cluster::Kind kind, const cluster::WatchEvent& event) override;
  bool Sweep(cluster::Kind kind, size_t limit) override { return context_.placement.Sweep(kind, limit); }
  void WatchChanged(const kube::WatchReport& report) override;
  void ObjectFault(cluster::Kind kind, std::string_view object, std::string_view fault, bool in_use) override;

  // What of Nodes is ignored.
  admin::NodeFaults& node_faults() { return node_faults_; }

 private:
  // As a fault of the object, though it is in use.
  void ReportUnknownSettings(const cluster::WatchEvent& event);
  void ReportUnknownSetting(cluster::Kind kind, std::string_view object, std::string_view fault);

  Context& context_;
  std::array<kube::WatchReport, cluster::kKindCount> watches_;  // as last reported
  std::array<kube::KnownFaults, cluster::kKindCount> unknown_settings_;
  admin::NodeFaults node_faults_;
};

}  // namespace huygens::extender
