// Pages with every member changed in every way, as a server of another version or make might send them: what is read is
// printed, what is not is an error that names its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/document.h"
#include "reports/explain_report.h"
#include "reports/node_report.h"
#include "reports/quota_report.h"
#include "reports/usage_report.h"
#include "tests/json/mutation.h"

namespace huygens::reports {
namespace {

const Time kNow = *ParseRfc3339("2026-11-21T12:30:00Z");

template <typename Document, typename Print>
void ExpectReadOrRefused(std::string_view page, Print print) {
  ASSERT_TRUE(DecodeJson<Document>(page).ok());
  size_t printed = 0, refused = 0;
  Mutator(page).ForEach([&](Mutation, const std::string& json) {
    const auto document = DecodeJson<Document>(json);
    if (document.ok()) {
      EXPECT_FALSE(print(*document).empty()) << json;
      ++printed;
    } else {
      EXPECT_THAT(std::string(Message(document.status())), testing::ContainsRegex("^[a-zA-Z]+[^:]*: ")) << json;
      ++refused;
    }
  });
  EXPECT_GT(printed, 10u);
  EXPECT_GT(refused, 10u);
}

TEST(HostilePages, OfUsage) {
  ExpectReadOrRefused<admin_api::UsageTopDocument>(
      R"({"by":"cpu","check":"on","staleShare":0.5,"nodes":2,"fits":3,"top":[{"name":"n1","fits":0,)"
      R"("unrequested":{"cpu":"4"},"usage":{"cpu":{"state":"fresh","ageSeconds":12,"capacity":"32","ceiling":"25600m",)"
      R"("now":"10","peak":"26","measuredPeak":"25","nowShare":0.312,"peakShare":0.812,"headroom":"-400m"},"memory":{}}}]})",
      [](const auto& top) { return UsageTopText(top, "cpu=2"); });
}

TEST(HostilePages, OfANode) {
  ExpectReadOrRefused<admin_api::NodeDocument>(
      R"({"name":"n1","known":true,"mode":"kubelet","allocatable":{"cpu":"8"},"requested":{},"singleNuma":true,)"
      R"("lostTopology":true,"lossLeftSeconds":412,"lossGraceSeconds":600,"defect":"x","notices":["y"],"kubelet":[)"
      R"({"name":"cpuManagerPolicy","value":"static","from":"object"}],"zones":[{"name":"node0","zone":0,"absent":true,)"
      R"("stale":true,"offlineCpu":"7","allocatable":{"cpu":"8"},"available":{"cpu":"8"},"effective":{"cpu":"7"},)"
      R"("used":{"cpu":"4"},"free":{"cpu":"3"},"cores":4,"wholeCores":1}],"pods":[{"pod":"default/a","uid":"u",)"
      R"("reservation":"held","counted":"predicted","zones":[{"name":"node0","zone":0,"amount":{"cpu":"4"}}]}],)"
      R"("usage":{"slotSeconds":900,"resources":[{"resource":"cpu","state":"fresh","ageSeconds":5,"capacity":"8",)"
      R"("ceiling":"4","now":"2","peak":"3","nowShare":0.25,"peakShare":0.7,"headroom":"1","sumOfPeaks":"7",)"
      R"("peakOfSum":"5","peakSlot":"Wed 23:00","system":"100m","reserved":"1","estimates":"6","pods":[)"
      R"({"pod":"a","workload":"w","peak":"3","measured":true}],"curve":[1,2]}]},"noUsage":"z"})",
      [](const auto& node) { return Concat(NodeZonesText(node, kNow), NodeUseText(node, kNow)); });
}

TEST(HostilePages, OfBudgets) {
  ExpectReadOrRefused<admin_api::QuotaTreeDocument>(
      R"({"enforcement":"placement","groups":[{"name":"a","parent":"b","path":"b/a","state":"frozen","why":"x",)"
      R"("children":["c"],"keys":[{"key":"cpu","hard":"4","unknown":true,"unlimited":true,"used":"6","self":"5",)"
      R"("children":"1","remaining":"-2","share":1.5}],"overAbove":[{"group":"b","keys":["cpu"]}]}]})",
      [](const auto& tree) { return QuotaTreeText(tree, ""); });
}

constexpr std::string_view kPodQuota =
    R"({"pod":"shop/web","enforcement":"placement","group":"g","path":"g","models":{"cpu":"A4"},"modelNodes":0,)"
    R"("otherModels":"x","node":"n","nodeModels":{"cpu":"A5"},"relabelled":true,"since":"2026-11-21T12:00:00Z",)"
    R"("verdict":"refused","why":"y","nearestGroup":"h","refusedByModel":"z","keys":[{"key":"cash/cpu","cost":"2",)"
    R"("used":"4","children":"1","hard":"4","lacks":true,"ofNode":true}],"usedBy":[{"group":"g","key":"cash/cpu",)"
    R"("pods":[{"name":"shop/a","amount":"3"}],"morePods":7,"children":[],"moreChildren":1}]})";

TEST(HostilePages, OfWhatAPodCosts) {
  ExpectReadOrRefused<admin_api::PodQuotaDocument>(kPodQuota, [](const auto& pod) { return PodQuotaText(pod, kNow); });
}

TEST(HostilePages, OfDecisionsOnAPod) {
  constexpr std::string_view kDecisions =
      R"({"decisions":[{"time":"2026-11-21T12:00:02.000000Z","verb":"prioritize","pod":"default/p","uid":"u",)"
      R"("revision":7,"outcome":"ok","maxScore":10,"terms":[{"name":"FewestZones","weight":3}],"nodes":[{"name":"n1",)"
      R"("score":5,"terms":[0.5]},{"name":"n2","score":0,"terms":[null]}]},{"time":"2026-11-21T12:00:01.000000Z",)"
      R"("verb":"filter","pod":"default/p","uid":"u","revision":7,"outcome":"ok","error":"x","quota":"y","checks":["a"],)"
      R"("narrowed":true,"nodes":[{"name":"n1","wouldRefuse":{"usage":"z"},"kept":true},{"name":"n2","reason":"r"}]},)"
      R"({"time":"2026-11-21T12:00:00.000000Z","verb":"bind","pod":"default/p","uid":"u","revision":6,"outcome":"bound",)"
      R"("node":"n1","zones":[{"name":"node0","cpuMilli":2500,"memory":1}],"facts":{"victims":{"n1":["v"]}},)"
      R"("wouldRefuse":{"usage":"z"}}]})";
  ExpectReadOrRefused<admin_api::DecisionListDocument>(
      kDecisions, [](const auto& said) { return said.decisions.empty() ? "none" : ExplainText(said.decisions, kNow); });
  const auto decisions = DecodeJson<admin_api::DecisionListDocument>(kDecisions)->decisions;
  const auto quota = DecodeJson<admin_api::PodQuotaDocument>(kPodQuota).value();
  ExpectReadOrRefused<admin_api::PodDocument>(
      R"({"pod":"default/p","uid":"u","node":"n1","reservation":"held","since":"2026-11-21T12:00:00Z","noZones":"x",)"
      R"("gang":"g","notUnderstood":["y"],"nodes":[{"name":"n2","reason":"r","cause":"c","why":"z",)"
      R"("figures":{"needs":{"cpu":"9"},"oneZone":true,"container":"app","zone":"node0","free":{"cpu":"8"},)"
      R"("of":{"cpu":"8"}},"lossLeftSeconds":5,"lossGraceSeconds":6,"neverFits":true}]})",
      [&](const auto& pod) { return ExplainText(decisions, kNow, &pod, &quota); });
}

}  // namespace
}  // namespace huygens::reports
