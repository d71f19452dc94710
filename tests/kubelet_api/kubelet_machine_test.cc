// What kubelet makes of machines on which it differs from the kernel. Cases that no recorded machine has follow from
// the source that kubelet_api/kubelet_machine.h names.
#include "kubelet_api/kubelet_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "kubelet_api/kubelet_differences.h"
#include "tests/machine/made_machine.h"

namespace huygens::kubelet_api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class KubeletMachineTest : public ::testing::Test {
 protected:
  StatusOr<KubeletMachine> TryRead(KubeletBuild build = KubeletBuild::kOther) const {
    return ReadKubeletMachine(machine::SystemFiles(made_.root()), build);
  }
  KubeletMachine Read(KubeletBuild build = KubeletBuild::kOther) const {
    StatusOr<KubeletMachine> machine = TryRead(build);
    EXPECT_TRUE(machine.ok()) << machine.status();
    return std::move(machine).value_or(KubeletMachine());
  }
  std::vector<std::vector<int64_t>> Cores(size_t node, KubeletBuild build = KubeletBuild::kOther) const {
    const KubeletMachine machine = Read(build);
    std::vector<std::vector<int64_t>> cores;
    for (const KubeletCore& core : machine.nodes.at(node).cores.value()) cores.push_back(core.cpus);
    return cores;
  }
  std::vector<std::string> Differences() const {
    return KubeletDifferences(*machine::ReadMachine(made_.root()), Read());
  }
  void ExpectRefused(std::string_view path, std::string_view text) const {
    made_.TwoZones();
    made_.Write(path, text);
    const Status status = TryRead().status();
    EXPECT_FALSE(status.ok()) << path;
    // By the link in the node's folder, as kubelet goes.
    EXPECT_THAT(std::string(Message(status)), HasSubstr(path.substr(path.rfind("/cpu") + 1)));
  }
  const machine::testing::MadeMachine made_;
};

TEST_F(KubeletMachineTest, SeesAnOrdinaryMachineAsTheKernelDoes) {
  made_.TwoZones();
  const KubeletMachine machine = Read();
  EXPECT_EQ(machine.logical_cpus, 8);
  ASSERT_THAT(machine.nodes, SizeIs(2));
  EXPECT_EQ(machine.nodes[1].memory_bytes, 2000 * 1024);
  EXPECT_THAT(Cores(1), ElementsAre(ElementsAre(2, 6), ElementsAre(3, 7)));
  EXPECT_THAT(Differences(), IsEmpty());
}

TEST_F(KubeletMachineTest, TakesForOneCoreWhatHasTheSameIdInThePackage) {
  made_.TwoZones();
  for (const int cpu : {0, 1, 4, 5}) made_.OfCpu(cpu, "topology/core_id", "3\n");
  made_.OfCpu(5, "topology/physical_package_id", "-1\n");
  EXPECT_THAT(Cores(0), ElementsAre(ElementsAre(0, 1, 4), ElementsAre(5)));
  EXPECT_THAT(Differences(), ElementsAre("CPUs 0-1,4 are one core for it", "CPUs 5 are one core for it"));
}

TEST_F(KubeletMachineTest, DoesNotKnowCpusWithoutIdsOrWhoseLinkLeadsNowhere) {
  made_.TwoZones();
  made_.Remove("sys/devices/system/cpu/cpu0/topology/core_id");
  made_.Remove("sys/devices/system/cpu/cpu1/topology/physical_package_id");
  made_.Remove("sys/devices/system/node/node0/cpu4");
  made_.Link("sys/devices/system/node/node0/cpu4", "nowhere");
  made_.Remove("sys/devices/system/node/node1/cpu2");  // no link at all
  EXPECT_THAT(Cores(0), ElementsAre(ElementsAre(5)));
  EXPECT_THAT(Cores(1), ElementsAre(ElementsAre(3, 7), ElementsAre(6)));
  EXPECT_EQ(Read().logical_cpus, 4);
  EXPECT_THAT(Differences(), ElementsAre("zone 0 has CPUs 5 for it, not CPUs 0-1,4-5",
                                         "zone 1 has CPUs 3,6-7 for it, not CPUs 2-3,6-7"));
}

TEST_F(KubeletMachineTest, OrdersNodesAndCpusByTheTextOfTheirNumbers) {
  made_.TwoZones();
  made_.Node(10, {}, 5, "1 2 3");
  for (const int cpu : {10, 9}) made_.LinkCpu(0, cpu);
  made_.Core({9}, 9, 0);
  made_.Core({10}, 10, 0);
  made_.Write("sys/devices/system/cpu/online", "0-10\n");
  const KubeletMachine machine = Read();
  ASSERT_THAT(machine.nodes, SizeIs(3));
  EXPECT_EQ(machine.nodes[1].id, 1);
  EXPECT_EQ(machine.nodes[2].id, 10);
  EXPECT_FALSE(machine.nodes[2].cores.has_value());
  EXPECT_THAT(Cores(0), ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(10), ElementsAre(9)));
}

TEST_F(KubeletMachineTest, ReadsTheListOfOnlineCpusUpToTheFirstMatch) {
  made_.TwoZones();
  made_.Write("sys/devices/system/cpu/online", "0-1,5,x\n");
  EXPECT_THAT(Cores(0), ElementsAre(ElementsAre(0), ElementsAre(1, 5)));
  EXPECT_THAT(Cores(1), IsEmpty());
  made_.Write("sys/devices/system/cpu/online", "");
  EXPECT_EQ(Read().logical_cpus, 0);
  made_.Remove("sys/devices/system/cpu/online");
  EXPECT_EQ(Read().logical_cpus, 8) << "without the list all are online";
}

TEST_F(KubeletMachineTest, WithoutNodesHasOnePerPackageAndCountsOfflineCpus) {
  made_.TwoZones();
  made_.Remove("sys/devices/system/node");
  made_.Write("sys/devices/system/cpu/online", "0-6\n");
  for (const int cpu : {2, 3, 6, 7}) made_.OfCpu(cpu, "topology/physical_package_id", "-1\n");
  const KubeletMachine machine = Read();
  EXPECT_EQ(machine.logical_cpus, 8);
  ASSERT_THAT(machine.nodes, SizeIs(2));
  EXPECT_EQ(machine.nodes[0].id, -1);
  EXPECT_EQ(machine.nodes[0].memory_bytes, 0);
  EXPECT_FALSE(machine.nodes[0].distances.has_value());
  EXPECT_THAT(Cores(0), ElementsAre(ElementsAre(2, 6), ElementsAre(3)));
  EXPECT_THAT(Differences(),
              ElementsAre("zone 0 has CPUs 0-1,4-5 for it, not CPUs 0-6", "it knows a zone -1 with CPUs 2-3,6"));
}

TEST_F(KubeletMachineTest, BuiltForS390xTellsBooksAndDrawersApart) {
  made_.TwoZones();
  for (int cpu = 0; cpu < 8; ++cpu) {
    made_.OfCpu(cpu, "topology/core_id", "0\n");
    made_.OfCpu(cpu, "topology/book_id", cpu < 4 ? "1\n" : "2\n");
    if (cpu != 1) made_.OfCpu(cpu, "topology/drawer_id", "0\n");
  }
  EXPECT_THAT(Cores(0), ElementsAre(ElementsAre(0, 1, 4, 5)));
  EXPECT_THAT(Cores(0, KubeletBuild::kS390x), ElementsAre(ElementsAre(0), ElementsAre(4, 5)));
  EXPECT_EQ(Read(KubeletBuild::kS390x).nodes[0].cores->at(1).book, "2");
}

TEST_F(KubeletMachineTest, GoesOnWithoutMemoryAndDistances) {
  made_.TwoZones();
  made_.Remove("sys/devices/system/node/node0/meminfo");
  made_.Remove("sys/devices/system/node/node0/distance");
  const KubeletMachine machine = Read();
  EXPECT_EQ(machine.nodes[0].memory_bytes, 0);
  EXPECT_FALSE(machine.nodes[0].distances.has_value());
  EXPECT_THAT(machine.nodes[1].distances.value(), ElementsAre(21, 10));
}

TEST_F(KubeletMachineTest, FindsNothingWhereACoreIdIsNoNumber) {
  ExpectRefused("sys/devices/system/cpu/cpu0/topology/core_id", "one\n");
}
TEST_F(KubeletMachineTest, FindsNothingWhereAPackerAddedZeros) {
  ExpectRefused("sys/devices/system/cpu/cpu0/topology/core_id", std::string("0\n\0", 3));
}
TEST_F(KubeletMachineTest, FindsNothingWherePackagesAreNoNumbers) {
  ExpectRefused("sys/devices/system/cpu/cpu0/topology/physical_package_id", "");
}
TEST_F(KubeletMachineTest, FindsNothingWhereDistancesHaveTwoSpaces) {
  ExpectRefused("sys/devices/system/node/node1/distance", "21  10\n");
}
TEST_F(KubeletMachineTest, FindsNothingWhereTheMemoryIsUnnamed) {
  ExpectRefused("sys/devices/system/node/node1/meminfo", "MemTotal: many kB\n");
}
TEST_F(KubeletMachineTest, FindsNothingWhereHugePagesAreUncounted) {
  ExpectRefused("sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages", "x");
}

TEST_F(KubeletMachineTest, FindsNothingWhereAFolderOfPagesHasNoCount) {
  made_.TwoZones();
  made_.Write("sys/devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages", "1");
  EXPECT_THAT(std::string(Message(TryRead().status())), HasSubstr("hugepages-2048kB/nr_hugepages is not there"));
}

TEST_F(KubeletMachineTest, FindsNothingWhereALinkIsAFile) {
  made_.TwoZones();
  made_.Remove("sys/devices/system/node/node1/cpu2");
  made_.Write("sys/devices/system/node/node1/cpu2", "");
  EXPECT_THAT(std::string(Message(TryRead().status())), HasSubstr("cpu2/topology/core_id"));
}

// Where each core of the kernel's has an id of its own within its package, kubelet finds the same cores.
RC_GTEST_PROP(KubeletMachine, AgreesWithTheKernelWhereIdsAreUnique, ()) {
  const machine::testing::MadeMachine made;
  machine::Ids online;
  std::map<int, machine::Ids> zones;
  int cpu = 0, core = 0;
  for (const int cores = *rc::gen::inRange(1, 9); core < cores; ++core) {
    machine::Ids cpus;
    const int zone = core / *rc::gen::inRange(1, 4);
    for (int threads = *rc::gen::inRange(1, 4); threads > 0; --threads) cpus.push_back(cpu++);
    made.Core(cpus, core, core % *rc::gen::inRange(1, 3));
    zones[zone].insert(zones[zone].end(), cpus.begin(), cpus.end());
    for (const int each : cpus) {
      if (*rc::gen::inRange(0, 4) > 0) online.push_back(each);
    }
  }
  if (online.empty()) online.push_back(0);
  made.Write("sys/devices/system/cpu/online", machine::FormatIdList(online) + "\n");
  for (const auto& [zone, cpus] : zones) made.Node(zone, cpus, 10, "10");
  const auto kubelet = ReadKubeletMachine(machine::SystemFiles(made.root()), KubeletBuild::kOther);
  RC_ASSERT(kubelet.ok());
  RC_ASSERT(kubelet->logical_cpus == static_cast<int64_t>(online.size()));
  RC_ASSERT(KubeletDifferences(*machine::ReadMachine(made.root()), *kubelet).empty());
}

}  // namespace
}  // namespace huygens::kubelet_api
