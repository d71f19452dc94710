// What asks kubelet, against a server that answers as kubelets were recorded, and folders that stand for kubelet's.
#include "agent/kubelet_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "base/text.h"
#include "tests/fake/api_server.h"
#include "tests/fake/temporary_directory.h"
#include "tests/net/fixture.h"

namespace huygens::agent {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::string Configz(std::string_view policy) {
  return Concat(R"({"kubeletconfig":{"cpuManagerPolicy":")", policy, R"("}})");
}
std::string Pods(std::string_view uid) {
  return Concat(R"({"kind":"PodList","items":[{"metadata":{"uid":")", uid,
                R"(","name":"p","namespace":"d"},"status":{"phase":"Running"}}]})");
}
constexpr std::string_view kState =
    R"({"policyName":"static","defaultCpuSet":"0,2-3","entries":{"u":{"c":"1"}},"checksum":0})";

class KubeletWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    configuration_.node_name = "n1";
    configuration_.kubelet.url = kubelet_.Options().base_url;
    configuration_.kubelet.directory = root_.path();
    configuration_.kubelet.interval = std::chrono::hours(1);  // events alone
    for (const char* folder : {"device-plugins", "pods"}) std::filesystem::create_directory(root_.File(folder));
    Answer("none", "u");
  }
  ~KubeletWatchTest() override {
    if (!thread_.joinable()) return;
    OnLoop([this] { part_->Stop(); });
    loop_.Stop();
    thread_.join();
  }

  void Answer(std::string_view policy, std::string_view uid) {
    kubelet_.ClearFaults();
    kubelet_.Inject({.path = "/configz", .times = -1, .code = 200, .body = Configz(policy)});
    kubelet_.Inject({.path = "/pods", .times = -1, .code = 200, .body = Pods(uid)});
  }
  void Start() {
    facts_.OnChange([this] { changes_.Put(facts_.look()); });
    part_ = MakeKubeletWatch({.configuration = configuration_,
                              .node_name = configuration_.node_name,
                              .api_server = api_server_,
                              .facts = facts_,
                              .loop = loop_,
                              .log = log_,
                              .clock = clock_,
                              .metrics = metrics_});
    ASSERT_TRUE(part_->Start().ok());
    thread_ = std::thread([this] { loop_.Run(); });
  }
  void OnLoop(const std::function<void()>& task) {
    std::promise<void> done;
    loop_.Post([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }
  observe::Readiness::Item Item() {
    observe::Readiness readiness;
    OnLoop([&] { part_->Describe(readiness); });
    return readiness.items.at(0);
  }
  // As kubelet replaces its files.
  void Write(std::string_view name, std::string_view text) const {
    std::ofstream(root_.File("new")) << text;
    std::filesystem::rename(root_.File("new"), root_.File(name));
  }

  const fake::TemporaryDirectory root_;
  fake::ApiServer kubelet_;
  AgentConfiguration configuration_;
  net::ClientOptions api_server_ = kubelet_.Options();
  net::EventLoop loop_;
  SystemClock clock_;
  observe::Log log_{clock_, observe::LogLevel::kError, observe::LogFormat::kText};
  observe::Instruments metrics_;
  NodeFacts facts_;
  net::testing::Inbox<std::shared_ptr<const KubeletLook>> changes_;
  std::unique_ptr<Part> part_;
  std::thread thread_;
};

TEST_F(KubeletWatchTest, TellsHowKubeletRunsAndItsPods) {
  Start();
  const auto look = changes_.Take();
  ASSERT_NE(look, nullptr);
  EXPECT_FALSE(look->kubelet.PinsCpus());
  ASSERT_THAT(look->pods, SizeIs(1));
  EXPECT_EQ(look->pods[0].uid, "u");
  EXPECT_FALSE(look->cpus);
  EXPECT_TRUE(Item().ok);
}

TEST_F(KubeletWatchTest, AsksAgainOnceASocketShowsANewKubelet) {
  Start();
  ASSERT_FALSE(changes_.Take()->kubelet.PinsCpus());
  Answer("static", "u");
  Write("cpu_manager_state", kState);
  Write("device-plugins/kubelet.sock", "");
  const auto look = changes_.Take();
  EXPECT_TRUE(look->kubelet.PinsCpus());
  ASSERT_TRUE(look->cpus);
  EXPECT_EQ(look->cpus->owned.at("u").at("c"), machine::Ids{1});
}

TEST_F(KubeletWatchTest, AsksAgainOnceAPodComesOrKubeletHasWrittenItsState) {
  Answer("static", "u");
  Write("cpu_manager_state", kState);
  Start();
  ASSERT_NE(changes_.Take(), nullptr);
  Answer("static", "v");
  std::filesystem::create_directory(root_.File("pods/v"));
  EXPECT_EQ(changes_.Take()->pods.at(0).uid, "v");
  ASSERT_TRUE(kubelet_.AwaitSeen("GET", "/pods", 3));  // each look for an event is followed by one more
  Write("cpu_manager_state", R"({"policyName":"static","defaultCpuSet":"0-3","checksum":0})");
  EXPECT_TRUE(changes_.Take()->cpus->owned.empty());
}

TEST_F(KubeletWatchTest, AsksAgainOnceTheControlGroupOfAPodIsGone) {
  configuration_.root = root_.path();
  for (const char* hierarchy : {"sys/fs/cgroup/kubepods/podu", "sys/fs/cgroup/cpuset/kubepods/podu"}) {
    std::filesystem::create_directories(root_.File(hierarchy));
  }
  Start();
  ASSERT_NE(changes_.Take(), nullptr);
  OnLoop([this] { facts_.AskAgain(); });  // it is watched from the second look on, which one more follows
  ASSERT_TRUE(kubelet_.AwaitSeen("GET", "/pods", 3));
  Answer("none", "w");
  std::filesystem::remove(root_.File("sys/fs/cgroup/cpuset/kubepods/podu"));
  EXPECT_EQ(changes_.Take()->pods.at(0).uid, "w");
}

TEST_F(KubeletWatchTest, KeepsWhatItKnowsWhileKubeletIsAwayAndTriesAgain) {
  Start();
  ASSERT_NE(changes_.Take(), nullptr);
  kubelet_.ClearFaults();
  kubelet_.Inject({.path = "/configz", .times = 3, .code = 503, .body = "starting"});
  kubelet_.Inject({.path = "/configz", .times = -1, .code = 200, .body = Configz("none")});
  kubelet_.Inject({.path = "/pods", .times = -1, .code = 200, .body = Pods("w")});
  OnLoop([this] { facts_.AskAgain(); });
  EXPECT_EQ(changes_.Take()->pods.at(0).uid, "w");
  EXPECT_TRUE(Item().ok);
}

TEST_F(KubeletWatchTest, SaysWhichRightIsMissing) {
  kubelet_.ClearFaults();
  kubelet_.Inject({.path = "/configz", .times = -1, .code = 403, .body = "Forbidden (subresource(s)=[configz proxy])"});
  Start();
  ASSERT_TRUE(kubelet_.AwaitSeen("GET", "/configz", 2));
  EXPECT_FALSE(Item().ok);
  EXPECT_THAT(Item().detail, HasSubstr("nodes/configz"));
}

TEST_F(KubeletWatchTest, ReadsAStateFileAgainThatWasBeingWritten) {
  Answer("static", "u");
  Write("cpu_manager_state", R"({"policyName":"static","defaultCpuSet":"0-3","checksum":1})");
  Start();
  ASSERT_TRUE(kubelet_.AwaitSeen("GET", "/pods", 2));
  EXPECT_FALSE(Item().ok);
  EXPECT_THAT(Item().detail, HasSubstr("checksum"));
  Write("cpu_manager_state", kState);
  EXPECT_EQ(changes_.Take()->cpus->owned.size(), 1U);
}

}  // namespace
}  // namespace huygens::agent
