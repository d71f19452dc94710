#include "quota/tree.h"

#include <gtest/gtest.h>

#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

TEST(QuotaTree, AGroupIsOverBudgetWhenMoreIsUsedThanThereIs) {
  struct Case {
    const char* what;
    Amounts hard, charged;
    bool over;
  } cases[] = {
      {"nothing used", Of({{"limits.cpu", "4"}}), {}, false},
      {"nothing used of nothing", Of({{"limits.cpu", "0"}}), {}, false},
      {"exactly full", Of({{"limits.cpu", "4"}}), Cores(4), false},
      {"beyond", Of({{"limits.cpu", "3999m"}}), Cores(4), true},
      {"beyond in the last of its keys", Of({{"limits.cpu", "4"}, {"limits.cpu.A4", "3"}}), Cores(4, "A4"), true},
      {"what it has no budget of", Of({{"limits.memory", "1"}}), Cores(4), false},
      {"hours are spent, not exceeded", Of({{"cash/limits.cpu", "1"}}), Of({{"cash/limits.cpu", "9"}}), false},
  };
  for (const Case& each : cases) {
    Tree tree;
    cluster::BizGroupQuota team = MakeGroup("team", "", {});
    team.hard = each.hard;
    team.self_used = Of({{"cash/limits.cpu", "9"}});
    tree.Set(team);
    tree.Charge("team", each.charged);
    EXPECT_EQ(tree.Find("team")->OverBudget(), each.over) << each.what;
  }
}

TEST(QuotaTree, ABudgetThatWasHandedOutCountsAsUsedWhenItShrinks) {
  Tree tree;
  tree.Set(MakeGroup("dept", "", {{"limits.cpu", "10"}}));
  tree.Set(MakeGroup("team", "dept", {{"limits.cpu", "10"}}));
  EXPECT_FALSE(tree.Find("dept")->OverBudget()) << "exactly full";
  tree.Set(MakeGroup("dept", "", {{"limits.cpu", "9"}}));
  EXPECT_TRUE(tree.Find("dept")->OverBudget());
  EXPECT_FALSE(tree.Find("team")->OverBudget());
}

TEST(QuotaTree, AGroupThatIsNotThereIsNotOverBudget) {
  Tree tree;
  tree.Charge("team", Cores(4));  // a pod names it
  EXPECT_FALSE(tree.groups().at("team").OverBudget());
}

}  // namespace
}  // namespace huygens::quota
