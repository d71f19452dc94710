#include "preflight/usage.h"
#include "tests/cluster/build.h"
#include "tests/preflight/findings.h"

namespace huygens::preflight {
namespace {

using namespace test;  // NOLINT: builders
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class JudgeUsageTest : public testing::Test {
 protected:
  JudgeUsageTest() {
    for (const char* name : {"a", "b"}) placement_->Apply(cluster::NodeSet{MakeNode(name)});
    configuration_.usage.resources = {{.name = "cpu", .ceiling = 800'000}};
    configuration_.usage.history_file = "/history";
    series_.url = "http://p:9090";
    series_.owners = 10u;
    cpu_ = {.name = "cpu", .recorded_workloads = true, .recorded_nodes = true, .nodes = Names{"a", "b"}};
    cpu_.workloads = 10u;
    cpu_.covered = 1.0;
  }
  using Names = std::vector<std::string>;
  Findings Judge() {
    series_.resources = {cpu_};
    return JudgePrometheus(series_, *placement_, configuration_);
  }
  // The check goes on where nothing is measured, and refuses.
  void RefuseUnmeasured() {
    configuration_.usage.resources[0].when_absent = usage::WhenUnknown::kReject;
    configuration_.usage.max_stale_nodes = usage::kMillion;
    configuration_.usage.min_history = Duration::zero();
  }
  Findings JudgeNodes(std::vector<wire::ResourceMetrics> nodes) {
    return JudgeMetrics({std::vector<wire::ResourceMetrics>(), std::move(nodes)}, *placement_, configuration_, kNow);
  }

  std::unique_ptr<placement::Placement> placement_ = std::move(*placement::Placement::Create({}));
  settings::Configuration configuration_;
  PrometheusSeries series_;
  ResourceSeries cpu_;
};

TEST_F(JudgeUsageTest, WhatIsRecordedAndWholeIsFine) { EXPECT_EQ(ExitCode(Judge()), 0); }

TEST_F(JudgeUsageTest, WhatIsMissingIsToldApart) {
  series_.owners = 0u;
  EXPECT_EQ(Find(Judge(), "kube_pod_owner").severity, Severity::kWarning);
  cpu_.covered = 0.1;
  EXPECT_EQ(Find(Judge(), "history covers 10% of usage.window (7d)").severity, Severity::kWarning);
  cpu_.covered = 0.5;
  EXPECT_EQ(Find(Judge(), "history covers 50%").severity, Severity::kOk);
  cpu_.recorded_workloads = cpu_.recorded_nodes = false;
  EXPECT_THAT(Find(Judge(), "there is no recording rule").mend, HasSubstr("config/prometheus"));
  cpu_.scraped = 2u;
  EXPECT_TRUE(Has(Judge(), "the same container is there 2 times"));
}

TEST_F(JudgeUsageTest, WhyNoPodIsMeasured) {
  cpu_.recorded_workloads = cpu_.recorded_nodes = false;
  cpu_.metric = "container_cpu_usage_seconds_total";
  cpu_.workloads = 0u;
  EXPECT_THAT(Find(Judge(), "no pod is measured").why, HasSubstr("does not scrape kubelets"));
  cpu_.all = 5u;
  EXPECT_THAT(Find(Judge(), "no pod is measured").why, HasSubstr("relabelling drops them"));
  cpu_.of_pods = 5u;
  EXPECT_THAT(Find(Judge(), "no pod is measured").why, HasSubstr("no value of the last five minutes"));
  EXPECT_THAT(Find(Judge(), "no pod is measured").why, HasSubstr("Meanwhile nothing is refused for use"));
  configuration_.usage.resources[0].when_absent = usage::WhenUnknown::kReject;
  EXPECT_EQ(Find(Judge(), "no pod is measured").severity, Severity::kWarning) << "it steps aside";
  configuration_.usage.max_stale_nodes = usage::kMillion;
  EXPECT_EQ(Find(Judge(), "no pod is measured").severity, Severity::kWarning) << "it has no history";
  RefuseUnmeasured();
  EXPECT_EQ(Find(Judge(), "no pod is measured").severity, Severity::kError);
  EXPECT_THAT(Find(Judge(), "no pod is measured").why, HasSubstr("Pods are refused there"));
  cpu_.workloads = Unavailable("too much");
  EXPECT_EQ(Find(Judge(), "asking Prometheus what pods use failed").why, "too much");
}

TEST_F(JudgeUsageTest, MatchersThatMatchNothingAreToBlame) {
  configuration_.usage.prometheus = settings::PrometheusConfiguration{.matchers = {R"(cluster="prod")"}};
  cpu_.recorded_workloads = cpu_.recorded_nodes = false;
  cpu_.metric = "container_cpu_usage_seconds_total";
  cpu_.workloads = 0u;
  cpu_.unmatched = 7u;
  series_.owners = 0u;
  const Findings findings = Judge();
  EXPECT_THAT(Find(findings, "no pod is measured").why,
              HasSubstr(R"(There are 7 series container_cpu_usage_seconds_total, none of them with cluster="prod")"));
  EXPECT_FALSE(Has(findings, "kube_pod_owner")) << "that would be one more riddle";
}

TEST_F(JudgeUsageTest, WorkloadsThatAreYoungerThanMinHistory) {
  cpu_.history = WorkloadHistory{.workloads = 3, .young = {"shop/Deployment/web"}};
  EXPECT_EQ(
      Find(Judge(), "1 of 3 workloads has less than 1d of history (usage.minHistory): shop/Deployment/web").severity,
      Severity::kOk);
  cpu_.history = WorkloadHistory{.workloads = 2, .young = {"a", "b"}};
  const Finding all = Find(Judge(), "2 of 2 workloads have less than 1d");
  EXPECT_EQ(all.severity, Severity::kWarning);
  EXPECT_THAT(all.why, HasSubstr("the check refuses nothing"));
  cpu_.history = Unavailable("too much");
  EXPECT_EQ(Find(Judge(), "asking Prometheus since when workloads are measured failed").why, "too much");
}

TEST_F(JudgeUsageTest, OtherSourcesOfWholeNodesAreNamed) {
  using usage_sources::NodeSource;
  cpu_.sources = std::vector<WholeNodes>{{NodeSource::kCadvisor, {"a"}}, {NodeSource::kKubelet, {"b"}}};
  EXPECT_EQ(Find(Judge(), "whole nodes are measured by kubelet's /metrics/resource (1 node: b)").severity,
            Severity::kOk);
  cpu_.sources = std::vector<WholeNodes>{{NodeSource::kCadvisor, {"a", "b"}}};
  EXPECT_FALSE(Has(Judge(), "whole nodes are measured by"));
}

TEST_F(JudgeUsageTest, WhyPrometheusCannotBeAsked) {
  series_.reachable = Unavailable("connection refused");
  Finding finding = Find(Judge(), "Prometheus at http://p:9090 cannot be asked");
  EXPECT_EQ(finding.why,
            "connection refused. Meanwhile nothing is refused for use (usage.maxStaleNodes, usage.minHistory).");
  EXPECT_THAT(finding.mend, HasSubstr("url"));
  series_.elsewhere = true;
  EXPECT_THAT(Find(Judge(), "cannot be asked").why, HasSubstr("connection refused. So it is from this machine"));
  series_.reachable = absl::UnauthenticatedError("HTTP 401");
  finding = Find(Judge(), "cannot be asked");
  EXPECT_THAT(finding.why, Not(HasSubstr("from this machine"))) << "it is the same from everywhere";
  EXPECT_EQ(finding.mend, "") << "the URL is right";
}

TEST_F(JudgeUsageTest, AnswersThatMayBePartialAreSaidToBe) {
  series_.warnings = {"a store is away"};
  const Finding finding = Find(Judge(), "answers may be partial");
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_THAT(finding.why, HasSubstr("a store is away"));
}

TEST_F(JudgeUsageTest, NodesThatAreNotMeasured) {
  cpu_.nodes = Names{"a"};
  EXPECT_TRUE(Has(Judge(), "use of 1 node of 2 not measured: b"));
  RefuseUnmeasured();
  const std::string what = "pods but no nodes are measured";
  cpu_.nodes = Names{"10.0.0.1", "10.0.0.2"};
  EXPECT_THAT(Find(Judge(), what).mend, HasSubstr("such as a, not 10.0.0.1"));
  cpu_.nodes = Names();
  EXPECT_THAT(Find(Judge(), what).mend,
              AllOf(HasSubstr("node_exporter"), HasSubstr("{id=\"/\"}"), HasSubstr("/metrics/resource")));
  EXPECT_EQ(Find(Judge(), what).severity, Severity::kWarning) << "nodes whose pods are measured are not absent";
  cpu_.sources = std::vector<WholeNodes>{{usage_sources::NodeSource::kNodeExporter, {"10.0.0.1"}}};
  EXPECT_THAT(Find(Judge(), what).mend,
              AllOf(HasSubstr("node_exporter measures 10.0.0.1"), HasSubstr("kube_node_info")));
  cpu_.own_nodes = true;
  EXPECT_THAT(Find(Judge(), what).mend, HasSubstr("try the nodeQuery of cpu"));
}

TEST_F(JudgeUsageTest, TheMetricsApiIsFreshOrNot) {
  const wire::ResourceMetrics a = {.name = "a", .timestamp = kNow}, b = {.name = "b", .timestamp = kNow};
  EXPECT_EQ(ExitCode(JudgeNodes({a, b})), 0);
  wire::ResourceMetrics old = b;
  old.timestamp = kNow - std::chrono::hours(1);
  EXPECT_THAT(Find(JudgeNodes({a, old}), "1 node without fresh figures: b").why,
              HasSubstr("older than usage.staleAfter"));
  const auto none = NotFound("the cluster has no metrics API");
  EXPECT_EQ(Find(JudgeMetrics({none, none}, *placement_, configuration_, kNow), "nothing measures real use").severity,
            Severity::kWarning);
  configuration_.usage.history_file.clear();
  EXPECT_TRUE(Has(JudgeNodes({a, b}), "usage.historyFile is not set"));
  configuration_.usage.resources.push_back({.name = "disk-io"});
  EXPECT_TRUE(Has(JudgeNodes({a, b}), "the metrics API does not know disk-io"));
}

}  // namespace
}  // namespace huygens::preflight
