#include "usage_sources/usage_feed.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "tests/observe/captured_log.h"

namespace huygens::usage_sources {
namespace {

// Answers a refresh when the test says what.
class ScriptedSource final : public Source {
 public:
  std::string name() const override { return "scripted"; }
  StatusOr<Progress> Refresh(Time, const Deliver&) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return cancelled_ || next_; });
    if (!next_) return absl::CancelledError("stopping");
    return *std::exchange(next_, std::nullopt);
  }
  void Cancel() override {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    changed_.notify_all();
  }
  void Answer(Progress progress) {
    const std::lock_guard lock(mutex_);
    next_ = std::move(progress);
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Progress> next_;
  bool cancelled_ = false;
};

class UsageFeedTest : public testing::Test {
 protected:
  UsageFeedTest() { feed_.Start(); }
  ~UsageFeedTest() override { feed_.Stop(); }

  // Until the decision thread knows it.
  void Answer(Progress progress) {
    source_->Answer(std::move(progress));
    while (loop_.Poll() == 0) std::this_thread::yield();
  }

  net::EventLoop loop_;
  observe::CapturedLog captured_;
  observe::Metrics metrics_{{.version = "test", .reject_reasons = {}}};
  ReadingsQueue queue_{loop_, [](const usage::Readings&) {}, [] { return false; }};
  ScriptedSource* const source_ = new ScriptedSource;
  UsageFeed feed_{
      loop_, captured_.clock, captured_.log, metrics_, queue_, std::unique_ptr<Source>(source_), std::chrono::hours(1)};
};

TEST_F(UsageFeedTest, HearsWhatIsUsedNowWhileHistoryIsStillToCome) {
  EXPECT_FALSE(feed_.heard());
  Answer({.more = true, .not_asked = "reading the history file"});
  EXPECT_FALSE(feed_.heard());
  Answer({.more = true, .history_alone = true});
  EXPECT_FALSE(feed_.heard());
  Answer({.more = true});
  EXPECT_TRUE(feed_.heard());
}

TEST_F(UsageFeedTest, SaysWhenTheLastAnswerWas) {
  Answer({.partial = true, .notices = {"no memory"}});
  captured_.clock.Advance(std::chrono::seconds(12));
  EXPECT_EQ(feed_.Describe().detail, "scripted: partly fails, last answer 12 s ago; no memory");
}

}  // namespace
}  // namespace huygens::usage_sources
