#include "oversight/usage_watch.h"

#include <gtest/gtest.h>

#include "tests/admin/core_fixture.h"
#include "usage_sources/readings_queue.h"

namespace huygens::oversight {
namespace {

placement::Options Options() {
  return {.checks = {"usage"}, .usage = {.resources = {{.name = "cpu", .ceiling = 800'000}}}};
}

class UsageWatchTest : public admin::CoreTest {
 protected:
  UsageWatchTest() : admin::CoreTest(Options()) {
    cluster::Node node{.name = "n", .uid = "u", .allocatable = {{kCpu, 10'000}}};
    placement_->Apply(cluster::NodeSet{node});
  }
  // What the node used beyond its pods in this slot.
  usage::Readings Of(int64_t slot, int64_t milli_cpus) {
    return {.slot = slot, .measured = clock_.Now(), .workloads = {}, .nodes = {{"n", milli_cpus}}};
  }
  const int64_t slot_ = usage::SlotAt(clock_.Now(), std::chrono::minutes(15));
  usage_sources::ReadingsQueue queue_{
      loop_, [this](const usage::Readings& readings) { placement_->ApplyUsage(readings, clock_.Now()); },
      [this] { return placement_->SettleUsage(4); }};
};

TEST_F(UsageWatchTest, TheCheckThatStepsAsideIsToldOfOnce) {
  UsageWatch watch(core_);
  not_ready_ = "waiting";
  watch.EverySecond();
  EXPECT_EQ(captured_.Lines().size(), 0u);
  not_ready_.clear();
  watch.EverySecond();
  watch.EverySecond();
  ASSERT_EQ(captured_.Lines().size(), 1u);
  EXPECT_NE(captured_.Lines()[0].find("steps aside"), std::string::npos) << captured_.Lines()[0];
  EXPECT_TRUE(watch.Describe()->warning);

  queue_.Deliver(Of(slot_, 9000));
  while (loop_.Poll() > 0) {
  }
  watch.EverySecond();
  ASSERT_EQ(captured_.Lines().size(), 2u);
  EXPECT_NE(captured_.Lines()[1].find("is back"), std::string::npos) << captured_.Lines()[1];
  EXPECT_FALSE(watch.Describe()->warning);
}

class ShortUsageHistoryTest : public admin::CoreTest {
 protected:
  static placement::Options Waiting() {
    placement::Options options = Options();
    options.usage.min_history = std::chrono::hours(2);
    return options;
  }
  ShortUsageHistoryTest() : admin::CoreTest(Waiting()) {
    placement_->Apply(cluster::NodeSet{cluster::Node{.name = "n", .uid = "u", .allocatable = {{kCpu, 10'000}}}});
  }
  void Measure(int64_t slots) {
    const int64_t open = usage::SlotAt(clock_.Now(), std::chrono::minutes(15));
    for (int64_t slot = open - slots + 1; slot <= open; ++slot) {
      placement_->ApplyUsage({.slot = slot, .measured = clock_.Now(), .workloads = {}, .nodes = {{"n", 9000}}},
                             clock_.Now());
    }
    while (placement_->SettleUsage(100)) {
    }
  }
  size_t Feasible() {
    cluster::Pod pod{.name = "p", .namespace_name = "s"};
    const std::string_view names[] = {"n"};
    return placement_->Filter(pod, names, clock_.Now()).feasible.size();
  }
};

TEST_F(ShortUsageHistoryTest, RefusesNothingAndSaysSo) {
  observe::Metrics metrics({.version = "test", .reject_reasons = {}, .usage_resources = {"cpu"}});
  admin::CoreContext core{*placement_, clock_, log_, metrics, [] { return std::string(); }, nullptr};
  UsageWatch watch(core);
  const auto shows = [&](std::string_view line) {
    watch.RefreshMetrics();
    return metrics.Render().find(line) != std::string::npos;
  };
  Measure(7);
  EXPECT_EQ(Feasible(), 1u) << "a node at 9 of 10 CPUs";
  watch.EverySecond();
  watch.EverySecond();
  ASSERT_EQ(captured_.Lines().size(), 1u);
  EXPECT_NE(captured_.Lines()[0].find("refuses nothing yet"), std::string::npos) << captured_.Lines()[0];
  EXPECT_TRUE(watch.Describe()->warning);
  EXPECT_NE(watch.Describe()->detail.find("refuses nothing yet for cpu: 105m of 2h of history (usage.minHistory)"),
            std::string::npos)
      << watch.Describe()->detail;
  EXPECT_TRUE(shows("huygens_usage_check_reports_only{resource=\"cpu\"} 1\n"));
  EXPECT_TRUE(shows("huygens_usage_history_seconds{resource=\"cpu\"} 6300\n"));
  Measure(8);
  EXPECT_EQ(Feasible(), 0u);
  watch.EverySecond();
  ASSERT_EQ(captured_.Lines().size(), 2u);
  EXPECT_FALSE(watch.Describe()->warning);
  EXPECT_TRUE(shows("huygens_usage_check_reports_only{resource=\"cpu\"} 0\n"));
}

TEST_F(UsageWatchTest, MetricsShowAgeStateAndHotNodes) {
  observe::Metrics metrics({.version = "test", .reject_reasons = {}, .usage_resources = {"cpu"}});
  admin::CoreContext core{*placement_, clock_, log_, metrics, [] { return std::string(); }, nullptr};
  UsageWatch watch(core);
  auto shows = [&](std::string_view line) { return metrics.Render().find(line) != std::string::npos; };
  watch.RefreshMetrics();
  EXPECT_TRUE(shows("huygens_usage_age_seconds{resource=\"cpu\"} +Inf\n")) << metrics.Render();
  EXPECT_TRUE(shows("huygens_nodes{topology=\"none\",usage=\"absent\"} 1\n"));
  EXPECT_TRUE(shows("huygens_usage_check_steps_aside 1\n"));

  queue_.Deliver(Of(slot_ - 10, 9000));
  queue_.Deliver(Of(slot_, 1000));
  while (loop_.Poll() > 0) {
  }
  clock_.Advance(std::chrono::minutes(2));
  watch.RefreshMetrics();
  EXPECT_TRUE(shows("huygens_usage_age_seconds{resource=\"cpu\"} 120\n"));
  EXPECT_TRUE(shows("huygens_nodes{topology=\"none\",usage=\"fresh\"} 1\n"));
  EXPECT_TRUE(shows("huygens_usage_stale_share 0\n"));
  EXPECT_TRUE(shows("huygens_usage_check_steps_aside 0\n"));
  EXPECT_TRUE(shows("huygens_usage_hot_nodes{resource=\"cpu\",when=\"peak\"} 1\n"));
  EXPECT_TRUE(shows("huygens_usage_hot_nodes{resource=\"cpu\",when=\"now\"} 0\n"));

  auto greedy = std::make_shared<cluster::Pod>();
  greedy->uid = greedy->name = "greedy";
  greedy->node_name = "n";
  greedy->containers.push_back({.name = "c", .requests = {{kCpu, 20'000}}});
  placement_->Apply(cluster::PodSet{greedy});
  watch.RefreshMetrics();
  EXPECT_TRUE(shows("huygens_usage_hot_nodes{resource=\"cpu\",when=\"now\"} 0\n")) << "an estimate is no use";
  queue_.Deliver(Of(slot_, 9500));
  while (loop_.Poll() > 0) {
  }
  watch.RefreshMetrics();
  EXPECT_TRUE(shows("huygens_usage_hot_nodes{resource=\"cpu\",when=\"now\"} 1\n"));
  clock_.Advance(std::chrono::hours(1));
  watch.RefreshMetrics();
  EXPECT_TRUE(shows("huygens_usage_hot_nodes{resource=\"cpu\",when=\"now\"} 0\n")) << "not fresh";
  EXPECT_TRUE(shows("huygens_usage_hot_nodes{resource=\"cpu\",when=\"peak\"} 1\n")) << "curves hold";
  clock_.Advance(-std::chrono::hours(10));
  watch.RefreshMetrics();
  EXPECT_TRUE(shows("huygens_usage_age_seconds{resource=\"cpu\"} 32400\n")) << "measured by a clock that was wrong";
}

}  // namespace
}  // namespace huygens::oversight
