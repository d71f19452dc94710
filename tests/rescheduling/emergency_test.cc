// Nodes that use too much right now. Figures are tenths of a CPU of nodes of 10 CPUs: high water 90, low water 80.
#include "rescheduling/emergency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/rescheduling/cluster.h"

namespace huygens::rescheduling {
namespace {

using namespace test;  // NOLINT: builders of the same words
using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;

class EmergencyTest : public testing::Test, protected TestCluster {
 protected:
  // What the node's pods use now.
  void Now(const std::string& node, int64_t tenths, Time at) {
    usage::Readings readings{.slot = usage::SlotAt(at, kSlot), .measured = at, .nodes = {{node, 0}}};
    readings.moments = {{.node = node, .at = at, .pods = tenths * 100}};
    placement->ApplyUsage(readings, at);
    placement->SettleUsage();
  }
  // Of all nodes at once, and a poll.
  void Poll(std::vector<std::pair<std::string, int64_t>> nodes, Time at) {
    for (const auto& [node, tenths] : nodes) Now(node, tenths, at);
    emergency_.Poll(at);
  }
  std::vector<std::string> Choose(Time at) {
    std::vector<std::string> moves;
    if (!emergency_.Begin(at)) return moves;
    while (emergency_.Step(at)) {
    }
    for (const Move& move : emergency_.Take()) moves.push_back(move.pod.uid + " " + move.source + ">" + move.target);
    return moves;
  }

  Time At(int minute) const { return kEnd - minutes(30) + minutes(minute); }
  Emergency emergency_{*placement, facts};
};

TEST_F(EmergencyTest, ANodeActsFromTwoPollsAboveTheHighMarkUntilOneBelowTheLow) {
  AddNode("a");
  AddNode("b");
  Poll({{"a", 95}, {"b", 10}}, At(1));
  EXPECT_FALSE(emergency_.Acts("a"));
  emergency_.Poll(At(2));
  EXPECT_FALSE(emergency_.Acts("a")) << "the same figures say nothing new";
  Poll({{"a", 95}, {"b", 10}}, At(3));
  EXPECT_THAT(emergency_.acting(), ElementsAre("a"));
  Poll({{"a", 85}, {"b", 10}}, At(4));
  EXPECT_TRUE(emergency_.Acts("a")) << "between the marks";
  Poll({{"a", 79}, {"b", 10}}, At(5));
  EXPECT_FALSE(emergency_.Acts("a"));
  Poll({{"a", 85}, {"b", 10}}, At(6));
  EXPECT_FALSE(emergency_.Acts("a"));
  Poll({{"a", 95}, {"b", 10}}, At(7));
  Poll({{"a", 85}, {"b", 10}}, At(8));
  Poll({{"a", 95}, {"b", 10}}, At(9));
  EXPECT_FALSE(emergency_.Acts("a")) << "not in a row";
}

TEST_F(EmergencyTest, TheSmallestPodThatIsEnoughLeavesForANodeThatStaysCalmNowAndAllWeek) {
  for (const char* node : {"a", "b", "c", "d"}) AddNode(node);
  Add("large", "a", {50});
  Add("middle", "a", {25});
  Add("small", "a", {10});
  Add("night", "b", {75, 75, 75, 75, 75, 0});  // calm now, but not at other times
  Add("young", "c", {5});                      // calm by its week, not now
  for (int minute : {1, 2}) Poll({{"a", 95}, {"b", 5}, {"c", 70}, {"d", 30}}, At(minute));
  EXPECT_THAT(Choose(At(2)), ElementsAre("middle a>d"));
}

TEST_F(EmergencyTest, WhereNobodyIsEnoughTheLargestLeaves) {
  for (const char* node : {"a", "b"}) AddNode(node);
  for (const char* uid : {"p", "q", "r"}) Add(uid, "a", {5});
  Add("s", "a", {6});
  for (int minute : {1, 2}) Poll({{"a", 95}, {"b", 5}}, At(minute));
  EXPECT_THAT(Choose(At(2)), ElementsAre("s a>b"));
}

TEST_F(EmergencyTest, WhoLeavesAlreadyCountsAsGone) {
  for (const char* node : {"a", "b"}) AddNode(node);
  Add("p", "a", {20});
  Add("q", "a", {20});
  for (int minute : {1, 2}) Poll({{"a", 95}, {"b", 5}}, At(minute));
  facts.leaving = {"p"};
  EXPECT_THAT(Choose(At(2)), IsEmpty());
}

TEST_F(EmergencyTest, StaleFiguresMoveNothing) {
  for (const char* node : {"a", "b"}) AddNode(node);
  Add("p", "a", {50});
  for (int minute : {1, 2}) Poll({{"a", 95}, {"b", 5}}, At(minute));
  ASSERT_TRUE(emergency_.Acts("a"));
  EXPECT_THAT(Choose(At(2) + std::chrono::hours(2)), IsEmpty());
  emergency_.Poll(At(2) + std::chrono::hours(2));
  EXPECT_FALSE(emergency_.Acts("a"));
}

TEST_F(EmergencyTest, WithoutATargetItIsSaidThatTheNodeIsHelpless) {
  for (const char* node : {"a", "b"}) AddNode(node);
  Add("p", "a", {50});
  for (int minute : {1, 2}) Poll({{"a", 95}, {"b", 60}}, At(minute));
  EXPECT_THAT(Choose(At(2)), IsEmpty());
  EXPECT_THAT(emergency_.helpless(), ElementsAre("a"));
}

TEST_F(EmergencyTest, TheHottestComesFirstAndNoTargetIsSpokenForTwice) {
  for (const char* node : {"a", "b", "c"}) AddNode(node);
  Add("p", "a", {30});
  Add("q", "b", {30});
  for (int minute : {1, 2}) Poll({{"a", 93}, {"b", 96}, {"c", 30}}, At(minute));
  EXPECT_THAT(Choose(At(2)), ElementsAre("q b>c"));
  EXPECT_THAT(emergency_.helpless(), ElementsAre("a"));
}

}  // namespace
}  // namespace huygens::rescheduling
