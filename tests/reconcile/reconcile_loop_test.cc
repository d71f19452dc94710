#include "reconcile/reconcile_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/base/virtual_time.h"
#include "tests/observe/captured_log.h"

namespace huygens::reconcile {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Notes what it is asked to do, and ends it when the test says so.
class NotingReconciler final : public Reconciler {
 public:
  std::string_view name() const override { return "noting"; }
  void Start(WorkKeys& keys) override { work = &keys; }
  std::string NotReady() const override { return {}; }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override {
    for (const std::string& each : all) visit(each);
  }
  void Reconcile(const std::string& key, Done done) override {
    begun.push_back(key);
    if (held) {
      under_way.emplace_back(std::move(done));
    } else {
      done(result);
    }
  }
  void StopLeading() override { ++stopped; }

  WorkKeys* work = nullptr;
  std::vector<std::string> all, begun;
  std::vector<Done> under_way;
  Reconciled result;
  bool held = false;
  int stopped = 0;
};

class ReconcileLoopTest : public testing::Test {
 protected:
  void Run(Duration duration) { time.Run(time.Monotonic() + duration); }

  test::VirtualTime time;
  observe::CapturedLog captured;
  NotingReconciler reconciler;
  ReconcileLoop loop{reconciler,
                     {.clock = time,
                      .log = captured.log,
                      .monotonic = [this] { return time.Monotonic(); },
                      .after = [this](Duration delay, auto task) { time.After(delay, std::move(task)); },
                      .random = [] { return 0.0; }},
                     minutes(5)};
};

TEST_F(ReconcileLoopTest, WhoBeginsToLeadLooksAtAllKeysAndAgainAtEachResync) {
  reconciler.all = {"a", "b"};
  reconciler.work->Add("c");
  Run(seconds(1));
  EXPECT_THAT(reconciler.begun, IsEmpty());
  loop.Lead();
  Run(seconds(1));
  EXPECT_THAT(reconciler.begun, ElementsAre("a", "b"));
  Run(minutes(5));
  EXPECT_THAT(reconciler.begun, ElementsAre("a", "b", "a", "b"));
}

TEST_F(ReconcileLoopTest, AKeyIsLookedAtWhenItIsDueAndOnceForAllThatCameBefore) {
  loop.Lead();
  for (int i = 0; i < 5; ++i) reconciler.work->AddAfter("a", milliseconds(100 * (i + 1)));
  Run(milliseconds(99));
  EXPECT_THAT(reconciler.begun, IsEmpty());
  Run(seconds(1));
  EXPECT_THAT(reconciler.begun, ElementsAre("a"));
}

TEST_F(ReconcileLoopTest, WhatIsWorkedOnIsNotBegunTwice) {
  loop.Lead();
  reconciler.held = true;
  reconciler.work->Add("a");
  Run(seconds(1));
  reconciler.work->Add("a");
  Run(seconds(1));
  EXPECT_THAT(reconciler.begun, ElementsAre("a"));
  EXPECT_EQ(loop.depth(), 1u);
  std::exchange(reconciler.under_way, {}).front()({});
  EXPECT_THAT(reconciler.begun, ElementsAre("a", "a"));
}

TEST_F(ReconcileLoopTest, WhatFailedIsTriedAgainAfterPausesThatGrowAndSaidOnceInAWhile) {
  loop.Lead();
  reconciler.result.status = Unavailable("the API server is away");
  reconciler.work->Add("a");
  Run(milliseconds(49));
  EXPECT_THAT(reconciler.begun, SizeIs(1));
  Run(milliseconds(101));  // 50 + 100
  EXPECT_THAT(reconciler.begun, SizeIs(3));
  EXPECT_EQ(loop.counts().failed, 3u);
  EXPECT_THAT(captured.Lines(), ElementsAre(HasSubstr("the API server is away")));
  reconciler.result = {};
  Run(minutes(2));
  EXPECT_THAT(reconciler.begun, SizeIs(4));
  EXPECT_EQ(loop.counts().succeeded, 1u);
}

TEST_F(ReconcileLoopTest, WhatTimeAloneMayChangeIsLookedAtAgain) {
  loop.Lead();
  reconciler.result.again = seconds(10);
  reconciler.work->Add("a");
  Run(seconds(25));
  EXPECT_THAT(reconciler.begun, ElementsAre("a", "a", "a"));
}

TEST_F(ReconcileLoopTest, WhatWasBegunInAnEarlierTermEndsForNobody) {
  loop.Lead();
  reconciler.held = true;
  reconciler.work->Add("a");
  Run(seconds(1));
  loop.StopLeading();
  EXPECT_EQ(reconciler.stopped, 1);
  loop.Lead();
  reconciler.work->Add("a");
  Run(seconds(1));
  ASSERT_THAT(reconciler.begun, ElementsAre("a", "a"));
  reconciler.under_way.front()({.status = Unavailable("late")});
  EXPECT_EQ(loop.counts().failed, 0u);
  EXPECT_EQ(loop.depth(), 1u) << "that of this term is under way still";
}

TEST_F(ReconcileLoopTest, ManyKeysLeaveTheThreadToOthersInBetween) {
  loop.Lead();
  for (int i = 0; i < 200; ++i) reconciler.work->Add(std::to_string(i));
  size_t at_once = 0;
  time.After(Duration::zero(), [&] { at_once = reconciler.begun.size(); });
  Run(Duration::zero());
  EXPECT_THAT(reconciler.begun, SizeIs(200));
  EXPECT_LE(at_once, 64u);
}

}  // namespace
}  // namespace huygens::reconcile
