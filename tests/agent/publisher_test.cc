// The publisher against an API server in this process. Facts are set by hand, as what reads the machine and asks kubelet
// would; what is written is told by the requests that arrive.
#include "agent/publisher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <thread>

#include "agent/topology_writer.h"
#include "base/text.h"
#include "tests/fake/api_server.h"
#include "tests/fake/objects.h"

namespace huygens::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

class PublisherTest : public testing::Test {
 protected:
  void SetUp() override {
    server_.Put(fake::Node("n1").Uid("node-uid"));
    configuration_.node_name = "n1";
  }
  ~PublisherTest() override {
    if (!thread_.joinable()) return;
    OnLoop([this] { part_->Stop(); });
    loop_.Stop();
    thread_.join();
  }

  void Start() {
    part_ = MakePublisher({.configuration = configuration_,
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
  void OnLoop(std::function<void()> task) {
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

  static machine::Machine OneZone(int64_t memory_kb) {
    machine::Machine machine;
    machine.present = machine.online = {0, 1};
    machine.cores = {{.cpus = {0, 1}, .package = 0}};
    machine.packages = {{0, {0, 1}}};
    machine.zones.push_back({.id = 0, .claimed = {0, 1}, .cpus = {0, 1}, .memory_kb = memory_kb, .distances = {10}});
    return machine;
  }
  static kubelet_api::KubeletMachine OneKubeletZone() {
    kubelet_api::KubeletNode node{.id = 0, .memory_bytes = 1 << 30, .distances = {{10}}};
    node.cores = {{{.id = 0, .package = 0, .cpus = {0, 1}}}};
    return {.logical_cpus = 2, .nodes = {node}};
  }
  void SetMachine(int64_t memory_kb) {
    OnLoop([&] {
      facts_.Set(std::make_shared<const machine::Machine>(OneZone(memory_kb)),
                 std::make_shared<const kubelet_api::KubeletMachine>(OneKubeletZone()));
    });
  }
  void SetLook(KubeletLook look) {
    OnLoop([&] { facts_.Set(std::make_shared<const KubeletLook>(std::move(look))); });
  }
  static KubeletLook Pinned() {
    KubeletLook look;
    look.kubelet.cpu_manager_policy = "static";
    look.cpus = kubelet_api::CpuManagerState{.policy = "static", .shared = {0, 1}, .owned = {}};
    return look;
  }
  std::string Topology(const char* collection) { return server_.Get(collection, "", "n1"); }
  int Patches() const { return server_.Seen("PATCH", ""); }
  // Until the object has the text.
  void AwaitTopology(const char* collection, const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (Topology(collection).find(text) == std::string::npos) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << Topology(collection);
      std::this_thread::yield();
    }
  }

  fake::ApiServer server_;
  AgentConfiguration configuration_;
  net::ClientOptions api_server_ = server_.Options();
  net::EventLoop loop_;
  SystemClock clock_;
  observe::Log log_{clock_, observe::LogLevel::kError, observe::LogFormat::kText};
  observe::Instruments metrics_;
  NodeFacts facts_;
  std::unique_ptr<Part> part_;
  std::thread thread_;
};

TEST_F(PublisherTest, WritesCranesObjectOnceAndAgainWhereTheMachineChanges) {
  Start();
  EXPECT_FALSE(Item().ok);
  SetMachine(1 << 20);
  SetLook({});
  AwaitTopology(fake::kCrane, R"("uid":"node-uid")");
  EXPECT_THAT(Topology(fake::kCrane), HasSubstr(R"("cpuManagerPolicy":"Static")"));
  SetMachine(1 << 20);
  SetLook({});  // both say the same as before
  SetMachine(2 << 20);
  AwaitTopology(fake::kCrane, R"("memory":"2147483648")");
  EXPECT_EQ(Patches(), 2);
  EXPECT_EQ(server_.Count(fake::kCommunity), 0U);
  EXPECT_TRUE(Item().ok) << Item().detail;
}

TEST_F(PublisherTest, WritesTheCommunitysObjectWhereKubeletPinsAndMakesNoneOfCranes) {
  Start();
  SetMachine(1 << 20);
  SetLook(Pinned());
  AwaitTopology(fake::kCommunity, R"("available":"2")");
  KubeletLook look = Pinned();
  look.pods = {{.uid = "u", .namespace_name = "default", .name = "p", .guaranteed = true}};
  look.cpus->owned["u"]["c"] = {1};
  SetLook(look);
  AwaitTopology(fake::kCommunity, R"("available":"1")");
  EXPECT_EQ(server_.Count(fake::kCrane), 0U);
}

TEST_F(PublisherTest, TakesItsHandsOffInAnObjectOfCranesThatIsThere) {
  server_.Put(fake::CraneTopology("n1").Zone("node0", "2"));
  Start();
  SetMachine(1 << 20);
  SetLook(Pinned());
  AwaitTopology(fake::kCrane, R"("cpuManagerPolicy":"None")");
}

TEST_F(PublisherTest, CarriesOverWhatOthersWroteOnZonesWhereOneWriterOwnsThemAll) {
  server_.Put(
      R"({"apiVersion":"topology.crane.io/v1alpha1","kind":"NodeResourceTopology","metadata":{"name":"n1",)"
      R"("managedFields":[{"manager":"other","fieldsV1":{"f:zones":{}}}]},"craneManagerPolicy":{"cpuManagerPolicy":"Static"},)"
      R"("zones":[{"name":"node0","type":"Node","attributes":{"offline_capacity":"1"}}]})");
  Start();
  SetMachine(1 << 20);
  SetLook({});
  AwaitTopology(fake::kCrane, "huygens.dev/cores");
  EXPECT_THAT(Topology(fake::kCrane), HasSubstr(R"("offline_capacity":"1")"));
  SetMachine(2 << 20);
  AwaitTopology(fake::kCrane, R"("memory":"2147483648")");
  EXPECT_THAT(Topology(fake::kCrane), HasSubstr(R"("offline_capacity":"1")"));
}

TEST_F(PublisherTest, TriesAgainWhileTheApiServerFails) {
  server_.Inject({.method = "PATCH", .times = 2, .code = 503});
  Start();
  SetMachine(1 << 20);
  SetLook({});
  AwaitTopology(fake::kCrane, "node0");
  EXPECT_EQ(Patches(), 3);
}

TEST_F(PublisherTest, WritesWhereKubeletPutAPodIntoThePodAndOnlyOnce) {
  const std::string uid = server_.Put(fake::Pod("default", "p").Uid("u"));
  Start();
  SetMachine(1 << 20);
  KubeletLook look = Pinned();
  look.pods = {{.uid = uid, .namespace_name = "default", .name = "p", .guaranteed = true}};
  look.cpus->owned[uid]["c"] = {1};
  SetLook(look);
  ASSERT_TRUE(server_.AwaitSeen("PATCH", "/pods/p", 1));
  AwaitTopology(fake::kCommunity, R"("available":"1")");
  look.cpus->shared = {0};  // kubelet does not show the annotation yet
  SetLook(look);
  look.pods.push_back({.uid = "v", .namespace_name = "default", .name = "q"});
  SetLook(look);
  look.cpus->owned[uid]["c"] = {0, 1};
  SetLook(look);
  ASSERT_TRUE(server_.AwaitSeen("PATCH", "/pods/p", 2));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (server_.Get(fake::kPods, "default", "p").find("0-1") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    std::this_thread::yield();
  }
  EXPECT_EQ(server_.Seen("PATCH", "/pods/p"), 2);
  EXPECT_THAT(server_.Get(fake::kPods, "default", "p"), HasSubstr("huygens.dev/kubelet-placement"));
}

TEST_F(PublisherTest, LeavesAPodAloneThatIsAnotherByNow) {
  server_.Put(fake::Pod("default", "p").Uid("new"));
  Start();
  SetMachine(1 << 20);
  KubeletLook look = Pinned();
  look.pods = {{.uid = "old", .namespace_name = "default", .name = "p", .guaranteed = true}};
  look.cpus->owned["old"]["c"] = {1};
  SetLook(look);
  ASSERT_TRUE(server_.AwaitSeen("PATCH", "/pods/p", 1));
  look.cpus.emplace(*Pinned().cpus);
  look.pods.clear();
  SetLook(look);
  AwaitTopology(fake::kCommunity, R"("available":"2")");
  EXPECT_EQ(server_.Seen("PATCH", "/pods/p"), 1);
  EXPECT_THAT(server_.Get(fake::kPods, "default", "p"), Not(HasSubstr("kubelet-placement")));
}

TEST_F(PublisherTest, SaysOfTheCommunitysKindThatItIsNotInstalledAndUsesCranes) {
  server_.Install(fake::kCommunity, false);
  Start();
  SetMachine(1 << 20);
  SetLook(Pinned());
  AwaitTopology(fake::kCrane, R"("cpuManagerPolicy":"None")");
  EXPECT_THAT(Item().detail, HasSubstr("topology.node.k8s.io is not installed"));
}

}  // namespace
}  // namespace huygens::agent
