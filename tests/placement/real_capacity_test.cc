// Real capacity as a moving number: zones whose offline_capacity changes all the time, while pods come and go.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "placement/placement.h"

namespace huygens::placement {
namespace {

using topology::WhenStale;

constexpr int kNodes = 1000;
constexpr int kZones = 2;
constexpr int64_t kAllocatable = 16000;
constexpr Duration kStaleAfter = std::chrono::seconds(30);

struct Figure {
  int64_t offline = kAllocatable;
  Time updated;
};

// What the cluster does, and the same rule worked out a second time, without a word of the account's.
class Cluster {
 public:
  explicit Cluster(WhenStale when_stale) : when_stale_(when_stale) {
    Options options;
    options.topology.stale_after = kStaleAfter;
    options.topology.when_stale = when_stale;
    placement_ = *Placement::Create(options);
    for (cluster::Kind kind : cluster::kKinds) placement_->Apply(cluster::ListBegin{kind});
    for (int n = 0; n < kNodes; ++n) {
      names_.push_back("n" + std::to_string(n));
      placement_->Apply(cluster::NodeSet{{.name = names_.back(), .uid = names_.back()}});
      figures_.push_back({Figure{.updated = now_}, Figure{.updated = now_}});
      Publish(n);
    }
    for (cluster::Kind kind : cluster::kKinds) placement_->Apply(cluster::ListEnd{kind});
    views_.assign(names_.begin(), names_.end());
  }

  // Five seconds pass: most nodes publish new figures, some have stopped to.
  void Step() {
    now_ += std::chrono::seconds(5);
    for (int n = 0; n < kNodes; ++n) {
      if (n % 7 == 0 && Between(0, 9) > 0) continue;
      for (Figure& figure : figures_[static_cast<size_t>(n)])
        figure = {1000 * Between(0, 20) + 500 * Between(0, 1), now_};
      Publish(n);
    }
  }

  // Returns whether it found a place.
  bool PlaceOne() {
    auto pod = std::make_shared<cluster::Pod>();
    pod->name = pod->uid = "p" + std::to_string(++pods_made_);
    pod->topology_awareness = Between(0, 1) == 0;
    const ResourceVector cpus = {{kCpu, 1000 * Between(1, 6)}};
    pod->containers.push_back({.name = "c", .requests = cpus, .limits = cpus});
    const FilterAnswer answer = placement_->Filter(*pod, views_, now_);
    if (answer.feasible.empty()) return false;
    const size_t n = answer.feasible[static_cast<size_t>(Between(0, static_cast<int>(answer.feasible.size()) - 1))];
    auto made = placement_->Reserve(pod, names_[n], now_);
    EXPECT_TRUE(made.ok() && made->Accepted());
    for (const ZoneShare& share : made->zones) {
      int64_t& used = used_[{n, share.zone}];
      used += share.amount.Get(kCpu);
      EXPECT_LE(used, Effective(n, share.zone)) << names_[n] << " zone " << share.zone;
    }
    auto bound = std::make_shared<cluster::Pod>(*pod);
    bound->node_name = names_[n];
    for (const ZoneShare& share : made->zones) bound->topology_result.push_back({share.zone, share.amount});
    std::sort(bound->topology_result.begin(), bound->topology_result.end(),
              [](const auto& a, const auto& b) { return a.zone < b.zone; });
    bound->placement_mark = {bound->uid, bound->node_name, {}};
    placement_->Assume(pod->uid, now_);
    placement_->Apply(cluster::PodSet{bound});
    present_.push_back({bound, n});
    return true;
  }

  void RemoveOne() {
    if (present_.empty()) return;
    std::swap(present_[static_cast<size_t>(Between(0, static_cast<int>(present_.size()) - 1))], present_.back());
    const auto& [pod, n] = present_.back();
    for (const cluster::ZoneAmount& part : pod->topology_result) used_[{n, part.zone}] -= part.amount.Get(kCpu);
    placement_->Apply(cluster::PodGone{pod->uid});
    present_.pop_back();
  }

  // Everything that huygens shows of a node is what the figures and the pods say; what is placed stays.
  void ExpectTrueBooks() {
    size_t pods = 0;
    for (size_t n = 0; n < kNodes; ++n) {
      auto node = placement_->Describe(names_[n], now_);
      ASSERT_TRUE(node);
      pods += node->pods.size();
      for (const ZoneDescription& zone : node->zones) {
        const int64_t used = used_[{n, zone.zone}];
        ASSERT_EQ(zone.used.Get(kCpu), used) << names_[n];
        ASSERT_EQ(zone.effective.Get(kCpu), Effective(n, zone.zone)) << names_[n];
        ASSERT_EQ(zone.free.Get(kCpu), std::max<int64_t>(0, Effective(n, zone.zone) - used)) << names_[n];
        overfull_ += used > Effective(n, zone.zone);
      }
    }
    EXPECT_EQ(pods, present_.size());
    EXPECT_EQ(placement_->Reconcile(kNodes), 0u);
  }

  int Between(int least, int most) { return std::uniform_int_distribution<int>(least, most)(dice_); }
  int overfull() const { return overfull_; }

 private:
  int64_t Effective(size_t n, int zone) const {
    const Figure& figure = figures_[n][static_cast<size_t>(zone)];
    if (now_ - figure.updated <= kStaleAfter || when_stale_ == WhenStale::kUseLast)
      return std::min(kAllocatable, figure.offline);
    return when_stale_ == WhenStale::kReject ? 0 : kAllocatable;
  }

  void Publish(int n) {
    cluster::NodeTopology topology;
    topology.node_name = names_[static_cast<size_t>(n)];
    topology.pinned_by_agent = true;
    for (int z = 0; z < kZones; ++z) {
      const Figure& figure = figures_[static_cast<size_t>(n)][static_cast<size_t>(z)];
      cluster::Zone zone{.id = z, .name = "node" + std::to_string(z)};
      zone.allocatable = {{kCpu, kAllocatable}};
      zone.offline_cpu = figure.offline;
      zone.offline_updated = figure.updated;
      topology.zones.push_back(zone);
    }
    placement_->Apply(cluster::TopologySet{std::move(topology)});
  }

  std::mt19937_64 dice_{11};
  Time now_ = Time(std::chrono::hours(24 * 365 * 56));
  WhenStale when_stale_;
  std::unique_ptr<Placement> placement_;
  std::vector<std::string> names_;
  std::vector<std::string_view> views_;
  std::vector<std::array<Figure, kZones>> figures_;
  std::map<std::pair<size_t, int>, int64_t> used_;
  std::vector<std::pair<std::shared_ptr<const cluster::Pod>, size_t>> present_;
  int pods_made_ = 0;
  int overfull_ = 0;
};

class RealCapacity : public testing::TestWithParam<WhenStale> {};

TEST_P(RealCapacity, NothingIsPlacedBeyondItAndNothingEvictedForIt) {
  Cluster cluster(GetParam());
  int placed = 0;
  for (int step = 0; step < 20; ++step) {
    for (int i = 0; i < 100; ++i) placed += cluster.PlaceOne();
    for (int i = cluster.Between(0, 80); i > 0; --i) cluster.RemoveOne();
    cluster.ExpectTrueBooks();
    cluster.Step();
    cluster.ExpectTrueBooks();
  }
  EXPECT_GT(placed, 1000);
  EXPECT_GT(cluster.overfull(), 100);  // figures did fall below what was placed
}
INSTANTIATE_TEST_SUITE_P(WhenStale, RealCapacity,
                         testing::Values(WhenStale::kUseAllocatable, WhenStale::kUseLast, WhenStale::kReject));

}  // namespace
}  // namespace huygens::placement
