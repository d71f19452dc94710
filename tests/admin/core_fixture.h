// A decision core of nodes and pods that the test adds, at a time that the test sets.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "admin/core_context.h"
#include "net/event_loop.h"
#include "tests/base/clock.h"
#include "tests/cluster/build.h"
#include "tests/observe/captured_log.h"

namespace huygens::admin {

class CoreTest : public testing::Test {
 protected:
  // All kinds have been listed.
  explicit CoreTest(placement::Options options = {}) : placement_(Create(std::move(options))) {
    for (cluster::Kind kind : cluster::kKinds) {
      placement_->Apply(cluster::ListBegin{kind});
      placement_->Apply(cluster::ListEnd{kind});
    }
  }

  std::unique_ptr<placement::Placement> Create(placement::Options options) const {
    options.resource_names = &resources_;
    return *placement::Placement::Create(std::move(options));
  }

  // A managed node with zones of so many whole CPUs each.
  void AddNode(const std::string& name, const std::vector<int>& zone_cpus) {
    placement_->Apply(cluster::NodeSet{{.name = name, .uid = Concat("uid-", name)}});
    cluster::NodeTopology topology{.node_name = name, .pinned_by_agent = true};
    for (int cpus : zone_cpus) {
      int id = static_cast<int>(topology.zones.size());
      cluster::Zone zone{.id = id, .name = Concat("node", std::to_string(id))};
      zone.capacity = zone.allocatable = {{kCpu, cpus * 1000}};
      topology.zones.push_back(std::move(zone));
    }
    placement_->Apply(cluster::TopologySet{std::move(topology)});
  }
  // A pending pod that the watch has shown, which asks one zone for so many whole CPUs.
  std::shared_ptr<cluster::Pod> AddPod(const std::string& name, int cpus) {
    auto pod = test::NamedPod(name, {{kCpu, cpus * 1000}});
    pod->topology_awareness = true;
    placement_->Apply(cluster::PodSet{pod});
    return pod;
  }

  test::ManualClock clock_{*ParseRfc3339("2026-11-21T12:00:00Z")};
  net::EventLoop loop_;
  observe::CapturedLog captured_;
  observe::Log& log_ = captured_.log;
  observe::Metrics metrics_{{.version = "test", .reject_reasons = {}}};
  ResourceNames resources_;
  std::unique_ptr<placement::Placement> placement_;
  std::string not_ready_;
  std::vector<std::string> warned_;  // by core_
  CoreContext core_{*placement_,
                    clock_,
                    log_,
                    metrics_,
                    [this] { return not_ready_; },
                    [this](const cluster::Pod& pod, const kube::PodWarning& warning) {
                      warned_.push_back(Concat(pod.Key(), ": ", warning.reason, ": ", warning.message));
                    }};
};

}  // namespace huygens::admin
