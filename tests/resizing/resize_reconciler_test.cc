// The reconciler against the fake API server.
#include "resizing/resize_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "tests/fake/api_server.h"
#include "tests/observe/captured_log.h"
#include "tests/recommendations/objects.h"

namespace huygens::resizing {
namespace {

using recommendations::kNoon;
using recommendations::PodJson;
using recommendations::PodText;
using recommendations::Targets;
using reconcile::Reconciled;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class SetClock final : public Clock {
 public:
  Time Now() const override { return now; }
  Time now = kNoon;
};

settings::OvercommitConfiguration HalvedInPlace() {
  settings::OvercommitConfiguration configuration;
  configuration.mode = settings::OvercommitMode::kEnforce;
  configuration.resizes_per_minute = 30;
  configuration.pools = {{.name = "shared", .type = settings::PoolType::kStatic, .auto_apply = true, .in_place = true}};
  configuration.pools[0].factors = {
      {.cluster = "", .room = "", .environment = "", .cpu = 500'000, .memory = std::nullopt}};
  return configuration;
}

class ResizeReconcilerTest : public testing::Test {
 protected:
  ResizeReconcilerTest() {
    EXPECT_TRUE(calls_.Begin([] { return Duration(std::chrono::hours(1)); }).ok());
  }
  ~ResizeReconcilerTest() override { calls_.End(); }

  void Put(const PodText& text) {
    api_.Put(PodJson(text));
    Look(text.name);
  }
  // As the watch would tell.
  void Look(const std::string& name) {
    auto pod = recommendations::DecodeMeasuredPod(api_.Get(fake::kPods, "shop", name), names_);
    ASSERT_TRUE(pod.ok()) << pod.status();
    targets_.SetPod(*std::move(pod));
  }
  Reconciled Do() {
    std::optional<Reconciled> result;
    resizing_.Reconcile("resizing", [&](const Reconciled& ended) { result = ended; });
    const auto end = std::chrono::steady_clock::now() + seconds(20);
    while (!result && std::chrono::steady_clock::now() < end) {
      if (loop_.Poll() == 0) std::this_thread::yield();
    }
    return result.value_or(Reconciled{.status = Internal("it did not end")});
  }
  std::string Pod(const std::string& name) { return api_.Get(fake::kPods, "shop", name); }
  int Resizes() const { return api_.Seen("PATCH", "/resize"); }

  fake::ApiServer api_;
  SetClock clock_;
  net::EventLoop loop_;
  observe::CapturedLog captured_;
  const ResourceNames names_;
  reconcile::LeaderCalls calls_{loop_, api_.Options(), 2};
  Targets targets_{settings::OvercommitPools(HalvedInPlace())};
  ResizeReconciler resizing_{
      {.targets = targets_, .calls = calls_, .clock = clock_, .log = captured_.log, .not_ready = [] {
         return std::string();
       }}};
};

TEST_F(ResizeReconcilerTest, LowersOnePodAfterAnotherAtItsPace) {
  Put({.name = "cart-6d4b75cb6d-b"});
  Put({.name = "cart-6d4b75cb6d-a"});
  const Reconciled first = Do();
  ASSERT_TRUE(first.status.ok()) << first.status;
  EXPECT_EQ(first.again, Duration(seconds(2)));  // thirty a minute
  EXPECT_THAT(Pod("cart-6d4b75cb6d-a"), HasSubstr(R"("requests":{"cpu":"2","memory":"1Gi"})"));
  EXPECT_THAT(Pod("cart-6d4b75cb6d-a"), HasSubstr(R"("limits":{"cpu":"8","memory":"2Gi"})"));
  EXPECT_THAT(Pod("cart-6d4b75cb6d-a"), HasSubstr(R"(\"original\":\"4\",\"applied\":\"2\")"));
  EXPECT_THAT(Pod("cart-6d4b75cb6d-b"), Not(HasSubstr("huygens.dev/overcommit\"")));
  ASSERT_TRUE(Do().status.ok());
  EXPECT_THAT(Pod("cart-6d4b75cb6d-b"), HasSubstr(R"("requests":{"cpu":"2","memory":"1Gi"})"));
  EXPECT_EQ(resizing_.counts().lowered, 2u);

  // What was lowered is found so, and nothing more is written, however often it is looked at.
  Look("cart-6d4b75cb6d-a");
  Look("cart-6d4b75cb6d-b");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Do().again, Duration(minutes(1)));
  EXPECT_EQ(Resizes(), 2);
}

TEST_F(ResizeReconcilerTest, KilledBetweenTheTwoWritesTheOriginalIsStillKnown) {
  Put({});
  api_.Inject({.method = "PATCH", .path = "/resize", .times = 1, .code = 500});
  EXPECT_FALSE(Do().status.ok());
  EXPECT_EQ(resizing_.counts().failed, 1u);
  EXPECT_THAT(Pod(PodText().name), HasSubstr(R"("requests":{"cpu":"4")"));
  Look(PodText().name);
  const recommendations::PodEntry* known = targets_.FindPod(Concat("shop/", PodText().name));
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->shape->containers[0].original[0], 4000);
  ASSERT_TRUE(Do().status.ok());
  EXPECT_THAT(Pod(PodText().name), HasSubstr(R"("requests":{"cpu":"2")"));
  EXPECT_THAT(Pod(PodText().name), HasSubstr(R"(\"original\":\"4\",\"applied\":\"2\")"));
}

TEST_F(ResizeReconcilerTest, APodThatTheApiServerRefusesIsLeftAloneForAnHour) {
  Put({});
  api_.Inject({.method = "PATCH", .path = "/resize", .times = 1, .code = 422});
  ASSERT_TRUE(Do().status.ok());
  EXPECT_EQ(resizing_.counts().refused, 1u);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Do().status.ok());
  EXPECT_EQ(Resizes(), 1);
  clock_.now += minutes(61);
  ASSERT_TRUE(Do().status.ok());
  EXPECT_EQ(Resizes(), 2);
  EXPECT_EQ(resizing_.counts().lowered, 1u);
}

TEST_F(ResizeReconcilerTest, WithoutPermissionItFailsAndSaysSo) {
  Put({});
  api_.Inject({.method = "PATCH", .path = "/status", .times = 1, .code = 403});
  const Reconciled result = Do();
  EXPECT_TRUE(absl::IsPermissionDenied(result.status)) << result.status;
  EXPECT_THAT(std::string(Message(result.status)), HasSubstr("shop/cart"));
  EXPECT_EQ(Resizes(), 0);
}

TEST_F(ResizeReconcilerTest, WhatHasChangedSinceIsReadAnewAndOthersAreLeftAlone) {
  Put({});
  api_.Inject({.method = "PATCH", .path = "/status", .times = 1, .code = 409});
  ASSERT_TRUE(Do().status.ok());
  EXPECT_EQ(resizing_.counts().kept, 1u);
  EXPECT_EQ(Resizes(), 0);
  // Opted out since it was looked at.
  api_.Put(PodJson({.annotations = R"("huygens.dev/overcommit-allowed":"false")", .version = "2"}));
  ASSERT_TRUE(Do().status.ok());
  EXPECT_EQ(Resizes(), 0);
  EXPECT_THAT(Pod(PodText().name), HasSubstr(R"("requests":{"cpu":"4")"));
}

TEST_F(ResizeReconcilerTest, PodsThatDoNotRunOrAreInNoPoolAreNoCandidates) {
  Put({.name = "waits", .workload = "", .phase = "Pending"});
  Put({.name = "out", .workload = "", .annotations = R"("huygens.dev/overcommit-allowed":"0")"});
  Put({.name = "runs", .workload = ""});
  std::vector<std::string> keys;
  for (const Candidate& each : CandidatesOf(targets_, kNoon)) keys.push_back(each.key);
  EXPECT_THAT(keys, ElementsAre("shop/runs"));
}

TEST(Resizing, IsWantedWhereAPoolSaysSoAndTheModeEnforces) {
  settings::OvercommitConfiguration configuration = HalvedInPlace();
  EXPECT_TRUE(IsWanted(configuration));
  configuration.mode = settings::OvercommitMode::kReport;
  EXPECT_FALSE(IsWanted(configuration));
  EXPECT_FALSE(IsWanted(settings::OvercommitConfiguration{.mode = settings::OvercommitMode::kEnforce}));
}

}  // namespace
}  // namespace huygens::resizing
