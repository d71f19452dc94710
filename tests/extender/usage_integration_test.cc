// Where measured use comes from, from the source to the answer of filter, against a fake API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/extender/running.h"
#include "tests/fake/api_server.h"
#include "tests/fake/kubeconfig.h"
#include "tests/fake/objects.h"
#include "tests/fake/temporary_directory.h"
#include "tests/usage_sources/fake_prometheus.h"
#include "usage_sources/queries.h"

namespace huygens::extender {
namespace {

using fake::Fault;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kOverCeiling = R"("n1":"node(s) would exceed the usage ceiling")";

class UsageSource : public testing::Test {
 protected:
  UsageSource() {
    configuration_.server.address = configuration_.server.admin_address = "127.0.0.1:0";
    configuration_.filter.checks = {"usage"};
    configuration_.prioritize.terms = {{"LeastUsed", 1}};
    configuration_.usage.interval = std::chrono::milliseconds(20);
    configuration_.usage.resources = {{.name = "cpu", .ceiling = 800'000}};
    configuration_.usage.min_history = Duration::zero();
  }
  // Two nodes of 10 CPUs behind an API server, a pod on each.
  void UseApiServer() {
    configuration_.cluster.kubernetes->kubeconfig =
        folder_.Write("kubeconfig", fake::Kubeconfig(Concat("http://127.0.0.1:", std::to_string(api_.port())), "t"));
    for (const char* node : {"n1", "n2"}) {
      api_.Put(fake::Node(node).Cpu("10"));
      api_.Put(fake::Pod("default", Concat("on-", node)).Cpu("1").On(node));
    }
  }
  // From now on the metrics API says this of both nodes; half a core of it is the pod's.
  void Measure(const std::string& n1, const std::string& n2) {
    const std::string time = Concat(R"("timestamp":")", FormatRfc3339(SystemClock().Now()), R"(","window":"15s",)");
    const auto pod = [&](const std::string& name) {
      return Concat(R"({"metadata":{"name":")", name, R"(","namespace":"default"},)", time,
                    R"("containers":[{"name":"app","usage":{"cpu":"500m"}}]})");
    };
    const auto node = [&](const std::string& name, const std::string& cpu) {
      return Concat(R"({"metadata":{"name":")", name, R"("},)", time, R"("usage":{"cpu":")", cpu, R"("}})");
    };
    Answer("pods", Concat(pod("on-n1"), ",", pod("on-n2")));
    Answer("nodes", Concat(node("n1", n1), ",", node("n2", n2)));
  }
  void Answer(std::string_view kind, std::string_view items) {
    api_.Inject({.what = Fault::What::kReply,
                 .path = Concat("/apis/metrics.k8s.io/v1beta1/", kind),
                 .times = -1,
                 .code = 200,
                 .body = Concat(R"({"metadata":{},"items":[)", items, "]}")});
  }
  static std::string Filter(const Running& huygens, const std::string& cpu) {
    const std::string pod = fake::Pod("default", "new").Cpu(cpu);
    return huygens.Call("filter", Concat(R"({"Pod":)", pod, R"(,"NodeNames":["n1","n2"]})"));
  }
  // Asks until n1 is over its ceiling, or it has taken too long, and returns the last answer: the sums of a node follow
  // what was measured a little later.
  static std::string AwaitOverCeiling(const Running& huygens) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    std::string answer;
    do {
      answer = Filter(huygens, "1");
    } while (answer.find(kOverCeiling) == std::string::npos && std::chrono::steady_clock::now() < end);
    return answer;
  }

  fake::ApiServer api_;
  fake::TemporaryDirectory folder_;
  settings::Configuration configuration_;
};

TEST_F(UsageSource, TheMetricsApiKeepsPodsOffANodeThatIsHot) {
  UseApiServer();
  Measure("7200m", "600m");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  ASSERT_TRUE(huygens.AwaitAdmin("/readyz?verbose", "usage-source metrics.k8s.io: ok"));
  ASSERT_TRUE(huygens.AwaitAdmin("/metrics", R"(huygens_nodes{topology="none",usage="fresh"} 2)"));
  EXPECT_THAT(AwaitOverCeiling(huygens), HasSubstr(R"("NodeNames":["n2"])"));
  EXPECT_THAT(Filter(huygens, "500m"), HasSubstr(R"("NodeNames":["n1","n2"])"));
  EXPECT_THAT(huygens.Logged("usage"), testing::ElementsAre(HasSubstr("the history is in memory alone")));
}

TEST_F(UsageSource, UntilADayWasMeasuredNothingIsRefusedAndThatIsSaid) {
  configuration_.usage.min_history = settings::UsageConfiguration().min_history;
  UseApiServer();
  Measure("7200m", "600m");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  ASSERT_TRUE(huygens.AwaitAdmin("/metrics", R"(huygens_nodes{topology="none",usage="fresh"} 2)"));
  EXPECT_THAT(Filter(huygens, "9"), HasSubstr(R"("NodeNames":["n1","n2"])"));
  EXPECT_TRUE(huygens.AwaitAdmin("/metrics", R"(huygens_usage_check_reports_only{resource="cpu"} 1)"));
  EXPECT_THAT(huygens.Admin("/readyz?verbose"), AllOf(HasSubstr("[!]usage check refuses nothing yet for cpu: "),
                                                      HasSubstr("of 1d of history (usage.minHistory)")));
  EXPECT_THAT(huygens.Admin("/debug/usage"), HasSubstr(R"("check":"reportsOnly")"));
}

TEST_F(UsageSource, EachCauseOfAFailureIsLoggedOnce) {
  UseApiServer();
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitAdmin("/readyz?verbose", "install metrics-server"));
  EXPECT_THAT(huygens.Admin("/readyz?verbose"), HasSubstr("last good answer never"));
  api_.Inject({.what = Fault::What::kReply,
               .path = "/apis/metrics.k8s.io/v1beta1/pods",
               .times = -1,
               .code = 403,
               .body = "{}"});
  ASSERT_TRUE(huygens.AwaitAdmin("/readyz?verbose", "403"));
  EXPECT_THAT(huygens.Logged("usage source fails"),
              testing::ElementsAre(HasSubstr("install metrics-server"), HasSubstr("403")));
}

TEST_F(UsageSource, AClusterWithoutAMetricsApiIsReadyAndSaysWhatIsMissing) {
  UseApiServer();
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  ASSERT_TRUE(huygens.AwaitAdmin("/readyz?verbose", "install metrics-server"));
  EXPECT_THAT(huygens.Admin("/readyz?verbose"), HasSubstr("[!]usage-source metrics.k8s.io: fails"));
  EXPECT_THAT(huygens.Admin("/readyz"), HasSubstr("ok"));
  EXPECT_THAT(Filter(huygens, "1"), HasSubstr(R"("NodeNames":["n1","n2"])"));
  EXPECT_GT(huygens.Metric(R"(huygens_usage_refresh_duration_seconds_count{result="failed"})"), 0);
}

TEST_F(UsageSource, TheHistoryFileOutlivesTheProcess) {
  UseApiServer();
  configuration_.usage.history_file = folder_.path() + "/history";
  Measure("7200m", "600m");
  {
    Running huygens(configuration_);
    ASSERT_TRUE(huygens.AwaitAdmin("/metrics", R"(huygens_nodes{topology="none",usage="fresh"} 2)"));
  }
  api_.ClearFaults();  // and with them the metrics API
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_TRUE(huygens.AwaitAdmin("/readyz?verbose", "last good answer never")) << "the file is none";
  EXPECT_THAT(AwaitOverCeiling(huygens), HasSubstr(R"("NodeNames":["n2"])"));
}

TEST_F(UsageSource, TwoInstancesDoNotShareAHistoryFile) {
  UseApiServer();
  configuration_.usage.history_file = folder_.path() + "/history";
  Running first(configuration_);
  ASSERT_TRUE(first.status.ok()) << first.status;
  Running second(configuration_);
  EXPECT_THAT(std::string(Message(second.status)), HasSubstr("another huygens keeps its history there"));
}

TEST_F(UsageSource, AFaultOfTheStartNamesItsField) {
  UseApiServer();
  configuration_.usage.history_file = folder_.path() + "/no/such/history";
  EXPECT_THAT(std::string(Message(Running(configuration_).status)), testing::StartsWith("usage.historyFile: /"));
  configuration_.usage.history_file.clear();
  configuration_.cluster = {.kubernetes = std::nullopt,
                            .manifests = settings::ManifestsConfiguration{.directory = "no/such"}};
  EXPECT_THAT(std::string(Message(Running(configuration_).status)),
              testing::StartsWith("cluster.manifests.directory: no/such: No such file or directory (relative to"));
}

TEST_F(UsageSource, NobodyIsAskedWhereNobodyLooksAtUsage) {
  UseApiServer();
  configuration_.filter.checks = {"topology"};
  configuration_.prioritize.terms = {{"FewestZones", 1}};
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(huygens.Admin("/readyz?verbose"), Not(HasSubstr("usage-source")));
  EXPECT_EQ(api_.Seen("GET", "metrics.k8s.io"), 0);
}

TEST_F(UsageSource, ADeadPrometheusKeepsNothingFromBeingReady) {
  UseApiServer();
  configuration_.usage.prometheus = {.url = Concat("http://127.0.0.1:", std::to_string(api_.port()), "/no/such")};
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  ASSERT_TRUE(huygens.AwaitAdmin("/readyz?verbose", "[!]usage-source prometheus"));
  EXPECT_EQ(api_.Seen("GET", "metrics.k8s.io"), 0);
}

// Prometheus measures pods of n1, and no node: readyz, the log and a metric say so, and n1 alone is fresh.
TEST_F(UsageSource, PodsWithoutNodesAreAFaultOfTheirOwn) {
  UseApiServer();
  usage_sources::FakePrometheus prometheus;
  usage_sources::FakePrometheus::Series pod{R"("namespace":"default","pod":"on-n1")", {}}, node{R"("node":"n1")", {}};
  const Time now = SystemClock().Now();
  for (Time time = now - std::chrono::minutes(30); time < now + std::chrono::minutes(5);
       time += std::chrono::minutes(1)) {
    pod.samples[time] = 0.5;
    node.samples[time] = NAN;
  }
  const usage_sources::Expressions cpu = usage_sources::ExpressionsFor("cpu", {});
  prometheus.Put(cpu.workloads.recorded, pod);
  prometheus.Put(cpu.nodes.recorded, node);
  configuration_.usage.prometheus = {.url = prometheus.Url(),
                                     .username = "me",
                                     .password_file = folder_.Write("password", "hidden"),
                                     .headers = {{"X-Scope-OrgID", "tenant-a"}}};
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  ASSERT_TRUE(huygens.AwaitAdmin("/readyz?verbose", "pods but no nodes: Prometheus measures what pods use of cpu"));
  ASSERT_TRUE(huygens.AwaitAdmin("/metrics", R"(huygens_usage_pods_without_nodes{resource="cpu"} 1)"));
  ASSERT_TRUE(huygens.AwaitAdmin("/metrics", R"(huygens_nodes{topology="none",usage="fresh"} 1)"));
  EXPECT_THAT(huygens.Admin("/metrics"), HasSubstr(R"(huygens_nodes{topology="none",usage="absent"} 1)"));
  EXPECT_THAT(huygens.Logged("pods but no nodes"), testing::SizeIs(1));
  EXPECT_THAT(huygens.Logged("hidden"), testing::IsEmpty());
  EXPECT_THAT(huygens.Logged("tenant-a"), testing::IsEmpty());
  const auto call = prometheus.TakeCalls().at(0);
  EXPECT_EQ(call.authorization, "Basic bWU6aGlkZGVu");  // me:hidden
  EXPECT_EQ(call.tenant, "tenant-a");
}

TEST_F(UsageSource, ManifestsBringTheirHistoryBeforeTheFirstRequest) {
  folder_.Write(
      "cluster/nodes.yaml",
      "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '10', pods: '110'}}\n---\n"
      "apiVersion: v1\nkind: Node\nmetadata: {name: n2}\nstatus: {allocatable: {cpu: '10', pods: '110'}}\n");
  folder_.Write("cluster/usage.yaml",
                "apiVersion: huygens.dev/v1alpha1\nkind: UsageHistory\nmetadata: {name: u}\nspec:\n  series:\n"
                "  - {node: n1, resource: cpu, weekly: [{from: '00:00', use: 1}, {from: 'Wed 12:00', use: 7500m},"
                " {from: 'Wed 13:00', use: 1}]}\n"
                "  - {node: n2, resource: cpu, weekly: [{from: '00:00', use: 1}]}\n");
  configuration_.cluster.kubernetes.reset();
  configuration_.cluster.manifests = {.directory = folder_.path() + "/cluster"};
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(Filter(huygens, "1"), AllOf(HasSubstr(kOverCeiling), HasSubstr(R"("NodeNames":["n2"])")));
  EXPECT_THAT(huygens.Admin("/readyz?verbose"), HasSubstr("usage-source manifests"));
}

TEST_F(UsageSource, WhatIsConfiguredAndNotUsedIsSaidAtTheStart) {
  folder_.Write("cluster.yaml",
                "apiVersion: huygens.dev/v1alpha1\nkind: UsageHistory\nmetadata: {name: week}\n"
                "spec: {series: [{workload: s/Pod/a, resource: cpu, weekly: [{from: \"00:00\", use: \"1\"}]}]}\n");
  configuration_.cluster = {.kubernetes = std::nullopt,
                            .manifests = settings::ManifestsConfiguration{.directory = folder_.path()}};
  configuration_.usage.prometheus = {.url = "http://127.0.0.1:1"};
  {
    Running huygens(configuration_);
    EXPECT_THAT(huygens.Logged("UsageHistory"), testing::ElementsAre(HasSubstr("usage.prometheus is set")));
  }
  configuration_.cluster = {};
  configuration_.usage.prometheus.reset();
  UseApiServer();
  configuration_.usage.resources.push_back({.name = "disk-io", .ceiling = 800'000});
  Running huygens(configuration_);
  EXPECT_THAT(huygens.Logged("caution"),
              testing::ElementsAre(HasSubstr("the ceiling on disk-io"), HasSubstr("the history is in memory alone")));
}

}  // namespace
}  // namespace huygens::extender
