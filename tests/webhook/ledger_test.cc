#include "webhook/ledger.h"

#include "tests/webhook/reviews.h"

namespace huygens::webhook {
namespace {

cluster::BizGroupQuota Team(std::string version, std::string_view used) {
  auto team = quota::MakeGroup("team", "", {{"limits.cpu", "10"}});
  team.uid = "team-uid";
  team.resource_version = std::move(version);
  team.counted_hard = team.hard;
  team.used = team.self_used = quota::Of({{"limits.cpu", used}});
  return team;
}

Charge Of(std::string uid, std::string_view cores) {
  Charge charge;
  charge.group = "team";
  charge.reservation.uid = std::move(uid);
  charge.reservation.kind = "Deployment.apps";
  charge.reservation.amounts = charge.increase = quota::Of({{"limits.cpu", cores}});
  return charge;
}

std::string Known(const Ledger& ledger) { return quota::Used(ledger.tree(), "team", "limits.cpu"); }

TEST(Ledger, WhatTheWatchTellsOfAWriteUnderWayCountsOnce) {
  Ledger ledger;
  ledger.Set(Team("1", "0"));
  const Charge first = Of("a", "4"), second = Of("b", "2");
  ledger.Hold(first);
  ledger.Hold(second);
  EXPECT_EQ(Known(ledger), "6");
  auto written = Team("2", "4");
  written.reservations = {first.reservation};
  ledger.Set(written);
  EXPECT_EQ(Known(ledger), "6") << "the second is not written yet";
  ledger.LetGo(first);
  EXPECT_EQ(Known(ledger), "6");
  ledger.LetGo(second);
  EXPECT_EQ(Known(ledger), "4");
}

TEST(Ledger, AVersionThatIsKnownIsPassedOver) {
  Ledger ledger;
  ledger.Set(Team("2", "4"));
  ledger.Set(Team("2", "5"));
  ledger.Set(Team("1", "6"));
  EXPECT_EQ(Known(ledger), "4");
  ledger.Set(Team("3", "5"));
  EXPECT_EQ(Known(ledger), "5");
  ledger.Set(Team("", "7"));
  ledger.Set(Team("", "8"));
  EXPECT_EQ(Known(ledger), "5") << "without a version it is older";
}

TEST(Ledger, AGroupThatIsGoneDoesNotComeBackByAnOldAnswer) {
  Ledger ledger;
  const uint64_t asked = ledger.removals();
  EXPECT_TRUE(ledger.SetAnswer(Team("1", "0"), asked)) << "nobody told of it before";
  ledger.Remove("team");
  EXPECT_FALSE(ledger.SetAnswer(Team("1", "0"), asked));
  EXPECT_EQ(ledger.Find("team"), nullptr);
  EXPECT_TRUE(ledger.SetAnswer(Team("3", "0"), ledger.removals())) << "made anew";
}

TEST(Ledger, AReservationThatIsTooSmallOrOfAnotherIsNoWriteOfIt) {
  Ledger ledger;
  ledger.Set(Team("1", "0"));
  const Charge charge = Of("a", "4");
  ledger.Hold(charge);
  auto smaller = Team("2", "3");
  smaller.reservations = {Of("a", "3").reservation};
  ledger.Set(smaller);
  EXPECT_EQ(Known(ledger), "7");
  auto other = Team("3", "4");
  other.reservations = {charge.reservation};
  other.reservations[0].kind = "StatefulSet.apps";
  ledger.Set(other);
  EXPECT_EQ(Known(ledger), "8");
  ledger.LetGo(charge);
  EXPECT_EQ(Known(ledger), "4");
}

TEST(Ledger, AWorkloadThatJustFitsIsNotRefusedBetweenTheWatchAndTheAnswer) {
  Ledger ledger;
  ledger.Set(Team("1", "0"));
  const Charge first = Of("first-uid", "6");
  ledger.Hold(first);
  auto written = Team("2", "6");
  written.reservations = {first.reservation};
  ledger.Set(written);
  const Reviews reviews;
  AdmissionRequest request;
  request.kind_group = request.resource_group = "apps";
  request.kind = "Deployment";
  request.resource = "deployments";
  const std::string object = Deployment{.replicas = 4}.Json();
  request.object = object;
  EXPECT_EQ(Said(Judge(request, {.tree = ledger.tree(),
                                 .workloads = reviews.workloads,
                                 .classes = reviews.classes,
                                 .names = reviews.names,
                                 .by_status = true})),
            "team limits.cpu=4");
}

TEST(Ledger, NothingStaysOfAGroupThatWent) {
  Ledger ledger;
  ledger.Set(Team("1", "3"));
  ledger.Remove("team");
  EXPECT_TRUE(ledger.tree().groups().empty());
  auto child = quota::MakeGroup("child", "team", {{"limits.cpu", "1"}});
  ledger.Set(child);
  ledger.Remove("child");
  EXPECT_TRUE(ledger.tree().groups().empty());
  Charge nothing = Of("a", "4");
  nothing.increase.clear();
  ledger.Hold(nothing);
  ledger.LetGo(nothing);
  EXPECT_TRUE(ledger.tree().groups().empty());
}

}  // namespace
}  // namespace huygens::webhook
