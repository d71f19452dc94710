#include "pinning/assignment.h"

#include <gtest/gtest.h>

#include "pinning/adopted.h"
#include "tests/pinning/made_node.h"

namespace huygens::pinning {
namespace {

using cluster::Smt;
using testing::MadeMachine;
using testing::MadePod;
using testing::OwnOf;

// Two zones of four cores with two threads: zone 0 has CPUs 0-7, zone 1 CPUs 8-15; CPUs 0 and 1 are reserved.
const NodeCpus kNode = MakeNodeCpus(MadeMachine(2, 4, 2), {0, 1});

std::string CpusOf(const Assignment& assignment, const LivePod& pod, size_t container) {
  return ListOf(PlaceOf(kNode, assignment, pod, pod.containers[container]).cpus);
}

TEST(Assignment, GivesWholeCoresOfTheZonesThatTheResultNames) {
  const std::vector<LivePod> pods = {MadePod("a", Pool::kExclusive, {{1, 4}}, {4}),
                                     MadePod("b", Pool::kExclusive, {{0, 2}, {1, 2}}, {4})};
  const Assignment assignment = Assign(kNode, pods, {});
  EXPECT_EQ(OwnOf(assignment, "a"), "8-11");
  EXPECT_EQ(OwnOf(assignment, "b"), "2-3,12-13");
  EXPECT_EQ(ListOf(assignment.shared), "0-1,4-7,14-15");
}

TEST(Assignment, LeavesReservedCpusToTheSharedAlone) {
  const std::vector<LivePod> pods = {MadePod("a", Pool::kExclusive, {{0, 6}}, {6}),
                                     MadePod("s", Pool::kShared, {}, {0})};
  const Assignment assignment = Assign(kNode, pods, {});
  EXPECT_EQ(OwnOf(assignment, "a"), "2-7");
  EXPECT_EQ(CpusOf(assignment, pods[1], 0), "0-1,8-15");
}

TEST(Assignment, ExcludesReservedCpusWhereAPodSaysSo) {
  LivePod pod = MadePod("s", Pool::kShared, {}, {0});
  pod.ask.exclude_reserved = true;
  EXPECT_EQ(CpusOf(Assign(kNode, {pod}, {}), pod, 0), "2-15");
}

TEST(Assignment, DividesAPodAmongItsContainersAndKeepsOneZoneForEach) {
  const std::vector<LivePod> pods = {MadePod("a", Pool::kExclusive, {{0, 4}, {1, 2}}, {2, 4, 0})};
  const Assignment assignment = Assign(kNode, pods, {});
  EXPECT_EQ(OwnOf(assignment, "a"), "2-5,8-9");
  EXPECT_EQ(CpusOf(assignment, pods[0], 0), "8-9");
  EXPECT_EQ(CpusOf(assignment, pods[0], 1), "2-5");
  EXPECT_EQ(CpusOf(assignment, pods[0], 2), "0-1,6-7,10-15");
}

TEST(Assignment, HoldsAPodsCpusBeforeAllItsContainersAreThere) {
  LivePod pod = MadePod("a", Pool::kExclusive, {{0, 4}}, {2, 2});
  const LiveContainer second = pod.containers[1];
  pod.containers.pop_back();
  const Assignment first = Assign(kNode, {pod}, {});
  EXPECT_EQ(OwnOf(first, "a"), "2-5");
  const LivePod other = MadePod("b", Pool::kExclusive, {{0, 2}}, {2});
  const Assignment between = Assign(kNode, {pod, other}, first.pods);
  EXPECT_EQ(OwnOf(between, "b"), "6-7");
  pod.containers.push_back(second);
  const Assignment last = Assign(kNode, {pod, other}, between.pods);
  EXPECT_EQ(CpusOf(last, pod, 0), "2-3");
  EXPECT_EQ(CpusOf(last, pod, 1), "4-5");
}

TEST(Assignment, GivesAContainerThatComesBackWhatItHad) {
  LivePod pod = MadePod("a", Pool::kExclusive, {{0, 4}}, {2, 2});
  const Assignment first = Assign(kNode, {pod}, {});
  const LiveContainer crashed = pod.containers[0];
  pod.containers.erase(pod.containers.begin());
  const Assignment between = Assign(kNode, {pod}, first.pods);
  pod.containers.push_back({"again", crashed.name, crashed.cpus});
  const Assignment last = Assign(kNode, {pod}, between.pods);
  EXPECT_EQ(last.pods.at("a").containers, first.pods.at("a").containers);
}

TEST(Assignment, LetsAnInitContainersCpusGoToTheContainersAfterIt) {
  LivePod pod = MadePod("a", Pool::kExclusive, {{0, 4}}, {4});
  const Assignment first = Assign(kNode, {pod}, {});
  pod.containers = {{"main", "main", 2}, {"side", "side", 2}};
  const Assignment last = Assign(kNode, {pod}, first.pods);
  EXPECT_EQ(CpusOf(last, pod, 0), "2-3");
  EXPECT_EQ(CpusOf(last, pod, 1), "4-5");
}

TEST(Assignment, LetsNumaPodsShareWhatNobodyOwnsInTheirZones) {
  const LivePod numa = MadePod("n", Pool::kNuma, {{0, 2}}, {2});
  EXPECT_EQ(CpusOf(Assign(kNode, {numa}, {}), numa, 0), "2-7");
  const Assignment assignment = Assign(kNode, {numa, MadePod("a", Pool::kExclusive, {{0, 4}}, {4})}, {});
  EXPECT_EQ(CpusOf(assignment, numa, 0), "6-7");
}

TEST(Assignment, TakesNoLastCpuFromANumaPod) {
  const LivePod numa = MadePod("n", Pool::kNuma, {{0, 2}}, {2}), greedy = MadePod("a", Pool::kExclusive, {{0, 6}}, {6});
  const Assignment assignment = Assign(kNode, {numa, greedy}, {});
  EXPECT_EQ(CpusOf(assignment, numa, 0), "2-7");
  EXPECT_NE(PlaceOf(kNode, assignment, greedy, greedy.containers[0]).why.find("default/n"), std::string::npos);
}

TEST(Assignment, LeavesTheSharedTheirLastCpu) {
  const NodeCpus all = MakeNodeCpus(MadeMachine(1, 2, 1), {});
  const LivePod greedy = MadePod("a", Pool::kExclusive, {{0, 2}}, {2});
  const Assignment assignment = Assign(all, {greedy}, {});
  EXPECT_EQ(ListOf(assignment.shared), "0-1");
  const Place place = PlaceOf(all, assignment, greedy, greedy.containers[0]);
  EXPECT_EQ(place.pool, Pool::kShared);
  EXPECT_NE(place.why.find("reservedSystemCPUs"), std::string::npos);
}

TEST(Assignment, KeepsImmovableCpusInTheSharedPoolButGivesThemToNobodyElse) {
  const std::vector<LivePod> pods = {MadePod("i", Pool::kImmovable, {{1, 2}}, {2}),
                                     MadePod("a", Pool::kExclusive, {{1, 6}}, {6})};
  const Assignment assignment = Assign(kNode, pods, {});
  EXPECT_EQ(OwnOf(assignment, "i"), "8-9");
  EXPECT_EQ(OwnOf(assignment, "a"), "10-15");
  EXPECT_EQ(ListOf(assignment.shared), "0-9");
}

TEST(Assignment, KeepsTheSiblingsOfAnIsolatedPodIdle) {
  const Assignment assignment = Assign(kNode, {MadePod("i", Pool::kExclusive, {{1, 3}}, {3}, Smt::kIsolate)}, {});
  EXPECT_EQ(OwnOf(assignment, "i"), "8-10");
  EXPECT_EQ(ListOf(assignment.pods.at("i").idle), "11");
  EXPECT_EQ(ListOf(assignment.shared), "0-7,12-15");
}

TEST(Assignment, SpreadsTheThreadsOfEachContainer) {
  const std::vector<LivePod> pods = {MadePod("s", Pool::kExclusive, {{1, 6}}, {4, 2}, Smt::kSpread)};
  const Assignment assignment = Assign(kNode, pods, {});
  EXPECT_EQ(CpusOf(assignment, pods[0], 0), "8,10,12,14");
  EXPECT_EQ(CpusOf(assignment, pods[0], 1), "9,11");
}

TEST(Assignment, PacksWhatIsLeftOverBesideOthers) {
  const std::vector<LivePod> pods = {MadePod("p", Pool::kExclusive, {{1, 3}}, {3}, Smt::kPack),
                                     MadePod("q", Pool::kExclusive, {{1, 1}}, {1}, Smt::kPack)};
  const Assignment assignment = Assign(kNode, pods, {});
  EXPECT_EQ(OwnOf(assignment, "p"), "8-10");
  EXPECT_EQ(OwnOf(assignment, "q"), "11");
}

TEST(Assignment, MovesWhoDoesNotSayHowWhereWholeCoresWerePromised) {
  // One thread of each core is taken: no core is whole until two of the four have moved together.
  std::vector<LivePod> pods;
  PodSets before;
  for (int i = 0; i < 4; ++i) {
    pods.push_back(MadePod(std::to_string(i), Pool::kExclusive, {{1, 1}}, {1}));
    CpuSet had;
    had.Add(static_cast<size_t>(8 + 2 * i));
    before[pods.back().uid] = Had({{"c0", had}});
  }
  pods.push_back(MadePod("whole", Pool::kExclusive, {{1, 4}}, {4}, Smt::kIsolate));
  const Assignment assignment = Assign(kNode, pods, before);
  EXPECT_EQ(assignment.pods.at("whole").why, "");
  EXPECT_EQ(OwnOf(assignment, "whole"), "8-11");
  EXPECT_EQ(assignment.moved, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(OwnOf(assignment, "2"), "12");
  EXPECT_EQ(OwnOf(assignment, "3"), "14");
}

TEST(Assignment, KeepsWhatSomebodyHasThoughItIsReservedOrOfflineNow) {
  const LivePod pod = MadePod("a", Pool::kExclusive, {{0, 4}}, {4});
  const Assignment first = Assign(kNode, {pod}, {});
  machine::Machine changed = MadeMachine(2, 4, 2);
  std::erase(changed.online, 5);
  std::erase(changed.zones[0].cpus, 5);
  std::erase(changed.cores[2].cpus, 5);
  const NodeCpus node = MakeNodeCpus(changed, {0, 1, 2});
  const Assignment later = Assign(node, {pod}, first.pods);
  EXPECT_EQ(OwnOf(later, "a"), "2-5");
  ASSERT_EQ(later.conflicts.size(), 2U);
  EXPECT_NE(later.conflicts[0].find("5, which are offline"), std::string::npos);
  EXPECT_NE(later.conflicts[1].find("2, which are reserved"), std::string::npos);
  EXPECT_EQ(ListOf(PlaceOf(node, later, pod, pod.containers[0]).cpus), "2-4");
  EXPECT_EQ(ListOf(later.shared), "0-1,6-15");
}

TEST(Assignment, SaysWhyAZoneCannotGive) {
  const LivePod far = MadePod("f", Pool::kExclusive, {{7, 2}}, {2}),
                large = MadePod("l", Pool::kExclusive, {{0, 7}}, {7});
  const Assignment assignment = Assign(kNode, {far, large}, {});
  EXPECT_NE(PlaceOf(kNode, assignment, far, far.containers[0]).why.find("node7"), std::string::npos);
  EXPECT_NE(PlaceOf(kNode, assignment, large, large.containers[0]).why.find("6 of 6 are free"), std::string::npos);
}

TEST(Assignment, SetsMemoryOnlyWhereTheResultPromisesAny) {
  LivePod pod = MadePod("a", Pool::kExclusive, {{1, 2}}, {2});
  EXPECT_TRUE(PlaceOf(kNode, Assign(kNode, {pod}, {}), pod, pod.containers[0]).mems.empty());
  pod.ask.memory_zones = {0, 1};
  EXPECT_EQ(PlaceOf(kNode, Assign(kNode, {pod}, {}), pod, pod.containers[0]).mems, (machine::Ids{0, 1}));
}

TEST(Assignment, LeavesIsolatedCpusAndThoseOfNoZoneOutOfEverySet) {
  machine::Machine changed = MadeMachine(2, 2, 1);
  changed.isolated = {2};
  changed.online.push_back(9);
  changed.without_zone = {9};
  const Assignment assignment = Assign(MakeNodeCpus(changed, {}), {}, {});
  EXPECT_EQ(ListOf(assignment.shared), "0-1,3");
}

TEST(Adopted, TakesOverWhatCanOnlyBeAContainersOwn) {
  const std::vector<LivePod> pods = {MadePod("a", Pool::kExclusive, {{1, 2}}, {2}),
                                     MadePod("b", Pool::kExclusive, {{1, 2}}, {2})};
  PodSets before;
  AdoptRunning(kNode, pods, {{"a-0", *ParseSet("12,14")}, {"b-0", *ParseSet("0-15")}}, before);
  const Assignment assignment = Assign(kNode, pods, before);
  EXPECT_EQ(OwnOf(assignment, "a"), "12,14");
  EXPECT_EQ(OwnOf(assignment, "b"), "8-9");
}

}  // namespace
}  // namespace huygens::pinning
