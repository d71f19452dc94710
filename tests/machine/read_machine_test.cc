// Machines that real ones came near to, each with one thing that is odd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/machine.h"
#include "tests/machine/made_machine.h"

namespace huygens::machine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class ReadMachineTest : public ::testing::Test {
 protected:
  Machine Read() const {
    StatusOr<Machine> machine = ReadMachine(made_.root());
    EXPECT_TRUE(machine.ok()) << machine.status();
    return std::move(machine).value_or(Machine());
  }
  std::vector<std::string> Cores() const {
    std::vector<std::string> cores;
    for (const Core& core : Read().cores) cores.push_back(FormatIdList(core.cpus));
    return cores;
  }
  void ExpectUnusable(std::string_view path, std::string_view text) const {
    made_.TwoZones();
    made_.Write(path, text);
    const Status status = ReadMachine(made_.root()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << path;
    EXPECT_THAT(std::string(Message(status)), HasSubstr(made_.At(path)));
    EXPECT_THAT(std::string(Message(status)), HasSubstr(Concat("it holds \"", text, "\"")));
  }
  const testing::MadeMachine made_;
};

TEST_F(ReadMachineTest, ReadsZonesCoresPackagesAndMemory) {
  made_.TwoZones();
  made_.OfNode(1, "hugepages/hugepages-2048kB/nr_hugepages", "12\n");
  made_.OfNode(1, "hugepages/hugepages-2048kB/free_hugepages", "5\n");
  made_.OfNode(1, "hugepages/hugepages-1048576kB/nr_hugepages", "1\n");
  const Machine machine = Read();
  EXPECT_EQ(FormatIdList(machine.online), "0-7");
  EXPECT_THAT(Cores(), ElementsAre("0,4", "1,5", "2,6", "3,7"));
  EXPECT_THAT(machine.packages, ElementsAre(Pair(0, Ids{0, 1, 4, 5}), Pair(1, Ids{2, 3, 6, 7})));
  ASSERT_THAT(machine.zones, SizeIs(2));
  EXPECT_EQ(machine.zones[0].cpus, (Ids{0, 1, 4, 5}));
  EXPECT_EQ(machine.zones[1].memory_kb, 2000);
  EXPECT_THAT(machine.zones[0].distances, ElementsAre(10, 21));
  ASSERT_THAT(machine.zones[1].huge_pages, SizeIs(2));
  EXPECT_EQ(machine.zones[1].huge_pages[0].page_kb, 2048) << "in order of the size, not of the name";
  EXPECT_EQ(machine.zones[1].huge_pages[0].count, 12);
  EXPECT_EQ(machine.zones[1].huge_pages[0].free, 5);
  EXPECT_EQ(machine.zones[1].huge_pages[1].free, std::nullopt);
  EXPECT_THAT(machine.notices, IsEmpty());
}

TEST_F(ReadMachineTest, CachesAreListedOnceWithTheCpusThatAreOnline) {
  made_.TwoZones();
  made_.Write("sys/devices/system/cpu/online", "1-7\n");
  for (const int cpu : {0, 1, 4, 5}) {
    made_.OfCpu(cpu, "cache/index3/level", "3\n");
    made_.OfCpu(cpu, "cache/index3/type", "Unified\n");
    made_.OfCpu(cpu, "cache/index3/size", "32768K\n");
    made_.OfCpu(cpu, "cache/index3/shared_cpu_map", "33\n");
  }
  made_.OfCpu(2, "cache/index0/level", "1\n");
  made_.OfCpu(2, "cache/index0/shared_cpu_list", "2,6\n");
  made_.OfCpu(3, "cache/index0/size", "48K\n");  // without a word of what it is
  const Machine machine = Read();
  ASSERT_THAT(machine.caches, SizeIs(2));
  EXPECT_EQ(machine.caches[0].cpus, (Ids{1, 4, 5}));
  EXPECT_EQ(machine.caches[0].kb, 32768);
  EXPECT_EQ(machine.caches[1].level, 1);
  EXPECT_EQ(machine.caches[1].kb, std::nullopt);
}

TEST_F(ReadMachineTest, OfflineCpusAreInNoCoreAndNoZone) {
  made_.TwoZones();
  made_.Write("sys/devices/system/cpu/online", "0-3,6-7\n");
  made_.Write("sys/devices/system/cpu/isolated", "3,7\n");
  const Machine machine = Read();
  EXPECT_THAT(Cores(), ElementsAre("0", "1", "2,6", "3,7"));
  EXPECT_EQ(machine.zones[0].cpus, (Ids{0, 1}));
  EXPECT_EQ(machine.isolated, (Ids{3, 7}));
  EXPECT_EQ(FormatIdList(machine.present), "0-7");
}

TEST_F(ReadMachineTest, OldKernelsHaveMasksAndAFileForEachCpu) {
  made_.TwoZones();
  for (const char* list : {"online", "present"}) made_.Remove(Concat("sys/devices/system/cpu/", list));
  for (int cpu = 0; cpu < 8; ++cpu) {
    made_.Remove(Concat("sys/devices/system/cpu/cpu", std::to_string(cpu), "/topology/core_cpus_list"));
    made_.OfCpu(cpu, "topology/thread_siblings", cpu % 2 == 0 ? "00000055\n" : "000000aa\n");
    if (cpu > 0) made_.OfCpu(cpu, "online", cpu == 5 ? "0\n" : "1\n");
  }
  made_.Remove("sys/devices/system/node/node0/cpulist");
  made_.OfNode(0, "cpumap", "00000000,00000033\n");
  const Machine machine = Read();
  EXPECT_EQ(FormatIdList(machine.online), "0-4,6-7");
  EXPECT_EQ(FormatIdList(machine.present), "0-7");
  EXPECT_THAT(Cores(), ElementsAre("0,2,4,6", "1,3,7"));
  EXPECT_EQ(machine.zones[0].cpus, (Ids{0, 1, 4}));
}

TEST_F(ReadMachineTest, WithoutListsTheLinksOfANodeAreItsCpus) {
  made_.TwoZones();
  made_.Remove("sys/devices/system/node/node1/cpulist");
  EXPECT_EQ(Read().zones[1].cpus, (Ids{2, 3, 6, 7}));
}

TEST_F(ReadMachineTest, WithoutTopologyEachCpuIsACore) {
  made_.Write("sys/devices/system/cpu/online", "0-2\n");
  EXPECT_THAT(Cores(), ElementsAre("0", "1", "2"));
  EXPECT_THAT(Read().packages, IsEmpty());
}

TEST_F(ReadMachineTest, WithoutNodesThereIsOneZone) {
  made_.TwoZones();
  made_.Remove("sys/devices/system/node");
  made_.Write("proc/meminfo", "MemTotal:        4096 kB\nMemFree: 5 kB\n");
  made_.Write("sys/kernel/mm/hugepages/hugepages-1024kB/nr_hugepages", "3\n");
  const Machine machine = Read();
  ASSERT_THAT(machine.zones, SizeIs(1));
  EXPECT_EQ(machine.zones[0].id, 0);
  EXPECT_EQ(machine.zones[0].cpus, machine.online);
  EXPECT_EQ(machine.zones[0].memory_kb, 4096);
  EXPECT_EQ(machine.zones[0].huge_pages[0].count, 3);
  EXPECT_THAT(machine.zones[0].distances, IsEmpty());
  EXPECT_THAT(machine.notices, IsEmpty());
}

TEST_F(ReadMachineTest, ZonesMayHaveGapsNoCpusAndNoMemory) {
  made_.TwoZones();
  made_.Node(250, {}, 0, "80 80 10");
  made_.OfNode(9, "cpulist", "\n");  // sorted by number, though 250 comes before 9 by name
  made_.Write("sys/devices/system/node/node77", "a file, no folder");
  made_.Link("sys/devices/system/node/node78", "nowhere");
  const Machine machine = Read();
  ASSERT_THAT(machine.zones, SizeIs(4));
  EXPECT_EQ(machine.zones[2].id, 9);
  EXPECT_EQ(machine.zones[2].memory_kb, std::nullopt);
  EXPECT_THAT(machine.zones[2].distances, IsEmpty());
  EXPECT_EQ(machine.zones[3].id, 250);
  EXPECT_EQ(machine.zones[3].memory_kb, 0);
  EXPECT_THAT(machine.zones[3].cpus, IsEmpty());
  EXPECT_THAT(machine.notices, ElementsAre(HasSubstr("zone 0 tells 2 distances where there are 4 zones"),
                                           HasSubstr("zone 1 tells 2"), HasSubstr("zone 250 tells 3")));
}

TEST_F(ReadMachineTest, ACpuOfSeveralZonesIsTheLowestOnes) {
  made_.TwoZones();
  made_.OfNode(1, "cpulist", "0-3,6-7\n");
  const Machine machine = Read();
  EXPECT_EQ(machine.zones[1].claimed, (Ids{0, 1, 2, 3, 6, 7}));
  EXPECT_EQ(machine.zones[1].cpus, (Ids{2, 3, 6, 7}));
  EXPECT_THAT(machine.notices, ElementsAre(HasSubstr("CPUs 0-1 are listed by several zones")));
}

TEST_F(ReadMachineTest, CpusOfANodeThatIsOfflineAreInNoZone) {
  made_.TwoZones();
  made_.Remove("sys/devices/system/node/node0");
  const Machine machine = Read();
  EXPECT_EQ(machine.without_zone, (Ids{0, 1, 4, 5}));
  EXPECT_THAT(machine.notices,
              ElementsAre(HasSubstr("CPUs 0-1,4-5 are online and in no zone"), HasSubstr("zone 1 tells 2 distances")));
}

TEST_F(ReadMachineTest, CoresThatContradictEachOtherStillShareOutTheCpus) {
  made_.TwoZones();
  made_.OfCpu(0, "topology/core_cpus_list", "0-1,4\n");
  made_.OfCpu(2, "topology/core_cpus_list", "7\n");  // not even itself
  EXPECT_THAT(Cores(), ElementsAre("0-1,4", "2,7", "3", "5", "6"));
  EXPECT_THAT(Read().notices, ElementsAre(HasSubstr("CPUs 1,3-7 name other siblings")));
}

TEST_F(ReadMachineTest, AnEmptyFileTellsNothing) {
  made_.TwoZones();
  made_.Write("sys/devices/system/cpu/online", "\n");
  made_.OfCpu(1, "online", "");
  made_.OfCpu(2, "online", "0\n");
  made_.OfCpu(3, "topology/core_cpus_list", "");
  made_.OfCpu(3, "topology/physical_package_id", "\n");
  made_.OfNode(1, "meminfo", "");
  made_.OfNode(1, "distance", "\n");
  const Machine machine = Read();
  EXPECT_EQ(FormatIdList(machine.online), "0-1,3-7");
  EXPECT_EQ(machine.packages.at(1), (Ids{6, 7}));
  EXPECT_EQ(machine.zones[1].memory_kb, std::nullopt);
  EXPECT_THAT(machine.zones[1].distances, IsEmpty());
}

TEST_F(ReadMachineTest, ZerosThatAPackerAddedAreNoContent) {
  made_.TwoZones();
  made_.Write("sys/devices/system/cpu/online", std::string("0-6\n\0\0\0", 7));
  made_.OfNode(1, "meminfo", std::string("Node 1 MemTotal: 7 kB\n\0", 23));
  made_.OfNode(1, "distance", std::string("21 10\n\0", 7));
  const Machine machine = Read();
  EXPECT_EQ(FormatIdList(machine.online), "0-6");
  EXPECT_EQ(machine.zones[1].memory_kb, 7);
  EXPECT_THAT(machine.zones[1].distances, ElementsAre(21, 10));
}

TEST_F(ReadMachineTest, TellsTheTierOfMemory) {
  made_.TwoZones();
  made_.Write("sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "0\n");
  const Machine machine = Read();
  EXPECT_EQ(machine.zones[0].memory_tier, 4);
  EXPECT_EQ(machine.zones[1].memory_tier, std::nullopt);
}

TEST_F(ReadMachineTest, WhatIsNoMachineSaysWhereItLooked) {
  const Status status = ReadMachine(made_.root()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Message(status)), HasSubstr(made_.At("sys/devices/system/cpu")));
  made_.OfCpu(0, "online", "0\n");
  EXPECT_EQ(ReadMachine(made_.root()).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ReadMachineTest, ErrorsNameTheFileAndWhatItHolds) { ExpectUnusable("sys/devices/system/cpu/online", "0-7;"); }
TEST_F(ReadMachineTest, ErrorsOfIsolatedCpusDoSo) { ExpectUnusable("sys/devices/system/cpu/isolated", "3-2"); }
TEST_F(ReadMachineTest, ErrorsOfSiblingsDoSo) {
  ExpectUnusable("sys/devices/system/cpu/cpu5/topology/core_cpus_list", "1,x");
}

TEST_F(ReadMachineTest, ErrorsOfZonesDoSo) { ExpectUnusable("sys/devices/system/node/node1/cpulist", "2 3"); }
TEST_F(ReadMachineTest, ErrorsOfMemoryDoSo) {
  ExpectUnusable("sys/devices/system/node/node1/meminfo", "MemFree: 5 kB");
}
TEST_F(ReadMachineTest, ErrorsOfDistancesDoSo) { ExpectUnusable("sys/devices/system/node/node1/distance", "10 -1"); }
TEST_F(ReadMachineTest, ErrorsOfPackagesDoSo) {
  ExpectUnusable("sys/devices/system/cpu/cpu1/topology/physical_package_id", "one");
}
TEST_F(ReadMachineTest, ErrorsOfHugePagesDoSo) {
  ExpectUnusable("sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages", "-1");
}

TEST_F(ReadMachineTest, AMachineIsOfUseWithoutItsCaches) {
  made_.TwoZones();
  made_.OfCpu(0, "cache/index0/level", "1\n");
  made_.OfCpu(0, "cache/index0/shared_cpu_list", "0\n");
  made_.OfCpu(0, "cache/index0/size", "32M\n");
  const Machine machine = Read();
  EXPECT_THAT(machine.caches, IsEmpty());
  EXPECT_THAT(machine.notices,
              ElementsAre(::testing::AllOf(
                  HasSubstr(Concat("no caches: ", made_.At("sys/devices/system/cpu/cpu0/cache/index0/size"))),
                  HasSubstr("it holds \"32M\""))));
}

TEST_F(ReadMachineTest, ALongContentIsCut) {
  made_.TwoZones();
  made_.OfNode(0, "distance", std::string(5000, '\x01'));
  const std::string message(Message(ReadMachine(made_.root()).status()));
  EXPECT_THAT(message, HasSubstr("\\001\\001"));
  EXPECT_LT(message.size(), 700U);
}

TEST_F(ReadMachineTest, AFolderInPlaceOfAFileIsAnError) {
  made_.TwoZones();
  made_.Remove("sys/devices/system/node/node0/distance");
  made_.Write("sys/devices/system/node/node0/distance/odd", "");
  EXPECT_THAT(std::string(Message(ReadMachine(made_.root()).status())),
              HasSubstr(made_.At("sys/devices/system/node/node0/distance")));
}

TEST_F(ReadMachineTest, NumbersThatNoKernelWritesAreErrors) {
  made_.TwoZones();
  made_.Write("sys/devices/system/node/node007/cpulist", "");
  EXPECT_THAT(std::string(Message(ReadMachine(made_.root()).status())), HasSubstr("holds node007"));
}

}  // namespace
}  // namespace huygens::machine
