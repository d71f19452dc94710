// Nodes that come, go and are labelled otherwise, as State tells the account.
#include "quota/node_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/state.h"
#include "quota/account.h"
#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

using cluster::NodeIndex;
using testing::EndsWith;
using testing::HasSubstr;

class NodeModelTest : public testing::Test {
 protected:
  NodeModelTest() { state_.AddAccount(account_); }

  NodeIndex Set(const std::string& name, const std::string& cpu, const std::string& gpu = "") {
    cluster::Node node;
    node.name = name;
    if (!cpu.empty()) node.labels.emplace_back("huygens.dev/cpu-model", cpu);
    if (!gpu.empty()) node.labels.emplace_back("huygens.dev/gpu-model", gpu);
    state_.Apply(cluster::NodeSet{node});
    return *state_.FindNode(name);
  }
  bool Takes(NodeIndex node, const std::string& cpu, const std::string& gpu = "") {
    return account_.models().Wanted(Labels("", cpu, gpu)).Accept(node);
  }

  ResourceNames names_;
  Account account_{names_, {}};
  cluster::State state_;
};

TEST_F(NodeModelTest, ANodeThatIsRelabelledIsOfItsNewModelAtOnce) {
  const NodeIndex first = Set("first", "A4"), second = Set("second", "A4");
  Set("first", "B7");
  EXPECT_FALSE(Takes(first, "A4"));
  EXPECT_TRUE(Takes(first, "B7"));
  EXPECT_TRUE(Takes(second, "A4"));
  Set("first", "");
  EXPECT_FALSE(Takes(first, "B7"));
}

TEST_F(NodeModelTest, ANodeThatTakesThePlaceOfAnotherHasItsOwnModel) {
  const NodeIndex old = Set("old", "A4");
  state_.Apply(cluster::NodeGone{"old"});
  EXPECT_FALSE(Takes(old, "A4"));
  ASSERT_EQ(Set("new", ""), old);
  EXPECT_FALSE(Takes(old, "A4"));
  state_.Apply(cluster::NodeGone{"new"});
  ASSERT_EQ(Set("newer", "B7"), old);
  EXPECT_TRUE(Takes(old, "B7"));
}

// Numbers of combinations that no node has any more are given to others.
TEST_F(NodeModelTest, WhatOneNodeSaysNeverBecomesWhatAnotherSaid) {
  const NodeIndex still = Set("still", "A4", "T4"), silent = Set("silent", "");
  for (int i = 0; i < 20; ++i) {
    const std::string model = Concat("model-", std::to_string(i)), before = Concat("model-", std::to_string(i - 1));
    const NodeIndex moving = Set("moving", model), other = Set("other", i % 3 == 0 ? model : "B7");
    EXPECT_TRUE(Takes(moving, model)) << i;
    EXPECT_FALSE(Takes(moving, before)) << i;
    EXPECT_EQ(Takes(other, model), i % 3 == 0) << i;
    EXPECT_TRUE(Takes(still, "A4", "T4")) << i;
    EXPECT_FALSE(Takes(silent, model)) << i;
  }
}

TEST_F(NodeModelTest, EveryModelThatIsNamedMustBeThere) {
  const NodeIndex node = Set("n", "A4", "A100.80GB");
  EXPECT_TRUE(Takes(node, "A4", "A100"));
  EXPECT_FALSE(Takes(node, "A4", "A100.40GB"));
  EXPECT_FALSE(Takes(node, "B7", "A100"));
  EXPECT_FALSE(account_.models().Wanted(Labels("team")).Any());
}

TEST_F(NodeModelTest, LooksAtTheLabelsItIsTold) {
  Account account(names_, {.models = {.cpu = "cpu.example.com/product"}});
  cluster::Node node;
  node.labels = {{"cpu.example.com/product", "A4"}, {"huygens.dev/cpu-model", "B7"}};
  account.NodeObjectChanged(0, &node);
  EXPECT_TRUE(account.models().Wanted(Labels("", "A4")).Accept(0));
  EXPECT_FALSE(account.models().Wanted(Labels("", "B7")).Accept(0));
}

TEST_F(NodeModelTest, ANodeThatNobodyToldOfIsNotTaken) {
  Set("n", "A4");
  EXPECT_FALSE(Takes(7, "A4"));
}

TEST_F(NodeModelTest, SaysWhatIsWantedAndWhatNodesHaveInstead) {
  const std::vector<NodeIndex> nodes = {Set("a", "A4"), Set("b", "a5"), Set("c", "a5"), Set("d", ""), Set("e", "A5")};
  const NodeModels& models = account_.models();
  EXPECT_EQ(models.Explain(Labels("team", "A5"), nodes),
            "the pod's label biz.group.resource.quota/cpu-type wants A5, the label huygens.dev/cpu-model is missing on "
            "1 node, A4 on 1 node, a5 on 2 nodes");
  EXPECT_EQ(models.Explain(Labels("team", "A5"), std::span(nodes).last(1)), "");
  EXPECT_EQ(models.Explain(Labels("team"), nodes), "");
  EXPECT_THAT(models.Explain(Labels("team", "A5", "T4"), nodes),
              HasSubstr("; the pod's label biz.group.resource.quota"
                        "/gpu-type wants T4, the label "
                        "huygens.dev/gpu-model is missing on 5 nodes"));
}

TEST_F(NodeModelTest, AMisspeltModelIsToldWhichWasMeant) {
  const auto explain = [&](const std::string& gpu) {
    return account_.models().Explain(Labels("", "", gpu), std::vector<NodeIndex>{0, 1, 2});
  };
  Set("a", "", "Tesla-T4");
  Set("b", "", "A100.80GB");
  Set("c", "");
  EXPECT_THAT(explain("Tesal-T4"), EndsWith(" on 1 node; did you mean Tesla-T4?"));
  EXPECT_THAT(explain("a100"), EndsWith("; did you mean A100?")) << "of whatever size";
  EXPECT_THAT(explain("H200"), EndsWith(" on 1 node")) << "another one";
  EXPECT_EQ(explain("Tesla-T4").find("did you mean"), std::string::npos) << "others are of it";
}

TEST_F(NodeModelTest, OfManyModelsAFewAreNamed) {
  std::vector<NodeIndex> nodes;
  for (int i = 0; i < 8; ++i) nodes.push_back(Set(Concat("n", std::to_string(i)), Concat("m", std::to_string(i))));
  EXPECT_THAT(account_.models().Explain(Labels("", "A4"), nodes), HasSubstr("m4 on 1 node and 3 more"));
}

}  // namespace
}  // namespace huygens::quota
