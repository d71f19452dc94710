// What a refused pod waits for, and what of the answer is of now.
#include <gmock/gmock.h>

#include "reports/quota_report.h"
#include "tests/reports/explain_fixture.h"

namespace huygens::reports {
namespace {

using policy::Reason;
using testing::HasSubstr;
using testing::Not;

class ExplainWaits : public ExplainNow {
 protected:
  static std::string NodeOf(std::string_view name, Reason reason, std::string_view more = "") {
    return Concat(R"({"name":")", name, R"(","reason":")", policy::Explained(reason), "\"", more, "}");
  }
  // The nodes asked about are all of this reason, on the page, too.
  std::string Page(Reason reason, std::string_view more = "", std::string_view others = "",
                   std::string_view rest = "") {
    std::string nodes;
    for (const std::string_view node : kNodes) nodes += Concat(nodes.empty() ? "" : ",", NodeOf(node, reason, more));
    return Concat(R"({"pod":"default/p","uid":"uid-1","nodes":[)", nodes, others, "]", rest, "}");
  }
  std::string Headline(Reason reason, std::string_view more = "", std::string_view rest = "") {
    FilterAll(reason);
    return TextWith(Page(reason, more, "", rest));
  }
};

constexpr std::string_view kFourInOne =
    R"(,"figures":{"needs":{"cpu":"4"},"oneZone":true,"zone":"node1","free":{"cpu":"3"},"of":{"cpu":"8"}})";

TEST_F(ExplainWaits, TheFirstLinesSayForWhat) {
  EXPECT_THAT(
      Headline(Reason::kInsufficientZones, kFourInOne),
      HasSubstr("\nWaits for: a zone with 4 cpu free on n1, or the same of 2 nodes more.\nkube-scheduler tries"));
  EXPECT_THAT(Headline(Reason::kUsageCeiling), HasSubstr("\nWaits for: less use by others on n1, or"));
  EXPECT_THAT(Headline(Reason::kLostTopology), HasSubstr("\nWaits for: the topology object of n1, or"));
  EXPECT_THAT(Headline(Reason::kUnknownNode), HasSubstr("\nWaits for: the watch to show the Node n1, or"));
  EXPECT_THAT(Headline(Reason::kInsufficientZones, "", R"(,"gang":"train")"),
              HasSubstr("\nWaits for: room for all of its gang train at once.\nkube-scheduler tries"));
  EXPECT_THAT(Headline(Reason::kNoTopology),
              HasSubstr("\nWaiting does not help there: somebody must write the nodes' topology objects, or"))
      << "it never was there";
  EXPECT_THAT(Headline(Reason::kNoTopology, R"(,"gaveUpTopology":true)"),
              HasSubstr("\nWaits for: the topology object of n1, or"));
  EXPECT_THAT(Headline(Reason::kUnusableTopology),
              HasSubstr("\nWaiting does not help there: their topology objects must be mended. Then"));
  EXPECT_THAT(Headline(Reason::kZonesTooSmall, R"(,"neverFits":true)"), Not(HasSubstr("Waits for")));
}

TEST_F(ExplainWaits, ADecisionThatIsOlderThanTheLatestRetryIsNoPresentCause) {
  FilterAll(Reason::kInsufficientZones);
  constexpr std::string_view kLacks = R"(,"asks":{"cpu":"9"},"unrequested":{"cpu":"1800m"})";
  const auto after = [&](int minutes, std::string_view page) {
    return TextWith(page, "", "", std::chrono::minutes(minutes));
  };
  const std::string ruled_out = after(14, Page(Reason::kInsufficientZones, kLacks));
  EXPECT_THAT(
      ruled_out,
      HasSubstr("\nNot asked again for 14 minutes: by requests kube-scheduler itself rules out n1 (9 cpu asked, "
                "1800m unrequested), n2 (9 cpu asked, 1800m unrequested), n3 (9 cpu asked, 1800m unrequested) "
                "by now. The pod's Events say the rest.\n"));
  EXPECT_THAT(ruled_out, Not(HasSubstr("tries again")));
  EXPECT_THAT(after(14, Page(Reason::kInsufficientZones)),
              HasSubstr("\nNot asked again for 14 minutes, though kube-scheduler tries again within five: its own "
                        "plugins rule out all nodes before, it asks another instance of huygens, or it does not run."));
  EXPECT_THAT(after(14, Page(Reason::kZonesTooSmall, R"(,"neverFits":true)")),
              HasSubstr("\nWaiting does not help on these nodes: the pod must ask for less, or larger nodes must "
                        "come.\nNot asked again for 14 minutes"));
  EXPECT_THAT(after(5, Page(Reason::kInsufficientZones, kLacks)), HasSubstr("kube-scheduler tries again when"));
  EXPECT_THAT(after(14, R"({"pod":"default/p","uid":"uid-1","nodes":[],"fitsLater":["n1","n2","n3"]})"),
              HasSubstr("itself rules out n1, n2, n3 by now."));
}

TEST_F(ExplainWaits, OnlyTheTwoThatMostNodesLack) {
  Filter({Code(Reason::kUsageUnknown), Code(Reason::kInsufficientCores), Code(Reason::kInsufficientCores)});
  EXPECT_THAT(Text(), HasSubstr("\nWaits for: whole cores that nobody uses on n2, or the same of 1 node more; or fresh "
                                "usage data on n1.\n"));
  Filter({Code(Reason::kUsageUnknown), Code(Reason::kInsufficientCores), Code(Reason::kUsageCeiling)});
  EXPECT_THAT(Text(), HasSubstr("on n2; or else what the table says.\n"));
}

TEST_F(ExplainWaits, NodesThatSomebodyHasToMendAreNotSaidToTakeItLater) {
  FilterAll(Reason::kInsufficientZones);
  const std::string others = Concat(
      ",", NodeOf("plain-1", Reason::kNoTopology), ",", NodeOf("broken", Reason::kUnusableTopology), ",",
      NodeOf("full", Reason::kUsageCeiling), ",", NodeOf("pinned", Reason::kUnknownCores, R"(,"givesNoCores":true)"));
  EXPECT_THAT(
      TextWith(Page(Reason::kInsufficientZones, "", others)),
      HasSubstr("\nBy what huygens looks at 1 may take it later (full) and 2 could if mended (plain-1: no topology "
                "object, broken: its topology object cannot be used);"));
}

TEST_F(ExplainWaits, NodesThatAreTooSmallAnyhowHideNoBetterRemedy) {
  Filter({Code(Reason::kZonesTooSmall), Code(Reason::kNoTopology), Code(Reason::kZonesTooSmall)});
  const std::string text = TextWith(Concat(
      R"({"uid":"uid-1","nodes":[)", NodeOf("n1", Reason::kZonesTooSmall, R"(,"neverFits":true,"fitsAcross":true)"),
      ",", NodeOf("n2", Reason::kNoTopology, R"(,"neverFits":true)"), ",",
      NodeOf("n3", Reason::kZonesTooSmall, R"(,"neverFits":true,"holdsAcross":true)"), "]}"));
  EXPECT_THAT(text, HasSubstr("\nWaiting does not help there: the pod must be allowed several zones "
                              "(topology.crane.io/topology-awareness: \"false\") or ask for less, or larger nodes must "
                              "come. Then"));
  EXPECT_THAT(text, Not(HasSubstr("- node(s) failed to get NRT")));
  FilterAll(Reason::kNoTopology);
  EXPECT_THAT(TextWith(Page(Reason::kNoTopology, R"(,"neverFits":true)")), HasSubstr("- node(s) failed to get NRT"))
      << "there is nothing else to say";
}

TEST_F(ExplainWaits, NodesThatItsSelectorLeavesOutAreCounted) {
  EXPECT_THAT(Headline(Reason::kInsufficientZones, "", R"(,"nodeSelector":"disk=ssd","notSelected":["a","b"])"),
              HasSubstr("was not asked about them. 2 nodes have not the labels of its nodeSelector (disk=ssd).\n"));
}

TEST_F(ExplainWaits, WhatAdvisesOfSeveralNodesGoesByTheOneThatHelpsMost) {
  Filter({Code(Reason::kNoTopology), Code(Reason::kNoTopology), Code(Reason::kNoTopology)});
  EXPECT_THAT(TextWith(Concat(R"({"uid":"uid-1","nodes":[)", NodeOf("n1", Reason::kNoTopology), ",",
                              NodeOf("n2", Reason::kNoTopology, R"(,"insists":"huygens.dev/smt")"), ",",
                              NodeOf("n3", Reason::kNoTopology), "]}")),
              HasSubstr("without that n2 would take it, without zones."));
  FilterAll(Reason::kInsufficientZones);
  const auto free = [](std::string_view cpus, std::string_view more) {
    return Concat(R"(,"figures":{"needs":{"cpu":"8"},"oneZone":true,"zone":"node1","free":{"cpu":")", cpus,
                  R"("},"of":{"cpu":"16"}})", more);
  };
  const std::string text =
      TextWith(Concat(R"({"uid":"uid-1","nodes":[)", NodeOf("n1", Reason::kInsufficientZones, free("2", "")), ",",
                      NodeOf("n2", Reason::kInsufficientZones, free("5500m", "")), ",",
                      NodeOf("n3", Reason::kInsufficientZones, free("3", R"(,"fitsAcross":true)")), "]}"));
  EXPECT_THAT(text, HasSubstr("may preempt, allow several zones (topology.crane.io/topology-awareness: \"false\": n3 "
                              "would take it so now), make it a pod of 5 cpu or less (so much is free now in node1 of "
                              "n2), or add nodes."));
}

TEST_F(ExplainWaits, ASmallerPodIsOneThatAllChecksWouldTake) {
  FilterAll(Reason::kZonesTooSmall);
  const auto said = [&](std::string_view free, std::string_view more) {
    return TextWith(Concat(R"({"uid":"uid-1","nodes":[)",
                           NodeOf("n1", Reason::kZonesTooSmall,
                                  Concat(R"(,"neverFits":true,"figures":{"needs":{"cpu":"17"},"oneZone":true,)",
                                         R"("zone":"node1","free":{"cpu":"8"},"of":{"cpu":"16"})", free, "}", more)),
                           "]}"));
  };
  EXPECT_THAT(said(R"(,"freest":"node0","mostFree":{"cpu":"15"})", ""),
              HasSubstr("make it a pod of 15 cpu or less (so much is free now in node0 of n1), or of 16 cpu or less "
                        "once pods there end (so much has the largest zone, node1 of n1), or add nodes"));
  EXPECT_THAT(said("", R"(,"beside":{"resource":"cpu","needs":"14","fits":"5","requests":"6500m"})"),
              HasSubstr("make it a pod of 6 cpu or less, as its limit, too (so much n1 takes now under its ceiling of "
                        "use), or add nodes"));
  EXPECT_THAT(said("", R"(,"beside":{"resource":"cpu","needs":"14","fits":"0","requests":"0"})"),
              HasSubstr("no pod that ends would help: ask for less, or add nodes"));
  EXPECT_THAT(said("", R"(,"beside":{"resource":"memory","needs":"14","fits":"5","requests":"6"})"),
              HasSubstr("no pod that ends would help: ask for less, or add nodes"));
}

TEST_F(ExplainWaits, ZonesWithRoomButForOldRealCapacityAreALineOfTheirOwn) {
  constexpr std::string_view kStale =
      R"(,"figures":{"needs":{"cpu":"4"},"oneZone":true,"zone":"node1","free":{},"of":{},)"
      R"("staleZones":[{"zone":"node0","last":"3","must":"6"},{"zone":"node2","must":"4"}]})";
  EXPECT_THAT(
      Headline(Reason::kInsufficientZones, kStale),
      HasSubstr("\nWhat to do:\n- the real capacity of node0 (was 3 cpu, must be 6 or more), node2 (must be 4 or more) "
                "of n1, and of zones of 2 nodes more, is out of date: start whoever writes offline_capacity; the pod "
                "fits only where it is that much.\n"
                "- node(s) had"));
}

TEST_F(ExplainWaits, WhatNobodyHoldsIsAFaultOfTheTopologyObject) {
  constexpr std::string_view kUnaccounted =
      R"(,"figures":{"needs":{"cpu":"4"},"oneZone":true,"free":{},"of":{},"unaccounted":"5"})";
  EXPECT_THAT(
      Headline(Reason::kCannotAlignContainer, kUnaccounted),
      HasSubstr(": taken by other pods: the topology object of n1 is probably out of date, for no pod known there "
                "holds what it says is taken: see whether its exporter runs (`huygens explain node/n1` says when "
                "it was written). Else: it fits once pods there end"));
}

TEST_F(ExplainWaits, FiguresOfABudgetAreThoseOfNowOrMarked) {
  constexpr std::string_view kThen = "quota bizrq/ranking: limits.cpu used 4 of 10, requested 7";
  constexpr std::string_view kSince =
      "quota bizrq/ranking: bizrq/search above it is over its budget: limits.cpu used 60 of 30";
  FilterAll(Reason::kQuotaExceeded, kThen);
  const std::string page = Page(Reason::kQuotaAncestorOver);
  EXPECT_THAT(TextWith(page, Concat(R"({"group":"ranking","verdict":"refused","why":")", kSince, R"(","keys":[]})")),
              HasSubstr(Concat("\nat the decision: ", kThen, "\nnow: ", kSince, "\n")));
  EXPECT_THAT(TextWith(page, R"({"group":"ranking","verdict":"fits","keys":[]})"),
              HasSubstr(Concat("\nat the decision: ", kThen, "\nnow: its group allows it\n")));
  EXPECT_THAT(TextWith(page, Concat(R"({"group":"ranking","verdict":"refused","why":")", kThen, R"(","keys":[]})")),
              HasSubstr(Concat("\n", kThen, "\n")));
}

TEST_F(ExplainWaits, WhatTheGroupAboveHasLeftIsSaid) {
  const auto pod = DecodeJson<admin_api::PodQuotaDocument>(
      R"({"path":"org/search/ranking","keys":[{"key":"limits.cpu","cost":"7","lacks":true},{"key":"limits.memory","cost":"1"}]})");
  const auto tree = DecodeJson<admin_api::QuotaTreeDocument>(
      R"({"groups":[{"name":"search","keys":[{"key":"limits.cpu","hard":"30","remaining":"2","children":"28"},)"
      R"({"key":"limits.memory","hard":"9","remaining":"8","children":"0"}]}]})");
  ASSERT_TRUE(pod.ok() && tree.ok()) << pod.status() << tree.status();
  EXPECT_EQ(GroupAbove(*pod), "search");
  EXPECT_EQ(LeftAboveText(*pod, *tree), "search has 2 of limits.cpu left");
  EXPECT_EQ(LeftAboveText({.path = "org"}, *tree), "");
  admin_api::PodQuotaDocument lacks = *pod;
  lacks.group = "ranking";
  lacks.shortages = {
      {.group = "ranking", .key = "limits.cpu", .used = "4", .hard = "8", .requested = "7", .over = "3"}};
  EXPECT_EQ(LeftAboveText(lacks, *tree), "search has 2 of limits.cpu left, and must itself be larger by limits.cpu 1");
  lacks.shortages[0].over = "2";
  EXPECT_EQ(LeftAboveText(lacks, *tree), "search has 2 of limits.cpu left");
  FilterAll(Reason::kQuotaExceeded, "quota bizrq/ranking: limits.cpu used 4 of 10, requested 7");
  EXPECT_THAT(TextWith(Page(Reason::kQuotaExceeded), R"({"group":"ranking","verdict":"refused","keys":[]})",
                       "search has 2 of limits.cpu left"),
              HasSubstr("a larger budget (its parent search has 2 of limits.cpu left: `huygens quota tree`)"));
}

TEST_F(ExplainWaits, APodOfAGangSaysWhereItFitsByItself) {
  FilterAll(Reason::kInsufficientZones);
  EXPECT_THAT(
      TextWith(R"({"pod":"default/p","uid":"uid-1","gang":"train","nodes":[],"fits":["n2"]})"),
      HasSubstr("n2    -      node(s) had insufficient resource of NUMA node: taken by other pods; now, by itself, "
                "the pod would fit there\n"));
}

TEST_F(ExplainWaits, ABoundPodIsToldWhyTheOthersHaveNoFigures) {
  FilterNarrowedToTheSecond(Code(Reason::kUsageCeilingTooLow));
  Bind("n2", "");
  EXPECT_THAT(Text(),
              HasSubstr("\nOf nodes that refused it there are no figures: they are worked out for pods that still "
                        "wait.\n"));
}

}  // namespace
}  // namespace huygens::reports
