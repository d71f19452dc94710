#include "wire/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/wire/samples.h"
#include "wire/node.h"

namespace huygens::wire {
namespace {

using cluster::NodeTopology;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr int64_t kGi = int64_t{1} << 30;

class TopologyTest : public testing::Test {
 protected:
  NodeTopology Crane(std::string_view json) {
    auto topology = DecodeCraneTopology(json, names_);
    EXPECT_TRUE(topology.ok()) << topology.status();
    return topology.ok() ? *topology : NodeTopology();
  }
  NodeTopology CraneZones(std::string_view zones) {
    return Crane(Concat(R"({"metadata":{"name":"n"},"zones":)", zones, "}"));
  }
  NodeTopology Community(std::string_view json) {
    auto topology = DecodeCommunityTopology(json, names_);
    EXPECT_TRUE(topology.ok()) << topology.status();
    return topology.ok() ? *topology : NodeTopology();
  }
  ResourceNames names_;
};

TEST_F(TopologyTest, ReadsCranesObject) {
  NodeTopology topology = Crane(samples::kCraneTopology);
  EXPECT_EQ(topology.source, cluster::TopologySource::kCrane);
  EXPECT_EQ(topology.node_name, "worker-0");
  EXPECT_EQ(topology.owner_uid, "uid-worker-0");
  EXPECT_EQ(topology.defect, "");
  EXPECT_TRUE(topology.pinned_by_agent);
  EXPECT_TRUE(topology.single_numa);
  ASSERT_EQ(topology.zones.size(), 2u);
  const cluster::Zone& first = topology.zones[0];
  EXPECT_EQ(first.id, 2);
  EXPECT_EQ(first.name, "node2");
  EXPECT_EQ(first.parent, "socket0");
  EXPECT_EQ(first.capacity, ResourceVector({{kCpu, 16000}, {kMemory, 64 * kGi}}));
  EXPECT_EQ(first.allocatable, ResourceVector({{kCpu, 14000}, {kMemory, 60 * kGi}}));
  EXPECT_THAT(first.costs, ElementsAre(Pair(2, 10), Pair(10, 21)));
  EXPECT_EQ(first.offline_cpu, 5500);
  ASSERT_TRUE(first.offline_updated.has_value());
  EXPECT_EQ(FormatRfc3339(*first.offline_updated), "2026-11-21T11:36:17Z");
  EXPECT_EQ(topology.zones[1].id, 10);
  EXPECT_FALSE(topology.zones[1].offline_cpu.has_value());
}

TEST_F(TopologyTest, ReadsTheCommunitysObject) {
  NodeTopology topology = Community(samples::kCommunityTopology);
  EXPECT_EQ(topology.source, cluster::TopologySource::kCommunity);
  EXPECT_EQ(topology.node_name, "worker-1");
  EXPECT_FALSE(topology.pinned_by_agent);
  EXPECT_THAT(topology.attributes,
              ElementsAre(Pair("topologyManagerPolicy", "restricted"), Pair("topologyManagerScope", "pod"),
                          Pair("topologyPolicies", "SingleNUMANodePodLevel")));
  ASSERT_EQ(topology.zones.size(), 2u);
  EXPECT_EQ(topology.zones[0].id, 0);
  EXPECT_EQ(topology.zones[0].capacity, ResourceVector({{kCpu, 4000}}));
  EXPECT_EQ(topology.zones[0].allocatable, ResourceVector({{kCpu, 3500}}));
  EXPECT_EQ(topology.zones[0].available, ResourceVector({{kCpu, 1500}}));
  ResourceId nic = names_.Find("example.com/nic").value();
  EXPECT_EQ(topology.zones[1].available, ResourceVector({{kCpu, 2000}, {nic, 0}}));
  EXPECT_EQ(topology.zones[1].offline_cpu, 3000);
}

TEST_F(TopologyTest, PoliciesOfCrane) {
  auto decode = [&](std::string_view policy) {
    return Crane(Concat(R"({"metadata":{"name":"n"},"craneManagerPolicy":)", policy, "}"));
  };
  EXPECT_FALSE(decode(R"({"cpuManagerPolicy":"None"})").pinned_by_agent);
  EXPECT_FALSE(decode(R"({"cpuManagerPolicy":"static"})").pinned_by_agent);
  EXPECT_FALSE(decode(R"({"cpuManagerPolicy":"Static","topologyManagerPolicy":"None"})").single_numa);
  EXPECT_TRUE(decode(R"({"cpuManagerPolicy":"Static"})").single_numa);  // the default of the CRD
  EXPECT_FALSE(decode("null").pinned_by_agent);
}

TEST_F(TopologyTest, OnlyZonesOfTypeNodeCount) {
  EXPECT_THAT(CraneZones(R"([{"name":"core","type":"Core"},{"name":"a0","type":"node"},{"name":"node0"}])").zones,
              IsEmpty());
  EXPECT_EQ(CraneZones(R"([{"name":"core","type":"Core"}])").defect, "");
}

TEST_F(TopologyTest, ADefectKeepsTheObjectAndSaysWhy) {
  auto defect = [&](std::string_view zones) {
    NodeTopology topology = CraneZones(zones);
    EXPECT_EQ(topology.node_name, "n");
    EXPECT_THAT(topology.zones, IsEmpty());
    return topology.defect;
  };
  EXPECT_EQ(defect(R"([{"name":"node0","type":"Node"},{"name":"left","type":"Node"}])"),
            "zone \"left\" has no number in its name");
  EXPECT_EQ(defect(R"([{"name":"node1","type":"Node"},{"name":"node-1","type":"Node"}])"),
            "zones node1 and node-1 have the same number");
  std::string many = "[";
  for (int i = 0; i < 65; ++i)
    many += Concat(i == 0 ? "" : ",", R"({"name":"node)", std::to_string(i), R"(","type":"Node"})");
  EXPECT_EQ(defect(many + "]"), "65 zones; at most 64 are supported");
  EXPECT_THAT(defect(R"([{"name":"node0","type":"Node","attributes":{"offline_capacity":"lots"}}])"),
              testing::StartsWith("zone node0: offline_capacity \"lots\": "));
  EXPECT_THAT(defect(R"([{"name":"node0","type":"Node","attributes":{"offline_capacity_updated":"yesterday"}}])"),
              testing::StartsWith("zone node0: offline_capacity_updated \"yesterday\": "));
  EXPECT_EQ(defect(R"([{"name":"node0","type":"Node","costs":[{"name":"node0","value":"near"}]}])"),
            "zones[0].costs[0].value: expected a whole number, found a string");
  EXPECT_THAT(defect(R"([{"name":"node0","type":"Node","resources":{"allocatable":{"cpu":"x"}}}])"),
              HasSubstr("zones[0].resources.allocatable.cpu"));
  EXPECT_EQ(defect("7"), "zones: expected an array, found a number");
  EXPECT_EQ(defect(R"([{"name":"node0","type":"Node","attributes":{"memoryGroup":"node0,node1"}}])"),
            "zone node0: memoryGroup names zone 1, which is none");
}

TEST_F(TopologyTest, MoreCpusThanKubeletCanNumberAreADefect) {
  auto defect = [&](int cpus) {
    return Community(Concat(R"({"metadata":{"name":"n"},"zones":[{"name":"node-0","type":"Node","resources":)",
                            R"([{"name":"cpu","capacity":"65535"}]},{"name":"node-1","type":"Node","resources":)",
                            R"([{"name":"cpu","available":")", std::to_string(cpus), R"("}]}]})"))
        .defect;
  };
  EXPECT_EQ(defect(1), "");
  EXPECT_EQ(defect(2), "65537 CPUs; at most 65536 are supported");
}

TEST_F(TopologyTest, OfTheCommunitysZonesThoseWithOtherNamesAreSkipped) {
  auto names = [&](const std::vector<std::string>& names) {
    std::string zones;
    for (const std::string& name : names) {
      zones += Concat(zones.empty() ? "" : ",", R"({"name":")", name,
                      R"(","type":"Node","resources":[{"name":"cpu","capacity":"1"}],"attributes":[)",
                      R"({"name":"offline_capacity","value":"1"}],"costs":[{"name":"numa-2","value":1},)",
                      R"({"name":"node-+2","value":2}]})");
    }
    return Community(Concat(R"({"metadata":{"name":"n"},"zones":[)", zones, "]}"));
  };
  const NodeTopology mixed = names({"node-5", "numa-1", "Node-1", "node-01", "node-", "node--1", "node+1", "node-++1",
                                    "+1", "node-+2", "node-x", "node3", "4", "", "node-65536", "a-node-1"});
  EXPECT_EQ(mixed.defect, "");
  std::vector<std::string> taken;
  for (const cluster::Zone& zone : mixed.zones) {
    taken.push_back(zone.name);
    EXPECT_THAT(zone.costs, ElementsAre(Pair(2, 2)));
  }
  EXPECT_THAT(taken, ElementsAre("node-01", "node-+2", "node-5"));
  EXPECT_EQ(names({"node3", "4", "numa-1"}).zones.size(), 2u) << "there is no other spelling";

  EXPECT_EQ(names({"numa-1", "numa-2"}).defect, "zone \"numa-1\" is not called node-N, nor is any other");
  EXPECT_EQ(names({"node-1", "numa-2", "node-01"}).defect, "zones node-1 and node-01 have the same number");
}

TEST_F(TopologyTest, AmountsThatNoMachineHasAreADefectWhoeverWroteThem) {
  const auto crane = [&](std::string_view resources) {
    return Crane(Concat(R"({"metadata":{"name":"n"},"craneManagerPolicy":{"cpuManagerPolicy":"Static"},"zones":)"
                        R"([{"name":"node0","type":"Node","resources":)",
                        resources, "}]}"))
        .defect;
  };
  EXPECT_EQ(crane(R"({"allocatable":{"cpu":"4","memory":"1Gi"}})"), "");
  EXPECT_EQ(crane(R"({"allocatable":{"cpu":"-1"}})"), "zone node0: allocatable of cpu is negative");
  EXPECT_EQ(crane(R"({"capacity":{"memory":"2Pi"}})"), "zone node0: capacity of memory is more than any machine has");
  EXPECT_EQ(crane(R"({"allocatable":{"cpu":"65537"}})"), "65537 CPUs; at most 65536 are supported");
  EXPECT_EQ(crane("{}"), "no zone says how much it has of anything");
  EXPECT_EQ(Crane(R"({"metadata":{"name":"n"},"craneManagerPolicy":{"cpuManagerPolicy":"Static"}})").defect,
            "there is no zone of type Node in it");
  const auto community = [&](std::string_view resources) {
    return Community(Concat(R"({"metadata":{"name":"n"},"zones":[{"name":"node-0","type":"Node","resources":[)",
                            resources, "]}]}"))
        .defect;
  };
  EXPECT_EQ(community(R"({"name":"a/b","capacity":"4","available":"0"})"), "");
  EXPECT_EQ(community(R"({"name":"a/b","capacity":"4","available":"-2"})"),
            "zone node-0: available of a/b is negative");
  // Where kubelet pins, nobody is given zones by what is not there.
  EXPECT_EQ(community(""), "");
  EXPECT_EQ(CraneZones(R"([{"name":"node0","type":"Node"}])").defect, "");
  EXPECT_EQ(CraneZones(R"([{"name":"node0","type":"Node","attributes":{"offline_capacity":"-1"}}])").defect,
            "zone node0: offline_capacity \"-1\": is negative");
}

TEST_F(TopologyTest, AResourceTooManyLosesItsRowAndNotTheObject) {
  for (int i = 0; names_.Intern(Concat("example.com/r", std::to_string(i))).ok(); ++i) {
  }
  Status left_out;
  auto community = DecodeCommunityTopology(
      R"({"metadata":{"name":"n"},"zones":[{"name":"node-0","type":"Node","resources":[)"
      R"({"name":"cpu","capacity":"4"},{"name":"one/more","capacity":"1"},{"name":"memory","capacity":"1"}]}]})",
      names_, &left_out);
  ASSERT_TRUE(community.ok());
  EXPECT_EQ(community->defect, "");
  EXPECT_EQ(community->zones.at(0).capacity, (ResourceVector{{kCpu, 4000}, {kMemory, 1}}));
  EXPECT_THAT(std::string(Message(left_out)), HasSubstr("refused: one/more"));
  left_out = absl::OkStatus();
  auto crane = DecodeCraneTopology(
      R"({"metadata":{"name":"n"},"zones":[{"name":"node0","type":"Node","resources":{"capacity":{"cpu":"4","one/more":"1"}}}]})",
      names_, &left_out);
  ASSERT_TRUE(crane.ok());
  EXPECT_EQ(crane->zones.at(0).capacity, (ResourceVector{{kCpu, 4000}}));
  EXPECT_FALSE(left_out.ok());
}

TEST_F(TopologyTest, SixtyFourSparseZonesAreFine) {
  std::string zones = "[";
  for (int i = 63; i >= 0; --i)
    zones += Concat(i == 63 ? "" : ",", R"({"name":"node-)", std::to_string(i * 3), R"(","type":"Node"})");
  NodeTopology topology = CraneZones(zones + "]");
  ASSERT_EQ(topology.zones.size(), 64u);
  EXPECT_EQ(topology.zones[63].id, 189);
}

TEST_F(TopologyTest, RepeatedAttributesStayInTheirOrder) {
  NodeTopology topology = Community(
      R"({"metadata":{"name":"n"},"attributes":[{"name":"b","value":"1"},{"name":"a","value":"2"},{"name":"b","value":"3"}]})");
  EXPECT_THAT(topology.attributes, ElementsAre(Pair("a", "2"), Pair("b", "1"), Pair("b", "3")));
}

TEST_F(TopologyTest, AnAttributeNamedAsTheDeprecatedFieldIsKept) {
  NodeTopology topology = Community(
      R"({"metadata":{"name":"n"},"topologyPolicies":["None","Restricted"],"attributes":[{"name":"topologyPolicies","value":"x"}]})");
  EXPECT_THAT(topology.attributes, ElementsAre(Pair("topologyPolicies", "x")));
  topology = Community(R"({"metadata":{"name":"n"},"topologyPolicies":["None","Restricted"]})");
  EXPECT_THAT(topology.attributes, ElementsAre(Pair("topologyPolicies", "None,Restricted")));
  topology = Community(R"({"metadata":{"name":"n"},"topologyPolicies":["","RestrictedPodLevel"]})");
  EXPECT_THAT(topology.attributes, ElementsAre(Pair("topologyPolicies", ",RestrictedPodLevel"))) << "the first counts";
}

TEST_F(TopologyTest, WithoutANameThereIsNoObject) {
  EXPECT_EQ(Message(DecodeCraneTopology("{}", names_).status()), "metadata.name is missing");
  EXPECT_FALSE(DecodeCommunityTopology(R"({"metadata":{"name":""},"zones":7})", names_).ok());
  EXPECT_FALSE(DecodeCraneTopology("not json", names_).ok());
  EXPECT_FALSE(DecodeCraneTopology("[]", names_).ok());
}

TEST_F(TopologyTest, OnlyAnOwningNodeNamesItsUid) {
  EXPECT_EQ(Crane(R"({"metadata":{"name":"n","ownerReferences":[{"kind":"Namespace","uid":"x"}]}})").owner_uid, "");
}

TEST_F(TopologyTest, KnowsWhenTheZonesWereWrittenAndByWhichPods) {
  const NodeTopology topology = Community(
      R"({"metadata":{"name":"n","annotations":{"topology.node.k8s.io/fingerprint":"pfp0v001ef46db3751d8e999"},)"
      R"("managedFields":[{"time":"2026-11-21T10:00:00Z","fieldsV1":{"f:zones":{}}},)"
      R"({"time":"2026-11-21T10:00:05Z","fieldsV1":{"f:zones":{},"f:attributes":{}}},{"fieldsV1":{"f:zones":{}}},)"
      R"({"time":"2026-11-21T11:00:00Z","fieldsV1":{"f:metadata":{}}}]},"zones":[]})");
  EXPECT_EQ(topology.written, *ParseRfc3339("2026-11-21T10:00:05Z"));
  EXPECT_THAT(topology.attributes, ElementsAre(Pair("nodeTopologyPodsFingerprint", "pfp0v001ef46db3751d8e999")));
  const NodeTopology attribute =
      Community(R"({"metadata":{"name":"n","annotations":{"topology.node.k8s.io/fingerprint":"old"}},)"
                R"("attributes":[{"name":"nodeTopologyPodsFingerprint","value":"new"}]})");
  EXPECT_EQ(attribute.written, std::nullopt);
  EXPECT_THAT(attribute.attributes, ElementsAre(Pair("nodeTopologyPodsFingerprint", "new")));
}

TEST(Node, ReadsNameLabelsAndAllocatable) {
  ResourceNames names;
  auto node = DecodeNode(samples::kNode, names);
  ASSERT_TRUE(node.ok()) << node.status();
  EXPECT_EQ(node->name, "worker-0");
  EXPECT_EQ(node->uid, "uid-worker-0");
  EXPECT_THAT(node->labels,
              ElementsAre(Pair("kubernetes.io/hostname", "worker-0"), Pair("topology.kubernetes.io/zone", "z0")));
  ResourceId gpu = names.Find("example.com/gpu").value();
  EXPECT_EQ(node->allocatable, ResourceVector({{kCpu, 7500}, {kMemory, 30 * kGi}, {kPodSlots, 250}, {gpu, 2}}));
}

TEST(Node, ErrorsAndDuplicates) {
  ResourceNames names;
  EXPECT_EQ(Message(DecodeNode(R"({"spec":{}})", names).status()), "metadata.name is missing");
  EXPECT_THAT(std::string(Message(DecodeNode(R"({"status":{"allocatable":{"cpu":"a"}}})", names).status())),
              HasSubstr("status.allocatable.cpu: quantity"));
  auto node = DecodeNode(R"({"metadata":{"name":"n","labels":{"a":"1","A":"2","a":"3"}}})", names);
  ASSERT_TRUE(node.ok());
  EXPECT_THAT(node->labels, ElementsAre(Pair("A", "2"), Pair("a", "3")));
}

}  // namespace
}  // namespace huygens::wire
