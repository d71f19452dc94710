// Who is named as using a budget, and in which order.
#include "quota/holders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "cluster/state.h"
#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Texts(const Largest& largest) {
  std::vector<std::string> texts;
  for (const Holder& each : largest.holders()) texts.push_back(Concat(each.name, " ", each.amount.Canonical()));
  return texts;
}

TEST(Largest, KeepsTheLargestByAmountThenNameAndCountsTheOthers) {
  Largest largest;
  for (const char* name : {"g", "c", "f", "a"}) largest.Add(name, *Quantity::Parse("500m"));
  largest.Add("z", *Quantity::Parse("2"));
  EXPECT_EQ(largest.more(), 0u);
  largest.Add("b", *Quantity::Parse("0.5"));
  largest.Add("small", *Quantity::Parse("100m"));
  EXPECT_THAT(Texts(largest), ElementsAre("z 2", "a 500m", "b 500m", "c 500m", "f 500m"));
  EXPECT_EQ(largest.more(), 2u);
}

class HoldersTest : public testing::Test {
 protected:
  HoldersTest() { state_.AddAccount(account_); }
  void Set(cluster::BizGroupQuota group) { state_.Apply(cluster::BizGroupQuotaSet{std::move(group)}); }
  void Place(const std::string& name, int64_t milli, cluster::QuotaLabels labels, const std::string& node) {
    state_.Apply(cluster::PodSet{Bound(Labelled(name, MakePod(milli), std::move(labels)), node)});
  }
  size_t Look(Holders& holders) {
    size_t added = 0;
    for (cluster::NodeIndex node = 0; node < state_.NodeSlots(); ++node) added += holders.LookAt(account_, node);
    holders.LookAtChildren(account_.tree());
    return added;
  }

  ResourceNames names_;
  Account account_{names_, {}};
  cluster::State state_;
};

TEST_F(HoldersTest, PodsOfTheGroupAreNamedByWhatTheyTakeOfTheKeyOnTheirNode) {
  Set(MakeGroup("team", "", {{"limits.cpu", "10"}, {"limits.cpu.A4", "4"}}));
  Set(MakeGroup("below", "team", {{"limits.cpu", "3"}}));
  cluster::Node node;
  node.name = "a4";
  node.labels.emplace_back("huygens.dev/cpu-model", "A4");
  state_.Apply(cluster::NodeSet{node});
  Place("charged-by-node", 1000, Labels("team"), "a4");
  Place("of-model", 2000, Labels("team", "A4"), "n2");
  Place("general", 3000, Labels("team"), "n2");
  Place("of-another-group", 9000, Labels("below"), "n2");

  Holders holders;
  EXPECT_FALSE(holders.Any());
  for (const char* key : {"limits.cpu.A4", "limits.cpu", "limits.cpu.A4"}) holders.Ask("team", key);
  EXPECT_EQ(Look(holders), 3u);
  ASSERT_EQ(holders.of().size(), 2u) << "asked twice, told once";
  EXPECT_EQ(holders.of()[0].key, "limits.cpu.A4");
  EXPECT_THAT(Texts(holders.of()[0].pods), ElementsAre("default/of-model 2", "default/charged-by-node 1"));
  EXPECT_THAT(Texts(holders.of()[0].children), IsEmpty()) << "below has no budget of that";
  EXPECT_THAT(Texts(holders.of()[1].pods),
              ElementsAre("default/general 3", "default/of-model 2", "default/charged-by-node 1"));
  EXPECT_THAT(Texts(holders.of()[1].children), ElementsAre("below 3")) << "its budget, not what it uses";
}

TEST_F(HoldersTest, OfHoursPodsAreNamedByWhatTheyTakeAnHour) {
  Set(MakeGroup("team", "", {{"cash/limits.cpu", "10"}}));
  Set(MakeGroup("below", "team", {{"cash/limits.cpu", "4"}}));
  Place("a", 1500, Labels("team"), "n");
  Holders holders;
  holders.Ask("team", "cash/limits.cpu");
  EXPECT_EQ(Look(holders), 1u);
  EXPECT_THAT(Texts(holders.of()[0].pods), ElementsAre("default/a 1500m"));
  EXPECT_THAT(Texts(holders.of()[0].children), ElementsAre("below 4"));
}

TEST_F(HoldersTest, OnlySoManyKeysAreLookedFor) {
  Holders holders;
  for (int i = 0; i < 20; ++i) holders.Ask("team", std::to_string(i));
  EXPECT_EQ(holders.of().size(), Holders::kMostKeys);
}

}  // namespace
}  // namespace huygens::quota
