// What is on its way, or was not told yet, when figures are reckoned: keys that come to a budget, workloads that are being
// deleted, watches of pods that are silent. Pods have one core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/simulated_quota.h"

namespace huygens::controller {
namespace {

class LateCountsTest : public testing::Test {
 protected:
  LateCountsTest() {
    controller.loop.Lead();
    server.PutGroup(MakeGroup("team", "", {{"limits.cpu", "10"}, {"cash/limits.cpu", "100"}}));
    Run(seconds(1));
  }
  void Run(Duration duration) { time.Run(time.Monotonic() + duration); }
  // As the webhook charges a Deployment of so many pods by the budget of then.
  void Reserve(const std::string& name, Pairs amounts) {
    server.Change("team", [&](cluster::BizGroupQuota& group) {
      group.reservations.push_back(Reserved(name + "-1", name, amounts, time.Now() + seconds(90)));
      quota::Add(group.used, Of(amounts));
      quota::Add(group.self_used, Of(amounts));
    });
  }
  void AddToBudget(std::string_view key, std::string_view amount) {
    server.Change("team",
                  [&](cluster::BizGroupQuota& group) { quota::Set(group.hard, key, *Quantity::Parse(amount)); });
  }
  bool IsCounted(std::string_view key) const {
    const cluster::BizGroupQuota& group = server.group("team");
    EXPECT_EQ(quota::Find(group.used, key) != nullptr, quota::Find(group.counted_hard, key) != nullptr);
    return quota::Find(group.used, key) != nullptr;
  }
  int64_t CoreSeconds() const {
    const auto& hours = server.group("team").exact_hours;
    const auto found = hours.find("limits.cpu");
    return found == hours.end() ? 0 : std::stoll(found->second) / 1000;
  }

  test::VirtualTime time;
  SimulatedServer server{time};
  SimulatedController controller{server, time};
};

TEST_F(LateCountsTest, AKeyThatComesToABudgetIsCountedOnceWhatWasOnItsWayIsSeen) {
  server.PutDeployment("web", "team", 2);
  Reserve("late", {{"limits.cpu", "3"}});
  AddToBudget("pods", "4");
  Run(seconds(5));
  EXPECT_FALSE(IsCounted("pods")) << "nobody knows how many pods are on their way";
  EXPECT_EQ(server.Used("team", "limits.cpu"), "5") << "other keys are charged as ever";
  Reserve("later", {{"limits.cpu", "1"}});  // by the new budget: its pods would have been said
  server.PutDeployment("late", "team", 3);
  Run(seconds(5));
  ASSERT_TRUE(IsCounted("pods"));
  EXPECT_EQ(server.Used("team", "pods"), "5");
  EXPECT_EQ(server.Used("team", "limits.cpu"), "6");
}

TEST_F(LateCountsTest, WhatNeverCameKeepsAKeyUncountedForItsTimeAlone) {
  Reserve("lost", {{"limits.cpu", "3"}});
  AddToBudget("pods", "4");
  Run(seconds(80));
  EXPECT_FALSE(IsCounted("pods"));
  Run(seconds(15));
  EXPECT_TRUE(IsCounted("pods"));
  EXPECT_EQ(controller.counts().drift_over + controller.counts().drift_under, 0u);
}

TEST_F(LateCountsTest, AKeyIsCountedAtOnceWhereNothingOrOnlyWhatNamesItIsReserved) {
  AddToBudget("pods", "4");
  Run(seconds(1));
  EXPECT_TRUE(IsCounted("pods"));
  Reserve("aware", {{"limits.cpu", "1"}, {"pods", "1"}, {"limits.memory", "1"}});
  AddToBudget("limits.memory", "10");
  Run(seconds(1));
  EXPECT_TRUE(IsCounted("limits.memory"));
}

TEST_F(LateCountsTest, WhatIsBeingDeletedTakesNoMoreThanBefore) {
  const auto put = [&](int replicas, std::string_view deleted) {
    server.Put("apps", "Deployment",
               Concat(R"({"metadata":{"name":"web","namespace":"ns","uid":"web-1","resourceVersion":"1")", deleted,
                      R"(,"labels":{"biz.group.resource.quota":"team"}},"spec":{"replicas":)", std::to_string(replicas),
                      R"(,"template":{"spec":{"containers":[{"name":"app","resources":{"limits":{"cpu":"1"}}}]}}}})"));
    Run(seconds(1));
    return server.Used("team", "limits.cpu");
  };
  constexpr std::string_view kDeleted = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
  EXPECT_EQ(put(3, ""), "3");
  EXPECT_EQ(put(3, kDeleted), "3");
  EXPECT_EQ(put(9, kDeleted), "3") << "it makes no further pods";
  EXPECT_EQ(put(2, kDeleted), "2");
  EXPECT_EQ(put(9, kDeleted), "2");
  server.Delete("web-1");
  Run(seconds(1));
  EXPECT_EQ(server.Used("team", "limits.cpu"), "0");
  EXPECT_EQ(put(9, ""), "9") << "one that is made anew is another";
}

TEST_F(LateCountsTest, HoursAreCountedUpToWhatTheWatchOfPodsHasShown) {
  server.PutDeployment("web", "team", 2);
  server.PutPod("early", "web-1", time.Now());
  Run(minutes(10));
  controller.view.lag = controller.view.silence = minutes(5);
  server.PutPod("early", "web-1", time.Now() - minutes(10), "Succeeded", time.Now());
  server.PutPod("late", "web-1", time.Now());
  Run(minutes(4));
  EXPECT_LE(CoreSeconds(), 10 * 60) << "whether it still runs nobody knows";
  Run(minutes(2));
  controller.view.lag = controller.view.silence = {};
  Run(minutes(4));
  server.Delete("late");
  Run(minutes(2));
  EXPECT_EQ(CoreSeconds(), 10 * 60 + 10 * 60) << "neither too much of one nor too little of the other";
}

}  // namespace
}  // namespace huygens::controller
