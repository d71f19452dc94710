// From the JSON of the admin pages to the text that a person reads.
#include "reports/usage_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "json/document.h"

namespace huygens::reports {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kTop =
    R"({"by":"memory","check":"stepsAside","staleShare":0.625,"nodes":2,"fits":3,"top":[)"
    R"({"name":"n1","fits":0,"unrequested":{"cpu":"4","memory":"12Gi"},"usage":{)"
    R"("cpu":{"state":"fresh","ageSeconds":12,"capacity":"32","ceiling":"25600m","now":"10","peak":"26","nowShare":0.312,"peakShare":0.812,"headroom":"-400m"},)"
    R"("memory":{"state":"stale","ageSeconds":900,"capacity":"64Gi","peak":"2Gi","peakShare":0.031,"headroom":"60773787238"}}},)"
    R"({"name":"n2","fits":3,"unrequested":{},"usage":{"cpu":{"state":"absent","peak":"0"},"memory":{"state":"absent","peak":"0"}}}]})";

// A week of hours, each with 250 milli-cores more than the hour before, from 0 at midnight.
std::string NodeJson(std::string_view ceiling) {
  std::string curve;
  for (int slot = 0; slot < 168; ++slot) curve += Concat(slot > 0 ? "," : "", std::to_string(slot % 24 * 250));
  return Concat(
      R"({"name":"n1","mode":"managed","zones":[],"usage":{"slotSeconds":3600,"resources":[{"resource":"cpu",)",
      R"("state":"fresh","ageSeconds":5,"capacity":"8",)", ceiling,
      R"("now":"2","peak":"5750m","nowShare":0.25,"peakShare":0.718,"sumOfPeaks":"7","peakOfSum":"5750m",)"
      R"("peakSlot":"Wed 23:00","system":"100m","estimates":"6","pods":[)"
      R"({"pod":"shop/web-1","workload":"shop/Deployment/web","peak":"3","measured":true},)"
      R"({"pod":"shop/new","workload":"shop/Pod/new","peak":"850m","measured":false}],"curve":[)",
      curve, "]}]}}");
}

std::string Top(std::string_view json, std::string_view size) {
  const auto top = DecodeJson<admin_api::UsageTopDocument>(json);
  EXPECT_TRUE(top.ok()) << top.status();
  return top.ok() ? UsageTopText(*top, size) : "";
}

std::string Node(const std::string& json) {
  const auto node = DecodeJson<admin_api::NodeDocument>(json);
  EXPECT_TRUE(node.ok()) << node.status();
  return node.ok() ? NodeUseText(*node, *ParseRfc3339("2026-11-21T12:30:00Z")) : "";
}

TEST(UsageReport, ANodeWhoseOwnUseIsAboveTheCeilingSaysThatNoPodFits) {
  const auto text = [](std::string_view reserved) {
    return Node(Concat(R"({"name":"n1","mode":"none","zones":[],"usage":{"slotSeconds":900,"resources":[{"resource":)",
                       R"("cpu","state":"fresh","capacity":"16","ceiling":"12800m","peak":"13","headroom":"-200m",)",
                       reserved, R"("system":"13","pods":[],"curve":[]}]}})"));
  };
  EXPECT_THAT(text(""), HasSubstr("\n  ! no pod fits: what runs beside pods used 13; find it, or raise the ceiling "));
  EXPECT_THAT(text(R"("reserved":"1",)"), Not(HasSubstr("no pod fits"))) << "allocatable leaves room for some of it";
}

TEST(UsageReport, ANodeSaysWhatIsAssumedOfItsKubeletAndFromWhere) {
  EXPECT_EQ(Node(R"({"name":"n1","mode":"kubelet","kubelet":[)"
                 R"({"name":"cpuManagerPolicy","value":"static","from":"object"},)"
                 R"({"name":"cpuManagerPolicyOptions.full-pcpus-only","value":"true","from":"label"}],)"
                 R"("zones":[],"noUsage":"nothing looks at usage"})"),
            "  ASSUMED OF KUBELET                       VALUE   FROM\n"
            "  cpuManagerPolicy                         static  topology object\n"
            "  cpuManagerPolicyOptions.full-pcpus-only  true    label\n\n"
            "nothing looks at usage\n");
}

TEST(UsageReport, TopSaysWhatEachNodeUsesAndWhatFits) {
  EXPECT_EQ(
      Top(kTop, "cpu=2"),
      "2 nodes, those with the highest weekly peak of memory first; check usage: steps aside; 62.5% of the nodes "
      "without fresh figures\n"
      "3 more pods of cpu=2 fit on all nodes together\n"
      "NODE  CPU NOW  CPU PEAK  CPU HEADROOM  MEMORY NOW  MEMORY PEAK      MEMORY HEADROOM  CPU UNREQUESTED  MEMORY "
      "UNREQUESTED  FIGURES       FITS\n"
      "n1    31.2%    81.2%     -400m         -           3.1% (requests)  56.6Gi           4                12Gi      "
      "          stale (900s)  0\n"
      "n2    -        -         -             -           -                -                -                -         "
      "          absent        3\n");
}

TEST(UsageReport, TopSaysThatTheCheckOnlyReports) {
  EXPECT_THAT(Top(R"({"by":"cpu","check":"reportsOnly","staleShare":0,"nodes":0,"top":[]})", ""),
              HasSubstr("check usage: only reports (/readyz?verbose says why); 0.0% of"));
}

TEST(UsageReport, TopWithoutNodesIsOneLine) {
  EXPECT_EQ(
      Top(R"({"by":"cpu","check":"on","staleShare":0,"nodes":0,"top":[]})", ""),
      "0 nodes, those with the highest weekly peak of cpu first; check usage: on; 0.0% of the nodes without fresh "
      "figures\n");
}

TEST(UsageReport, ANodesWeekIsDrawnAgainstItsCeiling) {
  const std::string text = Node(NodeJson(R"("ceiling":"4","headroom":"-1750m",)"));
  // 250 milli-cores an hour, of 4000 to the ceiling: two hours a step, full at 16:00, and above it from 17:00 on.
  EXPECT_THAT(text, HasSubstr("  Mon | ▁▁▂▂▃▃▄▄▅▅▆▆▇▇██!!!!!!!|\n"));
  EXPECT_THAT(text, HasSubstr("  Sun | ▁▁▂▂▃▃▄▄▅▅▆▆▇▇██!!!!!!!|\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("cpu: fresh (5s)"), HasSubstr("-1750m"), HasSubstr("Wed 23:00"),
                          HasSubstr("history of shop/Deployment/web"), HasSubstr("no history yet"),
                          EndsWith("\nA bar is the highest use of its hour: █ at the ceiling, ! above it; without a "
                                   "ceiling █ is the week's highest.\n")));
}

TEST(UsageReport, WithoutACeilingTheWeekIsDrawnAgainstItsHighestHour) {
  EXPECT_THAT(Node(NodeJson("")), AllOf(HasSubstr("█|\n"), Not(HasSubstr("!|"))));
}

TEST(UsageReport, ANodeThatIsNotMeasuredShowsNoUseOfNow) {
  std::string json = NodeJson(R"("ceiling":"4","headroom":"-1750m",)");
  json.replace(json.find("fresh"), 5, "stale");
  json.erase(json.find(R"("now":"2",)"), 10);
  json.erase(json.find(R"("nowShare":0.25,)"), 16);
  EXPECT_THAT(Node(json), HasSubstr("-1750m    -    5750m 71.8% (requests)  Wed 23:00"));
}

TEST(UsageReport, ANodeWhoseUseNobodyLooksAtSaysWhy) {
  EXPECT_EQ(Node(R"({"name":"n1","zones":[],"noUsage":"usage.resources is empty"})"), "usage.resources is empty\n");
}

TEST(UsageReport, AnotherServersAnswerIsAnErrorWithItsPlace) {
  const auto top = DecodeJson<admin_api::UsageTopDocument>(R"({"top":[{"usage":{"cpu":{"nowShare":"much"}}}]})");
  EXPECT_THAT(std::string(top.status().message()), HasSubstr("top[0].usage.cpu.nowShare"));
}

}  // namespace
}  // namespace huygens::reports
