#include "policy/quota_check.h"

#include <gtest/gtest.h>

#include "policy/pod_quota.h"

namespace huygens::policy {
namespace {

using quota::Outcome;

class QuotaCheckTest : public testing::Test {
 protected:
  QuotaCheckTest() {
    for (const NodeIndex node : {0u, 1u}) {
      cluster::Node object;
      object.labels = {{"huygens.dev/gpu-model", node == 0 ? "A100.80GB" : "B7"}};
      models_.Set(node, &object);
    }
    nodes_.Reset(std::vector<NodeIndex>{0, 1});
  }
  void Ask(Outcome outcome, const cluster::QuotaLabels& labels) {
    PodQuota said;
    said.verdict.outcome = outcome;
    said.models = models_.Wanted(labels);
    AskWhereTheGroupSays(std::move(said));
  }
  void AskWhereTheGroupSays(PodQuota said) {
    const cluster::Pod pod;
    const PodQuery query{pod, Time()};
    query.Once(&groups_, [&] { return std::make_unique<PodQuota>(std::move(said)); });
    QuotaCheck(groups_).Ask(query, cluster::State(), nodes_);
  }

  ResourceNames names_;
  quota::Account groups_{names_, {}};
  quota::NodeModels models_{{}};
  Candidates nodes_;
};

TEST_F(QuotaCheckTest, RejectsEveryNodeForOneReason) {
  const std::pair<Outcome, Reason> all[] = {{Outcome::kFits, Reason::kFits},
                                            {Outcome::kNoGroup, Reason::kQuotaNoGroup},
                                            {Outcome::kTerminating, Reason::kQuotaGroupClosed},
                                            {Outcome::kFrozen, Reason::kQuotaGroupClosed},
                                            {Outcome::kUnknownStatus, Reason::kQuotaGroupClosed},
                                            {Outcome::kMustSpecify, Reason::kQuotaAmountNeeded},
                                            {Outcome::kNegative, Reason::kQuotaAmountNeeded},
                                            {Outcome::kCashExhausted, Reason::kQuotaHoursSpent},
                                            {Outcome::kExceeded, Reason::kQuotaExceeded},
                                            {Outcome::kAncestorOver, Reason::kQuotaAncestorOver}};
  for (const auto& [outcome, reason] : all) {
    nodes_.Reset(std::vector<NodeIndex>{0, 1});
    Ask(outcome, {.group = "team"});
    EXPECT_EQ(nodes_.reason(0), reason);
    EXPECT_EQ(nodes_.reason(1), reason);
  }
}

TEST_F(QuotaCheckTest, APodOfAModelKeepsTheNodesOfThatModel) {
  Ask(Outcome::kFits, {.group = "team", .gpu_model = "A100"});
  EXPECT_FALSE(nodes_.Rejected(0));
  EXPECT_EQ(nodes_.reason(1), Reason::kQuotaOtherModel);
}

TEST_F(QuotaCheckTest, WhatTheGroupSaysOfAModelHoldsForNodesOfThatModel) {
  const std::pair<Outcome, Reason> all[] = {{Outcome::kExceeded, Reason::kQuotaModelExceeded},
                                            {Outcome::kUnnamedModel, Reason::kQuotaModelNotNamed},
                                            {Outcome::kCashExhausted, Reason::kQuotaHoursSpent},
                                            {Outcome::kMustSpecify, Reason::kQuotaAmountNeeded},
                                            {Outcome::kAncestorOver, Reason::kQuotaAncestorOver}};
  for (const auto& [outcome, reason] : all) {
    nodes_.Reset(std::vector<NodeIndex>{0, 1});
    PodQuota told;
    told.by_model = models_.Judge({.group = "team"}, [&, said = outcome](const cluster::QuotaLabels& models) {
      return quota::Verdict{models.gpu_model == "B7" ? said : Outcome::kFits, {}, ""};
    });
    AskWhereTheGroupSays(std::move(told));
    EXPECT_FALSE(nodes_.Rejected(0));
    EXPECT_EQ(nodes_.reason(1), reason);
  }
}

TEST_F(QuotaCheckTest, TheModelIsTheNodesWhateverTheGroup) {
  Ask(Outcome::kFits, {.group = "", .gpu_model = "B7"});
  EXPECT_EQ(nodes_.reason(0), Reason::kQuotaOtherModel);
  EXPECT_FALSE(nodes_.Rejected(1));
}

// The check asks the groups itself: nobody has to work out anything before.
TEST_F(QuotaCheckTest, AsksTheGroupOfThePod) {
  cluster::Pod pod;
  pod.uid = "u";
  pod.quota = std::make_shared<const cluster::QuotaLabels>(cluster::QuotaLabels{.group = "nobody-made-it"});
  QuotaCheck(groups_).Ask({pod, Time()}, cluster::State(), nodes_);
  EXPECT_EQ(nodes_.reason(0), Reason::kQuotaNoGroup);
  EXPECT_EQ(nodes_.reason(1), Reason::kQuotaNoGroup);
  nodes_.Reset(std::vector<NodeIndex>{0, 1});
  pod.quota = nullptr;
  QuotaCheck(groups_).Ask({pod, Time()}, cluster::State(), nodes_);
  EXPECT_FALSE(nodes_.Rejected(0));
}

}  // namespace
}  // namespace huygens::policy
