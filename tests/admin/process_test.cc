#include "admin/process.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <utility>
#include <vector>

#include "base/text.h"

namespace huygens::admin {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Sends itself the signals, each when the one before has been handled, and ends when it is asked not to wait.
class SignalledService final : public RunningService {
 public:
  SignalledService(net::EventLoop& loop, std::vector<int> signals, std::vector<std::string>& calls)
      : loop_(loop), signals_(std::move(signals)), calls_(calls) {
    RaiseNext();
  }
  ~SignalledService() override { calls_.emplace_back("destroyed"); }
  uint16_t port() const override { return 0; }
  uint16_t admin_port() const override { return 0; }
  void Drain(std::function<void()> done) override {
    calls_.emplace_back("drain");
    done_ = std::move(done);
    RaiseNext();
  }
  void EndLameDuck() override {
    calls_.emplace_back("end of lame duck");
    done_();
  }

 private:
  void RaiseNext() {
    if (signals_.empty()) return;
    loop_.Post([this, signal = signals_.front()] {
      calls_.push_back(Concat("signal ", std::to_string(signal)));
      std::raise(signal);
    });
    signals_.erase(signals_.begin());
  }

  net::EventLoop& loop_;
  std::vector<int> signals_;
  std::vector<std::string>& calls_;
  std::function<void()> done_;
};

class ProcessTest : public testing::Test {
 protected:
  ~ProcessTest() override { close(file_); }
  bool Run(const StartService& start) {
    return RunProcess({.log_file_descriptor = file_, .lame_duck = std::chrono::seconds(5)}, start);
  }
  bool RunWith(const std::vector<int>& signals) {
    return Run([&](net::EventLoop& loop, observe::Log&, const Clock&) {
      return std::make_unique<SignalledService>(loop, signals, calls_);
    });
  }
  std::string Log() const {
    std::string text(static_cast<size_t>(lseek(file_, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(file_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }

  std::vector<std::string> calls_;
  const int file_ = memfd_create("log", 0);
};

TEST_F(ProcessTest, AnInterruptDrainsWithoutTheLameDuck) {
  EXPECT_TRUE(RunWith({SIGINT}));
  EXPECT_THAT(calls_, ElementsAre("signal 2", "drain", "end of lame duck", "destroyed"));
  EXPECT_THAT(Log(), AllOf(HasSubstr("msg=draining signal=2 lameDuckSeconds=5"), HasSubstr("msg=stopped")));
}

TEST_F(ProcessTest, ATerminationWaitsForTheLameDuckUnlessASecondComes) {
  EXPECT_TRUE(RunWith({SIGTERM, SIGTERM}));
  EXPECT_THAT(calls_, ElementsAre("signal 15", "drain", "signal 15", "end of lame duck", "destroyed"));
  EXPECT_THAT(Log(), HasSubstr("msg=draining signal=15"));
}

TEST_F(ProcessTest, AServiceThatCannotStartIsSaidInTheLog) {
  EXPECT_FALSE(Run([](net::EventLoop&, observe::Log&, const Clock&) { return Invalid("no such address"); }));
  EXPECT_THAT(Log(), HasSubstr("level=error msg=\"cannot start\" why=\"no such address\""));
}

TEST(Identity, OfTwoInstancesDiffers) { EXPECT_NE(Identity(), Identity()); }

}  // namespace
}  // namespace huygens::admin
