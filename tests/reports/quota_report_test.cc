// From the JSON of /debug/quotas to the text that a person reads.
#include "reports/quota_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "json/document.h"

namespace huygens::reports {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kTree =
    R"({"enforcement":"placement","groups":[)"
    R"({"name":"ads","parent":"org","path":"org/ads","state":"ok","children":[],"keys":[)"
    R"({"key":"limits.cpu","hard":"20","used":"100m","self":"100m","children":"0","remaining":"19900m","share":0.005},)"
    R"({"key":"pods","used":"1","self":"1","children":"0"}]},)"
    R"({"name":"gone","parent":"","path":"gone","state":"missing","why":"no such group","children":["orphan"],"keys":[]},)"
    R"({"name":"org","parent":"","path":"org","state":"ok","children":["ads","search"],"keys":[)"
    R"({"key":"limits.cpu","hard":"100","used":"70","self":"0","children":"70","remaining":"30","share":0.7},)"
    R"({"key":"limits.memory","hard":"400Gi","used":"0","self":"0","children":"0","remaining":"400Gi","share":0}]},)"
    R"({"name":"orphan","parent":"gone","path":"gone/orphan","state":"frozen","why":"its parent gone does not exist",)"
    R"("children":[],"keys":[{"key":"limits.cpu","hard":"0","used":"0","self":"0","children":"0","remaining":"0","share":1}]},)"
    R"({"name":"ranking","parent":"search","path":"org/search/ranking","state":"terminating","why":"..","children":[],"keys":[)"
    R"({"key":"cash/limits.cpu","hard":"100","children":"0"},)"
    R"({"key":"limits.cpu","hard":"4","used":"6","self":"6","children":"0","remaining":"-2","share":1.5}]},)"
    R"({"name":"search","parent":"org","path":"org/search","state":"ok","children":["ranking"],"keys":[)"
    R"({"key":"cash/limits.cpu","hard":"200","used":"150500m","self":"50500m","children":"100","remaining":"49500m","share":0.753},)"
    R"({"key":"limits.cpu","unlimited":true,"used":"4","self":"0","children":"4"}]}]})";

std::string Tree(std::string_view json, std::string_view key = "") {
  const auto tree = DecodeJson<admin_api::QuotaTreeDocument>(json);
  EXPECT_TRUE(tree.ok()) << tree.status();
  return tree.ok() ? QuotaTreeText(*tree, key) : "";
}

std::string Pod(std::string_view json) {
  const auto pod = DecodeJson<admin_api::PodQuotaDocument>(json);
  EXPECT_TRUE(pod.ok()) << pod.status();
  return pod.ok() ? PodQuotaText(*pod, *ParseRfc3339("2026-11-21T12:05:00Z")) : "";
}

TEST(QuotaReport, HoursThatComeAnewSayWhatEarlierPeriodsLeft) {
  EXPECT_EQ(
      Tree(
          R"({"enforcement":"placement","groups":[{"name":"a","parent":"","path":"a","state":"ok","hoursSince":"2026-11-23T00:00:00Z",)"
          R"("children":[],"keys":[{"key":"cash/limits.cpu","hard":"100","used":"0","self":"0","children":"0",)"
          R"("remaining":"140500m","carried":"40500m","share":0},{"key":"limits.cpu","hard":"4","used":"1","self":"1",)"
          R"("children":"0","remaining":"3","share":0.25}]}]})"),
      "1 group; enforced at placement\n"
      "GROUP  KEY              HARD   USED  OWN PODS  REMAINING  USED OF HARD      NOTE\n"
      "a      cash/limits.cpu  100 h  0 h   0 h       140.5 h    ░░░░░░░░░░   0 %  since 2026-11-23T00:00:00Z; 40.5 h "
      "of "
      "earlier periods left\n"
      "       limits.cpu       4      1     1         3          ██░░░░░░░░  25 %\n");
}

TEST(QuotaReport, TheTreeShowsBudgetsAndWhoIsInTrouble) {
  EXPECT_EQ(
      Tree(kTree),
      "6 groups; enforced at placement\n"
      "GROUP          KEY              HARD   USED     OWN PODS  REMAINING  USED OF HARD      NOTE\n"
      "gone           -                -      -        -         -          -                 MISSING: only its "
      "children "
      "or pods name it\n"
      "└─ orphan      limits.cpu       0      0        0         0          ██████████ 100 %  FROZEN: its parent gone "
      "does "
      "not exist\n"
      "org            limits.cpu       100    70       0         30         ███████░░░  70 %\n"
      "│              limits.memory    400Gi  0        0         400Gi      ░░░░░░░░░░   0 %\n"
      "├─ ads         limits.cpu       20     100m     100m      19900m     █░░░░░░░░░   0 %\n"
      "└─ search      cash/limits.cpu  200 h  150.5 h  50.5 h    49.5 h     ███████░░░  75 %\n"
      "   │           limits.cpu       -      4        0         -          -                 FREE: the parent limits "
      "this key, the group does not\n"
      "   └─ ranking  cash/limits.cpu  100 h  -        -         -          -                 BEING DELETED; nobody "
      "has "
      "counted it yet\n"
      "               limits.cpu       4      6        6         -2         ██████████ 150 %  OVER BUDGET\n");
}

TEST(QuotaReport, OneKeyIsOneLineAGroup) {
  EXPECT_EQ(
      Tree(kTree, "pods"),
      "6 groups; enforced at placement; no group limits pods\n"
      "GROUP          KEY   HARD  USED  OWN PODS  REMAINING  USED OF HARD  NOTE\n"
      "gone           pods  -     -     -         -          -             MISSING: only its children or pods name "
      "it\n"
      "└─ orphan      pods  -     -     -         -          -             FROZEN: its parent gone does not exist\n"
      "org            pods  -     -     -         -          -\n"
      "├─ ads         pods  -     1     1         -          -\n"
      "└─ search      pods  -     -     -         -          -\n"
      "   └─ ranking  pods  -     -     -         -          -             BEING DELETED\n");
}

TEST(QuotaReport, AKeyIsFoundAsPeopleWriteIt) {
  const auto tree = DecodeJson<admin_api::QuotaTreeDocument>(
      R"({"groups":[{"name":"a","keys":[{"key":"cpu","used":"1"},{"key":"memory","used":"1"},)"
      R"({"key":"cash/requests.cpu","hard":"2"},{"key":"count/pods","hard":"2"},)"
      R"({"key":"requests.cpu","hard":"2"},{"key":"requests.nvidia.com/gpu","hard":"2"}]}]})");
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(KeyOf(*tree, "requests.cpu").value_or(""), "requests.cpu");
  EXPECT_EQ(KeyOf(*tree, "cpu").value_or(""), "requests.cpu") << "which is limited";
  EXPECT_EQ(KeyOf(*tree, "cash/cpu").value_or(""), "cash/requests.cpu");
  EXPECT_EQ(KeyOf(*tree, "pods").value_or(""), "count/pods");
  EXPECT_EQ(KeyOf(*tree, "memory").value_or(""), "memory");
  EXPECT_EQ(KeyOf(*tree, "requests.memory").value_or(""), "memory");
  EXPECT_EQ(KeyOf(*tree, "nvidia.com/gpu").value_or(""), "requests.nvidia.com/gpu");
  EXPECT_EQ(KeyOf(*tree, "limits.nvidia.com/gpu").value_or(""), "requests.nvidia.com/gpu");
  EXPECT_EQ(Message(KeyOf(*tree, "limits.cpu").status()),
            "no group has the key limits.cpu; there are: cash/requests.cpu, count/pods, cpu, memory, requests.cpu, "
            "requests.nvidia.com/gpu");
}

TEST(QuotaReport, ABudgetThatShrankSaysWhoHoldsIt) {
  const std::string text =
      Tree(R"({"groups":[{"name":"a","state":"ok","keys":[)"
           R"({"key":"cash/cpu","hard":"2","used":"2","self":"2","children":"0","remaining":"0","share":1},)"
           R"({"key":"cash/limits.cpu","hard":"2","used":"2500m","self":"2","children":"500m","remaining":"-500m"},)"
           R"({"key":"cpu","hard":"60","used":"90","self":"20","children":"70","remaining":"-30","share":1.5},)"
           R"({"key":"pods","hard":"2","used":"2","self":"2","children":"0","remaining":"0","share":1}]}]})");
  EXPECT_THAT(text, AllOf(HasSubstr("0 h        ██████████ 100 %  SPENT\n"),
                          HasSubstr("-0.5 h     -                 SPENT, 0.5 h of it handed to children\n"),
                          HasSubstr("-30        ██████████ 150 %  OVER BUDGET, 70 of it handed to children\n"),
                          HasSubstr("0          ██████████ 100 %\n")));
}

TEST(QuotaReport, CirclesAreListedOnceAndPartsOfTheTreeStandAlone) {
  const std::string text = Tree(
      R"({"enforcement":"admission","groups":[{"name":"a","parent":"b","state":"frozen","why":"circle","keys":[]},)"
      R"({"name":"b","parent":"a","state":"frozen","why":"circle","keys":[]},)"
      R"({"name":"c","parent":"c","state":"frozen","why":"circle","keys":[]},)"
      R"({"name":"part","parent":"not listed","state":"ok","keys":[]}]})");
  EXPECT_THAT(text,
              AllOf(HasSubstr("4 groups; placement does NOT enforce these budgets, only hours (cash/) and models"),
                    HasSubstr("\na "), HasSubstr("\n└─ b "), HasSubstr("\nc "), HasSubstr("\npart ")));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
}

TEST(QuotaReport, AKeyThatLimitsNothingIsPointedOut) {
  EXPECT_THAT(
      Tree(R"({"groups":[{"name":"a","state":"ok","keys":[{"key":"limit.cpu","hard":"4","unknown":true,"used":"0",)"
           R"("remaining":"4","share":0}]}]})"),
      HasSubstr("░   0 %  NO SUCH KEY: it limits nothing\n"));
  EXPECT_THAT(Tree(R"({"groups":[{"name":"a","state":"ok","keys":[{"key":"cash/example.kubernetes.io/gpu","hard":"0",)"
                   R"("unknown":true,"used":"0","remaining":"0","share":1}]}]})"),
              AllOf(HasSubstr("100 %  NO SUCH KEY: it limits nothing\n"), Not(HasSubstr("SPENT"))));
}

TEST(QuotaReport, NothingEnforcedIsSaid) {
  EXPECT_THAT(Tree(R"({"enforcement":"off","groups":[]})"), HasSubstr("not enforced. To enforce them add quota"));
  EXPECT_EQ(Tree(R"({"enforcement":"placement","groups":[]})"), "0 groups; enforced at placement\n");
}

TEST(QuotaReport, APodThatIsRefusedShowsWhichKeyLacks) {
  EXPECT_EQ(Pod(R"({"pod":"shop/web","group":"ranking","path":"org/ranking","models":{"cpu":"A4","memory":"DDR5"},)"
                R"("verdict":"refused","why":"quota bizrq/ranking: limits.cpu.A4 used 3 of 4, requested 2","keys":[)"
                R"({"key":"cash/limits.cpu","cost":"2","used":"7","hard":"100"},)"
                R"({"key":"limits.cpu.A4","cost":"2","used":"3","hard":"4","lacks":true},)"
                R"({"key":"cpu","cost":"2","used":"3"},{"key":"pods","cost":"1"}]})"),
            "Pod shop/web of group org/ranking, cpu model A4, memory model DDR5\n"
            "REFUSED: quota bizrq/ranking: limits.cpu.A4 used 3 of 4, requested 2\n"
            "\n"
            "KEY              COST       USED  HARD   NOTE\n"
            "cash/limits.cpu  2 an hour  7 h   100 h\n"
            "limits.cpu.A4    2          3     4      TOO LITTLE LEFT\n"
            "\n"
            "Not limited: cpu 2, pods 1.\n");
}

TEST(QuotaReport, WhoUsesTheBudgetIsNamedFromTheLargestDown) {
  EXPECT_THAT(
      Pod(R"({"pod":"shop/web","group":"g","path":"g","verdict":"refused","why":"x","keys":[)"
          R"({"key":"limits.cpu","cost":"9","used":"3","hard":"4","lacks":true}],"usedBy":[)"
          R"({"group":"g","key":"limits.cpu","pods":[{"name":"shop/a","amount":"2"},{"name":"shop/b","amount":"500m"}],)"
          R"("morePods":4,"children":[{"name":"x","amount":"1"}],"moreChildren":1},)"
          R"({"group":"g","key":"cash/cpu","pods":[{"name":"shop/a","amount":"1500m"}],)"
          R"("children":[{"name":"x","amount":"1500m"}]},)"
          R"({"group":"org","key":"cpu","pods":[],"children":[]}]})"),
      testing::EndsWith(
          "\nlimits.cpu  9     3     4     MORE THAN THE WHOLE BUDGET\n"
          "\n"
          "Who uses limits.cpu of g: pods shop/a 2, shop/b 500m and 4 more; handed to children: x 1 and 1 "
          "more.\n"
          "Who uses cash/cpu of g: pods shop/a 1.5 an hour; handed to children: x 1.5 h.\n"
          "Who uses cpu of org: no pod of it now.\n"));
}

TEST(QuotaReport, AKeyOfTheModelOfNodesIsARowOfItsOwn) {
  EXPECT_THAT(Pod(R"({"pod":"shop/web","group":"g","path":"g","verdict":"fits","refusedByModel":"x","keys":[)"
                  R"({"key":"limits.cpu","cost":"2","used":"3","hard":"9"},)"
                  R"({"key":"limits.cpu.A4","cost":"2","used":"3","hard":"4","lacks":true,"ofNode":true},)"
                  R"({"key":"limits.cpu.B7","cost":"2","used":"0","hard":"4","ofNode":true},)"
                  R"({"key":"limits.cpu.C1","cost":"2","used":"0","hard":"1","ofNode":true}]})"),
              testing::EndsWith("\nlimits.cpu     2     3     9\n"
                                "limits.cpu.A4  2     3     4     on nodes of that model only: TOO LITTLE LEFT\n"
                                "limits.cpu.B7  2     0     4     on nodes of that model only\n"
                                "limits.cpu.C1  2     0     1     on nodes of that model only: MORE THAN THE WHOLE "
                                "BUDGET\n"));
}

TEST(QuotaReport, AGroupThatIsNotThereSuggestsTheNearest) {
  EXPECT_THAT(Pod(R"({"pod":"shop/web","group":"serch","path":"serch","verdict":"refused","nearestGroup":"search",)"
                  R"("why":"quota bizrq/serch: no such group","keys":[]})"),
              HasSubstr("\nREFUSED: quota bizrq/serch: no such group; did you mean search?\n"));
}

TEST(QuotaReport, APodThatIsNotRefusedSaysWhatItIs) {
  constexpr std::string_view kPod = R"({"pod":"shop/web","group":"g","path":"g","models":{},)";
  EXPECT_THAT(
      Pod(Concat(kPod, R"("node":"n1","since":"2026-11-21T12:00:00Z","verdict":"charged",)",
                 R"("keys":[{"key":"pods","cost":"1","used":"1"}]})")),
      HasSubstr(
          "Pod shop/web of group g\nCharged, on n1, since 2026-11-21T12:00:00Z (5m ago).\n\nNot limited: pods 1.\n"));
  EXPECT_THAT(Pod(Concat(kPod, R"("node":"n1","verdict":"charged","keys":[]})")), HasSubstr("Charged, on n1.\n"));
  EXPECT_THAT(Pod(Concat(kPod, R"("verdict":"fits","keys":[{"key":"pods","cost":"1"}]})")),
              HasSubstr("Its group allows it. Whether a node has room: `huygens explain shop/web`.\n\nNot"));
  EXPECT_THAT(Pod(Concat(kPod, R"("enforcement":"admission","verdict":"fits","keys":[]})")),
              HasSubstr("is held by an admission webhook, not here."));
  EXPECT_THAT(Pod(Concat(kPod, R"("verdict":"ended","keys":[]})")), HasSubstr("charged no more"));
  EXPECT_THAT(Pod(Concat(kPod, R"("verdict":"off","keys":[]})")), HasSubstr("not enforced"));
  EXPECT_THAT(Pod(R"({"pod":"shop/web","group":"","verdict":"noGroup","keys":[]})"),
              AllOf(HasSubstr("belongs to no group"), Not(HasSubstr("KEY"))));
}

TEST(QuotaReport, APodThatNamesAModelSaysHowManyNodesAreOfIt) {
  constexpr std::string_view kPod =
      R"({"pod":"shop/web","models":{"cpu":"A4","gpu":"T4"},"verdict":"noGroup","keys":[],"modelNodes":)";
  EXPECT_EQ(Pod(Concat(kPod, "2}")),
            "Pod shop/web belongs to no group: it has no label biz.group.resource.quota. It costs nothing.\n"
            "It goes to nodes of cpu model A4, gpu model T4 only; there are 2.\n");
  EXPECT_THAT(Pod(Concat(kPod, "1}")), HasSubstr(" only; there is 1.\n"));
  const std::string fits = Pod(
      R"({"pod":"shop/web","group":"g","path":"g","models":{"cpu":"A4"},"modelNodes":0,"verdict":"fits","keys":[]})");
  EXPECT_THAT(fits, HasSubstr("Its group allows it.\nNO NODE is of cpu model A4, and the pod goes to no other.\n"));
  EXPECT_THAT(Pod(Concat(kPod, R"(0,"otherModels":"the label huygens.dev/cpu-model is A5 on 3 nodes"})")),
              HasSubstr("and the pod goes to no other: the label huygens.dev/cpu-model is A5 on 3 nodes.\n"));
  EXPECT_THAT(Pod(Concat(kPod, R"(0,"otherModels":"the label x is A5 on 3 nodes; did you mean A5?"})")),
              HasSubstr("and the pod goes to no other: the label x is A5 on 3 nodes; did you mean A5?\n"));
}

TEST(QuotaReport, AChargedPodSaysTheModelOfItsNodeAndThatItsLabelsChanged) {
  constexpr std::string_view kPod = R"({"pod":"shop/web","group":"g","path":"g","node":"n1",)";
  EXPECT_THAT(Pod(Concat(kPod, R"("nodeModels":{"cpu":"A4","memory":"D5"},"verdict":"charged","keys":[]})")),
              HasSubstr("Charged, on n1 as cpu model A4, memory model D5, which the node is of.\n"));
  EXPECT_THAT(Pod(Concat(kPod, R"("relabelled":true,"verdict":"charged","keys":[]})")),
              HasSubstr("Charged, on n1.\nIts labels were changed after it was bound, which changes nothing here.\n"));
}

TEST(QuotaReport, APodThatNodesOfSomeModelsAreNotForSaysWhy) {
  EXPECT_THAT(Pod(R"({"pod":"shop/web","group":"g","path":"g","verdict":"fits","refusedByModel":"quota bizrq/g: x",)"
                  R"("keys":[]})"),
              HasSubstr("`huygens explain shop/web`.\nREFUSED on some nodes: quota bizrq/g: x\n"));
}

TEST(QuotaReport, AGroupAboveThatIsOverItsBudgetIsNotedWhereItStopsPods) {
  const auto tree = [](std::string_view enforcement) {
    return Tree(Concat(R"({"enforcement":")", enforcement,
                       R"(","groups":[{"name":"team","state":"ok","keys":[{"key":"limits.cpu","hard":"4","used":"4"},)"
                       R"({"key":"pods","hard":"4","used":"4"},{"key":"cash/limits.cpu","hard":"4","used":"1"}],)"
                       R"("overAbove":[{"group":"org","keys":["limits.cpu","cash/limits.cpu"]}]}]})"));
  };
  EXPECT_THAT(tree("placement"),
              testing::ContainsRegex("limits.cpu +4 .*NO NEW PODS: bizrq/org above it is over its budget\n"));
  EXPECT_THAT(tree("placement"), Not(testing::ContainsRegex("pods +4 [^\n]*NO NEW PODS")));
  EXPECT_THAT(tree("admission"), testing::ContainsRegex("cash/limits.cpu +4 [^\n]*NO NEW PODS"));
  EXPECT_THAT(tree("admission"), Not(testing::ContainsRegex(" limits.cpu +4 [^\n]*NO NEW PODS")));
}

TEST(QuotaReport, AChargedPodOfAGroupOverItsBudgetRunsOn) {
  constexpr std::string_view kKeys =
      R"(,"pod":"shop/web","group":"g","path":"g","node":"n","verdict":"charged","keys":[)"
      R"({"key":"cash/cpu","cost":"1500m","used":"7","hard":"7"},{"key":"cash/limits.cpu","cost":"1","used":"6","hard":"7"},)"
      R"({"key":"limits.cpu","cost":"2","used":"90","children":"80","hard":"60"},)"
      R"({"key":"pods","cost":"1","used":"7","hard":"7"}]})";
  EXPECT_THAT(
      Pod(Concat(R"({"enforcement":"placement")", kKeys)),
      HasSubstr("KEY              COST         USED  HARD  NOTE\n"
                "cash/cpu         1.5 an hour  7 h   7 h   SPENT: it runs on, new pods are refused\n"
                "cash/limits.cpu  1 an hour    6 h   7 h\n"
                "limits.cpu       2            90    60    OVER BUDGET, 80 of it handed to children: it runs on, "
                "new pods are refused\n"
                "pods             1            7     7\n"));
  EXPECT_THAT(Pod(Concat(R"({"enforcement":"admission")", kKeys)),
              AllOf(HasSubstr("SPENT: it runs on, new pods are refused\n"), HasSubstr("children: it runs on\n")));
}

TEST(QuotaReport, ARefusedPodOfAGroupOverItsBudgetDoesNotRun) {
  EXPECT_THAT(Pod(R"({"enforcement":"placement","pod":"shop/web","group":"g","path":"g","verdict":"refused",)"
                  R"("why":"quota bizrq/g: cpu used 90 of 60, requested 2","keys":[)"
                  R"({"key":"cpu","cost":"2","used":"90","children":"80","hard":"60","lacks":true}]})"),
              AllOf(HasSubstr("\ncpu  2     90    60    OVER BUDGET, 80 of it handed to children\n"),
                    Not(HasSubstr("runs on"))));
}

TEST(QuotaReport, WhatIsNoAnswerIsRefused) {
  EXPECT_FALSE(DecodeJson<admin_api::QuotaTreeDocument>("[]").ok());
  EXPECT_FALSE(DecodeJson<admin_api::QuotaTreeDocument>(R"({"groups":[{"name":7}]})").ok());
  EXPECT_FALSE(DecodeJson<admin_api::PodQuotaDocument>(R"({"keys":{}})").ok());
}

}  // namespace
}  // namespace huygens::reports
