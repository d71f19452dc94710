#include "runtime/cri_runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/temporary_directory.h"
#include "tests/runtime/fake_runtime.h"

namespace huygens::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CriRuntimeTest : public testing::Test {
 protected:
  fake::TemporaryDirectory directory_;
  const std::string socket_ = directory_.File("runtime.sock");
  CriRuntime runtime_{socket_, {.cgroups = directory_.File("cgroup"), .proc = directory_.File("proc")}};
};

TEST_F(CriRuntimeTest, ListsContainersWithTheirPodsAndResources) {
  FakeRuntime fake(socket_, {});
  fake.Add("b", "node1");
  fake.Add("a");
  fake.SetState("a", ::runtime::v1::CONTAINER_RUNNING);
  const StatusOr<std::vector<Container>> listed = runtime_.List();
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_EQ(listed->size(), 2u);
  const Container& a = listed->at(0);
  EXPECT_EQ(a.id, "a");
  EXPECT_EQ(a.name, "main");
  EXPECT_EQ(a.restart_count, 2);
  EXPECT_EQ(a.state, ContainerState::kRunning);
  EXPECT_EQ(a.pod->sandbox_id, "sandbox-a");
  EXPECT_EQ(a.pod->uid, "uid-a");
  EXPECT_EQ(a.pod->namespace_name, "default");
  EXPECT_EQ(a.pod->name, "a");
  EXPECT_EQ(a.pod->annotations.at("result"), "node0");
  EXPECT_TRUE(a.pod->ready);
  EXPECT_EQ(a.resources.cpuset.cpus, "0-7");
  EXPECT_EQ(a.resources.cpu_shares, 2048);
  EXPECT_EQ(a.resources.cpu_quota, 200000);
  EXPECT_FALSE(a.resources.memory.has_value());
  EXPECT_EQ(listed->at(1).state, ContainerState::kCreated);
  EXPECT_EQ(listed->at(1).pod->annotations.at("result"), "node1");
}

TEST_F(CriRuntimeTest, AsksAboutEachContainerOnce) {
  FakeRuntime fake(socket_, {});
  fake.Add("a");
  const auto first = runtime_.List();
  const auto second = runtime_.List();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(fake.Calls("ContainerStatus"), 1u);
  EXPECT_EQ(first->at(0).pod, second->at(0).pod);  // the very same
  fake.Add("b");
  ASSERT_TRUE(runtime_.List().ok());
  EXPECT_EQ(fake.Calls("ContainerStatus"), 2u);
  fake.Remove("a");
  EXPECT_EQ(runtime_.List()->size(), 1u);
  EXPECT_TRUE(absl::IsNotFound(runtime_.Get("a").status()));
}

TEST_F(CriRuntimeTest, ResourcesAreThoseOfTheSpecWhereCriTellsNone) {
  FakeRuntime fake(socket_, {.status_has_resources = false});
  fake.Add("a");
  EXPECT_EQ(runtime_.Get("a")->resources.cpuset.cpus, "0-7");
  ASSERT_TRUE(runtime_.UpdateCpus("a", {.cpus = "3"}).ok());
  EXPECT_EQ(runtime_.Get("a")->resources.cpuset.cpus, "3");
}

TEST_F(CriRuntimeTest, UpdatesTheSetAndNothingElse) {
  FakeRuntime fake(socket_, {});
  fake.Add("a");
  ASSERT_TRUE(runtime_.List().ok());
  ASSERT_TRUE(runtime_.UpdateCpus("a", {.cpus = "2-3"}).ok());
  EXPECT_EQ(fake.CpusOf("a"), "2-3");
  // What came of it is asked for, not guessed: an NRI plugin may have decided otherwise.
  EXPECT_EQ(runtime_.List()->at(0).resources.cpuset.cpus, "2-3");
  EXPECT_EQ(fake.Calls("ContainerStatus"), 2u);
  // Nothing to be done is not done.
  ASSERT_TRUE(runtime_.UpdateCpus("a", {}).ok());
  EXPECT_EQ(fake.Calls("UpdateContainerResources"), 1u);
}

TEST_F(CriRuntimeTest, ErrorsOfUpdatesAreToldApart) {
  FakeRuntime fake(socket_, {});
  fake.Add("a");
  EXPECT_TRUE(absl::IsNotFound(runtime_.UpdateCpus("nobody", {.cpus = "1"})));
  fake.FailUpdates({grpc::StatusCode::UNKNOWN,
                    "failed to write \"7\": write /sys/fs/cgroup/cpuset/x/cpuset.cpus: numerical result out of range"});
  const Status impossible = runtime_.UpdateCpus("a", {.cpus = "7"});
  EXPECT_TRUE(absl::IsInvalidArgument(impossible));
  EXPECT_THAT(std::string(Message(impossible)),
              testing::AllOf(HasSubstr("CRI UpdateContainerResources of a to cpuset.cpus \"7\""), HasSubstr(socket_),
                             HasSubstr("no such CPU")));
  fake.FailUpdates({grpc::StatusCode::UNKNOWN, "container is in removal"});
  EXPECT_EQ(runtime_.UpdateCpus("a", {.cpus = "1"}).code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(fake.CpusOf("a"), "0-7");
}

TEST_F(CriRuntimeTest, SaysThatTheRuntimeIsAwayAndComesBackByItself) {
  const Status away = runtime_.List().status();
  EXPECT_TRUE(absl::IsUnavailable(away));
  EXPECT_THAT(std::string(Message(away)),
              testing::AllOf(HasSubstr("CRI ListContainers at " + socket_), HasSubstr("is the runtime running")));
  FakeRuntime fake(socket_, {});
  fake.Add("a");
  // gRPC waits 100 ms before it tries again.
  StatusOr<std::vector<Container>> listed = away;
  for (int tries = 0; tries < 100000 && absl::IsUnavailable(listed.status()); ++tries) listed = runtime_.List();
  EXPECT_TRUE(listed.ok()) << listed.status();
}

TEST_F(CriRuntimeTest, ReadsBackWhatTheKernelHas) {
  FakeRuntime fake(socket_, {});
  fake.Add("a");
  directory_.Write("cgroup/cpuset/kubepods/other", "");
  EXPECT_TRUE(absl::IsNotFound(runtime_.ReadCpuset("a").status()));
  EXPECT_TRUE(absl::IsNotFound(runtime_.ReadCpuset("nobody").status()));
  directory_.Write("cgroup/cpuset/kubepods/a/cpuset.cpus", "0-1\n");
  directory_.Write("cgroup/cpuset/kubepods/a/cpuset.mems", "0\n");
  // An update of a container that is being started reaches its spec alone.
  ASSERT_TRUE(runtime_.UpdateCpus("a", {.cpus = "1"}).ok());
  const StatusOr<Cpuset> read = runtime_.ReadCpuset("a");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->cpus, "0-1");
  EXPECT_EQ(fake.Calls("ContainerStatus"), 1u);  // the place is asked for once
}

}  // namespace
}  // namespace huygens::runtime
