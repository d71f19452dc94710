// Random nodes with a past (tests/kubelet/world.h), through the objects of a cluster: what kubelet does with
// the next pod, by the naive rerun of its managers that sees everything, must follow from the Node, the topology object
// and the pods on the node, in which nobody says which CPUs are free and which device is in which zone.
#include <gtest/gtest.h>

#include <algorithm>

#include "cluster/state.h"
#include "kubelet/account.h"
#include "kubelet/request.h"
#include "kubelet/settings.h"
#include "tests/kubelet/predictions.h"
#include "tests/kubelet/vector_objects.h"
#include "tests/kubelet/world.h"
#include "tests/wire/known_pod.h"
#include "wire/node.h"
#include "wire/topology.h"

namespace huygens::kubelet::test {
namespace {

namespace json = boost::json;

template <typename T>
T Good(StatusOr<T> decoded) {
  EXPECT_TRUE(decoded.ok()) << decoded.status().ToString();
  return decoded.ok() ? *std::move(decoded) : T();
}

std::string Predicted(const json::object& vector, const cluster::Pod& pod, ResourceNames& names) {
  Account account{Defaults()};
  cluster::State state;
  state.AddAccount(account);
  state.Apply(cluster::NodeSet{Good(wire::DecodeNode(json::serialize(NodeObjectOf(vector)), names))});
  state.Apply(
      cluster::TopologySet{Good(wire::DecodeCommunityTopology(json::serialize(TopologyObjectOf(vector)), names))});
  for (const json::value& each : vector.at("pods").as_array()) {
    cluster::Pod on_node = Good(huygens::test::DecodeKnownPod(HolderOf(each.as_object()), names));
    state.Apply(cluster::PodSet{std::make_shared<cluster::Pod>(std::move(on_node))});
  }
  const Prediction prediction = account.Predict(*state.FindNode(kVectorNode), RequestOf(pod));
  if (prediction.Admitted()) return "admitted";
  return Concat(Text(prediction.admission), prediction.at_merge ? " merge " : " allocate ",
                std::to_string(prediction.container));
}

struct Tally {
  int admitted = 0;  // by kubelet
  int wrong = 0, too_kind = 0;
};

// Asks of so many worlds, and calls `wrong(world, what)` for each that is not foreseen.
template <typename Wrong>
Tally Count(const KubeletWorld::Kind& kind, uint64_t worlds, Wrong wrong) {
  Tally tally;
  for (uint64_t seed = 1; seed <= worlds; ++seed) {
    ResourceNames names;
    const KubeletWorld world(seed, kind, names);
    const std::string truth = world.Truth().outcome;
    const std::string predicted = Predicted(world.Vector(), world.Asks(), names);
    tally.admitted += truth == "admitted" ? 1 : 0;
    if (predicted == truth) continue;
    ++tally.wrong;
    tally.too_kind += predicted == "admitted" ? 1 : 0;
    wrong(world, Concat("world ", std::to_string(seed), ": ", predicted, ", kubelet: ", truth));
  }
  return tally;
}

void ExpectForeseen(const KubeletWorld::Kind& kind) {
  constexpr int kWorlds = 2000;
  const Tally tally = Count(kind, kWorlds, [](const KubeletWorld& world, const std::string& what) {
    if (!testing::Test::HasFailure()) ADD_FAILURE() << what << "\n" << json::serialize(world.Vector());
  });
  EXPECT_EQ(tally.wrong, 0);
  // Both sides of the question are asked often enough.
  EXPECT_GT(tally.admitted, kWorlds / 10);
  EXPECT_LT(tally.admitted, kWorlds * 9 / 10);
}

TEST(KubeletObjectsProperty, AnyNode) { ExpectForeseen({}); }
TEST(KubeletObjectsProperty, MemoryThatSpansZonesWhichGiveNone) { ExpectForeseen({.scarce_memory = true}); }
TEST(KubeletObjectsProperty, DevicesOfNoZone) { ExpectForeseen({.homeless_devices = true}); }
TEST(KubeletObjectsProperty, DevicesOfNoZoneBesideMemoryThatSpansZones) {
  ExpectForeseen({.scarce_memory = true, .homeless_devices = true});
}

// With full-pcpus-only it counts whether a free CPU is the sibling of a reserved one, which no object says of a zone
// that is partly in use; and where cores differ kubelet takes a core of two threads for whole when one is free, so that
// the other is given out twice.
TEST(KubeletObjectsProperty, CoresOfOneAndOfTwoThreads) {
  constexpr int kWorlds = 4000;
  const Tally tally = Count({.mixed_cores = true}, kWorlds, [](const KubeletWorld& world, const std::string& what) {
    const bool known = std::ranges::all_of(world.machine().zones, [](const Zone& zone) {
      return zone.cpu_free == 0 || zone.cpu_free == zone.cpu_allocatable;
    });
    if (known) ADD_FAILURE() << what << "\n" << json::serialize(world.Vector());
  });
  std::printf("mixed cores: %d of %d wrong, %d of them too kind\n", tally.wrong, kWorlds, tally.too_kind);
  EXPECT_LT(tally.wrong, kWorlds * 2 / 100);
  EXPECT_LT(tally.too_kind, kWorlds * 4 / 1000);
  EXPECT_GT(tally.admitted, kWorlds / 10);
}

}  // namespace
}  // namespace huygens::kubelet::test
