#include "informer/watch_event_queue.h"

#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/state.h"
#include "tests/observe/captured_log.h"

namespace huygens::informer {
namespace {

using cluster::Kind;
using std::chrono::hours;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A service that does no more with the events than to keep the state.
class StateKeeper final : public WatchEventHandler {
 public:
  void Apply(Kind, const cluster::WatchEvent& event) override { state.Apply(event); }
  bool Sweep(Kind kind, size_t limit) override { return state.Sweep(kind, limit); }
  void WatchChanged(const kube::WatchReport& report) override { states.push_back(report.state); }
  void ObjectFault(Kind, std::string_view object, std::string_view fault, bool) override {
    faults.push_back(Concat(object, ": ", fault));
  }

  cluster::State state;
  std::vector<kube::WatchState> states;
  std::vector<std::string> faults;
};

class WatchEventQueueTest : public testing::Test {
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
    queue_.Deliver({.kind = Kind::kNode, .events = {cluster::NodeSet{{.name = "n"}}}, .resource_version = 0});
  }
  static kube::WatchEventBatch Node(int number, size_t bytes) {
    kube::WatchEventBatch batch{.kind = Kind::kNode, .resource_version = static_cast<uint64_t>(number)};
    batch.events.push_back(cluster::NodeSet{{.name = Concat("n", std::to_string(number)), .uid = "u"}});
    batch.bytes = bytes;
    return batch;
  }
  void DeliverPods(std::vector<cluster::WatchEvent> events, uint64_t version) {
    queue_.Deliver({.kind = Kind::kPod, .events = std::move(events), .resource_version = version});
  }
  void ApplyPods(std::vector<cluster::WatchEvent> events, uint64_t version) {
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

  Duration monotonic_ = hours(5);
  net::EventLoop loop_;
  observe::CapturedLog captured_;
  observe::Metrics metrics_{{.version = "test", .reject_reasons = {}}};
  StateKeeper keeper_;
  WatchEventQueue queue_{keeper_, loop_, captured_.log, metrics_, [this] { return monotonic_; }};
};

TEST_F(WatchEventQueueTest, TheLagOfAWatchDoesNotGoByAClockThatIsSet) {
  for (const auto jump : {hours(1), hours(-2), hours(1)}) {
    DeliverNode();
    captured_.clock.Advance(jump);
    Work();
  }
  EXPECT_GT(Lag(), 0);
  EXPECT_LT(Lag(), 600) << "an hour was set";
  EXPECT_TRUE(keeper_.state.FindNode("n"));
}

TEST_F(WatchEventQueueTest, AReflectorThatIsFasterThanTheDecisionThreadWaits) {
  constexpr int kBatches = 100;
  std::atomic<int> delivered = 0;
  std::thread reflector([&] {
    for (int i = 1; i <= kBatches; ++i) {
      queue_.Deliver(Node(i, kMostWaitingBytes / 10));
      ++delivered;
    }
  });
  while (delivered < 10) std::this_thread::yield();
  EXPECT_LE(queue_.waiting_bytes(), kMostWaitingBytes * 11 / 10) << "nobody has looked yet, so the next one waits";
  EXPECT_LE(delivered, 11);
  while (delivered < kBatches) {
    loop_.Poll();
    EXPECT_LE(queue_.waiting_bytes(), kMostWaitingBytes * 11 / 10);
  }
  reflector.join();
  while (loop_.Poll() > 0) {
  }
  EXPECT_EQ(queue_.waiting_bytes(), 0U);
  EXPECT_EQ(queue_.Seen(cluster::Kind::kNode), static_cast<uint64_t>(kBatches));
  for (int i = 1; i <= kBatches; ++i) {
    EXPECT_TRUE(keeper_.state.FindNode(Concat("n", std::to_string(i)))) << i;
  }
}

TEST_F(WatchEventQueueTest, ABatchLargerThanAllThatMayWaitIsApplied) {
  std::thread reflector([&] {
    queue_.Deliver(Node(1, 10 * kMostWaitingBytes));
    queue_.Deliver(Node(2, 10 * kMostWaitingBytes));
  });
  while (queue_.Seen(cluster::Kind::kNode) < 2) loop_.Poll();
  reflector.join();
}

TEST_F(WatchEventQueueTest, ClosingItFreesAReflectorThatWaits) {
  std::atomic<bool> waits = false;
  std::thread reflector([&] {
    queue_.Deliver(Node(1, 2 * kMostWaitingBytes));
    waits = true;
    queue_.Deliver(Node(2, 1));
  });
  while (!waits) std::this_thread::yield();
  queue_.Close();
  reflector.join();
}

TEST_F(WatchEventQueueTest, KnowsForHowLongNothingWasHeardOfAKind) {
  monotonic_ += minutes(90);
  EXPECT_EQ(queue_.Silence(Kind::kPod), Duration::zero()) << "never listed: another thing is wrong";
  ApplyPods({cluster::ListBegin{Kind::kPod}, cluster::ListEnd{Kind::kPod}}, 7);
  monotonic_ += minutes(2);
  captured_.clock.Advance(hours(5));
  EXPECT_EQ(queue_.Silence(Kind::kPod), minutes(2));
  ApplyPods({}, 8);  // a bookmark
  EXPECT_EQ(queue_.Silence(Kind::kPod), Duration::zero());
  monotonic_ += minutes(2);
  EXPECT_EQ(queue_.Silence(Kind::kPod), minutes(2));
  queue_.Report({Kind::kPod, kube::WatchState::kAbsent, ""});
  Work();
  EXPECT_EQ(queue_.Silence(Kind::kPod), Duration::zero());
}

TEST_F(WatchEventQueueTest, PodsThatALongListDoesNotNameGoBetweenRequests) {
  std::vector<cluster::WatchEvent> events = {cluster::ListBegin{Kind::kPod}};
  for (int i = 0; i < 4'000; ++i) events.push_back(cluster::PodSet{MakePod(i), 1});
  events.push_back(cluster::ListEnd{Kind::kPod});
  ApplyPods(std::move(events), 7);
  EXPECT_EQ(keeper_.state.PodCount(), 4'000u);
  DeliverPods({cluster::ListBegin{Kind::kPod}, cluster::ListEnd{Kind::kPod}}, 8);
  size_t tasks_between = 0;
  std::function<void()> task = [&] {
    ++tasks_between;
    if (queue_.Seen(Kind::kPod) != 8) loop_.Post(task);
  };
  loop_.Post(task);
  while (queue_.Seen(Kind::kPod) != 8) loop_.Poll();
  EXPECT_EQ(keeper_.state.PodCount(), 0u);
  EXPECT_GT(tasks_between, 1u) << "a request would have been served in the middle";
}

TEST_F(WatchEventQueueTest, WhatIsWrongWithAnObjectIsLoggedCountedAndHandedOnToTheThreadOfTheLoop) {
  std::thread reflector([&] { queue_.ObjectFault(Kind::kNode, "n", Invalid("no name"), true); });
  reflector.join();
  EXPECT_THAT(captured_.Lines(), ElementsAre(HasSubstr("part of an object is ignored")));
  EXPECT_THAT(metrics_.Render(), HasSubstr("huygens_watch_events_total{kind=\"nodes\",type=\"fault\"} 1"));
  EXPECT_THAT(keeper_.faults, IsEmpty());
  Work();
  EXPECT_THAT(keeper_.faults, ElementsAre("n: no name"));
  queue_.ObjectFault(Kind::kNode, "n", absl::OkStatus(), false);
  Work();
  EXPECT_THAT(keeper_.faults, ElementsAre("n: no name", "n: ")) << "mended";
  EXPECT_THAT(captured_.Lines(), testing::SizeIs(1));
}

TEST_F(WatchEventQueueTest, AWatchThatBreaksIsAWarningAndToldToTheService) {
  queue_.Report({Kind::kPod, kube::WatchState::kBroken, "cut"});
  EXPECT_THAT(keeper_.states, IsEmpty());
  Work();
  EXPECT_THAT(keeper_.states, ElementsAre(kube::WatchState::kBroken));
  EXPECT_EQ(queue_.Watch(Kind::kPod).why, "cut");
  EXPECT_THAT(captured_.Lines(), ElementsAre(HasSubstr("level=warn msg=watch kind=pods state=broken why=cut")));
}

}  // namespace
}  // namespace huygens::informer
