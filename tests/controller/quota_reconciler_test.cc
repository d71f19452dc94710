// One controller and an API server in virtual time. Deployments have pods of one core.
#include "controller/quota_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/simulated_quota.h"

namespace huygens::controller {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class QuotaReconcilerTest : public testing::Test {
 protected:
  QuotaReconcilerTest() { controller.loop.Lead(); }

  void Run(Duration duration) { time.Run(time.Monotonic() + duration); }
  void PutGroup(const std::string& name, const std::string& parent, Pairs hard) {
    server.PutGroup(MakeGroup(name, parent, hard));
    Run(seconds(1));
  }
  std::string Used(const std::string& group, std::string_view key = "limits.cpu") const {
    return server.Used(group, key);
  }
  // As a webhook charges it.
  void Charge(const std::string& group, cluster::QuotaReservation reservation) {
    server.Change(group, [&](cluster::BizGroupQuota& charged) {
      quota::Add(charged.used, reservation.amounts);
      quota::Add(charged.self_used, reservation.amounts);
      charged.reservations.push_back(std::move(reservation));
    });
  }
  Time In(Duration duration) const { return time.Now() + duration; }

  test::VirtualTime time;
  SimulatedServer server{time};
  SimulatedController controller{server, time};
};

TEST_F(QuotaReconcilerTest, ANewGroupIsCountedSoThatItCanBeCharged) {
  PutGroup("team", "", {{"limits.cpu", "10"}, {"pods", "5"}});
  const auto& group = server.group("team");
  EXPECT_EQ(group.counted_hard, group.hard);
  EXPECT_EQ(group.used, Of({{"limits.cpu", "0"}, {"pods", "0"}}));
  EXPECT_EQ(group.self_used, group.used);
  EXPECT_THAT(group.finalizers, ElementsAre(kFinalizer));
}

TEST_F(QuotaReconcilerTest, WorkloadsAreCountedAsTheyComeScaleAndGo) {
  PutGroup("team", "", {{"limits.cpu", "10"}});
  server.PutDeployment("web", "team", 3);
  Run(seconds(1));
  EXPECT_EQ(Used("team"), "3");
  server.PutDeployment("web", "team", 2);
  Run(seconds(1));
  EXPECT_EQ(Used("team"), "2");
  server.Delete("web-1");
  Run(seconds(1));
  EXPECT_EQ(Used("team"), "0");
  EXPECT_EQ(controller.counts().drift_over + controller.counts().drift_under, 0u);
}

TEST_F(QuotaReconcilerTest, AWorkloadThatMovesIsCountedWhereItIs) {
  PutGroup("team", "", {{"limits.cpu", "10"}});
  PutGroup("other", "", {{"limits.cpu", "10"}});
  server.PutDeployment("web", "team", 3);
  Run(seconds(1));
  server.PutDeployment("web", "other", 3);
  Run(seconds(1));
  EXPECT_EQ(Used("team"), "0");
  EXPECT_EQ(Used("other"), "3");
}

// A ReplicaSet has the labels of its template; which of both is charged depends on the Deployment's.
TEST_F(QuotaReconcilerTest, WhatItsOwnerIsChargedForCountsOnceAndAnOwnerWithoutAGroupLeavesItToIt) {
  PutGroup("team", "", {{"limits.cpu", "10"}});
  server.PutDeployment("web", "", 2);
  server.Put("apps", "ReplicaSet",
             R"({"metadata":{"name":"rs","namespace":"ns","uid":"rs","labels":{"biz.group.resource.quota":"team"},)"
             R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","uid":"web-1","controller":true}]},)"
             R"("spec":{"replicas":2,"template":{"spec":{"containers":[{"resources":{"limits":{"cpu":"1"}}}]}}}})");
  Run(seconds(1));
  EXPECT_EQ(Used("team"), "2");
  server.PutDeployment("web", "team", 3);
  Run(seconds(1));
  EXPECT_EQ(Used("team"), "3");
  server.PutDeployment("web", "", 3);
  Run(seconds(1));
  EXPECT_EQ(Used("team"), "2");
  PutGroup("other", "", {{"limits.cpu", "10"}});
  server.PutDeployment("web", "other", 3);  // of team it never was
  Run(seconds(1));
  EXPECT_EQ(Used("other"), "3");
  EXPECT_EQ(Used("team"), "0");
  EXPECT_EQ(controller.counts().drift_over, 0u);
}

TEST_F(QuotaReconcilerTest, AtRestNothingIsWritten) {
  PutGroup("org", "", {{"limits.cpu", "100"}, {"cash/limits.cpu", "10"}});
  PutGroup("team", "org", {{"limits.cpu", "10"}, {"cash/limits.cpu", "5"}});
  server.PutDeployment("web", "team", 3);
  Run(seconds(2));
  EXPECT_EQ(Used("org"), "10");
  const int writes = server.status_writes;
  Run(hours(1));
  EXPECT_EQ(server.status_writes, writes);
}

TEST_F(QuotaReconcilerTest, ALeakedChargeIsHealedAndCountedAsDrift) {
  PutGroup("team", "", {{"limits.cpu", "10"}});
  server.Change("team", [](auto& group) { group.used = group.self_used = Of({{"limits.cpu", "4"}}); });
  Run(seconds(1));
  EXPECT_EQ(Used("team"), "0");
  EXPECT_EQ(controller.counts().drift_over, 1u);
  EXPECT_THAT(controller.Lines(), ElementsAre(HasSubstr("tooMuch=\"limits.cpu 4\"")));
  server.Change("team", [](auto& group) { group.used = Of({{"limits.cpu", "-1"}}); });
  Run(seconds(1));
  EXPECT_EQ(Used("team"), "0");
  EXPECT_EQ(controller.counts().drift_under, 1u);
}

TEST_F(QuotaReconcilerTest, WhatNobodyToldOfIsPutRightByTheResync) {
  PutGroup("team", "", {{"limits.cpu", "10"}});
  server.PutDeployment("web", "team", 3);
  Run(seconds(1));
  workloads::WorkloadObject scaled = *controller.view.workloads().ByUid("web-1");
  scaled.counted.replicas = 1;
  controller.view.SetUntold(scaled);
  Run(minutes(4));
  EXPECT_EQ(Used("team"), "3");
  Run(minutes(2));
  EXPECT_EQ(Used("team"), "1");
}

TEST_F(QuotaReconcilerTest, AReservationEndsWhenItsObjectIsSeen) {
  PutGroup("team", "", {{"limits.cpu", "10"}});
  Charge("team", Reserved("web-1", "web", {{"limits.cpu", "3"}}, In(seconds(90))));
  Run(seconds(5));
  EXPECT_EQ(Used("team"), "3");
  EXPECT_EQ(server.group("team").reservations.size(), 1u);
  server.PutDeployment("web", "team", 3);
  Run(seconds(2));
  EXPECT_EQ(Used("team"), "3");
  EXPECT_THAT(server.group("team").reservations, IsEmpty());
  EXPECT_EQ(controller.counts().settled, 1u);
  EXPECT_EQ(controller.counts().drift_over + controller.counts().drift_under, 0u);
}

// They are written anew with every charge meanwhile.
TEST_F(QuotaReconcilerTest, ManyReservationsWhoseObjectsAreSeenEndSooner) {
  PutGroup("team", "", {{"limits.cpu", "1000"}});
  const auto create = [&](int first, int count) {
    for (int i = first; i < first + count; ++i) {
      const std::string name = Concat("d", std::to_string(i));
      Charge("team", Reserved(Concat(name, "-1"), name, {{"limits.cpu", "1"}}, In(seconds(90))));
      server.PutDeployment(name, "team", 1);
    }
    Run(milliseconds(300));
    return server.group("team").reservations.size();
  };
  EXPECT_EQ(create(0, 1), 0u) << "the first ends at once";
  EXPECT_EQ(create(1, 10), 10u) << "others a second later";
  EXPECT_EQ(create(11, 60), 0u);
}

TEST_F(QuotaReconcilerTest, AReservationWhoseObjectNeverComesEndsWithItsTime) {
  PutGroup("team", "", {{"limits.cpu", "10"}});
  Charge("team", Reserved("web-1", "web", {{"limits.cpu", "3"}}, In(seconds(90))));
  Run(seconds(89));
  EXPECT_EQ(Used("team"), "3");
  Run(seconds(2));
  EXPECT_EQ(Used("team"), "0");
  EXPECT_EQ(controller.counts().expired, 1u);
  EXPECT_EQ(controller.counts().drift_over, 0u);
}

// What a watch that is silent has not shown may be there all the same.
TEST_F(QuotaReconcilerTest, TimeThatNobodyWatchedEndsNoReservation) {
  PutGroup("team", "", {{"limits.cpu", "10"}});
  Charge("team", Reserved("web-1", "web", {{"limits.cpu", "3"}}, In(seconds(90))));
  Run(seconds(60));
  controller.view.silence = hours(1);
  Run(seconds(29));
  EXPECT_EQ(controller.view.caught_up, 0);
  Run(seconds(2));
  EXPECT_EQ(controller.view.caught_up, 1) << "and is asked";
  EXPECT_EQ(Used("team"), "0");
}

TEST_F(QuotaReconcilerTest, ACreationThatFailedSinceTheNameIsTakenCostsNothingSoon) {
  PutGroup("team", "", {{"limits.cpu", "10"}});
  server.PutDeployment("web", "team", 1);
  Run(seconds(1));
  Charge("team", Reserved("another-uid", "web", {{"limits.cpu", "3"}}, In(seconds(90))));
  Run(seconds(1));
  EXPECT_EQ(Used("team"), "4");
  Run(seconds(2));
  EXPECT_EQ(Used("team"), "1");
  EXPECT_EQ(controller.counts().superseded, 1u);
}

// A webhook that did not learn of its write within a second writes it again, and says yes then.
TEST_F(QuotaReconcilerTest, AReservationThatIsMadeAgainIsANewOneWhereItsNameIsTaken) {
  PutGroup("team", "", {{"limits.cpu", "10"}});
  server.PutDeployment("web", "team", 1);
  Run(seconds(1));
  Charge("team", Reserved("another-uid", "web", {{"limits.cpu", "3"}}, In(seconds(90))));
  Run(milliseconds(1900));
  server.Change("team", [&](auto& group) { group.reservations[0].until = In(seconds(90)); });
  Run(milliseconds(1900));
  EXPECT_EQ(Used("team"), "4");
  EXPECT_EQ(controller.counts().superseded, 0u);
  Run(seconds(1));
  EXPECT_EQ(Used("team"), "1");
}

TEST_F(QuotaReconcilerTest, WhereTheWebhookIsFasterNothingOfItIsLost) {
  PutGroup("team", "", {{"limits.cpu", "10"}});
  server.PutDeployment("web", "team", 2);
  server.before_write = [&] { Charge("team", Reserved("new-1", "new", {{"limits.cpu", "3"}}, In(seconds(90)))); };
  Run(seconds(1));
  EXPECT_EQ(Used("team"), "5");
  EXPECT_EQ(server.group("team").reservations.size(), 1u);
  EXPECT_EQ(controller.counts().conflicts, 1u);
}

TEST_F(QuotaReconcilerTest, OneOfTheSameNameThatIsMadeAnewIsNotWrittenWithTheOldFigures) {
  PutGroup("team", "", {{"limits.cpu", "10"}});
  server.Change("team", [](auto& group) { group.finalizers.clear(); });
  Run(seconds(0));
  server.PutDeployment("web", "team", 2);
  server.before_write = [&] {
    if (server.Has("team")) server.DeleteGroup("team");
    server.PutGroup(MakeGroup("team", "", {{"limits.cpu", "7"}}));
  };
  Run(seconds(2));
  EXPECT_EQ(server.group("team").counted_hard, Of({{"limits.cpu", "7"}}));
  EXPECT_EQ(Used("team"), "2");
}

TEST_F(QuotaReconcilerTest, AGroupThatGoesWhileItsStatusIsWrittenIsNotBroughtBackByTheAnswer) {
  server.before_write = [&] { time.After(std::chrono::microseconds(500), [&] { server.DeleteGroup("team"); }); };
  server.PutGroup(MakeGroup("team", "", {{"limits.cpu", "10"}}));
  Run(seconds(2));
  EXPECT_FALSE(server.Has("team"));
  EXPECT_EQ(controller.view.groups().Find("team"), nullptr);
}

TEST_F(QuotaReconcilerTest, AParentHoldsTheBudgetsOfItsChildren) {
  PutGroup("org", "", {{"limits.cpu", "100"}});
  PutGroup("team", "org", {{"limits.cpu", "10"}});
  EXPECT_EQ(Used("org"), "10");
  server.Change("team", [](auto& group) { group.hard = Of({{"limits.cpu", "6"}}); });
  Run(seconds(1));
  EXPECT_EQ(Used("org"), "6");
  EXPECT_EQ(quota::Get(server.group("org").self_used, "limits.cpu").Canonical(), "0");
  server.DeleteGroup("team");
  Run(seconds(1));
  EXPECT_FALSE(server.Has("team"));
  EXPECT_EQ(Used("org"), "0");
  EXPECT_EQ(controller.counts().drift_over + controller.counts().drift_under, 0u);
}

TEST_F(QuotaReconcilerTest, WhoDoesNotLeadWritesNothing) {
  PutGroup("team", "", {{"limits.cpu", "10"}});
  controller.loop.StopLeading();
  const int writes = server.status_writes;
  server.PutDeployment("web", "team", 2);
  Run(minutes(10));
  EXPECT_EQ(server.status_writes, writes);
  EXPECT_EQ(Used("team"), "0");
}

TEST_F(QuotaReconcilerTest, WhoeverLeadsNextGoesOn) {
  SimulatedController second(server, time);
  PutGroup("team", "", {{"limits.cpu", "10"}});
  server.PutDeployment("web", "team", 2);
  Run(milliseconds(50));  // known to both, counted by nobody
  controller.loop.StopLeading();
  second.loop.Lead();
  Run(seconds(1));
  EXPECT_EQ(Used("team"), "2");
  EXPECT_EQ(second.counts().drift_over + second.counts().drift_under, 0u);
}

}  // namespace
}  // namespace huygens::controller
