// Whatever the cluster: a plan that is carried out in its order makes no node hot at any moment, moves nobody twice, cools
// all nodes but those that it gives a reason for, and is the same however small its steps are.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "tests/rescheduling/cluster.h"

namespace huygens::rescheduling {
namespace {

using test::kEnd;
using test::kSlots;
using test::TestCluster;

// By node: pods, each with its tenths of a CPU by slot.
using Described = std::vector<std::vector<std::vector<int64_t>>>;

Described AnyCluster() {
  Described nodes(*rc::gen::inRange<size_t>(2, 7));
  for (auto& pods : nodes) {
    pods.resize(*rc::gen::inRange<size_t>(0, 7));
    for (auto& slots : pods) {
      const int64_t most = *rc::gen::element<int64_t>(5, 15, 40);
      for (size_t s = 0; s < kSlots; ++s) slots.push_back(*rc::gen::inRange<int64_t>(0, most));
    }
  }
  return nodes;
}

void Build(const Described& nodes, TestCluster& cluster) {
  for (size_t n = 0; n < nodes.size(); ++n) cluster.AddNode("n" + std::to_string(n));
  for (size_t n = 0; n < nodes.size(); ++n) {
    for (size_t p = 0; p < nodes[n].size(); ++p) {
      cluster.Add(std::to_string(n) + "-" + std::to_string(p), "n" + std::to_string(n), nodes[n][p]);
    }
  }
}

RC_GTEST_PROP(Planner, APlanCoolsWhatItCanAndHarmsNobody, ()) {
  const Described nodes = AnyCluster();
  TestCluster cluster;
  Build(nodes, cluster);
  Planner planner(*cluster.placement, cluster.facts);
  const std::vector<std::string> moves = cluster.Plan(planner);

  TestCluster twin;
  Build(nodes, twin);
  Planner small_steps(*twin.placement, twin.facts, {.step = 1});
  RC_ASSERT(twin.Plan(small_steps) == moves);

  std::set<std::string> hot, stuck, moved;
  const auto is_hot = [&](const std::string& node) { return cluster.PeakTenths(node) > 80; };
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (is_hot("n" + std::to_string(n))) hot.insert("n" + std::to_string(n));
  }
  RC_ASSERT(planner.hot_nodes() == hot.size());
  for (const Stuck& each : planner.stuck()) stuck.insert(each.node);
  for (const Move& move : planner.queue()) {
    RC_ASSERT(hot.contains(move.source));
    RC_ASSERT(moved.insert(move.pod.uid).second);
    RC_ASSERT(planner.Recheck(move, kEnd) == Readiness::kReady);
    cluster.CarryOut(move);
    RC_ASSERT(!is_hot(move.target));
  }
  for (const std::string& node : hot) RC_ASSERT(is_hot(node) == stuck.contains(node));
  RC_ASSERT(cluster.placement->Reconcile(100) == 0u);
}

}  // namespace
}  // namespace huygens::rescheduling
