#include "kube/manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <sstream>

#include "tests/base/clock.h"
#include "tests/fake/objects.h"
#include "tests/fake/recording_sink.h"
#include "tests/fake/temporary_directory.h"
#include "tests/fake/waiters.h"

namespace huygens::kube {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kResult = R"([{"name":"node1","type":"Node","resources":{"capacity":{"cpu":"2"}}}])";

// Stands in for what the API server fills in.
void Default(cluster::Pod& pod) { pod.priority += 1; }

class ManifestsTest : public testing::Test {
 protected:
  std::unique_ptr<ManifestDirectory> Open(bool write_back = false) {
    auto manifests = std::make_unique<ManifestDirectory>(directory_.path(), write_back, names_, Default);
    notices_.clear();
    status_ = manifests->Load(notices_);
    return manifests;
  }
  std::string Fault() {
    Open();
    return std::string(Message(status_));
  }
  BindRequest Request(const std::string& pod, const std::string& node) {
    return {.pod_name = pod,
            .namespace_name = "default",
            .uid = "manifest/Pod/default/" + pod,
            .node = node,
            .annotations = {{"topology.crane.io/topology-result", std::string(kResult)}}};
  }

  fake::TemporaryDirectory directory_;
  ResourceNames names_;
  test::ManualClock clock_;
  std::vector<std::string> notices_;
  std::vector<cluster::WatchEvent> news_;
  Status status_;
};

TEST_F(ManifestsTest, EveryKindArrivesAsACompleteList) {
  directory_.Write(
      "b/nodes.yaml",
      "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 8, memory: 32Gi}}\n---\n---\n"
      "apiVersion: v1\nkind: Node\nmetadata: {name: n2}\n");
  directory_.Write("a.yml",
                   "apiVersion: topology.crane.io/v1alpha1\nkind: NodeResourceTopology\nmetadata: {name: n1}\n"
                   "craneManagerPolicy: {cpuManagerPolicy: Static}\nzones: [{name: node0, type: Node, resources: "
                   "{allocatable: {cpu: '4'}}}]\n");
  directory_.Write("c.json", std::string(fake::CommunityTopology("n2").Zone("node-0", "4")));
  directory_.Write("pods.json", Concat(R"({"apiVersion":"v1","kind":"List","items":[)",
                                       std::string(fake::Pod("default", "a").Cpu("2")), ",",
                                       std::string(fake::Pod("x", "b").Uid("u-b").On("n1")), "]}"));
  directory_.Write("more.yaml",
                   "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: c}\n  spec: {containers: []}\n");
  directory_.Write("quota.yaml",
                   "apiVersion: quota.huygens.dev/v1alpha1\nkind: BizGroupResourceQuota\nmetadata: {name: team}\n"
                   "spec: {hard: {limits.cpu: 4, limits.memory: 8Gi}}\n");
  directory_.Write(
      "devices.yaml",
      "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: gpus}\n"
      "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]}}\n---\n"
      "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaimTemplate\nmetadata: {name: gpus, namespace: x}\n"
      "spec: {spec: {devices: {requests: [{name: r, deviceClassName: gpu}]}}}\n---\n"
      "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n");
  auto manifests = Open();
  ASSERT_TRUE(status_.ok()) << status_;
  fake::RecordingSink sink;
  manifests->Deliver(sink);
  EXPECT_THAT(sink.Words(),
              ElementsAre("list", "+n1", "+n2", "end", "@1", "list", "+c", "+a", "+b", "end", "@1", "list", "+n1",
                          "end", "@1", "list", "+n2", "end", "@1", "list", "+team", "end", "@1", "list",
                          "+default/gpus", "+x/gpus/template", "end", "@1", "list", "+gpu", "end", "@1"));
  EXPECT_THAT(sink.States(), ElementsAre("synced", "synced", "synced", "synced", "synced", "synced", "synced"));
  EXPECT_EQ(sink.state.GetNode(*sink.state.FindNode("n1"))->allocatable.Get(kCpu), 8000);
  EXPECT_EQ(sink.state.Topology(*sink.state.FindNode("n1"))->zones.size(), 1u);
  EXPECT_EQ(manifests->FindPod("default", "c")->uid, "manifest/Pod/default/c");  // the namespace defaults, too
  EXPECT_EQ(manifests->FindPod("x", "b")->uid, "u-b");
  EXPECT_EQ(manifests->FindPod("x", "b")->priority, 1) << "as an API server would have stored it";
  EXPECT_EQ(manifests->FindPod("x", "nobody"), nullptr);
  EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(ManifestsTest, AClaimThatCannotBeReadStopsTheLoad) {
  directory_.Write("claim.yaml",
                   "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: gpus}\n"
                   "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: two}}]}}\n");
  EXPECT_THAT(Fault(), EndsWith("claim.yaml:1: ResourceClaim gpus: spec.devices.requests[0].exactly.count: expected a "
                                "whole number, found a string"));
}

TEST_F(ManifestsTest, OtherKindsAreReportedAndPassedOver) {
  directory_.Write("a.yaml", "# comment\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n");
  directory_.Write("kustomization.yaml", "resources: [a.yaml]\n");
  directory_.Write(".hidden/b.yaml", "not: [valid");
  directory_.Write("notes.txt", "not: [valid");
  Open();
  EXPECT_TRUE(status_.ok()) << status_;
  EXPECT_THAT(notices_, ElementsAre(testing::AllOf(HasSubstr("a.yaml:2: Deployment web"), EndsWith("is not used"))));
  notices_.clear();
  directory_.Write("a.yaml",
                   "apiVersion: huygens.dev/v1\nkind: UsageHistory\nmetadata: {name: week}\n---\n"
                   "apiVersion: topology.node.k8s.io/v1\nkind: NodeResourceTopology\nmetadata: {name: n}\n");
  Open();
  EXPECT_THAT(notices_, ElementsAre(EndsWith("UsageHistory week (huygens.dev/v1) is not used: this version reads "
                                             "huygens.dev/v1alpha1"),
                                    EndsWith("reads topology.crane.io/v1alpha1 and topology.node.k8s.io/v1alpha2")));
}

TEST_F(ManifestsTest, FaultsNameFileAndLine) {
  directory_.Write(
      "a.yaml",
      "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\n\napiVersion: v1\nkind: Node\nmetadata: {name: n2}\n"
      "status: {allocatable: {cpu: much}}\n");
  EXPECT_THAT(Fault(), testing::AllOf(HasSubstr("a.yaml:6: Node n2"), HasSubstr("cpu")));
  directory_.Write("a.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n1\n");
  EXPECT_THAT(Fault(), HasSubstr("a.yaml:4"));
  directory_.Write("a.yaml", "apiVersion: v1\nkind: Node\nmetadata:\n\tname: n1\n");
  EXPECT_THAT(Fault(), EndsWith("; indent with spaces, not tabs"));
  directory_.Write("a.yaml", "kind: Node\nkind: Pod\n");
  EXPECT_THAT(Fault(), HasSubstr("line 2: the key kind occurs twice"));
  directory_.Write("a.yaml", "- 1\n");
  EXPECT_THAT(Fault(), HasSubstr("a.yaml:1: not a Kubernetes object"));
  directory_.Write(
      "a.yaml",
      "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\n");
  EXPECT_THAT(Fault(), testing::AllOf(HasSubstr("a.yaml:5"), HasSubstr("is defined in"), HasSubstr("a.yaml:1")));
  directory_.Write("a.yaml", "apiVersion: v1\nkind: Node\n");
  EXPECT_THAT(Fault(), HasSubstr("without metadata.name"));
  directory_.Write("a.yaml", "");
  directory_.Write(
      "b.json",
      "{\n\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n{},\n{\"kind\":\"Node\",\"metadata\":{\"name\":5}}]}");
  EXPECT_THAT(Fault(), HasSubstr("b.json:3"));
  directory_.Write("b.json", "{nonsense");
  EXPECT_THAT(Fault(), HasSubstr("b.json"));
  directory_.Write(
      "b.json", R"({"apiVersion":"topology.crane.io/v1alpha1","kind":"NodeResourceTopology","metadata":{"name":"n"},)"
                R"("zones":[{"name":"left","type":"Node"}]})");
  EXPECT_THAT(Fault(), HasSubstr("NodeResourceTopology n"));
  std::filesystem::remove(directory_.path() + "/b.json");
  directory_.Write("a.yaml",
                   "# a group\napiVersion: quota.huygens.dev/v1alpha1\nkind: BizGroupResourceQuota\n"
                   "metadata: {name: team}\nspec: {hard: {limits.cpu: 4cores}}\n");
  EXPECT_THAT(Fault(), HasSubstr("a.yaml:2: BizGroupResourceQuota team: spec.hard.limits.cpu: expected an amount"));
}

TEST_F(ManifestsTest, AllFaultsAreToldAtOnce) {
  directory_.Write("a.yaml",
                   "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: much}}\n---\n"
                   "apiVersion: quota.huygens.dev/v1alpha1\nkind: BizGroupResourceQuota\n"
                   "metadata: {name: team}\nspec: {hrad: {}, hard: {limits.cpuu: -4}}\n---\n- 1\n");
  directory_.Write("b.yaml", "kind: [\n");
  directory_.Write("c.json", R"({"apiVersion":"v1","kind":"List","items":[{},{"kind":"Pod"}]})");
  directory_.Write("d.yaml",
                   "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: ok}\n- metadata: {}\n- spec: {}\n---\n"
                   "apiVersion: v1\nkind: Binding\nmetadata: {name: ok}\n");
  std::vector<std::string> lines;
  std::istringstream text(Fault());
  for (std::string line; std::getline(text, line);) lines.push_back(line.substr(directory_.path().size() + 1));
  EXPECT_THAT(lines, ElementsAre(HasSubstr("a.yaml:1: Node n1: "),
                                 HasSubstr("a.yaml:6: BizGroupResourceQuota team: spec.hrad: no such field"),
                                 HasSubstr("a.yaml:6: BizGroupResourceQuota team: spec.hard.limits.cpuu: unknown key"),
                                 HasSubstr("a.yaml:6: BizGroupResourceQuota team: spec.hard.limits.cpuu: expected an "),
                                 HasSubstr("a.yaml:11: not a Kubernetes object"), HasSubstr("b.yaml:"),
                                 HasSubstr("c.json:1: not a Kubernetes object"), HasSubstr("c.json:1: Pod without"),
                                 HasSubstr("d.yaml:5: Pod without"), HasSubstr("d.yaml:6: Pod without"),
                                 HasSubstr("d.yaml:8: Binding of pod default/ok without target.name")));
}

TEST_F(ManifestsTest, GroupsWhoseParentsLeadNowhereAreReported) {
  const auto group = [](std::string_view name, std::string_view parent) {
    return Concat("apiVersion: quota.huygens.dev/v1alpha1\nkind: BizGroupResourceQuota\nmetadata: {name: ", name,
                  "}\nspec: {parentBizGroup: \"", parent, "\"}\n---\n");
  };
  directory_.Write("a.yaml", Concat(group("root", ""), group("child", "root"), group("lost", "nobody"),
                                    group("below", "lost"), group("a", "b"), group("b", "a"), group("under", "a")));
  Open();
  ASSERT_TRUE(status_.ok()) << status_;
  EXPECT_THAT(notices_, ElementsAre(EndsWith("a.yaml:11: BizGroupResourceQuota lost: spec.parentBizGroup: there is no "
                                             "group nobody; the group takes no pods"),
                                    EndsWith("a.yaml:21: BizGroupResourceQuota a: spec.parentBizGroup: it leads back "
                                             "to the group itself; the group takes no pods"),
                                    HasSubstr("a.yaml:26: BizGroupResourceQuota b: ")));
}

TEST_F(ManifestsTest, AnAnnotationThatCannotBeReadIsReportedAndTheNodeStays) {
  directory_.Write(
      "a.yaml",
      "apiVersion: v1\nkind: Node\nmetadata: {name: n1, annotations: {huygens.dev/usage-ceilings: '0.7'}}\n"
      "status: {allocatable: {cpu: '8'}}\n");
  auto manifests = Open();
  ASSERT_TRUE(status_.ok()) << status_;
  EXPECT_THAT(notices_,
              ElementsAre(EndsWith("a.yaml:1: Node n1: annotation huygens.dev/usage-ceilings is ignored: 0.7: "
                                   "expected an object, found a number")));
  fake::RecordingSink sink;
  manifests->Deliver(sink);
  EXPECT_EQ(sink.state.GetNode(*sink.state.FindNode("n1"))->allocatable.Get(kCpu), 8000);
}

TEST_F(ManifestsTest, UsageHistoriesAreReadBesideTheCluster) {
  directory_.Write("a.yaml",
                   "apiVersion: huygens.dev/v1alpha1\nkind: UsageHistory\nmetadata: {name: week}\nspec:\n  series:\n"
                   "  - {workload: s/Pod/p, resource: cpu, weekly: [{from: '09:00', use: 500m}]}\n");
  const auto manifests = Open();
  ASSERT_TRUE(status_.ok()) << status_;
  EXPECT_THAT(notices_, IsEmpty());
  ASSERT_EQ(manifests->usage_histories().size(), 1u);
  EXPECT_EQ(manifests->usage_histories()[0].series.at(0).workload, "s/Pod/p");
  directory_.Write("a.yaml",
                   "apiVersion: huygens.dev/v1alpha1\nkind: UsageHistory\nmetadata: {name: week}\n"
                   "spec: {series: [{workload: s/Pod/p, resource: cpu}]}\n");
  EXPECT_THAT(Fault(), HasSubstr("a.yaml:1: UsageHistory week: spec.series[0]: must have one of weekly and values"));
}

TEST_F(ManifestsTest, UseOfANodeThatIsNotThereIsReportedOnce) {
  directory_.Write("a.yaml",
                   "apiVersion: huygens.dev/v1alpha1\nkind: UsageHistory\nmetadata: {name: week}\nspec:\n  series:\n"
                   "  - {node: n1, resource: cpu, weekly: [{from: '09:00', use: 500m}]}\n"
                   "  - {node: zz, resource: cpu, weekly: [{from: '09:00', use: 500m}]}\n"
                   "  - {node: zz, resource: memory, weekly: [{from: '09:00', use: 5Gi}]}\n---\n"
                   "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n");
  Open();
  ASSERT_TRUE(status_.ok()) << status_;
  EXPECT_THAT(notices_, ElementsAre("UsageHistory week: no Node is called zz"));
}

TEST_F(ManifestsTest, MissingDirectoryIsAFault) {
  ManifestDirectory manifests(directory_.path() + "/none", false, names_, Default);
  EXPECT_EQ(manifests.Load(notices_).code(), absl::StatusCode::kNotFound);
  ManifestDirectory relative("no/such/cluster", false, names_, Default);
  EXPECT_EQ(std::string(Message(relative.Load(notices_))),
            Concat("no/such/cluster: No such file or directory (relative to the working directory ",
                   std::filesystem::current_path().string(), ")"));
}

TEST_F(ManifestsTest, BindChangesTheCopyInMemory) {
  directory_.Write("a.json", std::string(fake::Pod("default", "a").Cpu("2")));
  auto manifests = Open();
  EXPECT_EQ(manifests->Bind(Request("a", "n1"), nullptr, news_).verdict, BindVerdict::kBound);
  ASSERT_EQ(news_.size(), 1u);
  const auto pod = std::get<cluster::PodSet>(news_[0]).pod;
  EXPECT_EQ(pod->node_name, "n1");
  ASSERT_EQ(pod->topology_result.size(), 1u);
  EXPECT_EQ(pod->topology_result[0].zone, 1);
  EXPECT_EQ(manifests->FindPod("default", "a"), pod);
  EXPECT_EQ(manifests->Settle(Request("a", "n1")).verdict, BindVerdict::kBound);
  EXPECT_FALSE(std::filesystem::exists(directory_.path() + "/bindings"));
}

TEST_F(ManifestsTest, BindHasTheVerdictsOfTheApiServer) {
  directory_.Write("a.json", std::string(fake::Pod("default", "a")));
  directory_.Write("b.json", std::string(fake::Pod("default", "b").On("n2").Annotation("x", "y")));
  auto manifests = Open();
  BindRequest request = Request("a", "n1");
  request.uid = "another";
  EXPECT_EQ(manifests->Bind(request, nullptr, news_).verdict, BindVerdict::kReplaced);
  EXPECT_EQ(manifests->Bind(Request("c", "n1"), nullptr, news_).verdict, BindVerdict::kGone);
  EXPECT_EQ(manifests->Bind(Request("b", "n1"), nullptr, news_).verdict, BindVerdict::kBoundElsewhere);
  EXPECT_EQ(manifests->Bind(Request("b", "n2"), nullptr, news_).verdict, BindVerdict::kBoundOtherwise);
  request = Request("b", "n2");
  request.annotations = {{"x", "y"}};
  EXPECT_EQ(manifests->Bind(request, nullptr, news_).verdict, BindVerdict::kBound);
  EXPECT_EQ(manifests->Settle(Request("a", "n1")).verdict, BindVerdict::kUnbound);
  EXPECT_THAT(news_, IsEmpty());
}

TEST_F(ManifestsTest, PodThatOnlyFilterSawCanBeBound) {
  auto manifests = Open();
  cluster::Pod pod;
  pod.name = "a";
  pod.namespace_name = "default";
  pod.uid = "manifest/Pod/default/a";
  EXPECT_EQ(manifests->Bind(Request("a", "n1"), std::make_shared<const cluster::Pod>(pod), news_).verdict,
            BindVerdict::kBound);
  EXPECT_EQ(manifests->Bind(Request("a", "n1"), nullptr, news_).verdict, BindVerdict::kBound);  // again
  EXPECT_EQ(manifests->FindPod("default", "a")->node_name, "n1");
}

TEST_F(ManifestsTest, WrittenBindsAreThereAfterARestart) {
  const std::string source = directory_.Write("a.json", std::string(fake::Pod("default", "a").Cpu("2")));
  const auto size = std::filesystem::file_size(source);
  ASSERT_EQ(Open(true)->Bind(Request("a", "n1"), nullptr, news_).verdict, BindVerdict::kBound);
  auto again = Open(true);
  ASSERT_TRUE(status_.ok()) << status_;
  EXPECT_EQ(again->FindPod("default", "a")->node_name, "n1");
  EXPECT_EQ(again->FindPod("default", "a")->topology_result.size(), 1u);
  EXPECT_EQ(again->Settle(Request("a", "n1")).verdict, BindVerdict::kBound);
  EXPECT_THAT(notices_, IsEmpty());
  EXPECT_EQ(std::filesystem::file_size(source), size);  // the user's file is not touched
}

TEST_F(ManifestsTest, BindingsOfPodsThatAreGoneOrReplacedArePassedOver) {
  directory_.Write("a.json", std::string(fake::Pod("default", "a")));
  directory_.Write("b.json", std::string(fake::Pod("default", "b")));
  {
    auto manifests = Open(true);
    manifests->Bind(Request("a", "n1"), nullptr, news_);
    manifests->Bind(Request("b", "n1"), nullptr, news_);
  }
  std::filesystem::remove(directory_.path() + "/a.json");
  directory_.Write("b.json", std::string(fake::Pod("default", "b").Uid("new")));
  auto manifests = Open(true);
  EXPECT_TRUE(status_.ok()) << status_;
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("no such pod"), HasSubstr("another UID")));
  EXPECT_EQ(manifests->FindPod("default", "b")->node_name, "");
}

TEST_F(ManifestsTest, BindThatCannotBeWrittenChangesNothing) {
  directory_.Write("a.json", std::string(fake::Pod("default", "a")));
  auto manifests = Open(true);
  // The file system takes no more than 16 bytes of any file: as a disk that becomes full in the middle.
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit full = old;
  full.rlim_cur = 16;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  const BindOutcome outcome = manifests->Bind(Request("a", "n1"), nullptr, news_);
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);

  EXPECT_EQ(outcome.verdict, BindVerdict::kRefused);
  EXPECT_THAT(outcome.message, testing::AllOf(HasSubstr("cannot be written"), HasSubstr("default.a.json")));
  EXPECT_THAT(news_, IsEmpty());
  EXPECT_EQ(manifests->Settle(Request("a", "n1")).verdict, BindVerdict::kUnbound);
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path() + "/bindings"));  // no draft is left behind
  EXPECT_EQ(manifests->Bind(Request("a", "n1"), nullptr, news_).verdict, BindVerdict::kBound);
}

TEST_F(ManifestsTest, SampleQuotasOfTheProjectLoad) {
  ManifestDirectory manifests(HUYGENS_SOURCE_DIR "/config/samples/quota", false, names_, Default);
  const Status status = manifests.Load(notices_);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(ManifestsTest, SampleClusterOfTheProjectLoads) {
  const std::string samples = HUYGENS_SOURCE_DIR "/config/samples/cluster";
  if (!std::filesystem::exists(samples)) GTEST_SKIP() << samples << " is absent";
  ManifestDirectory manifests(samples, false, names_, Default);
  const Status status = manifests.Load(notices_);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(notices_, IsEmpty());
  EXPECT_FALSE(manifests.usage_histories().empty());
}

}  // namespace
}  // namespace huygens::kube
