#include "controller/transfer_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/simulated_transfers.h"

namespace huygens::controller {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST_F(TransfersTest, GoForGood) {
  PutTransfer("15");
  Run(seconds(5));
  EXPECT_EQ(PhaseOf(), "Moved") << server.transfer("t").message;
  EXPECT_EQ(Budgets(), "100 45 25 45 25");
  EXPECT_EQ(Lefts(), "10 20 0 20 25");
  EXPECT_EQ(Marks(), 0u);
  EXPECT_EQ(Drift(), 0u);
  EXPECT_THAT(controller->Lines(), Contains(HasSubstr("transfer=t from=ranking to=bidding phase=Moved")));
  server.DeleteTransfer("t");
  Run(seconds(1));
  EXPECT_EQ(PhaseOf(), "gone");
  EXPECT_EQ(Budgets(), "100 45 25 45 25");
}

TEST_F(TransfersTest, ALoanComesBackAtItsTime) {
  PutTransfer("15", time.Now() + hours(1));
  Run(minutes(59));
  EXPECT_EQ(PhaseOf(), "Lent");
  EXPECT_EQ(Lefts(), "10 20 0 20 25");
  Run(minutes(1) + seconds(5));
  EXPECT_EQ(PhaseOf(), "Returned");
  EXPECT_EQ(Budgets(), "100 60 40 30 10");
  EXPECT_EQ(Lefts(), "10 20 15 20 10");
  EXPECT_EQ(Marks(), 0u);
  EXPECT_EQ(Drift(), 0u);
}

TEST_F(TransfersTest, WhatIsUsedThenIsOverdueUntilItEnds) {
  PutTransfer("15", time.Now() + hours(1));
  server.PutDeployment("bidder", "bidding", 12);
  Run(hours(1) + seconds(5));
  EXPECT_EQ(PhaseOf(), "Overdue");
  EXPECT_EQ(server.transfer("t").message, "bizrq/bidding: 13 of 25 limits.cpu left, 15 wanted");
  EXPECT_EQ(server.Used("bidding", "limits.cpu"), "27") << "so that it gets nothing new";
  EXPECT_EQ(Budgets(), "100 45 25 45 25");
  const int writes = server.status_writes;
  Run(hours(1));
  EXPECT_EQ(server.status_writes, writes);
  server.PutDeployment("bidder", "bidding", 8);
  Run(seconds(5));
  EXPECT_EQ(PhaseOf(), "Returned");
  EXPECT_EQ(Budgets(), "100 60 40 30 10");
  EXPECT_EQ(Lefts(), "10 20 15 20 2");
  EXPECT_EQ(Drift(), 0u);
}

TEST_F(TransfersTest, WaitForWhatTheGroupDoesNotHaveAndBeginOnceItHas) {
  PutTransfer("20");
  Run(seconds(5));
  EXPECT_EQ(PhaseOf(), "Pending");
  EXPECT_EQ(server.transfer("t").message, "bizrq/ranking: 15 of 40 limits.cpu left, 20 wanted");
  server.PutDeployment("ranker", "ranking", 20);
  Run(seconds(5));
  EXPECT_EQ(PhaseOf(), "Moved");
  EXPECT_EQ(Budgets(), "100 40 20 50 30");
}

TEST_F(TransfersTest, ThatCannotBeAreRefused) {
  PutGroup("alone", "", "5");
  PutTransfer("15", std::nullopt, "t", "ranking", "alone");
  Run(seconds(5));
  EXPECT_EQ(PhaseOf(), "Refused");
  EXPECT_EQ(server.transfer("t").message, "ranking and alone have no group above both");
  EXPECT_EQ(Budgets(), "100 60 40 30 10");
}

TEST_F(TransfersTest, BetweenAGroupAndOneAboveIt) {
  left_.at("org").Add(*Quantity::Parse("15"));
  PutTransfer("15", std::nullopt, "up", "ranking", "org");
  Run(seconds(5));
  EXPECT_EQ(PhaseOf("up"), "Moved");
  EXPECT_EQ(Budgets(), "100 45 25 30 10");
  PutTransfer("15", std::nullopt, "down", "org", "bidding");
  Run(seconds(5));
  EXPECT_EQ(PhaseOf("down"), "Moved");
  EXPECT_EQ(Budgets(), "100 45 25 45 25");
  EXPECT_EQ(Lefts(), "10 20 0 20 25");
}

TEST_F(TransfersTest, SeveralAtOnceOfTheSameGroupsAddUp) {
  left_.at("ads").Add(*Quantity::Parse("4"));
  PutTransfer("6", std::nullopt, "a");
  PutTransfer("5", std::nullopt, "b");
  PutTransfer("4", std::nullopt, "c", "ranking", "ads");
  PutTransfer("3", std::nullopt, "d", "bidding", "ranking");
  Run(minutes(5));
  for (const char* name : {"a", "b", "c", "d"}) EXPECT_EQ(PhaseOf(name), "Moved") << name;
  EXPECT_EQ(Budgets(), "100 48 28 42 18");
  EXPECT_EQ(Lefts(), "10 20 3 24 18");
}

// One without a definition, or that was written by a later version.
TEST_F(TransfersTest, WhatCannotBeReadIsLeftAlone) {
  cluster::QuotaTransfer strange;
  strange.name = "strange";
  strange.defect = "status.phase: there is no Paused";
  server.PutTransfer(strange);
  Run(seconds(5));
  EXPECT_EQ(PhaseOf("strange"), "Pending");
  EXPECT_FALSE(server.transfer("strange").finalizer);
}

constexpr int kMostWrites = 200;

// A loan of a minute that goes and comes back, in which something happens at the write of a number.
class Scene : public TransfersTest {
 public:
  void TestBody() override {}
  // Calls it just before the write; whether there was one of this number.
  bool Lend(int number, const std::function<void(Scene&)>& happen) {
    int writes = 0;
    server.on_write = [&] {
      if (++writes == number) happen(*this);
    };
    Lend();
    server.on_write = nullptr;
    return writes >= number;
  }
  void Lend() {
    PutTransfer("15", time.Now() + minutes(1));
    Run(minutes(10));
  }
  void ExpectReturned() const {
    EXPECT_EQ(Budgets(), "100 60 40 30 10");
    EXPECT_EQ(Lefts(), "10 20 15 20 10");
    EXPECT_EQ(Marks(), 0u);
  }

  using TransfersTest::Another;
  using TransfersTest::Budgets;
  using TransfersTest::controller;
  using TransfersTest::Drift;
  using TransfersTest::left_;
  using TransfersTest::Lefts;
  using TransfersTest::PhaseOf;
  using TransfersTest::Run;
  using TransfersTest::server;
  using TransfersTest::time;
};

// `run` is given a number and says whether there was a write of this number.
void AtEachWrite(const std::function<bool(int number)>& run) {
  int number = 1;
  for (; run(number); ++number) {
    ASSERT_FALSE(testing::Test::HasFailure()) << "at write " << number;
    ASSERT_LT(number, kMostWrites);
  }
  EXPECT_GT(number, 10);
}

TEST(TransfersAtEachWrite, OneWhoGoesOnKnowingLessDoesNothingTwice) {
  for (const Duration lag : {milliseconds(1), milliseconds(300)}) {
    AtEachWrite([&](int number) {
      Scene scene;
      auto next = scene.Another(lag);
      const bool came = scene.Lend(number, [&](Scene& at) {
        // It is stored, and whoever wrote it is not there any more to hear so.
        at.time.After(Duration::zero(), [&at, &next] {
          at.controller->StopLeading();
          next->Lead();
        });
      });
      EXPECT_EQ(scene.PhaseOf(), "Returned");
      scene.ExpectReturned();
      return came;
    });
  }
}

// It still takes for moving what has come back already: what it would move then nobody would bring back.
TEST(TransfersAtEachWrite, OneThatIsDeletedComesBackWhereWhoeverGoesOnTakesItForMoving) {
  for (const int deleted_at : {8, 10, 12}) {
    for (const Duration lag : {milliseconds(15), milliseconds(30), milliseconds(60)}) {
      AtEachWrite([&](int number) {
        Scene scene;
        scene.left_.clear();  // figures are by what is known, until the watch tells more
        auto next = scene.Another(lag);
        int writes = 0;
        scene.server.on_write = [&] {
          ++writes;
          if (writes == deleted_at && scene.server.HasTransfer("t")) scene.server.DeleteTransfer("t");
          if (writes != number) return;
          scene.time.After(Duration::zero(), [&scene, &next] {
            scene.controller->StopLeading();
            next->Lead();
          });
        };
        scene.Lend();
        EXPECT_EQ(scene.PhaseOf(), "gone") << "deleted at " << deleted_at << ", told after " << lag.count();
        scene.ExpectReturned();
        return writes >= number;
      });
    }
  }
}

TEST(TransfersAtEachWrite, AnotherWriterWhoIsFasterIsNotOverrun) {
  AtEachWrite([&](int number) {
    Scene scene;
    const bool came = scene.Lend(number, [&](Scene& at) {
      for (const char* name : {"org", "search", "ranking", "ads", "bidding"}) {
        at.server.Change(name, [](auto&) {});  // the resource version alone
      }
      auto touched = at.server.transfer("t");
      at.server.PutTransfer(touched);
    });
    EXPECT_EQ(scene.PhaseOf(), "Returned");
    scene.ExpectReturned();
    return came;
  });
}

TEST(TransfersAtEachWrite, OneThatIsDeletedComesBack) {
  AtEachWrite([&](int number) {
    Scene scene;
    const bool came = scene.Lend(number, [&](Scene& at) {
      if (at.server.HasTransfer("t")) at.server.DeleteTransfer("t");
    });
    EXPECT_EQ(scene.PhaseOf(), came ? "gone" : "Returned");
    scene.ExpectReturned();
    return came;
  });
}

// Where nobody goes on, what is on its way is counted all the while, whatever becomes of reservations.
TEST(TransfersAtEachWrite, WhatIsOnItsWayStaysCounted) {
  AtEachWrite([&](int number) {
    Scene scene;
    const bool came = scene.Lend(
        number, [&](Scene& at) { at.time.After(Duration::zero(), [&at] { at.controller->loop.StopLeading(); }); });
    const std::string lefts = scene.Lefts(), budgets = scene.Budgets();
    scene.controller->loop.Lead();
    scene.Run(minutes(10));
    EXPECT_THAT(scene.PhaseOf(), testing::AnyOf("Returned", "Refused")) << "was " << budgets << ", left " << lefts;
    scene.ExpectReturned();
    EXPECT_EQ(scene.Drift(), 0u);
    return came;
  });
}

// The webhook has said yes to another key in the budget of the group that gets something.
TEST_F(TransfersTest, WhatIsReservedForAChangeOfTheChildStaysReserved) {
  server.Change("ads", [](cluster::BizGroupQuota& group) { quota::Set(group.hard, "pods", *Quantity::Parse("20")); });
  Run(seconds(1));
  server.Change("ads", [&](cluster::BizGroupQuota& group) {
    group.reservations.push_back(ReservedChild(server.group("bidding").uid, "bidding",
                                               {{"limits.cpu", "10"}, {"pods", "5"}}, time.Now() + seconds(90)));
    quota::Add(group.used, Of({{"pods", "5"}}));
  });
  PutTransfer("1");
  Run(seconds(5));
  EXPECT_EQ(PhaseOf(), "Moved");
  EXPECT_EQ(server.Used("ads", "pods"), "5");
  Run(seconds(100));
  EXPECT_EQ(server.Used("ads", "pods"), "0");
}

// What is on its way in a group between the two may take of a key that has just come to its budget.
TEST_F(TransfersTest, ATransferCountsNoKeyThatHasJustComeToABudget) {
  server.Change("ads", [&](cluster::BizGroupQuota& group) {
    group.reservations.push_back(Reserved("late-1", "late", {{"limits.cpu", "2"}}, time.Now() + seconds(90)));
    quota::Add(group.used, Of({{"limits.cpu", "2"}}));
    quota::Add(group.self_used, Of({{"limits.cpu", "2"}}));
    quota::Set(group.hard, "pods", *Quantity::Parse("20"));
  });
  PutTransfer("1");
  Run(seconds(5));
  EXPECT_EQ(PhaseOf(), "Moved");
  EXPECT_EQ(quota::Find(server.group("ads").used, "pods"), nullptr);
  EXPECT_EQ(quota::Find(server.group("ads").counted_hard, "pods"), nullptr);
  Run(seconds(100));
  EXPECT_EQ(server.Used("ads", "pods"), "0");
}

}  // namespace
}  // namespace huygens::controller
