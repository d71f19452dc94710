#include "rescheduler/mover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "rescheduler/migration_calls.h"
#include "tests/base/clock.h"
#include "tests/cluster/build.h"
#include "tests/fake/api_server.h"

namespace huygens::rescheduler {
namespace {

using namespace test;  // NOLINT: builders of the same words
using fake::Fault;
using migration_api::Phase;
using testing::HasSubstr;

constexpr std::string_view kExhausted =
    R"({"kind":"Status","reason":"TooManyRequests","message":"Cannot evict pod as it would violate the pod's disruption budget.",
    "details":{"causes":[{"reason":"DisruptionBudget","message":"The disruption budget web needs 2 healthy pods and has 2 currently"}]},"code":429})";

// A pod v of a ReplicaSet on node a, at the API server and in the core, that is to move to b.
class MoverTest : public testing::Test {
 protected:
  MoverTest() : placement_(*placement::Placement::Create({.checks = {"topology"}})) {
    for (const char* name : {"a", "b"}) {
      cluster::Node node = MakeNode(name);
      node.allocatable = {{kCpu, 8000}, {kPodSlots, 110}};
      placement_->Apply(cluster::NodeSet{std::move(node)});
    }
    api_.Put(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-v","namespace":"default","uid":"v"}})");
    victim_ = MakePod("v", 5);
    victim_->owner_kind = "ReplicaSet";
    victim_->owner_name = "web-7d";
    victim_->owner_uid = "o";
    victim_->node_name = "a";
    placement_->Apply(cluster::PodSet{victim_});
    EXPECT_TRUE(calls_.Begin([] { return std::chrono::seconds(60); }).ok());
  }
  ~MoverTest() override { calls_.End(); }

  Status Begin() {
    return mover_.Begin({.pod = {"default", "pod-v", "v"},
                         .owner = {"ReplicaSet", "web-7d"},
                         .workload = "default/Deployment/web",
                         .source = "a",
                         .target = "b",
                         .cause = rescheduling::Cause::kCeiling,
                         .clears = "cpu of a above its ceiling"},
                        3, clock_.Now());
  }
  // Until it is so; false after 20 s.
  bool Await(const std::function<bool()>& what) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!what()) {
      if (std::chrono::steady_clock::now() > until) return false;
      if (loop_.Poll() == 0) std::this_thread::yield();
      mover_.Look(clock_.Now());
    }
    return true;
  }
  bool AwaitPhase(std::string_view phase) {
    return Await([&] { return Object().find(Concat("\"phase\":\"", phase, "\"")) != std::string::npos; });
  }
  bool AwaitEnd(std::string_view phase, std::string_view reason) {
    return Await([&] { return moves_.size() == 0; }) && mover_.settled().Find("v") != nullptr &&
           Name(mover_.settled().Find("v")->status.phase) == phase &&
           mover_.settled().Find("v")->status.reason == reason;
  }
  std::string Object() const { return api_.Get(fake::kPodMigrations, "default", "move-v"); }
  int Evictions() const {
    return static_cast<int>(std::ranges::count(api_.Requests(), "POST /api/v1/namespaces/default/pods/pod-v/eviction"));
  }
  int DryRuns() const { return api_.Seen("POST", "/eviction?dryRun=All"); }
  size_t Held() const { return placement_->state().ledger().Count(cluster::ReservationState::kHeld); }
  void ShowDeleting() {
    auto deleting = std::make_shared<cluster::Pod>(*victim_);
    deleting->deleting = true;
    placement_->Apply(cluster::PodSet{deleting});
  }

  fake::ApiServer api_;
  net::EventLoop loop_;
  ManualClock clock_{kNow};
  observe::Log log_{clock_, observe::LogLevel::kError, observe::LogFormat::kText};
  std::unique_ptr<placement::Placement> placement_;
  std::shared_ptr<cluster::Pod> victim_;
  reconcile::LeaderCalls calls_{loop_, api_.Options(), 2};
  rescheduling::Limits limits_{rescheduling::LimitOptions()};
  kube::EventRecorder events_{clock_, [] { return 0.5; }, {}};
  kube::CallPool steering_{loop_};
  WorkloadPods workloads_;
  MovesUnderWay moves_{*placement_};
  Mover mover_{{*placement_, clock_, log_, calls_, limits_, events_, steering_, workloads_}, moves_, {}};
};

TEST_F(MoverTest, WritesItDownThenTriesThenEvicts) {
  ASSERT_TRUE(Begin().ok());
  EXPECT_EQ(Held(), 1u) << "before anything is sent";
  EXPECT_EQ(limits_.in_flight(), 1u);
  ASSERT_TRUE(AwaitPhase("Evicted"));
  std::vector<std::string> order;
  for (const std::string& request : api_.Requests()) {
    if (request.find("/eviction") != std::string::npos || request.find("podmigrations") != std::string::npos)
      order.push_back(request.substr(0, request.find(' ')) + (request.ends_with("dryRun=All")  ? " dry"
                                                              : request.ends_with("/eviction") ? " evict"
                                                              : request.ends_with("/status")   ? " status"
                                                                                               : " object"));
  }
  EXPECT_THAT(
      order, testing::ElementsAre("POST object", "POST dry", "PATCH status", "POST dry", "POST evict", "PATCH status"));
  EXPECT_EQ(Held(), 1u) << "until the replacement has it";
}

TEST_F(MoverTest, AReplacementThatIsReadyEndsIt) {
  ASSERT_TRUE(Begin().ok());
  ASSERT_TRUE(AwaitPhase("Evicted"));
  ShowDeleting();
  auto replacement = std::make_shared<cluster::Pod>(*victim_);
  replacement->uid = "r";
  replacement->name = "pod-r";
  replacement->node_name.clear();
  ASSERT_NE(moves_.Recognise(*replacement, clock_.Now()), nullptr);
  replacement->node_name = "b";
  replacement->ready = true;
  placement_->Apply(cluster::PodSet{replacement});
  placement_->Apply(cluster::PodGone{"v"});
  ASSERT_TRUE(AwaitEnd("Succeeded", "Target"));
  EXPECT_EQ(Held(), 0u);
  EXPECT_EQ(limits_.in_flight(), 0u);
  EXPECT_THAT(Object(), HasSubstr("\"phase\":\"Succeeded\""));
  EXPECT_EQ(Evictions(), 1);
}

TEST_F(MoverTest, ABudgetWithNothingLeftHoldsItBackAndSpendsNothing) {
  api_.Inject({.what = Fault::What::kReply,
               .method = "POST",
               .path = "dryRun=All",
               .code = 429,
               .body = std::string(kExhausted)});
  ASSERT_TRUE(Begin().ok());
  ASSERT_TRUE(AwaitEnd("Abandoned", "Budget"));
  EXPECT_EQ(Evictions(), 0);
  EXPECT_EQ(Held(), 0u);
  EXPECT_EQ(mover_.counts().budgets.at("429 default/web"), 1u);
  EXPECT_GT(*mover_.settled().NextTry("v", "o"), clock_.Now());
  // Its turn comes again: the object of the first try gives way.
  ASSERT_TRUE(Begin().ok());
  ASSERT_TRUE(AwaitPhase("Evicted"));
  EXPECT_THAT(Object(), HasSubstr("\"attempts\":2"));
}

TEST_F(MoverTest, ABudgetThatIsUsedUpBetweenDryRunAndEvictionIsNoFailure) {
  api_.Inject({.what = Fault::What::kReply,
               .method = "POST",
               .path = "/eviction$",
               .code = 429,
               .body = std::string(kExhausted)});
  ASSERT_TRUE(Begin().ok());
  ASSERT_TRUE(AwaitEnd("Abandoned", "Budget"));
  EXPECT_EQ(mover_.counts().evictions.at("429"), 1u);
}

TEST_F(MoverTest, TwoBudgetsMakeAPodUnmovable) {
  api_.Inject(
      {.what = Fault::What::kReply,
       .method = "POST",
       .path = "dryRun=All",
       .code = 500,
       .body =
           R"({"message":"This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."})"});
  ASSERT_TRUE(Begin().ok());
  ASSERT_TRUE(AwaitEnd("Abandoned", "SeveralBudgets"));
  EXPECT_EQ(Evictions(), 0);
}

TEST_F(MoverTest, AnotherPodOfTheNameIsNeverEvicted) {
  api_.Put(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-v","namespace":"default","uid":"w"}})");
  ASSERT_TRUE(Begin().ok());
  ASSERT_TRUE(AwaitEnd("Abandoned", "PodGone"));
  EXPECT_EQ(Evictions(), 0) << "a wrong UID would spend a budget";
}

TEST_F(MoverTest, AnAnswerThatIsLostIsLookedUpAndNobodyIsEvictedTwice) {
  api_.Inject({.what = Fault::What::kCutAfter, .method = "POST", .path = "/eviction$"});
  ASSERT_TRUE(Begin().ok());
  ASSERT_TRUE(AwaitPhase("Evicted"));
  EXPECT_EQ(Evictions(), 1);
  EXPECT_EQ(api_.Seen("GET", "/pods/pod-v"), 1);
}

TEST_F(MoverTest, AnEvictionThatDidNotArriveIsSentAgain) {
  api_.Inject({.what = Fault::What::kCutBefore, .method = "POST", .path = "/eviction$"});
  ASSERT_TRUE(Begin().ok());
  ASSERT_TRUE(AwaitPhase("Evicted"));
  EXPECT_EQ(Evictions(), 2);
  EXPECT_GE(DryRuns(), 3) << "before each";
}

TEST_F(MoverTest, NobodyIsEvictedWhoseMoveCannotBeWrittenDown) {
  api_.Inject({.what = Fault::What::kReply, .method = "POST", .path = "podmigrations", .times = -1, .code = 403});
  ASSERT_TRUE(Begin().ok());
  ASSERT_TRUE(Await([&] { return moves_.size() == 0; }));
  EXPECT_EQ(DryRuns() + Evictions(), 0);
  EXPECT_EQ(Held(), 0u);
  EXPECT_EQ(limits_.in_flight(), 0u);
  EXPECT_THAT(mover_.trouble(), HasSubstr("cannot be written"));
}

TEST_F(MoverTest, NobodyIsEvictedBeforeThePhaseIsWritten) {
  api_.Inject({.what = Fault::What::kReply, .method = "PATCH", .path = "podmigrations", .times = 3, .code = 503});
  ASSERT_TRUE(Begin().ok());
  ASSERT_TRUE(Await([&] { return api_.Seen("PATCH", "podmigrations") >= 3; }));
  EXPECT_EQ(Evictions(), 0);
  ASSERT_TRUE(AwaitPhase("Evicted"));
  EXPECT_EQ(Evictions(), 1);
}

TEST_F(MoverTest, WhoDeletesTheObjectOfAMoveThatEvictedNobodyCallsItOff) {
  ASSERT_TRUE(Begin().ok());
  ASSERT_TRUE(Await([&] { return api_.Seen("POST", "podmigrations") == 1; }));
  api_.Inject({.what = Fault::What::kReply, .method = "PATCH", .path = "podmigrations", .code = 404});
  ASSERT_TRUE(Await([&] { return moves_.size() == 0; }));
  EXPECT_EQ(Evictions(), 0);
  EXPECT_EQ(Held(), 0u);
}

// A new process reads what the last one wrote, at each point of the way.
TEST_F(MoverTest, GoesOnWhereTheLastProcessEnded) {
  for (Phase phase : {Phase::kReserved, Phase::kEvicting}) {
    migration_api::PodMigration object;
    object.name = "move-v";
    object.namespace_name = "default";
    object.created = clock_.Now();
    object.spec = {.pod = {"pod-v", "v"},
                   .owner = {"ReplicaSet", "web-7d", "o"},
                   .source = "a",
                   .target = "b",
                   .cause = "ceiling"};
    object.status.phase = phase;
    object.status.since = clock_.Now();
    api_.Put(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-v","namespace":"default","uid":"v"}})");
    api_.Put(migration_api::Encode(object));
    const int before = Evictions();
    mover_.Load({object}, clock_.Now());
    EXPECT_EQ(Held(), 1u) << "before anybody is asked";
    EXPECT_EQ(limits_.in_flight(), 1u);
    ASSERT_TRUE(AwaitPhase("Evicted")) << Name(phase);
    EXPECT_EQ(Evictions(), before + 1);
  }
}

TEST_F(MoverTest, AnEvictionOfTheLastProcessIsNotRepeated) {
  migration_api::PodMigration object;
  object.name = "move-v";
  object.namespace_name = "default";
  object.created = clock_.Now();
  object.spec = {
      .pod = {"pod-v", "v"}, .owner = {"ReplicaSet", "web-7d", "o"}, .source = "a", .target = "b", .cause = "ceiling"};
  object.status.phase = Phase::kEvicting;
  object.status.since = clock_.Now();
  api_.Put(migration_api::Encode(object));
  ShowDeleting();
  mover_.Load({object}, clock_.Now());
  ASSERT_TRUE(AwaitPhase("Evicted"));
  EXPECT_EQ(DryRuns() + Evictions(), 0);
  EXPECT_EQ(Held(), 1u);
}

TEST_F(MoverTest, WhoDoesNotLeadCallsNobodyAndHoldsTheSameRoom) {
  calls_.End();
  migration_api::PodMigration object;
  object.name = "move-v";
  object.namespace_name = "default";
  object.created = clock_.Now();
  object.spec = {
      .pod = {"pod-v", "v"}, .owner = {"ReplicaSet", "web-7d", "o"}, .source = "a", .target = "b", .cause = "ceiling"};
  object.status.since = clock_.Now();
  mover_.Load({object}, clock_.Now());
  for (int i = 0; i < 100; ++i) {
    (void)loop_.Poll();
    mover_.Look(clock_.Now());
  }
  EXPECT_TRUE(api_.Requests().empty());
  EXPECT_EQ(Held(), 1u);
}

}  // namespace
}  // namespace huygens::rescheduler
