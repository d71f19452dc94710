// Hours, and groups that are deleted, by one controller and an API server in virtual time. Pods have one core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/controller/simulated_quota.h"

namespace huygens::controller {
namespace {

using testing::IsEmpty;

constexpr std::string_view kHours = "cash/limits.cpu";

class GroupDeletionTest : public testing::Test {
 protected:
  GroupDeletionTest() {
    Begin();
    PutGroup("org", "", {{"limits.cpu", "100"}, {kHours, "100"}});
    PutGroup("team", "org", {{"limits.cpu", "10"}, {kHours, "10"}});
    server.PutDeployment("web", "team", 4);
  }

  void Begin() {
    controller = std::make_unique<SimulatedController>(server, time);
    controller->loop.Lead();
  }
  void Run(Duration duration) { time.Run(time.Monotonic() + duration); }
  void PutGroup(const std::string& name, const std::string& parent, Pairs hard) {
    server.PutGroup(MakeGroup(name, parent, hard));
    Run(seconds(1));
  }
  // Core-seconds.
  int64_t Consumed(const std::string& group) const {
    const auto& hours = server.group(group).exact_hours;
    const auto found = hours.find("limits.cpu");
    return found == hours.end() ? 0 : std::stoll(found->second) / 1000;
  }
  void RunPods(int count, const std::string& prefix = "p") {
    for (int i = 0; i < count; ++i) server.PutPod(prefix + std::to_string(i), "web-1", time.Now());
  }
  void EndPods(int count, const std::string& prefix = "p") {
    for (int i = 0; i < count; ++i) server.Delete(prefix + std::to_string(i));
  }

  test::VirtualTime time;
  SimulatedServer server{time};
  std::unique_ptr<SimulatedController> controller;
};

TEST_F(GroupDeletionTest, HoursAreCountedAtTheirIntervalAndToTheLastSecondOfAPod) {
  RunPods(2);
  Run(minutes(10));
  const int64_t so_far = Consumed("team");
  EXPECT_GE(so_far, 2 * 9 * 60);
  EXPECT_LE(so_far, 2 * 10 * 60);
  EndPods(2);
  Run(minutes(5));
  EXPECT_EQ(Consumed("team"), 2 * 10 * 60);
  EXPECT_EQ(server.Used("team", kHours), "333333334n") << "1200 of 3600 core-seconds, rounded up";
}

TEST_F(GroupDeletionTest, HoursOfAPodThatEndedAreCountedToItsEndOnce) {
  RunPods(1);
  Run(minutes(3));
  const Time scheduled = time.Now() - minutes(3);
  for (int i = 0; i < 5; ++i) {  // told of again and again
    server.PutPod("p0", "web-1", scheduled, "Succeeded", time.Now() - seconds(30 + 60 * i));
    Run(minutes(1));
  }
  EXPECT_EQ(Consumed("team"), 150);
}

TEST_F(GroupDeletionTest, AnInstanceThatIsNewGoesOnWhereTheLastOneEnded) {
  RunPods(1);
  Run(minutes(10));
  controller->loop.StopLeading();
  const Time scheduled = time.Now() - minutes(10);
  auto last = std::move(controller);
  Run(minutes(7));
  Begin();
  for (const std::string name : {"org", "team"}) controller->view.Set(server.group(name));
  server.PutDeployment("web", "team", 4);
  server.PutPod("p0", "web-1", scheduled);
  Run(minutes(3));
  server.Delete("p0");
  Run(minutes(2));
  EXPECT_EQ(Consumed("team"), 20 * 60);
}

TEST_F(GroupDeletionTest, AStandbyKnowsOfPodsThatEndedBeforeItLed) {
  SimulatedController second(server, time);
  for (const std::string name : {"org", "team"}) second.view.Set(server.group(name));
  server.PutDeployment("web", "team", 4);
  RunPods(1);
  Run(minutes(10));
  controller->loop.StopLeading();
  Run(minutes(1));
  server.Delete("p0");
  Run(minutes(1));
  second.loop.Lead();
  Run(minutes(2));
  EXPECT_EQ(Consumed("team"), 11 * 60);
}

TEST_F(GroupDeletionTest, HoursOfADeletedGroupStayWithItsParentAndAreNotMintedByMakingItAnew) {
  RunPods(4);
  Run(minutes(30));
  EndPods(4);
  server.Delete("web-1");
  server.DeleteGroup("team");
  Run(seconds(10));
  EXPECT_FALSE(server.Has("team"));
  EXPECT_EQ(Consumed("org"), 4 * 30 * 60);
  EXPECT_EQ(server.Used("org", kHours), "2");
  PutGroup("team", "org", {{"limits.cpu", "10"}, {kHours, "10"}});
  Run(seconds(1));
  EXPECT_EQ(Consumed("team"), 0);
  EXPECT_EQ(server.Used("org", kHours), "12") << "what the first one consumed, and the budget of the second";
  Run(hours(3));
  EXPECT_EQ(Consumed("org"), 4 * 30 * 60) << "once";
}

TEST_F(GroupDeletionTest, AParentTakesHoursOverOnceThoughTheLeaderEndsInBetween) {
  RunPods(1);
  Run(minutes(10));
  EndPods(1);
  server.Delete("web-1");
  Run(minutes(2));
  auto second = std::make_unique<SimulatedController>(server, time);
  for (const std::string name : {"org", "team"}) second->view.Set(server.group(name));
  server.DeleteGroup("team");
  for (int i = 0; i < 20000 && server.group("org").inherited.empty(); ++i) Run(milliseconds(1));
  controller->loop.StopLeading();  // before the child lost its finalizer
  ASSERT_TRUE(server.Has("team"));
  EXPECT_EQ(server.Used("org", kHours), "166666667n") << "not beside the budget of the child that has left them";
  second->loop.Lead();
  Run(seconds(10));
  EXPECT_FALSE(server.Has("team"));
  EXPECT_EQ(Consumed("org"), 600);
  controller->loop.Lead();
  Run(minutes(20));
  EXPECT_EQ(Consumed("org"), 600);
}

TEST_F(GroupDeletionTest, AGroupThatLostItsFinalizerLeavesItsHoursAllTheSame) {
  RunPods(1);
  Run(minutes(10));
  EndPods(1);
  server.Delete("web-1");
  Run(minutes(2));
  controller->loop.StopLeading();
  server.Change("team", [](auto& group) { group.finalizers.clear(); });
  server.DeleteGroup("team");
  Run(seconds(1));
  ASSERT_FALSE(server.Has("team"));
  controller->loop.Lead();
  Run(seconds(5));
  EXPECT_EQ(Consumed("org"), 600);
}

TEST_F(GroupDeletionTest, AGroupGoesWhenNothingDependsOnItAnyMore) {
  PutGroup("below", "team", {{"limits.cpu", "1"}});
  server.DeleteGroup("team");
  Run(minutes(1));
  EXPECT_TRUE(server.Has("team")) << "it has a child and a workload";
  server.DeleteGroup("below");
  Run(minutes(1));
  EXPECT_FALSE(server.Has("below"));
  EXPECT_TRUE(server.Has("team")) << "it has a workload";
  server.Change("team", [&](auto& group) {
    group.reservations.push_back(Reserved("new-1", "new", {{"limits.cpu", "1"}}, time.Now() + seconds(90)));
  });
  server.Delete("web-1");
  Run(seconds(80));
  EXPECT_TRUE(server.Has("team")) << "something may still come";
  Run(seconds(20));
  EXPECT_FALSE(server.Has("team"));
}

TEST_F(GroupDeletionTest, AGroupWhoseParentIsGoneCanBeDeleted) {
  RunPods(1);
  Run(minutes(10));
  EndPods(1);
  server.Delete("web-1");
  server.Change("org", [](auto& group) { group.finalizers.clear(); });
  server.DeleteGroup("org");
  Run(minutes(1));
  ASSERT_FALSE(server.Has("org"));
  server.DeleteGroup("team");
  Run(minutes(1));
  EXPECT_FALSE(server.Has("team"));
}

}  // namespace
}  // namespace huygens::controller
