// Pods for which kube-scheduler has made room: nobody of lower or equal priority takes it before they are bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "kubelet/holding.h"
#include "kubelet/published.h"
#include "kubelet/settings.h"
#include "placement/placement.h"
#include "tests/cluster/build.h"
#include "tests/kubelet/node.h"
#include "tests/kubelet/predictions.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kNode = "n";

class NominatedPodsTest : public testing::Test {
 protected:
  NominatedPodsTest() : placement_(std::move(*Placement::Create({}))) {
    cluster::Node node = MakeNode(std::string(kNode));
    node.allocatable = {{kCpu, 100000}, {kMemory, int64_t{1} << 40}, {kPodSlots, 110}};
    placement_->Apply(cluster::NodeSet{node});
  }

  std::shared_ptr<cluster::Pod> Pod(const std::string& uid, int64_t cpus, int priority) {
    auto pod = MakePod(uid, cpus);
    pod->priority = priority;
    pod->topology_awareness = true;
    return pod;
  }
  void Show(std::shared_ptr<const cluster::Pod> pod) { placement_->Apply(cluster::PodSet{std::move(pod)}); }
  // A bound pod; `leaving`: it is being deleted.
  void Bound(const std::string& uid, int64_t cpus, int zone, int priority, bool leaving = false) {
    auto pod = Pod(uid, cpus, priority);
    pod->node_name = kNode;
    pod->deleting = leaving;
    pod->placement_mark = {uid, kNode, {{zone, {{kCpu, cpus * 1000}}}}};
    Show(pod);
  }
  void Nominate(const std::string& uid, int64_t cpus, int priority) {
    auto pod = Pod(uid, cpus, priority);
    pod->nominated_node = kNode;
    Show(pod);
  }
  Reason Filter(const cluster::Pod& pod) { return placement_->Filter(pod, {&kNode, 1}, kNow).reasons.at(0); }
  Reason Filter(const std::string& uid, int64_t cpus, int priority) { return Filter(*Pod(uid, cpus, priority)); }
  // The zones that it gets; empty if it is refused.
  std::vector<std::string> Reserve(const std::string& uid, int64_t cpus, int priority) {
    auto made = placement_->Reserve(Pod(uid, cpus, priority), kNode, kNow);
    EXPECT_TRUE(made.ok());
    std::vector<std::string> zones;
    for (const ZoneShare& share : made->zones) zones.push_back(share.name);
    return zones;
  }

  std::unique_ptr<Placement> placement_;
};

class NominatedOnManagedNode : public NominatedPodsTest {
 protected:
  NominatedOnManagedNode() {
    placement_->Apply(cluster::TopologySet{MakeTopology(std::string(kNode), {4000, 4000})});
    Bound("high", 4, 0, 2000);
  }
};

TEST_F(NominatedOnManagedNode, WhatItsVictimsFreeIsKeptFromLowerAndEqualPriority) {
  Nominate("nominated", 4, 1000);
  EXPECT_EQ(Filter("lower", 1, 10), Reason::kInsufficientZones);
  EXPECT_EQ(Filter("equal", 1, 1000), Reason::kInsufficientZones);
  EXPECT_EQ(Filter("higher", 1, 1001), Reason::kFits);
  EXPECT_EQ(Filter("nominated", 4, 1000), Reason::kFits);
  EXPECT_THAT(Reserve("lower", 1, 10), IsEmpty()) << "bind decides by the same";
  EXPECT_THAT(Reserve("nominated", 4, 1000), ElementsAre("node1"));
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

TEST_F(NominatedOnManagedNode, ANodeNamedTwiceKeepsRoomOnce) {
  placement_->Apply(cluster::TopologySet{MakeTopology(std::string(kNode), {4000, 6000})});
  Nominate("nominated", 3, 1000);
  const std::string_view twice[] = {kNode, kNode};
  EXPECT_THAT(placement_->Filter(*Pod("other", 3, 10), twice, kNow).reasons, ElementsAre(Reason::kFits, Reason::kFits));
}

TEST_F(NominatedOnManagedNode, OfTwoThatAreNominatedToTheSameRoomOneGoesFirst) {
  Nominate("a", 4, 1000);
  Nominate("b", 4, 1000);
  EXPECT_EQ(Filter("a", 4, 1000), Reason::kFits);
  EXPECT_EQ(Filter("b", 4, 1000), Reason::kInsufficientZones);
  Nominate("c", 4, 1001);
  EXPECT_EQ(Filter("a", 4, 1000), Reason::kInsufficientZones) << "priority goes before";
}

TEST_F(NominatedOnManagedNode, AnotherPodGetsWhatItLeaves) {
  Nominate("nominated", 3, 1000);
  EXPECT_EQ(Filter("two", 2, 10), Reason::kInsufficientZones);
  EXPECT_THAT(Reserve("one", 1, 10), ElementsAre("node1"));
  EXPECT_EQ(Filter("nominated", 3, 1000), Reason::kFits);
}

TEST_F(NominatedOnManagedNode, AnotherPodIsLedToZonesThatItDoesNotNeed) {
  placement_->Apply(cluster::TopologySet{MakeTopology(std::string(kNode), {6000, 4000})});
  Bound("victim", 4, 1, 5, true);
  Nominate("nominated", 3, 1000);
  EXPECT_THAT(Reserve("other", 2, 10), ElementsAre("node0"));
  placement_->Apply(cluster::PodGone{"victim"});
  EXPECT_EQ(Filter("nominated", 3, 1000), Reason::kFits);
}

TEST_F(NominatedOnManagedNode, BesidePodsThatLeaveItNeedsOnlyWhatIsMissing) {
  Bound("victim", 2, 1, 5, true);
  EXPECT_EQ(Filter("other", 2, 10), Reason::kFits);
  Nominate("nominated", 4, 1000);
  EXPECT_EQ(Filter("other", 2, 10), Reason::kInsufficientZones) << "the two CPUs beside the victim";
}

TEST_F(NominatedOnManagedNode, WhoIsNominatedBeforeTheEvictionIsKeptRoomToo) {
  Bound("victim", 2, 1, 5);
  Nominate("nominated", 4, 1000);
  EXPECT_EQ(Filter("other", 2, 10), Reason::kInsufficientZones);
}

TEST_F(NominatedOnManagedNode, NobodyIsExpectedToGoForWhoNeverPreempts) {
  Bound("victim", 2, 1, 5);
  auto never = Pod("nominated", 4, 1000);
  never->nominated_node = kNode;
  never->preempts = false;
  Show(never);
  EXPECT_EQ(Filter("other", 2, 10), Reason::kFits);
  Bound("victim", 2, 1, 5, true);
  EXPECT_EQ(Filter("other", 2, 10), Reason::kInsufficientZones);
}

TEST_F(NominatedOnManagedNode, NothingIsKeptForWhoCannotComeOrWaitsNoLonger) {
  Nominate("too-large", 5, 1000);
  EXPECT_EQ(Filter("other", 4, 10), Reason::kFits);
  Nominate("nominated", 4, 1000);
  EXPECT_EQ(Filter("other", 4, 10), Reason::kInsufficientZones);
  auto changed = Pod("nominated", 4, 1000);
  Show(changed);
  EXPECT_EQ(Filter("other", 4, 10), Reason::kFits) << "kube-scheduler has taken the nomination back";
  Nominate("nominated", 4, 1000);
  placement_->Apply(cluster::PodGone{"nominated"});
  EXPECT_EQ(Filter("other", 4, 10), Reason::kFits) << "deleted";
}

TEST_F(NominatedOnManagedNode, OnceBoundItCountsOnce) {
  placement_->Apply(cluster::TopologySet{MakeTopology(std::string(kNode), {4000, 8000})});
  Nominate("nominated", 4, 1000);
  EXPECT_THAT(Reserve("nominated", 4, 1000), ElementsAre("node1"));
  EXPECT_EQ(Filter("other", 4, 10), Reason::kFits);
}

TEST_F(NominatedOnManagedNode, SeveralAreKeptRoomByPriority) {
  Nominate("b", 2, 1000);
  Nominate("a", 2, 900);
  EXPECT_EQ(Filter("other", 1, 10), Reason::kInsufficientZones);
  EXPECT_EQ(Filter("between", 2, 950), Reason::kFits) << "only the one of higher priority goes before";
  EXPECT_EQ(Filter("between", 3, 950), Reason::kInsufficientZones);
}

TEST_F(NominatedOnManagedNode, NobodyIsPreemptedForRoomThatIsKept) {
  Nominate("nominated", 4, 1000);
  auto preemptor = Pod("preemptor", 4, 500);
  Bound("low", 0, 1, 1);
  const PreemptionCandidate candidate{kNode, {"low"}};
  EXPECT_THAT(placement_->Preempt(*preemptor, {&candidate, 1}, kNow).at(0).victims, IsEmpty());
}

TEST_F(NominatedOnManagedNode, AskingChangesNothing) {
  Bound("victim", 2, 1, 5, true);
  Nominate("nominated", 4, 1000);
  const auto revision = placement_->state().revision();
  Filter("other", 1, 10);
  const auto pod = Pod("other", 1, 10);
  EXPECT_EQ(placement_->Prioritize(*pod, {&kNode, 1}, kNow)[0], 0) << "scored by what is left";
  EXPECT_EQ(placement_->state().revision(), revision);
  EXPECT_EQ(placement_->Describe(kNode, kNow)->zones.at(1).free.Get(kCpu), 2000);
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

// Whoever is let in, in whatever order victims go: the nominated pod fits once they have gone, if it would have
// without.
RC_GTEST_PROP(NominatedPodsProperty, ANominatedPodFitsWhoeverIsLetInBefore, ()) {
  auto pick = [](int from, int to) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(from, to)); };
  const std::string_view name = kNode;
  auto placement = std::move(*Placement::Create({}));
  placement->Apply(cluster::NodeSet{MakeNode(std::string(kNode))});
  placement->Apply(cluster::TopologySet{MakeTopology(std::string(kNode), {4000, 4000, 6000}, pick(0, 2) == 0)});
  auto bind = [&](const std::shared_ptr<cluster::Pod>& pod) {
    auto made = placement->Reserve(pod, name, kNow);
    if (!made.ok() || !made->Accepted()) return false;
    auto bound = std::make_shared<cluster::Pod>(*pod);
    bound->node_name = kNode;
    for (const ZoneShare& share : made->zones) bound->topology_result.push_back({share.zone, share.amount});
    std::sort(bound->topology_result.begin(), bound->topology_result.end(),
              [](const auto& a, const auto& b) { return a.zone < b.zone; });
    bound->placement_mark = {bound->uid, bound->node_name, {}};
    placement->Apply(cluster::PodSet{bound});
    return true;
  };
  std::vector<std::string> victims;
  for (int i = 0; i < 6; ++i) {
    auto pod = MakePod("before-" + std::to_string(i), pick(1, 5));
    if (!bind(pod)) continue;
    if (pick(0, 2) == 0) victims.push_back(pod->uid);
  }
  auto nominated = MakePod("nominated", pick(2, 9));
  nominated->priority = 100;
  nominated->nominated_node = kNode;
  placement->Apply(cluster::PodSet{nominated});
  for (const std::string& uid : victims) {
    auto leaving = std::make_shared<cluster::Pod>(*placement->state().FindPod(uid));
    leaving->deleting = true;
    placement->Apply(cluster::PodSet{leaving});
  }
  auto fits = [&] { return !placement->Filter(*nominated, {&name, 1}, kNow).feasible.empty(); };
  auto evict = [&] {
    placement->Apply(cluster::PodGone{victims.back()});
    victims.pop_back();
  };
  // Alone, once all have gone.
  bool would_fit = false;
  {
    auto alone = std::move(*Placement::Create({}));
    alone->Apply(cluster::NodeSet{MakeNode(std::string(kNode))});
    alone->Apply(cluster::TopologySet{*placement->state().Topology(0)});
    for (const cluster::PlacedPod* each : placement->state().PodsOn(0)) {
      if (!each->pod->deleting) alone->Apply(cluster::PodSet{each->pod});
    }
    would_fit = !alone->Filter(*nominated, {&name, 1}, kNow).feasible.empty();
  }
  int let_in = 0;
  for (int i = 0; i < 6; ++i) {
    if (!victims.empty() && pick(0, 3) == 0) evict();
    auto pod = MakePod("after-" + std::to_string(i), pick(1, 5));
    pod->priority = pick(0, 101);
    let_in += bind(pod) ? 1 : 0;
  }
  while (!victims.empty()) evict();
  if (would_fit) RC_ASSERT(fits());
  RC_ASSERT(placement->Reconcile(10) == 0u);
  RC_CLASSIFY(would_fit && let_in > 0, "others let in beside it");
}

// Two zones with 8 CPUs each.
class NominatedOnKubeletNode : public NominatedPodsTest {
 protected:
  NominatedOnKubeletNode() {
    auto object = kubelet::test::Object({{8, 16}, {8, 16}}, "single-numa-node", "container");
    object.node_name = kNode;
    object.written = kNow - std::chrono::hours(1);  // before any of the pods
    placement_->Apply(cluster::TopologySet{object});
  }
  static std::shared_ptr<cluster::Pod> Guaranteed(const std::string& uid, int64_t cpus, int priority) {
    auto pod = kubelet::test::GuaranteedPod(uid, {{cpus, 1}});
    pod->priority = priority;
    return pod;
  }
  void Running(const std::string& uid, int64_t cpus, int zone, int priority, bool leaving = false) {
    const std::vector<cluster::ZoneAmount> zones = {{zone, {{kCpu, cpus * 1000}, {kMemory, kubelet::test::Gi}}}};
    auto pod = kubelet::test::BoundPod(*Guaranteed(uid, cpus, priority), zones, kNow);
    pod->node_name = pod->placement_mark->node = kNode;
    pod->deleting = leaving;
    Show(pod);
  }
  void NominateGuaranteed(const std::string& uid, int64_t cpus, int priority) {
    auto pod = Guaranteed(uid, cpus, priority);
    pod->nominated_node = kNode;
    Show(pod);
  }
  Reason FilterGuaranteed(const std::string& uid, int64_t cpus, int priority) {
    return Filter(*Guaranteed(uid, cpus, priority));
  }
};

TEST_F(NominatedOnKubeletNode, APodThatKubeletWouldPutInItsWayIsRefused) {
  Running("high", 8, 0, 2000);
  NominateGuaranteed("nominated", 6, 1000);
  EXPECT_EQ(FilterGuaranteed("small", 2, 10), Reason::kFits);
  EXPECT_EQ(FilterGuaranteed("large", 3, 10), Reason::kCannotAlignPod);
  EXPECT_EQ(FilterGuaranteed("large", 3, 1000), Reason::kCannotAlignPod);
  EXPECT_EQ(FilterGuaranteed("large", 3, 1001), Reason::kFits);
  EXPECT_EQ(FilterGuaranteed("nominated", 6, 1000), Reason::kFits);
  EXPECT_FALSE(placement_->Reserve(Guaranteed("large", 3, 10), kNode, kNow)->Accepted());
}

TEST_F(NominatedOnKubeletNode, KubeletTakesTheLowestZoneWhoeverWaits) {
  Running("high", 2, 1, 2000);
  NominateGuaranteed("nominated", 8, 1000);
  EXPECT_EQ(FilterGuaranteed("other", 2, 10), Reason::kCannotAlignPod) << "zone 1 has room, but kubelet takes zone 0";
  Running("first", 2, 0, 2000);
  EXPECT_EQ(FilterGuaranteed("other", 2, 10), Reason::kFits) << "zone 0 is of no use to it any more";
}

TEST_F(NominatedOnKubeletNode, WhileOthersLeaveAPodMustNotDisturbItInAnyZone) {
  Running("high", 2, 0, 2000);
  Running("victim", 6, 1, 5, true);
  NominateGuaranteed("nominated", 7, 1000);
  EXPECT_EQ(FilterGuaranteed("other", 1, 10), Reason::kFits) << "zone 1 holds both";
  EXPECT_EQ(FilterGuaranteed("other", 2, 10), Reason::kCannotAlignPod)
      << "kubelet may see it after the victim has gone";
}

TEST_F(NominatedOnKubeletNode, WhoAsksNothingOfZonesNeitherKeepsNorIsKeptFromAny) {
  NominateGuaranteed("nominated", 8, 1000);
  auto floating = kubelet::test::GuaranteedPod("floating", {{3, 1}});
  floating->containers[0].limits = {};
  floating->priority = 2000;
  floating->nominated_node = kNode;
  Show(floating);
  EXPECT_EQ(FilterGuaranteed("two", 8, 10), Reason::kFits) << "beside both";
  cluster::Pod asks = *floating;
  asks.uid = "asks";
  asks.priority = 10;
  EXPECT_EQ(Filter(asks), Reason::kFits);
  Running("first", 8, 0, 2000);
  EXPECT_EQ(Filter(asks), Reason::kFits);
  EXPECT_EQ(FilterGuaranteed("two", 1, 10), Reason::kCannotAlignPod) << "the one is kept its zone all the same";
}

TEST_F(NominatedOnKubeletNode, AskingChangesNothing) {
  Running("high", 2, 0, 2000);
  Running("victim", 6, 1, 5, true);
  NominateGuaranteed("nominated", 7, 1000);
  const auto free = [&](size_t zone) { return placement_->Describe(kNode, kNow)->zones.at(zone).free.Get(kCpu); };
  FilterGuaranteed("other", 2, 10);
  EXPECT_EQ(free(0), 6000);
  EXPECT_EQ(free(1), 2000);
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

// A kubelet that does as it is predicted to, and huygens, which is told of what it does.
class TrueNode {
 public:
  TrueNode(const std::string& policy, const std::string& scope) : placement_(std::move(*Placement::Create({}))) {
    auto object = kubelet::test::Object({{6, 16}, {6, 16}, {4, 16}}, policy, scope);
    object.node_name = kNode;
    object.written = kNow - std::chrono::hours(1);
    placement_->Apply(cluster::NodeSet{MakeNode(std::string(kNode))});
    placement_->Apply(cluster::TopologySet{object});
    machine_ = kubelet::PublishedMachine(object, kubelet::OptionsOf(object, nullptr, kubelet::Defaults()));
  }
  bool WouldAdmitWithoutVictims(const cluster::Pod& pod) const {
    kubelet::Machine later = machine_;
    for (const std::string& uid : victims_) Discharge(later, charges_.at(uid));
    return Admission(later, pod).Admitted();
  }
  // kubelet sees the pod; huygens learns where it is.
  bool Start(const cluster::Pod& pod) {
    const kubelet::Prediction prediction = Admission(machine_, pod);
    if (!prediction.Admitted()) return false;
    auto started = std::make_shared<cluster::Pod>(pod);
    started->node_name = kNode;
    started->start_time = kNow;
    started->phase = cluster::PodPhase::kRunning;
    started->observed_mark = {pod.uid, std::string(kNode), kubelet::ZonesOf(machine_, prediction.charge)};
    Charge(machine_, prediction.charge);
    charges_[pod.uid] = prediction.charge;
    placement_->Apply(cluster::PodSet{started});
    return true;
  }
  void BeginEviction(const std::string& uid) {
    auto leaving = std::make_shared<cluster::Pod>(*placement_->state().FindPod(uid));
    leaving->deleting = true;
    placement_->Apply(cluster::PodSet{leaving});
    victims_.push_back(uid);
  }
  bool Evict() {
    if (victims_.empty()) return false;
    Discharge(machine_, charges_.at(victims_.back()));
    placement_->Apply(cluster::PodGone{victims_.back()});
    victims_.pop_back();
    return true;
  }
  Placement& placement() { return *placement_; }

 private:
  static kubelet::Prediction Admission(const kubelet::Machine& machine, const cluster::Pod& pod) {
    return kubelet::Predict(machine, kubelet::RequestOf(pod).pod);
  }

  std::unique_ptr<Placement> placement_;
  kubelet::Machine machine_;
  std::map<std::string, kubelet::Allocation> charges_;
  std::vector<std::string> victims_;
};

RC_GTEST_PROP(NominatedPodsProperty, KubeletAdmitsANominatedPodWhoeverIsLetInBefore, ()) {
  auto pick = [](int from, int to) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(from, to)); };
  TrueNode node(*rc::gen::element<std::string>("single-numa-node", "restricted"),
                *rc::gen::element<std::string>("container", "pod"));
  auto make = [&](const std::string& uid, int priority) {
    auto pod = kubelet::test::GuaranteedPod(uid, {{pick(1, 5), pick(1, 8)}});
    pod->priority = priority;
    return pod;
  };
  std::vector<std::string> before;
  for (int i = 0; i < 6; ++i) {
    auto pod = make("before-" + std::to_string(i), 0);
    if (node.Start(*pod)) before.push_back(pod->uid);
  }
  auto nominated = make("nominated", 100);
  nominated->nominated_node = kNode;
  node.placement().Apply(cluster::PodSet{nominated});
  for (const std::string& uid : before) {
    if (pick(0, 2) == 0) node.BeginEviction(uid);
  }
  const bool would_fit = node.WouldAdmitWithoutVictims(*nominated);
  int let_in = 0;
  for (int i = 0; i < 6; ++i) {
    if (pick(0, 3) == 0) node.Evict();
    auto pod = make("after-" + std::to_string(i), pick(0, 101));
    auto made = node.placement().Reserve(pod, kNode, kNow);
    RC_ASSERT(made.ok());
    if (!made->Accepted()) continue;
    if (pick(0, 2) == 0) node.Evict();  // before kubelet sees the pod
    RC_ASSERT(node.Start(*pod));
    ++let_in;
  }
  while (node.Evict()) {
  }
  if (would_fit) RC_ASSERT(node.Start(*nominated));
  RC_ASSERT(node.placement().Reconcile(10) == 0u);
  RC_CLASSIFY(would_fit && let_in > 0, "others let in beside it");
}

// What a pod holds is taken off once while it is asked about again, also where it is looked at who could leave.
TEST_F(NominatedPodsTest, AHolderThatIsAskedAboutAgainIsGoneOnce) {
  placement_->Apply(cluster::TopologySet{MakeTopology(std::string(kNode), {4000})});
  Bound("holder", 2, 0, 0);
  Bound("other", 2, 0, 0);
  Nominate("too-large", 6, 10);
  EXPECT_EQ(Filter("holder", 2, 0), Reason::kFits) << "nothing can be kept for what does not fit the empty zone";
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

}  // namespace
}  // namespace huygens::placement
