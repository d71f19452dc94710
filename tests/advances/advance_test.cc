#include "advances/advance.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/quota/groups.h"

namespace huygens::advances {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Time kNow = *ParseRfc3339("2026-11-28T10:00:00Z");

class AdvanceTest : public testing::Test {
 protected:
  AdvanceTest() {
    group_.name = "team";
    group_.uid = "team-uid";
    group_.resource_version = "1";
    group_.hard = group_.counted_hard = quota::Of({{"limits.cpu", "100"}, {"cash/limits.cpu", "9"}});
    group_.used = group_.self_used = quota::Of({{"limits.cpu", "20"}});
  }
  Charge Creation(const std::string& name, std::string_view cores = "1") {
    Charge charge;
    charge.group = "team";
    charge.reservation.uid = name;
    charge.reservation.kind = "Deployment.apps";
    charge.reservation.amounts = charge.increase = quota::Of({{"limits.cpu", cores}});
    charge.usage = quota::Of({{"limits.cpu", cores}, {"limits.memory", "7"}});
    charge.created = true;
    return charge;
  }
  void Charges(int count, std::string_view cores = "1") {
    for (int i = 0; i < count; ++i) advance_.Note(Creation("x", cores), now_);
  }
  // As GroupCommit writes.
  void Write(bool stored = true) {
    cluster::BizGroupQuota object = group_;
    given_up_ = advance_.Settle(Until(), now_, object).size();
    advance_.Make(Until(), kNow, now_, object);
    if (!stored) return;
    group_ = object;
    group_.resource_version = std::to_string(std::stoi(group_.resource_version) + 1);
    written_ = advance_.Written().size();
  }
  bool Answered(const Charge& charge) {
    if (!advance_.Covers(group_, charge, kNow)) return false;
    advance_.Answer(charge, group_, now_);
    return true;
  }
  static Time Until() { return kNow + seconds(90); }
  std::string Used() const { return quota::Get(group_.used, "limits.cpu").Canonical(); }
  std::string Kept() const {
    const auto* stands = AdvanceOf(group_, "me");
    return stands == nullptr ? "none" : quota::Get(stands->amounts, "limits.cpu").Canonical();
  }

  AdvanceOptions options_{.on = true, .instance = "me", .name = "webhook-1"};
  Advance advance_{options_};
  cluster::BizGroupQuota group_;
  Duration now_ = seconds(100);
  size_t written_ = 0, given_up_ = 0;
};

TEST_F(AdvanceTest, ABusyGroupIsWrittenAheadOfNeedAsMuchAsItTookLately) {
  Charges(7);
  Write();
  EXPECT_EQ(Kept(), "none");
  Charges(1);
  Write();
  EXPECT_EQ(Kept(), "8");
  EXPECT_EQ(Used(), "28");
  EXPECT_EQ(quota::Get(group_.self_used, "limits.cpu").Canonical(), "28");
}

TEST_F(AdvanceTest, KeepsAtMostAShareOfWhatIsLeftAndNothingOfLittle) {
  Charges(64);
  Write();
  EXPECT_EQ(Kept(), "8");  // of 80 left 10: 64 halved until it fits
  group_.used = quota::Of({{"limits.cpu", "80"}});
  group_.reservations.clear();
  Write();
  EXPECT_EQ(Kept(), "none");  // an eighth of 20 is less than 4 charges
}

TEST_F(AdvanceTest, AnswersCreationsOutOfItUntilItIsUsedUp) {
  Charges(8);
  Write();
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(Answered(Creation(Concat("d", std::to_string(i))))) << i;
  EXPECT_FALSE(Answered(Creation("d8")));
  EXPECT_FALSE(advance_.IsDue(group_, kNow, now_));
  now_ += milliseconds(250);
  EXPECT_TRUE(advance_.IsDue(group_, kNow, now_));
  Write();
  EXPECT_EQ(written_, 8U);
  EXPECT_EQ(Used(), "36");  // 20, the 8, and 8 ahead again
  EXPECT_EQ(group_.reservations.size(), 9U);
  EXPECT_EQ(quota::Get(group_.reservations[0].amounts, "limits.cpu").Canonical(), "1");
}

TEST_F(AdvanceTest, NothingButAWholeCreationIsAnsweredOutOfIt) {
  Charges(8);
  Write();
  Charge scale = Creation("a", "2");
  scale.created = false;
  EXPECT_FALSE(Answered(scale));
  Charge repeat = Creation("b", "2");  // some of it was charged before
  repeat.increase = quota::Of({{"limits.cpu", "1"}});
  EXPECT_FALSE(Answered(repeat));
  Charge child = Creation("c");
  child.of_child = true;
  EXPECT_FALSE(Answered(child));
  EXPECT_TRUE(Answered(Creation("d")));
}

// Until it is known whether the write was stored, both what stood and what is to stand must cover all.
TEST_F(AdvanceTest, WhileAWriteIsOnItsWayBothVersionsCoverWhatIsAnswered) {
  Charges(8);
  Write();
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(Answered(Creation(Concat("d", std::to_string(i)))));
  Write(false);  // sent
  EXPECT_TRUE(Answered(Creation("e0")));
  EXPECT_TRUE(Answered(Creation("e1")));
  EXPECT_FALSE(Answered(Creation("e2"))) << "the version that stands has 8";
  advance_.PerhapsWritten("2");
  EXPECT_FALSE(Answered(Creation("e3"))) << "nobody knows what stands";
  Write();
  EXPECT_EQ(written_, 8U);
  EXPECT_EQ(Used(), "36");
}

// Which the controller may have taken out since, as it has seen the object.
TEST_F(AdvanceTest, AWriteWhoseAnswerGotLostChargesNothingOnceMore) {
  Charges(8);
  Write();
  ASSERT_TRUE(Answered(Creation("a")));
  cluster::BizGroupQuota object = group_;
  advance_.Settle(Until(), now_, object);
  advance_.Make(Until(), kNow, now_, object);
  advance_.PerhapsWritten(group_.resource_version);
  group_ = object;  // it was stored
  group_.resource_version = "3";
  std::erase_if(group_.reservations, [](const auto& each) { return each.uid == "a"; });
  Write();
  EXPECT_EQ(given_up_, 1U);
  EXPECT_EQ(Used(), "29");  // 20, "a", and 8 ahead
}

TEST_F(AdvanceTest, IsNotUsedWhenItMayEndBeforeTheObjectComes) {
  Charges(8);
  Write();
  EXPECT_TRUE(advance_.Covers(group_, Creation("a"), kNow + seconds(15)));
  EXPECT_FALSE(advance_.Covers(group_, Creation("a"), kNow + seconds(16)));
}

TEST_F(AdvanceTest, IsNotUsedOnceTheBudgetHasOtherKeysAndWhatWasAnsweredIsWrittenByThese) {
  Charges(8);
  Write();
  ASSERT_TRUE(Answered(Creation("a")));
  group_.hard = quota::Of({{"limits.cpu", "100"}, {"limits.memory", "50"}});
  EXPECT_FALSE(Answered(Creation("b")));
  Write();
  EXPECT_EQ(quota::Get(group_.reservations[0].amounts, "limits.memory").Canonical(), "7");
  EXPECT_EQ(quota::Find(group_.used, "limits.memory"), nullptr) << "nobody has counted it yet";
}

TEST_F(AdvanceTest, IsGivenBackWhenRecalledIdleOrStopped) {
  Charges(8);
  Write();
  ASSERT_TRUE(Answered(Creation("a")));
  const auto stands = group_;
  const auto used_so_far = advance_;
  Recall({.instance = "other", .name = "webhook-2"}, kNow, group_);
  EXPECT_FALSE(Answered(Creation("b")));
  EXPECT_TRUE(advance_.IsDue(group_, kNow, now_));
  Write();
  EXPECT_EQ(Kept(), "none");
  EXPECT_EQ(Used(), "21");

  group_ = stands;
  advance_ = used_so_far;
  now_ += seconds(1);
  EXPECT_TRUE(advance_.IsDue(group_, kNow, now_));
  Write();
  EXPECT_EQ(Kept(), "none");
  EXPECT_EQ(Used(), "21");
  EXPECT_FALSE(advance_.IsDue(group_, kNow, now_));

  group_ = stands;
  advance_ = used_so_far;
  advance_.Stop();
  EXPECT_TRUE(advance_.IsDue(group_, kNow, now_));
  Write();
  EXPECT_EQ(Kept(), "none");
}

// Its object is there by then or comes no more, and the advance that covered it may be another's room already.
TEST_F(AdvanceTest, WhatCouldNotBeWrittenForAMinuteIsNotWrittenLater) {
  Charges(8);
  Write();
  ASSERT_TRUE(Answered(Creation("a")));
  now_ += seconds(60);
  Write();
  EXPECT_EQ(given_up_, 1U);
  EXPECT_EQ(Used(), "20");
}

TEST_F(AdvanceTest, WhatNoApiServerTakesIsWrittenOneByOne) {
  Charges(8);
  Write();
  ASSERT_TRUE(Answered(Creation("a")));
  ASSERT_TRUE(Answered(Creation("b")));
  Write(false);
  EXPECT_TRUE(advance_.Refused().empty());
  Write(false);
  EXPECT_EQ(advance_.Refused().size(), 1U);
  Write();
  EXPECT_EQ(written_, 1U);
  EXPECT_EQ(Used(), "21");
}

}  // namespace
}  // namespace huygens::advances
