#include "runtime/event_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/temporary_directory.h"
#include "tests/runtime/fake_runtime.h"
#include "tests/runtime/recorder.h"

namespace huygens::runtime {
namespace {

namespace v1 = ::runtime::v1;
namespace containerd = ::containerd::services::events::v1;
using std::chrono::milliseconds;
using testing::Contains;
using testing::HasSubstr;

class EventFollowerTest : public testing::Test {
 protected:
  std::unique_ptr<EventFollower> Follow() {
    return std::make_unique<EventFollower>(
        FollowOptions{.poll_period = milliseconds(1), .first_retry = milliseconds(1), .last_retry = milliseconds(5)},
        runtime_, sink_, std::make_unique<SteadyWaiter>(), [] { return 0.5; });
  }
  Recorder& recorder() { return sink_.recorder; }

  fake::TemporaryDirectory directory_;
  const std::string socket_ = directory_.File("runtime.sock");
  CriRuntime runtime_{socket_};
  RecordingSink sink_;
};

TEST_F(EventFollowerTest, TellsTheEventsOfCri) {
  FakeRuntime fake(socket_, {});
  const auto follower = Follow();
  fake.AwaitStreams(1);
  ASSERT_TRUE(recorder().Await("connected containerd v2.3.4 at " + socket_ + ", events by CRI"));
  ASSERT_TRUE(recorder().Await("resync connected"));
  fake.Add("a");
  fake.SendCriEvent("a", v1::CONTAINER_CREATED_EVENT);
  ASSERT_TRUE(recorder().Await("created a of a node0"));
  fake.SetState("a", v1::CONTAINER_RUNNING);
  fake.SendCriEvent("a", v1::CONTAINER_STARTED_EVENT);
  ASSERT_TRUE(recorder().Await("started a of a node0"));
  fake.SetState("a", v1::CONTAINER_EXITED);
  fake.SendCriEvent("a", v1::CONTAINER_STOPPED_EVENT);
  ASSERT_TRUE(recorder().Await("stopped a of a node0"));
  // What happened while the stream was being opened is looked up.
  EXPECT_TRUE(recorder().Await("resync events have begun"));
}

TEST_F(EventFollowerTest, AsksWhereAnEventOfCriTellsNoMoreThanAnId) {
  FakeRuntime fake(socket_, {.name = "cri-o", .version = "1.30.0"});
  const auto follower = Follow();
  fake.AwaitStreams(1);
  fake.Add("a", "node1");
  fake.SetState("a", v1::CONTAINER_RUNNING);
  fake.SendCriEvent("a", v1::CONTAINER_STARTED_EVENT, false);
  ASSERT_TRUE(recorder().Await("started a of a node1"));
  fake.Remove("a");
  fake.SendCriEvent("a", v1::CONTAINER_DELETED_EVENT, false);
  ASSERT_TRUE(recorder().Await("stopped a of a node1"));
  fake.SendCriEvent("sandbox-a", v1::CONTAINER_DELETED_EVENT, false);
  fake.Add("b");
  fake.SendCriEvent("b", v1::CONTAINER_CREATED_EVENT);
  ASSERT_TRUE(recorder().Await("created b"));
  EXPECT_EQ(recorder().Count("stopped"), 1u);
}

// containerd 1.7 has CRI's events, too, but whoever reads them takes them from kubelet.
TEST_F(EventFollowerTest, TellsTheEventsOfContainerdOfAnyVersion1) {
  FakeRuntime fake(socket_, {.version = "1.7.34"});
  const auto follower = Follow();
  fake.AwaitStreams(1);
  ASSERT_TRUE(recorder().Await("connected containerd 1.7.34 at " + socket_ + ", events by containerd"));
  EXPECT_THAT(fake.filters(), Contains(HasSubstr("/tasks/start")));

  // containerd tells of its start before its CRI says that it runs; an update in between would be lost.
  fake.Add("a");
  containerd::TaskStart start;
  start.set_container_id("a");
  const size_t asked = fake.Calls("ContainerStatus");
  fake.SendContainerdEvent("/tasks/start", start);
  while (fake.Calls("ContainerStatus") == asked) std::this_thread::yield();
  EXPECT_EQ(recorder().Count("started"), 0u);
  fake.SetState("a", v1::CONTAINER_RUNNING);
  ASSERT_TRUE(recorder().Await("started a of a node0"));

  // A process of `exec` ends: not the container.
  containerd::TaskExit exit;
  exit.set_container_id("a");
  exit.set_id("exec");
  fake.SendContainerdEvent("/tasks/exit", exit);
  exit.set_id("a");
  fake.SendContainerdEvent("/tasks/exit", exit);
  ASSERT_TRUE(recorder().Await("stopped a of a node0"));
  containerd::ContainerChange change;
  change.set_id("a");
  fake.SendContainerdEvent("/containers/delete", change);
  start.set_container_id("b");
  fake.Add("b");
  fake.SetState("b", v1::CONTAINER_RUNNING);
  fake.SendContainerdEvent("/tasks/start", start);
  ASSERT_TRUE(recorder().Await("started b"));
  EXPECT_EQ(recorder().Count("stopped"), 1u);
}

TEST_F(EventFollowerTest, GarbageAndSandboxesInEventsAreNobodysContainer) {
  FakeRuntime fake(socket_, {.version = "1.6.20~ds1"});
  const auto follower = Follow();
  fake.AwaitStreams(1);
  containerd::TaskStart start;
  start.set_container_id("sandbox-a");
  fake.SendContainerdEvent("/tasks/start", start);
  containerd::Packed garbage;  // field 1 is a text, field 2 bytes that are no text
  garbage.set_value("\xff\xfe");
  fake.SendContainerdEvent("/tasks/exit", garbage);
  fake.SendContainerdEvent("/nonsense", garbage);
  fake.Add("a");
  fake.SetState("a", v1::CONTAINER_RUNNING);
  start.set_container_id("a");
  fake.SendContainerdEvent("/tasks/start", start);
  ASSERT_TRUE(recorder().Await("started a"));
  EXPECT_EQ(recorder().Count("started"), 1u);
  EXPECT_EQ(recorder().Count("stopped"), 0u);
}

TEST_F(EventFollowerTest, ComparesListsWhereThereAreNoEvents) {
  FakeRuntime fake(socket_, {.name = "odd", .version = "0.1", .cri_events = false});
  fake.Add("before");
  const auto follower = Follow();
  ASSERT_TRUE(recorder().Await("connected odd 0.1 at " + socket_ + ", which has no events: lists are compared"));
  ASSERT_TRUE(recorder().Await("resync connected"));
  fake.Add("a");
  ASSERT_TRUE(recorder().Await("created a of a node0"));
  fake.SetState("a", v1::CONTAINER_RUNNING);
  ASSERT_TRUE(recorder().Await("started a"));
  fake.SetState("a", v1::CONTAINER_EXITED);
  ASSERT_TRUE(recorder().Await("stopped a"));
  fake.Remove("a");
  fake.Remove("before");
  ASSERT_TRUE(recorder().Await("stopped before"));
  EXPECT_EQ(recorder().Count("stopped a"), 1u);
  EXPECT_EQ(recorder().Count("created before"), 0u);
}

TEST_F(EventFollowerTest, ComesBackAfterTheRuntimeWasAwayAndLooksAgain) {
  FakeRuntime fake(socket_, {});
  const auto follower = Follow();
  for (size_t round = 1; round <= 3; ++round) {
    fake.AwaitStreams(round);
    ASSERT_TRUE(recorder().Await("resync connected", round));
    fake.Stop();
    ASSERT_TRUE(recorder().Await("lost CRI", round));
    fake.Start();
  }
  EXPECT_TRUE(recorder().Await("connected", 4));
  // Each loss is told once, however often it was tried meanwhile: at most the loss and that nobody answers.
  EXPECT_LE(recorder().Count("lost"), 9u);
}

TEST_F(EventFollowerTest, EndsWhileItWaitsForEventsAndWhileNobodyIsThere) {
  {
    FakeRuntime fake(socket_, {});
    const auto follower = Follow();
    fake.AwaitStreams(1);
  }
  const auto follower = Follow();
  EXPECT_TRUE(recorder().Await("lost CRI Version"));
}

}  // namespace
}  // namespace huygens::runtime
