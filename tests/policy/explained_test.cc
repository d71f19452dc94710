#include "policy/explained.h"

#include <gtest/gtest.h>

#include <set>

namespace huygens::policy {
namespace {

TEST(Explained, TellsTakenFromNeverAndBeginsWithTheTextForKubeScheduler) {
  std::set<std::string> texts;
  for (Reason reason : kReasons) {
    const std::string text = Explained(reason);
    EXPECT_TRUE(text.starts_with(Text(reason)));
    EXPECT_TRUE(texts.insert(text).second) << text;
    EXPECT_EQ(ReasonExplainedAs(text), reason);
    EXPECT_EQ(Advice(reason).empty(), reason == Reason::kFits);
  }
  EXPECT_EQ(Explained(Reason::kInsufficientZones),
            "node(s) had insufficient resource of NUMA node: taken by other pods");
  EXPECT_EQ(Explained(Reason::kZonesTooSmall),
            "node(s) had insufficient resource of NUMA node: too small even when empty");
  EXPECT_EQ(ReasonExplainedAs("something else"), std::nullopt);
}

TEST(Explained, WhatNeverFitsIsNotCuredByWaiting) {
  for (Reason reason : kReasons) {
    if (NeverFits(reason)) {
      EXPECT_FALSE(MustChange(reason).empty()) << Explained(reason);
    }
    if (CurableByVictims(reason)) {
      EXPECT_TRUE(MustChange(reason).empty()) << Explained(reason);
    }
  }
  EXPECT_TRUE(NeverFits(Reason::kZonesTooSmall) && NeverFits(Reason::kUsageCeilingTooLow));
  EXPECT_FALSE(NeverFits(Reason::kLostTopology));
  for (Reason reason : {Reason::kFits, Reason::kLostTopology, Reason::kQuotaExceeded, Reason::kQuotaAncestorOver}) {
    EXPECT_TRUE(MustChange(reason).empty()) << Explained(reason);
  }
  for (Reason reason : {Reason::kQuotaNoGroup, Reason::kQuotaOtherModel, Reason::kQuotaHoursSpent, Reason::kNoTopology,
                        Reason::kUnusableTopology, Reason::kInvalidTopologyData}) {
    EXPECT_FALSE(MustChange(reason).empty()) << Explained(reason);
  }
}

}  // namespace
}  // namespace huygens::policy
