// The reconcilers of `huygens controller`, and what all of them are given.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admin/pages.h"
#include "base/time.h"
#include "controller/cluster_view.h"
#include "net/client.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "reconcile/leader_calls.h"
#include "reconcile/reconciler.h"
#include "settings/configuration.h"

namespace huygens::controller {

// Outlives the reconcilers.
struct Surroundings {
  const settings::Configuration& configuration;
  const std::string& identity;           // of this instance
  const net::ClientOptions& api_server;  // for whoever follows kinds of its own (informer::Reflectors)
  net::EventLoop& loop;
  observe::Log& log;
  observe::Metrics& metrics;
  const Clock& clock;
  ClusterView& cluster;
  reconcile::LeaderCalls& calls;
  std::unique_ptr<const admin::Pages>& pages;  // below /debug; where a reconciler has some
};

// Their names, as the metrics have them.
inline constexpr std::string_view kReconcilerNames[] = {
    "quota",    "transfers",  "certificates", "realCapacity", "recommendations", "usageScan", "recommendationTemplates",
    "resizing", "ruleStatus", "ruleHistory",  "ruleRepairs",  "rulePolicies"};

std::vector<std::unique_ptr<reconcile::Reconciler>> MakeReconcilers(const Surroundings& surroundings);

}  // namespace huygens::controller
