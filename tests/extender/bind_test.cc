#include <gmock/gmock.h>

#include "tests/extender/fixture.h"

namespace huygens::extender {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class BindFlowTest : public ServiceTest {
 protected:
  using ServiceTest::ServiceTest;

  // A node whose kubelet pins, with one zone of four CPUs.
  void AddKubeletNode(const std::string& name) {
    placement_->Apply(cluster::NodeSet{{.name = name, .uid = Concat("uid-", name)}});
    cluster::NodeTopology topology{.source = cluster::TopologySource::kCommunity, .node_name = name};
    topology.attributes = {{"topologyManagerPolicy", "single-numa-node"}};
    cluster::Zone zone{.id = 0, .name = "node-0"};
    zone.capacity = zone.allocatable = zone.available = {{kCpu, 4000}};
    topology.zones.push_back(zone);
    placement_->Apply(cluster::TopologySet{std::move(topology)});
  }
};

TEST_F(BindFlowTest, WritesTheChosenZoneIntoTheBinding) {
  AddNode("n1", {2, 4});
  AddPod("a", 2);
  size_t call = Bind("a", "n1");
  ASSERT_EQ(backend_.binds.size(), 1u);
  const kube::BindRequest& request = backend_.binds[0].order.request;
  EXPECT_EQ(request.uid, "uid-a");
  EXPECT_EQ(request.node, "n1");
  ASSERT_EQ(request.annotations.size(), 2u);
  EXPECT_EQ(request.annotations[0].first, "topology.crane.io/topology-result");
  EXPECT_EQ(request.annotations[0].second, R"([{"name":"node1","type":"Node","resources":{"capacity":{"cpu":"2"}}}])");
  EXPECT_EQ(request.annotations[1].first, "huygens.dev/placement");
  EXPECT_THAT(request.annotations[1].second, HasSubstr(R"("uid":"uid-a","node":"n1")"));
  EXPECT_EQ(Answer(call), "(none yet)");
  EXPECT_EQ(Reserved(), 1u);

  backend_.binds[0].done({BindResult::kBound});
  EXPECT_EQ(Answer(call), "");
  EXPECT_EQ(Reserved(), 0u);
  EXPECT_EQ(Assumed(), 1u);
}

TEST_F(BindFlowTest, MarksEveryPodOnAManagedNodeAlsoThoseThatGetNoZones) {
  AddNode("n1", {2});
  for (const bool forged : {false, true}) {
    const std::string name = forged ? "forged" : "plain";
    auto pod = std::make_shared<cluster::Pod>(*AddPod(name, 2));
    pod->containers[0].limits = {};  // asks nothing of zones
    pod->topology_awareness.reset();
    pod->has_topology_result = forged;
    placement_->Apply(cluster::PodSet{pod});
    Bind(name, "n1");
    const auto& annotations = backend_.binds.back().order.request.annotations;
    ASSERT_EQ(annotations.size(), forged ? 2u : 1u);
    EXPECT_EQ(annotations.back().first, "huygens.dev/placement");
    EXPECT_THAT(annotations.back().second, HasSubstr(Concat(R"("uid":"uid-)", name, R"(","node":"n1","zones":[],)")));
    // What the pod brought along is overwritten, since the node's agent reads it, too.
    if (forged) {
      EXPECT_EQ(annotations[0].second, "[]");
    }
  }
}

class BindOfGroupTest : public BindFlowTest {
 protected:
  BindOfGroupTest() : BindFlowTest({.checks = {"topology", "quota"}}) {}
};

TEST_F(BindOfGroupTest, WritesTheGroupThatThePodIsBoundWith) {
  placement_->Apply(cluster::NodeSet{{.name = "plain"}});  // without zones
  placement_->Apply(cluster::BizGroupQuotaSet{{.name = "team"}});
  const auto mark_of = [&](const std::string& name, cluster::QuotaLabels labels, bool forged = false) {
    auto pod = std::make_shared<cluster::Pod>(*AddPod(name, 1));
    pod->topology_awareness.reset();
    if (labels != cluster::QuotaLabels()) pod->quota = std::make_shared<const cluster::QuotaLabels>(std::move(labels));
    if (forged) pod->placement_mark = cluster::PlacementMark{pod->uid, "plain", {}, pod->quota};
    placement_->Apply(cluster::PodSet{pod});
    Bind(name, "plain");
    const auto& annotations = backend_.binds.back().order.request.annotations;
    EXPECT_EQ(backend_.binds.back().order.request.uid, pod->uid);
    return annotations.empty() ? "" : annotations.back().second;
  };
  EXPECT_THAT(mark_of("a", {.group = "team"}),
              testing::StartsWith(R"({"uid":"uid-a","node":"plain","group":"team","by":)"));
  EXPECT_EQ(mark_of("c", {}), "");
  EXPECT_THAT(mark_of("d", {}, true), testing::StartsWith(R"({"uid":"uid-d","node":"plain","by":)"))
      << "what it brought along is overwritten";
}

TEST_F(BindFlowTest, RollsBackWhatTheApiServerRefuses) {
  AddNode("n1", {2});
  AddPod("a", 2);
  AddPod("b", 2);
  size_t first = Bind("a", "n1");
  backend_.binds[0].done({BindResult::kRefused, "the pod has scheduling gates", true});
  EXPECT_EQ(Answer(first), "the pod has scheduling gates");
  EXPECT_EQ(placement_->state().ledger().size(), 0u);
  EXPECT_THAT(backend_.events, testing::ElementsAre("default/a: BindFailed: the pod has scheduling gates"));
  EXPECT_THAT(backend_.repeat_keys, testing::ElementsAre("the pod has scheduling gates"));
  size_t second = Bind("b", "n1");
  backend_.binds[1].done({BindResult::kBound});
  EXPECT_EQ(Answer(second), "");
}

TEST_F(BindFlowTest, WarnsOfWhatIsAFaultAndNotOfADecision) {
  AddNode("n1", {2});
  AddPod("a", 2);
  AddPod("big", 3);
  Bind("big", "n1");
  Bind("unheard-of", "n1");
  Bind("a", "n1");
  backend_.binds[0].done({BindResult::kRefused, "quota"});
  EXPECT_THAT(captured_.Lines(),
              testing::ElementsAre(testing::AllOf(HasSubstr("level=info"), HasSubstr("outcome=rejected")),
                                   testing::AllOf(HasSubstr("level=warn"), HasSubstr("outcome=no_pod")),
                                   testing::AllOf(HasSubstr("level=warn"), HasSubstr("outcome=failed"))));
}

TEST_F(BindFlowTest, OneSlotGoesToExactlyOneOfFifty) {
  AddNode("n1", {4, 1});
  for (int i = 0; i < 50; ++i) AddPod(Concat("p", std::to_string(i)), 4);
  for (int i = 0; i < 50; ++i) Bind(Concat("p", std::to_string(i)), "n1");
  ASSERT_EQ(backend_.binds.size(), 1u);
  backend_.binds[0].done({BindResult::kBound});
  size_t bound = 0;
  for (size_t i = 0; i < 50; ++i) {
    if (Answer(i).empty()) {
      ++bound;
    } else {
      EXPECT_EQ(Answer(i), "node(s) had insufficient resource of NUMA node");
    }
  }
  EXPECT_EQ(bound, 1u);
  EXPECT_EQ(placement_->state().ledger().size(), 1u);
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

TEST_F(BindFlowTest, ARepeatedCallJoinsTheOneUnderWay) {
  AddNode("n1", {2});
  AddNode("n2", {2});
  AddPod("a", 2);
  size_t first = Bind("a", "n1");
  size_t again = Bind("a", "n1");
  size_t elsewhere = Bind("a", "n2");
  ASSERT_EQ(backend_.binds.size(), 1u);
  EXPECT_THAT(Answer(elsewhere), HasSubstr("being bound to node n1"));
  backend_.binds[0].done({BindResult::kBound});
  EXPECT_EQ(Answer(first), "");
  EXPECT_EQ(Answer(again), "");
}

TEST_F(BindFlowTest, ABoundPodIsSuccessOnItsNodeAndAnErrorElsewhere) {
  AddNode("n1", {2});
  AddNode("n2", {2});
  auto pod = AddPod("a", 2);
  auto bound = std::make_shared<cluster::Pod>(*pod);
  bound->node_name = "n1";
  placement_->Apply(cluster::PodSet{bound});
  EXPECT_EQ(Answer(Bind("a", "n1")), "");
  EXPECT_THAT(Answer(Bind("a", "n2")), HasSubstr("already"));
  EXPECT_TRUE(backend_.binds.empty());
}

TEST_F(BindFlowTest, AnUnknownOutcomeKeepsTheCapacityUntilItIsSettled) {
  AddNode("n1", {2});
  AddPod("a", 2);
  AddPod("b", 2);
  size_t call = Bind("a", "n1");
  backend_.binds[0].done({BindResult::kUnknown, "connection reset"});
  EXPECT_THAT(Answer(call), HasSubstr("connection reset"));
  EXPECT_EQ(Reserved(), 1u);
  EXPECT_THAT(Answer(Bind("b", "n1")), HasSubstr("insufficient"));

  size_t again = Bind("a", "n1");  // waits for the outcome, sends nothing
  EXPECT_EQ(backend_.binds.size(), 1u);
  while (backend_.settles.empty()) loop_.Poll();
  backend_.settles[0].done({BindResult::kBound});
  EXPECT_EQ(Answer(again), "");
  EXPECT_EQ(Assumed(), 1u);
}

TEST_F(BindFlowTest, AnUnknownOutcomeIsSettledByTheWatchWhenThatIsFaster) {
  AddNode("n1", {2});
  auto pod = AddPod("a", 2);
  Bind("a", "n1");
  backend_.binds[0].done({BindResult::kUnknown, "timed out"});
  size_t again = Bind("a", "n1");
  auto bound = std::make_shared<cluster::Pod>(*pod);
  bound->node_name = "n1";
  bound->topology_result = {{0, ResourceVector{{kCpu, 2000}}}};
  placement_->Apply(cluster::PodSet{bound});
  while (Answer(again) == "(none yet)") loop_.Poll();
  EXPECT_EQ(Answer(again), "");
  EXPECT_TRUE(backend_.settles.empty());
  EXPECT_EQ(placement_->state().ledger().size(), 0u);
}

TEST_F(BindFlowTest, WithoutTheLeaseNothingIsReserved) {
  AddNode("n1", {2});
  AddPod("a", 2);
  backend_.admission = Unavailable("another instance holds the bind Lease");
  EXPECT_THAT(Answer(Bind("a", "n1")), HasSubstr("another instance"));
  EXPECT_EQ(placement_->state().ledger().size(), 0u);
  EXPECT_TRUE(backend_.binds.empty());
}

TEST_F(BindFlowTest, SaysWhatIsWrongWithTheRequest) {
  AddNode("n1", {2});
  AddPod("a", 2);
  EXPECT_THAT(Answer(BindUid("", "uid-a", "n1")), HasSubstr("PodName"));
  EXPECT_THAT(Answer(BindUid("nobody", "uid-nobody", "n1")), HasSubstr("no such pod"));
  EXPECT_THAT(backend_.fetches, testing::ElementsAre("default/nobody"));
  EXPECT_THAT(Answer(Bind("a", "n9")), testing::Not(testing::IsEmpty()));
  not_ready_ = "waiting for pods";
  EXPECT_THAT(Answer(Bind("a", "n1")), HasSubstr("waiting for pods"));
  EXPECT_TRUE(backend_.binds.empty());
}

TEST_F(BindFlowTest, WhatIsRefusedAtOnceIsLoggedAndRememberedToo) {
  Bind("pod", "");
  not_ready_ = "waiting for the first list of pods";
  Bind("pod", "n1");
  EXPECT_THAT(captured_.Lines(),
              testing::ElementsAre(HasSubstr("outcome=refused"),
                                   testing::AllOf(HasSubstr("outcome=not_ready"), HasSubstr("node=n1"))));
  EXPECT_EQ(ring_.size(), 2u);
}

TEST_F(BindFlowTest, AReplacedPodIsNotBoundUnderItsOldUid) {
  AddNode("n1", {2});
  auto replaced = std::make_shared<cluster::Pod>(*AddPod("a", 2));
  replaced->uid = "uid-new";
  backend_.fetched = replaced;
  EXPECT_THAT(Answer(BindUid("a", "uid-old", "n1")), HasSubstr("uid-new"));
  EXPECT_TRUE(backend_.binds.empty());
}

TEST_F(BindFlowTest, AnOverdueReservationIsReleasedWhenTheApiServerKnowsNothingOfIt) {
  AddNode("n1", {2});
  AddPod("a", 2);
  Bind("a", "n1");
  backend_.binds[0].done({BindResult::kBound});
  monotonic_ += std::chrono::minutes(2);
  bind_.SettleOverdue(std::chrono::minutes(1));
  bind_.SettleOverdue(std::chrono::minutes(1));
  ASSERT_EQ(backend_.settles.size(), 1u);
  backend_.settles[0].done({BindResult::kRefused, "gone"});
  EXPECT_EQ(placement_->state().ledger().size(), 0u);
}

TEST_F(BindFlowTest, AnOverdueReservationThatIsBoundIsAskedAboutAgainOnlyAfterAsLong) {
  AddNode("n1", {2});
  AddPod("a", 2);
  Bind("a", "n1");
  backend_.binds[0].done({BindResult::kBound});
  monotonic_ += std::chrono::minutes(2);
  bind_.SettleOverdue(std::chrono::minutes(1));
  ASSERT_EQ(backend_.settles.size(), 1u);
  backend_.settles[0].done({BindResult::kBound});
  bind_.SettleOverdue(std::chrono::minutes(1));
  EXPECT_EQ(backend_.settles.size(), 1u);
  EXPECT_EQ(Assumed(), 1u);
  monotonic_ += std::chrono::minutes(2);
  bind_.SettleOverdue(std::chrono::minutes(1));
  EXPECT_EQ(backend_.settles.size(), 2u);
}

TEST_F(BindFlowTest, AgesDoNotChangeWithAWallClockThatIsSet) {
  AddNode("n1", {2, 2});
  AddPod("a", 2);
  AddPod("b", 2);
  Bind("a", "n1");
  Bind("b", "n1");
  backend_.binds[0].done({BindResult::kBound});
  backend_.binds[1].done({BindResult::kUnknown, "timed out"});
  const Duration sent = monotonic_;
  for (const auto hours : {1, -2}) {
    clock_.Advance(std::chrono::hours(hours));
    bind_.SettleOverdue(std::chrono::minutes(1));
    EXPECT_TRUE(backend_.settles.empty()) << "nothing has become older";
  }
  monotonic_ += std::chrono::minutes(2);
  bind_.SettleOverdue(std::chrono::minutes(1));
  ASSERT_EQ(backend_.settles.size(), 1u);
  EXPECT_EQ(backend_.settles[0].order.request.uid, "uid-a");
  while (backend_.settles.size() < 2) loop_.Poll();
  EXPECT_EQ(backend_.settles[1].order.last_sent, sent);
}

TEST_F(BindFlowTest, TheDeadlineOfABindingDoesNotChangeWithAWallClockThatIsSet) {
  AddNode("n1", {2});
  AddPod("a", 2);
  backend_.hold_admissions = true;
  Bind("a", "n1");
  clock_.Advance(std::chrono::hours(1));
  monotonic_ += std::chrono::seconds(1);
  backend_.admissions[0](uint64_t{1});
  ASSERT_EQ(backend_.binds.size(), 1u);
  EXPECT_EQ(backend_.binds[0].budget, std::chrono::seconds(3));
}

TEST_F(BindFlowTest, ACallWithoutUidIsNotToldSuccessWhileTheBindingIsInFlight) {
  AddNode("n1", {2});
  AddPod("a", 2);
  Bind("a", "n1");
  EXPECT_THAT(Answer(BindUid("a", "", "n1")), HasSubstr("try again"));
  EXPECT_EQ(backend_.binds.size(), 1u);
  backend_.binds[0].done({BindResult::kBound});
  EXPECT_EQ(Answer(BindUid("a", "", "n1")), "");
}

TEST_F(BindFlowTest, TheAgeOfAnUnknownOutcomeCountsFromItsEnd) {
  AddNode("n1", {2});
  AddPod("a", 2);
  Bind("a", "n1");
  monotonic_ += std::chrono::seconds(4);
  backend_.binds[0].done({BindResult::kUnknown, "timed out"});
  while (backend_.settles.empty()) loop_.Poll();
  EXPECT_EQ(backend_.settles[0].order.last_sent, monotonic_);
}

TEST_F(BindFlowTest, AnUnknownOutcomeIsNoSuccessWhenTheWatchShowsThePodElsewhere) {
  AddNode("n1", {2});
  AddNode("n2", {2});
  auto pod = AddPod("a", 2);
  Bind("a", "n1");
  backend_.binds[0].done({BindResult::kUnknown, "timed out"});
  size_t again = Bind("a", "n1");
  auto bound = std::make_shared<cluster::Pod>(*pod);
  bound->node_name = "n2";
  placement_->Apply(cluster::PodSet{bound});
  while (Answer(again) == "(none yet)") loop_.Poll();
  EXPECT_THAT(Answer(again), HasSubstr("n2"));
}

TEST_F(BindFlowTest, AnUnsettledAttemptDiesWithTheFlow) {
  AddNode("n1", {2});
  std::weak_ptr<const cluster::Pod> pod = AddPod("a", 2);
  {
    BindFlow flow(context_, backend_, loop_, std::chrono::seconds(4), "test");
    flow.Bind({.pod_name = "a", .pod_namespace = "default", .pod_uid = "uid-a", .node = "n1"}, [](std::string_view) {});
    backend_.binds[0].done({BindResult::kUnknown, "timed out"});
    backend_.binds.clear();
    placement_->Apply(cluster::PodGone{"uid-a"});
    EXPECT_FALSE(pod.expired());
  }
  EXPECT_TRUE(pod.expired());
}

TEST_F(BindFlowTest, BindsToAKubeletOneAfterTheOtherWithThePredictedZonesAndNoResult) {
  AddKubeletNode("n1");
  for (const char* name : {"a", "b", "c"}) {
    auto pod = std::make_shared<cluster::Pod>(*AddPod(name, 2));
    pod->containers[0].requests.Set(kMemory, 1);
    pod->containers[0].limits.Set(kMemory, 1);
    placement_->Apply(cluster::PodSet{pod});
  }
  size_t a = Bind("a", "n1"), b = Bind("b", "n1"), c = Bind("c", "n1");
  ASSERT_EQ(backend_.binds.size(), 1u) << "kubelet takes pods in the order in which they are bound";
  const auto& annotations = backend_.binds[0].order.request.annotations;
  ASSERT_EQ(annotations.size(), 1u);
  EXPECT_EQ(annotations[0].first, "huygens.dev/placement");
  EXPECT_THAT(annotations[0].second, HasSubstr(R"("zones":[{"name":"node-0","cpu":"2"}])"));

  backend_.binds[0].done({BindResult::kRefused, "no", false});
  while (backend_.binds.size() < 2) loop_.Poll();
  EXPECT_EQ(backend_.binds[1].order.request.uid, "uid-b");
  backend_.binds[1].done({BindResult::kBound});
  while (backend_.binds.size() < 3) loop_.Poll();
  backend_.binds[2].done({BindResult::kBound});
  EXPECT_EQ(Answer(a), "no");
  EXPECT_EQ(Answer(b), "");
  EXPECT_EQ(Answer(c), "");
}

TEST_F(BindFlowTest, TheBindingHasWhatWaitingLeftOfTheDeadline) {
  AddNode("n1", {2});
  AddPod("a", 2);
  backend_.hold_admissions = true;
  Bind("a", "n1");
  monotonic_ += std::chrono::seconds(1);
  backend_.admissions[0](uint64_t{1});
  ASSERT_EQ(backend_.binds.size(), 1u);
  EXPECT_EQ(backend_.binds[0].budget, std::chrono::seconds(3));
}

class ShortDeadlineTest : public BindFlowTest {
 protected:
  ShortDeadlineTest() : BindFlowTest({}, milliseconds(1)) {}
};

TEST_F(ShortDeadlineTest, EveryCallerIsAnsweredInTimeAndTheNextOneLearnsTheOutcome) {
  AddNode("n1", {2});
  AddPod("a", 2);
  size_t call = Bind("a", "n1");
  while (Answer(call) == "(none yet)") loop_.Poll();
  EXPECT_THAT(Answer(call), HasSubstr("ask again"));
  backend_.binds[0].done({BindResult::kBound});
  EXPECT_EQ(Answer(Bind("a", "n1")), "");
}

TEST_F(ShortDeadlineTest, ABindThatWaitedTooLongForTheLeaseIsNotSent) {
  AddNode("n1", {2});
  AddPod("a", 2);
  backend_.hold_admissions = true;
  size_t call = Bind("a", "n1");
  while (Answer(call) == "(none yet)") loop_.Poll();
  backend_.admissions[0](uint64_t{1});
  EXPECT_TRUE(backend_.binds.empty());
  EXPECT_EQ(placement_->state().ledger().size(), 0u);
}

TEST_F(ShortDeadlineTest, WhoWaitedTooLongForItsTurnMayGoElsewhereAndHoldsNobodyUp) {
  AddKubeletNode("n1");
  AddNode("n2", {2});
  for (const char* name : {"a", "b", "c"}) AddPod(name, 2);
  size_t a = Bind("a", "n1"), b = Bind("b", "n1");
  while (Answer(a) == "(none yet)" || Answer(b) == "(none yet)") loop_.Poll();
  EXPECT_THAT(Answer(b), HasSubstr("before the binding could be sent"));
  EXPECT_THAT(captured_.Lines(), testing::ElementsAre(HasSubstr("outcome=expired")));
  EXPECT_EQ(bind_.InFlight(), 1u) << "the first one is under way";

  size_t elsewhere = Bind("b", "n2");
  ASSERT_EQ(backend_.binds.size(), 2u);
  EXPECT_EQ(backend_.binds[1].order.request.node, "n2");
  backend_.binds[1].done({BindResult::kBound});
  EXPECT_EQ(Answer(elsewhere), "");

  backend_.binds[0].done({BindResult::kBound});
  EXPECT_EQ(bind_.InFlight(), 0u);
  size_t c = Bind("c", "n1");
  ASSERT_EQ(backend_.binds.size(), 3u) << "nobody is before it";
  backend_.binds[2].done({BindResult::kBound});
  EXPECT_EQ(Answer(c), "");
}

class MeasurableDeadlineTest : public ServiceTest {
 protected:
  MeasurableDeadlineTest() : ServiceTest({}, milliseconds(150)) {}
};

TEST_F(MeasurableDeadlineTest, WhoJoinsAfterTheDeadlineHasItWhole) {
  AddNode("n1", {2});
  AddPod("a", 2);
  backend_.hold_admissions = true;
  size_t late = Bind("a", "n1");
  while (Answer(late) == "(none yet)") loop_.Poll();
  monotonic_ += std::chrono::seconds(9);
  Bind("a", "n1");
  backend_.admissions[0](uint64_t{1});
  ASSERT_EQ(backend_.binds.size(), 1u);
  EXPECT_EQ(backend_.binds[0].budget, milliseconds(150));
}

}  // namespace
}  // namespace huygens::extender
