// The records of decisions write their JSON themselves, from a packed form: here what they write is read as the
// document.
#include "admin_api/decision_document.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/admin_api/read_whole.h"
#include "tests/observe/decisions.h"

namespace huygens::admin_api {
namespace {

constexpr std::string_view kNodes[] = {"n1", "n2"};

DecisionDocument Read(const observe::Decision& decision) {
  std::string json;
  observe::DecisionRecord(decision, observe::SomeReasons()).AppendJson(json);
  ExpectReadWhole<DecisionDocument>(json);
  return DecodeJson<DecisionDocument>(json).value_or(DecisionDocument());
}

TEST(DecisionDocument, SaysWhatARecordOfFilterSays) {
  observe::Decision decision = observe::SomeDecision("filter");
  const std::string_view checks[] = {"topology", "usage"};
  const uint8_t reasons[] = {0, 2}, reported[] = {1, 0};
  const observe::ReportedCheck reports[] = {{"usage", std::as_bytes(std::span(reported))}};
  const uint32_t kept[] = {0};
  decision.quota = "quota bizrq/g: x";
  decision.checks = checks;
  decision.nodes = kNodes;
  decision.reasons = std::as_bytes(std::span(reasons));
  decision.reports = reports;
  decision.kept = kept;
  decision.narrowed = true;
  const DecisionDocument said = Read(decision);
  const DecisionDocument expected{.time = decision.time,
                                  .verb = "filter",
                                  .pod = "default/a",
                                  .uid = "u-1",
                                  .revision = 7,
                                  .outcome = "ok",
                                  .quota = "quota bizrq/g: x",
                                  .checks = {"topology", "usage"},
                                  .narrowed = true,
                                  .nodes = {{.name = "n1", .would_refuse = {{"usage", "too small"}}, .kept = true},
                                            {.name = "n2", .reason = "too full"}}};
  EXPECT_EQ(said, expected);
}

TEST(DecisionDocument, SaysWhatARecordOfPrioritizeSays) {
  observe::Decision decision = observe::SomeDecision("prioritize");
  const int64_t scores[] = {0, 8};
  const float opinions[] = {std::numeric_limits<float>::quiet_NaN(), 0.333333F};
  const observe::TermOpinion terms[] = {{"LeastUsed", 1.5, opinions}};
  decision.nodes = kNodes;
  decision.scores = scores;
  decision.max_score = 10;
  decision.terms = terms;
  const DecisionDocument said = Read(decision);
  EXPECT_EQ(said.max_score, 10);
  EXPECT_EQ(said.terms, (std::vector<DecisionDocument::Term>{{"LeastUsed", 1.5}}));
  EXPECT_EQ(said.nodes, (std::vector<DecisionDocument::Node>{{.name = "n1", .score = 0, .terms = {std::nullopt}},
                                                             {.name = "n2", .score = 8, .terms = {0.333333}}}));
}

TEST(DecisionDocument, SaysWhatARecordOfBindSays) {
  observe::Decision decision = observe::SomeDecision("bind");
  const uint8_t reported[] = {2};
  const observe::ReportedCheck reports[] = {{"usage", std::as_bytes(std::span(reported))}};
  decision.error = "x";
  decision.node = "n1";
  decision.zones_json = R"([{"name":"node0","cpuMilli":2000,"memory":1}])";
  decision.facts_json = R"({"victims":{"n1":["uid-low"]}})";
  decision.reports = reports;
  const DecisionDocument said = Read(decision);
  EXPECT_EQ(said.error, "x");
  EXPECT_EQ(said.node, "n1");
  EXPECT_EQ(said.zones, (std::vector<DecisionDocument::Zone>{{"node0", {{"cpuMilli", 2000}, {"memory", 1}}}}));
  EXPECT_EQ(said.facts, (DecisionDocument::Facts{.victims = {{"n1", {"uid-low"}}}}));
  EXPECT_EQ(said.would_refuse, (DecisionDocument::Reports{{"usage", "too full"}}));
}

}  // namespace
}  // namespace huygens::admin_api
