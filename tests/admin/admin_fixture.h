// An admin server over a decision core that the test fills, and a client of it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/admin.h"
#include "admin/debug_pages.h"
#include "net/client.h"
#include "observe/metrics.h"
#include "tests/base/clock.h"
#include "tests/net/fixture.h"

namespace huygens::admin {

inline std::shared_ptr<cluster::Pod> MakePod(const std::string& name, int64_t milli_cpus, const std::string& node) {
  auto pod = std::make_shared<cluster::Pod>();
  pod->name = name;
  pod->namespace_name = "default";
  pod->uid = Concat("uid-", name);
  pod->node_name = node;
  pod->containers.push_back({"app", {{kCpu, milli_cpus}, {kMemory, int64_t{1} << 30}}, {{kCpu, milli_cpus}}, false});
  return pod;
}

class AdminTest : public testing::Test {
 protected:
  void AddNode(const std::string& name) {
    placement_->Apply(
        cluster::NodeSet{{.name = name, .uid = "", .allocatable = {{kCpu, 15500}, {kMemory, int64_t{64} << 30}}}});
  }
  void AddTopology(const std::string& name, const std::vector<int64_t>& milli_cpus) {
    cluster::NodeTopology topology{.node_name = name, .pinned_by_agent = true};
    for (int64_t milli : milli_cpus) {
      int id = static_cast<int>(topology.zones.size());
      cluster::Zone zone{.id = id, .name = Concat("node", std::to_string(id))};
      zone.capacity = zone.allocatable = {{kCpu, milli}};
      topology.zones.push_back(std::move(zone));
    }
    placement_->Apply(cluster::TopologySet{std::move(topology)});
  }

  // The decision loop runs on its own thread unless `hung`.
  void Start(bool hung = false, Duration patience = std::chrono::seconds(20)) {
    AdminSources sources{
        .decision = decision_.loop,
        .render_metrics = [this] { return metrics_.Render(); },
        .readiness =
            [this](bool verbose) {
              asked_verbosely_ = verbose;
              return readiness_;
            },
        .refresh_metrics = refresh_,
        .authorize = authorize_,
        .pages = std::make_unique<DebugPages>(DebugSources{.decision = decision_.loop,
                                                           .placement = *placement_,
                                                           .resources = resources_,
                                                           .decisions = ring_,
                                                           .pods = pods_,
                                                           .clock = clock_,
                                                           .not_heard_of = [this] { return not_heard_of_; }})};
    auto admin =
        Admin::Start(std::move(sources), {.address = address_, .allow_plain_http = true, .patience = patience});
    ASSERT_TRUE(admin.ok()) << admin.status();
    admin_ = *std::move(admin);
    if (!hung) decision_.Run();
    client_ = *net::Client::Create({.base_url = Concat("http://127.0.0.1:", std::to_string(admin_->port()))});
  }

  net::HttpReply Call(std::string_view method, std::string_view path) {
    auto reply = client_->Call(method, path, "", {}, std::chrono::seconds(20));
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? *reply : net::HttpReply{};
  }
  net::HttpReply Get(std::string_view path) { return Call("GET", path); }

  std::string address_ = "127.0.0.1:0";
  test::ManualClock clock_{*ParseRfc3339("2026-11-21T12:00:00Z")};
  ResourceNames resources_;
  std::unique_ptr<placement::Placement> placement_ = *placement::Placement::Create({});
  observe::Metrics metrics_{{.version = "1.2.3", .reject_reasons = {}}};
  observe::DecisionRing ring_;
  RecentPods pods_{resources_, 10};
  observe::Readiness readiness_;
  std::vector<admin_api::NotHeardOf> not_heard_of_;
  std::optional<bool> asked_verbosely_;
  std::function<void()> refresh_;
  std::function<void(std::string, std::string, TokenAccess::Done)> authorize_;
  net::testing::LoopThread decision_;
  std::unique_ptr<Admin> admin_;  // goes before the loop that it asks
  std::unique_ptr<net::Client> client_;

  void TearDown() override {
    decision_.Join();
    admin_.reset();
  }
};

}  // namespace huygens::admin
