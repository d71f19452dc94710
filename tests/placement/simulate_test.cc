// A day of scheduling without a thread, a clock or a socket: what kube-scheduler, the API server and the watch would
// do, one step after another.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "placement/node_fit.h"
#include "placement/placement.h"
#include "tests/cluster/build.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
class Simulation {
 public:
  explicit Simulation(size_t narrow_to) : placement_(std::move(*Placement::Create({.narrow_to = narrow_to}))) {
    for (int i = 0; i < 60; ++i) {
      char name[16];
      std::snprintf(name, sizeof name, "node-%03d", i);
      names_.push_back(name);
      const int zones = 2 << (i % 3);
      cluster::Node node = test::MakeNode(name);
      node.allocatable = {{kCpu, zones * 8000}, {kPodSlots, 30}};
      placement_->Apply(cluster::NodeSet{node});
      if (i % 10 == 9) continue;  // no topology object
      auto topology = test::MakeTopology(name, std::vector<int64_t>(static_cast<size_t>(zones), 7500), i % 4 == 0);
      for (cluster::Zone& zone : topology.zones) {
        for (const cluster::Zone& other : topology.zones) {
          zone.costs.push_back({other.id, zone.id == other.id ? 10 : zone.id / 2 == other.id / 2 ? 12 : 21});
        }
      }
      placement_->Apply(cluster::TopologySet{topology});
    }
  }

  std::shared_ptr<cluster::Pod> NextPod(int serial) {
    auto pod = test::MakePod("uid-" + std::to_string(serial), 1 + static_cast<int64_t>(random_() % 9));
    if (random_() % 3 == 0) pod->topology_awareness = random_() % 2 == 0;
    if (random_() % 10 == 0) pod->cpu_policy = cluster::CpuPolicy::kNone;
    if (random_() % 10 == 0) pod->containers[0].limits = {};
    return pod;
  }

  // False: it fits nowhere.
  bool Schedule(std::shared_ptr<const cluster::Pod> pod) {
    placement_->Apply(cluster::PodSet{pod});
    std::vector<std::string_view> fit;
    for (const std::string& name : names_) {
      cluster::NodeIndex node = *placement_->state().FindNode(name);
      ResourceVector used;
      for (const cluster::PlacedPod* placed : placement_->state().PodsOn(node)) used.Add(RequestsOf(*placed->pod));
      if (Lacking(RequestsOf(*pod), placement_->state().GetNode(node)->allocatable, used).empty()) fit.push_back(name);
    }
    const FilterAnswer answer = placement_->Filter(*pod, fit, kNow);
    std::vector<std::string_view> feasible;
    for (uint32_t position : answer.feasible) feasible.push_back(fit[position]);
    if (feasible.empty()) return false;
    auto scores = placement_->Prioritize(*pod, feasible, kNow);
    size_t best = static_cast<size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    auto reserved = placement_->Reserve(pod, feasible[best], kNow);
    EXPECT_TRUE(reserved.ok() && reserved->Accepted());

    auto bound = std::make_shared<cluster::Pod>(*pod);
    bound->node_name = feasible[best];
    for (const ZoneShare& share : reserved->zones) bound->topology_result.push_back({share.zone, share.amount});
    std::sort(bound->topology_result.begin(), bound->topology_result.end(),
              [](const auto& a, const auto& b) { return a.zone < b.zone; });
    bound->placement_mark = cluster::PlacementMark{pod->uid, bound->node_name};
    if (random_() % 2 == 0) placement_->Assume(pod->uid, kNow);
    placement_->Apply(cluster::PodSet{bound});
    placement_->Assume(pod->uid, kNow);
    running_[pod->uid] = bound;
    log_ += Concat(pod->uid, " ", bound->node_name, "\n");
    return true;
  }

  std::vector<ZoneDescription> Zones(const std::string& node) const {
    return placement_->Describe(node, kNow).value().zones;
  }

  void EndOne() {
    if (running_.empty()) return;
    auto at = std::next(running_.begin(), static_cast<std::ptrdiff_t>(random_() % running_.size()));
    if (random_() % 2 == 0) {
      auto done = std::make_shared<cluster::Pod>(*at->second);
      done->phase = cluster::PodPhase::kSucceeded;
      placement_->Apply(cluster::PodSet{done});
    }
    placement_->Apply(cluster::PodGone{at->first});
    running_.erase(at);
  }

  std::mt19937 random_{7};
  std::unique_ptr<Placement> placement_;
  std::vector<std::string> names_;
  std::map<std::string, std::shared_ptr<const cluster::Pod>> running_;
  std::string log_;
};

class SimulateTest : public testing::TestWithParam<size_t> {};

TEST_P(SimulateTest, HundredsOfPodsComeAndGoAndTheBooksBalance) {
  Simulation simulation(GetParam());
  std::vector<std::shared_ptr<const cluster::Pod>> pending;
  for (int serial = 0; serial < 900; ++serial) {
    auto pod = simulation.NextPod(serial);
    if (!simulation.Schedule(pod)) pending.push_back(pod);
    if (serial % 3 == 0 && serial < 300) simulation.EndOne();
  }
  Placement& placement = *simulation.placement_;
  EXPECT_GT(simulation.running_.size(), 200u);
  EXPECT_GT(pending.size(), 50u);  // the cluster did fill up
  EXPECT_EQ(placement.state().ledger().size(), 0u);
  EXPECT_EQ(placement.Reconcile(1000), 0u);

  // Nothing pending fits now.
  for (const auto& pod : pending) EXPECT_FALSE(simulation.Schedule(pod)) << pod->uid;

  // Every zone holds exactly what the running pods were given, and no more than it has.
  std::map<std::pair<std::string, int>, int64_t> given;
  for (const auto& [uid, pod] : simulation.running_) {
    for (const auto& amount : pod->topology_result) given[{pod->node_name, amount.zone}] += amount.amount.Get(kCpu);
  }
  int full = 0;
  for (const std::string& name : simulation.names_) {
    const std::vector<ZoneDescription> zones = simulation.Zones(name);
    for (const ZoneDescription& zone : zones) {
      EXPECT_EQ(zone.used.Get(kCpu), (given[{name, zone.zone}])) << name << " " << zone.name;
      EXPECT_LE(zone.used.Get(kCpu), zone.effective.Get(kCpu)) << name << " " << zone.name;
      if (zone.free.Get(kCpu) < 1000) ++full;
    }
  }
  EXPECT_GT(full, 50);

  while (!simulation.running_.empty()) simulation.EndOne();
  for (const std::string& name : simulation.names_) {
    const std::vector<ZoneDescription> zones = simulation.Zones(name);
    for (const ZoneDescription& zone : zones) EXPECT_EQ(zone.used.Get(kCpu), 0);
  }
}

TEST_P(SimulateTest, ASecondRunDecidesTheSame) {
  std::string logs[2];
  for (std::string& log : logs) {
    Simulation simulation(GetParam());
    for (int serial = 0; serial < 200; ++serial) simulation.Schedule(simulation.NextPod(serial));
    log = simulation.log_;
  }
  EXPECT_EQ(logs[0], logs[1]);
}

INSTANTIATE_TEST_SUITE_P(NarrowedTo, SimulateTest, testing::Values(0, 5));

}  // namespace
}  // namespace huygens::placement
