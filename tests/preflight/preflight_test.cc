// All of preflight against an API server in this process.
#include "preflight/preflight.h"

#include <thread>

#include "preflight/report.h"
#include "tests/fake/api_server.h"
#include "tests/fake/kubeconfig.h"
#include "tests/fake/temporary_directory.h"
#include "tests/preflight/findings.h"

namespace huygens::preflight {
namespace {

using fake::Fault;
using testing::HasSubstr;
using testing::Not;

constexpr char kReviews[] = "selfsubjectaccessreviews";

class PreflightTest : public testing::Test {
 protected:
  PreflightTest() {
    configuration_.cluster.kubernetes.emplace();
    configuration_.filter.checks = {"topology", "usage", "quota"};
    options_.kubeconfig = files_.Write("kubeconfig", fake::Kubeconfig(server_.Options().base_url, "SECRET"));
    options_.call = std::chrono::milliseconds(300);
    options_.read = {.list = std::chrono::seconds(1), .broken = std::chrono::milliseconds(100)};
  }
  void Answer(const std::string& path, int code, const std::string& body = "") {
    server_.Inject({.what = Fault::What::kReply, .path = path, .times = -1, .code = code, .body = body});
  }
  void PutPod(const std::string& name, const std::string& annotation = "") {
    server_.Put(Concat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":")", name,
                       R"(","uid":"uid-)", name, R"(","annotations":{"changed":")", annotation,
                       R"("},"labels":{"biz.group.resource.quota":"team-a"}},"spec":{"containers":[{"name":"c"}]}})"));
  }
  void AllowAll() { Answer(kReviews, 201, R"({"kind":"SelfSubjectAccessReview","status":{"allowed":true}})"); }
  Findings Run() {
    std::vector<std::string> progress;
    Findings findings = preflight::Run(configuration_, options_, SystemClock(),
                                       [&](std::string_view what) { progress.emplace_back(what); });
    EXPECT_FALSE(progress.empty());
    EXPECT_THAT(ReportText(findings), Not(HasSubstr("SECRET")));
    return findings;
  }
  void PutCluster() {
    server_.Put(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"8"}}})");
    server_.Put(R"({"apiVersion":"topology.node.k8s.io/v1alpha2","kind":"NodeResourceTopology","metadata":{"name":"a"},
      "attributes":[{"name":"topologyManagerPolicy","value":"single-numa-node"},{"name":"topologyManagerScope","value":"container"}],
      "zones":[{"name":"node-0","type":"Node","resources":[{"name":"cpu","capacity":"8","allocatable":"8","available":"8"}]}]})");
    Answer("/apis/metrics.k8s.io/v1beta1/pods", 200, R"({"metadata":{},"items":[]})");
    Answer("/apis/metrics.k8s.io/v1beta1/nodes", 200,
           Concat(R"({"metadata":{},"items":[{"metadata":{"name":"a"},"timestamp":")",
                  FormatRfc3339(SystemClock().Now()), R"(","usage":{"cpu":"1","memory":"1Gi"}}]})"));
    Answer("/api/v1/nodes/a/proxy/configz", 200,
           R"({"kubeletconfig":{"topologyManagerPolicy":"single-numa-node","topologyManagerScope":"container",
             "cpuManagerPolicy":"static","cpuManagerPolicyOptions":{"full-pcpus-only":"true"},"memoryManagerPolicy":"Static"}})");
  }

  fake::ApiServer server_;
  fake::TemporaryDirectory files_;
  settings::Configuration configuration_;
  Options options_;
};

TEST_F(PreflightTest, OfABareClusterItNamesAllThatIsMissing) {
  for (const char* kind : {fake::kCrane, fake::kCommunity, fake::kBizGroupQuotas}) server_.Install(kind, false);
  server_.Put(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}})");
  Answer(kReviews, 201, R"({"status":{"allowed":false}})");
  Answer("/apis/metrics.k8s.io", 404);
  Answer("/proxy/configz", 403);
  const Findings findings = Run();
  EXPECT_EQ(ExitCode(findings), 2);
  EXPECT_TRUE(Has(findings, "neither kind of NodeResourceTopology is installed"));
  EXPECT_THAT(Find(findings, "there is no kind bizgroupresourcequotas").mend, HasSubstr("kubectl apply -k config/crd"));
  EXPECT_EQ(Find(findings, "may not create pods/binding").severity, Severity::kError);
  EXPECT_TRUE(Has(findings, "nothing measures real use: there is no metrics API"));
  EXPECT_EQ(Find(findings, "kubelet's own configuration could not be read").severity, Severity::kOk);
}

TEST_F(PreflightTest, OfAClusterThatHasItAllItComparesTheKubelets) {
  PutCluster();
  AllowAll();
  configuration_.usage.history_file = "/var/lib/huygens/history";
  const Findings findings = Run();
  EXPECT_EQ(ExitCode(findings), 1) << ReportText(findings);
  EXPECT_TRUE(Has(findings, "full-pcpus-only true, and the configuration says false"));
  configuration_.topology.kubelet.cpu_manager_policy_options.full_pcpus_only = true;
  configuration_.topology.kubelet.threads_per_core = 2;
  const Findings mended = Run();
  EXPECT_FALSE(Has(mended, "full-pcpus-only true")) << ReportText(mended);
  EXPECT_TRUE(Has(mended, "the cores of 1 node (a) are not published"));
}

TEST_F(PreflightTest, AGroupThatAPodNamesAndThatDoesNotExistIsAnError) {
  PutCluster();
  AllowAll();
  server_.Put(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"shop",
    "labels":{"biz.group.resource.quota":"team-a"}},"spec":{"containers":[{"name":"c"}]}})");
  const Finding finding = Find(Run(), "1 pod of group team-a");
  EXPECT_EQ(finding.severity, Severity::kError);
  EXPECT_THAT(finding.why, HasSubstr("shop/p"));
  configuration_.filter.checks.back().mode = policy::CheckMode::kReport;
  EXPECT_EQ(Find(Run(), "1 pod of group team-a").severity, Severity::kWarning) << "nothing is refused";
  EXPECT_TRUE(Has(Run(), "enforced: topology, usage; only reporting: quota"));
  server_.Put(R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"BizGroupResourceQuota","metadata":{"name":"team-a"},
    "spec":{"hard":{"pods":"5"}}})");
  EXPECT_TRUE(Has(Run(), "1 pod of 1 business group, all of which exist"));
}

TEST_F(PreflightTest, APodIsOfTheGroupThatItWasBoundWith) {
  PutCluster();
  AllowAll();
  server_.Put(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"shop","uid":"u",
    "annotations":{"huygens.dev/placement":"{\"uid\":\"u\",\"node\":\"n\",\"group\":\"team-a\"}"}},
    "spec":{"nodeName":"n","containers":[{"name":"c"}]}})");
  EXPECT_TRUE(Has(Run(), "1 pod of group team-a")) << "its label was removed since";
}

TEST_F(PreflightTest, WhatMayNotBeListedIsAnErrorAndTheRestIsSaid) {
  Answer("/api/v1/nodes?", 403);
  AllowAll();
  const Findings findings = Run();
  EXPECT_EQ(Find(findings, "cannot list nodes").mend, "kubectl apply -k config/rbac");
  EXPECT_TRUE(Has(findings, "may do all that this configuration needs"));
  EXPECT_FALSE(Has(findings, "there are no nodes")) << "nobody knows";
}

TEST_F(PreflightTest, NodesAreNotJudgedByTopologyObjectsThatNobodyCouldList) {
  PutCluster();
  AllowAll();
  Answer(fake::kCommunity, 403);
  const Findings findings = Run();
  EXPECT_EQ(Find(findings, "cannot list noderesourcetopologies.topology.node.k8s.io").severity, Severity::kError);
  EXPECT_FALSE(Has(findings, "topology object")) << ReportText(findings);
  EXPECT_EQ(server_.Seen("GET", "/proxy/configz"), 0) << "there is nothing to compare kubelets with";
  server_.ClearFaults();
  for (const char* kind : {fake::kCrane, fake::kCommunity}) server_.Install(kind, false);
  EXPECT_TRUE(Has(Run(), "no node has a topology object")) << "that is known where there is no such kind";
}

TEST_F(PreflightTest, GroupsAreNotJudgedWhereTheyOrPodsCouldNotBeListed) {
  PutCluster();
  AllowAll();
  PutPod("p");
  server_.Inject({.what = Fault::What::kHang, .path = fake::kBizGroupQuotas, .times = -1});
  const Findings hanging = Run();
  EXPECT_EQ(Find(hanging, "cannot list bizgroupresourcequotas").severity, Severity::kError);
  EXPECT_FALSE(Has(hanging, "team-a")) << ReportText(hanging);
  server_.ClearFaults();
  Answer(fake::kPods, 403);
  const Findings refused = Run();
  EXPECT_EQ(Find(refused, "cannot list pods").severity, Severity::kError);
  EXPECT_FALSE(Has(refused, "business group")) << ReportText(refused);
}

TEST_F(PreflightTest, PodsThatChangeOrGoMeanwhileAreCountedAsTheyAreInTheEnd) {
  PutCluster();
  AllowAll();
  PutPod("changed");
  PutPod("deleted");
  options_.read.list = std::chrono::seconds(60);
  const auto gate = std::make_shared<fake::Gate>();
  server_.Inject({.what = Fault::What::kHold, .path = fake::kBizGroupQuotas, .gate = gate});
  std::jthread meanwhile([&] {
    EXPECT_TRUE(server_.AwaitWatch(fake::kPods));
    PutPod("changed", "once");
    server_.Delete(fake::kPods, "shop", "deleted");
    server_.EndWatches(fake::kPods);
    EXPECT_TRUE(server_.AwaitWatch(fake::kPods, 2)) << "what the first brought has been delivered then";
    gate->Open();
  });
  const Findings findings = Run();
  EXPECT_TRUE(Has(findings, "read 1 node and 1 unfinished pod")) << ReportText(findings);
  EXPECT_TRUE(Has(findings, "1 pod of group team-a")) << ReportText(findings);
}

TEST_F(PreflightTest, AnApiServerThatHangsOrIsAwayIsAnErrorInTime) {
  server_.Inject({.what = Fault::What::kHang, .times = -1});
  const Findings hanging = Run();
  EXPECT_THAT(Find(hanging, "does not answer").why, HasSubstr("No answer came in time"));
  options_.kubeconfig = files_.Write("away", fake::Kubeconfig("http://127.0.0.1:1", "SECRET"));
  const Findings away = Run();
  EXPECT_EQ(ExitCode(away), 2);
  EXPECT_EQ(std::ranges::count(away, Severity::kError, &Finding::severity), 1) << ReportText(away);
  EXPECT_THAT(Find(away, "the API server at http://127.0.0.1:1 does not answer").mend,
              HasSubstr("curl -k http://127.0.0.1:1/readyz\nkubectl --kubeconfig "));
  options_.kubeconfig = files_.Write("bad", "kind: Nonsense");
  const Findings bad = Run();
  EXPECT_EQ(Find(bad, "there are no credentials for the API server").severity, Severity::kError);
  EXPECT_THAT(Find(bad, "there are no credentials").mend, HasSubstr(Concat("--kubeconfig ", options_.kubeconfig)));
}

TEST_F(PreflightTest, ManifestsAreCheckedAsFarAsTheyGo) {
  configuration_.cluster.kubernetes.reset();
  configuration_.cluster.manifests = {.directory = HUYGENS_SOURCE_DIR "/config/samples/cluster"};
  options_.kubeconfig.clear();
  const Findings findings = Run();
  EXPECT_EQ(Find(findings, "pinned by an agent").severity, Severity::kOk);
  EXPECT_FALSE(Has(findings, "may not"));
  configuration_.cluster.manifests->directory = files_.path() + "/none";
  EXPECT_EQ(Find(Run(), "the cluster cannot be read").severity, Severity::kError);
}

TEST_F(PreflightTest, PrometheusThatIsAwayIsSaidWithItsAddress) {
  PutCluster();
  AllowAll();
  configuration_.usage.prometheus = settings::PrometheusConfiguration{.url = "http://127.0.0.1:1"};
  const Finding finding = Find(Run(), "Prometheus at http://127.0.0.1:1 cannot be asked");
  EXPECT_EQ(finding.severity, Severity::kWarning);
  for (settings::UsageResource& each : configuration_.usage.resources) each.when_absent = usage::WhenUnknown::kReject;
  EXPECT_EQ(Find(Run(), "cannot be asked").severity, Severity::kWarning) << "the check steps aside";
  configuration_.usage.max_stale_nodes = usage::kMillion;
  configuration_.usage.min_history = Duration::zero();
  EXPECT_EQ(Find(Run(), "cannot be asked").severity, Severity::kError) << "the check would refuse every node";
}

TEST_F(PreflightTest, KubeSchedulersFileIsRead) {
  options_.scheduler_config = HUYGENS_SOURCE_DIR "/config/scheduler/kube-scheduler.yaml";
  AllowAll();
  EXPECT_TRUE(Has(Run(), "urlPrefix begins with https://, and huygens serves plain HTTP"));
  EXPECT_TRUE(Has(Run(), "nobody has led yet: there is no Lease kube-system/huygens-scheduler"));
  server_.Put(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"namespace":"kube-system",
    "name":"huygens-scheduler"},"spec":{"holderIdentity":"pod-a_1","leaseDurationSeconds":15,"renewTime":"2026-11-21T12:00:00.000000Z"}})");
  EXPECT_TRUE(Has(Run(), "nobody leads: pod-a holds the Lease kube-system/huygens-scheduler"));
  options_.scheduler_config = files_.Write(
      "k.yaml",
      "kind: KubeSchedulerConfiguration\nleaderElection: {leaderElect: false, resourceName: huygens-scheduler}\n");
  EXPECT_FALSE(Has(Run(), "nobody")) << "one instance, which leads without a Lease";
  options_.scheduler_config =
      files_.Write("k.yaml", "kind: KubeSchedulerConfiguration\nleaderElection: {leaderElect: true}\n");
  EXPECT_TRUE(Has(Run(), "there is no Lease kube-system/kube-scheduler")) << "its own name for it";
  options_.scheduler_config = files_.Write("k.yaml", "kind: Nonsense\napiVersion: v1\nmetadata: {name: a}\n");
  EXPECT_THAT(Find(Run(), "kube-scheduler's configuration cannot be read").why,
              HasSubstr("no KubeSchedulerConfiguration"));
}

}  // namespace
}  // namespace huygens::preflight
