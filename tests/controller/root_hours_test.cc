// Groups without a parent that are deleted and made anew, by one controller and an API server in virtual time.
#include "controller/root_hours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "controller/hours.h"
#include "tests/controller/simulated_quota.h"

namespace huygens::controller {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kHours = "cash/limits.cpu";

class RootHoursTest : public testing::Test {
 protected:
  RootHoursTest() {
    Begin();
    Put(Root());
  }

  static cluster::BizGroupQuota Root() { return MakeGroup("org", "", {{"limits.cpu", "10"}, {kHours, "10"}}); }
  static cluster::BizGroupQuota Weekly(int64_t carry_over = 0) {
    cluster::BizGroupQuota group = Root();
    group.cash_policy = cluster::CashPolicy{.period = cluster::CashPolicy::Period::kWeek, .carry_over = carry_over};
    return group;
  }

  void Begin() {
    controller = std::make_unique<SimulatedController>(server, time);
    controller->loop.Lead();
  }
  // The old instance is gone with all that it knew.
  void Restart() {
    controller->loop.StopLeading();
    last = std::move(controller);
    Begin();
    if (server.Has("org")) controller->view.Set(server.group("org"));
  }
  void Run(Duration duration) { time.Run(time.Monotonic() + duration); }
  void Put(const cluster::BizGroupQuota& group) {
    server.PutGroup(group);
    Run(seconds(1));
  }
  // One core for so long.
  void Consume(Duration duration) {
    server.PutDeployment("web", "org", 1);
    server.PutPod("p", "web-1", time.Now());
    Run(duration);
    server.Delete("p");
    server.Delete("web-1");
    Run(minutes(2));
  }
  void Delete() {
    server.DeleteGroup("org");
    Run(seconds(10));
    ASSERT_FALSE(server.Has("org"));
  }
  // Core-seconds.
  int64_t Consumed() const {
    const auto& hours = server.group("org").exact_hours;
    const auto found = hours.find("limits.cpu");
    return found == hours.end() ? 0 : std::stoll(found->second) / 1000;
  }

  test::VirtualTime time;
  SimulatedServer server{time};
  std::unique_ptr<SimulatedController> controller, last;
};

TEST_F(RootHoursTest, AGroupThatIsMadeAnewGoesOnWithWhatItConsumed) {
  Consume(minutes(30));
  ASSERT_EQ(Consumed(), 1800);
  for (int i = 0; i < 3; ++i) {
    Delete();
    Put(Root());
    EXPECT_EQ(Consumed(), 1800) << i;
    EXPECT_EQ(server.Used("org", kHours), "500m") << i;
  }
  Consume(minutes(10));
  EXPECT_EQ(Consumed(), 2400);
  Delete();
  Put(Root());
  EXPECT_EQ(Consumed(), 2400) << "all of it, and once";
}

TEST_F(RootHoursTest, AnotherInstanceKnowsItToo) {
  Consume(minutes(30));
  Delete();
  Restart();
  Put(Root());
  EXPECT_EQ(Consumed(), 1800);
  Run(hours(1));
  EXPECT_EQ(Consumed(), 1800);
}

TEST_F(RootHoursTest, ABudgetOfHoursThatComesLaterIsNotNewEither) {
  Consume(minutes(30));
  Delete();
  Put(MakeGroup("org", "", {{"limits.cpu", "10"}}));
  server.Change("org", [](auto& group) { group.hard = Root().hard; });
  Run(seconds(2));
  EXPECT_EQ(server.Used("org", kHours), "500m");
}

TEST_F(RootHoursTest, ItDoesNotGoBeforeItsHoursAreKept) {
  Consume(minutes(30));
  server.hours_fault = Unavailable("etcd is away");
  server.DeleteGroup("org");
  Run(minutes(5));
  EXPECT_TRUE(server.Has("org"));
  server.hours_fault = absl::OkStatus();
  Run(minutes(5));
  EXPECT_FALSE(server.Has("org"));
}

TEST_F(RootHoursTest, ANewOneIsNotCountedBeforeItIsKnownWhatItBeginsWith) {
  Consume(minutes(30));
  Delete();
  Restart();
  server.hours_fault = Unavailable("etcd is away");
  Put(Root());
  Run(minutes(5));
  EXPECT_FALSE(server.group("org").last_reconcile);
  server.hours_fault = absl::OkStatus();
  Run(minutes(5));
  EXPECT_EQ(Consumed(), 1800);
}

TEST_F(RootHoursTest, WhoMayNotKeepThemSaysSoAndStopsNothing) {
  Consume(minutes(30));
  server.hours_fault = absl::PermissionDeniedError("may not get configmaps");
  Delete();
  Restart();
  Put(Root());
  EXPECT_EQ(Consumed(), 0);
  EXPECT_THAT(controller->Lines(), Contains(HasSubstr("may not get configmaps")));
}

TEST_F(RootHoursTest, OneThatLostItsFinalizerIsRememberedByWhoWatched) {
  Consume(minutes(30));
  server.Change("org", [](auto& group) { group.finalizers.clear(); });
  server.DeleteGroup("org");
  Run(seconds(5));
  ASSERT_FALSE(server.Has("org"));
  EXPECT_THAT(server.left_hours, IsEmpty());
  Put(Root());
  EXPECT_EQ(Consumed(), 1800);
}

TEST_F(RootHoursTest, HoursOfAnotherGroupAreNotItsOwn) {
  Consume(minutes(30));
  Delete();
  server.PutGroup(MakeGroup("other", "", {{kHours, "10"}}));
  Run(seconds(2));
  EXPECT_EQ(server.Used("other", kHours), "0");
}

TEST_F(RootHoursTest, InTheSamePeriodWhatWasConsumedCounts) {
  Delete();
  Put(Weekly());
  Consume(minutes(30));
  const Time next = *NextPeriod(server.group("org"), time.Now());
  ASSERT_GT(next - time.Now(), hours(1));
  Delete();
  Put(Weekly());
  EXPECT_EQ(Consumed(), 1800);
  Run(next - time.Now() + minutes(2));
  EXPECT_EQ(Consumed(), 0) << "the next period begins with nothing";
}

TEST_F(RootHoursTest, WhatAPeriodConsumedThatIsOverIsForgivenAndLeavesNothing) {
  Delete();
  Put(Weekly(1));
  Consume(minutes(30));
  const Time next = *NextPeriod(server.group("org"), time.Now());
  Delete();
  Run(next - time.Now() + minutes(2));
  Put(Weekly(1));
  EXPECT_EQ(Consumed(), 0);
  EXPECT_THAT(server.group("org").carried_hours, IsEmpty()) << "while it was not there it had no budget to leave";
}

}  // namespace
}  // namespace huygens::controller
