// What is said of the decisions on a pod, whatever holds now.
#include <gmock/gmock.h>

#include "tests/reports/explain_fixture.h"

namespace huygens::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(Explain, ABoundPodShowsItsZonesAndEveryNodesScoreByTerm) {
  Filter({0, 0, 2});
  Prioritize();
  Bind("n2", "");
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("Pod default/p, UID uid-1\n"
                              "Bound to n2, 2026-11-21T12:00:03Z (30s ago); zones node0: 2500m cpu 1Gi memory.\n"));
  EXPECT_THAT(text, HasSubstr("NODE  SCORE  FewestZones x3  LeastUsed x1.5  VERDICT\n"
                              "n2    8      1.00            0.25            bound here\n"
                              "n1    5      0.50            -               fits\n"
                              "n3    -      -               -               too small\n"));
  EXPECT_THAT(text, HasSubstr("SCORE = 10 x weighted mean"));
  EXPECT_THAT(text, Not(HasSubstr("EARLIER")));
}

TEST_F(Explain, ARefusedPodShowsTheReasonOfEachNode) {
  Filter({1, 2, 2});
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("Refused for all 3 nodes asked about, 2026-11-21T12:00:01Z (30s ago)."));
  EXPECT_THAT(text,
              HasSubstr("NODE  SCORE  VERDICT\nn1    -      no NRT\nn2    -      too small\nn3    -      too small\n"));
}

TEST_F(Explain, ARefusalByTheCeilingSaysWhereCeilingsAreShown) {
  Filter({1, 2, 3});
  EXPECT_THAT(Text(), testing::EndsWith("`huygens explain node/n3` shows a node's week by pod.\n"));
  Filter({1, 2, 0});
  EXPECT_THAT(Text(), Not(HasSubstr("node/NAME")));
}

TEST_F(Explain, TellsWhetherPreemptionWouldHelp) {
  Filter({1, 2, 2});
  Add({.verb = "preempt", .outcome = "ok", .nodes = kNodes});
  EXPECT_THAT(Text(), HasSubstr("whom to evict for it on 3 nodes, 2026-11-21T12:00:02Z (30s ago), and has an answer."));
  Add({.verb = "preempt", .uid = "uid-2", .outcome = "rejected", .nodes = kNodes});
  EXPECT_THAT(Text(), HasSubstr("nobody, it would not help.")) << "without a filter before it";
}

TEST_F(Explain, TellsFailedBindsAndPodsThatNoBindFollowed) {
  Filter({0, 0, 2});
  Prioritize();
  EXPECT_THAT(Text(), HasSubstr("2 nodes of 3 could take it, 2026-11-21T12:00:01Z (31s ago), but no bind followed"));
  Bind("n2", "zone taken");
  EXPECT_THAT(Text(), HasSubstr("Binding to n2 failed, 2026-11-21T12:00:03Z (30s ago): zone taken"));
  EXPECT_THAT(Text(), HasSubstr("binding here failed"));
}

TEST_F(Explain, ABoundPodStaysBoundWhateverIsTriedAfterwards) {
  Filter({0, 0, 2});
  Prioritize();
  Bind("n2", "");
  Bind("n1", "the pod is on node n2");
  const std::string text = Text();
  EXPECT_THAT(text,
              HasSubstr("Bound to n2, 2026-11-21T12:00:03Z (31s ago); zones node0: 2500m cpu 1Gi memory.\n"
                        "A later bind to n1 was refused, 2026-11-21T12:00:04Z (30s ago): the pod is on node n2\n"));
  EXPECT_THAT(text, HasSubstr("0.25            bound here\n"));
  EXPECT_THAT(text, Not(HasSubstr("binding here failed")));
}

TEST_F(Explain, WhatChecksOnlyReportStandsBesideTheVerdict) {
  const uint8_t codes[] = {0, 0, 2}, reported[] = {0, 3, 0};
  const observe::ReportedCheck reports[] = {{"usage", std::as_bytes(std::span(reported))}};
  Add({.verb = "filter",
       .outcome = "ok",
       .nodes = kNodes,
       .reasons = std::as_bytes(std::span(codes)),
       .reports = reports});
  std::string text = Text();
  EXPECT_THAT(text, HasSubstr("\nChecks that only report would have refused 1 of the 2 nodes that could take it.\n"));
  EXPECT_THAT(text, HasSubstr("n1    -      fits\n"
                              "n2    -      fits; would be refused: usage: node(s) would exceed the usage ceiling\n"));
  EXPECT_THAT(text, HasSubstr("`huygens explain node/n2`"));
  const observe::ReportedCheck at_bind[] = {{"usage", std::as_bytes(std::span(reported).subspan(1, 1))}};
  Add({.verb = "bind", .outcome = "bound", .reports = at_bind, .node = "n2"});
  text = Text();
  EXPECT_THAT(text, HasSubstr("\nA check that only reports would have refused that node: usage: node(s) would exceed "
                              "the usage ceiling.\n"));
  EXPECT_THAT(text, HasSubstr("bound here; would be refused: usage: "));
}

TEST_F(Explain, OnlyTheNewestAttemptIsShownInFull) {
  Filter({1, 1, 1});
  Filter({0, 0, 0});
  Prioritize();
  Bind("n2", "zone taken");
  Filter({1, 2, 1});
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("Refused for all 3 nodes"));
  EXPECT_THAT(text, Not(HasSubstr("FewestZones")));
  EXPECT_THAT(text, HasSubstr("EARLIER               VERB        OUTCOME   DETAIL\n"
                              "2026-11-21T12:00:04Z  bind        rejected  zone taken\n"
                              "2026-11-21T12:00:03Z  prioritize  ok        2 nodes\n"
                              "2026-11-21T12:00:02Z  filter      ok        3 of 3 nodes could take it\n"
                              "2026-11-21T12:00:01Z  filter      ok        0 of 3 nodes could take it\n"));
}

TEST_F(Explain, EarlierDecisionsThatSayTheSameAreOneLine) {
  const auto refused = [&] {
    Filter({1, 1, 1});
    Add({.verb = "preempt", .outcome = "rejected", .nodes = kNodes});
  };
  refused();
  Filter({0, 1, 1});
  for (int i = 0; i < 4; ++i) refused();
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("EARLIER               VERB     OUTCOME   DETAIL\n"
                              "2026-11-21T12:00:09Z  preempt  rejected  3 nodes; 4 times since 2026-11-21T12:00:02Z\n"
                              "2026-11-21T12:00:08Z  filter   ok        0 of 3 nodes could take it; 3 times since "
                              "2026-11-21T12:00:04Z\n"
                              "2026-11-21T12:00:03Z  filter   ok        1 of 3 nodes could take it\n"
                              "2026-11-21T12:00:01Z  filter   ok        0 of 3 nodes could take it\n"));
}

TEST_F(Explain, APodOfTheSameNameIsAnotherPod) {
  Filter({0, 0, 0}, "uid-0");
  Filter({1, 1, 1});
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("UID uid-1"));
  EXPECT_THAT(text, Not(HasSubstr("EARLIER")));
  EXPECT_THAT(text, HasSubstr("An earlier pod of the same name"));
}

TEST_F(Explain, NodesThatAreRefusedInTheSameWordsAreOneLine) {
  const std::string_view nodes[] = {"a", "b", "c", "d", "e"};
  const uint8_t alike[] = {2, 2, 1, 2, 2};
  Add({.verb = "filter", .outcome = "rejected", .nodes = nodes, .reasons = std::as_bytes(std::span(alike))});
  EXPECT_THAT(Text(), HasSubstr("\nNODE  SCORE  VERDICT\nc     -      no NRT\n\n4 nodes: too small\n  a, b, d, e\n"));
  const uint8_t same[] = {2, 2, 2, 2, 2};
  Add({.verb = "filter", .outcome = "rejected", .nodes = nodes, .reasons = std::as_bytes(std::span(same))});
  EXPECT_THAT(Text(), HasSubstr("minutes.\n\n5 nodes: too small\n  a, b, c, d, e\n"));
}

TEST_F(Explain, ThousandsOfNodesAreSummedUp) {
  std::vector<std::string> names;
  names.reserve(3000);
  for (int i = 0; i < 3000; ++i) names.push_back(Concat("node-", std::to_string(i)));
  std::vector<std::string_view> views(names.begin(), names.end());
  std::vector<uint8_t> codes(names.size(), 2);
  codes[7] = 0;
  Add({.verb = "filter", .outcome = "ok", .nodes = views, .reasons = std::as_bytes(std::span(codes))});
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("node-7  -      fits\n"));
  EXPECT_THAT(text, HasSubstr("2999 nodes: too small\n  node-0, node-1, node-10, node-100, node-1000, ...\n"));
  EXPECT_LT(text.size(), 2000u);
}

TEST_F(Explain, ANodeThatNarrowToLeftOutSaysSo) {
  FilterNarrowedToTheSecond(2);
  EXPECT_THAT(
      Text(),
      HasSubstr("n1    -      fits, but filter.narrowTo left it out\nn2    -      fits\nn3    -      too small\n"));
}

TEST_F(Explain, ARefusalOfTheBusinessGroupShowsItsFiguresUntilThePodIsBound) {
  const std::vector<uint8_t> codes = {2, 2, 2};
  Add({.verb = "filter",
       .outcome = "rejected",
       .quota = "quota bizrq/team: limits.cpu used 4 of 4, requested 1",
       .nodes = kNodes,
       .reasons = std::as_bytes(std::span(codes))});
  EXPECT_THAT(Text(), HasSubstr("\nquota bizrq/team: limits.cpu used 4 of 4, requested 1\n"));
  Filter({0, 0, 2});
  Bind("n2", "");
  EXPECT_THAT(Text(), Not(HasSubstr("quota")));
}

TEST(Decisions, RefusesWhatIsNoAnswer) {
  EXPECT_FALSE(DecodeJson<admin_api::DecisionListDocument>("").ok());
  EXPECT_FALSE(DecodeJson<admin_api::DecisionListDocument>(R"({"decisions":[{"time":"yesterday"}]})").ok());
  EXPECT_FALSE(DecodeJson<admin_api::DecisionListDocument>(R"({"decisions":[{"nodes":[{"name":1}]}]})").ok());
}

}  // namespace
}  // namespace huygens::reports
