#include "usage_sources/prometheus_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "tests/usage_sources/fake_prometheus.h"
#include "usage/curve.h"
#include "usage/workload.h"

namespace huygens::usage_sources {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

constexpr Duration kSlot = 15min;
// The middle of a slot.
constexpr Time kNow{1'795'262'400s + 7min};
const int64_t kOpen = usage::SlotAt(kNow, kSlot);
constexpr char kWeb[] = R"("namespace":"shop","owner_kind":"ReplicaSet","owner_name":"web-7d4b9c6f5")";
constexpr char kWebWorkload[] = "shop/Deployment/web";

class PrometheusSourceTest : public ::testing::Test {
 protected:
  using Slots = std::map<int64_t, int64_t>;

  void Start(std::vector<std::string> resources = {"cpu"}, Duration timeout = 20s) {
    PrometheusOptions options{
        .server = {.base_url = prometheus.Url()}, .usage = {.slots = 96}, .queries = queries, .timeout = timeout};
    for (const std::string& name : resources) {
      options.usage.resources.push_back({.name = name, .resource = name == "cpu" ? kCpu : kMemory});
    }
    auto created = PrometheusSource::Create(options, known);
    ASSERT_TRUE(created.ok()) << created.status();
    source = *std::move(created);
  }

  StatusOr<Progress> Refresh(Time now) {
    prometheus.TakeCalls();
    last_slot.clear();
    return source->Refresh(now, [&](const usage::Readings& batch) {
      EXPECT_GE(batch.slot, last_slot[batch.resource]) << "ascending";
      EXPECT_LE(batch.measured, now + 1min);
      EXPECT_GE(batch.measured, Time(kSlot * batch.slot));
      last_slot[batch.resource] = batch.slot;
      for (const auto& reading : batch.workloads) Take(workloads[reading.subject], batch, reading.amount);
      for (const auto& reading : batch.nodes) Take(nodes[reading.subject], batch, reading.amount);
      half_measured.insert(batch.half_measured.begin(), batch.half_measured.end());
      EXPECT_TRUE(batch.by_node);
    });
  }
  // Until nothing is left to be fetched at once.
  Progress RefreshAll(Time now) {
    for (int i = 0; i < 100; ++i) {
      auto progress = Refresh(now);
      EXPECT_TRUE(progress.ok()) << progress.status();
      if (!progress.ok() || !progress->more) return progress.ok() ? *std::move(progress) : Progress{};
    }
    ADD_FAILURE() << "never done";
    return {};
  }
  static void Take(Slots& slots, const usage::Readings& batch, int64_t amount) {
    slots[batch.slot] = std::max(slots[batch.slot], amount);
  }

  // A sample a minute from `from` to `to`; `value(minute)`.
  template <typename Value>
  static FakePrometheus::Series Minutes(const std::string& labels, Time from, Time to, Value value) {
    FakePrometheus::Series series{labels, {}};
    for (Time time = from; time <= to; time += 1min) series.samples[time] = value(time.time_since_epoch() / 1min);
    return series;
  }
  std::string Recorded(SubjectKind kind, const std::string& resource = "cpu") const {
    return ExpressionsFor(resource, {}).Of(kind).recorded;
  }
  std::string Raw(SubjectKind kind, const std::string& resource = "cpu") const {
    return ExpressionsFor(resource, {}).Of(kind).raw;
  }

  FakePrometheus prometheus;
  PlacedPods known{PlacedPods::Which::kOwnerNotInName};
  std::vector<ResourceQueries> queries;
  std::unique_ptr<PrometheusSource> source;
  std::map<std::string, Slots> workloads, nodes;
  std::set<std::string> half_measured;
  std::map<size_t, int64_t> last_slot;
};

int64_t Wave(int64_t minute) { return minute * 37 % 1009; }  // milli-cores

// By slot, the highest of the minutes in it.
std::map<int64_t, int64_t> HighestWave(Time from, Time to) {
  std::map<int64_t, int64_t> slots;
  for (Time time = from; time <= to; time += 1min) {
    int64_t& highest = slots[usage::SlotAt(time, kSlot)];
    highest = std::max(highest, Wave(time.time_since_epoch() / 1min));
  }
  return slots;
}

double Cores(int64_t minute) { return static_cast<double>(Wave(minute)) / 1000; }

constexpr Time kWindow = Time(
    kSlot * (1'795'262'400 / 900 - 96));  // where it begins: the open slot a window before counts until it is measured

TEST_F(PrometheusSourceTest, BringsTheWholeWindowBackExactly) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow - 3h, kNow, Cores));
  prometheus.Put(Recorded(SubjectKind::kNode), Minutes(R"("node":"n1")", kWindow - 3h, kNow, Cores));
  Start();
  const Progress progress = RefreshAll(kNow);
  EXPECT_EQ(progress.left_out, 0U);
  EXPECT_THAT(progress.notices, IsEmpty());
  EXPECT_THAT(workloads, ElementsAre(Pair(kWebWorkload, HighestWave(kWindow, kNow))));
  EXPECT_THAT(nodes, ElementsAre(Pair("n1", HighestWave(kWindow, kNow))));
}

TEST_F(PrometheusSourceTest, TheOpenSlotCountsAsAWindowBeforeUntilItIsMeasured) {
  const Time begin(kSlot * kOpen);
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow - 3h, begin - 2min, Cores));
  Start();
  RefreshAll(begin + 1min);
  usage::Curve curve(96);
  for (const auto& [slot, amount] : workloads[kWebWorkload]) (void)curve.Set(slot, amount);
  EXPECT_EQ(curve.seen(), 96U);
  EXPECT_EQ(curve.At(usage::SlotOfWeek(kOpen, 96)), HighestWave(kWindow, kWindow + 14min).begin()->second);
}

TEST_F(PrometheusSourceTest, SaysWhetherThePresentIsStillToCome) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow - 24h, kNow, Cores));
  PrometheusOptions options{.server = {.base_url = prometheus.Url()}, .usage = {.slots = 192}, .timeout = 20s};
  options.usage.resources = {{.name = "cpu"}};
  source = *PrometheusSource::Create(options, known);
  const auto first = Refresh(kNow);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(first->history_alone);
  EXPECT_FALSE(workloads[kWebWorkload].contains(kOpen));
  EXPECT_FALSE(RefreshAll(kNow).history_alone);
  EXPECT_TRUE(workloads[kWebWorkload].contains(kOpen));
}

TEST_F(PrometheusSourceTest, ThenAsksOnlyForWhatIsNew) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow, kNow + 40min, Cores));
  prometheus.Put(Recorded(SubjectKind::kNode), Minutes(R"("node":"n1")", kWindow, kNow + 40min, Cores));
  Start();
  RefreshAll(kNow);
  std::vector<std::string> closed;
  for (Time now = kNow + 1min; now <= kNow + 40min; now += 1min) {
    ASSERT_TRUE(Refresh(now).ok());
    const auto calls = prometheus.TakeCalls();
    EXPECT_LE(calls.size(), 5U);
    for (const auto& call : calls) {
      if (call.path == "/api/v1/query") continue;
      EXPECT_EQ(call.form.Query("start"), call.form.Query("end"));
      closed.push_back(call.form.Query("end"));
    }
    EXPECT_EQ(calls.back().query(), Recorded(SubjectKind::kNode));
  }
  // The two slots that closed, each for workloads and for nodes.
  EXPECT_THAT(closed, ElementsAre("1795263299.999", "1795263299.999", "1795264199.999", "1795264199.999"));
  EXPECT_EQ(workloads[kWebWorkload], HighestWave(kWindow, kNow + 40min));
  EXPECT_EQ(nodes["n1"], HighestWave(kWindow, kNow + 40min));
}

TEST_F(PrometheusSourceTest, FetchesWhatWasMissedWhilePrometheusWasAway) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow, kNow + 5h, Cores));
  Start();
  RefreshAll(kNow);
  prometheus.Break([](const FakePrometheus::Call&) { return FakePrometheus::Json(503, "away"); });
  const auto failed = Refresh(kNow + 1min);
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(Message(failed.status())), HasSubstr("overloaded, starting, or away"));
  prometheus.Break(nullptr);
  const auto before = workloads;
  RefreshAll(kNow + 5h);
  EXPECT_EQ(workloads[kWebWorkload], HighestWave(kWindow, kNow + 5h));
}

TEST_F(PrometheusSourceTest, GoesOnWithAWindowAfterALongAbsence) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow, kNow + 1h, Cores));
  Start();
  RefreshAll(kNow);
  workloads.clear();
  RefreshAll(kNow + 23h);
  ASSERT_TRUE(workloads.contains(kWebWorkload));
  EXPECT_EQ(workloads[kWebWorkload], HighestWave(kNow - 7min, kNow + 1h));
  workloads.clear();
  const auto progress = Refresh(kNow + 1000h);
  ASSERT_TRUE(progress.ok()) << progress.status();
  EXPECT_FALSE(progress->more) << "older than the window";
  EXPECT_THAT(workloads, IsEmpty());
}

TEST_F(PrometheusSourceTest, AsksRawSeriesForTheTimeBeforeTheRecording) {
  prometheus.Put(Raw(SubjectKind::kWorkload), Minutes(kWeb, kWindow, kNow, Cores));
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kNow - 3h, kNow, Cores));
  Start();
  const Progress progress = RefreshAll(kNow);
  EXPECT_EQ(workloads[kWebWorkload], HighestWave(kWindow, kNow));
  EXPECT_THAT(progress.notices, ElementsAre(HasSubstr("pods but no nodes"),
                                            AllOf(HasSubstr(R"(has no huygens:node_system_usage{resource="cpu"},)"),
                                                  HasSubstr("config/prometheus/rules.yaml"))));
  for (const auto& call : prometheus.TakeCalls()) {
    if (call.query().find("kube_pod_owner") == std::string::npos || call.path.ends_with("/query")) continue;
    EXPECT_LE(std::stod(call.form.Query("end")), static_cast<double>((kNow - 3h).time_since_epoch() / 1s) + 900);
  }
}

TEST_F(PrometheusSourceTest, WorksWithoutRecordingRules) {
  prometheus.Put(Raw(SubjectKind::kWorkload), Minutes(kWeb, kWindow, kNow + 1min, Cores));
  prometheus.Put(Raw(SubjectKind::kNode), Minutes(R"("node":"n1")", kWindow, kNow + 1min, Cores));
  Start();
  const Progress progress = RefreshAll(kNow);
  EXPECT_FALSE(progress.partial);
  EXPECT_THAT(progress.notices,
              ElementsAre(AllOf(HasSubstr("huygens:workload_usage"), HasSubstr("huygens:node_system_usage"))));
  ASSERT_TRUE(Refresh(kNow + 1min).ok());
  EXPECT_EQ(workloads[kWebWorkload], HighestWave(kWindow, kNow + 1min));
  EXPECT_EQ(nodes["n1"], HighestWave(kWindow, kNow + 1min));
}

TEST_F(PrometheusSourceTest, SaysFirstThatNothingIsMeasuredThenThatNothingIsRecorded) {
  Start();
  EXPECT_THAT(RefreshAll(kNow).notices, ElementsAre(HasSubstr("measures no pod's use of cpu"),
                                                    HasSubstr("rules.yaml is not loaded there, or has nothing")));
}

TEST_F(PrometheusSourceTest, LeavesOutWhatIsNoMeasurement) {
  prometheus.Put(Recorded(SubjectKind::kWorkload),
                 {kWeb, {{kNow - 5min, NAN}, {kNow - 4min, INFINITY}, {kNow - 3min, -1}, {kNow - 2min, 1e300}}});
  prometheus.Put(Recorded(SubjectKind::kWorkload), {R"("pod":"web-0")", {{kNow, 1}}});
  prometheus.Put(Recorded(SubjectKind::kWorkload),
                 {R"("namespace":"shop","owner_kind":"StatefulSet","owner_name":"db")", {{kNow, 1}}});
  prometheus.Put(Recorded(SubjectKind::kNode), {R"("instance":"n1")", {{kNow, 1}}});
  // The fake answers with times of its own when it is asked for a range.
  prometheus.Break([](const FakePrometheus::Call& call) -> std::optional<std::string> {
    if (!call.path.ends_with("_range")) return std::nullopt;
    return FakePrometheus::Json(
        200,
        R"({"status":"success","data":{"result":[{"metric":{"namespace":"shop","pod":"p"},"values":[[1795500000,"1"],[1,"1"]]}]}})");
  });
  Start();
  const Progress progress = RefreshAll(kNow);
  EXPECT_THAT(workloads, IsEmpty());
  EXPECT_THAT(nodes, IsEmpty());
  EXPECT_EQ(progress.left_out, 2 * 4U + 6) << "of the open slot two questions are asked at first";
  EXPECT_THAT(progress.notices, ElementsAre(HasSubstr("measures no pod's use of cpu")));
}

TEST_F(PrometheusSourceTest, LeavesOutTheFuture) {
  prometheus.Break([](const FakePrometheus::Call& call) -> std::optional<std::string> {
    if (call.query().find("[") == std::string::npos || call.path.ends_with("_range")) return std::nullopt;
    return FakePrometheus::Json(
        200,
        Concat(
            R"({"status":"success","data":{"result":[{"metric":{"namespace":"shop","pod":"p","node":"n"},"values":[[)",
            std::to_string((kNow + 59s).time_since_epoch() / 1s), R"(,"1"],[)",
            std::to_string((kNow + 61s).time_since_epoch() / 1s), R"(,"9"]]}]}})"));
  });
  Start();
  const Progress progress = RefreshAll(kNow);
  EXPECT_EQ(progress.left_out, 4U);
  EXPECT_THAT(workloads, ElementsAre(Pair("shop/Pod/p", ElementsAre(Pair(kOpen, 1000)))));
}

TEST_F(PrometheusSourceTest, RoundsUpButNotNoise) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), {R"("namespace":"s","pod":"a")", {{kNow, 0.1 + 0.2}}});
  prometheus.Put(Recorded(SubjectKind::kWorkload), {R"("namespace":"s","pod":"b")", {{kNow, 0.30001}}});
  prometheus.Put(Recorded(SubjectKind::kWorkload), {R"("namespace":"s","pod":"c")", {{kNow, 0}}});
  Start();
  RefreshAll(kNow);
  EXPECT_THAT(workloads, ElementsAre(Pair("s/Pod/a", ElementsAre(Pair(kOpen, 300))),
                                     Pair("s/Pod/b", ElementsAre(Pair(kOpen, 301))),
                                     Pair("s/Pod/c", ElementsAre(Pair(kOpen, 0)))));
}

TEST_F(PrometheusSourceTest, KnowsWorkloadsByOwnerByTableOrByName) {
  const std::string expression = Recorded(SubjectKind::kWorkload);
  const auto put = [&](const std::string& labels, double value) {
    prometheus.Put(expression, {labels, {{kNow, value}}});
  };
  put(R"("namespace":"s","owner_kind":"ReplicaSet","owner_name":"web-7d4b9c6f5")", 1);
  put(R"("namespace":"s","owner_kind":"ReplicaSet","owner_name":"web-6c4b9c6f4")", 3);  // the revision before
  put(R"("namespace":"s","pod":"web-7d4b9c6f5-x2x4z")", 2);                             // kube-state-metrics was away
  put(R"("namespace":"s","pod":"db-0","owner_kind":"StatefulSet","owner_name":"db")", 4);
  put(R"("namespace":"s","pod":"odd-1","owner_kind":"Pod","owner_name":"odd-1")", 5);
  put(R"("namespace":"s","node":"n1","owner_kind":"DaemonSet","owner_name":"agent")", 7);
  put(R"("namespace":"s","node":"n2","owner_kind":"DaemonSet","owner_name":"agent")", 8);
  put(R"("namespace":"s","pod":"proxy-x2x4z","node":"n1")", 9);
  put(R"("namespace":"s","pod":"render-17")", 6);
  cluster::Pod render;
  render.namespace_name = "s";
  render.name = "render-17";
  render.owner_kind = "Workflow";
  render.owner_name = "render";
  known.Place({.pod = std::make_shared<const cluster::Pod>(render), .node = 0, .zones = {}});
  Start();
  RefreshAll(kNow);
  const auto only = [](int64_t amount) { return std::map<int64_t, int64_t>{{kOpen, amount}}; };
  EXPECT_THAT(workloads,
              ElementsAre(Pair("s/DaemonSet/agent on n1", only(7000)), Pair("s/DaemonSet/agent on n2", only(8000)),
                          Pair("s/DaemonSet/proxy on n1", only(9000)), Pair("s/Deployment/web", only(3000)),
                          Pair("s/Pod/odd-1", only(5000)), Pair("s/StatefulSet/db-0", only(4000)),
                          Pair("s/Workflow/render", only(6000))));
}

TEST_F(PrometheusSourceTest, AsksForLessWhereADayIsTooMuch) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow, kNow, Cores));
  std::string limit;
  prometheus.Break([&](const FakePrometheus::Call& call) -> std::optional<std::string> {
    if (!call.path.ends_with("_range")) return std::nullopt;
    if (std::stod(call.form.Query("end")) - std::stod(call.form.Query("start")) < 15 * 900) return std::nullopt;
    return FakePrometheus::Error(422, "execution", limit);
  });
  for (const std::string each : {"query processing would load too many samples into memory in query execution",
                                 "cannot select more than -search.maxSamplesPerQuery=1000000000 samples"}) {
    limit = each;
    workloads.clear();
    Start();
    const Progress progress = RefreshAll(kNow);
    EXPECT_EQ(workloads[kWebWorkload], HighestWave(kWindow, kNow)) << limit;
    EXPECT_THAT(progress.notices, Each(Not(HasSubstr("history")))) << limit;
  }
}

TEST_F(PrometheusSourceTest, KeepsThePresentWaitingNoLongerWhereADayIsTooMuch) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow, kNow, Cores));
  prometheus.Break([](const FakePrometheus::Call& call) -> std::optional<std::string> {
    if (!call.path.ends_with("_range")) return std::nullopt;
    return FakePrometheus::Error(503, "timeout", "query timed out in expression evaluation");
  });
  Start();
  const auto progress = Refresh(kNow);
  ASSERT_TRUE(progress.ok()) << progress.status();
  EXPECT_TRUE(progress->more);
  EXPECT_FALSE(progress->history_alone);
  EXPECT_TRUE(workloads[kWebWorkload].contains(kOpen));
}

TEST_F(PrometheusSourceTest, MeasuresThePresentWhereHistoryFails) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow, kNow, Cores));
  std::string error;
  prometheus.Break([&](const FakePrometheus::Call& call) {
    return call.path.ends_with("_range") ? std::optional(error) : std::nullopt;
  });
  for (const std::string& each :
       {FakePrometheus::Error(422, "execution", "the query time range exceeds the limit (query length exceeds limit)"),
        FakePrometheus::Error(400, "bad_data", "the query time range exceeds the limit"),
        FakePrometheus::Error(500, "internal", "store gateway"), FakePrometheus::Json(503, "away")}) {
    error = each;
    workloads.clear();
    Start();
    const Progress progress = RefreshAll(kNow);
    EXPECT_EQ(workloads[kWebWorkload], HighestWave(kNow - 7min, kNow)) << each;
    EXPECT_THAT(progress.notices, Contains(HasSubstr("history of cpu is missing as yet: POST "))) << each;
    EXPECT_EQ(RefreshAll(kNow + 1min).notices, progress.notices) << "the same text while it holds";
    for (const auto& call : prometheus.TakeCalls()) EXPECT_EQ(call.path, "/api/v1/query") << "asked again too soon";
  }
}

TEST_F(PrometheusSourceTest, FetchesAHistoryThatTimedOutForLongOnceItCanBeHad) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow, kNow + 5h, Cores));
  prometheus.Break([](const FakePrometheus::Call& call) {
    return call.path.ends_with("_range") ? std::optional("hang") : std::nullopt;
  });
  Start({"cpu"}, 150ms);
  for (Time now = kNow; now < kNow + 5h; now += kSlot) {
    const auto progress = Refresh(now);
    ASSERT_TRUE(progress.ok()) << progress.status();
    EXPECT_FALSE(progress->more);
    EXPECT_THAT(progress->notices, Contains(HasSubstr("history of cpu is missing as yet")));
  }
  prometheus.Break(nullptr);
  const Progress progress = RefreshAll(kNow + 5h);
  EXPECT_EQ(workloads[kWebWorkload], HighestWave(kWindow + 5h, kNow + 5h));
  EXPECT_THAT(progress.notices, Each(Not(HasSubstr("history"))));
}

TEST_F(PrometheusSourceTest, FetchesHistoryAtOnceWhenAllWasAway) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow, kNow, Cores));
  prometheus.Break([](const FakePrometheus::Call& call) {
    return call.query().starts_with("count by") ? std::nullopt : std::optional(FakePrometheus::Json(503, "away"));
  });
  Start();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Refresh(kNow).status().code(), absl::StatusCode::kUnavailable);
  prometheus.Break(nullptr);
  RefreshAll(kNow);
  EXPECT_EQ(workloads[kWebWorkload], HighestWave(kWindow, kNow));
}

TEST_F(PrometheusSourceTest, GivesUpAHistoryThatStaysTooMuchForThePresent) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow, kNow + 9 * kSlot, Cores));
  prometheus.Break([](const FakePrometheus::Call& call) -> std::optional<std::string> {
    if (!call.path.ends_with("_range")) return std::nullopt;
    return FakePrometheus::Error(503, "timeout", "query timed out in expression evaluation");
  });
  Start();
  const auto given_up = HasSubstr("some history of cpu was too much");
  Time now = kNow;
  for (; now < kNow + 9 * kSlot; now += kSlot) {
    EXPECT_THAT(RefreshAll(now).notices,
                AllOf(Contains(AllOf(HasSubstr("history of cpu"), HasSubstr("timed out"))), Each(Not(given_up))));
  }
  EXPECT_THAT(RefreshAll(now).notices, AllOf(Contains(given_up), Each(Not(HasSubstr("timed out")))));
  std::map<int64_t, int64_t> moments = HighestWave(kNow - 7min, kNow);
  for (Time at = kNow + kSlot; at <= now; at += kSlot) moments.merge(HighestWave(at, at));
  EXPECT_EQ(workloads[kWebWorkload], moments);
  prometheus.Break(nullptr);
  // The newest slot of it is the one before kNow.
  for (; now <= kNow + 104 * kSlot; now += kSlot) EXPECT_THAT(RefreshAll(now).notices, Contains(given_up));
  EXPECT_THAT(RefreshAll(now).notices, Each(Not(given_up)));
}

TEST_F(PrometheusSourceTest, LosesNothingWhenACallFailsInBetween) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow, kNow + kSlot, Cores));
  Start();
  int calls = 0;
  prometheus.Break([&](const FakePrometheus::Call&) -> std::optional<std::string> {
    return ++calls % 2 == 0 ? std::optional(FakePrometheus::Error(503, "unavailable", "not ready")) : std::nullopt;
  });
  for (int i = 0; i < 5; ++i) (void)Refresh(kNow);
  prometheus.Break(nullptr);
  RefreshAll(kNow + kSlot);
  workloads[kWebWorkload].erase(kOpen - 96);  // older than the window by now
  EXPECT_EQ(workloads[kWebWorkload], HighestWave(kWindow + kSlot, kNow + kSlot));
}

TEST_F(PrometheusSourceTest, SaysThatPodsAreMeasuredAndNoNode) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kNow - 1h, kNow + 2min, Cores));
  prometheus.Put(Recorded(SubjectKind::kNode), Minutes(R"("node":"n1")", kNow - 1h, kNow, [](int64_t) { return NAN; }));
  Start();
  Progress progress = RefreshAll(kNow);
  EXPECT_THAT(progress.notices,
              ElementsAre(AllOf(HasSubstr("pods but no nodes"), HasSubstr("node_exporter"),
                                HasSubstr("in the values of kube-prometheus-stack one of these mends it: "
                                          "`nodeExporter: {enabled: true}`, `kubelet: {serviceMonitor: {resource: "
                                          "true}}`, `kubelet: {serviceMonitor: {cAdvisorMetricRelabelings: []}}`"))));
  EXPECT_THAT(progress.without_nodes, ElementsAre("cpu"));
  EXPECT_THAT(nodes, IsEmpty()) << "nothing that was not measured is a number";
  EXPECT_THAT(half_measured, ElementsAre("n1"));
  // One node is measured again.
  prometheus.Put(Recorded(SubjectKind::kNode), Minutes(R"("node":"n2")", kNow, kNow + 2min, Cores));
  progress = RefreshAll(kNow + 1min);
  EXPECT_THAT(progress.without_nodes, IsEmpty());
  EXPECT_THAT(progress.notices, ElementsAre(AllOf(HasSubstr("the pods of some nodes"), HasSubstr("such as n1;"))));
}

TEST_F(PrometheusSourceTest, NodesAreHalfMeasuredWhereAnOperatorNamesPodsAlone) {
  queries = {{"my_gpu", ""}};
  const Expressions expressions = ExpressionsFor("gpu", queries.front());
  prometheus.Put(expressions.workloads.raw, Minutes(kWeb, kNow - 1h, kNow, Cores));
  prometheus.Put(expressions.nodes.raw, Minutes(R"("node":"n1")", kNow - 1h, kNow, [](int64_t) { return NAN; }));
  Start({"gpu"});
  const Progress progress = RefreshAll(kNow);
  EXPECT_THAT(workloads, ElementsAre(Pair(kWebWorkload, Not(IsEmpty()))));
  EXPECT_THAT(half_measured, ElementsAre("n1")) << "or it would count as absent for ever";
  EXPECT_THAT(nodes, IsEmpty());
  EXPECT_THAT(progress.without_nodes, ElementsAre("gpu"));
}

TEST_F(PrometheusSourceTest, AsksInPartsWhereTheAnswerIsTooLarge) {
  for (int i = 0; i < 40; ++i) {
    const std::string pod = Concat("db-", std::to_string(i));
    prometheus.Put(Recorded(SubjectKind::kWorkload),
                   Minutes(Concat(R"("namespace":"s","pod":")", pod, "\""), kWindow, kNow, Cores));
  }
  // Refuses more than ten pods at a time. Which these are the fake goes by the matcher.
  std::vector<std::string> asked;
  prometheus.Break([&](const FakePrometheus::Call& call) -> std::optional<std::string> {
    if (call.path.ends_with("_range") || !call.query().starts_with("huygens:workload_usage")) return std::nullopt;
    const std::string query = call.query();
    const size_t at = query.find("pod=");
    asked.push_back(at == std::string::npos ? "" : query.substr(at, query.size() - at - 1));
    const std::string::difference_type limit = 3;
    if (std::ranges::count(asked.back(), '[') + static_cast<std::string::difference_type>(asked.size()) < limit) {
      return FakePrometheus::Error(422, "execution", "query processing would load too many samples into memory");
    }
    return std::nullopt;
  });
  Start();
  const Progress progress = RefreshAll(kNow);
  EXPECT_THAT(progress.notices, Each(Not(HasSubstr("too many"))));
  EXPECT_EQ(workloads.size(), 40U);
  EXPECT_EQ(asked.front(), "");
  EXPECT_GT(asked.size(), 4U);
  const auto parts = std::vector<std::string>(asked.end() - 4, asked.end());
  ASSERT_TRUE(Refresh(kNow + 1min).ok());
  EXPECT_EQ(std::vector<std::string>(asked.end() - 4, asked.end()), parts) << "remembers how small the parts must be";
}

TEST_F(PrometheusSourceTest, AsksForSeveralResourcesAtATime) {
  for (const std::string resource : {"cpu", "memory"}) {
    prometheus.Put(Recorded(SubjectKind::kWorkload, resource), Minutes(kWeb, kNow - 1h, kNow, Cores));
  }
  PrometheusOptions options{
      .server = {.base_url = prometheus.Url()}, .usage = {.slots = 96}, .timeout = 20s, .concurrency = 2};
  options.usage.resources = {{.name = "cpu", .resource = kCpu}, {.name = "memory", .resource = kMemory}};
  source = *PrometheusSource::Create(options, known);
  RefreshAll(kNow);
  EXPECT_THAT(workloads, ElementsAre(Pair(kWebWorkload, Not(IsEmpty()))));
  EXPECT_GT(source->traffic().queries, 4U);
}

TEST_F(PrometheusSourceTest, GoesOnWithOtherResourcesWhenOneQueryIsRefused) {
  queries = {{"broken_query", ""}};
  prometheus.Put(Recorded(SubjectKind::kWorkload, "memory"),
                 Minutes(kWeb, kNow - 1h, kNow, [](int64_t) { return 1e6; }));
  prometheus.Break([](const FakePrometheus::Call& call) -> std::optional<std::string> {
    if (call.query().find("broken_query") == std::string::npos) return std::nullopt;
    return FakePrometheus::Error(400, "bad_data", "parse error");
  });
  prometheus.Put(Recorded(SubjectKind::kNode, "memory"), {R"("node":"n1")", {{kNow, NAN}}});
  Start({"cpu", "memory", "ephemeral"});
  const auto progress = Refresh(kNow);
  ASSERT_TRUE(progress.ok()) << progress.status();
  EXPECT_THAT(progress->notices, AllOf(Contains(AllOf(HasSubstr("cpu: "), HasSubstr("parse error"))),
                                       Contains(HasSubstr("measures no pod's use of ephemeral"))));
  EXPECT_TRUE(progress->partial);
  EXPECT_EQ(progress->left_out, 0U) << "NaN says that the pods of the node were measured alone";
  EXPECT_THAT(progress->without_nodes, ElementsAre("memory"));
  EXPECT_THAT(half_measured, ElementsAre("n1"));
  EXPECT_EQ(workloads[kWebWorkload][kOpen], 1'000'000);
}

TEST_F(PrometheusSourceTest, FailsWhenEveryResourceDoes) {
  prometheus.Break([](const FakePrometheus::Call& call) -> std::optional<std::string> {
    if (call.query().starts_with("count by")) return std::nullopt;
    return FakePrometheus::Error(400, "bad_data", "parse error");
  });
  Start({"cpu", "memory"});
  const Status status = Refresh(kNow).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)), AllOf(HasSubstr("cpu: "), HasSubstr("parse error")));
}

TEST_F(PrometheusSourceTest, SaysWhenTheDataMayBePartial) {
  prometheus.Break([](const FakePrometheus::Call&) {
    return FakePrometheus::Json(200,
                                R"({"status":"success","data":{"result":[]},"warnings":["store of site b is away"]})");
  });
  Start();
  EXPECT_THAT(RefreshAll(kNow).notices,
              Contains(AllOf(HasSubstr("may be partial"), HasSubstr("store of site b is away"))));
}

TEST_F(PrometheusSourceTest, EndsWhenCancelled) {
  prometheus.Break([](const FakePrometheus::Call&) { return "hang"; });
  Start();
  std::thread other([&] {
    prometheus.arrived.Take();
    source->Cancel();
  });
  EXPECT_EQ(Refresh(kNow).status().code(), absl::StatusCode::kCancelled);
  other.join();
}

TEST_F(PrometheusSourceTest, SaysWhereItAsks) {
  Start();
  EXPECT_EQ(source->name(), Concat("prometheus ", prometheus.Url()));
}

TEST_F(PrometheusSourceTest, FetchesTheWindowAnewWhereTheClockWentBack) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow - 3h, kNow, Cores));
  prometheus.Put(Recorded(SubjectKind::kNode), Minutes(R"("node":"n1")", kWindow - 3h, kNow, Cores));
  Start();
  RefreshAll(kNow + 1000h);
  EXPECT_THAT(workloads, IsEmpty());
  RefreshAll(kNow);
  EXPECT_EQ(workloads[kWebWorkload], HighestWave(kWindow, kNow));
}

TEST_F(PrometheusSourceTest, FetchesTheWindowAnewWhereTheClockWentBackBeforeItsEnd) {
  prometheus.Put(Recorded(SubjectKind::kWorkload), Minutes(kWeb, kWindow - 3h, kNow, Cores));
  prometheus.Put(Recorded(SubjectKind::kNode), Minutes(R"("node":"n1")", kWindow - 3h, kNow, Cores));
  for (const Duration ahead : {Duration(10h), Duration(1000h)}) {
    prometheus.Break([](const FakePrometheus::Call& call) -> std::optional<std::string> {
      if (call.path.ends_with("_range") || call.query().starts_with("count by")) return std::nullopt;
      return FakePrometheus::Error(500, "internal", "no present yet");
    });
    Start();
    EXPECT_FALSE(Refresh(kNow + ahead).ok());
    prometheus.Break(nullptr);
    workloads.clear();
    RefreshAll(kNow);
    EXPECT_EQ(workloads[kWebWorkload], HighestWave(kWindow, kNow));
  }
}

TEST_F(PrometheusSourceTest, GoesByRawSeriesWhereItIsRefusedWhatIsRecorded) {
  prometheus.Put(Raw(SubjectKind::kWorkload), Minutes(kWeb, kWindow, kNow + 1min, Cores));
  prometheus.Put(Raw(SubjectKind::kNode), Minutes(R"("node":"n1")", kWindow, kNow + 1min, Cores));
  for (const auto& [code, type] : {std::pair(400, "bad_data"), {422, "execution"}}) {
    prometheus.Break([code = code, type = type](const FakePrometheus::Call& call) -> std::optional<std::string> {
      if (!call.query().starts_with("count by")) return std::nullopt;
      return FakePrometheus::Error(code, type, "matches too much");
    });
    workloads.clear();
    Start();
    const Progress progress = RefreshAll(kNow);
    EXPECT_THAT(progress.notices, ElementsAre(AllOf(HasSubstr("raw series"), HasSubstr("matches too much"))));
    const auto again = Refresh(kNow + 1min);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->notices, progress.notices) << "one warning as long as it holds";
    EXPECT_EQ(workloads[kWebWorkload], HighestWave(kWindow, kNow + 1min));
  }
}

}  // namespace
}  // namespace huygens::usage_sources
