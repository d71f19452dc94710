// From the records that the extender keeps, over their JSON, to the text that a person reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/explain_report.h"
#include "cli/node_report.h"
#include "cli/nothing_to_explain.h"
#include "json/document.h"
#include "observe/decision_ring.h"
#include "policy/explained.h"
#include "tests/observe/decisions.h"

namespace huygens::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

class Explain : public testing::Test {
 protected:
  static constexpr std::string_view kNodes[] = {"n1", "n2", "n3"};

  void Add(observe::Decision decision) {
    time_ += std::chrono::seconds(1);
    decision.time = time_;
    decision.pod = "default/p";
    if (decision.uid.empty()) decision.uid = "uid-1";
    ring_.Add(std::make_shared<const observe::DecisionRecord>(decision, texts_));
  }
  void Filter(const std::vector<uint8_t>& codes, std::string_view uid = "") {
    Add({.verb = "filter", .uid = uid, .outcome = "ok", .nodes = kNodes, .reasons = std::as_bytes(std::span(codes))});
  }
  // Of three nodes the third is refused, with this reason, and of the others only the second is kept.
  void FilterNarrowedToTheSecond(uint8_t reason) {
    const uint8_t codes[] = {0, 0, reason};
    const uint32_t kept[] = {1};
    Add({.verb = "filter",
         .outcome = "ok",
         .nodes = kNodes,
         .reasons = std::as_bytes(std::span(codes)),
         .kept = kept,
         .narrowed = true});
  }
  void Prioritize() {
    const int64_t scores[] = {5, 8};
    const float few[] = {0.5, 1}, used[] = {kNone, 0.25};
    const observe::TermOpinion terms[] = {{"FewestZones", 3, few}, {"LeastUsed", 1.5, used}};
    const std::string_view nodes[] = {"n1", "n2"};
    Add({.verb = "prioritize", .outcome = "ok", .nodes = nodes, .scores = scores, .max_score = 10, .terms = terms});
  }
  void Bind(std::string_view node, std::string_view error) {
    Add({.verb = "bind",
         .outcome = error.empty() ? "bound" : "rejected",
         .error = error,
         .node = node,
         .zones_json = R"([{"name":"node0","cpuMilli":2500,"memory":1073741824}])"});
  }
  std::string Text() {
    const std::string json = Json(ring_, {"default/p"}, 100);
    const auto said = DecodeJson<admin::DecisionListDocument>(json);
    EXPECT_TRUE(said.ok()) << said.status();
    EXPECT_EQ(EncodeJson(*said), json) << "whoever reads it misses something";
    return ExplainText(said->decisions, time_ + std::chrono::seconds(30));
  }

  Time time_ = *ParseRfc3339("2026-11-21T12:00:00Z");
  observe::ReasonTexts texts_ = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"", "no NRT", "too small", "node(s) would exceed the usage ceiling"});
  observe::DecisionRing ring_;
};

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

TEST_F(Explain, APodOfTheSameNameIsAnotherPod) {
  Filter({0, 0, 0}, "uid-0");
  Filter({1, 1, 1});
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("UID uid-1"));
  EXPECT_THAT(text, Not(HasSubstr("EARLIER")));
  EXPECT_THAT(text, HasSubstr("An earlier pod of the same name"));
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

class ExplainNow : public Explain {
 protected:
  ExplainNow() {
    auto texts = std::make_shared<std::vector<std::string>>(std::size(policy::kReasons));
    for (policy::Reason reason : policy::kReasons) (*texts)[static_cast<size_t>(reason)] = policy::Explained(reason);
    texts_ = texts;
  }
  static uint8_t Code(policy::Reason reason) { return static_cast<uint8_t>(reason); }
  std::string TextWith(std::string_view now, std::string_view quota = "") {
    const auto decisions = DecodeJson<admin::DecisionListDocument>(Json(ring_, {"default/p"}, 100));
    const auto view = DecodeJson<admin::PodDocument>(now);
    EXPECT_TRUE(decisions.ok() && view.ok()) << view.status();
    const auto budget = DecodeJson<admin::PodQuotaDocument>(quota.empty() ? "{}" : quota);
    EXPECT_TRUE(budget.ok()) << budget.status();
    return ExplainText(decisions->decisions, time_ + std::chrono::seconds(30), &*view,
                       quota.empty() ? nullptr : &*budget);
  }
  void FilterAll(policy::Reason reason, std::string_view quota = "") {
    const std::vector<uint8_t> codes(3, Code(reason));
    Add({.verb = "filter",
         .outcome = "rejected",
         .quota = quota,
         .nodes = kNodes,
         .reasons = std::as_bytes(std::span(codes))});
  }
};

TEST_F(ExplainNow, ARefusalForZonesHasItsFiguresAndWhatToDo) {
  Filter({Code(policy::Reason::kZonesTooSmall), Code(policy::Reason::kInsufficientZones),
          Code(policy::Reason::kInsufficientZones)});
  const std::string text = TextWith(
      R"({"pod":"default/p","uid":"uid-1","notUnderstood":["annotation a: there is no \"b\""],"nodes":[)"
      R"({"name":"n1","reason":"node(s) had insufficient resource of NUMA node: too small even when empty",)"
      R"("why":"needs 17 cpu in one zone; freest node1: 5 of 16 free; too small even when empty","neverFits":true},)"
      R"({"name":"n3","reason":"node(s) failed to get NRT"}]})");
  EXPECT_THAT(text, HasSubstr("n1    -      node(s) had insufficient resource of NUMA node: needs 17 cpu in one zone; "
                              "freest node1: 5 of 16 free; too small even when empty\n"
                              "n2    -      node(s) had insufficient resource of NUMA node: taken by other pods\n"
                              "n3    -      node(s) had insufficient resource of NUMA node: taken by other pods; now: "
                              "node(s) failed to get NRT\n"));
  EXPECT_THAT(text, HasSubstr("\n! annotation a: there is no \"b\"\n"));
  EXPECT_THAT(text, HasSubstr("\nWhat to do:\n- mend what is marked with ! above; it counts as absent.\n"));
  EXPECT_THAT(text,
              HasSubstr("\n- node(s) had insufficient resource of NUMA node: taken by other pods: it fits once pods"));
  EXPECT_THAT(text, HasSubstr("`huygens explain node/n2` shows who holds the zones.\n"));
  EXPECT_THAT(text,
              HasSubstr("\n- node(s) had insufficient resource of NUMA node: too small even when empty: no pod that "
                        "ends would help"));
}

TEST_F(ExplainNow, APodOfAGangIsToldOfItsGang) {
  constexpr std::string_view kNow = R"({"pod":"default/p","uid":"uid-1","gang":"g","nodes":[]})";
  const uint8_t taken = Code(policy::Reason::kInsufficientZones);
  const std::vector<uint8_t> codes(3, taken);
  Add({.verb = "filter",
       .outcome = "rejected",
       .nodes = kNodes,
       .reasons = std::as_bytes(std::span(codes)),
       .facts_json = R"({"gangHolds":6})"});
  const std::string refused = TextWith(kNow);
  EXPECT_THAT(refused,
              HasSubstr("It is of the gang g (spec.schedulingGroup), which is placed whole or not at all: what filter "
                        "promised its other pods counts as taken for this one; 6 of them had a node by then, which is "
                        "given back after seconds"));
  EXPECT_THAT(refused, HasSubstr("\nWhat to do:\n- its gang does not fit whole: "));
  EXPECT_THAT(Text(), Not(HasSubstr("gang")));
  FilterNarrowedToTheSecond(taken);
  const std::string fits = TextWith(kNow);
  EXPECT_THAT(fits, HasSubstr("n1    -      fits, but a pod of a gang is answered one node\n"));
  EXPECT_THAT(fits, Not(HasSubstr("spec.schedulingGroup"))) << "there is a node for it";
}

TEST_F(ExplainNow, APodWithoutZonesIsToldTheOneCause) {
  Add({.verb = "bind", .outcome = "bound", .node = "n2"});
  EXPECT_THAT(TextWith(R"({"uid":"uid-1","node":"n2","noZones":"container app requests no cpu","nodes":[]})"),
              HasSubstr("(30s ago); no zones were assigned: container app requests no cpu.\n"));
  EXPECT_THAT(Text(), HasSubstr("no zones were assigned; the pod is gone, so why can no longer be said.\n"));
}

constexpr std::string_view kTriesAgain = "every five minutes";

TEST_F(ExplainNow, ARefusalThatWaitingCannotCureSaysWhatHasToChange) {
  const uint8_t never = Code(policy::Reason::kZonesTooSmall);
  FilterAll(policy::Reason::kZonesTooSmall);
  EXPECT_THAT(Text(), HasSubstr("\nWaiting does not help there: the pod must ask for less, or larger nodes must come. "
                                "Then kube-scheduler tries again, within five minutes.\n"));
  EXPECT_THAT(Text(), Not(HasSubstr(kTriesAgain)));
  Filter({never, Code(policy::Reason::kQuotaOtherModel), never});
  EXPECT_THAT(Text(), HasSubstr("larger nodes must come; or its quota labels must name models that nodes have, or"));
  Filter({never, Code(policy::Reason::kInsufficientZones), never});
  EXPECT_THAT(Text(), HasSubstr(kTriesAgain)) << "a pod that ends on the second would help";
  EXPECT_THAT(Text(), Not(HasSubstr("Waiting does not help")));
  Add({.verb = "preempt", .outcome = "rejected", .nodes = kNodes});
  EXPECT_THAT(Text(), HasSubstr("nobody, it would not help.\nkube-scheduler tries again"));
}

TEST_F(ExplainNow, NodesThatKubeSchedulerRuledOutMayTakeIt) {
  FilterAll(policy::Reason::kQuotaOtherModel);
  const std::string never = policy::Explained(policy::Reason::kZonesTooSmall);
  const std::string taken = policy::Explained(policy::Reason::kInsufficientZones);
  policy::Reason reason = policy::Reason::kQuotaOtherModel;
  const auto page = [&](std::string_view others, std::string_view fits) {
    std::string nodes;
    for (std::string_view asked : kNodes) {
      nodes += Concat(R"({"name":")", asked, R"(","reason":")", policy::Explained(reason), R"("},)");
    }
    return TextWith(Concat(R"({"uid":"uid-1","nodes":[)", nodes, others, R"(],"fits":[)", fits, "]}"));
  };
  const std::string small = Concat(R"({"name":"small","reason":")", never, R"(","neverFits":true})");
  EXPECT_THAT(page(small, ""), HasSubstr("Waiting does not help there: its quota labels must name models that nodes"));
  EXPECT_THAT(page(small, ""), HasSubstr("was not asked about them.\n"));
  EXPECT_THAT(page(R"({"name":"n1","reason":"x"})", ""), Not(HasSubstr("not asked"))) << "there are no others";
  const std::string full = Concat(small, R"(,{"name":"full","reason":")", taken, R"("})");
  EXPECT_THAT(page(full, ""), HasSubstr("Waiting does not help on these nodes: its quota labels must name models that "
                                        "nodes have, or nodes of these models must come or be labelled so. Or others "
                                        "take it, once kube-scheduler lets them: see below the table."));
  EXPECT_THAT(page(full, ""), HasSubstr("\nBy what huygens looks at 1 may take it later (full); what kube-scheduler "
                                        "lacks there is in the pod's Events, if it looked.\n"));
  EXPECT_THAT(page(full, R"("a","b")"),
              HasSubstr("\nBy what huygens looks at 2 could take it now (a, b) and 1 may take it later (full);"));
  FilterAll(reason = policy::Reason::kQuotaHoursSpent);
  EXPECT_THAT(page(full, R"("a","b")"),
              HasSubstr("Waiting does not help there: its business group must be given more hours"));
  FilterAll(reason = policy::Reason::kQuotaOtherModel);
  const std::string shrunk = Concat(R"({"name":"shrunk","reason":")", never, R"("})");
  EXPECT_THAT(page(shrunk, ""), HasSubstr("1 may take it later (shrunk)")) << "its real capacity may grow";
}

TEST_F(ExplainNow, WhatNodesWouldSayNowCountsNotWhatTheySaidThen) {
  const std::string never = policy::Explained(policy::Reason::kZonesTooSmall);
  const std::string taken = policy::Explained(policy::Reason::kInsufficientZones);
  const auto now = [](std::string_view nodes, std::string_view fits) {
    return Concat(R"({"uid":"uid-1","nodes":[)", nodes, R"(],"fits":[)", fits, "]}");
  };
  FilterAll(policy::Reason::kZonesTooSmall);
  const std::string since =
      TextWith(now(Concat(R"({"name":"n1","reason":")", taken, R"(","why":"needs 9 cpu"})"), R"("n2")"));
  EXPECT_THAT(since, HasSubstr(kTriesAgain));
  EXPECT_THAT(
      since,
      HasSubstr("too small even when empty; now: node(s) had insufficient resource of NUMA node: needs 9 cpu\n"));
  EXPECT_THAT(since, HasSubstr("n2    -      node(s) had insufficient resource of NUMA node: too small even when "
                               "empty; now it would take the pod\n"));
  EXPECT_THAT(since,
              HasSubstr("\nWhat to do:\n- node(s) had insufficient resource of NUMA node: taken by other pods:"));
  std::string across;
  for (std::string_view node : kNodes) {
    across += Concat(across.empty() ? "" : ",", R"({"name":")", node, R"(","reason":")", never,
                     R"(","neverFits":true,"fitsAcross":true})");
  }
  EXPECT_THAT(TextWith(now(across, "")),
              HasSubstr("\nWaiting does not help there: the pod must be allowed several zones "));
}

TEST_F(ExplainNow, APodThatNeedOnlyWaitIsNotToldToTakeSeveralZones) {
  FilterAll(policy::Reason::kInsufficientZones);
  std::string nodes;
  for (std::string_view node : kNodes) {
    nodes += Concat(nodes.empty() ? "" : ",", R"({"name":")", node, R"(","reason":")",
                    policy::Explained(policy::Reason::kInsufficientZones), R"(","fitsAcross":true})");
  }
  EXPECT_THAT(TextWith(Concat(R"({"uid":"uid-1","nodes":[)", nodes, "]}")), HasSubstr(kTriesAgain));
}

TEST_F(ExplainNow, ZonesThatClaimEnoughAreToBeMended) {
  FilterAll(policy::Reason::kZonesTooSmall);
  EXPECT_THAT(TextWith(Concat(R"({"uid":"uid-1","nodes":[{"name":"n1","reason":")",
                              policy::Explained(policy::Reason::kZonesTooSmall), R"("}]})")),
              HasSubstr("too small even when empty: its zones really give less than they claim: end what uses them"));
}

TEST_F(ExplainNow, AMisspeltAnnotationIsToBeMendedFirst) {
  FilterAll(policy::Reason::kZonesTooSmall);
  EXPECT_THAT(
      TextWith(R"({"uid":"uid-1","nodes":[],"notUnderstood":["annotation a: there is no \"flase\""]})"),
      HasSubstr("Waiting does not help there: what is marked with ! below must be mended, or the pod must ask"));
}

TEST_F(ExplainNow, AGroupThatIsNotThereIsNoReasonToWaitAndTheNearestIsNamed) {
  constexpr std::string_view kWhy = "quota bizrq/serch: no such group";
  FilterAll(policy::Reason::kQuotaNoGroup, kWhy);
  const std::string text = TextWith(R"({"uid":"uid-1","nodes":[]})", Concat(R"({"verdict":"refused","why":")", kWhy,
                                                                            R"(","nearestGroup":"search","keys":[]})"));
  EXPECT_THAT(text, HasSubstr("Waiting does not help there: the pod's label biz.group.resource.quota must name"));
  EXPECT_THAT(text, HasSubstr("\nquota bizrq/serch: no such group; did you mean search?\n"));
  const uint8_t taken = Code(policy::Reason::kInsufficientZones);
  Filter({taken, Code(policy::Reason::kQuotaNoGroup), taken});
  EXPECT_THAT(Text(), Not(HasSubstr(kTriesAgain))) << "room on the others would not help either";
}

TEST_F(ExplainNow, ABudgetThatIsUsedUpSaysByWhomAndWhetherWaitingHelps) {
  constexpr std::string_view kWhy = "quota bizrq/g: cpu used 4 of 4, requested 1";
  const auto now = [](std::string_view cost, std::string_view children = "0") {
    return Concat(R"({"verdict":"refused","keys":[{"key":"cpu","cost":")", cost,
                  R"(","used":"4","hard":"4","lacks":true,"children":")", children,
                  R"("}],"usedBy":[{"group":"g","key":"cpu",)"
                  R"("pods":[{"name":"shop/a","amount":"3"}],"morePods":2,"children":[]}]})");
  };
  FilterAll(policy::Reason::kQuotaExceeded, kWhy);
  const std::string small = TextWith(R"({"uid":"uid-1","nodes":[]})", now("1"));
  EXPECT_THAT(small, HasSubstr(Concat("\n", kWhy, "\nWho uses cpu of g: pods shop/a 3 and 2 more.\n")));
  EXPECT_THAT(small, HasSubstr(kTriesAgain));
  for (const std::string& quota : {now("5"), now("3", "2")}) {
    const std::string large = TextWith(R"({"uid":"uid-1","nodes":[]})", quota);
    EXPECT_THAT(large, HasSubstr("there: its business group's budget must grow, or the pod ask for less. Then"));
    EXPECT_THAT(large, HasSubstr("it asks for more than the group can spend itself, whoever ends"));
  }
}

TEST_F(ExplainNow, ABoundPodThatIsAskedAboutAgainStaysInItsZones) {
  constexpr std::string_view kStays =
      "kube-scheduler asked about it again, 2026-11-21T12:00:03Z (30s ago), as it does before a bound pod grows in "
      "place (filter: 0 of 3 nodes could take it). That is judged as if the pod looked for zones anew; it stays on n2, "
      "in its own zones, whatever the answer is.\n";
  Filter({0, 0, 0});
  Bind("n2", "");
  FilterAll(policy::Reason::kZonesTooSmall);
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("Bound to n2"));
  EXPECT_THAT(text, HasSubstr(kStays));
  EXPECT_THAT(text, Not(HasSubstr("What to do")));
  Add({.verb = "preempt", .outcome = "ok", .nodes = kNodes});
  EXPECT_THAT(Text(),
              HasSubstr("(preempt: 3 nodes). That is judged as if the pod looked for zones anew; it stays on n2"));
}

TEST_F(ExplainNow, ABoundPodWhoseBindIsForgottenIsNotSaidToWait) {
  FilterAll(policy::Reason::kZonesTooSmall);
  const auto now = [](std::string_view more) {
    return Concat(R"({"uid":"uid-1","node":"n2",)", more, R"("nodes":[]})");
  };
  std::string text = TextWith(now(R"("since":"2026-11-21T11:00:00Z",)"));
  EXPECT_THAT(text, HasSubstr("\nIt is bound to n2.\nkube-scheduler asked about it again, 2026-11-21T12:00:01Z"));
  EXPECT_THAT(text, Not(HasSubstr("Waiting")));
  EXPECT_THAT(text, Not(HasSubstr("What to do")));
  text = TextWith(now(R"("since":"2026-11-21T12:00:20Z",)"));
  EXPECT_THAT(text, HasSubstr("\nIt is bound to n2.\nWhat follows is of 2026-11-21T12:00:01Z (30s ago).\n"));
  text = TextWith(now(R"("reservation":"held",)"));
  EXPECT_THAT(text, Not(HasSubstr("It is bound"))) << "only promised";
}

TEST(Decisions, RefusesWhatIsNoAnswer) {
  EXPECT_FALSE(DecodeJson<admin::DecisionListDocument>("").ok());
  EXPECT_FALSE(DecodeJson<admin::DecisionListDocument>(R"({"decisions":[{"time":"yesterday"}]})").ok());
  EXPECT_FALSE(DecodeJson<admin::DecisionListDocument>(R"({"decisions":[{"nodes":[{"name":1}]}]})").ok());
}

TEST(NotReady, NamesWhatFails) {
  EXPECT_EQ(NotReadyText("[+]nodes synced\n[-]pods broken: HTTP 403\n[!]filter.checks: usage\n[-]serving draining\n"
                         "readyz check failed\n"),
            "huygens is not ready and refuses every call:\n- pods broken: HTTP 403\n- serving draining");
  EXPECT_EQ(NotReadyText("[+]pods synced\n[-]serving draining: answers are still given\nreadyz check failed\n"),
            "huygens is about to end, and still answers:\n- serving draining: answers are still given");
}

TEST(UndecidedPod, IsToldWhatNodesWouldSayNow) {
  const auto waits = DecodeJson<admin::PodDocument>(
      R"({"pod":"shop/web","uid":"u","notUnderstood":["annotation a: no"],"nodes":[{"name":"n1","reason":"too small",)"
      R"("why":"needs 9 cpu"},{"name":"n2","reason":"no NRT"}],"fits":["n3"],"fitsLater":["n4"],"tooSmall":2})");
  ASSERT_TRUE(waits.ok()) << waits.status();
  const std::string text = UndecidedPodText(*waits, "http://127.0.0.1:8889");
  EXPECT_THAT(text,
              StartsWith("no decision on pod shop/web is remembered by the huygens at http://127.0.0.1:8889: each"));
  EXPECT_THAT(text, HasSubstr("\n! annotation a: no\n"));
  EXPECT_THAT(
      text,
      EndsWith(
          "1 node (n3) could take the pod, by what huygens looks at and by requests. 1 more (n4) "
          "lack room only for the requests of other pods. 2 nodes are too small for its requests, whoever leaves them. "
          "These would not:\n\nNODE  VERDICT\n"
          "n1    too small: needs 9 cpu\nn2    no NRT"));
  const auto large = DecodeJson<admin::PodDocument>(R"({"pod":"shop/web","uid":"u","nodes":[],"tooSmall":1})");
  ASSERT_TRUE(large.ok()) << large.status();
  EXPECT_THAT(UndecidedPodText(*large, "url"),
              EndsWith("0 nodes could take the pod, by what huygens looks at and by requests. 1 node is too small for "
                       "its requests, whoever leaves it."));
  const auto bound = DecodeJson<admin::PodDocument>(
      R"({"pod":"shop/web","uid":"u","node":"n1","noZones":"it is a pod of a DaemonSet","nodes":[]})");
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_THAT(UndecidedPodText(*bound, "url"),
              EndsWith("started.\nIt is on n1; no zones were assigned: it is a pod of a DaemonSet."));
}

TEST(UnknownPod, SaysWhatThatMayMean) {
  const std::string text = UnknownPodText("default/p", "http://127.0.0.1:8889");
  EXPECT_THAT(text, HasSubstr("pod default/p"));
  EXPECT_THAT(text, HasSubstr("http://127.0.0.1:8889"));
  EXPECT_THAT(text, HasSubstr("-n NAMESPACE"));
  EXPECT_THAT(text, Not(HasSubstr("Node called")));
  EXPECT_THAT(UnknownPodText("default/n9", "http://127.0.0.1:8889", /*is_node=*/true),
              HasSubstr("; there is a Node called n9: huygens explain node/n9.\nElse that means"));
}

TEST(UnknownNode, NamesTheNearestAndSaysNothingOfPods) {
  const std::string text = UnknownNodeText("numa-l", "http://127.0.0.1:8889", {"numa-1", "worker"});
  EXPECT_THAT(text, HasSubstr("no Node called numa-l is known to the huygens at http://127.0.0.1:8889; did you mean "
                              "node/numa-1?\nIt knows 2 nodes"));
  EXPECT_THAT(text, Not(HasSubstr("pod")));
}

TEST(NodeZones, ShowsZonesWhoHoldsThemAndWhatIsWrong) {
  const auto node = DecodeJson<admin::NodeDocument>(
      R"({"name":"n1","known":true,"mode":"managed","lostTopology":true,"notices":["label x: no"],"zones":[)"
      R"({"name":"node0","zone":0,"stale":true,"offlineCpu":"7","offlineUpdated":"2026-11-21T12:00:00Z","allocatable":{"cpu":"8"},"effective":{"cpu":"7"},)"
      R"("used":{"cpu":"4"},"free":{"cpu":"3"},"cores":4,"wholeCores":1},)"
      R"({"name":"node9","zone":9,"absent":true,"allocatable":{},"effective":{"cpu":"0"},"used":{"cpu":"2"},)"
      R"("free":{"cpu":"0"}}],"pods":[{"pod":"default/a","uid":"u","reservation":"reserved","zones":[)"
      R"({"name":"node0","zone":0,"amount":{"cpu":"4"}}]},{"pod":"default/b","uid":"v","zones":[]}]})");
  ASSERT_TRUE(node.ok()) << node.status();
  const std::string text = NodeZonesText(*node);
  EXPECT_THAT(text, HasSubstr("zones: managed: huygens chooses zones\n! its NodeResourceTopology was deleted"));
  EXPECT_THAT(text, HasSubstr("\n! label x: no\n"));
  EXPECT_THAT(text, HasSubstr("  ZONE   CAN GIVE  USED  FREE"));
  EXPECT_THAT(text, HasSubstr("  node0  7         4     3     real capacity 7 cpu; that is out of date, of "
                              "2026-11-21T12:00:00Z (topology.realCapacity.whenStale says what counts); 1 of 4 cores "
                              "unused\n"));
  EXPECT_THAT(text, HasSubstr("  node9  0         2     0     not in the object any more"));
  EXPECT_THAT(text,
              HasSubstr("  default/a  node0: 4 cpu  reserved: its Binding is on the way\n  1 pod without zones\n"));
  const auto lost = DecodeJson<admin::NodeDocument>(
      R"({"name":"n1","known":true,"mode":"managed","lostTopology":true,"lossLeftSeconds":412,"lossGraceSeconds":600})");
  EXPECT_THAT(
      NodeZonesText(*lost),
      HasSubstr("\n! its NodeResourceTopology was deleted, and pods that need zones wait until it is back; what "
                "it last said holds for 412 s more (topology.lossGrace: 10m), then the node counts as one "
                "without\n"));
  const auto unusable =
      DecodeJson<admin::NodeDocument>(R"({"name":"n1","known":true,"mode":"unusable","defect":"65 zones"})");
  EXPECT_THAT(NodeZonesText(*unusable), HasSubstr("! its NodeResourceTopology cannot be used: 65 zones\n"));
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

}  // namespace
}  // namespace huygens::cli
