#include "extender/usage_feed.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "fixture.h"

namespace huygens::extender {
namespace {

// Answers a refresh when the test says what.
class ScriptedSource final : public usage_sources::Source {
 public:
  std::string name() const override { return "scripted"; }
  StatusOr<usage_sources::Progress> Refresh(Time, const usage_sources::Deliver&) override {
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
  void Answer(usage_sources::Progress progress) {
    const std::lock_guard lock(mutex_);
    next_ = std::move(progress);
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<usage_sources::Progress> next_;
  bool cancelled_ = false;
};

class UsageFeedTest : public ServiceTest {
 protected:
  UsageFeedTest() { feed_.Start(); }
  ~UsageFeedTest() override { feed_.Stop(); }

  // Until the decision thread knows it.
  void Answer(usage_sources::Progress progress) {
    source_->Answer(std::move(progress));
    while (loop_.Poll() == 0) std::this_thread::yield();
  }

  UsageInbox inbox_{context_, loop_};
  ScriptedSource* const source_ = new ScriptedSource;
  UsageFeed feed_{context_, loop_, inbox_, std::unique_ptr<usage_sources::Source>(source_), std::chrono::hours(1)};
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
  clock_.now += std::chrono::seconds(12);
  EXPECT_EQ(feed_.Describe().detail, "scripted: partly fails, last answer 12 s ago; no memory");
}

}  // namespace
}  // namespace huygens::extender
