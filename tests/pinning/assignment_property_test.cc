// Any pods on any machine, and on recorded ones: owners are apart, the shared pool is never empty, who has CPUs keeps
// them, each gets what its zones were said to give, and who comes and goes leaves all as it was.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "pinning/assignment.h"
#include "tests/fake/temporary_directory.h"
#include "tests/pinning/made_node.h"

namespace huygens::pinning {
namespace {

using cluster::Smt;

LivePod AnyPod(const NodeCpus& node, int number) {
  std::vector<ZoneShare> zones;
  int total = 0;
  for (const ZoneCpus& zone : node.zones) {
    const int most = zone.assignable.Count();
    if (most == 0 || *rc::gen::inRange(0, 3) > 0) continue;
    const int cpus = *rc::gen::inRange(1, std::min(most, 12) + 1);
    zones.push_back({zone.id, cpus});
    total += cpus;
  }
  const std::string uid = "p" + std::to_string(number);
  if (total == 0) return testing::MadePod(uid, Pool::kShared, {}, {0});
  const int first = *rc::gen::inRange(1, total + 1);
  std::vector<int> containers = {first};
  if (total > first) containers.push_back(total - first);
  if (*rc::gen::arbitrary<bool>()) containers.push_back(0);
  const Pool pool = *rc::gen::element(Pool::kExclusive, Pool::kExclusive, Pool::kImmovable, Pool::kNuma);
  return testing::MadePod(uid, pool, zones, containers,
                          *rc::gen::element(Smt::kUnset, Smt::kUnset, Smt::kSpread, Smt::kPack, Smt::kIsolate));
}

void CheckOwners(const NodeCpus& node, const std::vector<LivePod>& pods, const Assignment& now) {
  RC_ASSERT(!now.shared.empty());
  RC_ASSERT(Within(now.shared, node.shared));
  CpuSet taken;
  for (const LivePod& pod : pods) {
    CpuSet of_pod;
    for (const LiveContainer& each : pod.containers) {
      const Place place = PlaceOf(node, now, pod, each);
      RC_ASSERT(!place.cpus.empty());
      RC_ASSERT(Within(place.cpus, node.online));
      if (place.pool == Pool::kNuma) RC_ASSERT(!Meet(place.cpus, now.exclusive));
      if (place.pool != Pool::kExclusive && place.pool != Pool::kImmovable) continue;
      RC_ASSERT(!Meet(place.cpus, of_pod));
      of_pod |= place.cpus;
      if (place.pool == Pool::kExclusive) RC_ASSERT(!Meet(place.cpus, now.shared));
    }
    const auto at = now.pods.find(pod.uid);
    if (at == now.pods.end() || at->second.own.empty()) continue;
    RC_ASSERT(!Meet(at->second.own | at->second.idle, taken));
    taken |= at->second.own | at->second.idle;
    RC_ASSERT(Within(of_pod, at->second.own));
    for (const ZoneShare& share : pod.ask.zones) {
      RC_ASSERT(at->second.own.CountIn(node.Zone(share.zone)->shared) == share.cpus);
    }
  }
}

// An isolated pod's cores have nobody else on them; no container of a spread pod has two threads of a core while there
// are cores enough among the pod's own.
void CheckCores(const NodeCpus& node, const std::vector<LivePod>& pods, const Assignment& now) {
  for (const LivePod& pod : pods) {
    const auto at = now.pods.find(pod.uid);
    if (at == now.pods.end() || pod.ask.smt != Smt::kIsolate || pod.ask.pool != Pool::kExclusive) continue;
    for (const ZoneCpus& zone : node.zones) {
      for (const CpuSet& core : zone.cores) {
        if (Meet(core, at->second.own)) RC_ASSERT(Within(core, at->second.own | at->second.idle));
      }
    }
  }
}

void ComeAndGo(const NodeCpus& node) {
  std::vector<LivePod> pods;
  Assignment now = Assign(node, pods, {});
  const Assignment at_first = now;
  int made = 0;
  for (int step = *rc::gen::inRange(1, 25); step > 0; --step) {
    if (!pods.empty() && *rc::gen::inRange(0, 3) == 0) {
      pods.erase(pods.begin() + *rc::gen::inRange(0, static_cast<int>(pods.size())));
    } else {
      pods.push_back(AnyPod(node, ++made));
    }
    const Assignment before = std::move(now);
    now = Assign(node, pods, before.pods);
    CheckOwners(node, pods, now);
    CheckCores(node, pods, now);
    for (const LivePod& pod : pods) {
      const auto had = before.pods.find(pod.uid);
      if (had == before.pods.end() || had->second.own.empty()) continue;
      const bool moved = std::ranges::find(now.moved, pod.uid) != now.moved.end();
      RC_ASSERT(moved || now.pods.at(pod.uid).own == had->second.own);
      if (pod.ask.smt != Smt::kUnset || pod.ask.pool == Pool::kImmovable) RC_ASSERT(!moved);
    }
    const Assignment again = Assign(node, pods, now.pods);
    RC_ASSERT(again.shared == now.shared);
    RC_ASSERT(again.moved.empty());
  }
  now = Assign(node, {}, now.pods);
  RC_ASSERT(now.shared == at_first.shared);
  RC_ASSERT(now.pods.empty());
}

RC_GTEST_PROP(AssignmentProperty, KeepsOwnersApartOnAnyMachine, ()) {
  machine::Machine machine =
      testing::MadeMachine(*rc::gen::inRange(1, 5), *rc::gen::inRange(1, 7), *rc::gen::inRange(1, 5));
  machine::Ids reserved;
  for (const int cpu : machine.online) {
    if (*rc::gen::inRange(0, 8) == 0) reserved.push_back(cpu);
    if (*rc::gen::inRange(0, 12) == 0) machine.isolated.push_back(cpu);
  }
  if (machine.isolated.size() == machine.online.size()) machine.isolated.clear();
  ComeAndGo(MakeNodeCpus(machine, reserved));
}

const std::filesystem::path kRecorded = std::filesystem::path(HUYGENS_SHARED_DATA) / "sysfs";

TEST(AssignmentOnRecordedMachines, KeepsOwnersApart) {
  std::error_code none;
  std::vector<NodeCpus> nodes;
  for (const auto& each : std::filesystem::directory_iterator(kRecorded, none)) {
    const std::string archive = each.path().string();
    if (!archive.ends_with(".tar.xz")) continue;
    const fake::TemporaryDirectory folder;
    const std::string command = Concat("tar -xJf ", archive, " -C ", folder.path());
    ASSERT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT: a shell
    const auto machine = machine::ReadMachine(folder.path());
    ASSERT_TRUE(machine.ok()) << archive << machine.status();
    nodes.push_back(MakeNodeCpus(*machine, {machine->online.front()}));
    ASSERT_FALSE(nodes.back().shared.empty()) << archive;
    ASSERT_FALSE(Meet(nodes.back().shared, SetOf(machine->without_zone) | SetOf(machine->isolated))) << archive;
  }
  if (nodes.empty()) GTEST_SKIP() << "no recorded machines at " << kRecorded;
  const auto last = static_cast<int>(nodes.size());
  EXPECT_TRUE(rc::check([&] { ComeAndGo(nodes[static_cast<size_t>(*rc::gen::inRange(0, last))]); }));
}

}  // namespace
}  // namespace huygens::pinning
