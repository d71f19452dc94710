#include "policy/quota_check.h"

#include <gtest/gtest.h>

namespace huygens::policy {
namespace {

using quota::Outcome;

class QuotaCheckTest : public testing::Test {
 protected:
  QuotaCheckTest() {
    for (const char* model : {"A100.80GB", "B7"}) {
      cluster::Node node;
      node.name = Concat("node-", model);
      node.labels = {{"huygens.dev/gpu-model", model}};
      state_.Apply(cluster::NodeSet{node});
    }
    nodes_.Reset(std::vector<NodeIndex>{0, 1});
  }
  void Ask(Outcome outcome, cluster::QuotaLabels labels) {
    cluster::Pod pod;
    pod.quota = std::make_shared<const cluster::QuotaLabels>(std::move(labels));
    PodQuery query{pod, {}, Time()};
    query.quota.outcome = outcome;
    QuotaCheck(models_).Run(query, state_, nodes_);
  }

  quota::NodeModelLabels models_;
  cluster::State state_;
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
                                            {Outcome::kExceeded, Reason::kQuotaExceeded}};
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

TEST_F(QuotaCheckTest, TheModelIsTheNodesWhateverTheGroup) {
  Ask(Outcome::kFits, {.group = "", .gpu_model = "B7"});
  EXPECT_EQ(nodes_.reason(0), Reason::kQuotaOtherModel);
  EXPECT_FALSE(nodes_.Rejected(1));
}

TEST_F(QuotaCheckTest, LooksAtTheLabelsItIsTold) {
  models_.gpu = "gpu.example.com/product";
  Ask(Outcome::kFits, {.group = "team", .gpu_model = "A100"});
  EXPECT_TRUE(nodes_.Rejected(0) && nodes_.Rejected(1));
}

}  // namespace
}  // namespace huygens::policy
