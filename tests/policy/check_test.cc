#include "policy/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/registry.h"
#include "tests/policy/sources.h"

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

struct Length final : cluster::Prepared {
  explicit Length(size_t of) : length(of) {}
  const size_t length;
};

// Keeps pods with long names off odd nodes, and has nothing to say of pods without one.
class LongNames final : public CheckWith<Length> {
 public:
  std::string_view name() const override { return "long-names"; }
  mutable int prepared = 0, ran = 0;

 private:
  std::unique_ptr<Length> PrepareFor(const PodQuery& pod, const cluster::State&) const override {
    ++prepared;
    return pod.pod.name.empty() ? nullptr : std::make_unique<Length>(pod.pod.name.size());
  }
  void RunWith(const PodQuery&, const Length& name, const cluster::State&, Candidates& nodes) const override {
    ++ran;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (name.length > 3 && nodes.node(i) % 2 == 1) nodes.Reject(i, Reason::kZonesTooSmall);
    }
  }
};

TEST(CheckWith, PreparesOncePerPodAndIsHandedWhatItPrepared) {
  const LongNames check, other;
  const cluster::State state;
  cluster::Pod pod;
  pod.name = "long";
  const PodQuery query(pod, Time());
  Candidates nodes;
  for (int i = 0; i < 2; ++i) {
    nodes.Reset(std::vector<NodeIndex>{4, 5});
    check.Ask(query, state, nodes);
    EXPECT_FALSE(nodes.Rejected(0));
    EXPECT_EQ(nodes.reason(1), Reason::kZonesTooSmall);
  }
  EXPECT_EQ(check.prepared, 1);
  EXPECT_EQ(check.ran, 2);
  other.Ask(query, state, nodes);
  EXPECT_EQ(other.prepared, 1) << "each keeps its own";
  check.Ask(PodQuery(pod, Time()), state, nodes);
  EXPECT_EQ(check.prepared, 2) << "of one call";
}

TEST(CheckWith, IsNotAskedAboutNodesWhereItHasPreparedNothing) {
  const LongNames check;
  const cluster::Pod pod;
  const PodQuery query(pod, Time());
  Candidates nodes;
  nodes.Reset(std::vector<NodeIndex>{5});
  for (int i = 0; i < 2; ++i) check.Ask(query, cluster::State(), nodes);
  EXPECT_FALSE(nodes.Rejected(0));
  EXPECT_EQ(check.ran, 0);
  EXPECT_EQ(check.prepared, 1) << "nothing is an answer, too";
}

TEST(CheckRegistry, MakesEachUnderItsOwnName) {
  test::SourcesOfAll sources;
  for (const CheckEntry& entry : KnownChecks()) {
    EXPECT_EQ(FindCheck(entry.name), &entry);
    EXPECT_EQ(test::MadeCheck(entry.name, sources).check->name(), entry.name);
  }
  EXPECT_EQ(FindCheck("Topology"), nullptr);
  EXPECT_EQ(FindCheck(""), nullptr);
}

}  // namespace
}  // namespace huygens::policy
