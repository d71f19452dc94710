#include "prom/metrics_api_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/fake/temporary_directory.h"

namespace huygens::prom {
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
    MetricsReader reader{
        .pods = [this] { return pod_metrics_; }, .nodes = [this] { return node_metrics_; }, .cancel = [] {}};
    source_ = std::make_unique<MetricsApiSource>(std::move(reader), usage_, pods_, std::move(file));
  }
  void Run(const std::string& name, const std::string& node, std::optional<Time> started = kNoon - 1h,
           int64_t cpu_limit = 1000) {
    cluster::Pod pod;
    pod.namespace_name = "s";
    pod.name = name;
    pod.uid = name;
    pod.node_name = node;
    pod.start_time = started;
    pod.containers.push_back({.limits = {{kCpu, cpu_limit}}});
    pods_.Place({.pod = std::make_shared<const cluster::Pod>(pod), .node = 0, .zones = {}});
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

TEST_F(MetricsApiSourceTest, APodThatTheClusterDoesNotShowCountsNowhere) {
  Start();
  Run("a", "n1");
  pod_metrics_ = {Metrics("a", kNoon, 300), Metrics("gone", kNoon, 500)};
  node_metrics_ = {Metrics("n1", kNoon, 900)};
  EXPECT_THAT(Refresh(kNoon), UnorderedElementsAre(Pair("s/Pod/a", 300), Pair("node n1", 600)));
}

TEST_F(MetricsApiSourceTest, APodThatHasJustStartedDoesNotPassForSystemUse) {
  Start();
  Run("a", "n1");
  Run("young", "n1", kNoon - 30s, 1000);  // estimated at 850
  Run("waiting", "n1", std::nullopt);
  Run("silent", "n1", kNoon - 1h);
  pod_metrics_ = {Metrics("a", kNoon, 300)};
  node_metrics_ = {Metrics("n1", kNoon, 1500)};
  EXPECT_EQ(Refresh(kNoon).at("node n1"), 1500 - 300 - 850);
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
  bool asked = false;
  MetricsReader reader{
      .pods = [&] { return asked = true, pod_metrics_; }, .nodes = [&] { return node_metrics_; }, .cancel = [] {}};
  MetricsApiSource source(std::move(reader), usage_, none, nullptr);
  EXPECT_FALSE(source.Refresh(kNoon, [](const auto&) { ADD_FAILURE(); }).ok());
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

TEST_F(MetricsApiSourceTest, KeepsTheHighestOfEachSlotOverARestart) {
  Start(true);
  Run("a", "n1");
  EXPECT_THAT(Refresh(kNoon), IsEmpty());
  EXPECT_TRUE(progress_->more) << "the file first";
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

}  // namespace
}  // namespace huygens::prom
