#include <gtest/gtest.h>

#include <cmath>

#include "policy/pod_usage.h"
#include "scoring/registry.h"
#include "tests/base/clock.h"
#include "tests/policy/sources.h"

namespace huygens::scoring {
namespace {

using test::kNow;
constexpr int64_t kSlot = 24 * 365 * 56 * 4;

// Nodes of 10 CPUs and 100 bytes of memory, used beyond their pods as the test says.
class UsageTermsTest : public testing::Test {
 protected:
  // Shares of both, in hundredths.
  NodeIndex AddNode(int64_t cpu, int64_t memory) {
    cluster::Node node;
    node.name = "node-" + std::to_string(nodes_);
    node.allocatable = {{kCpu, 10'000}, {kMemory, 100}};
    usage_.NodeObjectChanged(nodes_, &node);
    usage_.Apply({.resource = 0, .slot = kSlot, .measured = kNow, .nodes = {{node.name, cpu * 100}}}, kNow);
    usage_.Apply({.resource = 1, .slot = kSlot, .measured = kNow, .nodes = {{node.name, memory}}}, kNow);
    usage_.Settle();
    return nodes_++;
  }

  std::unique_ptr<Term> Make(std::string_view name, const ResourceVector& weights = {}, bool dominant = false) {
    const TermEntry* entry = FindTerm(name);
    return entry->make({sources_.For(entry->needs), weights, dominant});
  }
  // In thousandths, of a pod that uses nothing.
  double Ask(const Term& term, NodeIndex node) {
    return ScoreOf(term, node, std::vector<usage::ResourceDemand>(usage_.options().resources.size()));
  }
  double ScoreOf(const Term& term, NodeIndex node, std::vector<usage::ResourceDemand> adds) {
    const PodQuery query(pod_, kNow);
    query.Once(&usage_, [&] { return std::make_unique<policy::PodUsage>(usage_, usage::Demand{std::move(adds)}); });
    float score = -1;
    term.Ask(query, cluster::State(), {&node, 1}, {&score, 1});
    return std::round(score * 1e3);
  }

  policy::test::SourcesOfAll sources_{{.resources = {{.name = "cpu"}, {.name = "memory", .resource = kMemory}}}};
  usage::Account& usage_ = sources_.usage;
  cluster::Pod pod_;
  NodeIndex nodes_ = 0;
};

TEST_F(UsageTermsTest, LeastUsedIsTheShareThatIsLeft) {
  const NodeIndex node = AddNode(20, 60);
  EXPECT_EQ(Ask(*Make("LeastUsed"), node), 600);
  EXPECT_EQ(Ask(*Make("LeastUsed", {{kCpu, 3}}), node), 700);
  EXPECT_EQ(Ask(*Make("LeastUsed", {}, true), node), 400);
  EXPECT_EQ(Ask(*Make("LeastUsed"), AddNode(0, 0)), 1000);
}

TEST_F(UsageTermsTest, WhatIsOverFullDoesNotCountBelowZero) {
  const NodeIndex node = AddNode(150, 50);
  EXPECT_EQ(Ask(*Make("LeastUsed"), node), 250);
  EXPECT_EQ(Ask(*Make("LeastUsed", {}, true), node), 0);
  EXPECT_EQ(Ask(*Make("Balanced"), node), 750);
}

TEST_F(UsageTermsTest, BalancedIsHowEvenlyTheSharesLie) {
  const NodeIndex node = AddNode(20, 60);
  EXPECT_EQ(Ask(*Make("Balanced"), node), 800);
  EXPECT_EQ(Ask(*Make("Balanced", {{kCpu, 3}}), node), 827);  // 1 - 0.4 * sqrt(3) / 4
  EXPECT_EQ(Ask(*Make("Balanced"), AddNode(0, 0)), 1000);
  EXPECT_EQ(Ask(*Make("Balanced"), AddNode(100, 100)), 1000);
  EXPECT_EQ(Ask(*Make("Balanced"), AddNode(0, 100)), 500);
}

TEST_F(UsageTermsTest, AResourceThatTheNodeDoesNotListIsLeftOut) {
  const NodeIndex index = AddNode(20, 60);
  cluster::Node node;
  node.name = "node-0";
  node.allocatable = {{kMemory, 100}};
  usage_.NodeObjectChanged(index, &node);
  EXPECT_EQ(Ask(*Make("LeastUsed"), index), 400);
  EXPECT_EQ(Ask(*Make("LeastUsed", {}, true), index), 400);
  EXPECT_EQ(Ask(*Make("Balanced"), index), 1000);
  node.allocatable = {};
  usage_.NodeObjectChanged(index, &node);
  EXPECT_TRUE(std::isnan(Ask(*Make("LeastUsed"), index)));
  EXPECT_TRUE(std::isnan(Ask(*Make("Balanced"), index)));
}

TEST_F(UsageTermsTest, ThePodItselfCounts) {
  const NodeIndex node = AddNode(20, 60);
  EXPECT_EQ(ScoreOf(*Make("LeastUsed"), node, {{.peak = 1000, .estimate = 1}, {.peak = 20, .estimate = 1}}), 450);
}

// What nobody has measured is judged by requests: behind a node that is known to be idle, before one known to be full.
TEST_F(UsageTermsTest, AnUnknownNodeIsNeitherBestNorWorst) {
  const NodeIndex idle = AddNode(5, 5);
  const NodeIndex full = AddNode(95, 95);
  const NodeIndex unknown = nodes_++;
  cluster::Node node;
  node.name = "unknown";
  node.allocatable = {{kCpu, 10'000}, {kMemory, 100}};
  usage_.NodeObjectChanged(unknown, &node);
  auto pod = std::make_shared<cluster::Pod>();
  pod->name = pod->uid = "p";
  pod->containers.push_back({.name = "c", .requests = {{kCpu, 5000}, {kMemory, 50}}});
  usage_.Place({pod, unknown, {}});
  for (bool dominant : {false, true}) {
    const auto term = Make("LeastUsed", {}, dominant);
    EXPECT_LT(Ask(*term, unknown), Ask(*term, idle));
    EXPECT_GT(Ask(*term, unknown), Ask(*term, full));
  }
}

}  // namespace
}  // namespace huygens::scoring
