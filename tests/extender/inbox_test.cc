#include "extender/inbox.h"

#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "tests/extender/fixture.h"

namespace huygens::extender {
namespace {

using cluster::Kind;
using std::chrono::hours;
using std::chrono::minutes;

class InboxTest : public ServiceTest {
 protected:
  // Sum of the metric over all that was applied.
  double Lag() const {
    const std::string text = metrics_.Render(), series = "huygens_watch_lag_seconds_sum{kind=\"nodes\"} ";
    const size_t at = text.find(series);
    return at == text.npos ? -1 : std::stod(text.substr(at + series.size()));
  }
  void Work() {
    while (loop_.Poll() > 0) {
    }
  }
  void DeliverNode() {
    inbox_.Deliver({.kind = Kind::kNode, .events = {cluster::NodeSet{{.name = "n"}}}, .resource_version = 0});
  }
  static kube::EventBatch Node(int number, size_t bytes) {
    kube::EventBatch batch{.kind = Kind::kNode, .resource_version = static_cast<uint64_t>(number)};
    batch.events.push_back(cluster::NodeSet{{.name = Concat("n", std::to_string(number)), .uid = "u"}});
    batch.bytes = bytes;
    return batch;
  }
  void DeliverPods(std::vector<cluster::Event> events, uint64_t version) {
    inbox_.Deliver({.kind = Kind::kPod, .events = std::move(events), .resource_version = version});
  }
  void ApplyPods(std::vector<cluster::Event> events, uint64_t version) {
    DeliverPods(std::move(events), version);
    Work();
  }
  static std::shared_ptr<cluster::Pod> MakePod(int number) {
    auto pod = std::make_shared<cluster::Pod>();
    pod->name = pod->uid = Concat("p", std::to_string(number));
    pod->namespace_name = "default";
    pod->node_name = Concat("n", std::to_string(number % 100));
    return pod;
  }

  Inbox inbox_{context_, loop_};
};

TEST_F(InboxTest, TheLagOfAWatchDoesNotGoByAClockThatIsSet) {
  for (const auto jump : {hours(1), hours(-2), hours(1)}) {
    DeliverNode();
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

TEST_F(InboxTest, KnowsForHowLongNothingWasHeardOfAKind) {
  monotonic_ += minutes(90);
  EXPECT_EQ(inbox_.Silence(Kind::kPod), Duration::zero()) << "never listed: another thing is wrong";
  ApplyPods({cluster::ListBegin{Kind::kPod}, cluster::ListEnd{Kind::kPod}}, 7);
  monotonic_ += minutes(2);
  clock_.now += std::chrono::hours(5);
  EXPECT_EQ(inbox_.Silence(Kind::kPod), minutes(2));
  ApplyPods({}, 8);  // a bookmark
  EXPECT_EQ(inbox_.Silence(Kind::kPod), Duration::zero());
  monotonic_ += minutes(2);
  EXPECT_EQ(inbox_.Silence(Kind::kPod), minutes(2));
  inbox_.Report({Kind::kPod, kube::WatchState::kAbsent, ""});
  Work();
  EXPECT_EQ(inbox_.Silence(Kind::kPod), Duration::zero());
}

TEST_F(InboxTest, PodsThatALongListDoesNotNameGoBetweenRequests) {
  std::vector<cluster::Event> events = {cluster::ListBegin{Kind::kPod}};
  for (int i = 0; i < 4'000; ++i) events.push_back(cluster::PodSet{MakePod(i), 1});
  events.push_back(cluster::ListEnd{Kind::kPod});
  ApplyPods(std::move(events), 7);
  EXPECT_EQ(placement_->state().PodCount(), 4'000u);
  DeliverPods({cluster::ListBegin{Kind::kPod}, cluster::ListEnd{Kind::kPod}}, 8);
  size_t tasks_between = 0;
  std::function<void()> task = [&] {
    ++tasks_between;
    if (inbox_.Seen(Kind::kPod) != 8) loop_.Post(task);
  };
  loop_.Post(task);
  while (inbox_.Seen(Kind::kPod) != 8) loop_.Poll();
  EXPECT_EQ(placement_->state().PodCount(), 0u);
  EXPECT_GT(tasks_between, 1u) << "a request would have been served in the middle";
}

}  // namespace
}  // namespace huygens::extender
