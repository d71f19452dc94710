#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "placement/placement.h"
#include "tests/cluster/build.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using testing::ElementsAre;
using testing::IsEmpty;

// Three nodes with room for one pod of 4 CPUs each.
class GangTest : public testing::Test {
 protected:
  GangTest() : placement_(std::move(*Placement::Create({.checks = {"topology"}, .terms = {{"FewestZones", 1}}}))) {
    for (const char* name : {"a", "b", "c"}) {
      placement_->Apply(cluster::NodeSet{MakeNode(name)});
      placement_->Apply(cluster::TopologySet{MakeTopology(name, {4000})});
    }
  }
  static std::shared_ptr<cluster::Pod> Member(const std::string& uid, const std::string& gang = "g") {
    auto pod = MakePod(uid, 4);
    pod->scheduling_group = gang;
    return pod;
  }
  // As the verb does; the names of the feasible nodes.
  std::vector<std::string> Filter(const std::shared_ptr<const cluster::Pod>& pod,
                                  std::vector<std::string_view> names = {"a", "b", "c"}) {
    placement_->NoteQuestion(*pod, now_);
    const FilterAnswer answer = placement_->Filter(*pod, names, now_);
    std::vector<std::string> feasible;
    for (uint32_t position : answer.feasible) feasible.emplace_back(names[position]);
    placement_->Remember(pod, answer);
    return feasible;
  }
  // The node that the pod of a gang is promised, or "".
  std::string Promised(const std::string& uid, const std::string& gang = "g") {
    const auto feasible = Filter(Member(uid, gang));
    EXPECT_LE(feasible.size(), 1u);
    return feasible.empty() ? "" : feasible.front();
  }
  size_t Held() const { return placement_->state().ledger().Count(cluster::ReservationState::kHeld); }

  std::unique_ptr<Placement> placement_;
  Time now_ = kNow;
};

TEST_F(GangTest, EachPodIsPromisedRoomOfItsOwn) {
  std::set<std::string> nodes = {Promised("1"), Promised("2"), Promised("3")};
  EXPECT_EQ(nodes, (std::set<std::string>{"a", "b", "c"}));
  EXPECT_EQ(Promised("4"), "");
  EXPECT_THAT(Filter(MakePod("other", 4)), IsEmpty());
  EXPECT_EQ(Held(), 3u);
}

TEST_F(GangTest, PodsWithoutAGangArePromisedNothing) {
  EXPECT_EQ(Filter(MakePod("1", 4)).size(), 3u);
  EXPECT_EQ(Filter(MakePod("2", 4)).size(), 3u);
  EXPECT_EQ(Held(), 0u);
}

TEST_F(GangTest, APodOfAGangThatTakesNothingKeepsItsChoice) {
  auto pod = Member("1");
  pod->containers[0].limits = {};
  EXPECT_EQ(Filter(pod).size(), 3u);
  EXPECT_EQ(Held(), 0u);
}

TEST_F(GangTest, WhatWasPromisedIsBound) {
  std::vector<std::string> nodes;
  for (const char* uid : {"1", "2", "3"}) nodes.push_back(Promised(uid));
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto made = placement_->Reserve(Member(std::to_string(i + 1)), nodes[i], now_);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_TRUE(made->Accepted());
    EXPECT_FALSE(made->existed);
    EXPECT_EQ(made->zones.size(), 1u);
  }
  EXPECT_EQ(Held(), 0u);
  EXPECT_EQ(placement_->state().ledger().Count(cluster::ReservationState::kReserved), 3u);
}

TEST_F(GangTest, KubeSchedulerMayBindElsewhereWhereThereIsRoom) {
  const std::string promised = Promised("1");
  const std::string other = promised == "a" ? "b" : "a";
  const auto made = placement_->Reserve(Member("1"), other, now_);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(made->Accepted());
  EXPECT_THAT(Filter(MakePod("2", 4), {promised}), ElementsAre(promised));
}

TEST_F(GangTest, ANewTryBeginsWithNothingHeld) {
  for (const char* uid : {"1", "2", "3"}) Promised(uid);
  EXPECT_THAT(Filter(Member("1"), {"b"}), ElementsAre("b")) << "2 or 3 held it in the try before";
  EXPECT_EQ(Held(), 1u);
  EXPECT_NE(Promised("other", "h"), "b");
}

TEST_F(GangTest, OneGangsTriesAreNotAnothers) {
  const std::string mine = Promised("1");
  const std::string theirs = Promised("2", "h");
  EXPECT_NE(mine, theirs);
  Promised("2", "h");
  EXPECT_THAT(Filter(MakePod("p", 4), {mine}), IsEmpty());
}

TEST_F(GangTest, WhatNobodyAsksAboutIsGivenBack) {
  Promised("1");
  now_ += std::chrono::seconds(6);
  Promised("2");
  now_ += std::chrono::seconds(6);
  placement_->ExpireHolds(now_);
  EXPECT_EQ(Held(), 2u) << "the gang was asked about since";
  now_ += std::chrono::seconds(4);
  placement_->ExpireHolds(now_);
  EXPECT_EQ(Held(), 0u);
  EXPECT_EQ(Filter(MakePod("p", 4)).size(), 3u);
}

TEST_F(GangTest, ATryThatFailedIsGivenBackSooner) {
  for (const char* uid : {"1", "2", "3"}) Promised(uid);
  EXPECT_EQ(Promised("4"), "");
  now_ += std::chrono::milliseconds(1900);
  placement_->ExpireHolds(now_);
  EXPECT_EQ(Held(), 3u) << "three may be enough, and be bound any moment";
  now_ += std::chrono::milliseconds(100);
  placement_->ExpireHolds(now_);
  EXPECT_EQ(Held(), 0u);
  Promised("1");
  Promised("4");
  now_ += std::chrono::seconds(3);
  placement_->ExpireHolds(now_);
  EXPECT_EQ(Held(), 2u) << "a new try that nobody has refused yet";
}

TEST_F(GangTest, AClockThatIsSetBackHoldsNothingForLonger) {
  Promised("1");
  placement_->ExpireHolds(now_ - std::chrono::hours(1));
  EXPECT_EQ(Held(), 0u);
}

TEST_F(GangTest, APodThatIsGoneHoldsNothing) {
  const auto pod = Member("1");
  placement_->Apply(cluster::PodSet{pod});
  Promised("1");
  placement_->Apply(cluster::PodSet{pod});
  EXPECT_EQ(Held(), 1u) << "news of it that do not bind it";
  placement_->Apply(cluster::PodGone{"1"});
  EXPECT_EQ(Held(), 0u);
  EXPECT_EQ(Filter(MakePod("p", 4)).size(), 3u);
}

TEST_F(GangTest, SaysHowManyOfHowManyHaveANode) {
  const auto asking = Member("5");
  EXPECT_EQ(placement_->UnboundOfGang(*asking), 0u) << "nobody asked yet";
  for (const char* uid : {"1", "2", "3", "6"}) placement_->Apply(cluster::PodSet{Member(uid)});
  placement_->Apply(cluster::PodSet{Member("7", "h")});
  placement_->Apply(cluster::PodSet{MakePod("8", 4)});
  auto elsewhere = Member("9");
  elsewhere->namespace_name = "other";
  placement_->Apply(cluster::PodSet{elsewhere});
  for (const char* uid : {"1", "2", "3", "4"}) Promised(uid);
  EXPECT_EQ(Promised("5"), "");
  EXPECT_EQ(placement_->HeldForGang(*asking), 3u);
  EXPECT_EQ(placement_->UnboundOfGang(*asking), 6u) << "1 to 3 are known and asked about, 4 and 5 asked about, 6 known";
  EXPECT_EQ(placement_->HeldForGang(*MakePod("8", 4)), 0u);
  EXPECT_EQ(placement_->UnboundOfGang(*MakePod("8", 4)), 0u);
}

TEST_F(GangTest, CountsNoneThatIsBoundAndEachTryAnew) {
  const std::string node = Promised("1");
  ASSERT_TRUE(placement_->Reserve(Member("1"), node, now_).ok());
  Promised("2");
  EXPECT_EQ(placement_->HeldForGang(*Member("2")), 1u);
  EXPECT_EQ(placement_->UnboundOfGang(*Member("2")), 1u);
  placement_->Apply(cluster::PodSet{Member("3")});
  EXPECT_EQ(placement_->UnboundOfGang(*Member("2")), 1u) << "counted when this try began";
  Promised("2");
  EXPECT_EQ(placement_->UnboundOfGang(*Member("2")), 2u);
}

TEST_F(GangTest, AnsweringChangesNothingUnlessItIsRemembered) {
  const std::vector<std::string_view> names = {"a", "b", "c"};
  EXPECT_EQ(placement_->Filter(*Member("1"), names, now_).feasible.size(), 1u);
  EXPECT_EQ(Held(), 0u);
  Promised("1");
  Promised("2");
  EXPECT_EQ(placement_->Filter(*Member("1"), names, now_).feasible.size(), 1u) << "what it holds itself is no obstacle";
  EXPECT_EQ(Held(), 2u);
}

}  // namespace
}  // namespace huygens::placement
