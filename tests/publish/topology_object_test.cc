// The topology object of recorded kubelets, against what they themselves said of their CPUs and memory, and read as
// huygens reads it.
#include "publish/topology_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <memory>
#include <set>

#include "base/text.h"
#include "kubelet/settings.h"
#include "kubelet_api/held.h"
#include "publish/kubelet_placement.h"
#include "publish/reserved_cpus.h"
#include "tests/kubelet_api/recordings.h"
#include "wire/topology.h"

namespace huygens::publish {
namespace {

using kubelet_api::testing::Recorded;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// One thread of every core first, then the others, as the recorded kubelets saw it.
kubelet_api::KubeletMachine MachineOf(int zones, int cores, int packages) {
  kubelet_api::KubeletMachine machine;
  for (int zone = 0; zone < zones; ++zone) {
    kubelet_api::KubeletNode node{.id = zone, .memory_bytes = int64_t{16} << 30};
    node.cores.emplace();
    for (int core = 0; core < cores; ++core) {
      const int first = zone * cores + core;
      node.cores->push_back({.id = first, .package = zone * packages / zones, .cpus = {first, first + zones * cores}});
    }
    node.distances.emplace();
    for (int other = 0; other < zones; ++other) node.distances->push_back(other == zone ? 10 : 21);
    machine.nodes.push_back(std::move(node));
  }
  return machine;
}

struct RecordedNode {
  RecordedNode(const char* name, kubelet_api::KubeletMachine of) : machine(std::move(of)) {
    kubelet = *kubelet_api::DecodeConfigz(Recorded(name, "configz.json"));
    pods = *kubelet_api::DecodePods(Recorded(name, "pods.json"));
    cpus = *kubelet_api::DecodeCpuManagerState(Recorded(name, "cpu_manager_state"));
    memory = *kubelet_api::DecodeMemoryManagerState(Recorded(name, "memory_manager_state"));
    allocatable = boost::json::parse(Recorded(name, "podresources-GetAllocatableResources.json"));
  }
  std::set<int> AllocatableCpus() const {
    std::set<int> ids;
    for (const auto& each : allocatable.at("cpu_ids").as_array()) ids.insert(std::stoi(std::string(each.as_string())));
    return ids;
  }
  int64_t AllocatableMemory(int zone, std::string_view type) const {
    for (const auto& each : allocatable.at("memory").as_array()) {
      const auto& node = each.at("topology").at("nodes").at(0).as_object();
      const int id = node.contains("ID") ? std::stoi(std::string(node.at("ID").as_string())) : 0;
      if (id == zone && std::string_view(each.at("memory_type").as_string()) == type)
        return std::stoll(std::string(each.at("size").as_string()));
    }
    return -1;
  }
  cluster::NodeTopology Published() {
    const std::string json = PinnedTopology({.name = "n", .uid = "u"}, {machine, kubelet, pods, cpus, &memory}).Json();
    StatusOr<cluster::NodeTopology> topology = wire::DecodeCommunityTopology(json, names);
    EXPECT_TRUE(topology.ok()) << topology.status() << json;
    EXPECT_EQ(topology->defect, "");
    return *std::move(topology);
  }

  kubelet_api::KubeletMachine machine;
  kubelet_api::RunningConfiguration kubelet;
  std::vector<kubelet_api::Pod> pods;
  kubelet_api::CpuManagerState cpus;
  kubelet_api::MemoryManagerState memory;
  boost::json::value allocatable;
  ResourceNames names;
};

RecordedNode SingleNuma() { return {"static-single-numa-pod", MachineOf(2, 4, 2)}; }
RecordedNode Restricted() { return {"static-restricted-options", MachineOf(4, 4, 2)}; }

std::vector<std::unique_ptr<RecordedNode>> Both() {
  std::vector<std::unique_ptr<RecordedNode>> nodes;
  nodes.push_back(std::make_unique<RecordedNode>("static-single-numa-pod", MachineOf(2, 4, 2)));
  nodes.push_back(std::make_unique<RecordedNode>("static-restricted-options", MachineOf(4, 4, 2)));
  return nodes;
}

class PinnedNodes : public ::testing::Test {
 protected:
  void SetUp() override { HUYGENS_SKIP_WITHOUT_RECORDINGS(); }
};

TEST_F(PinnedNodes, KeepTheCpusThatKubeletKeeps) {
  for (const auto& each : Both()) {
    const RecordedNode& node = *each;
    const machine::Ids reserved = KubeletReservedCpus(node.machine, node.kubelet);
    std::set<int> all = node.AllocatableCpus();
    for (const int cpu : reserved) EXPECT_TRUE(all.insert(cpu).second) << cpu;
    EXPECT_EQ(all.size(), node.machine.nodes.size() * 8);
  }
}

TEST_F(PinnedNodes, HaveTheCpusAndMemoryThatKubeletHas) {
  for (const auto& each : Both()) {
    RecordedNode& node = *each;
    const cluster::NodeTopology topology = node.Published();
    const std::set<int> allocatable = node.AllocatableCpus();
    std::set<int> owned;
    for (const auto& [uid, cpus] : kubelet_api::OwnedCpus(node.cpus, node.pods)) owned.insert(cpus.begin(), cpus.end());
    EXPECT_FALSE(owned.empty());
    ASSERT_EQ(topology.zones.size(), node.machine.nodes.size());
    for (size_t i = 0; i < topology.zones.size(); ++i) {
      const cluster::Zone& zone = topology.zones[i];
      int64_t usable = 0, free = 0;
      for (const auto& core : *node.machine.nodes[i].cores) {
        for (const int64_t cpu : core.cpus) {
          usable += allocatable.contains(static_cast<int>(cpu)) ? 1 : 0;
          free += allocatable.contains(static_cast<int>(cpu)) && !owned.contains(static_cast<int>(cpu)) ? 1 : 0;
        }
      }
      EXPECT_EQ(zone.capacity.Get(kCpu), 8000);
      EXPECT_EQ(zone.allocatable.Get(kCpu), usable * 1000);
      EXPECT_EQ(zone.available.Get(kCpu), free * 1000);
      for (const std::string_view resource : {"memory", "hugepages-2Mi"}) {
        EXPECT_EQ(zone.allocatable.Get(*node.names.Find(resource)), node.AllocatableMemory(zone.id, resource))
            << resource;
      }
      EXPECT_THAT(zone.cores, SizeIs(4));
      EXPECT_THAT(zone.memory_group, ElementsAre(zone.id));
      EXPECT_THAT(zone.costs, SizeIs(topology.zones.size()));
    }
  }
}

TEST_F(PinnedNodes, SayAllOfKubeletsPoliciesSoThatNoDefaultOfTheReaderCounts) {
  RecordedNode node = Restricted();
  kubelet::Options others;  // what nobody should believe of this node
  others.prefer_closest = false;
  others.align_by_socket = others.distribute_across_cores = others.align_by_uncore_cache = true;
  const kubelet::Options options = kubelet::OptionsOf(node.Published(), nullptr, others);
  EXPECT_EQ(options, (kubelet::Options{.policy = kubelet::TopologyManagerPolicy::kRestricted,
                                       .scope = kubelet::TopologyManagerScope::kContainer,
                                       .prefer_closest = true,
                                       .static_cpus = true,
                                       .static_memory = true,
                                       .full_cores_only = true,
                                       .distribute_across_zones = true,
                                       .threads_per_core = 2}));
  EXPECT_EQ(kubelet::UnknownSetting(node.Published()), "");
}

TEST_F(PinnedNodes, LeaveAPodThatIsBeingAdmittedOutOfTheFingerprint) {
  RecordedNode node = SingleNuma();
  const auto fingerprint = [&] {
    for (const auto& [name, value] : node.Published().attributes) {
      if (name == "nodeTopologyPodsFingerprint") return value;
    }
    return std::string();
  };
  const std::string before = fingerprint();
  EXPECT_EQ(before.size(), 24U);
  node.pods.push_back({.uid = "z",
                       .namespace_name = "default",
                       .name = "new",
                       .guaranteed = true,
                       .containers = {{.name = "c", .cpu_request = "2", .cpu_limit = "2"}}});
  EXPECT_EQ(fingerprint(), before);
  node.cpus.owned["z"]["c"] = {4, 12};
  EXPECT_NE(fingerprint(), before);
  node.pods.back().terminal = true;
  EXPECT_EQ(fingerprint(), before);
}

TEST_F(PinnedNodes, AreDescribedByTheSameTextWhileNothingChanges) {
  const auto text = [] {
    const RecordedNode node = SingleNuma();
    return PinnedTopology({.name = "n"}, {node.machine, node.kubelet, node.pods, node.cpus, &node.memory}).Json();
  };
  EXPECT_EQ(text(), text());
}

TEST_F(PinnedNodes, NameWhereKubeletPutEachPod) {
  const RecordedNode node = SingleNuma();
  const auto placements = KubeletPlacements("n1", node.machine, node.pods, node.cpus, &node.memory);
  ASSERT_THAT(placements, SizeIs(1));
  EXPECT_EQ(placements.begin()->second,
            R"({"uid":"b3899a17-7baa-4a8c-82c3-cb32c078fa5e","node":"n1","zones":[{"name":"node0","type":"Node",)"
            R"("attributes":{"cpus":"1-2,9-10"},"resources":{"capacity":{"cpu":"4","memory":"1476395008"}}}]})");
}

machine::Machine ManagedMachine() {
  machine::Machine machine;
  machine.present = machine.online = {0, 1, 2, 3, 4, 5, 6, 7};
  machine.isolated = {3};
  for (int core = 0; core < 4; ++core) machine.cores.push_back({.cpus = {core, core + 4}, .package = core / 2});
  machine.packages = {{0, {0, 1, 4, 5}}, {1, {2, 3, 6, 7}}};
  machine.zones.push_back({.id = 0,
                           .claimed = {0, 1, 4, 5},
                           .cpus = {0, 1, 4, 5},
                           .memory_kb = 4 << 20,
                           .huge_pages = {{.page_kb = 2048, .count = 512, .free = 1}},
                           .distances = {10, 21, 31}});
  machine.zones.push_back(
      {.id = 4, .claimed = {2, 3, 6, 7}, .cpus = {2, 3, 6, 7}, .memory_kb = 4 << 20, .distances = {21, 10, 17}});
  machine.zones.push_back({.id = 9, .memory_kb = 8 << 20, .distances = {31, 17, 10}});
  return machine;
}

kubelet_api::RunningConfiguration Keeping(std::string_view fields) {
  return *kubelet_api::DecodeConfigz(Concat(R"({"kubeletconfig":{)", fields, "}}"));
}

TEST(ManagedNodes, OfferWhatIsNeitherReservedNorIsolated) {
  ResourceNames names;
  const auto kubelet = Keeping(R"("reservedSystemCPUs":"0,4","systemReserved":{"cpu":"2","memory":"1Gi"})");
  const auto topology = wire::DecodeCraneTopology(
      ManagedTopology({.name = "n", .uid = "u", .aware = false}, ManagedMachine(), kubelet).Json(), names);
  ASSERT_TRUE(topology.ok()) << topology.status();
  EXPECT_EQ(topology->defect, "");
  EXPECT_TRUE(topology->pinned_by_agent);
  EXPECT_FALSE(topology->single_numa);
  EXPECT_EQ(topology->owner_uid, "u");
  ASSERT_THAT(topology->zones, SizeIs(3));
  const auto& zones = topology->zones;
  EXPECT_EQ(zones[0].capacity.Get(kCpu), 4000);
  EXPECT_EQ(zones[0].allocatable.Get(kCpu), 2000);
  EXPECT_THAT(zones[0].cores, ElementsAre(ElementsAre(1, 5)));
  EXPECT_EQ(zones[1].allocatable.Get(kCpu), 3000);
  EXPECT_THAT(zones[1].cores, ElementsAre(ElementsAre(2, 6), ElementsAre(7)));
  EXPECT_EQ(zones[2].id, 9);
  EXPECT_EQ(zones[2].capacity.Get(kCpu), 0);
  EXPECT_THAT(zones[2].cores, IsEmpty());
  constexpr int64_t kGi = int64_t{1} << 30;
  EXPECT_EQ(zones[0].capacity.Get(kMemory), 4 * kGi);
  EXPECT_EQ(zones[0].allocatable.Get(kMemory), 2 * kGi);  // less pages of 1 Gi and what is reserved
  EXPECT_EQ(zones[0].allocatable.Get(*names.Find("hugepages-2Mi")), kGi);
  EXPECT_EQ(zones[2].allocatable.Get(kMemory), 8 * kGi);
  EXPECT_EQ(zones[1].costs, (std::vector<std::pair<int, int>>{{0, 21}, {4, 10}, {9, 17}}));
}

TEST(ManagedNodes, KeepTheLowestCoresWhereKubeletSaysOnlyHowMany) {
  EXPECT_THAT(ManagedReservedCpus(ManagedMachine(), Keeping(R"("kubeReserved":{"cpu":"2500m"})")),
              ElementsAre(0, 1, 4));
  EXPECT_THAT(ManagedReservedCpus(ManagedMachine(), Keeping("")), IsEmpty());
  EXPECT_THAT(ManagedReservedCpus(ManagedMachine(), Keeping(R"("reservedSystemCPUs":"7,99")")), ElementsAre(7));
}

TEST(ManagedNodes, AreLeftAloneInCranesObjectWhereKubeletPins) {
  ResourceNames names;
  const auto topology =
      wire::DecodeCraneTopology(HandsOffTopology({.name = "n"}, ManagedMachine(), Keeping("")).Json(), names);
  ASSERT_TRUE(topology.ok()) << topology.status();
  EXPECT_FALSE(topology->pinned_by_agent);
}

TEST(StoredTopology, KeepsWhatOthersWroteWhereOneWriterOwnsAllZones) {
  const std::string stored_json =
      R"({"metadata":{"resourceVersion":"7","managedFields":[{"fieldsV1":{"f:zones":{}}}]},"zones":[{"name":"node0",)"
      R"("attributes":{"offline_capacity":"3","huygens.dev/cores":"old"}},{"name":"gone","attributes":{"x":"y"}}]})";
  const auto stored = DecodeStoredTopology(stored_json);
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->zones, ZoneList::kAsWhole);
  const std::string json = ManagedTopology({.name = "n"}, ManagedMachine(), Keeping("")).JsonWith(*stored);
  const boost::json::value object = boost::json::parse(json);
  EXPECT_EQ(object.at("metadata").at("resourceVersion").as_string(), "7");
  const auto& attributes = object.at("zones").at(0).at("attributes").as_object();
  EXPECT_EQ(attributes.at("offline_capacity").as_string(), "3");
  EXPECT_EQ(attributes.at("huygens.dev/cores").as_string(), "0,4;1,5");
  EXPECT_EQ(object.at("zones").as_array().size(), 3U);
}

TEST(StoredTopology, TellsFromTheFieldsOfAnyWriterHowZonesAreOwned) {
  const auto zones = [](std::string_view fields) {
    return DecodeStoredTopology(Concat(R"({"metadata":{"managedFields":[)", fields, "]}}"))->zones;
  };
  EXPECT_EQ(zones(""), ZoneList::kUnknown);
  EXPECT_EQ(zones(R"({"fieldsV1":{"f:metadata":{}}})"), ZoneList::kUnknown);
  EXPECT_EQ(zones(R"({"fieldsV1":{"f:zones":{"k:{\"name\":\"node0\"}":{".":{}}}}})"), ZoneList::kByName);
  EXPECT_EQ(zones(R"({"fieldsV1":{"f:zones":{}}},{"fieldsV1":{"f:attributes":{}}})"), ZoneList::kAsWhole);
}

TEST(JsonHolds, AllOfAPartWhateverElseIsThere) {
  EXPECT_TRUE(JsonHolds(R"({"a":1,"z":[{"name":"x","v":"1","w":2},{"name":"y"}]})", R"({"z":[{"name":"x","v":"1"}]})"));
  EXPECT_TRUE(JsonHolds(R"({"z":[{"name":"y"},{"name":"x","v":"\u0031"}]})", R"({"z":[{"name":"x","v":"1"}]})"));
  EXPECT_FALSE(JsonHolds(R"({"z":[{"name":"x","v":"2"}]})", R"({"z":[{"name":"x","v":"1"}]})"));
  EXPECT_FALSE(JsonHolds(R"({"z":[{"name":"x"}]})", R"({"z":[{"name":"x"},{"name":"y"}]})"));
  EXPECT_FALSE(JsonHolds(R"({"z":"1"})", R"({"z":1})"));
  EXPECT_FALSE(JsonHolds(R"({"z":[1,2]})", R"({"z":[1]})"));
  EXPECT_FALSE(JsonHolds("", "{}"));
}

// As kubelet counts them (pod_resources/): in each zone that their plug-in names.
TEST(Devices, AreResourcesOfTheirZonesInBothKindsOfObjects) {
  const pod_resources::ZoneDevices devices = {{0, {{"example.com/fpga", {.allocatable = 2, .available = 1}}}},
                                              {9, {{"example.com/fpga", {.allocatable = 7, .available = 7}}}}};
  ResourceNames names;
  const ResourceId fpga = *names.Intern("example.com/fpga");
  const auto managed =
      wire::DecodeCraneTopology(ManagedTopology({.name = "n"}, ManagedMachine(), Keeping(""), &devices).Json(), names);
  ASSERT_TRUE(managed.ok()) << managed.status();
  EXPECT_EQ(managed->zones[0].allocatable.Get(fpga), 2);
  EXPECT_FALSE(managed->zones[1].allocatable.Has(fpga));

  const kubelet_api::CpuManagerState cpus;
  const std::vector<kubelet_api::Pod> pods;
  const kubelet_api::RunningConfiguration kubelet = Keeping("");
  const auto pinned = wire::DecodeCommunityTopology(
      PinnedTopology(
          {.name = "n"},
          {.machine = MachineOf(2, 4, 2), .kubelet = kubelet, .pods = pods, .cpus = cpus, .devices = &devices})
          .Json(),
      names);
  ASSERT_TRUE(pinned.ok()) << pinned.status();
  EXPECT_EQ(pinned->zones[0].allocatable.Get(fpga), 2);
  EXPECT_EQ(pinned->zones[0].available.Get(fpga), 1);
  EXPECT_FALSE(pinned->zones[1].available.Has(fpga));
}

}  // namespace
}  // namespace huygens::publish
