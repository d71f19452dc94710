#include "policy/usage_check.h"

#include <gtest/gtest.h>

#include "tests/base/clock.h"
#include "tests/cluster/build.h"

namespace huygens::policy {
namespace {

using test::kNow;

std::shared_ptr<cluster::Pod> PodOf(const std::string& name, int64_t milli_cpus) {
  return test::NamedPod(name, {{kCpu, milli_cpus}});
}

// Node 0 has 10 CPUs, of which a pod uses 6; node 1 has 10, of which none is used. Both may be used to 80%.
class UsageCheckTest : public testing::Test {
 protected:
  explicit UsageCheckTest(usage::WhenUnknown when_stale = usage::WhenUnknown::kUseRequests)
      : usage_({.resources = {{.name = "cpu", .ceiling = 800'000, .when_stale = when_stale}}}) {
    for (NodeIndex i : {0, 1}) {
      cluster::Node node;
      node.name = "node-" + std::to_string(i);
      node.allocatable = {{kCpu, 10'000}};
      usage_.NodeObjectChanged(i, &node);
    }
    Measure("busy", 6000, {"node-0", "node-1"});
    usage_.Place({PodOf("busy", 1000), 0, {}});
  }

  // What pods called `pod` used in each slot of the last week, and that these nodes were heard of.
  void Measure(const std::string& pod, int64_t milli_cpus, const std::vector<std::string>& nodes) {
    const int64_t slot = usage::SlotAt(kNow, std::chrono::minutes(15));
    for (int64_t s = slot - 671; s <= slot; ++s) {
      usage::Readings readings{.slot = s, .measured = kNow};
      readings.workloads.push_back({"default/Pod/" + pod, milli_cpus});
      for (const std::string& node : nodes) readings.nodes.push_back({node, 0});
      usage_.Apply(readings, kNow);
    }
    usage_.Settle();
  }

  std::vector<Reason> Ask(const cluster::Pod& pod, Time now = kNow) {
    PodQuery query{pod, now};
    Candidates nodes;
    nodes.Reset(std::vector<NodeIndex>{0, 1});
    UsageCheck(usage_).Ask(query, cluster::State(), nodes);
    return {nodes.reason(0), nodes.reason(1)};
  }

  using Reasons = std::vector<Reason>;
  usage::Account usage_;
};

TEST_F(UsageCheckTest, KeepsNodesAtOrUnderTheirCeiling) {
  Measure("two", 2000, {});
  EXPECT_EQ(Ask(*PodOf("two", 9000)), (Reasons{Reason::kFits, Reason::kFits}));  // exactly 80%
  Measure("more", 2001, {});
  EXPECT_EQ(Ask(*PodOf("more", 10)), (Reasons{Reason::kUsageCeiling, Reason::kFits}));
  Measure("huge", 8001, {});
  EXPECT_EQ(Ask(*PodOf("huge", 10)), (Reasons{Reason::kUsageCeilingTooLow, Reason::kUsageCeilingTooLow}));
}

TEST_F(UsageCheckTest, JudgesEachNodeOfManyAlsoWhenItIsAskedAgain) {
  constexpr NodeIndex kNodes = 40;
  Candidates nodes;
  std::vector<NodeIndex> all;
  for (NodeIndex i = 0; i < kNodes; ++i) {
    all.push_back(kNodes - 1 - i);
    if (i < 2) continue;
    cluster::Node node;
    node.name = "node-" + std::to_string(i);
    node.allocatable = {{kCpu, i % 3 == 0 ? 1000 : 10'000}};
    usage_.NodeObjectChanged(i, &node);
    Measure("two", 2000, {node.name});
  }
  const auto pod = PodOf("two", 100);
  const auto ask = [&] {
    PodQuery query{*pod, kNow};
    nodes.Reset(all);
    for (size_t i = 0; i < all.size(); i += 5) nodes.Reject(i, Reason::kUnknownNode);
    UsageCheck(usage_).Ask(query, cluster::State(), nodes);
  };
  for (const bool full : {false, false, true}) {
    if (full) usage_.Place({PodOf("busy", 1000), 4, {}});
    if (full) usage_.Place({PodOf("two", 1000), 4, {}});
    ask();
    for (size_t i = 0; i < all.size(); ++i) {
      const Reason want = i % 5 == 0                       ? Reason::kUnknownNode
                          : all[i] >= 2 && all[i] % 3 == 0 ? Reason::kUsageCeilingTooLow
                          : full && all[i] == 4            ? Reason::kUsageCeiling
                                                           : Reason::kFits;
      EXPECT_EQ(nodes.reason(i), want) << all[i];
    }
  }
}

TEST_F(UsageCheckTest, LetsPodsPassThatHaveNoChoice) {
  Measure("huge", 8001, {});
  auto pod = PodOf("huge", 10);
  pod->owned_by_daemon_set = true;
  EXPECT_EQ(Ask(*pod), (Reasons{Reason::kFits, Reason::kFits}));
  pod->owned_by_daemon_set = false;
  pod->node_name = "node-0";
  EXPECT_EQ(Ask(*pod), (Reasons{Reason::kFits, Reason::kFits}));
}

TEST_F(UsageCheckTest, StepsAsideWhereTooManyNodesAreStale) {
  Measure("huge", 8001, {});
  EXPECT_EQ(Ask(*PodOf("huge", 10), kNow + std::chrono::minutes(10))[0], Reason::kUsageCeilingTooLow);
  EXPECT_EQ(Ask(*PodOf("huge", 10), kNow + std::chrono::minutes(11)), (Reasons{Reason::kFits, Reason::kFits}));
}

TEST_F(UsageCheckTest, KeepsTheReasonThatAnotherCheckGave) {
  Measure("huge", 8001, {});
  const auto pod = PodOf("huge", 10);
  PodQuery query{*pod, kNow};
  Candidates nodes;
  nodes.Reset(std::vector<NodeIndex>{0});
  nodes.Reject(0, Reason::kNoTopology);
  UsageCheck(usage_).Ask(query, cluster::State(), nodes);
  EXPECT_EQ(nodes.reason(0), Reason::kNoTopology);
}

TEST(UsageCheckOfShortHistories, OnlyReportsWhatItFindsByThem) {
  usage::Account account({.min_history = std::chrono::hours(24),
                          .resources = {{.name = "cpu", .ceiling = 800'000},
                                        {.name = "memory", .resource = kMemory, .ceiling = 800'000}}});
  cluster::Node node;
  node.name = "node-0";
  node.allocatable = {{kCpu, 10'000}, {kMemory, 10'000}};
  account.NodeObjectChanged(0, &node);
  const int64_t slot = usage::SlotAt(kNow, std::chrono::minutes(15));
  const auto measure = [&](size_t resource, int64_t slots) {
    for (int64_t s = slot - slots + 1; s <= slot; ++s) {
      account.Apply({.resource = resource,
                     .slot = s,
                     .measured = kNow,
                     .workloads = {{"default/Pod/cpu-hungry", resource == 0 ? 9000 : 1},
                                   {"default/Pod/memory-hungry", resource == 1 ? 9000 : 1}},
                     .nodes = {{"node-0", 0}}},
                    kNow);
    }
    account.Settle();
  };
  const auto ask = [&](const std::string& name) {
    const auto pod = PodOf(name, 1);
    PodQuery query{*pod, kNow};
    Candidates nodes;
    nodes.Reset(std::vector<NodeIndex>{0});
    nodes.Begin(0, CheckMode::kEnforce);
    UsageCheck(account).Ask(query, cluster::State(), nodes);
    return std::pair(nodes.reason(0), nodes.reports(0).empty() ? Reason::kFits : nodes.reports(0)[0]);
  };
  measure(0, 96);
  measure(1, 95);
  EXPECT_EQ(ask("cpu-hungry"), std::pair(Reason::kUsageCeilingTooLow, Reason::kFits));
  EXPECT_EQ(ask("memory-hungry"), std::pair(Reason::kFits, Reason::kUsageCeilingTooLow));
  measure(1, 96);
  EXPECT_EQ(ask("memory-hungry"), std::pair(Reason::kUsageCeilingTooLow, Reason::kFits));
}

class UsageCheckRejectTest : public UsageCheckTest {
 protected:
  UsageCheckRejectTest() : UsageCheckTest(usage::WhenUnknown::kReject) {}
};

TEST_F(UsageCheckRejectTest, SaysWhereNothingFreshIsKnown) {
  const Time later = kNow + std::chrono::minutes(11);
  usage_.Apply({.slot = usage::SlotAt(later, std::chrono::minutes(15)), .measured = later, .nodes = {{"node-1", 0}}},
               later);
  usage_.Settle();
  EXPECT_EQ(Ask(*PodOf("new", 100), later), (Reasons{Reason::kUsageUnknown, Reason::kFits}));
}

}  // namespace
}  // namespace huygens::policy
