#include "controller/recount.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/controller/groups.h"

namespace huygens::controller {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

class RecountTest : public testing::Test {
 protected:
  RecountTest() { group_.last_reconcile = kNow; }

  Recounted Count(Time watched_until = kNow) {
    auto holder = [this](const cluster::QuotaReservation& each) -> std::optional<NameHolder> {
      auto found = holders_.find(each.name);
      if (found == holders_.end()) return std::nullopt;
      return found->second;
    };
    return Recount({workloads_, children_, holder, [this](const auto&) { return known_since_; }, watched_until,
                    may_be_of_advance_, held_},
                   group_);
  }
  StatusChange CountAndCompare() {
    const cluster::BizGroupQuota before = group_;
    Count();
    return Compare(before, group_);
  }
  std::vector<std::string> Standing() const {
    std::vector<std::string> uids;
    for (const auto& each : group_.reservations) uids.push_back(each.uid);
    return uids;
  }

  cluster::BizGroupQuota group_ = MakeGroup("team", "", {{"limits.cpu", "10"}, {"pods", "20"}});
  std::vector<ObservedObject> workloads_, children_;
  std::map<std::string, NameHolder> holders_;
  Time known_since_ = kNow - seconds(30);
  std::function<bool(const ObservedObject&)> may_be_of_advance_;
  std::function<Amounts(const std::vector<cluster::QuotaReservation>&)> held_;
};

cluster::QuotaReservation AdvanceOf(const std::string& instance, quota::Pairs amounts) {
  cluster::QuotaReservation advance = Reserved(instance, instance, amounts, kNow + seconds(90));
  advance.kind = cluster::kAdvanceKind;
  return advance;
}

TEST_F(RecountTest, AnAdvanceCountsUntilItsTimeIsOver) {
  group_.reservations = {AdvanceOf("i1", {{"limits.cpu", "3"}, {"pods", "0"}})};
  Count();
  EXPECT_EQ(group_.used, Of({{"limits.cpu", "3"}, {"pods", "0"}}));
  EXPECT_EQ(group_.self_used, group_.used);
  EXPECT_EQ(Count(kNow + seconds(90)).expired, 1u);
  EXPECT_EQ(group_.used, Of({{"limits.cpu", "0"}, {"pods", "0"}}));
}

TEST_F(RecountTest, WhatWasLetInOutOfAnAdvanceCountsOnceBeforeItsReservationIsWritten) {
  group_.reservations = {AdvanceOf("i1", {{"limits.cpu", "3"}, {"pods", "0"}})};
  Count();
  may_be_of_advance_ = [](const ObservedObject& each) { return each.uid != "u9"; };
  workloads_ = {Observed("u1", "web", {{"limits.cpu", "2"}})};
  EXPECT_THAT(Count().fall, IsEmpty());
  EXPECT_EQ(group_.used, Of({{"limits.cpu", "3"}, {"pods", "0"}}));
  EXPECT_EQ(group_.self_used, group_.used);
  EXPECT_EQ(StatusChange::kNone, CountAndCompare());
  workloads_ = {Observed("u1", "web", {{"limits.cpu", "2"}}), Observed("u2", "db", {{"limits.cpu", "4"}})};
  Count();
  EXPECT_EQ(group_.used, Of({{"limits.cpu", "6"}, {"pods", "0"}})) << "never less than is seen";
  workloads_ = {Observed("u9", "old", {{"limits.cpu", "2"}})};
  Count();
  EXPECT_EQ(group_.used, Of({{"limits.cpu", "5"}, {"pods", "0"}})) << "an old one is no part of it";
}

// One comes, another goes: nothing says that the advance has become smaller.
TEST_F(RecountTest, OnlyWhatTheFiguresHaveRisenByIsTakenForPartOfAnAdvance) {
  workloads_ = {Observed("u9", "old", {{"limits.cpu", "2"}})};
  group_.reservations = {AdvanceOf("i1", {{"limits.cpu", "3"}, {"pods", "0"}})};
  Count();
  may_be_of_advance_ = [](const ObservedObject&) { return true; };
  workloads_ = {Observed("u1", "web", {{"limits.cpu", "2"}})};
  Count();
  EXPECT_EQ(group_.used, Of({{"limits.cpu", "5"}, {"pods", "0"}}));
}

TEST_F(RecountTest, ARecallOfAdvancesTakesNothingAndEndsWithItsTime) {
  group_.reservations = {AdvanceOf("i1", {})};
  group_.reservations[0].kind = cluster::kRecallKind;
  EXPECT_THAT(Count().look_again, Optional(kNow + seconds(90)));
  EXPECT_THAT(Standing(), ElementsAre("i1"));
  EXPECT_EQ(Count(kNow + seconds(90)).expired, 0u);
  EXPECT_THAT(Standing(), IsEmpty());
}

TEST_F(RecountTest, AddsUpWhatTheWorkloadsTakeOfTheKeysOfTheBudget) {
  workloads_ = {Observed("u1", "web", {{"limits.cpu", "2"}, {"limits.memory", "4Gi"}}),
                Observed("u2", "db", {{"limits.cpu", "1500m"}})};
  Count();
  EXPECT_EQ(group_.self_used, Of({{"limits.cpu", "3500m"}, {"pods", "0"}})) << "0 is counted, absent is not";
  EXPECT_EQ(group_.used, group_.self_used);
  EXPECT_EQ(group_.counted_hard, group_.hard);
}

TEST_F(RecountTest, OtherSpellingsOfAKeyAreTheSameKey) {
  group_.hard = Of({{"nvidia.com/gpu", "8"}});
  workloads_ = {Observed("u1", "web", {{"requests.nvidia.com/gpu", "2"}})};
  Count();
  EXPECT_EQ(group_.used, Of({{"requests.nvidia.com/gpu", "2"}}));
}

TEST_F(RecountTest, WhatChildrenTakeIsUsedButNotByItself) {
  workloads_ = {Observed("u1", "web", {{"limits.cpu", "2"}})};
  children_ = {Child("c1", "sub", {{"limits.cpu", "3"}, {"pods", "5"}, {"limits.memory", "1"}})};
  Count();
  EXPECT_EQ(group_.self_used, Of({{"limits.cpu", "2"}, {"pods", "0"}}));
  EXPECT_EQ(group_.used, Of({{"limits.cpu", "5"}, {"pods", "5"}}));
}

// Which is what it keeps once the reservation that counted it is over.
TEST_F(RecountTest, WhatATransferKeepsIsUsedAsIfAChildHadIt) {
  held_ = [](const auto& standing) { return standing.empty() ? Of({{"limits.cpu", "3"}}) : Amounts(); };
  workloads_ = {Observed("u1", "web", {{"limits.cpu", "2"}})};
  group_.reservations = {ReservedChild("c1", "sub", {{"limits.cpu", "3"}})};
  Count();
  EXPECT_EQ(group_.used, Of({{"limits.cpu", "5"}, {"pods", "0"}}));
  Count(kNow + seconds(90));
  EXPECT_EQ(group_.used, Of({{"limits.cpu", "5"}, {"pods", "0"}}));
  EXPECT_EQ(group_.self_used, Of({{"limits.cpu", "2"}, {"pods", "0"}}));
}

TEST_F(RecountTest, AReservationCountsUntilItsObjectIsSeen) {
  group_.reservations = {Reserved("u1", "web", {{"limits.cpu", "4"}})};
  Recounted counted = Count();
  EXPECT_EQ(group_.used, Of({{"limits.cpu", "4"}, {"pods", "0"}}));
  EXPECT_THAT(Standing(), ElementsAre("u1"));
  EXPECT_THAT(counted.look_again, Optional(kNow + seconds(90)));

  workloads_ = {Observed("u1", "web", {{"limits.cpu", "4"}, {"pods", "2"}})};
  counted = Count();
  EXPECT_EQ(group_.used, Of({{"limits.cpu", "4"}, {"pods", "2"}}));
  EXPECT_THAT(Standing(), IsEmpty());
  EXPECT_EQ(counted.settled, 1u);
  EXPECT_FALSE(counted.look_again);
}

TEST_F(RecountTest, AReservationThatIsNotReachedInEveryKeyStandsAndTheLargerCounts) {
  group_.reservations = {Reserved("u1", "web", {{"limits.cpu", "4"}, {"pods", "2"}})};
  workloads_ = {Observed("u1", "web", {{"limits.cpu", "5"}, {"pods", "1"}})};
  EXPECT_EQ(Count().settled, 0u);
  EXPECT_EQ(group_.used, Of({{"limits.cpu", "5"}, {"pods", "2"}})) << "never both";
  EXPECT_THAT(Standing(), ElementsAre("u1"));
}

TEST_F(RecountTest, AReservationIsOverWhenItsTimeIs) {
  group_.reservations = {Reserved("u1", "web", {{"limits.cpu", "4"}}, kNow + seconds(5))};
  EXPECT_EQ(Count(kNow + seconds(5) - milliseconds(1)).expired, 0u);
  EXPECT_EQ(quota::Get(group_.used, "limits.cpu").Text(), "4");
  const Recounted counted = Count(kNow + seconds(5));
  EXPECT_EQ(counted.expired, 1u);
  EXPECT_THAT(counted.fall, IsEmpty()) << "the end of the reservation explains it";
  EXPECT_EQ(quota::Get(group_.used, "limits.cpu").Text(), "0");
}

TEST_F(RecountTest, AReservationIsOverWhenItsNameIsAnothers) {
  group_.reservations = {Reserved("u2", "web", {{"limits.cpu", "4"}})};
  holders_["web"] = {"u2", kNow - hours(1)};
  EXPECT_EQ(Count().superseded, 0u) << "it is its own";
  holders_["web"] = {"u1", kNow - hours(1)};
  EXPECT_EQ(Count().superseded, 1u);
  EXPECT_EQ(quota::Get(group_.used, "limits.cpu").Text(), "0");
}

TEST_F(RecountTest, ANameIsAnothersOnlyWhenBothHaveBeenKnownForAWhile) {
  group_.reservations = {Reserved("u2", "web", {{"limits.cpu", "4"}})};
  holders_["web"] = {"u1", kNow - hours(1)};
  known_since_ = kNow - seconds(1);
  Recounted counted = Count();
  EXPECT_EQ(counted.superseded, 0u) << "the watch may still show the one that was deleted";
  EXPECT_THAT(counted.look_again, Optional(kNow + seconds(1)));
  EXPECT_EQ(Count(kNow + seconds(1)).superseded, 1u);

  group_.reservations = {Reserved("u2", "web", {{"limits.cpu", "4"}})};
  known_since_ = kNow - hours(1);
  holders_["web"].since = kNow - seconds(1);
  EXPECT_EQ(Count().superseded, 0u);
  EXPECT_EQ(Count(kNow + seconds(1)).superseded, 1u);
}

TEST_F(RecountTest, ReservationsOfChildrenAreNotItsOwn) {
  group_.reservations = {ReservedChild("c1", "sub", {{"limits.cpu", "4"}}),
                         ReservedChild("c2", "new", {{"limits.cpu", "1"}})};
  children_ = {Child("c1", "sub", {{"limits.cpu", "3"}, {"pods", "1"}})};
  Count();
  EXPECT_EQ(quota::Get(group_.self_used, "limits.cpu").Text(), "0");
  EXPECT_EQ(group_.used, Of({{"limits.cpu", "5"}, {"pods", "1"}}));
  children_ = {Child("c1", "sub", {{"limits.cpu", "4"}}), Child("c2", "new", {{"limits.cpu", "1"}})};
  EXPECT_EQ(Count().settled, 2u);
  EXPECT_EQ(quota::Get(group_.used, "limits.cpu").Text(), "5");
}

TEST_F(RecountTest, HoursStayAsTheyWereAndThoseOfChildrenAreAdded) {
  group_.hard = Of({{"cash/limits.cpu", "100"}, {"limits.cpu", "10"}});
  group_.self_used = Of({{"cash/limits.cpu", "7"}, {"cash/pods", "3"}});
  workloads_ = {Observed("u1", "web", {{"limits.cpu", "2"}})};
  children_ = {Child("c1", "sub", {{"cash/limits.cpu", "30"}, {"limits.cpu", "1"}})};
  Count();
  EXPECT_EQ(group_.self_used, Of({{"cash/limits.cpu", "7"}, {"cash/pods", "3"}, {"limits.cpu", "2"}}));
  EXPECT_EQ(group_.used, Of({{"cash/limits.cpu", "37"}, {"cash/pods", "3"}, {"limits.cpu", "3"}}));
}

TEST_F(RecountTest, TellsWhatFellAndWhatRoseWithoutAReason) {
  group_.used = Of({{"limits.cpu", "9"}, {"limits.memory", "1"}, {"pods", "1"}});
  group_.reservations = {Reserved("u1", "web", {{"limits.cpu", "4"}}, kNow)};
  workloads_ = {Observed("u2", "db", {{"limits.cpu", "2"}, {"pods", "3"}})};
  EXPECT_EQ(Count().fall, Of({{"limits.cpu", "3"}, {"pods", "-2"}})) << "4 of 7 were reserved";
  EXPECT_THAT(Count().fall, IsEmpty());
}

TEST_F(RecountTest, SaysHowMuchTheChangeMatters) {
  workloads_ = {Observed("u1", "web", {{"limits.cpu", "2"}})};
  EXPECT_EQ(CountAndCompare(), StatusChange::kFigures) << "never counted";
  EXPECT_EQ(CountAndCompare(), StatusChange::kNone);
  group_.reservations = {Reserved("u1", "web", {{"limits.cpu", "2"}})};
  EXPECT_EQ(CountAndCompare(), StatusChange::kSettled);
  group_.reservations = {Reserved("u1", "web", {{"limits.cpu", "3"}}, kNow)};
  group_.used = group_.self_used = Of({{"limits.cpu", "3"}, {"pods", "0"}});
  EXPECT_EQ(CountAndCompare(), StatusChange::kFigures);
  quota::Set(group_.hard, "limits.cpu", Quantity::FromInt(11));
  EXPECT_EQ(CountAndCompare(), StatusChange::kFigures) << "kubectl shows status.hard";
  EXPECT_EQ(CountAndCompare(), StatusChange::kNone);
}

// Earlier versions of the webhook wrote them as a list, and cannot read a text.
TEST_F(RecountTest, ReservationsBecomeATextButNothingIsWrittenForThat) {
  Count();
  EXPECT_TRUE(group_.reservations_as_text);
  group_.reservations_as_text = false;
  EXPECT_EQ(CountAndCompare(), StatusChange::kNone);
}

TEST_F(RecountTest, HoursMatterWhenTheyHaveJustRunOutOrWereHandedOut) {
  group_.hard = Of({{"cash/limits.cpu", "10"}});
  group_.self_used = Of({{"cash/limits.cpu", "7"}});
  Count();
  auto with = [&](std::string_view self, std::string_view used) {
    cluster::BizGroupQuota after = group_;
    quota::Set(after.self_used, "cash/limits.cpu", *Quantity::Parse(self));
    quota::Set(after.used, "cash/limits.cpu", *Quantity::Parse(used));
    return after;
  };
  EXPECT_EQ(Compare(group_, with("9", "9")), StatusChange::kHours);
  EXPECT_EQ(Compare(group_, with("10", "10")), StatusChange::kFigures) << "from now on new work is refused";
  EXPECT_EQ(Compare(with("10", "10"), with("11", "11")), StatusChange::kHours);
  EXPECT_EQ(Compare(group_, with("7", "9")), StatusChange::kFigures) << "a child was given 2";
}

}  // namespace
}  // namespace huygens::controller
