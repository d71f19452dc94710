#include "extender/inbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/extender/fixture.h"

namespace huygens::extender {
namespace {

using std::chrono::hours;

class InboxTest : public ServiceTest {
 protected:
  // Sum of the metric over all that was applied.
  double Lag() const {
    const std::string text = metrics_.Render(), series = "huygens_watch_lag_seconds_sum{kind=\"nodes\"} ";
    const size_t at = text.find(series);
    return at == text.npos ? -1 : std::stod(text.substr(at + series.size()));
  }
  void Deliver() {
    inbox_.Deliver({.kind = cluster::Kind::kNode, .events = {cluster::NodeSet{{.name = "n"}}}, .resource_version = 0});
  }
  void Work() {
    while (loop_.Poll() > 0) {
    }
  }

  static kube::EventBatch Node(int number, size_t bytes) {
    kube::EventBatch batch{.kind = cluster::Kind::kNode, .resource_version = static_cast<uint64_t>(number)};
    batch.events.push_back(cluster::NodeSet{{.name = Concat("n", std::to_string(number)), .uid = "u"}});
    batch.bytes = bytes;
    return batch;
  }

  Inbox inbox_{context_, loop_};
};

TEST_F(InboxTest, TheLagOfAWatchDoesNotGoByAClockThatIsSet) {
  for (const auto jump : {hours(1), hours(-2), hours(1)}) {
    Deliver();
    clock_.now += jump;
    Work();
  }
  EXPECT_GT(Lag(), 0);
  EXPECT_LT(Lag(), 600) << "an hour was set";
  EXPECT_TRUE(placement_->state().FindNode("n"));
}

TEST_F(InboxTest, AReflectorThatIsFasterThanTheDecisionThreadWaits) {
  constexpr int kBatches = 100;
  std::atomic<int> delivered = 0;
  std::thread reflector([&] {
    for (int i = 1; i <= kBatches; ++i) {
      inbox_.Deliver(Node(i, kMostWaitingBytes / 10));
      ++delivered;
    }
  });
  while (delivered < 10) std::this_thread::yield();
  EXPECT_LE(inbox_.waiting_bytes(), kMostWaitingBytes * 11 / 10) << "nobody has looked yet, so the next one waits";
  EXPECT_LE(delivered, 11);
  while (delivered < kBatches) {
    loop_.Poll();
    EXPECT_LE(inbox_.waiting_bytes(), kMostWaitingBytes * 11 / 10);
  }
  reflector.join();
  while (loop_.Poll() > 0) {
  }
  EXPECT_EQ(inbox_.waiting_bytes(), 0U);
  EXPECT_EQ(inbox_.Seen(cluster::Kind::kNode), static_cast<uint64_t>(kBatches));
  for (int i = 1; i <= kBatches; ++i) {
    EXPECT_TRUE(placement_->state().FindNode(Concat("n", std::to_string(i)))) << i;
  }
}

TEST_F(InboxTest, ABatchLargerThanAllThatMayWaitIsApplied) {
  std::thread reflector([&] {
    inbox_.Deliver(Node(1, 10 * kMostWaitingBytes));
    inbox_.Deliver(Node(2, 10 * kMostWaitingBytes));
  });
  while (inbox_.Seen(cluster::Kind::kNode) < 2) loop_.Poll();
  reflector.join();
}

TEST_F(InboxTest, ClosingItFreesAReflectorThatWaits) {
  std::atomic<bool> waits = false;
  std::thread reflector([&] {
    inbox_.Deliver(Node(1, 2 * kMostWaitingBytes));
    waits = true;
    inbox_.Deliver(Node(2, 1));
  });
  while (!waits) std::this_thread::yield();
  inbox_.Close();
  reflector.join();
}

}  // namespace
}  // namespace huygens::extender
