#include "kubelet/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace huygens::kubelet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

cluster::NodeTopology Object(std::vector<std::pair<std::string, std::string>> attributes) {
  cluster::NodeTopology topology;
  topology.source = cluster::TopologySource::kCommunity;
  topology.attributes = std::move(attributes);
  return topology;
}

std::vector<std::string> Shown(const cluster::NodeTopology& topology, const cluster::Node* node,
                               const Options& defaults) {
  std::vector<std::string> shown;
  for (const Setting& each : SettingsOf(topology, node, defaults)) {
    shown.push_back(Concat(each.name, " ", each.value, " ", Text(each.source)));
  }
  return shown;
}

TEST(KubeletSettings, AreShownAsKubeletSpellsThem) {
  const auto topology = Object({{"cpuManagerOptionFullPcpusOnly", "true"},
                                {"cpuManagerOptionAlignBySocket", "true"},
                                {"cpuManagerPolicy", "static"},
                                {"memoryManagerPolicy", "None"},
                                {"topologyManagerPolicy", "single-numa-node"},
                                {"topologyManagerScope", "pod"}});
  EXPECT_THAT(Shown(topology, nullptr, Defaults()),
              ElementsAre("topologyManagerPolicy single-numa-node object", "topologyManagerScope pod object",
                          "cpuManagerPolicy static object", "cpuManagerPolicyOptions.full-pcpus-only true object",
                          "cpuManagerPolicyOptions.align-by-socket true object", "memoryManagerPolicy None object",
                          "threadsPerCore 2 configuration"));
}

TEST(KubeletSettings, AnUnknownPolicyCountsAsAbsentAndIsNamed) {
  const auto typo = Object({{"topologyManagerPolicy", "restrictd"}});
  EXPECT_EQ(OptionsOf(typo, nullptr, Defaults()).policy, TopologyManagerPolicy::kNone);
  EXPECT_EQ(UnknownSetting(typo),
            "attribute topologyManagerPolicy: kubelet knows no restrictd, so it counts as absent; there are none, "
            "best-effort, restricted, single-numa-node");
  EXPECT_THAT(UnknownSetting(Object({{"memoryManagerPolicy", "static"}})), HasSubstr("there are None, Static"));
  EXPECT_EQ(UnknownSetting(Object({{"cpuManagerPolicy", "none"}, {"topologyManagerScope", "container"}})), "");
}

// scheduler-plugins, pkg/noderesourcetopology/nodeconfig/topologymanager.go, updateFromAttributes.
TEST(KubeletSettings, OfAnAttributeGivenTwiceTheLastValidOneCounts) {
  const auto policy = [](const std::string& first, const std::string& second) {
    return OptionsOf(Object({{"topologyManagerPolicy", first}, {"topologyManagerPolicy", second}}), nullptr, Defaults())
        .policy;
  };
  EXPECT_EQ(policy("restricted", "bogus"), TopologyManagerPolicy::kRestricted);
  EXPECT_EQ(policy("bogus", "restricted"), TopologyManagerPolicy::kRestricted);
  EXPECT_EQ(policy("best-effort", "restricted"), TopologyManagerPolicy::kRestricted);
  EXPECT_EQ(policy("bogus", ""), TopologyManagerPolicy::kNone);
}

TEST(KubeletSettings, ALabelWithAWordThatKubeletDoesNotHaveIsNamed) {
  const auto fault = [](const std::string& key, const std::string& value) {
    return UnknownSetting(cluster::Node{.labels = {{key, value}}});
  };
  EXPECT_EQ(fault("huygens.dev/cpu-manager-policy", "Static"),
            "label huygens.dev/cpu-manager-policy: kubelet knows no Static, so it counts as absent; there are none, "
            "static");
  EXPECT_THAT(fault("huygens.dev/memory-manager-policy", "static"), HasSubstr("there are None, Static"));
  EXPECT_EQ(fault("huygens.dev/cpu-manager-policy", "static"), "");
  EXPECT_EQ(fault("huygens.dev/memory-manager-policy", "None"), "");
  EXPECT_EQ(fault("example.com/cpu-manager-policy", "Static"), "");
}

TEST(KubeletSettings, TheObjectGoesBeforeTheLabelAndTheLabelBeforeTheConfiguration) {
  Options configured = Defaults();
  configured.policy = TopologyManagerPolicy::kRestricted;
  configured.full_cores_only = true;
  configured.prefer_closest = true;
  configured.threads_per_core = 4;
  EXPECT_EQ(OptionsOf(Object({}), nullptr, configured), configured);

  const cluster::Node node{.labels = {{"feature.node.kubernetes.io/cpu-hardware_multithreading", "false"},
                                      {"huygens.dev/cpu-manager-policy-options.align-by-socket", "true"},
                                      {"huygens.dev/cpu-manager-policy-options.full-pcpus-only", "false"},
                                      {"huygens.dev/topology-manager-policy", "best-effort"},
                                      {"huygens.dev/topology-manager-policy-options.prefer-closest-numa-nodes", "no"},
                                      {"huygens.dev/topology-manager-scope", "pod"}}};
  EXPECT_THAT(
      Shown(Object({}), &node, configured),
      ElementsAre("topologyManagerPolicy best-effort label", "topologyManagerScope pod label",
                  "topologyManagerPolicyOptions.prefer-closest-numa-nodes true configuration",
                  "cpuManagerPolicy static configuration", "cpuManagerPolicyOptions.full-pcpus-only false label",
                  "cpuManagerPolicyOptions.align-by-socket true label", "memoryManagerPolicy Static configuration",
                  "threadsPerCore 1 label"));
  const Options labelled = OptionsOf(Object({}), &node, configured);
  EXPECT_EQ(labelled.policy, TopologyManagerPolicy::kBestEffort);
  EXPECT_EQ(labelled.scope, TopologyManagerScope::kPod);
  EXPECT_FALSE(labelled.full_cores_only);
  EXPECT_TRUE(labelled.align_by_socket);
  EXPECT_TRUE(labelled.prefer_closest) << "a word that is neither true nor false counts as absent";
  EXPECT_EQ(labelled.threads_per_core, 1);

  auto object = Object({{"cpuManagerOptionFullPCPUsOnly", "true"}, {"topologyPolicies", "RestrictedContainerLevel"}});
  object.zones.push_back({.id = 0, .cores = {{0, 2, 4}, {1, 3, 5}}});
  const Options said = OptionsOf(object, &node, Defaults());
  EXPECT_TRUE(said.full_cores_only);
  EXPECT_EQ(said.policy, TopologyManagerPolicy::kRestricted) << "deprecated, but of the object";
  EXPECT_EQ(said.scope, TopologyManagerScope::kContainer);
  EXPECT_EQ(said.threads_per_core, 3);
}

TEST(KubeletSettings, AnOptionThatKubeletDoesNotHaveIsNamed) {
  const auto label = [](const std::string& key, const std::string& value) {
    return UnknownSetting(cluster::Node{.labels = {{key, value}}});
  };
  EXPECT_EQ(label("huygens.dev/cpu-manager-policy-options.full-pcpu-only", "true"),
            "label huygens.dev/cpu-manager-policy-options.full-pcpu-only: kubelet has no such option, so it counts as "
            "absent; there are full-pcpus-only, distribute-cpus-across-numa, distribute-cpus-across-cores, "
            "align-by-socket, prefer-align-cpus-by-uncorecache, strict-cpu-reservation");
  EXPECT_THAT(label("huygens.dev/topology-manager-policy-options.closest", "true"),
              HasSubstr("there are prefer-closest-numa-nodes, max-allowable-numa-nodes"));
  EXPECT_THAT(label("huygens.dev/cpu-manager-policy-options.full-pcpus-only", "yes"),
              HasSubstr("kubelet knows no yes, so it counts as absent; there are false, true"));
  EXPECT_THAT(label("huygens.dev/topology-manager-policy", "single-numa"), HasSubstr("kubelet knows no single-numa"));
  EXPECT_EQ(label("huygens.dev/cpu-manager-policy-options.strict-cpu-reservation", "true"), "");
  EXPECT_EQ(label("huygens.dev/topology-manager-policy-options.max-allowable-numa-nodes", "16"), "");
  EXPECT_THAT(UnknownSetting(Object({{"cpuManagerOptionFullCoresOnly", "true"}})),
              HasSubstr("attribute cpuManagerOptionFullCoresOnly: kubelet has no such option"));
}

TEST(KubeletSettings, AllLabelsThatKubeletDoesNotUnderstandAreNamed) {
  const std::string fault = UnknownSetting(cluster::Node{.labels = {{"huygens.dev/cpu-manager-policy", "Static"},
                                                                    {"huygens.dev/memory-manager-policy", "None"},
                                                                    {"huygens.dev/topology-manager-policy", "single"},
                                                                    {"huygens.dev/topology-manager-scope", "pods"}}});
  EXPECT_THAT(fault, HasSubstr("kubelet knows no Static, "));
  EXPECT_THAT(fault, HasSubstr("; label huygens.dev/topology-manager-policy: kubelet knows no single, "));
  EXPECT_THAT(fault, HasSubstr("; label huygens.dev/topology-manager-scope: kubelet knows no pods, "));
}

}  // namespace
}  // namespace huygens::kubelet
