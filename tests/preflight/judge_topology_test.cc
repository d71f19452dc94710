#include "preflight/judge_topology.h"

#include "tests/cluster/build.h"
#include "tests/kubelet/node.h"
#include "tests/preflight/findings.h"

namespace huygens::preflight {
namespace {

using namespace test;  // NOLINT: builders
using testing::HasSubstr;
using testing::IsEmpty;

class JudgeTopologyTest : public testing::Test {
 protected:
  void Use(const kubelet::Options& kubelet = kubelet::Defaults()) {
    placement::Options options;
    options.kubelet = kubelet;
    placement_ = std::move(*placement::Placement::Create(options));
  }
  void SetUp() override { Use(); }
  void AddNode(const std::string& name, std::vector<std::pair<std::string, std::string>> labels = {}) {
    cluster::Node node = MakeNode(name);
    node.labels = std::move(labels);
    placement_->Apply(cluster::NodeSet{std::move(node)});
  }
  void AddObject(const std::string& node, std::vector<std::pair<std::string, std::string>> more = {}) {
    cluster::NodeTopology object = kubelet::test::Object({{8, 16}, {8, 16}});
    object.node_name = node;
    std::ranges::move(more, std::back_inserter(object.attributes));
    placement_->Apply(cluster::TopologySet{std::move(object)});
  }
  Findings Judge() const { return JudgeTopology(*placement_, configuration_, kNow); }
  Findings Compare(const std::string& node, const StatusOr<KubeletConfiguration>& says) const {
    return JudgeKubelets(*placement_, {{node, says}});
  }

  std::unique_ptr<placement::Placement> placement_;
  settings::Configuration configuration_;
};

TEST_F(JudgeTopologyTest, ACountOfNodesByWhoPinsThem) {
  EXPECT_EQ(Find(Judge(), "there are no nodes").severity, Severity::kError);
  AddNode("a");
  placement_->Apply(cluster::TopologySet{MakeTopology("a", {8000, 8000})});
  AddNode("b");
  AddObject("b", {{"cpuManagerPolicy", "static"}, {"nodeTopologyPodsFingerprint", "pfp0v0010000000000000000"}});
  EXPECT_EQ(Find(Judge(), "2 nodes: 1 pinned by an agent (crane), 1 by kubelet").severity, Severity::kOk);
  EXPECT_EQ(ExitCode(Judge()), 0);
}

TEST_F(JudgeTopologyTest, NodesWithoutAnObjectAreNamed) {
  AddNode("a");
  const Finding none = Find(Judge(), "no node has a topology object");
  EXPECT_EQ(none.severity, Severity::kWarning);
  EXPECT_THAT(none.mend, HasSubstr("topologyUpdater.enable=true"));
  configuration_.topology.nodes_without_topology_pass = false;
  EXPECT_EQ(Find(Judge(), "no node has a topology object").severity, Severity::kError) << "nothing fits anywhere";
  AddNode("b");
  AddObject("b");
  EXPECT_EQ(Find(Judge(), "1 node of 2 without topology object: a").severity, Severity::kWarning);
}

TEST_F(JudgeTopologyTest, ObjectsThatCannotBeUsedOrBelongToNobodyAreNamed) {
  AddNode("a");
  cluster::NodeTopology object = kubelet::test::Object({});
  object.node_name = "a";
  object.defect = "65 zones; at most 64 are supported";
  placement_->Apply(cluster::TopologySet{object});
  EXPECT_THAT(Find(Judge(), "unusable topology objects of 1 node: a").why, HasSubstr("65 zones"));
  AddObject("gone");
  EXPECT_EQ(Find(Judge(), "without a node of that name: gone").severity, Severity::kOk);
}

TEST_F(JudgeTopologyTest, WhatNobodySaysOfAKubeletIsSaid) {
  AddNode("a");
  cluster::NodeTopology object = kubelet::test::Object({{8, 16}});
  object.node_name = "a";
  object.attributes.clear();
  placement_->Apply(cluster::TopologySet{object});
  EXPECT_EQ(Find(Judge(), "nobody says the Topology Manager's policy of 1 node (a): taken to be none").severity,
            Severity::kWarning);
  EXPECT_FALSE(Has(Judge(), "cores"));
  AddNode("a", {{"huygens.dev/cpu-manager-policy-options.full-pcpus-only", "true"},
                {"huygens.dev/cpu-manager-policy-options.full-pcpu", "true"},
                {"huygens.dev/topology-manager-policy", "restricted"}});
  EXPECT_FALSE(Has(Judge(), "nobody says")) << "a label does";
  EXPECT_THAT(Find(Judge(), "the cores of 1 node (a) are not published").what, HasSubstr("2 threads each"));
  EXPECT_THAT(Find(Judge(), "kubelet has no words for").why, HasSubstr("full-pcpu: kubelet has no such option"));
}

TEST_F(JudgeTopologyTest, AKubeletThatIsConfiguredOtherwiseIsNamedWithWhatMendsIt) {
  AddNode("a");
  AddObject("a");
  KubeletConfiguration says = {.topology_manager_policy = "single-numa-node",
                               .topology_manager_scope = "container",
                               .cpu_manager_policy = "static",
                               .memory_manager_policy = "Static",
                               .cpu_manager_policy_options = {{"strict-cpu-reservation", "true"}}};
  EXPECT_EQ(Find(Compare("a", says), "what is assumed of kubelet is what it says itself, on 1 node").severity,
            Severity::kOk);

  says.cpu_manager_policy_options.emplace_back("full-pcpus-only", "true");
  says.topology_manager_scope = "pod";
  const Findings findings = Compare("a", says);
  const Finding option =
      Find(findings, "cpuManagerPolicyOptions.full-pcpus-only true, and the configuration says false");
  EXPECT_EQ(option.severity, Severity::kWarning);
  EXPECT_THAT(option.mend, HasSubstr("topology: {kubelet: {cpuManagerPolicyOptions: {full-pcpus-only: \"true\"}}}"));
  EXPECT_THAT(
      option.mend,
      HasSubstr("kubectl label node --overwrite a huygens.dev/cpu-manager-policy-options.full-pcpus-only=true"));
  EXPECT_THAT(Find(findings, "topologyManagerScope pod, and the topology object says container").mend,
              HasSubstr("restart the exporter"));

  AddNode("a", {{"huygens.dev/cpu-manager-policy-options.full-pcpus-only", "true"}});
  EXPECT_FALSE(Has(Compare("a", says), "full-pcpus-only")) << "what it said to do mends it";
  Use([] {
    kubelet::Options options = kubelet::Defaults();
    options.full_cores_only = true;
    return options;
  }());
  AddNode("a");
  AddObject("a");
  EXPECT_FALSE(Has(Compare("a", says), "full-pcpus-only")) << "and so does the other";
}

TEST_F(JudgeTopologyTest, AKubeletThatMayNotBeAskedIsANote) {
  AddNode("a");
  AddObject("a");
  const Findings findings = Compare("a", Unavailable("GET ...: forbidden (HTTP 403)"));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, Severity::kOk);
  EXPECT_THAT(findings[0].what, HasSubstr("could not be read on 1 node: not compared"));
}

TEST_F(JudgeTopologyTest, TwoThatPinOnOneNodeAreNoticed) {
  AddNode("a");
  placement_->Apply(cluster::TopologySet{MakeTopology("a", {8000})});
  EXPECT_EQ(
      Find(Compare("a", KubeletConfiguration{.cpu_manager_policy = "static"}), "both an agent and kubelet").severity,
      Severity::kWarning);
  EXPECT_THAT(Compare("a", KubeletConfiguration{.cpu_manager_policy = "none"}), IsEmpty());
  AddNode("b");
  EXPECT_TRUE(Has(Compare("b", KubeletConfiguration{.cpu_manager_policy = "static"}), "kubelet pins CPUs on b"));
}

}  // namespace
}  // namespace huygens::preflight
