#include "topology/kubelet_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace huygens::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

cluster::NodeTopology Object(std::vector<std::pair<std::string, std::string>> attributes) {
  cluster::NodeTopology topology;
  topology.source = cluster::TopologySource::kCommunity;
  topology.attributes = std::move(attributes);
  return topology;
}

TEST(KubeletSettings, AreShownAsKubeletSpellsThem) {
  const auto topology = Object({{"cpuManagerOptionFullPcpusOnly", "true"},
                                {"cpuManagerOptionAlignBySocket", "true"},
                                {"cpuManagerPolicy", "static"},
                                {"memoryManagerPolicy", "None"},
                                {"topologyManagerPolicy", "single-numa-node"},
                                {"topologyManagerScope", "pod"}});
  EXPECT_THAT(SettingsOf(KubeletOptionsOf(topology, nullptr, {.static_memory = true})),
              ElementsAre(Pair("topologyManagerPolicy", "single-numa-node"), Pair("topologyManagerScope", "pod"),
                          Pair("cpuManagerPolicy", "static"), Pair("memoryManagerPolicy", "None"),
                          Pair("cpuManagerPolicyOptions", "full-pcpus-only,align-by-socket")));
}

TEST(KubeletSettings, AnUnknownPolicyCountsAsAbsentAndIsNamed) {
  const auto typo = Object({{"topologyManagerPolicy", "restrictd"}});
  EXPECT_EQ(KubeletOptionsOf(typo, nullptr, {}).policy, TopologyManagerPolicy::kNone);
  EXPECT_EQ(UnknownSetting(typo),
            "attribute topologyManagerPolicy: kubelet knows no restrictd, so it counts as absent; there are none, "
            "best-effort, restricted, single-numa-node");
  EXPECT_THAT(UnknownSetting(Object({{"memoryManagerPolicy", "static"}})), HasSubstr("there are None, Static"));
  EXPECT_EQ(UnknownSetting(Object({{"cpuManagerPolicy", "none"}, {"topologyManagerScope", "container"}})), "");
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

}  // namespace
}  // namespace huygens::topology
