#include "usage_sources/metrics_api_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <memory>

#include "tests/fake/temporary_directory.h"

namespace huygens::usage_sources {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

const Time kNoon = *ParseRfc3339("2026-11-21T12:00:00Z");  // a slot begins here

class MetricsApiSourceTest : public testing::Test {
 protected:
  MetricsApiSourceTest() {
    usage_.resources = {{.name = "cpu"}, {.name = "memory", .resource = kMemory}};
    pods_.SetComplete();
  }
  ~MetricsApiSourceTest() override { source_.reset(); }

  void Start(bool with_file = false) {
    source_.reset();  // gives up its file
    std::unique_ptr<HistoryFile> file;
    if (with_file) file = *HistoryFile::Open(folder_.path() + "/history", usage_);
    MetricsReader reader{.pods = [this] { return while_read_(), pod_metrics_; },
                         .nodes = [this] { return node_metrics_; },
                         .cancel = [] {}};
    source_ = std::make_unique<MetricsApiSource>(std::move(reader), usage_, pods_, std::move(file));
  }
  cluster::PlacedPod Run(const std::string& name, const std::string& node, std::optional<Time> started = kNoon - 1h,
                         const std::string& uid = "u1") {
    cluster::Pod pod;
    pod.namespace_name = "s";
    pod.name = name;
    pod.uid = uid;
    pod.node_name = node;
    pod.start_time = started;
    pod.containers.push_back({.limits = {{kCpu, 1000}}});  // estimated at 850
    cluster::PlacedPod placed{.pod = std::make_shared<const cluster::Pod>(pod), .node = 0, .zones = {}};
    pods_.Place(placed);
    return placed;
  }
  static wire::ResourceMetrics Metrics(const std::string& name, Time at, int64_t cpu) {
    return {.namespace_name = "s", .name = name, .timestamp = at, .usage = {{kCpu, cpu}}};
  }
  // What a refresh delivers of cpu, of the newest slot, "node " in front of nodes.
  std::map<std::string, int64_t> Refresh(Time now) {
    std::map<std::string, int64_t> all;
    int64_t newest = 0;
    progress_ = source_->Refresh(now, [&](const usage::Readings& readings) {
      if (readings.resource != 0) return;
      if (readings.slot > newest) all.clear();
      newest = readings.slot;
      for (const auto& each : readings.workloads) all[each.subject] = each.amount;
      for (const auto& each : readings.nodes) all["node " + each.subject] = each.amount;
    });
    return all;
  }

  fake::TemporaryDirectory folder_;
  usage::Options usage_;
  PlacedPods pods_{PlacedPods::Which::kAll};
  StatusOr<std::vector<wire::ResourceMetrics>> pod_metrics_, node_metrics_;
  std::function<void()> while_read_ = [] {};
  std::unique_ptr<MetricsApiSource> source_;
  StatusOr<Progress> progress_ = Progress{};
};

TEST_F(MetricsApiSourceTest, TellsWorkloadsAndWhatNodesUseBeyondTheirPods) {
  Start();
  Run("web-7d4b9c6f5-aaaaa", "n1");
  Run("web-7d4b9c6f5-bbbbb", "n2");
  Run("db-0", "n1");
  const Time at = kNoon + 1min;
  pod_metrics_ = {Metrics("web-7d4b9c6f5-aaaaa", at, 300), Metrics("web-7d4b9c6f5-bbbbb", at, 500),
                  Metrics("db-0", at, 200)};
  node_metrics_ = {Metrics("n1", at, 600), Metrics("n2", at, 450)};
  EXPECT_THAT(Refresh(at + 10s),
              UnorderedElementsAre(Pair("s/Pod/web-7d4b9c6f5-aaaaa", 300), Pair("s/Pod/web-7d4b9c6f5-bbbbb", 500),
                                   Pair("s/Pod/db-0", 200), Pair("node n1", 100), Pair("node n2", 0)));
}

TEST_F(MetricsApiSourceTest, UseOfAPodThatLeftIsNoSystemUseAndAPodNeverSeenCountsNowhere) {
  Start();
  Run("a", "n1");
  const auto gone = Run("gone", "n1");
  const auto going = Run("going", "n1");
  pods_.Leave(gone);
  while_read_ = [&] { pods_.Leave(going); };
  const auto sample = [&](Time at) {
    pod_metrics_ = {Metrics("a", at, 300), Metrics("gone", at, 500), Metrics("going", at, 40), Metrics("alien", at, 7)};
    node_metrics_ = {Metrics("n1", at, 900)};
    return Refresh(at);
  };
  const auto only_others = UnorderedElementsAre(Pair("s/Pod/a", 300), Pair("node n1", 900 - 300 - 500 - 40));
  EXPECT_THAT(sample(kNoon), only_others);
  while_read_ = [] {};
  EXPECT_THAT(sample(kNoon + 2min), only_others);
  EXPECT_THAT(sample(kNoon + 3min), UnorderedElementsAre(Pair("s/Pod/a", 300), Pair("node n1", 600))) << "forgotten";
}

TEST_F(MetricsApiSourceTest, TheSampleOfAPodBeforeOfThatNameIsNotOfTheNewOne) {
  Start();
  Run("a", "n1");
  pods_.Leave(Run("db-0", "n1", kNoon - 1h, "u1"));
  // The sample is still of the one before, then comes one of the new one.
  const auto sample = [&](Time at) {
    pod_metrics_ = {Metrics("a", at, 300), Metrics("db-0", at, 500)};
    node_metrics_ = {Metrics("n1", at, 900), Metrics("n2", at, 1000)};
    return Refresh(kNoon + 40s);
  };
  const auto before = [](int64_t on_n2) {
    return UnorderedElementsAre(Pair("s/Pod/a", 300), Pair("node n1", 100), Pair("node n2", on_n2));
  };
  pods_.Leave(Run("db-0", "n2", std::nullopt, "u2"));
  Run("db-0", "n2", std::nullopt, "u2");  // waits to start
  EXPECT_THAT(sample(kNoon), before(1000));
  Run("db-0", "n2", kNoon + 30s, "u2");
  EXPECT_THAT(sample(kNoon), before(1000 - 850));
  EXPECT_THAT(sample(kNoon + 31s), UnorderedElementsAre(Pair("s/Pod/a", 300), Pair("s/Pod/db-0", 500),
                                                        Pair("node n1", 600), Pair("node n2", 500)));
}

TEST_F(MetricsApiSourceTest, ASampleFromBeforeThePodIsNoSystemUseEvenIfTheOneBeforeIsForgotten) {
  Start();
  const Time now = kNoon + 5min;
  Run("a", "n1");
  Run("db-0", "n1", now - 3min, "u2");
  pod_metrics_ = {Metrics("a", now, 300), Metrics("db-0", now - 4min, 500)};
  node_metrics_ = {Metrics("n1", now, 900)};
  EXPECT_THAT(Refresh(now), UnorderedElementsAre(Pair("s/Pod/a", 300), Pair("node n1", 100)));
}

TEST_F(MetricsApiSourceTest, DoesNotReadTheSystemOfANodeOfWhichAPodIsNotKnown) {
  Start();
  Run("a", "n1");
  Run("late", "n1");
  Run("b", "n2");
  Run("mute", "n2");
  Run("c", "n3");
  Run("young", "n1", kNoon - 30s);
  pod_metrics_ = {Metrics("late", kNoon - 6min, 100),
                  Metrics("a", kNoon, 300),
                  {.namespace_name = "s", .name = "mute", .timestamp = kNoon, .usage = {{kMemory, 1}}},
                  Metrics("b", kNoon, 300),
                  Metrics("c", kNoon, 300)};
  node_metrics_ = {Metrics("n1", kNoon, 900), Metrics("n2", kNoon, 900), Metrics("n3", kNoon, 900)};
  EXPECT_THAT(Refresh(kNoon), UnorderedElementsAre(Pair("s/Pod/a", 300), Pair("s/Pod/b", 300), Pair("s/Pod/c", 300),
                                                   Pair("node n3", 600)));
  EXPECT_EQ(progress_->left_out, 1u);
  for (wire::ResourceMetrics& sample : *pod_metrics_) sample = Metrics(sample.name, kNoon, 100);
  EXPECT_EQ(Refresh(kNoon).at("node n2"), 700) << "only that time";
}

TEST_F(MetricsApiSourceTest, APodThatHasJustStartedDoesNotPassForSystemUse) {
  Start();
  Run("a", "n1");
  Run("young", "n1", kNoon - 30s);
  Run("first", "n2", kNoon - 30s);
  Run("waiting", "n1", std::nullopt);
  Run("silent", "n1", kNoon - 1h);
  pod_metrics_ = {Metrics("a", kNoon, 300)};
  node_metrics_ = {Metrics("n1", kNoon, 1500), Metrics("n2", kNoon, 1000)};
  while_read_ = [&] { Run("young", "n1", kNoon - 30s); };  // its status changes
  const auto all = Refresh(kNoon);
  EXPECT_EQ(all.at("node n1"), 1500 - 300 - 850);
  EXPECT_EQ(all.at("node n2"), 1000 - 850);
  while_read_ = [] {};
  pod_metrics_->push_back(Metrics("young", kNoon + 1min, 100));
  EXPECT_EQ(Refresh(kNoon + 1min).at("node n1"), 1500 - 300 - 100);
}

TEST_F(MetricsApiSourceTest, ReadsNothingAsIdle) {
  Start();
  Run("a", "n1");
  Run("b", "n1");
  pod_metrics_ = std::vector<wire::ResourceMetrics>{};
  node_metrics_ = {Metrics("n1", kNoon, 1500)};
  EXPECT_THAT(Refresh(kNoon), IsEmpty());
  EXPECT_FALSE(progress_.ok()) << "metrics-server knows no pods before its second look";
  // Too old, in the future, without a time, without the resource.
  pod_metrics_ = {Metrics("a", kNoon, 100), Metrics("b", kNoon - 6min, 100)};
  node_metrics_ = {
      Metrics("n1", kNoon + 2min, 1500), {.name = "n2", .usage = {{kCpu, 1}}}, {.name = "n3", .timestamp = kNoon}};
  EXPECT_THAT(Refresh(kNoon), ElementsAre(Pair("s/Pod/a", 100)));
  ASSERT_TRUE(progress_.ok());
  EXPECT_EQ(progress_->left_out, 3u);
}

TEST_F(MetricsApiSourceTest, SaysNothingBeforeAllPodsAreKnown) {
  PlacedPods none(PlacedPods::Which::kAll);
  usage_.resources.push_back({.name = "disk", .resource = kEphemeralStorage});
  bool asked = false;
  MetricsReader reader{
      .pods = [&] { return asked = true, pod_metrics_; }, .nodes = [&] { return node_metrics_; }, .cancel = [] {}};
  MetricsApiSource source(std::move(reader), usage_, none, nullptr);
  const auto progress = source.Refresh(kNoon, [](const auto&) { ADD_FAILURE(); });
  ASSERT_TRUE(progress.ok());
  EXPECT_EQ(progress->not_asked, "waiting for the first list of pods");
  EXPECT_THAT(progress->notices, ElementsAre(HasSubstr("does not measure disk"))) << "which holds meanwhile";
  EXPECT_FALSE(asked);
}

TEST_F(MetricsApiSourceTest, ASampleBelongsToTheSlotItWasTakenIn) {
  Start();
  Run("a", "n1");
  pod_metrics_ = {Metrics("a", kNoon - 5s, 300)};
  node_metrics_ = {Metrics("n1", kNoon - 5s, 300)};
  std::vector<int64_t> slots;
  ASSERT_TRUE(source_->Refresh(kNoon + 5s, [&](const usage::Readings& r) { slots.push_back(r.slot); }).ok());
  EXPECT_THAT(slots, testing::Each(usage::SlotAt(kNoon, usage_.slot) - 1));
}

TEST_F(MetricsApiSourceTest, PassesOnWhyTheApiFailedAndNamesWhatItCannotMeasure) {
  usage_.resources.push_back({.name = "disk-io"});
  usage_.resources.back().resource = 99;
  Start();
  Run("a", "n1");
  pod_metrics_ = NotFound("no metrics API");
  EXPECT_THAT(Refresh(kNoon), IsEmpty());
  EXPECT_THAT(std::string(Message(progress_.status())), HasSubstr("no metrics API"));
  pod_metrics_ = {Metrics("a", kNoon, 1)};
  node_metrics_ = {Metrics("n1", kNoon, 1)};
  Refresh(kNoon);
  ASSERT_TRUE(progress_.ok());
  EXPECT_THAT(progress_->notices, ElementsAre(HasSubstr("does not measure disk-io")));
}

TEST_F(MetricsApiSourceTest, KeepsNoPodWhileTheApiFails) {
  Start();
  pod_metrics_ = NotFound("no metrics API");
  const auto references = [&](const std::string& name) { return pods_.Find("s/" + name).use_count(); };
  const std::weak_ptr old = Run("old", "n1").pod;
  const std::weak_ptr young = Run("young", "n1", kNoon - 30s).pod;
  auto leaves = std::make_unique<cluster::PlacedPod>(Run("leaves", "n1", kNoon - 30s));
  const std::weak_ptr left = leaves->pod;
  Refresh(kNoon);
  EXPECT_EQ(references("old"), 2) << "this one and that of PlacedPods";
  EXPECT_EQ(references("young"), 3);
  pods_.Leave(*leaves);
  leaves.reset();
  Refresh(kNoon + 1min);
  EXPECT_FALSE(left.expired()) << "its last sample may still come";
  Refresh(kNoon + 4min);
  EXPECT_EQ(references("young"), 2);
  EXPECT_TRUE(left.expired());
}

TEST_F(MetricsApiSourceTest, KeepsOneValueOfASlotHoweverOftenItAsks) {
  Start(true);
  pod_metrics_ = std::vector<wire::ResourceMetrics>{};
  for (int i = 0; i < 300; ++i) {
    Run(std::to_string(i), "n1");
    pod_metrics_->push_back(Metrics(std::to_string(i), kNoon, 1));
  }
  node_metrics_ = {Metrics("n1", kNoon, 900)};
  for (int i = 0; i < 5; ++i) Refresh(kNoon);
  const auto bytes = [] {  // 0 under a sanitizer
    const struct mallinfo2 heap = ::mallinfo2();
    return heap.uordblks + heap.hblkhd;
  };
  const size_t before = bytes();
  for (int i = 0; i < 200; ++i) Refresh(kNoon);
  ASSERT_TRUE(progress_.ok());
  EXPECT_LT(bytes(), before + 100'000);
}

TEST_F(MetricsApiSourceTest, KeepsTheHighestOfEachSlotOverARestart) {
  Start(true);
  Run("a", "n1");
  EXPECT_THAT(Refresh(kNoon), IsEmpty());
  EXPECT_TRUE(progress_->more) << "the file first";
  EXPECT_FALSE(progress_->not_asked.empty());
  const auto sample = [&](Time at, int64_t cpu) {
    pod_metrics_ = {Metrics("a", at, cpu)};
    node_metrics_ = {Metrics("n1", at, cpu + 50)};
    Refresh(at + 1s);
    ASSERT_TRUE(progress_.ok());
  };
  sample(kNoon + 1min, 300);
  sample(kNoon + 2min, 700);
  sample(kNoon + 3min, 400);
  sample(kNoon + 16min, 100);  // a new slot
  sample(kNoon + 25min, 200);  // by now the first is written; this one is when the source ends
  Start(true);
  std::map<int64_t, int64_t> slots;
  const auto progress = source_->Refresh(kNoon + 26min, [&](const usage::Readings& readings) {
    for (const auto& each : readings.workloads) slots[readings.slot] = std::max(slots[readings.slot], each.amount);
    for (const auto& each : readings.nodes) EXPECT_EQ(each.amount, 50);
  });
  ASSERT_TRUE(progress.ok());
  const int64_t first = usage::SlotAt(kNoon, usage_.slot);
  EXPECT_THAT(slots, ElementsAre(Pair(first, 700), Pair(first + 1, 200)));
}

TEST_F(MetricsApiSourceTest, CountsAndNamesWhatCannotBeRead) {
  Start();
  Run("a", "n1");
  Run("b", "n1");
  pod_metrics_ = {Metrics("a", kNoon, 300),
                  {.namespace_name = "s", .name = "b", .fault = "s/b: usage.cpu: lots"},
                  {.fault = "(no name): metadata.name is missing"}};
  node_metrics_ = {Metrics("n1", kNoon, 900)};
  EXPECT_THAT(Refresh(kNoon), UnorderedElementsAre(Pair("s/Pod/a", 300))) << "and nothing of the node";
  ASSERT_TRUE(progress_.ok());
  EXPECT_EQ(progress_->left_out, 2U);
  const auto told = ElementsAre("metrics.k8s.io sends what cannot be read: (no name): metadata.name is missing");
  EXPECT_THAT(progress_->notices, told);
  std::swap(pod_metrics_->at(1), pod_metrics_->at(2));
  Refresh(kNoon);
  EXPECT_THAT(progress_->notices, told) << "in whatever order";
}

TEST_F(MetricsApiSourceTest, AFullDiskIsToldUntilAWriteWorks) {
  Start(true);
  Run("a", "n1");
  Refresh(kNoon);
  const auto notices = [&](Time at) {
    pod_metrics_ = {Metrics("a", at, 1)};
    node_metrics_ = {Metrics("n1", at, 1)};
    Refresh(at);
    return progress_->notices;
  };
  EXPECT_THAT(notices(kNoon), IsEmpty());
  // Files may not become longer than this: what a full disk does to a write.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit full = before;
  full.rlim_cur = 50;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  const auto at_close = notices(kNoon + 21min);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(at_close, ElementsAre(HasSubstr("in memory only")));
  EXPECT_EQ(notices(kNoon + 22min), at_close) << "nobody tried again yet";
  EXPECT_THAT(notices(kNoon + 36min), IsEmpty());
}

TEST_F(MetricsApiSourceTest, AFileThatCannotBeRewrittenIsToldAsWhatItIs) {
  usage_.slots = 1;
  Start(true);
  Run("a", "n1");
  std::filesystem::create_directory(folder_.path() + "/history.draft");  // in the way
  for (const Time at : {kNoon, kNoon, kNoon + 15min, kNoon + 30min, kNoon + 51min}) {
    pod_metrics_ = {Metrics("a", at, 1)};
    node_metrics_ = {Metrics("n1", at, 1)};
    Refresh(at);
  }
  EXPECT_THAT(progress_->notices, ElementsAre(HasSubstr("cannot be rewritten: ")));
}

}  // namespace
}  // namespace huygens::usage_sources
