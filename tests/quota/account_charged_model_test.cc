// What pods that do not name a model cost on nodes that are of one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/state.h"
#include "quota/account.h"
#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

class ChargedModelTest : public testing::Test {
 protected:
  explicit ChargedModelTest(UnnamedModel mode = UnnamedModel::kCharge) : account_(names_, {.unnamed_model = mode}) {
    state_.AddAccount(account_);
    state_.Apply(cluster::BizGroupQuotaSet{
        MakeGroup("team", "", {{"limits.cpu", "10"}, {"limits.cpu.A4", "4"}, {"limits.memory", "64Gi"}})});
  }
  cluster::NodeIndex Node(const std::string& name, const std::string& cpu, const std::string& memory = "") {
    cluster::Node node;
    node.name = name;
    if (!cpu.empty()) node.labels.emplace_back("huygens.dev/cpu-model", cpu);
    if (!memory.empty()) node.labels.emplace_back("huygens.dev/memory-model", memory);
    state_.Apply(cluster::NodeSet{node});
    return *state_.FindNode(name);
  }
  static PodPointer Pod(const std::string& uid, int64_t cores, const std::string& model = "") {
    return Labelled(uid, MakePod(cores * 1000, int64_t{1} << 30), Labels("team", model));
  }
  void Place(const PodPointer& pod, const std::string& node) { state_.Apply(cluster::PodSet{Bound(pod, node)}); }
  std::string Cores(const char* key) { return Used(account_.tree(), "team", key); }
  // What the group says of the pod on this node alone.
  std::string Why(const PodPointer& pod, cluster::NodeIndex node) {
    const VerdictsByModel verdicts = account_.CheckByModel(*pod);
    const Verdict* there = verdicts.On(node);
    return there == nullptr ? "" : Text(*there, "team");
  }

  ResourceNames names_;
  Account account_;
  cluster::State state_;
};

TEST_F(ChargedModelTest, APodIsChargedToTheModelOfItsNode) {
  Node("a4", "A4", "DDR5");
  Node("plain", "");
  Place(Pod("a", 3), "a4");
  Place(Pod("b", 2), "plain");
  EXPECT_EQ(Cores("limits.cpu"), "5");
  EXPECT_EQ(Cores("limits.cpu.A4"), "3");
  EXPECT_EQ(Cores("requests.memory.DDR5"), "1Gi");
  EXPECT_EQ(state_.Reconcile(10), 0u);
  state_.Apply(cluster::PodGone{"a"});
  EXPECT_EQ(Cores("limits.cpu.A4"), "0");
}

TEST_F(ChargedModelTest, AModelThatItNamesByItsFrontIsTheNodesWhole) {
  Node("n", "A4.rev2");
  Place(Pod("a", 3, "A4"), "n");
  EXPECT_EQ(Cores("limits.cpu.A4"), "3");
  EXPECT_EQ(Cores("limits.cpu.A4.rev2"), "3");
  Place(Pod("b", 1, "B7"), "n");  // by others: huygens would not
  EXPECT_EQ(Cores("limits.cpu.B7"), "1");
  EXPECT_EQ(Cores("limits.cpu.A4"), "3");
}

TEST_F(ChargedModelTest, PodsMayComeBeforeTheirNodeAndMoveWhenItIsRelabelledOrGoes) {
  Place(Pod("a", 3), "n");
  EXPECT_EQ(Cores("limits.cpu.A4"), "0");
  Node("n", "A4");
  EXPECT_EQ(Cores("limits.cpu.A4"), "3");
  Node("n", "B7");
  EXPECT_EQ(Cores("limits.cpu.A4"), "0");
  EXPECT_EQ(Cores("limits.cpu.B7"), "3");
  Node("n", "A4");
  state_.Apply(cluster::NodeGone{"n"});
  EXPECT_EQ(Cores("limits.cpu.A4"), "0");
  EXPECT_EQ(Cores("limits.cpu"), "3");
  EXPECT_EQ(state_.Reconcile(10), 0u);
  state_.Apply(cluster::PodGone{"a"});
  EXPECT_TRUE(account_.tree().Find("team")->used.empty());
}

TEST_F(ChargedModelTest, ANodeOfAModelThatIsUsedUpIsNotForIt) {
  const auto a4 = Node("a4", "A4"), more = Node("more", "A4"), b7 = Node("b7", "B7"), plain = Node("plain", "");
  Place(Pod("a", 3), "a4");
  const std::string why = "quota bizrq/team: limits.cpu.A4 used 3 of 4, requested 2";
  EXPECT_EQ(Why(Pod("b", 2), a4), why);
  EXPECT_EQ(Why(Pod("b", 2), more), why);
  EXPECT_EQ(Why(Pod("b", 2), b7), "");
  EXPECT_EQ(Why(Pod("b", 2), plain), "");
  EXPECT_EQ(Why(Pod("b", 1), a4), "");
  EXPECT_TRUE(account_.Check(*Pod("b", 2)).fits());
  const std::vector<cluster::NodeIndex> nodes = {a4, more, b7, plain};
  const auto verdicts = account_.CheckByModel(*Pod("b", 2));
  EXPECT_EQ(account_.models().Text(verdicts, "team", nodes), why + " (2 nodes of cpu model A4)");
  EXPECT_EQ(account_.models().Text(verdicts, "team", std::span(nodes).last(2)), "");
  const auto other = Node("other", "A4", "DDR5");
  EXPECT_EQ(account_.models().Text(account_.CheckByModel(*Pod("b", 2)), "team", std::vector{a4, other}),
            why + " (2 nodes of cpu model A4)")
      << "what they differ in has nothing to do with it";
}

TEST_F(ChargedModelTest, WhoNamesTheModelIsJudgedByItsLabelsAlone) {
  const auto a4 = Node("a4", "A4");
  Place(Pod("a", 4), "a4");
  EXPECT_FALSE(account_.Check(*Pod("b", 1, "A4")).fits());
  EXPECT_EQ(Why(Pod("b", 1, "A4"), a4), "");
}

// A filter of a group without budgets of models costs no more than before, whatever nodes are of.
TEST_F(ChargedModelTest, GroupsWithoutBudgetsOfModelsAreNotAskedByModel) {
  const auto a4 = Node("a4", "A4");
  state_.Apply(cluster::BizGroupQuotaSet{MakeGroup("team", "", {{"limits.cpu", "10"}})});
  Place(Pod("a", 10), "a4");
  const auto pod = Pod("b", 1);
  EXPECT_FALSE(account_.CheckByModel(*pod).Any());
  EXPECT_FALSE(Tree::MindsModels(*account_.tree().Find("team")));
  state_.Apply(cluster::BizGroupQuotaSet{MakeGroup("org", "", {{"requests.nvidia.com/gpu.A30", "10"}})});
  state_.Apply(cluster::BizGroupQuotaSet{MakeGroup("team", "org", {{"limits.cpu", "10"}})});
  ASSERT_TRUE(account_.tree().Standing("team").fits());
  EXPECT_TRUE(Tree::MindsModels(*account_.tree().Find("team")));
  EXPECT_EQ(Why(pod, a4), Text(account_.Check(*pod), "team"));
}

TEST_F(ChargedModelTest, AnAncestorOverItsBudgetOfTheModelKeepsItOffNodesOfThatModel) {
  const auto a4 = Node("a4", "A4"), b7 = Node("b7", "B7");
  state_.Apply(cluster::BizGroupQuotaSet{MakeGroup("org", "", {{"limits.cpu.A4", "3"}})});
  state_.Apply(cluster::BizGroupQuotaSet{MakeGroup("team", "org", {{"limits.cpu", "10"}, {"limits.cpu.A4", "4"}})});
  EXPECT_TRUE(account_.Check(*Pod("b", 1)).fits());
  EXPECT_EQ(Why(Pod("b", 1), a4),
            "quota bizrq/team: bizrq/org above it is over its budget: limits.cpu.A4 used 4 of 3, requested 1");
  EXPECT_EQ(Why(Pod("b", 1), b7), "");
}

TEST_F(ChargedModelTest, CoresOfTheModelMustBeStated) {
  const auto a4 = Node("a4", "A4"), b7 = Node("b7", "B7");
  state_.Apply(cluster::BizGroupQuotaSet{MakeGroup("team", "", {{"limits.cpu.A4", "4"}})});
  cluster::Pod silent = MakePod(1000);
  silent.containers[0].limits = {};
  const auto pod = Labelled("b", silent, Labels("team"));
  EXPECT_TRUE(account_.Check(*pod).fits());
  EXPECT_EQ(Why(pod, a4), "quota bizrq/team: must specify limits.cpu for: app");
  EXPECT_EQ(Why(pod, b7), "");
}

TEST_F(ChargedModelTest, SpentHoursOfTheModelKeepItOffItsNodes) {
  const auto a4 = Node("a4", "A4");
  auto group = MakeGroup("team", "", {{"cash/limits.cpu.A4", "100"}});
  group.self_used = Of({{"cash/limits.cpu.A4", "100"}});
  state_.Apply(cluster::BizGroupQuotaSet{group});
  EXPECT_TRUE(account_.Check(*Pod("b", 1)).fits());
  EXPECT_EQ(Why(Pod("b", 1), a4), "quota bizrq/team: cash/limits.cpu.A4 used 100 of 100");
}

class UnnamedModelTest : public ChargedModelTest {
 protected:
  UnnamedModelTest() : ChargedModelTest(UnnamedModel::kRefuse) {}
};

TEST_F(UnnamedModelTest, WhereItMustBeNamedNodesOfABudgetedModelAreNotForOthers) {
  const auto a4 = Node("a4", "A4"), b7 = Node("b7", "B7");
  EXPECT_EQ(Why(Pod("a", 1), a4), "quota bizrq/team: the pod's labels do not name the model of limits.cpu.A4");
  EXPECT_EQ(Why(Pod("a", 1, "A4"), a4), "");
  EXPECT_EQ(Why(Pod("a", 1), b7), "") << "the group has no budget of B7";
  Place(Pod("others", 2), "a4");
  EXPECT_EQ(Cores("limits.cpu.A4"), "2") << "whoever bound it, it counts";
}

TEST(MayBeOfModel, TellsKeysOfModelsAsFarAsTheyCanBeTold) {
  for (const char* key : {"limits.cpu.A4", "cpu.A4", "cash/limits.cpu.A4", "requests.memory.DDR5",
                          "requests.nvidia.com/gpu.A100.80GB", "requests.nvidia.com/mig-1g.5gb"}) {
    EXPECT_TRUE(MayBeOfModel(key)) << key;
  }
  for (const char* key : {"limits.cpu", "cash/limits.cpu", "requests.cpu", "requests.memory", "pods", "hugepages-2Mi",
                          "requests.nvidia.com/gpu", "requests.ephemeral-storage"}) {
    EXPECT_FALSE(MayBeOfModel(key)) << key;
  }
}

}  // namespace
}  // namespace huygens::quota
