// One test per rule of business-group quotas (docs/quota.md) that concerns reviews of the groups themselves; the rules
// as such are tested with quota/group_rules.h.
#include "tests/webhook/reviews.h"

namespace huygens::webhook {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string Group(std::string_view name, std::string_view parent, std::string_view hard, std::string_view meta = "") {
  return Concat(R"({"metadata":{"name":")", name, R"(")", meta, R"(},"spec":{"parentBizGroup":")", parent,
                R"(","hard":{)", hard, "}}}");
}

TEST(GroupJudge, T4_AChildIsPaidByItsParent) {
  const Reviews reviews;
  EXPECT_EQ(Said(reviews.Group(Operation::kCreate, Group("new", "org", R"("limits.cpu":85,"pods":3)"), "")),
            "org limits.cpu=85");
  EXPECT_EQ(Said(reviews.Group(Operation::kCreate, Group("new", "org", R"("limits.cpu":"85001m")"), "")),
            "403 bizrq/new: parent org has 85 of 100 limits.cpu left, 85001m more wanted");
  EXPECT_EQ(Said(reviews.Group(Operation::kCreate, Group("new", "", R"("limits.cpu":85)"), "")), "");
}

TEST(GroupJudge, N1_ANameIsTakenOnce) {
  const Reviews reviews;
  EXPECT_EQ(Said(reviews.Group(Operation::kCreate, Group("team", "org", R"("limits.cpu":1)"), "")),
            "403 bizrq/team exists");
}

TEST(GroupJudge, T2_T3_ItsParentMustStandAndLimitNoMore) {
  const Reviews reviews;
  EXPECT_THAT(Said(reviews.Group(Operation::kCreate, Group("new", "nobody", ""), "")), HasSubstr("no such group"));
  EXPECT_THAT(Said(reviews.Group(Operation::kCreate, Group("new", "org", R"("pods":1)"), "")),
              HasSubstr("must limit what its parent org limits: limits.cpu"));
}

TEST(GroupJudge, A7_OnlyTheDifferenceIsPaid) {
  Reviews reviews;
  const std::string before = Group("other", "org", R"("limits.cpu":5)");
  EXPECT_EQ(Said(reviews.Group(Operation::kUpdate, Group("other", "org", R"("limits.cpu":9)"), before)),
            "org limits.cpu=4");
  EXPECT_EQ(Said(reviews.Group(Operation::kUpdate, Group("other", "org", R"("limits.cpu":2)"), before)),
            "org limits.cpu=-3");
  EXPECT_THAT(Said(reviews.Group(Operation::kUpdate, Group("other", "org", R"("limits.cpu":91)"), before)),
              StartsWith("403 bizrq/other: parent org has 85"));
  EXPECT_THAT(Said(reviews.Group(Operation::kUpdate, Group("other", "team", R"("limits.cpu":5)"), before)),
              HasSubstr("parentBizGroup cannot be changed"));
}

TEST(GroupJudge, A7_WhatIsReservedForAChildIsNotAskedForAgain) {
  quota::Tree tree;
  tree.Set(quota::MakeGroup("org", "", {{"limits.cpu", "30"}}));
  tree.Set(quota::MakeGroup("child", "org", {{"limits.cpu", "10"}}));
  const Reviews reviews;
  quota::Amounts reserved;
  const auto judge = [&](Operation operation, std::string_view name, std::string_view from, std::string_view to) {
    const auto object = [&](std::string_view cores) {
      return Group(name, "org", Concat(R"("limits.cpu":)", cores), R"(,"uid":"child-uid")");
    };
    const std::string before = from.empty() ? "" : object(from), after = object(to);
    AdmissionRequest request;
    request.operation = operation;
    request.resource_group = "quota.huygens.dev";
    request.resource = "bizgroupresourcequotas";
    request.object = after;
    request.old_object = before;
    return Judge(request, {.tree = tree,
                           .workloads = reviews.workloads,
                           .classes = reviews.classes,
                           .names = reviews.names,
                           .reserved = [&](auto group, auto uid) {
                             return group == "org" && uid == "child-uid" ? reserved : quota::Amounts();
                           }});
  };
  // 10 -> 20 was charged, and the child is not seen to have it.
  reserved = quota::Of({{"limits.cpu", "20"}});
  tree.Charge("org", quota::Of({{"limits.cpu", "10"}}));
  const Judgement larger = judge(Operation::kUpdate, "child", "20", "30");
  EXPECT_EQ(Said(larger), "org limits.cpu=20");
  ASSERT_TRUE(larger.charge);
  EXPECT_EQ(larger.charge->increase, quota::Of({{"limits.cpu", "10"}}));
  EXPECT_THAT(Said(judge(Operation::kUpdate, "child", "20", "31")),
              StartsWith("403 bizrq/child: parent org has 10 of 30 limits.cpu left, 11 more wanted"));
  tree.Charge("org", quota::Of({{"limits.cpu", "10"}}));  // by another
  const Judgement again = judge(Operation::kUpdate, "child", "10", "20");
  EXPECT_EQ(Said(again), "org limits.cpu=10");
  ASSERT_TRUE(again.charge);
  EXPECT_EQ(again.charge->increase, quota::Amounts());
  // A creation whose charge was written in an answer that got lost.
  EXPECT_EQ(Said(judge(Operation::kCreate, "new", "", "20")), "org limits.cpu=20");
  EXPECT_THAT(Said(judge(Operation::kCreate, "new", "", "21")), StartsWith("403 "));
}

TEST(GroupJudge, A8_WhoShrinksBelowUseIsTold) {
  Reviews reviews;
  reviews.tree.Charge("other", quota::Cores(4));
  const auto judge = [&] {
    return reviews.Group(Operation::kUpdate, Group("other", "org", R"("limits.cpu":3)"),
                         Group("other", "org", R"("limits.cpu":5)"));
  };
  EXPECT_THAT(judge().warnings,
              ElementsAre("quota bizrq/other: limits.cpu used 4 of 3; what runs stays, nothing new fits"));
  reviews.rules.groups.strict_shrink = true;
  EXPECT_THAT(Said(judge()), StartsWith("403 "));
}

// As huygens controller changes budgets on a transfer's way. What is on its way stands in the figures of the group.
TEST(GroupJudge, A25_ATransferPaysByItsReservationAndShrinksWhatItKeepsItself) {
  Reviews reviews;
  reviews.rules.groups.strict_shrink = true;
  reviews.rules.transfers_by = "system:serviceaccount:kube-system:huygens-controller";
  std::string user = reviews.rules.transfers_by;
  quota::Tree tree;
  tree.Set(quota::MakeGroup("org", "", {{"limits.cpu", "30"}}));
  tree.Set(quota::MakeGroup("child", "org", {{"limits.cpu", "10"}}));
  tree.Charge("org", quota::Of({{"limits.cpu", "20"}}));   // the reservation's 10 and another's
  tree.Charge("child", quota::Of({{"limits.cpu", "8"}}));  // 5 of them on their way
  const auto judge = [&](std::string_view from, std::string_view to, std::string_view reserved, std::string_view mark) {
    const auto object = [&](std::string_view cores, std::string_view marks) {
      return Group("child", "org", Concat(R"("limits.cpu":)", cores),
                   Concat(R"(,"uid":"child-uid","annotations":{)", marks, "}"));
    };
    const std::string before = object(from, ""), after = object(to, mark);
    AdmissionRequest request;
    request.operation = Operation::kUpdate;
    request.resource_group = "quota.huygens.dev";
    request.resource = "bizgroupresourcequotas";
    request.user = user;
    request.object = after;
    request.old_object = before;
    return Judge(request,
                 {.tree = tree,
                  .workloads = reviews.workloads,
                  .classes = reviews.classes,
                  .names = reviews.names,
                  .reserved = [&](auto, auto) { return quota::Of({{"limits.cpu", std::string(reserved)}}); }},
                 reviews.rules);
  };
  constexpr std::string_view kMark = R"("transfer.quota.huygens.dev/u":"moved")";
  const Judgement grown = judge("10", "20", "20", kMark);
  ASSERT_TRUE(grown.charge) << Said(grown);
  EXPECT_EQ(grown.charge->increase, quota::Amounts()) << "what is reserved is not charged again";
  EXPECT_THAT(Said(judge("10", "20", "0", kMark)), StartsWith("403 ")) << "the reservation is not known here yet";
  EXPECT_EQ(Said(judge("10", "5", "0", kMark)), "org limits.cpu=-5");
  EXPECT_THAT(Said(judge("10", "5", "0", "")), StartsWith("403 ")) << "whoever else shrinks it below its use";
  user = "jane";
  EXPECT_THAT(Said(judge("10", "5", "0", kMark)), StartsWith("403 ")) << "the mark of a transfer is no password";
  reviews.rules.transfers_by.clear();
  user.clear();
  EXPECT_THAT(Said(judge("10", "5", "0", kMark)), StartsWith("403 ")) << "nobody is told to carry out transfers";
}

// A watch that is behind would have a group take what it had, and gave back, for nothing.
TEST(GroupJudge, ABudgetThatWasMadeSmallerUnseenIsLookedUpBeforeItGrows) {
  Reviews reviews;
  cluster::BizGroupQuota known = quota::MakeGroup("other", "org", {{"limits.cpu", "12"}});
  known.resource_version = "100";
  reviews.tree.Set(known);
  const auto judge = [&](std::string_view version) {
    return reviews.Group(
        Operation::kUpdate, Group("other", "org", R"("limits.cpu":11)"),
        Group("other", "org", R"("limits.cpu":7)", Concat(R"(,"resourceVersion":")", version, R"(")")));
  };
  EXPECT_EQ(Said(judge("101")), "503 bizrq/other has changed, which is not known here yet");
  EXPECT_EQ(judge("101").unknown_group, "other");
  EXPECT_TRUE(judge("100").allowed) << "what is older than what is known conflicts when it is stored";
}

TEST(GroupJudge, EditsOfSomethingElsePass) {
  const Reviews reviews;
  const std::string group = Group("late", "nobody", R"("limits.cpu":5)");
  EXPECT_EQ(Said(reviews.Group(Operation::kUpdate, group, group)), "");
  EXPECT_EQ(Said(reviews.Group(
                Operation::kUpdate,
                Group("late", "nobody", R"("limits.cpu":5)", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"), group)),
            "")
      << "the removal of a finalizer";
  EXPECT_THAT(Said(reviews.Group(Operation::kUpdate, Group("late", "nobody", R"("limits.cpu":6)"), group)),
              StartsWith("503 "))
      << "the watch has not told of it";
}

TEST(GroupJudge, T7_A21_OnlyAnUnusedLeafIsDeleted) {
  Reviews reviews;
  const auto remove = [&](std::string_view name) {
    return Said(reviews.Group(Operation::kDelete, "", Group(name, "org", "")));
  };
  EXPECT_EQ(remove("org"), "403 bizrq/org: it has children: other, team");
  EXPECT_EQ(remove("other"), "org limits.cpu=-5");
  reviews.tree.Charge("other", quota::Cores(1));
  EXPECT_EQ(remove("other"), "403 bizrq/other: it has pods");
  EXPECT_THAT(remove("late"), StartsWith("503 "));
}

TEST(GroupJudge, A19_HoursThatWereConsumedStayWithTheParent) {
  Reviews reviews;
  reviews.tree.Set(quota::MakeGroup("org", "", {{"cash/limits.cpu", "100"}}));
  auto child = quota::MakeGroup("child", "org", {{"cash/limits.cpu", "40"}});
  child.self_used = quota::Of({{"cash/limits.cpu", "25"}});
  reviews.tree.Set(child);
  const std::string object =
      R"({"metadata":{"name":"child"},"spec":{"parentBizGroup":"org","hard":{"cash/limits.cpu":40}},
      "status":{"used":{"cash/limits.cpu":"25"},"selfUsed":{"cash/limits.cpu":"25"}}})";
  EXPECT_EQ(Said(reviews.Group(Operation::kUpdate, Group("child", "org", R"("cash/limits.cpu":10)"), object)),
            "org cash/limits.cpu=-15");
  EXPECT_EQ(Said(reviews.Group(Operation::kDelete, "", object)), "org cash/limits.cpu=-15");
}

TEST(GroupJudge, WhatCannotBeReadIsRefused) {
  const Reviews reviews;
  EXPECT_THAT(Said(reviews.Group(Operation::kCreate, R"({"metadata":{"name":"a"},"spec":{"hard":{"cpu":"x"}}})", "")),
              StartsWith("403 bizrq/a: spec.hard.cpu: quantity"));
  EXPECT_THAT(Said(reviews.Group(Operation::kCreate, "{}", "")), StartsWith("403 object: "));
  EXPECT_THAT(Said(reviews.Group(Operation::kDelete, "", "")), StartsWith("403 oldObject: "));
}

}  // namespace
}  // namespace huygens::webhook
