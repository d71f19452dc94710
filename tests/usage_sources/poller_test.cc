#include "usage_sources/poller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "tests/base/clock.h"
#include "tests/fake/waiters.h"

namespace huygens::usage_sources {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Answers as it is told; one more question than answers blocks until it is cancelled.
class ScriptedSource final : public Source {
 public:
  ScriptedSource(std::deque<StatusOr<Progress>> answers, std::function<void()> work)
      : answers_(std::move(answers)), work_(std::move(work)) {}
  std::string name() const override { return "script"; }
  StatusOr<Progress> Refresh(Time, const Deliver& deliver) override {
    std::unique_lock lock(mutex_);
    if (answers_.empty()) {
      blocked_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return cancelled_; });
      return absl::CancelledError("cancelled");
    }
    StatusOr<Progress> answer = answers_.front();
    answers_.pop_front();
    work_();
    if (answer.ok()) deliver({.slot = 7});
    return answer;
  }
  void Cancel() override {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    changed_.notify_all();
  }
  void AwaitBlocked() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return blocked_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<StatusOr<Progress>> answers_;
  std::function<void()> work_;
  bool blocked_ = false;
  bool cancelled_ = false;
};

struct Outcome {
  std::vector<Duration> waits;
  std::vector<bool> ok;
  size_t delivered = 0;
};

// Lets the poller ask until there are no answers left, then stops it in the middle of a refresh.
Outcome Poll(std::deque<StatusOr<Progress>> answers, Duration interval, Duration takes = {}) {
  auto waiter = std::make_unique<fake::InstantWaiter>();
  auto& time = *waiter;
  auto source = std::make_unique<ScriptedSource>(std::move(answers), [&time, takes] { time.Advance(takes); });
  auto& asked = *source;
  test::ManualClock clock;
  Outcome outcome;
  Poller poller(
      std::move(source), interval, clock, std::move(waiter), [] { return 1.0; },
      [&](const usage::Readings&) { ++outcome.delivered; },
      [&](const PollReport& report) { outcome.ok.push_back(report.status.ok()); });
  poller.Start();
  asked.AwaitBlocked();
  outcome.waits = time.waits();
  poller.Stop();
  return outcome;
}

TEST(Poller, AsksOncePerInterval) {
  const Outcome outcome = Poll({Progress{}, Progress{}, Progress{}}, 60s);
  EXPECT_THAT(outcome.waits, ElementsAre(60s, 60s, 60s));
  EXPECT_THAT(outcome.ok, ElementsAre(true, true, true));
  EXPECT_EQ(outcome.delivered, 3u);
}

TEST(Poller, AsksAtOnceWhileThereIsMoreHistory) {
  EXPECT_THAT(Poll({Progress{.more = true}, Progress{.more = true}, Progress{}}, 60s).waits, ElementsAre(60s));
}

TEST(Poller, WaitsLongerAfterEachFailureUpToAMinuteAndForgetsThemAfterSuccess) {
  const Status down = Unavailable("down");
  const Outcome outcome = Poll({down, down, down, down, down, down, down, down, Progress{}, down}, 600s);
  EXPECT_THAT(outcome.waits, ElementsAre(1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s, 600s, 1s));
  EXPECT_FALSE(outcome.ok.front());
}

TEST(Poller, AsksSoonAgainWhereTheSourceCannotBeAskedYet) {
  const Progress waiting{.not_asked = "waiting"}, file{.more = true, .not_asked = "file"};
  EXPECT_THAT(Poll({file, waiting, waiting, Progress{}}, 600s).waits, ElementsAre(1s, 2s, 600s));
}

TEST(Poller, CountsTheIntervalFromTheBeginningOfARefresh) {
  EXPECT_THAT(Poll({Progress{}, Progress{}}, 60s, 20s).waits, ElementsAre(40s, 40s));
  EXPECT_THAT(Poll({Progress{}, Progress{}}, 60s, 70s).waits, ElementsAre());
}

TEST(Poller, SaysNothingOfARefreshThatStopCut) { EXPECT_TRUE(Poll({}, 60s).ok.empty()); }

}  // namespace
}  // namespace huygens::usage_sources
