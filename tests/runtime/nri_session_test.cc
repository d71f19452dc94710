#include "runtime/nri_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/runtime/nri_runtime_end.h"
#include "tests/runtime/recorder.h"

namespace huygens::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A plugin and a runtime without anything in between.
class NriSessionTest : public testing::Test {
 protected:
  // What the runtime says to the plugin, and all that follows from it.
  Status Say(std::string bytes) {
    while (!bytes.empty()) {
      sent_.clear();
      if (Status status = session_.Receive(bytes); !status.ok()) return status;
      bytes = runtime_.Receive(sent_);
    }
    return absl::OkStatus();
  }
  void Connect() {
    session_.Begin();
    ASSERT_TRUE(Say(runtime_.Receive(std::exchange(sent_, ""))).ok());
    const auto configured = runtime_.Next<nri_api::ConfigureResponse>();
    ASSERT_TRUE(configured.has_value());
    EXPECT_EQ(configured->events(), 1 << 0 | 1 << 3 | 1 << 7 | 1 << 9);
  }
  void ConnectAndSynchronize() {
    Connect();
    ASSERT_TRUE(Say(runtime_.Ask("Synchronize", nri_api::SynchronizeRequest())).ok());
    ASSERT_TRUE(runtime_.Next<nri_api::SynchronizeResponse>().has_value());
  }
  void TearDown() override { EXPECT_THAT(runtime_.faults, IsEmpty()); }

  RecordingHooks hooks_;
  NriRuntimeEnd runtime_;
  std::string sent_;
  NriSession session_{NriName(), hooks_, [this](const std::string& bytes) { sent_ += bytes; }};
};

TEST_F(NriSessionTest, RegistersAndIsToldAllContainersInParts) {
  Connect();
  EXPECT_EQ(runtime_.registered_as, "90-huygens");
  EXPECT_FALSE(session_.ready());
  nri_api::SynchronizeRequest part;
  const auto about = About<nri_api::CreateContainerRequest>("a");
  *part.add_pods() = about.pod();
  *part.add_containers() = about.container();
  part.set_more(true);
  ASSERT_TRUE(Say(runtime_.Ask("Synchronize", part)).ok());
  EXPECT_TRUE(runtime_.Next<nri_api::SynchronizeResponse>().value().more());
  EXPECT_THAT(hooks_.recorder.Notes(), IsEmpty());

  // The second part has a container of a pod of the first, and one whose pod nobody told.
  nri_api::SynchronizeRequest rest;
  *rest.add_containers() = about.container();
  rest.mutable_containers(0)->set_id("sidecar");
  rest.add_containers()->set_id("lost");
  ASSERT_TRUE(Say(runtime_.Ask("Synchronize", rest)).ok());
  EXPECT_FALSE(runtime_.Next<nri_api::SynchronizeResponse>().value().more());
  EXPECT_THAT(hooks_.recorder.Notes(),
              ElementsAre("connected NRI of made-up v9", "synchronized container-a/a sidecar/a lost/"));
  EXPECT_TRUE(session_.ready());
}

TEST_F(NriSessionTest, AContainerIsMadeWithTheSetThatWasDecidedAndOthersShrinkBefore) {
  ConnectAndSynchronize();
  std::optional<Container> seen;
  hooks_.create = [&](const Container& container) {
    seen = container;
    return CreationAnswer{.own = {.cpus = "2-3", .mems = "0"},
                          .others = {{"shared", {.cpus = "0-1"}}, {"nothing", {}}}};
  };
  auto question = About<nri_api::CreateContainerRequest>("a");
  (*question.mutable_container()->mutable_annotations())["io.kubernetes.container.restartCount"] = "3";
  nri_api::LinuxResources& asked = *question.mutable_container()->mutable_linux()->mutable_resources();
  asked.mutable_cpu()->mutable_quota()->set_value(200000);
  asked.mutable_cpu()->mutable_period()->set_value(100000);
  asked.mutable_cpu()->mutable_shares()->set_value(2048);
  asked.mutable_memory()->mutable_limit()->set_value(1 << 30);
  ASSERT_TRUE(Say(runtime_.Ask("CreateContainer", question)).ok());

  const auto answer = runtime_.Next<nri_api::CreateContainerResponse>();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->adjust().linux().resources().cpu().cpus(), "2-3");
  EXPECT_EQ(answer->adjust().linux().resources().cpu().mems(), "0");
  EXPECT_FALSE(answer->adjust().linux().resources().has_memory());
  ASSERT_EQ(answer->update_size(), 1);
  EXPECT_EQ(answer->update(0).container_id(), "shared");
  EXPECT_EQ(answer->update(0).linux().resources().cpu().cpus(), "0-1");
  EXPECT_TRUE(answer->update(0).ignore_failure());

  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->name, "main");
  EXPECT_EQ(seen->pod->annotations.at("result"), "node0");
  EXPECT_EQ(seen->restart_count, 3);
  EXPECT_EQ(seen->resources.cpuset.cpus, "0-7");
  EXPECT_EQ(seen->resources.cpu_quota, 200000);
  EXPECT_EQ(seen->resources.cpu_period, 100000);
  EXPECT_EQ(seen->resources.cpu_shares, 2048);
  EXPECT_EQ(seen->resources.memory, 1 << 30);
}

TEST_F(NriSessionTest, AContainerThatIsNotOursIsLeftAlone) {
  ConnectAndSynchronize();
  ASSERT_TRUE(Say(runtime_.Ask("CreateContainer", About<nri_api::CreateContainerRequest>("a"))).ok());
  const auto answer = runtime_.Next<nri_api::CreateContainerResponse>();
  ASSERT_TRUE(answer.has_value());
  EXPECT_FALSE(answer->has_adjust());
  EXPECT_EQ(answer->update_size(), 0);
}

TEST_F(NriSessionTest, ARefusalIsToldWithItsText) {
  ConnectAndSynchronize();
  hooks_.create = [](const Container&) -> StatusOr<CreationAnswer> { return Refused("zone node1 has no CPU left"); };
  ASSERT_TRUE(Say(runtime_.Ask("CreateContainer", About<nri_api::CreateContainerRequest>("a"))).ok());
  ASSERT_EQ(runtime_.answers.size(), 1u);
  EXPECT_NE(runtime_.answers[0].status().code(), 0);
  EXPECT_EQ(runtime_.answers[0].status().message(), "zone node1 has no CPU left");
}

TEST_F(NriSessionTest, AnUpdateIsOverriddenUnderTheContainersOwnId) {
  ConnectAndSynchronize();
  auto question = About<nri_api::UpdateContainerRequest>("a");
  question.mutable_linux_resources()->mutable_cpu()->mutable_shares()->set_value(512);
  ASSERT_TRUE(Say(runtime_.Ask("UpdateContainer", question)).ok());
  EXPECT_EQ(runtime_.Next<nri_api::UpdateContainerResponse>().value().update_size(), 0);

  hooks_.update = {.cpus = "4"};
  question.mutable_linux_resources()->mutable_cpu()->set_cpus("0-7");
  ASSERT_TRUE(Say(runtime_.Ask("UpdateContainer", question)).ok());
  const auto answer = runtime_.Next<nri_api::UpdateContainerResponse>();
  ASSERT_EQ(answer.value().update_size(), 1);
  EXPECT_EQ(answer->update(0).container_id(), "container-a");
  EXPECT_EQ(answer->update(0).linux().resources().cpu().cpus(), "4");
  EXPECT_EQ(answer->update(0).linux().resources().cpu().mems(), "");
  EXPECT_EQ(hooks_.recorder.Notes().back(), "update container-a has 0-7 asked 0-7 shares 512");
}

TEST_F(NriSessionTest, OthersMayHaveWhatAStoppedContainerHad) {
  ConnectAndSynchronize();
  hooks_.stop = {{"shared", {.cpus = "0-7"}}};
  ASSERT_TRUE(Say(runtime_.Ask("StopContainer", About<nri_api::StopContainerRequest>("a"))).ok());
  const auto answer = runtime_.Next<nri_api::StopContainerResponse>();
  ASSERT_EQ(answer.value().update_size(), 1);
  EXPECT_EQ(answer->update(0).container_id(), "shared");
}

TEST_F(NriSessionTest, SandboxesAreToldByEitherCall) {
  ConnectAndSynchronize();
  nri_api::RunPodSandboxRequest newer;
  newer.mutable_pod()->set_name("newer");
  ASSERT_TRUE(Say(runtime_.Ask("RunPodSandbox", newer)).ok());
  nri_api::StateChangeEvent older;
  older.set_event(nri_api::RUN_POD_SANDBOX);
  older.mutable_pod()->set_name("older");
  ASSERT_TRUE(Say(runtime_.Ask("StateChange", older)).ok());
  older.set_event(nri_api::STOP_POD_SANDBOX);
  ASSERT_TRUE(Say(runtime_.Ask("StateChange", older)).ok());
  EXPECT_THAT(hooks_.recorder.Notes(),
              ElementsAre("connected NRI of made-up v9", "synchronized", "pod newer", "pod older"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(runtime_.Next<nri_api::Empty>().has_value());
}

TEST_F(NriSessionTest, WhatIsNotUnderstoodIsAnsweredAndTheConnectionStays) {
  ConnectAndSynchronize();
  ASSERT_TRUE(Say(runtime_.Ask("ValidateContainerAdjustment", nri_api::Empty())).ok());
  ASSERT_TRUE(Say(runtime_.AskBytes("CreateContainer", "\x0a\x7f")).ok());  // a pod of 127 bytes that are not there
  ASSERT_TRUE(
      Say(NriFrames(NriConnection::kPlugin, {.stream = 5, .type = TtrpcMessage::kRequest, .content = "\xff\xff"}))
          .ok());
  ASSERT_EQ(runtime_.answers.size(), 3u);
  EXPECT_EQ(runtime_.answers[0].status().message(), "no method ValidateContainerAdjustment");
  EXPECT_EQ(runtime_.answers[1].status().message(), "CreateContainer: the request cannot be read");
  EXPECT_EQ(runtime_.answers[2].status().message(), "the request cannot be read");
  EXPECT_EQ(hooks_.recorder.Count("create"), 0u);
}

TEST_F(NriSessionTest, ARefusedRegistrationAndAGoodbyeEndIt) {
  session_.Begin();
  nri_api::TtrpcResponse no;
  no.mutable_status()->set_code(2);
  no.mutable_status()->set_message("invalid plugin name");
  EXPECT_EQ(
      Message(session_.Receive(NriFrames(
          NriConnection::kRuntime, {.stream = 1, .type = TtrpcMessage::kResponse, .content = no.SerializeAsString()}))),
      "NRI: the runtime does not take us as plugin 90-huygens: invalid plugin name");

  NriRuntimeEnd other;
  NriSession goodbye(NriName(), hooks_, [](const std::string&) {});
  EXPECT_TRUE(absl::IsUnavailable(goodbye.Receive(other.Ask("Shutdown", nri_api::Empty()))));
}

}  // namespace
}  // namespace huygens::runtime
