// What Prometheus is asked, and what is made of its answers. The real one is asked end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "preflight/usage.h"
#include "tests/usage_sources/fake_prometheus.h"

namespace huygens::preflight {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr Time kNow{1'795'262'400s};
constexpr char kMemory[] = "container_memory_working_set_bytes";

class AskUsageTest : public testing::Test {
 protected:
  AskUsageTest() {
    configuration_.usage.prometheus = settings::PrometheusConfiguration{.url = prometheus_.Url()};
    configuration_.usage.resources = {{.name = "memory"}};
  }
  // A workload with one value at each of these moments before now.
  void Put(const std::string& kind, const std::string& owner, const std::string& pod,
           const std::vector<Duration>& moments) {
    std::map<Time, double> samples;
    for (const Duration ago : moments) samples[kNow - ago - 1min] = 1;
    prometheus_.Put(kMemory, {Concat(R"("namespace":"shop","pod":")", pod, R"(","owner_kind":")", kind,
                                     R"(","owner_name":")", owner, "\""),
                              samples});
  }
  StatusOr<WorkloadHistory> History() {
    const PrometheusSeries series = AskPrometheus(configuration_, kNow);
    EXPECT_TRUE(series.reachable.ok()) << series.reachable;
    return series.resources.at(0).history;
  }

  usage_sources::FakePrometheus prometheus_;
  settings::Configuration configuration_;
};

TEST_F(AskUsageTest, EveryQuestionHasTheMatchersButTheOneWhetherTheyAreToBlame) {
  configuration_.usage.prometheus->matchers = {R"(cluster="prod")"};
  AskPrometheus(configuration_, kNow);
  std::vector<std::string> without;
  const auto calls = prometheus_.TakeCalls();
  for (const auto& call : calls) {
    const std::string query = call.query();
    if (query.find(R"(cluster="prod")") == std::string::npos) without.push_back(query);
  }
  EXPECT_GT(calls.size(), 5u);
  EXPECT_THAT(without, ElementsAre(Concat("count(", kMemory, ")")));
}

TEST_F(AskUsageTest, HistoryBelongsToWorkloadsAndReachesAsFarAsTheOldestPod) {
  Put("StatefulSet", "db", "db-0", {0h, 24h});
  Put("ReplicaSet", "web-5d8f6c7b9", "web-5d8f6c7b9-x2x4z", {24h});
  Put("ReplicaSet", "web-7d4b9c6f5", "web-7d4b9c6f5-x2x4z", {0h});  // of the same Deployment
  Put("StatefulSet", "db", "db-1", {0h, 23h});
  Put("StatefulSet", "gone", "gone-0", {24h});
  Put("StatefulSet", "gap", "gap-0", {0h, 36h});  // Prometheus was away a day ago
  auto history = History();
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_EQ(history->workloads, 4u);
  EXPECT_THAT(history->young, ElementsAre("shop/StatefulSet/db-1"));
  configuration_.usage.min_history = 0h;
  EXPECT_EQ(History()->workloads, 0u) << "nobody waits for history";
}

TEST_F(AskUsageTest, WarningsOfAnswersAreKeptEachOnce) {
  prometheus_.Break([](const usage_sources::FakePrometheus::Call&) {
    return usage_sources::FakePrometheus::Json(
        200, R"({"status":"success","warnings":["a store is away"],"data":{"resultType":"vector","result":[]}})");
  });
  EXPECT_THAT(AskPrometheus(configuration_, kNow).warnings, ElementsAre("a store is away"));
}

}  // namespace
}  // namespace huygens::preflight
