#include "policy/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/registry.h"
#include "tests/kubelet/node_kinds.h"

namespace huygens::policy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Candidates, KeepTheFirstReason) {
  Candidates nodes;
  nodes.Reset(std::vector<NodeIndex>{7, 3});
  EXPECT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes.node(1), 3u);
  nodes.Reject(1, Reason::kNoTopology);
  nodes.Reject(1, Reason::kZonesTooSmall);
  EXPECT_EQ(nodes.reason(1), Reason::kNoTopology);
  EXPECT_FALSE(nodes.Rejected(0));
  nodes.Reset(std::vector<NodeIndex>{3});
  EXPECT_FALSE(nodes.Rejected(0));
}

TEST(Candidates, WhatIsOnlyReportedRejectsNothing) {
  Candidates nodes;
  nodes.Reset(std::vector<NodeIndex>{7, 3, 5});
  nodes.Begin(1, CheckMode::kReport);
  nodes.Reject(0, Reason::kUsageCeiling);
  nodes.Reject(0, Reason::kUsageUnknown);
  EXPECT_FALSE(nodes.Rejected(0));
  nodes.Begin(0, CheckMode::kEnforce);
  nodes.Reject(2, Reason::kNoTopology);
  nodes.Begin(2, CheckMode::kReport);
  nodes.Reject(0, Reason::kQuotaExceeded);
  nodes.Reject(2, Reason::kQuotaExceeded);
  EXPECT_THAT(nodes.reports(0), IsEmpty());
  EXPECT_THAT(nodes.reports(1), ElementsAre(Reason::kUsageCeiling, Reason::kFits, Reason::kFits));
  EXPECT_THAT(nodes.reports(2), ElementsAre(Reason::kQuotaExceeded, Reason::kFits, Reason::kFits))
      << "each check for itself, of nodes that none has rejected";
  nodes.Reset(std::vector<NodeIndex>{3});
  EXPECT_THAT(nodes.reports(1), IsEmpty());
  nodes.Reject(0, Reason::kNoTopology);
  EXPECT_TRUE(nodes.Rejected(0)) << "starts over enforcing";
}

TEST(Candidates, AnEnforcedCheckMayOnlyReportForOneCall) {
  Candidates nodes;
  nodes.Reset(std::vector<NodeIndex>{7, 3});
  nodes.Begin(0, CheckMode::kEnforce);
  nodes.OnlyReport();
  nodes.Reject(0, Reason::kUsageCeiling);
  nodes.Begin(1, CheckMode::kEnforce);
  nodes.Reject(1, Reason::kNoTopology);
  EXPECT_FALSE(nodes.Rejected(0));
  EXPECT_THAT(nodes.reports(0), ElementsAre(Reason::kUsageCeiling, Reason::kFits));
  EXPECT_TRUE(nodes.Rejected(1)) << "the next one enforces again";
}

TEST(CheckRegistry, MakesEachUnderItsOwnName) {
  kubelet::test::NodeKinds kinds;
  usage::Account usage({});
  for (const CheckEntry& entry : KnownChecks()) {
    EXPECT_EQ(FindCheck(entry.name), &entry);
    EXPECT_EQ(entry.make({kinds.all, kinds.kubelet, usage})->name(), entry.name);
  }
  EXPECT_EQ(FindCheck("Topology"), nullptr);
  EXPECT_EQ(FindCheck(""), nullptr);
}

}  // namespace
}  // namespace huygens::policy
