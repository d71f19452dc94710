// From an API server to the state of a service that follows two kinds and does nothing else.
#include "informer/reflectors.h"

#include <gmock/gmock.h>

#include <array>

#include "cluster/state.h"
#include "informer/followed_kinds.h"
#include "tests/fake/api_server.h"
#include "tests/fake/objects.h"
#include "tests/observe/captured_log.h"

namespace huygens::informer {
namespace {

using cluster::Kind;

class StateKeeper final : public WatchEventHandler {
 public:
  void Apply(Kind, const cluster::WatchEvent& event) override { state.Apply(event); }
  bool Sweep(Kind kind, size_t limit) override { return state.Sweep(kind, limit); }

  cluster::State state;
};

class ReflectorsTest : public testing::Test {
 protected:
  ~ReflectorsTest() override { reflectors_.Stop(); }
  void Start() { ASSERT_TRUE(reflectors_.Start(api_.Options(), kFollowed).ok()); }

  static constexpr std::array kFollowed = {Kind::kNode, Kind::kPod};
  fake::ApiServer api_;
  net::EventLoop loop_;
  observe::CapturedLog captured_;
  observe::Metrics metrics_{{.version = "test", .reject_reasons = {}}};
  ResourceNames names_;
  StateKeeper keeper_;
  WatchEventQueue queue_{keeper_, loop_, captured_.log, metrics_};
  FollowedKinds followed_{{kFollowed.begin(), kFollowed.end()}, true, keeper_.state, queue_};
  Reflectors reflectors_{names_, queue_};
};

TEST_F(ReflectorsTest, AServiceIsReadyOnceAllThatItFollowsIsListed) {
  EXPECT_EQ(followed_.NotReady(), "waiting for the first list of nodes and pods");
  EXPECT_FALSE(followed_.Describe().Ready());
  api_.Put(fake::Node("n1").Cpu("4"));
  api_.Put(fake::Pod("default", "a").Cpu("1").On("n1"));
  Start();
  while (!followed_.NotReady().empty()) loop_.Poll();
  EXPECT_TRUE(keeper_.state.FindNode("n1"));
  EXPECT_EQ(keeper_.state.PodCount(), 1u);
  EXPECT_TRUE(followed_.Describe().Ready());
  EXPECT_EQ(followed_.Describe().items.size(), 2u) << "the other kinds are not its business";
  EXPECT_FALSE(keeper_.state.Synced(Kind::kCraneTopology));
}

TEST_F(ReflectorsTest, WhatIsWrittenLaterComesByTheWatch) {
  Start();
  while (!followed_.NotReady().empty()) loop_.Poll();
  api_.Put(fake::Node("n2").Cpu("4"));
  reflectors_.CatchUp(Kind::kNode, queue_.Seen(Kind::kNode) + 1);
  while (!keeper_.state.FindNode("n2")) loop_.Poll();
}

TEST_F(ReflectorsTest, StoppingDoesNotWaitForAThreadThatNobodyRuns) {
  api_.Put(fake::Node("n1").Cpu("4"));
  Start();
  reflectors_.Stop();
  EXPECT_FALSE(keeper_.state.FindNode("n1")) << "nobody polled";
}

TEST_F(ReflectorsTest, ManifestsAreNeverSilent) {
  Duration now = std::chrono::hours(1);
  WatchEventQueue queue(keeper_, loop_, captured_.log, metrics_, [&] { return now; });
  const FollowedKinds watched({Kind::kNode}, true, keeper_.state, queue);
  const FollowedKinds read_once({Kind::kNode}, false, keeper_.state, queue);
  queue.Deliver({.kind = Kind::kNode,
                 .events = {cluster::ListBegin{Kind::kNode}, cluster::ListEnd{Kind::kNode}},
                 .resource_version = 7});
  while (loop_.Poll() > 0) {
  }
  EXPECT_TRUE(watched.NotHeardOf().empty());
  queue.Report({Kind::kNode, kube::WatchState::kBroken, "cut"});
  while (loop_.Poll() > 0) {
  }
  now += std::chrono::seconds(9);
  ASSERT_EQ(watched.NotHeardOf().size(), 1);
  EXPECT_EQ(watched.NotHeardOf()[0].silence, std::chrono::seconds(9));
  EXPECT_EQ(watched.NotHeardOf()[0].why, "cut");
  queue.Report({Kind::kNode, kube::WatchState::kSynced, ""});
  while (loop_.Poll() > 0) {
  }
  EXPECT_TRUE(watched.NotHeardOf().empty());
  now += std::chrono::minutes(11) - std::chrono::seconds(9);
  ASSERT_EQ(watched.NotHeardOf().size(), 1);
  EXPECT_EQ(watched.NotHeardOf()[0].why, "") << "the watch is open";
  EXPECT_TRUE(read_once.NotHeardOf().empty());
  EXPECT_EQ(watched.Silence(Kind::kNode), std::chrono::minutes(11));
  EXPECT_FALSE(watched.Describe().Ready());
  EXPECT_EQ(read_once.Silence(Kind::kNode), Duration::zero());
  EXPECT_TRUE(read_once.Describe().Ready());
}

}  // namespace
}  // namespace huygens::informer
