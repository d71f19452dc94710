// What is said of the decisions on a pod beside what holds of it now.
#include <gmock/gmock.h>

#include "reports/nothing_to_explain.h"
#include "tests/reports/explain_fixture.h"

namespace huygens::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(ExplainNow, ARefusalForZonesHasItsFiguresAndWhatToDo) {
  Filter({Code(policy::Reason::kZonesTooSmall), Code(policy::Reason::kInsufficientZones),
          Code(policy::Reason::kInsufficientZones)});
  const std::string text = TextWith(
      R"({"pod":"default/p","uid":"uid-1","notUnderstood":["annotation topology.crane.io/cpu-policy: there is no \"b\""],"nodes":[)"
      R"({"name":"n1","reason":"node(s) had insufficient resource of NUMA node: too small even when empty",)"
      R"("why":"needs 17 cpu in one zone; largest node1: 5 of 16 free; too small even when empty","neverFits":true},)"
      R"({"name":"n3","reason":"node(s) failed to get NRT"}]})");
  EXPECT_THAT(text, HasSubstr("n1    -      node(s) had insufficient resource of NUMA node: needs 17 cpu in one zone; "
                              "largest node1: 5 of 16 free; too small even when empty\n"
                              "n2    -      node(s) had insufficient resource of NUMA node: taken by other pods\n"
                              "n3    -      node(s) had insufficient resource of NUMA node: taken by other pods; now: "
                              "node(s) failed to get NRT\n"));
  EXPECT_THAT(text, HasSubstr("\n! annotation topology.crane.io/cpu-policy: there is no \"b\"\n"));
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
  Add({.verb = "filter",
       .outcome = "rejected",
       .nodes = kNodes,
       .reasons = std::as_bytes(std::span(codes)),
       .facts_json = R"({"gangHolds":6,"gangPods":8})"});
  EXPECT_THAT(TextWith(kNow), HasSubstr("; 6 of its 8 unbound pods had a node by then, which is given back"));
  EXPECT_THAT(Text(), Not(HasSubstr("gang")));
  FilterNarrowedToTheSecond(taken);
  const std::string fits = TextWith(kNow);
  EXPECT_THAT(fits, HasSubstr("n1    -      fits, but a pod of a gang is answered one node\n"));
  EXPECT_THAT(fits,
              HasSubstr("\nIt is of the gang g (spec.schedulingGroup), which is placed whole or not at all: it was "
                        "promised n2, and no other pod of it is known to wait for one.\n"));
}

TEST_F(ExplainNow, APodOfAGangThatGotANodeIsToldWhoDidNot) {
  FilterNarrowedToTheSecond(Code(policy::Reason::kInsufficientZones));
  const std::string text = TextWith(
      R"({"pod":"default/p","uid":"uid-1","gang":"g","gangWaits":["default/g-7","default/p"],"gangWaitsMore":2,)"
      R"("gangNeeds":{"cpu":"32","memory":"64Gi"},"nodes":[],"gangRoom":{"cpu":"30","memory":"90Gi"}})");
  EXPECT_THAT(text,
              HasSubstr("\nIt is of the gang g (spec.schedulingGroup), which is placed whole or not at all: it was "
                        "promised n2, but 3 of its other pods have no node now (default/g-7 and 2 more); of none of "
                        "them it is known here that filter refused it.\nTogether the 4 pods of it that have no node "
                        "request 32 cpu and 64Gi "
                        "memory; all nodes together have 30 cpu and 90Gi memory unrequested, in pieces.\n"));
  EXPECT_THAT(text, Not(HasSubstr("its gang does not fit whole")));
  EXPECT_THAT(text, HasSubstr(", but no bind followed: its gang has not found room for all.\n"));
  const std::string refused =
      TextWith(R"({"pod":"default/p","uid":"uid-1","gang":"g","gangWaits":["default/g-7","default/p"],)"
               R"("gangRefused":"default/g-9","nodes":[]})");
  EXPECT_THAT(refused, HasSubstr("(default/g-7); refused was default/g-9: `huygens explain default/g-9` says why.\n"));
  EXPECT_THAT(refused, HasSubstr("\nWhat to do:\n- its gang does not fit whole: "));
}

TEST_F(ExplainNow, APodWithoutZonesIsToldTheOneCause) {
  Add({.verb = "bind", .outcome = "bound", .node = "n2"});
  EXPECT_THAT(TextWith(R"({"uid":"uid-1","node":"n2","noZones":"container app requests no cpu","nodes":[]})"),
              HasSubstr("(30s ago); no zones were assigned: container app requests no cpu.\n"));
  EXPECT_THAT(Text(), HasSubstr("no zones were assigned; the pod is gone, so why can no longer be said.\n"));
}

TEST_F(ExplainNow, APodThatOutgrewItsZonesIsToldByHowMuchAndWhatToDo) {
  constexpr std::string_view kNow =
      R"({"pod":"default/p","uid":"uid-1","node":"n2","outgrown":{"bound":{"cpu":"2"},"asks":{"cpu":"3"},"zones":[)"
      R"({"name":"node0","effective":{"cpu":"4"},"used":{"cpu":"5"}}]},"nodes":[]})";
  constexpr std::string_view kSaid =
      "\n! it was resized in place and no longer fits its zones: it asks 3 cpu and was bound with 2 cpu; node0 can "
      "give "
      "4 cpu, of which 5 cpu are taken. What it lacks is shared with others there: shrink it, or delete it so that it "
      "is placed anew; `huygens explain node/n2` shows who holds the zones.";
  Bind("n2", "");
  EXPECT_THAT(TextWith(kNow), HasSubstr(Concat(kSaid, "\n")));
  EXPECT_THAT(Text(), Not(HasSubstr("resized")));
  const auto pod = DecodeJson<admin_api::PodDocument>(kNow);
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_THAT(PlacedPodText(*pod, "url", Time()), HasSubstr(Concat("\nIt is on n2, without zones.", kSaid)))
      << "its bind is forgotten";
}

TEST_F(ExplainNow, ThatHuygensItselfIsBlindComesFirst) {
  FilterAll(policy::Reason::kInsufficientZones);
  EXPECT_THAT(TextWith(R"({"uid":"uid-1","notHeardOf":[{"kind":"nodes","seconds":272,"why":"cut"}],"nodes":[]})"),
              HasSubstr("UID uid-1\n! huygens has not heard of nodes for 272 s (cut): what follows"));
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
  EXPECT_THAT(Text(),
              HasSubstr("nobody, it would not help.\nWaits for: room in the zones on n2.\nkube-scheduler tries again"));
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
  EXPECT_THAT(
      TextWith(Concat(R"({"uid":"uid-1","nodes":[{"name":"n1","reason":")",
                      policy::Explained(policy::Reason::kZonesTooSmall), R"("}]})")),
      HasSubstr("too small even when empty: the zones of n1 really give less than they claim: end what uses them"));
}

TEST_F(ExplainNow, AMisspeltAnnotationIsToBeMendedFirst) {
  FilterAll(policy::Reason::kZonesTooSmall);
  EXPECT_THAT(
      TextWith(
          R"({"uid":"uid-1","nodes":[],"notUnderstood":["annotation topology.crane.io/cpu-policy: there is no \"nine\""]})"),
      HasSubstr("Waiting does not help there: what is marked with ! below must be mended, or the pod must ask"));
  const std::string other = TextWith(
      R"({"uid":"uid-1","nodes":[],"notUnderstood":["label biz.group.resource.qouta: nobody reads it; did you mean biz.group.resource.quota?"]})");
  EXPECT_THAT(other, HasSubstr("Waiting does not help there: the pod must ask for less")) << "it is of budgets";
  EXPECT_THAT(other, HasSubstr("\nWhat to do:\n- node(s) had insufficient"));
  EXPECT_THAT(other, HasSubstr("\n- mend what is marked with ! above, too: it counts as absent, though"));
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
    return Concat(R"({"verdict":"refused","group":"g","keys":[{"key":"cpu","cost":")", cost,
                  R"(","used":"4","hard":"4","lacks":true,"children":")", children,
                  R"("}],"usedBy":[{"group":"g","key":"cpu",)"
                  R"("pods":[{"name":"shop/a","amount":"3"}],"morePods":2,"children":[]}]})");
  };
  FilterAll(policy::Reason::kQuotaExceeded, kWhy);
  const std::string small = TextWith(R"({"uid":"uid-1","nodes":[]})", now("1"));
  EXPECT_THAT(small, HasSubstr(Concat("\n", kWhy, "\nWho uses cpu of g: pods shop/a 3 and 2 more.\n")));
  EXPECT_THAT(small, HasSubstr(kTriesAgain));
  EXPECT_THAT(small, HasSubstr("`kubectl get pods -A -l biz.group.resource.quota=g` lists them, `huygens quota explain "
                               "default/p` what this one costs."));
  for (const std::string& quota : {now("5"), now("3", "2")}) {
    const std::string large = TextWith(R"({"uid":"uid-1","nodes":[]})", quota);
    EXPECT_THAT(large, HasSubstr("there: its business group's budget must grow, or the pod ask for less. Then"));
    EXPECT_THAT(large, HasSubstr("it asks for more than the group can spend itself, whoever ends"));
  }
  EXPECT_THAT(TextWith(R"({"uid":"uid-1","nodes":[]})", now("3", "2")),
              HasSubstr("whoever ends; `huygens quota explain default/p` shows what is handed to children.\n"));
  EXPECT_THAT(TextWith(R"({"uid":"uid-1","nodes":[]})", now("5")), Not(HasSubstr("handed to children")));
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

}  // namespace
}  // namespace huygens::reports
