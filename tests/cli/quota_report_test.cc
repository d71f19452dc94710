// From the JSON of /debug/quotas to the text that a person reads.
#include "cli/quota_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace huygens::cli {
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
    R"({"key":"cash/limits.cpu","hard":"200","used":"150","self":"50","children":"100","remaining":"50","share":0.75}]}]})";

std::string Tree(std::string_view json, std::string_view key = "") {
  const auto tree = DecodeQuotaTree(json);
  EXPECT_TRUE(tree.ok()) << tree.status();
  return tree.ok() ? QuotaTreeText(*tree, key) : "";
}

std::string Pod(std::string_view json) {
  const auto pod = DecodePodQuota(json);
  EXPECT_TRUE(pod.ok()) << pod.status();
  return pod.ok() ? PodQuotaText(*pod, *ParseRfc3339("2026-11-21T12:05:00Z")) : "";
}

TEST(QuotaReport, TheTreeShowsBudgetsAndWhoIsInTrouble) {
  EXPECT_EQ(
      Tree(kTree),
      "6 groups; enforced at placement\n"
      "GROUP          KEY              HARD   USED   OWN PODS  REMAINING  USED OF HARD      NOTE\n"
      "gone           -                -      -      -         -          -                 MISSING: only its children "
      "or pods name it\n"
      "└─ orphan      limits.cpu       0      0      0         0          ██████████ 100 %  FROZEN: its parent gone "
      "does "
      "not exist\n"
      "org            limits.cpu       100    70     0         30         ███████░░░  70 %\n"
      "│              limits.memory    400Gi  0      0         400Gi      ░░░░░░░░░░   0 %\n"
      "├─ ads         limits.cpu       20     100m   100m      19900m     █░░░░░░░░░   0 %\n"
      "└─ search      cash/limits.cpu  200 h  150 h  50 h      50 h       ███████░░░  75 %\n"
      "   └─ ranking  cash/limits.cpu  100 h  -      -         -          -                 BEING DELETED; nobody has "
      "counted it yet\n"
      "               limits.cpu       4      6      6         -2         ██████████ 150 %  OVER BUDGET\n");
}

TEST(QuotaReport, OneKeyIsOneLineAGroup) {
  EXPECT_EQ(
      Tree(kTree, "pods"),
      "6 groups; enforced at placement\n"
      "GROUP          KEY   HARD  USED  OWN PODS  REMAINING  USED OF HARD  NOTE\n"
      "gone           pods  -     -     -         -          -             MISSING: only its children or pods name "
      "it\n"
      "└─ orphan      pods  -     -     -         -          -             FROZEN: its parent gone does not exist\n"
      "org            pods  -     -     -         -          -\n"
      "├─ ads         pods  -     1     1         -          -\n"
      "└─ search      pods  -     -     -         -          -\n"
      "   └─ ranking  pods  -     -     -         -          -             BEING DELETED\n");
}

TEST(QuotaReport, CirclesAreListedOnceAndPartsOfTheTreeStandAlone) {
  const std::string text = Tree(
      R"({"enforcement":"admission","groups":[{"name":"a","parent":"b","state":"frozen","why":"circle","keys":[]},)"
      R"({"name":"b","parent":"a","state":"frozen","why":"circle","keys":[]},)"
      R"({"name":"c","parent":"c","state":"frozen","why":"circle","keys":[]},)"
      R"({"name":"part","parent":"not listed","state":"ok","keys":[]}]})");
  EXPECT_THAT(text, AllOf(HasSubstr("4 groups; enforced at admission\n"), HasSubstr("\na "), HasSubstr("\n└─ b "),
                          HasSubstr("\nc "), HasSubstr("\npart ")));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
}

TEST(QuotaReport, AKeyThatLimitsNothingIsPointedOut) {
  EXPECT_THAT(
      Tree(R"({"groups":[{"name":"a","state":"ok","keys":[{"key":"limit.cpu","hard":"4","unknown":true,"used":"0",)"
           R"("remaining":"4","share":0}]}]})"),
      HasSubstr("░   0 %  NO SUCH KEY: it limits nothing\n"));
}

TEST(QuotaReport, NothingEnforcedIsSaid) {
  EXPECT_THAT(Tree(R"({"enforcement":"off","groups":[]})"), HasSubstr("not enforced"));
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

TEST(QuotaReport, APodThatIsNotRefusedSaysWhatItIs) {
  constexpr std::string_view kPod = R"({"pod":"shop/web","group":"g","path":"g","models":{},)";
  EXPECT_THAT(
      Pod(Concat(kPod, R"("node":"n1","since":"2026-11-21T12:00:00Z","verdict":"charged",)",
                 R"("keys":[{"key":"pods","cost":"1","used":"1"}]})")),
      HasSubstr(
          "Pod shop/web of group g\nCharged, on n1, since 2026-11-21T12:00:00Z (5m ago).\n\nNot limited: pods 1.\n"));
  EXPECT_THAT(Pod(Concat(kPod, R"("node":"n1","verdict":"charged","keys":[]})")), HasSubstr("Charged, on n1.\n"));
  EXPECT_THAT(Pod(Concat(kPod, R"("verdict":"fits","keys":[{"key":"pods","cost":"1"}]})")), HasSubstr("It fits.\n"));
  EXPECT_THAT(Pod(Concat(kPod, R"("verdict":"ended","keys":[]})")), HasSubstr("charged no more"));
  EXPECT_THAT(Pod(Concat(kPod, R"("verdict":"off","keys":[]})")), HasSubstr("not enforced"));
  EXPECT_THAT(Pod(R"({"pod":"shop/web","group":"","verdict":"noGroup","keys":[]})"),
              AllOf(HasSubstr("belongs to no group"), Not(HasSubstr("KEY"))));
}

TEST(QuotaReport, WhatIsNoAnswerIsRefused) {
  EXPECT_FALSE(DecodeQuotaTree("[]").ok());
  EXPECT_FALSE(DecodeQuotaTree(R"({"groups":[{"name":7}]})").ok());
  EXPECT_FALSE(DecodePodQuota(R"({"keys":{}})").ok());
}

}  // namespace
}  // namespace huygens::cli
