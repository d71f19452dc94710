#include "quota/packages.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

Tree SomeTree(Pairs hard, Pairs used = {}) {
  Tree tree;
  tree.Set(MakeGroup("org", "", {{"limits.cpu", "100"}}));
  tree.Set(MakeGroup("team", "org", hard));
  tree.Charge("team", Of(used));
  return tree;
}

std::string Fit(const Tree& tree, Pairs one) {
  const PackageFit fit = FitByBudget(tree, "team", Of(one));
  return Concat(std::to_string(fit.count), " ", fit.limited_by);
}

TEST(Packages, A26_TheScarcestKeyOfTheBudgetSaysHowManyFit) {
  const Tree tree = SomeTree({{"limits.cpu", "20"}, {"limits.memory", "64Gi"}, {"pods", "100"}}, {{"limits.cpu", "3"}});
  EXPECT_EQ(Fit(tree, {{"limits.cpu", "2"}, {"limits.memory", "4Gi"}, {"pods", "1"}}), "8 limits.cpu");
  EXPECT_EQ(Fit(tree, {{"limits.cpu", "500m"}, {"limits.memory", "8Gi"}, {"pods", "1"}}), "8 limits.memory");
  EXPECT_EQ(Fit(tree, {{"limits.cpu", "18"}}), "0 limits.cpu");
  EXPECT_EQ(Fit(tree, {{"requests.nvidia.com/gpu", "1"}}), "1000000 ") << "which the group does not limit";
}

TEST(Packages, A26_MemoryBeyond64BitsIsExact) {
  const Tree tree = SomeTree({{"limits.cpu", "1"}, {"limits.memory", "100E"}}, {{"limits.memory", "1"}});
  EXPECT_EQ(Fit(tree, {{"limits.memory", "10E"}}), "9 limits.memory");
}

TEST(Packages, A26_SpentHoursLetNoneIn) {
  Tree tree = SomeTree({{"limits.cpu", "20"}, {"cash/limits.cpu", "10"}});
  EXPECT_EQ(Fit(tree, {{"limits.cpu", "2"}}), "0 cash/limits.cpu") << "nobody has counted them";
  auto team = *tree.Find("team")->object;
  for (const auto& [used, fit] : {std::pair("9", "10 limits.cpu"), std::pair("10", "0 cash/limits.cpu")}) {
    team.self_used = Of({{"cash/limits.cpu", used}});
    tree.Set(team);
    EXPECT_EQ(Fit(tree, {{"limits.cpu", "2"}}), fit);
  }
}

TEST(Packages, A26_AGroupThatTakesNoPodsSaysWhy) {
  Tree tree = SomeTree({{"limits.cpu", "20"}});
  EXPECT_EQ(FitByBudget(tree, "nobody", Of({{"limits.cpu", "2"}})).limited_by, "no such group");
  tree.Charge("org", Of({{"limits.cpu", "90"}}));
  EXPECT_EQ(Fit(tree, {{"limits.cpu", "2"}}), "0 bizrq/org above it is over its budget");
}

TEST(Packages, A26_RecommendedIsWhatStrandsLeast) {
  const Tree tree = SomeTree({{"limits.cpu", "10"}});
  const Group& team = *tree.Find("team");
  const auto offer = [&](std::string_view cores, int64_t count) {
    return PackageOffer{count, Stranded(team, Of({{"limits.cpu", cores}}), count)};
  };
  EXPECT_DOUBLE_EQ(Stranded(team, Of({{"limits.cpu", "4"}}), 2), 0.2);
  EXPECT_DOUBLE_EQ(Stranded(team, Of({{"limits.cpu", "4"}}), 0), 1);
  const PackageOffer all[] = {offer("4", 2), offer("5", 2), offer("2", 5), offer("20", 0)};
  EXPECT_EQ(Recommended(all), 2) << "5 and 2 strand nothing; of 2 cores more fit";
  EXPECT_EQ(Recommended(std::span(all).last(1)), -1);
  const PackageOffer few_nodes[] = {offer("2", 1), offer("5", 2)};
  EXPECT_EQ(Recommended(few_nodes), 1) << "what the nodes do not take is stranded, too";
}

// So many fit, and not one more.
RC_GTEST_PROP(Packages, A26_AreAsManyAsTheCheckAdmits, ()) {
  const auto amount = [] { return std::to_string(*rc::gen::inRange(1, 4000)) + "m"; };
  const std::string cpu = amount(), memory = amount(), used = amount(), one_cpu = amount(), one_memory = amount();
  Tree tree = SomeTree({{"limits.cpu", cpu}, {"limits.memory", memory}}, {{"limits.cpu", used}});
  const Amounts one = Of({{"limits.cpu", one_cpu}, {"limits.memory", one_memory}});
  const PackageFit fit = FitByBudget(tree, "team", one);
  for (int64_t i = 0; i < fit.count; ++i) {
    RC_ASSERT(Check(tree, "team", one).fits());
    tree.Charge("team", one);
  }
  const Verdict last = Check(tree, "team", one);
  RC_ASSERT(!last.fits());
  RC_ASSERT(std::any_of(last.shortages.begin(), last.shortages.end(),
                        [&](const Shortage& each) { return each.key == fit.limited_by; }));
}

}  // namespace
}  // namespace huygens::quota
