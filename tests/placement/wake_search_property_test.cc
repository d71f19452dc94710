// Random nodes that gain and random pods that wait, until all is at rest: no gain is forgotten, and nobody is woken for
// a node that would not take it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "placement/wake_search.h"
#include "tests/cluster/build.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words

class Cluster {
 public:
  explicit Cluster(unsigned seed) : random_(seed), most_nodes_(Draw(1, 6)), search_(*placement_, most_nodes_) {
    for (size_t n = Draw(1, 12); n > 0; --n) {
      nodes_.push_back(Concat("n", std::to_string(n)));
      placement_->Apply(cluster::NodeSet{MakeNode(nodes_.back())});
      Give(nodes_.back(), 1, 1);
    }
    for (size_t n = Draw(1, 30); n > 0; --n) {
      auto pod = MakePod(Concat("p", std::to_string(n)), static_cast<int64_t>(Draw(2, 6)));
      pod->topology_awareness = true;
      TryPod(pods_[pod->uid] = pod);
    }
    for (const std::string& node : nodes_) {
      if (Draw(0, 2) > 0) Give(node, Draw(0, 9), Draw(0, 9));
    }
  }

  // False: nothing has changed. kube-scheduler tries at once who was woken, all if a node was told, in any order.
  bool SearchAndTry() {
    if (!search_.Begin(kNow)) return false;
    while (search_.Step(kNow)) {
    }
    const auto wakes = search_.TakeWakes();
    RC_ASSERT(wakes.size() <= most_nodes_);
    std::set<std::string> tried;
    std::set<NodeIndex> gained;
    for (const Wake& wake : wakes) {
      RC_ASSERT(gained.insert(wake.node).second);
      for (const auto& pod : wake.pods) {
        RC_ASSERT(Fits(*pod, wake.node));
        RC_ASSERT(tried.insert(pod->uid).second);
        placement_->waiting().BeginWaking(pod->uid);
        placement_->waiting().EndWaking(pod->uid, true);
      }
    }
    const bool all = std::any_of(wakes.begin(), wakes.end(), [](const Wake& wake) { return wake.pods.size() > 1; });
    if (all) {
      ForEachWaiting([&](const WaitingPods::Entry& entry) { tried.insert(entry.pod->uid); });
    }
    std::vector<std::string> queue(tried.begin(), tried.end());
    std::shuffle(queue.begin(), queue.end(), random_);
    for (const std::string& uid : queue) TryPod(pods_.at(uid));
    return true;
  }

  void CheckNobodyFits() {
    ForEachWaiting([&](const WaitingPods::Entry& entry) {
      for (const std::string& name : nodes_) RC_ASSERT(!Fits(*entry.pod, *placement_->state().FindNode(name)));
    });
    RC_ASSERT(placement_->Reconcile(nodes_.size()) == 0u);
  }

 private:
  size_t Draw(size_t least, size_t most) { return std::uniform_int_distribution<size_t>(least, most)(random_); }
  void Give(const std::string& node, size_t cpus, size_t other_cpus) {
    placement_->Apply(cluster::TopologySet{
        MakeTopology(node, {static_cast<int64_t>(cpus) * 1000, static_cast<int64_t>(other_cpus) * 1000}, true)});
  }
  bool Fits(const cluster::Pod& pod, NodeIndex node) { return placement_->FirstFit(pod, {&node, 1}, kNow).has_value(); }
  template <typename Visit>
  void ForEachWaiting(Visit visit) {
    for (uint64_t turn = 0; const WaitingPods::Entry* entry = placement_->waiting().Next(turn); ++turn) visit(*entry);
  }
  void TryPod(const std::shared_ptr<cluster::Pod>& pod) {
    const std::vector<std::string_view> names(nodes_.begin(), nodes_.end());
    const FilterAnswer answer = placement_->Filter(*pod, names, kNow);
    const auto& feasible = answer.feasible;
    placement_->Remember(pod, answer);
    if (feasible.empty()) return;
    const std::string& node = nodes_[feasible[Draw(0, feasible.size() - 1)]];
    RC_ASSERT(placement_->Reserve(pod, node, kNow)->Accepted());
  }

  std::mt19937 random_;
  const size_t most_nodes_;
  std::unique_ptr<Placement> placement_ = *Placement::Create({.waiting_pods = 100});
  WakeSearch search_;
  std::vector<std::string> nodes_;
  std::map<std::string, std::shared_ptr<cluster::Pod>> pods_;
};

RC_GTEST_PROP(WakeSearchProperty, AtRestNobodyWaitsWhoWouldFit, (unsigned seed)) {
  Cluster cluster(seed);
  for (int searches = 0; cluster.SearchAndTry(); ++searches) RC_ASSERT(searches < 50);
  cluster.CheckNobodyFits();
}

}  // namespace
}  // namespace huygens::placement
