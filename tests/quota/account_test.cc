// Pods that come and go, as State tells the account.
#include "quota/account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/state.h"
#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

class AccountTest : public testing::Test {
 protected:
  AccountTest() { state_.AddAccount(account_); }

  void AddNode(const std::string& name) {
    cluster::Node node;
    node.name = name;
    state_.Apply(cluster::NodeSet{node});
  }
  void Set(cluster::BizGroupQuota group) { state_.Apply(cluster::BizGroupQuotaSet{std::move(group)}); }
  std::string UsedCores(const char* group) { return Used(account_.tree(), group, "limits.cpu"); }
  bool Knows(const char* group) { return account_.tree().groups().contains(group); }

  ResourceNames names_;
  Account account_{names_, {}};
  cluster::State state_;
};

TEST_F(AccountTest, ChargesReservedAndBoundPodsUntilTheyEnd) {
  AddNode("n1");
  Set(MakeGroup("team", "", {{"limits.cpu", "10"}}));
  auto pod = Labelled("a", MakePod(4000), Labels("team"));
  ASSERT_TRUE(account_.Check(*pod).fits());
  ASSERT_TRUE(state_.Reserve(pod, *state_.FindNode("n1"), {}, Time()).ok());
  EXPECT_EQ(UsedCores("team"), "4");
  state_.Apply(cluster::PodSet{Bound(pod, "n1")});
  EXPECT_EQ(UsedCores("team"), "4");
  state_.Apply(cluster::PodGone{"a"});
  EXPECT_EQ(UsedCores("team"), "0");
}

TEST_F(AccountTest, ARolledBackReservationCostsNothing) {
  AddNode("n1");
  Set(MakeGroup("team", "", {{"limits.cpu", "10"}}));
  ASSERT_TRUE(state_.Reserve(Labelled("a", MakePod(4000), Labels("team")), *state_.FindNode("n1"), {}, Time()).ok());
  state_.Release("a");
  EXPECT_EQ(UsedCores("team"), "0");
}

TEST_F(AccountTest, OfTwoPodsThatRaceForTheLastCoresOneFits) {
  AddNode("n1");
  Set(MakeGroup("team", "", {{"limits.cpu", "9"}}));
  auto first = Labelled("a", MakePod(5000), Labels("team")), second = Labelled("b", MakePod(5000), Labels("team"));
  ASSERT_TRUE(account_.Check(*first).fits() && account_.Check(*second).fits());  // in filter both
  ASSERT_TRUE(state_.Reserve(first, *state_.FindNode("n1"), {}, Time()).ok());
  EXPECT_EQ(Text(account_.Check(*second), "team"), "quota bizrq/team: limits.cpu used 5 of 9, requested 5");
}

TEST_F(AccountTest, PodsMayComeBeforeTheirNodeAndTheirGroup) {
  state_.Apply(cluster::PodSet{Bound(Labelled("a", MakePod(4000), Labels("team")), "n1")});
  Set(MakeGroup("team", "", {{"limits.cpu", "10"}}));
  EXPECT_EQ(UsedCores("team"), "4");
  state_.Apply(cluster::BizGroupQuotaGone{"team"});
  EXPECT_TRUE(Knows("team"));
  state_.Apply(cluster::PodGone{"a"});
  EXPECT_FALSE(Knows("team"));
}

TEST_F(AccountTest, A12_ARelabelledPodMovesWithAllItCosts) {
  Set(MakeGroup("team", "", {{"limits.cpu", "10"}}));
  Set(MakeGroup("other", "", {{"limits.cpu", "10"}}));
  auto pod = Bound(Labelled("a", MakePod(4000), Labels("team", "A4")), "n1");
  state_.Apply(cluster::PodSet{pod});
  state_.Apply(cluster::PodSet{Relabelled(pod, Labels("other", "B7"))});
  EXPECT_EQ(account_.tree().groups().at("team").used, Amounts());
  EXPECT_EQ(Used(account_.tree(), "other", "limits.cpu.B7"), "4");
}

TEST_F(AccountTest, A11_WithoutALabelNobodyIsCharged) {
  auto pod = Bound(Labelled("a", MakePod(4000), Labels("")), "n1");
  EXPECT_TRUE(account_.Check(*pod).fits());
  state_.Apply(cluster::PodSet{pod});
  EXPECT_TRUE(account_.tree().groups().empty());
}

TEST_F(AccountTest, A9_ContainersMustSayHowMuchTheyTake) {
  Set(MakeGroup("team", "", {{"limits.memory", "10Gi"}}));
  auto pod = Labelled("a", MakePod(1000), Labels("team"));
  EXPECT_EQ(Text(account_.Check(*pod), "team"), "quota bizrq/team: must specify limits.memory for: app");
}

TEST_F(AccountTest, NoPodGivesQuota) {
  Set(MakeGroup("team", "", {{"limits.cpu", "10"}}));
  auto pod = Labelled("a", MakePod(-1000), Labels("team"));
  EXPECT_EQ(Text(account_.Check(*pod), "team"), "quota bizrq/team: must not be negative: cpu,limits.cpu,requests.cpu");
}

TEST_F(AccountTest, AMarkOfTheBindingHoldsWhateverTheLabelsSayLater) {
  Set(MakeGroup("team", "", {{"limits.cpu", "10"}}));
  const auto pod = Bound(Labelled("a", MakePod(4000), Labels("team", "A4")), "n1");
  const auto marked = [&](const cluster::QuotaLabels& now) {
    auto copy = std::make_shared<cluster::Pod>(*Relabelled(pod, now));
    copy->placement_mark = cluster::PlacementMark{"a", "n1", {}, pod->quota, false};
    state_.Apply(cluster::PodSet{copy});
  };
  marked(Labels("team", "A4"));
  for (const auto& labels : {Labels("other", "B7"), Labels(""), Labels("team")}) {
    marked(labels);
    EXPECT_EQ(Used(account_.tree(), "team", "limits.cpu.A4"), "4") << labels.group;
    EXPECT_FALSE(Knows("other"));
    EXPECT_EQ(state_.Reconcile(10), 0u);
  }
  state_.Apply(cluster::PodGone{"a"});
  EXPECT_EQ(UsedCores("team"), "0");
}

TEST_F(AccountTest, RecountRepairsWhatTheStateDoesNotKnow) {
  Set(MakeGroup("team", "", {{"limits.cpu", "10"}}));
  state_.Apply(cluster::PodSet{Bound(Labelled("a", MakePod(4000), Labels("team")), "n1")});
  EXPECT_EQ(state_.Reconcile(10), 0u);
  cluster::PlacedPod stray{Labelled("b", MakePod(1000), Labels("team")), 0, {}};
  account_.Place(stray);
  EXPECT_EQ(UsedCores("team"), "5");
  EXPECT_EQ(state_.Reconcile(10), 1u);
  EXPECT_EQ(UsedCores("team"), "4");
  EXPECT_EQ(state_.Reconcile(10), 0u);
}

}  // namespace
}  // namespace huygens::quota
