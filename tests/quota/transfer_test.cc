#include "quota/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "quota/group_rules.h"
#include "tests/quota/transfers.h"

namespace huygens::quota {
namespace {

using Phase = cluster::QuotaTransfer::Phase;
using std::chrono::hours;
using std::chrono::seconds;
using test::kNow;

// org 100 ─ search 60 ─ ranking 40 (25 used)
//        └ ads 30 ─ bidding 10
class TransferTest : public testing::Test, public TransferBed {
 protected:
  TransferTest() {
    Add(MakeGroup("org", "", {{"limits.cpu", "100"}}));
    Add(MakeGroup("search", "org", {{"limits.cpu", "60"}}));
    Add(MakeGroup("ranking", "search", {{"limits.cpu", "40"}, {"pods", "9"}}));
    Add(MakeGroup("ads", "org", {{"limits.cpu", "30"}}));
    Add(MakeGroup("bidding", "ads", {{"limits.cpu", "10"}, {"pods", "9"}}));
    pods["ranking"] = Of({{"limits.cpu", "25"}});
    Transfer("ranking", "bidding", {{"limits.cpu", "15"}});
  }

  std::string Budgets() const {
    std::string text;
    for (const char* name : {"org", "search", "ranking", "ads", "bidding"}) {
      text += Concat(text.empty() ? "" : " ", groups.contains(name) ? Hard(name).Canonical() : "-");
    }
    return text;
  }
  size_t Marks() const {
    size_t count = 0;
    for (const auto& [name, group] : groups) count += group.transfers.size();
    return count;
  }
};

TEST_F(TransferTest, A25_GoesUpToTheGroupAboveBothAndDownAgain) {
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kMoved) << transfer.message;
  EXPECT_EQ(Budgets(), "100 45 25 45 25");
  EXPECT_EQ(Marks(), 0u) << "for good";
  EXPECT_EQ(transfer.common, "org");
  EXPECT_TRUE(transfer.finalizer);
  transfer.deleting = true;
  Finish();
  EXPECT_FALSE(transfer.finalizer);
  EXPECT_EQ(Budgets(), "100 45 25 45 25");
}

TEST_F(TransferTest, A25_MarksOfAnotherTransferSayNothingOfThisOne) {
  for (auto& [name, group] : groups) group.transfers.insert("uid-of-another");
  Finish();
  EXPECT_EQ(Budgets(), "100 45 25 45 25");
  EXPECT_EQ(Marks(), groups.size()) << "they stay";
}

TEST_F(TransferTest, A25_ALoanComesBackWhenItsTimeIsOver) {
  transfer.until = kNow + hours(5);
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kLent);
  EXPECT_EQ(Next().look_again, kNow + hours(5));
  EXPECT_EQ(Budgets(), "100 45 25 45 25");
  now += hours(5);
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kReturned) << transfer.message;
  EXPECT_EQ(Budgets(), "100 60 40 30 10");
  EXPECT_EQ(Marks(), 0u);
}

TEST_F(TransferTest, A25_WhatIsUsedThenIsOverdueAndTakesNothingNew) {
  transfer.until = kNow + hours(5);
  Finish();
  pods["bidding"] = Of({{"limits.cpu", "12"}});
  now += hours(5);
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kOverdue);
  EXPECT_EQ(transfer.message, "bizrq/bidding: 13 of 25 limits.cpu left, 15 wanted");
  EXPECT_EQ(Budgets(), "100 45 25 45 25") << "nothing is taken from anybody";
  EXPECT_EQ(Left("bidding").Canonical(), "-2") << "but nothing new fits";
  pods["bidding"] = Of({{"limits.cpu", "10"}});
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kReturned);
  EXPECT_EQ(Budgets(), "100 60 40 30 10");
}

TEST_F(TransferTest, A25_WaitsForWhatIsNotLeft) {
  pods["ranking"] = Of({{"limits.cpu", "26"}});
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kPending);
  EXPECT_EQ(transfer.message, "bizrq/ranking: 14 of 40 limits.cpu left, 15 wanted");
  EXPECT_EQ(Marks(), 0u);
  EXPECT_FALSE(HoldOf(transfer, MakeTree()).group.size()) << "nothing has been moved";
  pods["ranking"] = Of({{"limits.cpu", "25"}});
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kMoved);
  EXPECT_EQ(transfer.message, "");
}

TEST_F(TransferTest, A25_BetweenAParentAndAGroupBelowItOnlyThoseBelowChange) {
  Transfer("search", "ranking", {{"limits.cpu", "20"}});
  Finish();
  EXPECT_EQ(Budgets(), "100 60 60 30 10");
  cluster::QuotaTransfer back;
  std::swap(transfer, back);
  Transfer("bidding", "org", {{"limits.cpu", "4"}});
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kMoved) << transfer.message;
  EXPECT_EQ(Budgets(), "100 60 60 26 6");
}

TEST_F(TransferTest, A25_WhatCannotBeIsRefused) {
  const auto refused = [&](Pairs amounts, std::string from = "ranking", std::string to = "bidding") {
    transfer = {};
    Transfer(std::move(from), std::move(to), amounts);
    Finish();
    EXPECT_EQ(transfer.phase, Phase::kRefused);
    EXPECT_EQ(Marks(), 0u);
    return transfer.message;
  };
  EXPECT_EQ(refused({{"limits.cpu", "0"}}), "limits.cpu must be more than 0");
  EXPECT_EQ(refused({}), "no amounts");
  EXPECT_EQ(refused({{"gpu", "1"}}), "gpu is no key that a pod could be charged to");
  EXPECT_EQ(refused({{"limits.memory", "1"}}), "bizrq/ranking does not limit limits.memory");
  EXPECT_EQ(refused({{"pods", "1"}}, "ranking", "ads"), "bizrq/ads does not limit pods");
  EXPECT_EQ(refused({{"limits.cpu", "1"}}, "ads", "ads"), "from and to are the same group");
  Add(MakeGroup("other", "", {{"limits.cpu", "5"}}));
  EXPECT_EQ(refused({{"limits.cpu", "1"}}, "ads", "other"), "ads and other have no group above both");
}

TEST_F(TransferTest, A25_AGroupThatIsNotThereYetIsWaitedFor) {
  Transfer("ranking", "billing", {{"limits.cpu", "1"}});
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kPending);
  EXPECT_EQ(transfer.message, "bizrq/billing: no such group");
  transfer.until = kNow + hours(1);
  now += hours(1);
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kRefused);
  EXPECT_EQ(transfer.message, "its time was over before it could begin");
}

TEST_F(TransferTest, A25_KeysThatTheGroupsAboveDoNotLimitMoveAtTheEndsAlone) {
  Transfer("ranking", "bidding", {{"limits.cpu", "5"}, {"pods", "2"}});
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kMoved) << transfer.message;
  EXPECT_EQ(Budgets(), "100 55 35 35 15");
  EXPECT_EQ(Hard("ranking", "pods").Canonical(), "7");
  EXPECT_EQ(Hard("bidding", "pods").Canonical(), "11");
  EXPECT_EQ(Find(groups.at("ads").hard, "pods"), nullptr);
}

TEST_F(TransferTest, A25_KeysAreChangedAsTheGroupSpellsThem) {
  groups.at("ranking").hard = Of({{"limits.cpu", "40"}, {"nvidia.com/gpu", "8"}});
  groups.at("bidding").hard = Of({{"limits.cpu", "10"}, {"limits.nvidia.com/gpu", "1"}});
  Transfer("ranking", "bidding", {{"requests.nvidia.com/gpu", "2"}});
  Finish();
  EXPECT_EQ(groups.at("ranking").hard, Of({{"limits.cpu", "40"}, {"nvidia.com/gpu", "6"}}));
  EXPECT_EQ(groups.at("bidding").hard, Of({{"limits.cpu", "10"}, {"limits.nvidia.com/gpu", "3"}}));
}

TEST_F(TransferTest, A25_HoursMoveOnceTheyAreCounted) {
  for (const char* name : {"ranking", "bidding"}) Set(groups.at(name).hard, "cash/limits.cpu", Quantity::FromInt(100));
  Transfer("ranking", "bidding", {{"cash/limits.cpu", "60"}});
  Finish();
  EXPECT_EQ(transfer.message, "bizrq/ranking: nobody has counted cash/limits.cpu yet");
  for (const char* name : {"ranking", "bidding"}) groups.at(name).self_used = Of({{"cash/limits.cpu", "41"}});
  Finish();
  EXPECT_EQ(transfer.message, "bizrq/ranking: 59 of 100 cash/limits.cpu left, 60 wanted");
  groups.at("ranking").self_used = Of({{"cash/limits.cpu", "40"}});
  Finish();
  EXPECT_EQ(Hard("ranking", "cash/limits.cpu").Canonical(), "40");
  EXPECT_EQ(Hard("bidding", "cash/limits.cpu").Canonical(), "160");
}

TEST_F(TransferTest, A25_WhereTheGroupGoesMeanwhileItComesBack) {
  while (!groups.at("search").transfers.contains(transfer.uid)) ASSERT_TRUE(Step());
  groups.erase("bidding");
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kReturned);
  EXPECT_EQ(transfer.message, "bizrq/bidding: no such group");
  EXPECT_EQ(Budgets(), "100 60 40 30 -");
}

TEST_F(TransferTest, A25_WhatAGroupThatGoesHadBorrowedComesBackFromTheOneAbove) {
  transfer.until = kNow + hours(5);
  Finish();
  groups.erase("bidding");
  now += hours(5);
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kReturned) << transfer.message;
  EXPECT_EQ(Budgets(), "100 60 40 30 -");
}

TEST_F(TransferTest, A25_WhereTheLenderGoesItStaysWithTheGroupAbove) {
  transfer.until = kNow + hours(5);
  Finish();
  groups.erase("ranking");
  pods.erase("ranking");
  now += hours(5);
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kReturned) << transfer.message;
  EXPECT_EQ(Budgets(), "100 60 - 30 10");
}

TEST_F(TransferTest, A25_ALoanThatIsDeletedComesBackFirst) {
  transfer.until = kNow + hours(5);
  Finish();
  transfer.deleting = true;
  Finish();
  EXPECT_EQ(transfer.phase, Phase::kReturned);
  EXPECT_FALSE(transfer.finalizer);
  EXPECT_EQ(Budgets(), "100 60 40 30 10");
}

TEST_F(TransferTest, A25_AReservationThatIsAboutToEndIsMadeAnew) {
  while (Next().kind != TransferStep::Kind::kReserve) ASSERT_TRUE(Step());
  EXPECT_EQ(Next().payer, "org");
  EXPECT_EQ(Next().reserved, Of({{"limits.cpu", "45"}}));
  ASSERT_TRUE(Step());
  EXPECT_EQ(Next().payer, "ads") << "for whom they are, before ads has them";
  EXPECT_EQ(Next().group, "bidding");
  EXPECT_EQ(Next().reserved, Of({{"limits.cpu", "25"}}));
  ASSERT_TRUE(Step());
  EXPECT_EQ(Next().kind, TransferStep::Kind::kChangeBudget);
  now += seconds(61);
  EXPECT_EQ(Next().kind, TransferStep::Kind::kReserve);
}

// Random trees and transfers, a controller that is stopped after any write, and others who meanwhile take whatever
// they may: budgets never add up to more than what is above them, nobody but the two groups ever sees a difference in
// what is left, and once it has begun to move it comes to an end.
RC_GTEST_PROP(Transfer, A25_IsInOnePlaceAtEachStep, ()) {
  TransferBed bed;
  bed.Add(MakeGroup("g0", "", {{"limits.cpu", "1000"}}));
  const int count = *rc::gen::inRange(2, 9);
  for (int i = 1; i < count; ++i) {
    const std::string parent = Concat("g", std::to_string(*rc::gen::inRange(0, i)));
    const int64_t left = bed.Left(parent).Value();
    auto group = MakeGroup(Concat("g", std::to_string(i)), parent, {});
    Set(group.hard, "limits.cpu", Quantity::FromInt(*rc::gen::inRange<int64_t>(0, left + 1)));
    bed.Add(std::move(group));
  }
  const auto any = [&] { return *rc::gen::inRange(0, count); };
  const int giver = any();
  const std::string from = Concat("g", std::to_string(giver));
  const std::string to = Concat("g", std::to_string((giver + *rc::gen::inRange(1, count)) % count));
  for (const auto& [name, group] : bed.groups) {
    const int64_t left = bed.Left(name).Value();
    Amounts usage;
    Set(usage, "limits.cpu", Quantity::FromInt(*rc::gen::inRange<int64_t>(0, left + 1)));
    bed.pods[name] = usage;
  }
  const int64_t amount = *rc::gen::inRange<int64_t>(1, 30);
  bed.Transfer(from, to, {});
  Set(bed.transfer.amounts, "limits.cpu", Quantity::FromInt(amount));
  if (*rc::gen::arbitrary<bool>()) bed.transfer.until = bed.now + hours(1);
  const bool fits = bed.Left(from).Value() >= amount;
  const bool others = *rc::gen::arbitrary<bool>();

  std::map<std::string, int64_t> left;
  for (const auto& [name, group] : bed.groups) left[name] = bed.Left(name).Value();
  const Phase there = bed.transfer.until ? Phase::kLent : Phase::kMoved;
  const auto check = [&] {
    for (const auto& [name, group] : bed.groups) {
      const int64_t now = bed.Left(name).Value();
      const bool overdue = bed.transfer.phase == Phase::kOverdue && name == to;
      const int64_t changed = now - left[name];
      // It is about to get them, and has them reserved already for whom they are.
      const bool expects = name != from && name != to && bed.transfer.phase != there && changed == -amount;
      RC_ASSERT(now >= (expects ? -amount : 0) || overdue);
      if (name == from) RC_ASSERT(changed == 0 || changed == -amount);
      if (name == to) RC_ASSERT(changed == 0 || changed == amount || overdue);
      if (name != from && name != to) RC_ASSERT(changed == 0 || expects);
    }
  };
  const auto take_what_is_left = [&](const std::string& name) {
    const int64_t most = bed.Left(name).Value();
    if (most <= 0) return;
    const int64_t more = *rc::gen::inRange<int64_t>(0, most + 1);
    Amounts usage;
    Set(usage, "limits.cpu", Quantity::FromInt(more));
    Add(bed.pods[name], usage);
    left[name] -= more;
  };
  const auto run = [&] {
    int steps = 0;
    while (bed.Step()) {
      RC_ASSERT(++steps < 100);
      check();
      // Not of the group that gives at the very beginning: it may then not have the amounts any more, and waits.
      if (others && bed.transfer.phase != Phase::kPending) {
        const std::string name = Concat("g", std::to_string(any()));
        if (name != from && name != to) take_what_is_left(name);
      }
    }
  };
  run();
  RC_ASSERT(bed.transfer.phase == (fits ? there : Phase::kPending));
  RC_ASSERT(bed.Left(to).Value() == left[to] + (fits ? amount : 0));
  if (!fits || !bed.transfer.until) return;
  if (others) take_what_is_left(to);
  bed.now += hours(2);
  run();
  if (bed.transfer.phase == Phase::kOverdue) {
    bed.pods[to].clear();
    left[to] = bed.Left(to).Value();  // as it is while the transfer is overdue
    while (bed.Step()) {
    }
  }
  RC_ASSERT(bed.transfer.phase == Phase::kReturned);
  for (const auto& [name, group] : bed.groups) RC_ASSERT(group.transfers.empty());
}

}  // namespace
}  // namespace huygens::quota
