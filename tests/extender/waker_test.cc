#include "extender/waker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/extender/fixture.h"
#include "tests/kubelet/node.h"
#include "tests/observe/captured_log.h"

namespace huygens::extender {
namespace {

using kube::WakeReport;
using kube::WakeResult;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WakerTest : public ServiceTest {
 protected:
  WakerTest() : ServiceTest({.waiting_pods = 100}), waker_(context_, backend_, loop_, seconds(1)) {
    for (const char* name : {"n0", "n1", "n2"}) AddNode(name, {2});
    Look();
    Answer(WakeResult::kWritten);  // of the start
    clock_.Advance(seconds(1));
  }
  // A pod that filter rejects on these nodes.
  void Reject(const std::string& name, int cpus, const std::vector<std::string>& nodes) {
    auto pod = AddPod(name, cpus);
    const std::vector<std::string_view> names(nodes.begin(), nodes.end());
    placement_->Remember(pod, placement_->Filter(*pod, names, clock_.Now()));
  }
  void Look() {
    while (waker_.Look()) {
    }
  }
  // What was written since the last answer, as "pod a" or "node n0".
  std::vector<std::string> Writes() const {
    std::vector<std::string> texts;
    if (backend_.wakes.empty()) return texts;
    for (const kube::WakeTarget& target : backend_.wakes.front().targets) {
      texts.push_back(Concat(target.namespace_name.empty() ? "node " : "pod ", target.name));
    }
    return texts;
  }
  void Answer(WakeResult result, std::string message = "", std::optional<Duration> retry_after = {}) {
    auto call = std::move(backend_.wakes.front());
    backend_.wakes.pop_front();
    call.done(std::vector<WakeReport>(
        call.targets.size(), WakeReport{.result = result, .message = std::move(message), .retry_after = retry_after}));
  }
  double Metric(const std::string& series) const {
    std::string text = Concat("\n", metrics_.Render());
    size_t at = text.find(Concat("\n", series, " "));
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
  }

  Waker waker_;
};

TEST_F(WakerTest, WritesOnThePodThatFits) {
  Reject("a", 4, {"n0", "n1"});
  Look();
  EXPECT_THAT(Writes(), IsEmpty());
  AddNode("n1", {4});
  Look();
  EXPECT_THAT(Writes(), ElementsAre("pod a"));
  EXPECT_EQ(backend_.wakes.front().targets[0].uid, "uid-a");
  Answer(WakeResult::kWritten);
  EXPECT_EQ(placement_->waiting().size(), 0u);
  EXPECT_EQ(Metric("huygens_pods_woken_total"), 1);
  EXPECT_EQ(Metric("huygens_wake_writes_total{result=\"written\"}"), 2);
}

TEST_F(WakerTest, WritesOnceOnTheNodeThatTakesSeveral) {
  for (const char* name : {"a", "b", "c"}) Reject(name, 4, {"n0", "n1"});
  AddNode("n1", {4, 4});
  Look();
  EXPECT_THAT(Writes(), ElementsAre("node n1"));
  Answer(WakeResult::kWritten);
  EXPECT_EQ(Metric("huygens_pods_woken_total"), 3);
}

TEST_F(WakerTest, WritesOnAsManyPodsAsNodesGainRoomForOneAndOnNobodyOnceItIsTaken) {
  for (const char* name : {"a", "b", "c", "d"}) Reject(name, 4, {"n0", "n1", "n2"});
  for (const char* name : {"n0", "n1", "n2"}) AddNode(name, {4});
  Look();
  ASSERT_THAT(Writes(), ElementsAre("pod a", "pod b", "pod c"));
  Answer(WakeResult::kWritten);
  EXPECT_EQ(placement_->waiting().size(), 1u);
  ASSERT_TRUE(placement_->Reserve(AddPod("a", 4), "n2", clock_.Now())->Accepted());
  ASSERT_TRUE(placement_->Reserve(AddPod("b", 4), "n0", clock_.Now())->Accepted());
  clock_.Advance(seconds(1));
  Look();
  ASSERT_THAT(Writes(), ElementsAre("pod d")) << "c has not come yet";
  Answer(WakeResult::kWritten);
  ASSERT_TRUE(placement_->Reserve(AddPod("c", 4), "n1", clock_.Now())->Accepted());
  Reject("d", 4, {"n0", "n1", "n2"});
  clock_.Advance(seconds(1));
  Look();
  EXPECT_THAT(Writes(), IsEmpty());
}

TEST_F(WakerTest, WakesForNodesThatKubeletPins) {
  auto publish = [&](const std::string& node, int64_t free_cpus) {
    auto object = kubelet::test::Object({{free_cpus, 16}});
    object.node_name = node;
    placement_->Apply(cluster::TopologySet{std::move(object)});
  };
  const std::string_view names[] = {"k0", "k1"};
  for (std::string_view node : names) {
    placement_->Apply(cluster::NodeSet{{.name = std::string(node), .uid = Concat("uid-", node)}});
    publish(std::string(node), 3);
  }
  auto reject = [&](const std::string& name) {
    auto pod = kubelet::test::GuaranteedPod(name, {{4, 2}});
    placement_->Apply(cluster::PodSet{pod});
    placement_->Remember(pod, placement_->Filter(*pod, names, clock_.Now()));
  };
  reject("a");
  publish("k1", 4);
  Look();
  ASSERT_THAT(Writes(), ElementsAre("pod a"));
  Answer(WakeResult::kWritten);
  publish("k1", 3);
  for (const char* name : {"a", "b"}) reject(name);
  for (std::string_view node : names) publish(std::string(node), 4);
  clock_.Advance(seconds(1));
  Look();
  ASSERT_THAT(Writes(), ElementsAre("node k0")) << "after which kube-scheduler tries both, on both";
  Answer(WakeResult::kWritten);
  EXPECT_EQ(placement_->waiting().size(), 0u);
}

class QuotaWakerTest : public ServiceTest {
 protected:
  QuotaWakerTest() : ServiceTest({.checks = {"topology", "quota"}, .waiting_pods = 1000}) {
    AddNode("n0", {512});
    waker_.Look();
    backend_.wakes.front().done({WakeReport{.result = WakeResult::kWritten}});
    backend_.wakes.clear();
    clock_.Advance(seconds(1));
  }
  void SetCores(const char* cores) {
    cluster::BizGroupQuota team{.name = "team"};
    team.hard = {{"limits.cpu", *Quantity::Parse(cores)}};
    placement_->Apply(cluster::BizGroupQuotaSet{team});
  }
  void Reject(const std::string& name) {
    auto pod = std::make_shared<cluster::Pod>(*AddPod(name, 1));
    pod->quota = std::make_shared<const cluster::QuotaLabels>(cluster::QuotaLabels{.group = "team"});
    placement_->Apply(cluster::PodSet{pod});
    const std::string_view names[] = {"n0"};
    placement_->Remember(pod, placement_->Filter(*pod, names, clock_.Now()));
  }
  // What one search wrote.
  std::vector<std::string> Look() { return Look(waker_); }
  std::vector<std::string> Look(Waker& waker) {
    while (waker.Look()) {
    }
    std::vector<std::string> texts;
    if (backend_.wakes.empty()) return texts;
    for (const kube::WakeTarget& target : backend_.wakes.front().targets) {
      texts.push_back(Concat(target.namespace_name.empty() ? "node " : "pod ", target.name));
    }
    return texts;
  }
  void Answer(WakeResult result) {
    auto call = std::move(backend_.wakes.front());
    backend_.wakes.pop_front();
    call.done(std::vector<WakeReport>(call.targets.size(), WakeReport{.result = result}));
    clock_.Advance(seconds(20));
  }
  Waker waker_{context_, backend_, loop_, seconds(1)};
};

TEST_F(QuotaWakerTest, AGroupThatGrowsWakesHundredsByOneWriteAndOneByItsOwn) {
  SetCores("0");
  for (int i = 0; i < 300; ++i) Reject(Concat("p", std::to_string(i)));
  EXPECT_THAT(Look(), IsEmpty());
  SetCores("299");
  EXPECT_THAT(Look(), ElementsAre("node n0"));
  Answer(WakeResult::kWritten);
  EXPECT_EQ(placement_->waiting().size(), 1u);
  EXPECT_THAT(Look(), ElementsAre("pod p299")) << "those woken were not placed";
}

// Up to Kubernetes 1.31 a write on a node is not heard by pods that could not go to that node.
TEST_F(QuotaWakerTest, OnOldKubernetesAGroupThatGrowsWakesPodByPod) {
  backend_.node_write_wakes_all = false;
  Waker old(context_, backend_, loop_, seconds(1));
  SetCores("0");
  for (int i = 0; i < 40; ++i) Reject(Concat("p", std::to_string(i)));
  EXPECT_THAT(Look(old), IsEmpty());
  AddNode("other", {1});
  const auto wide = AddPod("wide", 2);
  placement_->Remember(wide, placement_->Filter(*wide, std::vector<std::string_view>{"other"}, clock_.Now()));
  AddNode("other", {2});
  SetCores("39");
  size_t of_group = 0, searches = 0;
  for (auto texts = Look(old); !texts.empty(); texts = Look(old)) {
    EXPECT_LE(texts.size(), Waker::kMostWrites);
    ++searches;
    for (const std::string& text : texts) {
      if (text == "pod wide") continue;
      ++of_group;
      ASSERT_TRUE(text.starts_with("pod p")) << text;
      const auto pod = placement_->state().FindPod(Concat("uid-", text.substr(4)));
      ASSERT_TRUE(placement_->Reserve(pod, "n0", clock_.Now())->Accepted());
    }
    Answer(WakeResult::kWritten);
  }
  EXPECT_EQ(of_group, 39u);
  EXPECT_EQ(searches, 3u) << "40 pods, 16 at a time";
  EXPECT_FALSE(placement_->waiting().Waits("uid-wide"));
  EXPECT_EQ(placement_->waiting().size(), 1u);
}

TEST_F(QuotaWakerTest, OnOldKubernetesAStartWakesThePodsThatFit) {
  backend_.node_write_wakes_all = std::nullopt;
  AddPod("fits", 512);
  AddPod("large", 513);
  AddNode("n1", {1});
  const auto asked_of_n1 = AddPod("asked", 2);
  placement_->Remember(asked_of_n1,
                       placement_->Filter(*asked_of_n1, std::vector<std::string_view>{"n1"}, clock_.Now()));
  ASSERT_TRUE(placement_->Reserve(AddPod("placed", 0), "n0", clock_.Now())->Accepted());
  Waker old(context_, backend_, loop_, seconds(1));
  EXPECT_THAT(Look(old), IsEmpty()) << "before the version is known";
  backend_.node_write_wakes_all = false;
  EXPECT_THAT(Look(old), ElementsAre("pod fits")) << "and not one that may go to n1 alone";
  Answer(WakeResult::kWritten);
  EXPECT_THAT(Look(old), IsEmpty());
  AddNode("n0", {513});
  EXPECT_THAT(Look(old), ElementsAre("pod large"));
}

TEST_F(QuotaWakerTest, AWriteThatFailedIsTriedAgain) {
  SetCores("0");
  Reject("a");
  SetCores("1");
  EXPECT_THAT(Look(), ElementsAre("pod a"));
  Answer(WakeResult::kFailed);
  EXPECT_THAT(Look(), ElementsAre("pod a"));
  Answer(WakeResult::kWritten);
  EXPECT_THAT(Look(), IsEmpty());
}

TEST_F(WakerTest, WritesAtMostOnceInTheIntervalHoweverOftenNodesChange) {
  size_t writes = 0;
  for (int i = 0; i < 100; ++i) {
    Reject("a", 4, {"n0"});
    AddNode("n0", {4});
    Look();
    if (!backend_.wakes.empty()) {
      writes += Writes().size();
      Answer(WakeResult::kWritten);
    }
    AddNode("n0", {2});
    clock_.Advance(milliseconds(50));
  }
  EXPECT_EQ(writes, 5u);
}

TEST_F(WakerTest, DoesNotWriteWhileTheLastWriteIsUnderWay) {
  Reject("a", 4, {"n0"});
  AddNode("n0", {4});
  Look();
  Reject("b", 4, {"n1"});
  AddNode("n1", {4});
  clock_.Advance(seconds(10));
  Look();
  EXPECT_EQ(backend_.wakes.size(), 1u);
  Answer(WakeResult::kWritten);
  clock_.Advance(seconds(1));
  Look();
  EXPECT_THAT(Writes(), ElementsAre("pod b"));
}

TEST_F(WakerTest, AFailureIsTriedAgainLessAndLessOften) {
  Reject("a", 4, {"n0"});
  AddNode("n0", {4});
  size_t writes = 0;
  for (int second = 0; second < 60; ++second) {
    Look();
    if (!backend_.wakes.empty()) {
      ++writes;
      Answer(WakeResult::kFailed, "no");
    }
    clock_.Advance(seconds(1));
  }
  EXPECT_EQ(writes, 8u) << "after 0, 2, 6, 14 seconds and then every 10";
  EXPECT_EQ(Metric("huygens_wake_writes_total{result=\"failed\"}"), 8);
  EXPECT_EQ(Metric("huygens_pods_woken_total"), 0);
  EXPECT_EQ(placement_->waiting().size(), 1u);
  clock_.Advance(seconds(10));
  Look();
  Answer(WakeResult::kWritten);
  EXPECT_EQ(placement_->waiting().size(), 0u);
}

TEST_F(WakerTest, TroubleIsLoggedOnceAndItsEndToo) {
  observe::CapturedLog captured;
  Context context{
      {*placement_, clock_, captured.log, metrics_, [] { return ""; }, nullptr}, resources_, journal_, pods_};
  Waker waker(context, backend_, loop_, seconds(1));
  auto round = [&](WakeResult result, std::string message) {
    clock_.Advance(seconds(10));
    waker.Look();
    ASSERT_FALSE(Writes().empty());
    Answer(result, std::move(message));
  };
  Reject("a", 4, {"n0"});
  AddNode("n0", {4});
  for (const char* message : {"no", "no", "no", "busy"}) round(WakeResult::kFailed, message);
  round(WakeResult::kWritten, "");
  EXPECT_THAT(captured.Lines(),
              ElementsAre(HasSubstr("why=no"), HasSubstr("why=busy"), HasSubstr("waking pods works again")));
}

TEST_F(WakerTest, HonoursTheWishOfTheApiServer) {
  Reject("a", 4, {"n0"});
  AddNode("n0", {4});
  Look();
  Answer(WakeResult::kFailed, "busy", seconds(7));
  clock_.Advance(seconds(6));
  Look();
  EXPECT_THAT(Writes(), IsEmpty());
  clock_.Advance(seconds(1));
  Look();
  EXPECT_THAT(Writes(), ElementsAre("pod a"));
}

TEST_F(WakerTest, APodThatIsGoneIsForgotten) {
  Reject("a", 4, {"n0"});
  AddNode("n0", {4});
  Look();
  Answer(WakeResult::kGone);
  EXPECT_EQ(placement_->waiting().size(), 0u);
  EXPECT_EQ(Metric("huygens_pods_woken_total"), 0);
}

TEST_F(WakerTest, AFailureThatAChangeCuredWakesNobody) {
  Reject("a", 4, {"n0"});
  AddNode("n0", {4});
  Look();
  AddNode("n0", {2});
  Answer(WakeResult::kFailed, "no");
  clock_.Advance(seconds(2));
  Look();
  EXPECT_THAT(Writes(), IsEmpty());
}

TEST_F(WakerTest, ABatchIsLimitedAndTheRestFollows) {
  std::vector<std::string> nodes;
  for (size_t i = 0; i < Waker::kMostWrites + 3; ++i) {
    nodes.push_back(Concat("m", std::to_string(i)));
    AddNode(nodes.back(), {2});
    Reject(Concat("p", std::to_string(i)), 4, {nodes.back()});
  }
  for (const std::string& node : nodes) AddNode(node, {4});
  Look();
  EXPECT_EQ(Writes().size(), Waker::kMostWrites);
  Answer(WakeResult::kWritten);
  clock_.Advance(seconds(1));
  Look();
  EXPECT_EQ(Writes().size(), 3u);
}

TEST_F(WakerTest, AClockThatIsSetBackDoesNotSilenceIt) {
  Reject("a", 4, {"n0"});
  AddNode("n0", {4});
  clock_.Advance(-seconds(3600));
  Look();
  EXPECT_THAT(Writes(), ElementsAre("pod a"));
}

TEST_F(WakerTest, SaysOnceAtTheStartThatEverythingIsToBeTriedAgain) {
  Waker another(context_, backend_, loop_, seconds(1));
  not_ready_ = "waiting for the first list of pods";
  EXPECT_FALSE(another.Look());
  EXPECT_THAT(Writes(), IsEmpty());
  not_ready_.clear();
  EXPECT_FALSE(another.Look());
  EXPECT_THAT(Writes(), ElementsAre("node n0"));
  Answer(WakeResult::kFailed, "no");
  clock_.Advance(seconds(2));
  for (int looks = 0; looks < 2; ++looks) another.Look();
  EXPECT_THAT(Writes(), ElementsAre("node n0"));
  Answer(WakeResult::kWritten);
  clock_.Advance(seconds(10));
  another.Look();
  EXPECT_THAT(Writes(), IsEmpty());
}

TEST_F(WakerTest, AStartThatCannotBeToldKeepsNobodyFromBeingWoken) {
  Waker another(context_, backend_, loop_, seconds(1));
  another.Look();
  EXPECT_THAT(Writes(), ElementsAre("node n0"));
  Reject("a", 4, {"n1"});
  AddNode("n1", {4});
  Answer(WakeResult::kFailed, "nodes are not to be patched");
  clock_.Advance(seconds(2));
  another.Look();
  EXPECT_THAT(Writes(), ElementsAre("pod a"));
  Answer(WakeResult::kWritten);
  clock_.Advance(seconds(1));
  another.Look();
  EXPECT_THAT(Writes(), ElementsAre("node n0"));
}

TEST_F(WakerTest, AStormIsLookedThroughInShortSlices) {
  std::vector<std::string> nodes;
  for (int i = 0; i < 1000; ++i) {
    nodes.push_back(Concat("m", std::to_string(i)));
    AddNode(nodes.back(), {2});
  }
  for (int i = 0; i < 100; ++i) Reject(Concat("p", std::to_string(i)), 4, nodes);
  for (const std::string& node : nodes) AddNode(node, {3});
  int slices = 1;
  while (waker_.Look()) ++slices;
  EXPECT_GT(slices, 1);
  EXPECT_THAT(Writes(), IsEmpty());
}

}  // namespace
}  // namespace huygens::extender
