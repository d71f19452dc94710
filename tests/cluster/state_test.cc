#include "cluster/state.h"

#include <gtest/gtest.h>

#include "tests/cluster/recording_account.h"

namespace huygens::cluster {
namespace {

Time At(int seconds) { return Time(std::chrono::seconds(seconds)); }

Node MakeNode(const std::string& name, const std::string& uid = "") {
  Node node;
  node.name = name;
  node.uid = uid;
  return node;
}

NodeTopology MakeTopology(const std::string& node, TopologySource source, bool pinned, const std::string& owner = "") {
  NodeTopology topology;
  topology.node_name = node;
  topology.source = source;
  topology.pinned_by_agent = pinned;
  topology.owner_uid = owner;
  return topology;
}

BizGroupQuota MakeGroup(const std::string& name, int64_t cpus, const std::string& parent = "") {
  BizGroupQuota group;
  group.name = name;
  group.parent = parent;
  group.hard = {{"limits.cpu", Quantity::FromInt(cpus)}};
  return group;
}

Pod MakePod(const std::string& uid, const std::string& node = "", PodPhase phase = PodPhase::kPending) {
  Pod pod;
  pod.uid = uid;
  pod.name = "name-" + uid;
  pod.namespace_name = "default";
  pod.node_name = node;
  pod.phase = phase;
  if (!node.empty()) pod.placement_mark = PlacementMark{uid, node, {{0, {{kCpu, 2000}}}}};
  return pod;
}

class StateTest : public testing::Test {
 protected:
  StateTest() { state_.AddAccount(account_); }
  void Set(Pod pod) { state_.Apply(PodSet{std::make_shared<const Pod>(std::move(pod))}); }
  Status Reserve(const std::string& uid, const std::string& node, int64_t cpu = 1000) {
    return state_.Reserve(std::make_shared<const Pod>(MakePod(uid)), *state_.FindNode(node), {{0, {{kCpu, cpu}}}},
                          At(1));
  }
  int64_t Held(const std::string& node) {
    auto zones = account_.Cpu(*state_.FindNode(node));
    return zones.contains(0) ? zones[0] : 0;
  }

  test::RecordingAccount account_;
  State state_;
};

TEST_F(StateTest, KnowsNodesByName) {
  EXPECT_EQ(state_.FindNode("a"), std::nullopt);
  state_.Apply(NodeSet{MakeNode("a")});
  state_.Apply(NodeSet{MakeNode("b")});
  state_.Apply(NodeSet{MakeNode("a")});
  EXPECT_EQ(state_.NodeCount(), 2u);
  EXPECT_EQ(state_.NodeName(*state_.FindNode("b")), "b");
  state_.Apply(NodeGone{"a"});
  state_.Apply(NodeGone{"a"});
  state_.Apply(NodeGone{"never seen"});
  EXPECT_EQ(state_.NodeCount(), 1u);
  EXPECT_EQ(state_.FindNode("a"), std::nullopt);
}

TEST_F(StateTest, APodMayComeBeforeItsNode) {
  Set(MakePod("p", "a", PodPhase::kRunning));
  EXPECT_EQ(state_.FindNode("a"), std::nullopt);
  EXPECT_EQ(state_.NodeCount(), 0u);
  state_.Apply(NodeSet{MakeNode("a")});
  EXPECT_EQ(Held("a"), 2000);
  EXPECT_EQ(state_.PodsOn(*state_.FindNode("a")).size(), 1u);
}

TEST_F(StateTest, PodsStayOnTheBooksWhileTheirNodeIsAway) {
  state_.Apply(NodeSet{MakeNode("a", "uid-1")});
  Set(MakePod("p", "a", PodPhase::kRunning));
  state_.Apply(NodeGone{"a"});
  EXPECT_EQ(state_.FindNode("a"), std::nullopt);
  state_.Apply(NodeSet{MakeNode("a", "uid-2")});
  EXPECT_EQ(Held("a"), 2000);
}

TEST_F(StateTest, OnlyEndOrDeletionFreesCapacity) {
  state_.Apply(NodeSet{MakeNode("a")});
  Pod pod = MakePod("p", "a", PodPhase::kRunning);
  Set(pod);
  pod.deleting = true;
  Set(pod);
  EXPECT_EQ(Held("a"), 2000);
  pod.phase = PodPhase::kFailed;
  Set(pod);
  EXPECT_EQ(Held("a"), 0);
  // A late event of the time before does not bring it back.
  pod.phase = PodPhase::kRunning;
  Set(pod);
  EXPECT_EQ(Held("a"), 0);
  state_.Apply(PodGone{"p"});
  state_.Apply(PodGone{"p"});
  EXPECT_EQ(state_.PodCount(), 0u);
}

TEST_F(StateTest, ALateEventDoesNotUnbind) {
  state_.Apply(NodeSet{MakeNode("a")});
  Set(MakePod("p", "a", PodPhase::kRunning));
  Set(MakePod("p"));
  EXPECT_EQ(Held("a"), 2000);
}

TEST_F(StateTest, ACopiedOrForgedResultCountsForNothing) {
  state_.Apply(NodeSet{MakeNode("a")});
  const std::vector<ZoneAmount> result = {{0, {{kCpu, 2000}}}};
  const auto held = [&](const std::string& uid, Boxed<PlacementMark> mark) {
    Pod pod = MakePod(uid, "a");
    pod.topology_result = result;
    pod.placement_mark = std::move(mark);
    Set(pod);
    const int64_t cpu = Held("a");
    state_.Apply(PodGone{uid});
    return cpu;
  };
  EXPECT_EQ(held("p", PlacementMark{"p", "a", {}}), 2000);
  EXPECT_EQ(held("p", PlacementMark{"other", "a", {}}), 0);
  EXPECT_EQ(held("p", PlacementMark{"p", "b", {}}), 0);
  EXPECT_EQ(held("p", {}), 0);
}

TEST_F(StateTest, AMarkOfAGroupIsNoEvidenceOfZones) {
  state_.Apply(NodeSet{MakeNode("a")});
  Pod pod = MakePod("p", "a");
  pod.topology_result = {{0, {{kCpu, 2000}}}};
  pod.placement_mark = PlacementMark{"p", "a", {}};
  pod.placement_mark->of_zones = false;
  Set(pod);
  EXPECT_EQ(Held("a"), 0);
}

TEST_F(StateTest, WhatAPodWasBoundWithIsItsGroup) {
  const auto labels = [](const char* group) {
    return std::make_shared<const QuotaLabels>(QuotaLabels{group, "", "", ""});
  };
  const auto group_of = [&](const Pod& seen) {
    Set(seen);
    const QuotaLabels* found = QuotaLabelsOf(*state_.FindPod("p"));
    return found == nullptr ? "" : found->group;
  };
  state_.Apply(NodeSet{MakeNode("a")});
  Pod pod = MakePod("p");
  pod.quota = labels("team");
  pod.placement_mark = PlacementMark{"p", "", {}, labels("forged")};
  EXPECT_EQ(group_of(pod), "team") << "it is not bound";
  pod = MakePod("p", "a");
  pod.quota = labels("later");
  pod.placement_mark->quota = labels("team");
  EXPECT_EQ(group_of(pod), "team");
  pod.quota = nullptr;
  EXPECT_EQ(group_of(pod), "team") << "a label that is taken away";
  pod.placement_mark->quota = labels("forged");
  EXPECT_EQ(group_of(pod), "team") << "a mark that is written later";
  pod.placement_mark.reset();
  EXPECT_EQ(group_of(pod), "team");
}

TEST_F(StateTest, AMarkOfAnotherPodOrNodeSaysNothingOfTheGroup) {
  const auto copied = std::make_shared<const QuotaLabels>(QuotaLabels{"copied", "", "", ""});
  Pod pod = MakePod("p", "a");
  pod.quota = std::make_shared<const QuotaLabels>(QuotaLabels{"team", "", "", ""});
  for (const PlacementMark& mark : {PlacementMark{"other", "a", {}, copied}, PlacementMark{"p", "b", {}, copied}}) {
    pod.placement_mark = mark;
    EXPECT_EQ(QuotaLabelsOf(pod), pod.quota.get());
  }
  pod.placement_mark = PlacementMark{"p", "a", {}, copied};
  EXPECT_EQ(QuotaLabelsOf(pod), copied.get());
}

TEST_F(StateTest, AResultWithoutAMarkCountsWhereTheOperatorTrustsIt) {
  test::RecordingAccount account;
  State state({.trust_unmarked_results = true});
  state.AddAccount(account);
  state.Apply(NodeSet{MakeNode("a")});
  Pod pod = MakePod("p", "a");
  pod.placement_mark.reset();
  pod.topology_result = {{1, {{kCpu, 3000}}}};
  state.Apply(PodSet{std::make_shared<const Pod>(pod)});
  EXPECT_EQ(account.Cpu(*state.FindNode("a"))[1], 3000);
}

TEST_F(StateTest, WhatWasWrittenAtTheBindingHoldsWhateverIsPatchedLater) {
  state_.Apply(NodeSet{MakeNode("a")});
  Set(MakePod("p"));
  Pod pod = MakePod("p", "a");
  Set(pod);
  EXPECT_EQ(Held("a"), 2000);
  pod.placement_mark = PlacementMark{"p", "a", {{0, {{kCpu, 1}}}, {1, {{kCpu, 1}}}}};
  pod.phase = PodPhase::kRunning;
  Set(pod);
  EXPECT_EQ(Held("a"), 2000);
  EXPECT_EQ(state_.FindPod("p")->phase, PodPhase::kRunning);
  EXPECT_EQ(state_.FindPod("p")->placement_mark->zones, (std::vector<ZoneAmount>{{0, {{kCpu, 2000}}}}));
  pod.placement_mark.reset();
  Set(pod);
  EXPECT_EQ(Held("a"), 2000);
  // Who brought none gets none later.
  Pod other = MakePod("q", "a");
  other.placement_mark.reset();
  Set(other);
  other.placement_mark = PlacementMark{"q", "a", {{0, {{kCpu, 5000}}}}};
  Set(other);
  EXPECT_EQ(Held("a"), 2000);
}

TEST_F(StateTest, APodsAmountsCountOnceANodeNamesTheResource) {
  ResourceNames names;
  state_.Apply(NodeSet{MakeNode("a")});
  Pod pod = MakePod("p", "a");
  pod.unknown_resources = std::vector<std::string>{"x/device", "y/device"};
  Container container;
  container.requests = {{kFirstUnknownResource, 2}, {kFirstUnknownResource + 1, 3}};
  pod.containers.push_back(container);
  Set(pod);
  Pod waiting = pod;
  waiting.uid = waiting.name = "w";
  waiting.node_name.clear();
  waiting.nominated_node = "a";
  Set(waiting);
  const auto first = static_cast<ResourceId>(names.size());
  const ResourceId device = *names.Intern("y/device");
  state_.ResourcesKnown(names, first);
  for (const char* uid : {"p", "w"}) {
    EXPECT_EQ(state_.FindPod(uid)->containers[0].requests, (ResourceVector{{device, 3}, {kFirstUnknownResource, 2}}));
    EXPECT_EQ(*state_.FindPod(uid)->unknown_resources, std::vector<std::string>{"x/device"});
  }
  EXPECT_EQ(state_.Nominated().at("w"), state_.FindPod("w"));
  ASSERT_EQ(state_.NominatedTo(*state_.FindNode("a")).size(), 1u);
  EXPECT_EQ(state_.NominatedTo(*state_.FindNode("a"))[0], state_.FindPod("w"));
  EXPECT_EQ(Held("a"), 2000);
  EXPECT_EQ(account_.Present(), 1u);
  state_.Apply(PodGone{"p"});
  (void)names.Intern("x/device");
  state_.ResourcesKnown(names, static_cast<ResourceId>(device + 1));
  EXPECT_FALSE(state_.FindPod("w")->unknown_resources.has_value());
}

class LossTest : public StateTest {
 protected:
  LossTest() {
    lossy_.AddAccount(told_);
    lossy_.Apply(NodeSet{MakeNode("a", "uid-1")});
    lossy_.Apply(TopologySet{Zones(2)});
  }
  static NodeTopology Zones(size_t count) {
    NodeTopology topology = MakeTopology("a", TopologySource::kCrane, true);
    topology.zones.resize(count);
    return topology;
  }
  NodeIndex A() { return *lossy_.FindNode("a"); }
  void Lose() { lossy_.Apply(TopologyGone{TopologySource::kCrane, "a"}); }
  static Duration Seconds(int seconds) { return std::chrono::seconds(seconds); }

  test::RecordingAccount told_;
  State lossy_{{.loss_grace = std::chrono::seconds(60)}};
};

TEST_F(LossTest, TheLastObjectHoldsForItsGrace) {
  EXPECT_FALSE(lossy_.TopologyLost(A()));
  Lose();
  Lose();
  EXPECT_TRUE(lossy_.TopologyLost(A()));
  EXPECT_EQ(lossy_.LostTopologies(), 1u);
  EXPECT_EQ(lossy_.AgeLosses(Seconds(1000)).begun, std::vector<NodeIndex>{A()});
  State::Losses last = lossy_.AgeLosses(Seconds(1059));
  EXPECT_TRUE(last.begun.empty());
  EXPECT_EQ(last.longest, Seconds(59));
  ASSERT_NE(lossy_.Topology(A()), nullptr);
  EXPECT_EQ(told_.TopologyZones(A()), 2);
  EXPECT_EQ(lossy_.AgeLosses(Seconds(1060)).given_up, std::vector<NodeIndex>{A()});
  EXPECT_EQ(lossy_.Topology(A()), nullptr);
  EXPECT_FALSE(lossy_.TopologyLost(A()));
  EXPECT_EQ(lossy_.LostTopologies(), 0u);
  EXPECT_EQ(told_.TopologyZones(A()), -1);
}

TEST_F(LossTest, SaysHowMuchLongerWhatIsLostHolds) {
  (void)lossy_.AgeLosses(Seconds(900));
  EXPECT_EQ(lossy_.LossLeft(A()), std::nullopt);
  Lose();
  EXPECT_EQ(lossy_.LossLeft(A()), Seconds(60)) << "nobody has dated it yet";
  (void)lossy_.AgeLosses(Seconds(1000));
  EXPECT_EQ(lossy_.LossLeft(A()), Seconds(60));
  (void)lossy_.AgeLosses(Seconds(1042));
  EXPECT_EQ(lossy_.LossLeft(A()), Seconds(18));
  lossy_.Apply(TopologySet{Zones(4)});
  EXPECT_EQ(lossy_.LossLeft(A()), std::nullopt);
}

TEST_F(LossTest, AnObjectThatComesBackIsFound) {
  Lose();
  (void)lossy_.AgeLosses(Seconds(0));
  lossy_.Apply(TopologySet{Zones(4)});
  EXPECT_FALSE(lossy_.TopologyLost(A()));
  EXPECT_EQ(told_.TopologyZones(A()), 4);
  EXPECT_TRUE(lossy_.AgeLosses(Seconds(500)).given_up.empty());
  Lose();  // the time of the first loss is forgotten
  EXPECT_EQ(lossy_.AgeLosses(Seconds(501)).begun.size(), 1u);
}

TEST_F(LossTest, AKindThatIsGoneAsAWholeIsLostNodeByNode) {
  lossy_.Apply(ListBegin{Kind::kCraneTopology});
  lossy_.Apply(ListEnd{Kind::kCraneTopology});
  EXPECT_TRUE(lossy_.TopologyLost(A()));
  EXPECT_EQ(told_.TopologyZones(A()), 2);
}

TEST_F(LossTest, ANodeThatGoesLosesNothing) {
  lossy_.Apply(NodeGone{"a"});
  Lose();
  EXPECT_EQ(lossy_.LostTopologies(), 0u);
  // The other way round: the object's event was faster.
  lossy_.Apply(NodeSet{MakeNode("a", "uid-2")});
  EXPECT_EQ(lossy_.Topology(A()), nullptr);
  lossy_.Apply(TopologySet{Zones(2)});
  Lose();
  lossy_.Apply(NodeGone{"a"});
  EXPECT_EQ(lossy_.LostTopologies(), 0u);
  lossy_.Apply(NodeSet{MakeNode("a", "uid-3")});
  EXPECT_EQ(lossy_.Topology(A()), nullptr);
  // And a Node that is another without having been gone.
  lossy_.Apply(TopologySet{Zones(2)});
  Lose();
  lossy_.Apply(NodeSet{MakeNode("a", "uid-4")});
  EXPECT_EQ(lossy_.LostTopologies(), 0u);
  EXPECT_EQ(lossy_.Topology(A()), nullptr);
}

TEST_F(LossTest, OnlyTheObjectInForceIsLost) {
  lossy_.Apply(TopologySet{MakeTopology("a", TopologySource::kCommunity, false)});
  lossy_.Apply(TopologyGone{TopologySource::kCommunity, "a"});
  EXPECT_EQ(lossy_.LostTopologies(), 0u);
  lossy_.Apply(TopologySet{MakeTopology("a", TopologySource::kCommunity, false)});
  Lose();
  EXPECT_TRUE(lossy_.TopologyLost(A()));
  EXPECT_EQ(lossy_.Topology(A())->source, TopologySource::kCrane);
  (void)lossy_.AgeLosses(Seconds(0));
  (void)lossy_.AgeLosses(Seconds(60));
  EXPECT_EQ(lossy_.Topology(A())->source, TopologySource::kCommunity);
}

TEST_F(LossTest, WhatIsLostButNotInForceKeepsNobodyAway) {
  lossy_.Apply(TopologySet{MakeTopology("a", TopologySource::kCrane, false)});
  Lose();
  EXPECT_TRUE(lossy_.TopologyLost(A()));
  lossy_.Apply(TopologySet{MakeTopology("a", TopologySource::kCommunity, false)});
  EXPECT_FALSE(lossy_.TopologyLost(A()));
  EXPECT_EQ(lossy_.LostTopologies(), 0u);
  lossy_.Apply(TopologyGone{TopologySource::kCommunity, "a"});
  EXPECT_TRUE(lossy_.TopologyLost(A()));
  EXPECT_EQ(lossy_.LostTopologies(), 1u);
}

TEST_F(LossTest, ANodeIsNotLostBecauseAnotherIs) {
  lossy_.Apply(NodeSet{MakeNode("b")});
  lossy_.Apply(TopologySet{MakeTopology("b", TopologySource::kCrane, true)});
  Lose();
  lossy_.Apply(TopologyGone{TopologySource::kCrane, "b"});
  lossy_.Apply(TopologySet{Zones(2)});
  EXPECT_FALSE(lossy_.TopologyLost(A()));
  EXPECT_TRUE(lossy_.TopologyLost(*lossy_.FindNode("b")));
  Lose();
  lossy_.Apply(NodeGone{"a"});
  lossy_.Apply(NodeSet{MakeNode("c")});
  EXPECT_FALSE(lossy_.TopologyLost(*lossy_.FindNode("c"))) << "in the place of the one that went";
}

TEST_F(StateTest, ResultsOfUnboundPodsAreIgnored) {
  state_.Apply(NodeSet{MakeNode("a")});
  Pod pod = MakePod("p");
  pod.placement_mark = PlacementMark{"p", "a", {{0, {{kCpu, 9000}}}}};
  Set(pod);
  EXPECT_EQ(account_.Present(), 0u);
}

TEST_F(StateTest, NamesBelongToTheNewestPod) {
  Pod old_pod = MakePod("old", "a"), new_pod = MakePod("new");
  old_pod.name = new_pod.name = "web-0";
  Set(old_pod);
  EXPECT_EQ(state_.FindPod("default", "web-0")->uid, "old");
  Set(new_pod);
  EXPECT_EQ(state_.FindPod("default", "web-0")->uid, "new");
  Set(old_pod);  // late
  EXPECT_EQ(state_.FindPod("default", "web-0")->uid, "new");
  state_.Apply(PodGone{"old"});
  EXPECT_EQ(state_.FindPod("default", "web-0")->uid, "new");
  state_.Apply(PodGone{"new"});
  EXPECT_EQ(state_.FindPod("default", "web-0"), nullptr);
  EXPECT_EQ(state_.FindPod("no such uid"), nullptr);
}

TEST_F(StateTest, APodOfAnotherNameIsFoundByThatAlone) {
  Set(MakePod("p", "a"));
  Pod renamed = MakePod("p", "a");
  renamed.name = "other";
  Set(renamed);
  EXPECT_EQ(state_.FindPod("default", "name-p"), nullptr);
  ASSERT_NE(state_.FindPod("default", "other"), nullptr);
  EXPECT_EQ(state_.FindPod("default", "other")->uid, "p");
  EXPECT_EQ(state_.FindPod("other", "default"), nullptr);
  state_.Apply(PodGone{"p"});
  EXPECT_EQ(state_.FindPod("default", "other"), nullptr);
}

TEST_F(StateTest, AListRemovesWhatItDoesNotName) {
  for (const char* name : {"a", "b"}) state_.Apply(NodeSet{MakeNode(name)});
  Set(MakePod("p", "a"));
  Set(MakePod("q", "b"));
  state_.Apply(TopologySet{MakeTopology("a", TopologySource::kCrane, true)});

  state_.Apply(ListBegin{Kind::kNode});
  state_.Apply(NodeSet{MakeNode("b")});
  EXPECT_FALSE(state_.Synced(Kind::kNode));
  state_.Apply(ListEnd{Kind::kNode});
  EXPECT_TRUE(state_.Synced(Kind::kNode));
  EXPECT_FALSE(state_.Synced(Kind::kPod));
  EXPECT_EQ(state_.FindNode("a"), std::nullopt);
  EXPECT_EQ(state_.PodCount(), 2u);

  state_.Apply(ListBegin{Kind::kPod});
  Set(MakePod("q", "b"));
  state_.Apply(ListEnd{Kind::kPod});
  EXPECT_EQ(state_.PodCount(), 1u);
  EXPECT_EQ(account_.Present(), 1u);

  state_.Apply(ListBegin{Kind::kCraneTopology});
  state_.Apply(ListEnd{Kind::kCraneTopology});
  state_.Apply(NodeSet{MakeNode("a")});
  EXPECT_EQ(state_.Topology(*state_.FindNode("a")), nullptr);
}

TEST_F(StateTest, TellsOfGroupsAndOfTheirEndOnce) {
  using Groups = std::map<std::string, std::string>;
  state_.Apply(BizGroupQuotaSet{MakeGroup("team", 4, "org")});  // before its parent
  state_.Apply(BizGroupQuotaSet{MakeGroup("org", 10)});
  state_.Apply(BizGroupQuotaSet{MakeGroup("team", 5, "org")});
  EXPECT_EQ(account_.Groups(), (Groups{{"org", "< limits.cpu=10"}, {"team", "<org limits.cpu=5"}}));
  const uint64_t before = state_.revision();
  state_.Apply(BizGroupQuotaGone{"team"});
  state_.Apply(BizGroupQuotaGone{"team"});
  state_.Apply(BizGroupQuotaGone{"never seen"});
  EXPECT_EQ(account_.Groups(), (Groups{{"org", "< limits.cpu=10"}}));
  EXPECT_GT(state_.revision(), before);
}

TEST_F(StateTest, AListOfGroupsRemovesWhatItDoesNotName) {
  for (const char* name : {"a", "b", "c"}) state_.Apply(BizGroupQuotaSet{MakeGroup(name, 1)});
  EXPECT_FALSE(state_.Synced(Kind::kBizGroupQuota));
  state_.Apply(ListBegin{Kind::kBizGroupQuota});
  state_.Apply(BizGroupQuotaSet{MakeGroup("b", 2)});
  EXPECT_EQ(account_.Groups().size(), 3u);  // until the list is complete
  state_.Apply(ListEnd{Kind::kBizGroupQuota});
  EXPECT_TRUE(state_.Synced(Kind::kBizGroupQuota));
  ASSERT_EQ(account_.Groups().size(), 1u);
  EXPECT_EQ(account_.Groups().at("b"), "< limits.cpu=2");

  // Lists of other kinds, and one that is broken off, remove no group.
  for (Kind kind : {Kind::kNode, Kind::kPod}) {
    state_.Apply(ListBegin{kind});
    state_.Apply(ListEnd{kind});
  }
  state_.Apply(ListBegin{Kind::kBizGroupQuota});
  state_.Apply(ListBegin{Kind::kBizGroupQuota});
  state_.Apply(BizGroupQuotaSet{MakeGroup("b", 3)});
  state_.Apply(ListEnd{Kind::kBizGroupQuota});
  EXPECT_EQ(account_.Groups().at("b"), "< limits.cpu=3");
}

TEST_F(StateTest, AnAbandonedListRemovesNothing) {
  state_.Apply(NodeSet{MakeNode("a")});
  state_.Apply(ListBegin{Kind::kNode});
  state_.Apply(ListBegin{Kind::kNode});
  state_.Apply(NodeSet{MakeNode("a")});
  state_.Apply(ListEnd{Kind::kNode});
  EXPECT_TRUE(state_.FindNode("a"));
}

TEST_F(StateTest, AListSparesPodsThatOnlyTheLedgerKnows) {
  state_.Apply(NodeSet{MakeNode("a")});
  ASSERT_TRUE(Reserve("p", "a").ok());
  state_.Apply(ListBegin{Kind::kPod});
  state_.Apply(ListEnd{Kind::kPod});
  EXPECT_EQ(Held("a"), 1000);
}

TEST_F(StateTest, TakesCranesObjectWhereItsAgentPinsElseTheCommunitys) {
  state_.Apply(NodeSet{MakeNode("a")});
  NodeIndex a = *state_.FindNode("a");
  EXPECT_EQ(state_.Topology(a), nullptr);
  state_.Apply(TopologySet{MakeTopology("a", TopologySource::kCrane, false)});
  EXPECT_EQ(state_.Topology(a)->source, TopologySource::kCrane);
  state_.Apply(TopologySet{MakeTopology("a", TopologySource::kCommunity, false)});
  EXPECT_EQ(state_.Topology(a)->source, TopologySource::kCommunity);
  state_.Apply(TopologySet{MakeTopology("a", TopologySource::kCrane, true)});
  EXPECT_EQ(state_.Topology(a)->source, TopologySource::kCrane);
  state_.Apply(TopologyGone{TopologySource::kCrane, "a"});
  EXPECT_EQ(state_.Topology(a)->source, TopologySource::kCommunity);
  state_.Apply(TopologyGone{TopologySource::kCommunity, "a"});
  EXPECT_EQ(state_.Topology(a), nullptr);
  EXPECT_EQ(account_.TopologyZones(a), -1);
}

TEST_F(StateTest, ATopologyObjectOfAnEarlierNodeIsNotInForce) {
  NodeTopology topology = MakeTopology("a", TopologySource::kCrane, true, "uid-1");
  topology.zones.resize(2);
  state_.Apply(TopologySet{topology});
  state_.Apply(NodeSet{MakeNode("a", "uid-1")});
  NodeIndex a = *state_.FindNode("a");
  EXPECT_NE(state_.Topology(a), nullptr);
  state_.Apply(NodeGone{"a"});
  state_.Apply(NodeSet{MakeNode("a", "uid-2")});
  a = *state_.FindNode("a");
  EXPECT_EQ(state_.Topology(a), nullptr);
  EXPECT_EQ(account_.TopologyZones(a), -1);
  topology.owner_uid = "uid-2";
  state_.Apply(TopologySet{topology});
  EXPECT_EQ(account_.TopologyZones(a), 2);
}

TEST_F(StateTest, SlotsOfForgottenNodesAreReusedClean) {
  for (int round = 0; round < 100; ++round) {
    std::string name = "node-" + std::to_string(round);
    state_.Apply(NodeSet{MakeNode(name)});
    Set(MakePod("p" + name, name));
    state_.Apply(TopologySet{MakeTopology(name, TopologySource::kCrane, true)});
    NodeIndex index = *state_.FindNode(name);
    EXPECT_EQ(state_.PodsOn(index).size(), 1u);
    state_.Apply(NodeGone{name});
    state_.Apply(TopologyGone{TopologySource::kCrane, name});
    state_.Apply(PodGone{"p" + name});
  }
  EXPECT_LE(state_.NodeSlots(), 2u);
  EXPECT_EQ(account_.Present(), 0u);
}

TEST_F(StateTest, AReservationHoldsFromDecisionToWatch) {
  state_.Apply(NodeSet{MakeNode("a")});
  Set(MakePod("p"));
  ASSERT_TRUE(Reserve("p", "a", 3000).ok());
  EXPECT_EQ(Held("a"), 3000);
  EXPECT_EQ(state_.ledger().Find("p")->state, ReservationState::kReserved);
  state_.Assume("p", At(2));
  EXPECT_EQ(state_.ledger().Find("p")->state, ReservationState::kAssumed);
  Set(MakePod("p"));  // still unbound in the watch
  EXPECT_EQ(Held("a"), 3000);
  Set(MakePod("p", "a"));
  EXPECT_EQ(Held("a"), 2000);  // what the API server says counts
  EXPECT_EQ(state_.ledger().size(), 0u);
  state_.Assume("p", At(3));
  state_.Release("p");
  EXPECT_EQ(Held("a"), 2000);
}

TEST_F(StateTest, TheWatchMayBeFasterThanTheBinder) {
  state_.Apply(NodeSet{MakeNode("a")});
  ASSERT_TRUE(Reserve("p", "a").ok());
  Set(MakePod("p", "a"));
  state_.Assume("p", At(2));
  EXPECT_EQ(state_.ledger().size(), 0u);
  EXPECT_EQ(Held("a"), 2000);
}

TEST_F(StateTest, TheWatchDecidesWhereAPodIs) {
  for (const char* name : {"a", "b"}) state_.Apply(NodeSet{MakeNode(name)});
  ASSERT_TRUE(Reserve("p", "a").ok());
  Set(MakePod("p", "b"));
  EXPECT_EQ(Held("a"), 0);
  EXPECT_EQ(Held("b"), 2000);
  EXPECT_EQ(state_.ledger().size(), 0u);
}

TEST_F(StateTest, ReleaseGivesBackWhateverWasKnownOfThePod) {
  state_.Apply(NodeSet{MakeNode("a")});
  ASSERT_TRUE(Reserve("unknown", "a").ok());
  state_.Release("unknown");
  EXPECT_EQ(state_.FindPod("unknown"), nullptr);
  EXPECT_EQ(state_.FindPod("default", "name-unknown"), nullptr);
  Set(MakePod("known"));
  ASSERT_TRUE(Reserve("known", "a").ok());
  state_.Release("known");
  state_.Release("known");
  EXPECT_NE(state_.FindPod("known"), nullptr);
  EXPECT_EQ(state_.FindPlaced("known"), nullptr);
  EXPECT_EQ(Held("a"), 0);
  EXPECT_EQ(account_.Present(), 0u);
}

TEST_F(StateTest, APodThatVanishesOrEndsTakesItsReservationAlong) {
  state_.Apply(NodeSet{MakeNode("a")});
  for (const char* uid : {"p", "q"}) {
    Set(MakePod(uid));
    ASSERT_TRUE(Reserve(uid, "a").ok());
  }
  state_.Apply(PodGone{"p"});
  Set(MakePod("q", "", PodPhase::kFailed));
  EXPECT_EQ(state_.ledger().size(), 0u);
  EXPECT_EQ(account_.Present(), 0u);
  state_.Assume("p", At(9));
  state_.Release("p");
}

TEST_F(StateTest, NobodyHoldsCapacityTwice) {
  for (const char* name : {"a", "b"}) state_.Apply(NodeSet{MakeNode(name)});
  ASSERT_TRUE(Reserve("p", "a").ok());
  EXPECT_EQ(Reserve("p", "a").code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Reserve("p", "b").code(), absl::StatusCode::kAlreadyExists);
  Set(MakePod("q", "b"));
  EXPECT_EQ(Reserve("q", "a").code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(account_.Present(), 2u);
}

TEST_F(StateTest, AReservationOutlivesItsNode) {
  state_.Apply(NodeSet{MakeNode("a")});
  ASSERT_TRUE(Reserve("p", "a").ok());
  state_.Apply(NodeGone{"a"});
  state_.Apply(NodeSet{MakeNode("b")});  // must not get the slot of a
  EXPECT_EQ(Held("b"), 0);
  state_.Release("p");
  EXPECT_EQ(account_.Present(), 0u);
}

TEST_F(StateTest, ReconcileGoesRoundAndCountsWhatItRepairs) {
  for (const char* name : {"a", "b", "c"}) state_.Apply(NodeSet{MakeNode(name)});
  Set(MakePod("p", "b"));
  EXPECT_EQ(state_.Reconcile(100), 0u);
  account_.Spoil(*state_.FindNode("b"));
  account_.Spoil(*state_.FindNode("c"));
  EXPECT_EQ(state_.Reconcile(1) + state_.Reconcile(1) + state_.Reconcile(1), 2u);
  EXPECT_EQ(state_.Reconcile(3), 0u);
  EXPECT_EQ(Held("b"), 2000);
  State empty;
  EXPECT_EQ(empty.Reconcile(10), 0u);
}

TEST_F(StateTest, APodIsNominatedUntilItIsBoundOrTheNominationIsTakenBack) {
  auto nominated = [&] {
    std::vector<std::string> uids;
    for (const auto& [uid, pod] : state_.Nominated()) uids.push_back(Concat(uid, ":", pod->nominated_node));
    return uids;
  };
  using Uids = std::vector<std::string>;
  Pod a = MakePod("a"), b = MakePod("b");
  Set(a);
  EXPECT_EQ(nominated(), Uids());
  a.nominated_node = "n";
  b.nominated_node = "m";
  Set(b);
  Set(a);
  EXPECT_EQ(nominated(), (Uids{"a:n", "b:m"}));
  a.nominated_node = "m";
  Set(a);
  EXPECT_EQ(nominated(), (Uids{"a:m", "b:m"}));
  b.node_name = "m";
  Set(b);
  EXPECT_EQ(nominated(), Uids{"a:m"});
  a.deleting = true;
  Set(a);
  EXPECT_EQ(nominated(), Uids());
  Pod c = MakePod("c");
  c.nominated_node = "n";
  Set(c);
  state_.Apply(PodGone{"c"});
  EXPECT_EQ(nominated(), Uids());
}

TEST_F(StateTest, NominatedPodsAreFoundByNodeAlsoByOneThatComesLater) {
  auto nominated_to = [&](const std::string& name) {
    std::vector<std::string> uids;
    for (const auto& pod : state_.NominatedTo(*state_.FindNode(name))) uids.push_back(pod->uid);
    return uids;
  };
  using Uids = std::vector<std::string>;
  Pod a = MakePod("a"), b = MakePod("b");
  a.nominated_node = b.nominated_node = "later";
  Set(a);
  Set(b);
  Set(b);
  state_.Apply(NodeSet{MakeNode("n")});
  EXPECT_EQ(nominated_to("n"), Uids());
  state_.Apply(NodeSet{MakeNode("later")});
  EXPECT_EQ(nominated_to("later"), (Uids{"a", "b"}));
  state_.Apply(NodeGone{"later"});
  state_.Apply(NodeSet{MakeNode("other")});  // must not get the slot of the one that went
  EXPECT_EQ(nominated_to("other"), Uids());
  state_.Apply(NodeSet{MakeNode("later")});
  EXPECT_EQ(nominated_to("later"), (Uids{"a", "b"}));
  a.nominated_node = "n";
  Set(a);
  EXPECT_EQ(nominated_to("n"), Uids{"a"});
  EXPECT_EQ(nominated_to("later"), Uids{"b"});
  state_.Apply(PodGone{"a"});
  EXPECT_EQ(nominated_to("n"), Uids());
}

TEST_F(StateTest, RevisionGrowsWithEveryChange) {
  uint64_t before = state_.revision();
  state_.Apply(NodeSet{MakeNode("a")});
  EXPECT_GT(state_.revision(), before);
  before = state_.revision();
  ASSERT_TRUE(Reserve("p", "a").ok());
  EXPECT_GT(state_.revision(), before);
  before = state_.revision();
  state_.Release("p");
  EXPECT_GT(state_.revision(), before);
}

TEST_F(StateTest, APodThatAListCouldNotReadStaysAsItWas) {
  state_.Apply(NodeSet{MakeNode("n")});
  Set(MakePod("u", "n"));
  Set(MakePod("v", "n"));
  state_.Apply(ListBegin{Kind::kPod});
  state_.Apply(PodKept{"u"});
  state_.Apply(PodKept{"unheard-of"});
  state_.Apply(ListEnd{Kind::kPod});
  EXPECT_NE(state_.FindPlaced("u"), nullptr);
  EXPECT_EQ(state_.FindPlaced("v"), nullptr);
  EXPECT_EQ(Held("n"), 2000);
}

// An account that counts what it is told.
class CountingAccount final : public Account {
 public:
  void Place(const PlacedPod&) override { ++calls; }
  void Leave(const PlacedPod&) override { ++calls; }
  void NodeObjectChanged(NodeIndex, const Node*) override { ++calls; }
  void NodeChanged(NodeIndex, const NodeTopology*) override { ++calls; }
  void GroupChanged(const BizGroupQuota&) override { ++calls; }
  void GroupGone(std::string_view) override { ++calls; }
  bool Recount(NodeIndex, std::span<const PlacedPod* const>) override { return false; }
  int calls = 0;
};

// A LIST of each kind but for its end, of objects with this resource version.
void ListAll(State& state, uint64_t version, const std::vector<std::string>& pods) {
  for (Kind kind : kKinds) state.Apply(ListBegin{kind});
  state.Apply(NodeSet{MakeNode("a"), version});
  state.Apply(TopologySet{MakeTopology("a", TopologySource::kCrane, true), version});
  state.Apply(BizGroupQuotaSet{MakeGroup("team", 4), version});
  for (const std::string& uid : pods)
    state.Apply(PodSet{std::make_shared<const Pod>(MakePod(uid, uid == "pending" ? "" : "a")), version});
}
void EndLists(State& state) {
  for (Kind kind : kKinds) state.Apply(ListEnd{kind});
}

TEST(StateList, OfWhatNobodyChangedTouchesNoAccount) {
  CountingAccount account;
  State state;
  state.AddAccount(account);
  ListAll(state, 7, {"p", "q", "pending"});
  EndLists(state);
  EXPECT_GE(std::exchange(account.calls, 0), 6);
  const auto known = state.FindPod("p");
  ListAll(state, 7, {"q", "pending", "p"});
  EndLists(state);
  EXPECT_EQ(account.calls, 0);
  EXPECT_EQ(state.FindPod("p"), known);
  ListAll(state, 8, {"q", "pending", "p"});
  EXPECT_GE(account.calls, 6);
}

TEST(StateList, OfObjectsWithoutAVersionIsTakenAtItsWord) {
  CountingAccount account;
  State state;
  state.AddAccount(account);
  for (int i = 0; i < 2; ++i) {
    account.calls = 0;
    ListAll(state, 0, {"p"});
    EndLists(state);
    EXPECT_GE(account.calls, 4);
  }
}

TEST(StateList, NamesAPodAgainThatIsReservedMeanwhile) {
  State state;
  ListAll(state, 7, {"pending"});
  EndLists(state);
  ASSERT_TRUE(state.Reserve(state.FindPod("pending"), *state.FindNode("a"), {}, At(1)).ok());
  ListAll(state, 7, {"pending"});
  EndLists(state);
  EXPECT_NE(state.FindPlaced("pending"), nullptr);
  EXPECT_EQ(state.ledger().size(), 1u);
}

TEST(StateList, WhatItDoesNotNameIsSweptAwayALittleAtATime) {
  State state;
  std::vector<std::string> pods;
  for (int i = 0; i < 10; ++i) pods.push_back("p" + std::to_string(i));
  ListAll(state, 7, pods);
  EndLists(state);
  ASSERT_TRUE(state.Reserve(std::make_shared<const Pod>(MakePod("reserved")), *state.FindNode("a"), {}, At(1)).ok());
  ListAll(state, 7, {"p3", "p8"});
  state.Apply(PodKept{"p9"});
  const uint64_t revision = state.revision();
  size_t left = state.PodCount();
  while (state.Sweep(Kind::kPod, 2)) {
    EXPECT_LE(left - state.PodCount(), 2u);
    left = state.PodCount();
  }
  EXPECT_GT(state.revision(), revision) << "decisions between two steps are made on other states";
  EXPECT_EQ(state.PodCount(), 4u) << "two that were named, one that could not be read, one that no watch has shown yet";
  EndLists(state);
  EXPECT_EQ(state.PodCount(), 4u);
  EXPECT_NE(state.FindPlaced("p3"), nullptr);
  EXPECT_EQ(state.FindPod("p4"), nullptr);

  // Those of a LIST that was broken off belong to no LIST.
  ListAll(state, 7, {"p3", "p9"});
  ListAll(state, 7, {"p8"});
  EndLists(state);
  EXPECT_EQ(state.PodCount(), 2u);
  EXPECT_NE(state.FindPod("p8"), nullptr);
}

TEST(StateList, NodesThatItDoesNotNameAreSweptAwayALittleAtATime) {
  State state;
  for (int i = 0; i < 10; ++i) state.Apply(NodeSet{MakeNode("n" + std::to_string(i))});
  state.Apply(ListBegin{Kind::kNode});
  state.Apply(NodeSet{MakeNode("n5")});
  EXPECT_TRUE(state.Sweep(Kind::kNode, 3));
  EXPECT_EQ(state.NodeCount(), 7u);
  while (state.Sweep(Kind::kNode, 3)) {
  }
  EXPECT_EQ(state.NodeCount(), 1u);
}

}  // namespace
}  // namespace huygens::cluster
