#include "kubelet/account.h"

#include <gtest/gtest.h>

#include "tests/kubelet/node.h"

namespace huygens::kubelet {
namespace {

using test::BoundPod;
using test::Fingerprint;
using test::Gi;
using test::GuaranteedPod;
using test::Object;

constexpr NodeIndex kNode = 0;
const Time kStart = Time(std::chrono::hours(24 * 365 * 56));

int FreeCpus(const Account& account, size_t zone) { return account.Free(kNode).zones[zone].cpu_free; }

cluster::PlacedPod Placed(std::shared_ptr<const cluster::Pod> pod, std::vector<cluster::ZoneAmount> zones = {}) {
  return {std::move(pod), kNode, std::move(zones)};
}

// Two zones with 8 CPUs and 16 Gi each, nothing in use, of single-numa-node and scope container.
cluster::NodeTopology Idle() { return Object({{8, 16}, {8, 16}}); }

TEST(Account, ChargesAReservationToItsPredictedZonesOnly) {
  Account account(Defaults());
  auto object = Idle();
  account.NodeChanged(kNode, &object);
  auto pod = GuaranteedPod("a", {{3, 2}});
  account.Place(Placed(pod, {{1, {{kCpu, 3000}, {kMemory, 2 * Gi}}}}));
  EXPECT_EQ(FreeCpus(account, 0), 8);
  EXPECT_EQ(FreeCpus(account, 1), 5);
  account.Leave(Placed(pod));
  EXPECT_EQ(FreeCpus(account, 1), 8);
}

TEST(Account, ChargesAForeignPodToEveryZoneUntilAnObjectContainsIt) {
  Account account(Defaults());
  auto object = Idle();
  object.written = kStart;
  account.NodeChanged(kNode, &object);
  auto pod = BoundPod(*GuaranteedPod("foreign", {{3, 2}}), {}, kStart + std::chrono::seconds(5));
  account.Place(Placed(pod));
  EXPECT_EQ(FreeCpus(account, 0), 5);
  EXPECT_EQ(FreeCpus(account, 1), 5);

  auto newer = Object({{8, 16}, {5, 14}});
  newer.written = kStart + std::chrono::seconds(14);  // within the margin: may have been read before the pod came
  account.NodeChanged(kNode, &newer);
  EXPECT_EQ(FreeCpus(account, 0), 5);
  EXPECT_EQ(FreeCpus(account, 1), 2);

  newer.written = kStart + std::chrono::seconds(15);
  account.NodeChanged(kNode, &newer);
  EXPECT_EQ(FreeCpus(account, 0), 8);
  EXPECT_EQ(FreeCpus(account, 1), 5);
}

TEST(Account, RecognisesALaggingObjectByItsFingerprint) {
  Account account(Defaults());
  auto with = [](cluster::NodeTopology object, std::vector<std::string> pods) {
    object.attributes.emplace_back("nodeTopologyPodsFingerprint", Fingerprint(pods));
    return object;
  };
  auto none = with(Idle(), {});
  account.NodeChanged(kNode, &none);
  auto a = BoundPod(*GuaranteedPod("a", {{3, 1}}), {{0, {{kCpu, 3000}, {kMemory, Gi}}}}, kStart);
  auto b = BoundPod(*GuaranteedPod("b", {{2, 1}}), {{0, {{kCpu, 2000}, {kMemory, Gi}}}}, kStart);
  account.Place(Placed(a));
  account.Place(Placed(b));
  EXPECT_EQ(FreeCpus(account, 0), 3);

  auto lagging = with(Object({{5, 15}, {8, 16}}), {"a"});
  account.NodeChanged(kNode, &lagging);
  EXPECT_EQ(FreeCpus(account, 0), 3);

  auto both = with(Object({{3, 14}, {8, 16}}), {"b", "a"});
  account.NodeChanged(kNode, &both);
  EXPECT_EQ(FreeCpus(account, 0), 3);
  account.NodeChanged(kNode, &lagging);  // out of order
  EXPECT_EQ(FreeCpus(account, 0), 3);

  // What leaves is given back once: not again when the object shows it gone, nor after that by an old object.
  account.NodeChanged(kNode, &both);
  account.Leave(Placed(a));
  EXPECT_EQ(FreeCpus(account, 0), 6);
  auto only_b = with(Object({{6, 15}, {8, 16}}), {"b"});
  account.NodeChanged(kNode, &only_b);
  EXPECT_EQ(FreeCpus(account, 0), 6);
  account.NodeChanged(kNode, &both);
  EXPECT_EQ(FreeCpus(account, 0), 6);
}

TEST(Account, DoubtsAPredictionOnceAnotherPodLeavesBeforeKubeletSawThePod) {
  Account account(Defaults());
  auto object = Idle();
  account.NodeChanged(kNode, &object);
  auto a = GuaranteedPod("a", {{5, 1}});
  auto b = GuaranteedPod("b", {{4, 1}});
  account.Place(Placed(a, {{0, {{kCpu, 5000}, {kMemory, Gi}}}}));
  account.Place(Placed(b, {{1, {{kCpu, 4000}, {kMemory, Gi}}}}));
  account.Leave(Placed(a));  // it was never bound: kubelet will put b into zone 0
  EXPECT_EQ(FreeCpus(account, 0), 4);
  EXPECT_EQ(FreeCpus(account, 1), 4);
}

TEST(Account, GivesNothingBackWherePublishedFiguresContradictThePredictions) {
  Account account(Defaults());
  auto object = Object({{8, 16}, {5, 15}});
  object.attributes.emplace_back("nodeTopologyPodsFingerprint", Fingerprint({"a"}));
  account.NodeChanged(kNode, &object);
  auto a = BoundPod(*GuaranteedPod("a", {{3, 1}}), {{0, {{kCpu, 3000}, {kMemory, Gi}}}}, kStart);
  account.Place(Placed(a));
  account.Leave(Placed(a));
  EXPECT_EQ(FreeCpus(account, 0), 8);
  EXPECT_EQ(FreeCpus(account, 1), 5);
}

TEST(Account, LetsNoPodThroughThatMoreRoomThanIsKnownWouldMakeKubeletRefuse) {
  Account account(Defaults());
  auto object = Object({{2, 15}, {8, 16}}, "restricted");
  object.attributes.emplace_back("nodeTopologyPodsFingerprint", Fingerprint({"leaver"}));
  account.NodeChanged(kNode, &object);
  auto leaver = BoundPod(*GuaranteedPod("leaver", {{2, 1}}), {{0, {{kCpu, 2000}, {kMemory, Gi}}}}, kStart);
  account.Place(Placed(leaver));

  auto pod = GuaranteedPod("new", {{6, 1}});
  pod->init_containers = GuaranteedPod("init", {{3, 1}})->containers;
  const Request request = RequestOf(*pod);
  EXPECT_TRUE(account.Predict(kNode, request).Admitted());  // both containers in zone 1

  // As soon as kubelet has let the pod go, the init container would go to zone 0, where the other one does not fit.
  auto deleting = std::make_shared<cluster::Pod>(*leaver);
  deleting->deleting = true;
  account.Leave(Placed(leaver));
  account.Place(Placed(deleting));
  EXPECT_FALSE(account.Predict(kNode, request).Admitted());
}

TEST(Account, ChargesTheMoreOfSpecAndAllocatedWhileAPodIsResized) {
  Account account(Defaults());
  auto object = Idle();
  object.written = kStart;
  account.NodeChanged(kNode, &object);
  auto pod = BoundPod(*GuaranteedPod("shrinking", {{2, 1}}), {}, kStart);
  pod->containers[0].status.emplace().allocated = {{kCpu, 5000}, {kMemory, Gi}};
  account.Place(Placed(pod));
  EXPECT_EQ(FreeCpus(account, 0), 3);
}

TEST(Account, GivesBackNothingWhenTheObjectWasFasterThanTheWatchOfPods) {
  Account account(Defaults());
  auto object = Object({{5, 15}, {8, 16}});
  object.written = kStart + std::chrono::minutes(1);
  account.NodeChanged(kNode, &object);
  auto pod = BoundPod(*GuaranteedPod("a", {{3, 1}}), {{0, {{kCpu, 3000}, {kMemory, Gi}}}}, kStart);
  account.Place(Placed(pod));
  EXPECT_EQ(FreeCpus(account, 0), 5);
  auto without = Idle();
  without.written = kStart + std::chrono::minutes(2);
  account.NodeChanged(kNode, &without);
  account.Leave(Placed(pod));
  EXPECT_EQ(FreeCpus(account, 0), 8);
  account.NodeChanged(kNode, &object);  // without a fingerprint nobody knows which of the two is the newer
  EXPECT_EQ(FreeCpus(account, 0), 5);
}

TEST(Account, ChangesNothingWhenAPodLeavesAndComesBackInAnyOrder) {
  Account account(Defaults());
  auto object = Object({{3, 14}, {8, 16}});
  object.attributes.emplace_back("nodeTopologyPodsFingerprint", Fingerprint({"a", "b"}));
  account.NodeChanged(kNode, &object);
  auto a = Placed(BoundPod(*GuaranteedPod("a", {{3, 1}}), {{0, {{kCpu, 3000}, {kMemory, Gi}}}}, kStart));
  auto b = Placed(BoundPod(*GuaranteedPod("b", {{2, 1}}), {{0, {{kCpu, 2000}, {kMemory, Gi}}}}, kStart));
  account.Place(a);
  account.Place(b);
  const Machine before = account.Free(kNode);
  account.Leave(a);
  EXPECT_EQ(FreeCpus(account, 0), 6);  // as preemption asks
  account.Leave(b);
  EXPECT_EQ(FreeCpus(account, 0), 8);
  account.Place(a);
  account.Place(b);
  EXPECT_EQ(account.Free(kNode), before);
  const cluster::PlacedPod* all[] = {&b, &a};
  EXPECT_FALSE(account.Recount(kNode, all));
  EXPECT_TRUE(account.Recount(kNode, {all, 1}));
}

TEST(Account, ChargesWhatExportersDoNotShowOfInitContainers) {
  Account account(Defaults());
  auto object = Object({{6, 15}, {8, 16}});  // of the pod only the app container
  account.NodeChanged(kNode, &object);
  auto pod = GuaranteedPod("a", {{2, 1}});
  pod->init_containers.push_back(GuaranteedPod("", {{5, 1}})->containers[0]);
  account.Place(Placed(BoundPod(*pod, {{0, {{kCpu, 5000}, {kMemory, Gi}}}}, kStart)));
  EXPECT_EQ(FreeCpus(account, 0), 3);
}

TEST(Account, ChargesNothingBesidesAnObjectThatCountsInitContainers) {
  Account account(Defaults());
  auto object = Object({{3, 15}, {8, 16}});
  object.attributes.emplace_back("huygens.dev/init-containers", "counted");
  account.NodeChanged(kNode, &object);
  auto pod = GuaranteedPod("a", {{2, 1}});
  pod->init_containers.push_back(GuaranteedPod("", {{5, 1}})->containers[0]);
  account.Place(Placed(BoundPod(*pod, {{0, {{kCpu, 5000}, {kMemory, Gi}}}}, kStart)));
  EXPECT_EQ(FreeCpus(account, 0), 3);
  EXPECT_EQ(FreeCpus(account, 1), 8);
  // One that it does not contain yet is charged with all that it holds.
  auto other = GuaranteedPod("b", {{1, 1}});
  other->init_containers.push_back(GuaranteedPod("", {{4, 1}})->containers[0]);
  account.Place(Placed(other, {{1, {{kCpu, 4000}, {kMemory, Gi}}}}));
  EXPECT_EQ(FreeCpus(account, 1), 4);
}

TEST(Account, DoesNotBelieveAPlacementOfAnotherPodOrOfTooLittle) {
  Account account(Defaults());
  auto object = Idle();
  account.NodeChanged(kNode, &object);
  cluster::Pod copied = *BoundPod(*GuaranteedPod("a", {{3, 1}}), {{0, {{kCpu, 3000}, {kMemory, Gi}}}});
  copied.placement_mark->uid = "another";
  account.Place(Placed(std::make_shared<cluster::Pod>(copied)));
  EXPECT_EQ(FreeCpus(account, 1), 5);
  account.Place(Placed(BoundPod(*GuaranteedPod("b", {{3, 1}}), {{0, {{kCpu, 1000}, {kMemory, Gi}}}})));
  EXPECT_EQ(FreeCpus(account, 1), 2);
}

// The same pod with huygens.dev/placement-observed.
std::shared_ptr<cluster::Pod> Observed(const cluster::Pod& pod, std::vector<cluster::ZoneAmount> zones) {
  auto observed = std::make_shared<cluster::Pod>(pod);
  observed->observed_mark = {pod.uid, pod.node_name, std::move(zones)};
  return observed;
}

TEST(Account, BelievesWhatWasObservedBeforeWhatWasPredicted) {
  Account account(Defaults());
  auto object = Idle();
  account.NodeChanged(kNode, &object);
  auto ours = BoundPod(*GuaranteedPod("ours", {{3, 1}}), {{0, {{kCpu, 3000}, {kMemory, Gi}}}});
  account.Place(Placed(ours));
  EXPECT_EQ(FreeCpus(account, 0), 5);
  account.Leave(Placed(ours));
  account.Place(Placed(Observed(*ours, {{1, {{kCpu, 3000}, {kMemory, Gi}}}})));
  EXPECT_EQ(FreeCpus(account, 0), 8);
  EXPECT_EQ(FreeCpus(account, 1), 5);

  auto foreign = BoundPod(*GuaranteedPod("foreign", {{2, 1}}), {});
  account.Place(Placed(Observed(*foreign, {{0, {{kCpu, 2000}, {kMemory, Gi}}}})));
  EXPECT_EQ(FreeCpus(account, 0), 6);
  EXPECT_EQ(FreeCpus(account, 1), 5);
  const auto pods = account.Pods(kNode);
  ASSERT_EQ(pods.size(), 2u);
  EXPECT_EQ(pods[0].observed, (std::vector<cluster::ZoneAmount>{{0, {{kCpu, 2000}, {kMemory, Gi}}}}));
}

TEST(Account, DoesNotDoubtWhatWasObserved) {
  Account account(Defaults());
  auto object = Idle();
  account.NodeChanged(kNode, &object);
  auto gone = GuaranteedPod("gone", {{5, 1}});
  auto pod = BoundPod(*GuaranteedPod("pod", {{4, 1}}), {{1, {{kCpu, 4000}, {kMemory, Gi}}}});
  account.Place(Placed(gone, {{0, {{kCpu, 5000}, {kMemory, Gi}}}}));
  account.Place(Placed(pod));
  account.Leave(Placed(gone));
  account.NodeChanged(kNode, &object);
  EXPECT_EQ(FreeCpus(account, 0), 4) << "doubtful";
  EXPECT_EQ(FreeCpus(account, 1), 4);
  account.Leave(Placed(pod));
  account.Place(Placed(Observed(*pod, {{1, {{kCpu, 4000}, {kMemory, Gi}}}})));
  EXPECT_EQ(FreeCpus(account, 0), 8);
  EXPECT_EQ(FreeCpus(account, 1), 4);
}

TEST(Account, FallsBackToThePredictionWhereTheObservationCannotBe) {
  Account account(Defaults());
  auto object = Idle();
  account.NodeChanged(kNode, &object);
  const auto pod = BoundPod(*GuaranteedPod("a", {{3, 1}}), {{0, {{kCpu, 3000}, {kMemory, Gi}}}});
  const std::vector<cluster::ZoneAmount> all = {{1, {{kCpu, 3000}, {kMemory, Gi}}}};
  auto of_another = Observed(*pod, all);
  of_another->observed_mark->uid = "another";
  auto elsewhere = Observed(*pod, all);
  elsewhere->observed_mark->node = "elsewhere";
  for (const auto& wrong : {of_another, elsewhere, Observed(*pod, {}), Observed(*pod, {{1, {{kCpu, 3000}}}}),
                            Observed(*pod, {{7, all[0].amount}})}) {
    account.Place(Placed(wrong));
    EXPECT_EQ(FreeCpus(account, 0), 5);
    EXPECT_EQ(FreeCpus(account, 1), 8);
    account.Leave(Placed(wrong));
  }
}

TEST(Account, PredictsNothingWithoutAUsableObjectOfTheCommunity) {
  Account account(Defaults());
  EXPECT_FALSE(account.Predicts(7));
  auto object = Idle();
  object.source = cluster::TopologySource::kCrane;
  account.NodeChanged(kNode, &object);
  EXPECT_FALSE(account.Predicts(kNode));
  EXPECT_FALSE(account.Unusable(kNode));
  object = Idle();
  object.defect = "65 zones; at most 64 are supported";
  account.NodeChanged(kNode, &object);
  EXPECT_FALSE(account.Predicts(kNode));
  EXPECT_TRUE(account.Unusable(kNode));
}

TEST(Account, AnUpdateOfTheNodeIsNoNewObject) {
  Account account(Defaults());
  auto object = Idle();
  const cluster::Node node;
  account.NodeObjectChanged(kNode, &node);
  account.NodeChanged(kNode, &object);
  account.Place(Placed(GuaranteedPod("a", {{5, 2}}), {{0, {{kCpu, 5000}, {kMemory, 2 * Gi}}}}));
  const auto next = RequestOf(*GuaranteedPod("b", {{7, 2}}));
  EXPECT_FALSE(account.PredictZones(kNode, next).empty()) << "the object cannot contain the first pod";
  account.NodeObjectChanged(kNode, &node);
  account.NodeChanged(kNode, &object);
  EXPECT_FALSE(account.PredictZones(kNode, next).empty());
  account.NodeChanged(kNode, &object);
  EXPECT_TRUE(account.PredictZones(kNode, next).empty()) << "it came anew and may contain the pod";
}

TEST(Account, TakesPoliciesFromAttributesThenLabelsThenDefaults) {
  Account account({.static_cpus = false, .static_memory = true});
  auto object = Idle();
  account.NodeChanged(kNode, &object);
  EXPECT_FALSE(account.Free(kNode).options.static_cpus);
  cluster::Node node;
  node.labels = {{"huygens.dev/cpu-manager-policy", "static"}, {"huygens.dev/memory-manager-policy", "None"}};
  account.NodeObjectChanged(kNode, &node);
  account.NodeChanged(kNode, &object);
  EXPECT_TRUE(account.Free(kNode).options.static_cpus);
  EXPECT_FALSE(account.Free(kNode).options.static_memory);
  object.attributes.emplace_back("memoryManagerPolicy", "Static");
  account.NodeChanged(kNode, &object);
  EXPECT_TRUE(account.Free(kNode).options.static_memory);
}

constexpr ResourceId kGpu = 50;

// Zones 0 and 1 with so many GPUs free of two each.
cluster::NodeTopology WithGpus(int free0, int free1, const std::string& policy) {
  auto object = Object({{8, 16}, {8, 16}}, policy);
  for (cluster::Zone& zone : object.zones) {
    zone.capacity.Set(kGpu, 2);
    zone.allocatable.Set(kGpu, 2);
    zone.available.Set(kGpu, zone.id == 0 ? free0 : free1);
  }
  return object;
}
cluster::Node NodeWithGpus(int64_t gpus) {
  cluster::Node node;
  node.allocatable = {{kCpu, 16'000}, {kMemory, 32 * Gi}, {kGpu, gpus}};
  return node;
}
std::shared_ptr<cluster::Pod> GpuPod(const std::string& name, int64_t gpus) {
  auto pod = GuaranteedPod(name, {{1, 1}});
  pod->containers[0].requests.Set(kGpu, gpus);
  pod->containers[0].limits.Set(kGpu, gpus);
  return pod;
}
// Two GPUs in each of two zones, and four in none.
class KubeletAccountWithGpus : public testing::Test {
 protected:
  KubeletAccountWithGpus() {
    const cluster::Node node = NodeWithGpus(8);
    account.NodeObjectChanged(kNode, &node);
    account.NodeChanged(kNode, &object);
  }

  Account account{Defaults()};
  cluster::NodeTopology object = WithGpus(2, 2, "best-effort");
};
// How many GPUs kubelet would give one more pod.
int64_t GpusFor(const Account& account) {
  int64_t gpus = 0;
  while (gpus < 20 && account.Predict(kNode, RequestOf(*GpuPod("next", gpus + 1))).Admitted()) ++gpus;
  return gpus;
}

TEST_F(KubeletAccountWithGpus, CountsDevicesOfNoZoneByTheNodeAndAllItsPods) {
  EXPECT_EQ(GpusFor(account), 8);

  // Three GPUs: two of the one zone, another of none.
  const auto ours = GpuPod("ours", 3);
  const Request request = RequestOf(*ours);
  const auto zones = account.PredictZones(kNode, request);
  account.Place(Placed(ours, zones));
  EXPECT_EQ(GpusFor(account), 5);
  const auto foreign = BoundPod(*GpuPod("foreign", 2), {}, kStart);
  account.Place(Placed(foreign));
  EXPECT_EQ(GpusFor(account), 3);
  EXPECT_EQ(account.PredictEmpty(kNode, RequestOf(*GpuPod("next", 8))).admission, Admission::kAdmitted);

  account.Leave(Placed(foreign));
  account.Leave(Placed(ours));
  EXPECT_EQ(GpusFor(account), 8);
}

TEST_F(KubeletAccountWithGpus, BelievesAPredictionThatLeavesOutDevicesOfNoZone) {
  account.Place(Placed(GpuPod("a", 3), {{0, {{kCpu, 1000}, {kMemory, Gi}, {kGpu, 2}}}}));
  EXPECT_EQ(FreeCpus(account, 0), 7);
  EXPECT_EQ(FreeCpus(account, 1), 8);
  // Of five that it has in no zone at most four can be.
  account.Place(Placed(GpuPod("b", 6), {{1, {{kCpu, 1000}, {kMemory, Gi}, {kGpu, 1}}}}));
  EXPECT_EQ(FreeCpus(account, 0), 6) << "nobody knows";
  EXPECT_EQ(FreeCpus(account, 1), 7);
}

// As for a pod that nobody has placed yet.
TEST_F(KubeletAccountWithGpus, AHoldingTakesOfNoZoneWhatItsZonesDoNotHold) {
  const Pod pod = RequestOf(*GpuPod("a", 3)).pod;
  auto free_of_no_zone = [&](std::vector<cluster::ZoneAmount> zones) {
    Machine machine = account.Free(kNode);
    ChargeAll(machine, {.pod = pod, .zones = std::move(zones)});
    return machine.devices[0].groups.back().free;
  };
  EXPECT_EQ(free_of_no_zone({{0, {{kCpu, 1000}, {kMemory, Gi}, {kGpu, 2}}}}), 3);
  EXPECT_EQ(free_of_no_zone({}), 1) << "unknown";
}

TEST_F(KubeletAccountWithGpus, DevicesOfNoZoneAlignWithNothing) {
  object = WithGpus(2, 2, "restricted");
  account.NodeChanged(kNode, &object);
  EXPECT_EQ(GpusFor(account), 2) << "the CPU wants one zone, three GPUs two";
}

TEST(Account, FollowsANodeWhoseDevicesComeLaterOrGo) {
  Account account(Defaults());
  auto node = NodeWithGpus(4);
  auto object = WithGpus(2, 2, "best-effort");
  account.NodeChanged(kNode, &object);
  EXPECT_EQ(GpusFor(account), 4);
  for (int gpus : {8, 6, 4, 8}) {
    node = NodeWithGpus(gpus);
    account.NodeObjectChanged(kNode, &node);
    account.NodeChanged(kNode, &object);
    EXPECT_EQ(GpusFor(account), gpus);
  }
  account.NodeObjectChanged(kNode, nullptr);
  account.NodeChanged(kNode, &object);
  EXPECT_EQ(GpusFor(account), 4);
}

TEST(Account, APodThatAsksForNoDevicesHoldsNothing) {
  Account account(Defaults());
  auto object = WithGpus(2, 2, "restricted");
  account.NodeChanged(kNode, &object);
  auto pod = BoundPod(*GpuPod("a", 0), {});
  auto shared = std::make_shared<cluster::Pod>(*pod);
  shared->containers[0].requests = {{kGpu, 0}};
  shared->containers[0].limits = {{kGpu, 0}};
  account.Place(Placed(shared));
  EXPECT_TRUE(account.Pods(kNode).empty());
}

}  // namespace
}  // namespace huygens::kubelet
