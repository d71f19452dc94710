// A kind of node of which huygens knows nothing, added by one class and one line: it is filtered, scored, bound to,
// kept for nominated pods, preempted on and described by what its class says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "placement/placement.h"
#include "tests/cluster/build.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using testing::ElementsAre;
using topology::Fit;
using topology::PreparedPod;

// Nodes with slots, as a shelf has: any pod that asks for cpu takes one, the lowest that is free. The topology object
// says so by the attribute "slots"; slot n is zone n.
class Shelves final : public topology::NodeZones {
 public:
  // Counts in `reckonings` how often zones are chosen, taken or given back here.
  explicit Shelves(int& reckonings) : reckonings_(reckonings) {}

  bool Claims(NodeIndex node) const override { return slots_.contains(node); }
  std::unique_ptr<PreparedPod> Prepare(const cluster::Pod& pod) const override {
    return pod.containers.empty() ? nullptr : std::make_unique<PreparedPod>();
  }
  void Check(const PreparedPod&, std::span<const NodeIndex> nodes, bool lost, Time,
             std::span<Fit> fits) const override {
    for (size_t i = 0; i < nodes.size(); ++i) {
      fits[i] = lost ? Fit::kLostTopology : FreeSlot(nodes[i]) ? Fit::kFits : Fit::kTaken;
    }
  }
  void ZonesTaken(const PreparedPod&, std::span<const NodeIndex> nodes, Time,
                  std::span<std::optional<topology::ZoneSet>> taken) const override {
    for (size_t i = 0; i < nodes.size(); ++i) {
      taken[i].reset();
      if (FreeSlot(nodes[i])) taken[i] = topology::ZoneSet{.count = 1};
    }
  }
  std::optional<std::vector<cluster::ZoneAmount>> Assign(NodeIndex node, const PreparedPod&, Time) const override {
    ++reckonings_;
    const auto slot = FreeSlot(node);
    if (!slot) return std::nullopt;
    return {{{*slot, {{kCpu, 1000}}}}};
  }
  std::string_view Name(NodeIndex) const override { return "shelf"; }
  std::optional<std::vector<topology::ZoneDescription>> Describe(NodeIndex node, const cluster::NodeTopology* topology,
                                                                 Time) const override {
    std::vector<topology::ZoneDescription> zones;
    for (const cluster::Zone& zone : topology->zones) {
      topology::ZoneDescription& shown = zones.emplace_back();
      shown.zone = zone.id;
      shown.name = zone.name;
      shown.used = {{kPodSlots, taken_.at(node).count(zone.id) > 0 ? 1 : 0}};
    }
    return zones;
  }

  void Place(const cluster::PlacedPod& pod) override {
    ++reckonings_;
    for (const cluster::ZoneAmount& zone : pod.zones) taken_[pod.node].insert(zone.zone);
  }
  void Leave(const cluster::PlacedPod& pod) override {
    ++reckonings_;
    for (const cluster::ZoneAmount& zone : pod.zones) taken_[pod.node].erase(taken_[pod.node].find(zone.zone));
  }
  void NodeChanged(NodeIndex node, const cluster::NodeTopology* topology) override {
    taken_[node];
    slots_.erase(node);
    if (!topology) return;
    for (const auto& [name, value] : topology->attributes) {
      if (name == "slots") slots_[node] = std::stoi(value);
    }
  }
  bool Recount(NodeIndex node, std::span<const cluster::PlacedPod* const> pods) override {
    std::multiset<int> counted;
    for (const cluster::PlacedPod* pod : pods) {
      for (const cluster::ZoneAmount& zone : pod->zones) counted.insert(zone.zone);
    }
    return std::exchange(taken_[node], counted) != counted;
  }

 private:
  std::optional<int> FreeSlot(NodeIndex node) const {
    for (int slot = 0; slot < slots_.at(node); ++slot) {
      if (!taken_.at(node).contains(slot)) return slot;
    }
    return std::nullopt;
  }

  int& reckonings_;
  std::map<NodeIndex, int> slots_;
  std::map<NodeIndex, std::multiset<int>> taken_;
};

class ThirdKind : public testing::Test {
 protected:
  // A shelf of two slots, too small a managed node, and one that kubelet pins.
  ThirdKind() {
    Placement::NodeKindList kinds;
    kinds.push_back(std::make_unique<Shelves>(reckonings_));
    placement_ = std::move(*Placement::Create({}, std::move(kinds)));
    for (const char* name : {"shelf", "managed", "kubelet"}) placement_->Apply(cluster::NodeSet{MakeNode(name)});
    auto shelf = MakeTopology("shelf", {1000, 1000});
    shelf.attributes = {{"slots", "2"}};
    placement_->Apply(cluster::TopologySet{shelf});
    placement_->Apply(cluster::TopologySet{MakeTopology("managed", {4000})});
    auto kubelet = MakeTopology("kubelet", {4000});
    kubelet.pinned_by_agent = false;
    placement_->Apply(cluster::TopologySet{kubelet});
  }

  std::vector<Reason> Reasons(const cluster::Pod& pod) { return placement_->Filter(pod, kNames, kNow).reasons; }
  Reservation Reserve(const std::shared_ptr<const cluster::Pod>& pod) {
    return placement_->Reserve(pod, "shelf", kNow).value();
  }
  std::vector<int64_t> Used() {
    std::vector<int64_t> used;
    const NodeDescription node = *placement_->Describe("shelf", kNow);
    for (const ZoneDescription& zone : node.zones) {
      used.push_back(zone.used.Get(kPodSlots));
    }
    return used;
  }

  const std::vector<std::string_view> kNames = {"shelf", "managed", "kubelet"};
  int reckonings_ = 0;
  std::unique_ptr<Placement> placement_;
};

TEST_F(ThirdKind, IsFilteredAndBoundToByItsOwnClass) {
  // Eight CPUs, which no zone has: the slots of a shelf are all alike.
  const auto a = MakePod("a", 8), b = MakePod("b", 8), c = MakePod("c", 8);
  EXPECT_THAT(Reasons(*a), ElementsAre(Reason::kFits, Reason::kZonesTooSmall, Reason::kFits));
  const Reservation first = Reserve(a);
  ASSERT_TRUE(first.Accepted());
  ASSERT_EQ(first.zones.size(), 1u);
  EXPECT_EQ(first.zones[0].name, "node0");
  EXPECT_EQ(Reserve(b).zones.at(0).zone, 1);
  EXPECT_THAT(Used(), ElementsAre(1, 1));
  EXPECT_EQ(Reserve(c).reason, Reason::kInsufficientZones);
  EXPECT_THAT(Reasons(*c), ElementsAre(Reason::kInsufficientZones, Reason::kZonesTooSmall, Reason::kFits));
  placement_->Release("a");
  EXPECT_THAT(Reasons(*c), ElementsAre(Reason::kFits, Reason::kZonesTooSmall, Reason::kFits));
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

TEST_F(ThirdKind, PodsThatAskNothingOfItGoThere) {
  Reserve(MakePod("a", 1));
  Reserve(MakePod("b", 1));
  auto bare = MakePod("bare", 1);
  bare->containers.clear();
  EXPECT_EQ(Reasons(*bare)[0], Reason::kFits);
  EXPECT_TRUE(Reserve(bare).zones.empty());
}

TEST_F(ThirdKind, IsScored) {
  std::vector<TermScores> said;
  placement_->Prioritize(*MakePod("a", 2), kNames, kNow, &said);
  EXPECT_EQ(said.at(0).scores[0], 1);
  EXPECT_EQ(said.at(0).scores[1], 1);
  EXPECT_TRUE(std::isnan(said.at(0).scores[2])) << "kubelet is not predicted";
  Reserve(MakePod("b", 1));
  Reserve(MakePod("c", 1));
  placement_->Prioritize(*MakePod("a", 2), kNames, kNow, &said);
  EXPECT_EQ(said.at(0).scores[0], 0);
}

TEST_F(ThirdKind, ASlotIsKeptForWhoIsNominatedAndCleared) {
  const auto waits = MakePod("waits", 1), late = MakePod("late", 1);
  Reserve(MakePod("a", 1));
  waits->nominated_node = "shelf";
  waits->priority = 10;
  placement_->Apply(cluster::PodSet{waits, 1});
  EXPECT_EQ(Reasons(*late)[0], Reason::kInsufficientZones);
  EXPECT_EQ(Reasons(*waits)[0], Reason::kFits);
  Reserve(waits);

  auto important = MakePod("important", 1);
  important->priority = 100;
  const std::vector<PreemptionCandidate> candidate = {{"shelf", {"a"}}};
  EXPECT_THAT(placement_->Preempt(*important, candidate, kNow).at(0).victims, ElementsAre("a"));
  EXPECT_THAT(Used(), ElementsAre(1, 1)) << "asking changes nothing";
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

TEST_F(ThirdKind, WhoIsNominatedCostsNothingWhereNobodyAsks) {
  for (int i = 0; i < 100; ++i) {
    const auto waits = MakePod(absl::StrCat("waits-", i), 1);
    waits->nominated_node = "shelf";
    waits->priority = 10;
    placement_->Apply(cluster::PodSet{waits, 1});
  }
  const auto late = MakePod("late", 1);
  const int before = reckonings_;
  const std::vector<std::string_view> others = {"managed", "kubelet"};
  EXPECT_THAT(placement_->Filter(*late, others, kNow).reasons, ElementsAre(Reason::kFits, Reason::kFits));
  EXPECT_EQ(reckonings_, before) << "nobody asked about the node that they are nominated to";
  EXPECT_EQ(Reasons(*late)[0], Reason::kInsufficientZones);
  EXPECT_GT(reckonings_, before) << "somebody did";
}

TEST_F(ThirdKind, NodesChangeTheirKind) {
  Reserve(MakePod("a", 1));
  auto shelf = MakeTopology("shelf", {4000});
  placement_->Apply(cluster::TopologySet{shelf});
  EXPECT_EQ(placement_->Describe("shelf", kNow)->mode, "managed");
  EXPECT_EQ(Reasons(*MakePod("b", 8))[0], Reason::kZonesTooSmall);
  shelf.attributes = {{"slots", "1"}};
  placement_->Apply(cluster::TopologySet{shelf});
  EXPECT_EQ(placement_->Describe("shelf", kNow)->mode, "shelf");
  EXPECT_EQ(Reasons(*MakePod("b", 8))[0], Reason::kInsufficientZones) << "what pods hold is not forgotten";
  placement_->Apply(cluster::TopologyGone{cluster::TopologySource::kCrane, "shelf"});
  EXPECT_EQ(Reasons(*MakePod("b", 8))[0], Reason::kLostTopology);
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

}  // namespace
}  // namespace huygens::placement
