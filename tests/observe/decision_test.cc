#include "observe/decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "decisions.h"
#include "observe/decision_ring.h"

namespace huygens::observe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Json(const DecisionRecord& record) {
  std::string out;
  record.AppendJson(out);
  return out;
}

TEST(DecisionRecord, AFilterShowsTheReasonOfEachNode) {
  const std::string_view nodes[] = {"n1", "n2", "n3"};
  const std::byte codes[] = {std::byte{0}, std::byte{2}, std::byte{1}};
  const std::string_view checks[] = {"topology", "usage"};
  Decision decision = SomeDecision("filter");
  decision.checks = checks;
  decision.nodes = nodes;
  decision.reasons = codes;
  EXPECT_EQ(
      Json(DecisionRecord(decision, SomeReasons())),
      R"({"time":"2026-11-21T11:36:17.000000Z","verb":"filter","pod":"default/a","uid":"u-1","revision":7,"outcome":"ok",)"
      R"("checks":["topology","usage"],"nodes":[{"name":"n1"},{"name":"n2","reason":"too full"},{"name":"n3","reason":"too small"}]})");
}

TEST(DecisionRecord, WhatWasOnlyReportedIsShownByCheck) {
  const std::string_view nodes[] = {"n1", "n2", "n3"};
  const std::byte codes[] = {std::byte{0}, std::byte{0}, std::byte{1}};
  const std::byte usage[] = {std::byte{2}, std::byte{0}, std::byte{0}};
  const std::byte quota[] = {std::byte{1}, std::byte{1}, std::byte{0}};
  const ReportedCheck reports[] = {{"usage", usage}, {"quota", quota}};
  const float score[] = {1, 1, 1};
  const TermOpinion terms[] = {{"FewestZones", 3, score}};
  Decision decision = SomeDecision("filter");
  decision.nodes = nodes;
  decision.reasons = codes;
  decision.reports = reports;
  EXPECT_THAT(Json(DecisionRecord(decision, SomeReasons())),
              HasSubstr(R"("nodes":[{"name":"n1","wouldRefuse":{"usage":"too full","quota":"too small"}},)"
                        R"({"name":"n2","wouldRefuse":{"quota":"too small"}},{"name":"n3","reason":"too small"}])"));
  decision.terms = terms;
  EXPECT_THAT(Json(DecisionRecord(decision, SomeReasons())), HasSubstr(R"("wouldRefuse":{"usage":"too full",)"));

  Decision bind = SomeDecision("bind");
  bind.node = "n1";
  const ReportedCheck one[] = {{"usage", std::span(usage).first(1)}};
  bind.reports = one;
  EXPECT_THAT(Json(DecisionRecord(bind, SomeReasons())),
              HasSubstr(R"("node":"n1","wouldRefuse":{"usage":"too full"}})"));
}

TEST(DecisionRecord, ANarrowedFilterShowsWhatWasKept) {
  const std::string_view nodes[] = {"n1", "n2", "n3"};
  const uint32_t kept[] = {2, 0, 99};
  Decision decision = SomeDecision("filter");
  decision.nodes = nodes;
  decision.narrowed = true;
  decision.kept = kept;
  EXPECT_THAT(
      Json(DecisionRecord(decision, SomeReasons())),
      HasSubstr(R"("narrowed":true,"nodes":[{"name":"n1","kept":true},{"name":"n2"},{"name":"n3","kept":true}])"));
}

TEST(DecisionRecord, APrioritizeShowsTheScoreAndEachTermsOpinion) {
  const std::string_view nodes[] = {"n1", "n2"};
  const int64_t scores[] = {10, 3};
  const float zones[] = {1.0f, 1.0f / 3};
  const float used[] = {NAN, 0.1f};
  const TermOpinion terms[] = {{"FewestZones", 3, zones}, {"LeastUsed", 0.5, used}};
  Decision decision = SomeDecision("prioritize");
  decision.nodes = nodes;
  decision.scores = scores;
  decision.max_score = 10;
  decision.terms = terms;
  EXPECT_THAT(
      Json(DecisionRecord(decision, SomeReasons())),
      HasSubstr(
          R"("maxScore":10,"terms":[{"name":"FewestZones","weight":3},{"name":"LeastUsed","weight":0.5}],)"
          R"("nodes":[{"name":"n1","score":10,"terms":[1,null]},{"name":"n2","score":3,"terms":[0.333333,0.1]}]})"));
}

TEST(DecisionRecord, ABindShowsNodeZonesAndError) {
  Decision decision = SomeDecision("bind");
  decision.outcome = "failed";
  decision.error = "409: \"conflict\"\n\xFF";
  decision.node = "n1";
  decision.zones_json = R"([{"name":"node0","cpuMilli":2000}])";
  decision.facts_json = R"({"a":1})";
  EXPECT_THAT(Json(DecisionRecord(decision, SomeReasons())),
              HasSubstr(R"("outcome":"failed","error":"409: \"conflict\"\n)"
                        "\xEF\xBF\xBD"
                        R"(","node":"n1","zones":[{"name":"node0","cpuMilli":2000}],"facts":{"a":1}})"));
}

TEST(DecisionRecord, KeepsItsOwnCopyOfEverything) {
  std::string buffer = "node-1node-2";
  std::vector<std::string_view> nodes = {std::string_view(buffer).substr(0, 6), std::string_view(buffer).substr(6)};
  Decision decision = SomeDecision("filter");
  decision.nodes = nodes;
  DecisionRecord record(decision, SomeReasons());
  buffer.assign(buffer.size(), '#');
  nodes.clear();
  EXPECT_THAT(Json(record), HasSubstr(R"("nodes":[{"name":"node-1"},{"name":"node-2"}])"));
}

TEST(DecisionRecord, NamesInARequestBodyAreTakenInOnePiece) {
  std::string body = R"(["n1","node-2","","n4"])";
  std::vector<std::string_view> nodes;
  for (auto [at, length] : {std::pair{2, 2}, {7, 6}, {16, 0}, {19, 2}}) {
    nodes.push_back(std::string_view(body).substr(static_cast<size_t>(at), static_cast<size_t>(length)));
  }
  const std::byte codes[] = {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{1}};
  Decision decision = SomeDecision("filter");
  decision.nodes = nodes;
  decision.reasons = codes;
  const std::string expected =
      R"("nodes":[{"name":"n1"},{"name":"node-2"},{"name":""},{"name":"n4","reason":"too small"}])";
  EXPECT_THAT(Json(DecisionRecord(decision, SomeReasons())), HasSubstr(expected));
  // The same names from elsewhere give the same record.
  std::vector<std::string> copies(nodes.begin(), nodes.end());
  std::vector<std::string_view> elsewhere(copies.begin(), copies.end());
  decision.nodes = elsewhere;
  EXPECT_THAT(Json(DecisionRecord(decision, SomeReasons())), HasSubstr(expected));
}

// The views into a body as a decoder gives them.
std::vector<std::string_view> NamesIn(const std::string& body) {
  std::vector<std::string_view> names;
  for (size_t at = 2; at < body.size(); at += names.back().size() + 3) {
    names.push_back(std::string_view(body).substr(at, body.find('"', at) - at));
  }
  return names;
}

TEST(DecisionRecord, CallsWithTheSameNodesShareTheirNames) {
  const std::string first_body = R"(["node-1","node-2","node-3"])";
  const std::string same_body = first_body;
  const std::string other_body = R"(["node-1","node-2","node-4"])";
  const std::string shorter_body = R"(["node-1","node-2"])";
  Decision decision = SomeDecision("filter");
  auto record = [&](const std::string& body, const DecisionRecord* last) {
    std::vector<std::string_view> names = NamesIn(body);
    decision.nodes = names;
    return std::make_unique<DecisionRecord>(decision, SomeReasons(), last);
  };
  auto first = record(first_body, nullptr);
  auto same = record(same_body, first.get());
  auto other = record(other_body, first.get());
  auto shorter = record(shorter_body, first.get());
  EXPECT_LT(same->bytes(), first->bytes());
  EXPECT_EQ(Json(*same), Json(*first));
  std::string expected = Json(*first);
  first.reset();
  EXPECT_EQ(Json(*same), expected);
  EXPECT_THAT(Json(*other), HasSubstr(R"("node-4"}])"));
  EXPECT_THAT(Json(*shorter), HasSubstr(R"("nodes":[{"name":"node-1"},{"name":"node-2"}])"));
}

TEST(DecisionRecord, ListsOfTheWrongLengthDoNoHarm) {
  const std::string_view nodes[] = {"n1", "n2"};
  const std::byte codes[] = {std::byte{200}};  // no such reason
  const int64_t scores[] = {5};
  const float said[] = {0.5f};
  const TermOpinion terms[] = {{"T", 1, said}};
  Decision decision = SomeDecision("filter");
  decision.nodes = nodes;
  decision.reasons = codes;
  decision.scores = scores;
  decision.terms = terms;
  EXPECT_THAT(
      Json(DecisionRecord(decision, SomeReasons())),
      HasSubstr(R"([{"name":"n1","reason":"reason 200","score":5,"terms":[0.5]},{"name":"n2","terms":[null]}])"));
}

TEST(DecisionRecord, TakesFewBytesPerNodeBesidesTheName) {
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back("node-" + std::to_string(10'000 + i));
  std::vector<std::string_view> nodes(names.begin(), names.end());
  std::vector<std::byte> codes(nodes.size());
  std::vector<int64_t> scores(nodes.size());
  std::vector<float> said(nodes.size());
  const TermOpinion terms[] = {{"T", 1, said}};
  Decision decision = SomeDecision("filter");
  decision.nodes = nodes;
  decision.reasons = codes;
  EXPECT_LE(DecisionRecord(decision, SomeReasons()).bytes(), nodes.size() * (10 + 3 + 3) + 2048);
  decision.reasons = {};
  decision.scores = scores;
  decision.terms = terms;
  EXPECT_LE(DecisionRecord(decision, SomeReasons()).bytes(), nodes.size() * (10 + 3 + 2 + 4 + 4) + 2048);
}

std::vector<std::string> Pods(const std::vector<std::shared_ptr<const DecisionRecord>>& records) {
  std::vector<std::string> pods;
  for (const auto& record : records) pods.emplace_back(record->pod());
  return pods;
}

TEST(DecisionRing, FindsByNameKeyAndUidNewestFirst) {
  DecisionRing ring;
  ring.Add(SomeRecord("default/a", "u-1"));
  ring.Add(SomeRecord("default/b", "u-2"));
  ring.Add(SomeRecord("other/a", "u-3"));
  ring.Add(SomeRecord("default/a", "u-4"));
  EXPECT_THAT(Pods(Find(ring, {"default/a"}, 10)), ElementsAre("default/a", "default/a"));
  EXPECT_EQ(Find(ring, {"default/a"}, 10)[0]->uid(), "u-4");
  EXPECT_THAT(Pods(Find(ring, {"a"}, 10)), ElementsAre("default/a", "other/a", "default/a"));
  EXPECT_THAT(Pods(Find(ring, {.uid = "u-2"}, 10)), ElementsAre("default/b"));
  EXPECT_THAT(Pods(Find(ring, {}, 2)), ElementsAre("default/a", "other/a"));
  EXPECT_THAT(Pods(Find(ring, {"c"}, 10)), ElementsAre());
  EXPECT_THAT(Pods(Find(ring, {"ault/a"}, 10)), ElementsAre());
  EXPECT_THAT(Pods(Find(ring, {.uid = "a"}, 10)), ElementsAre()) << "a name is no UID";
  EXPECT_THAT(Pods(Find(ring, {"u-2"}, 10)), ElementsAre()) << "a UID is no name";
  EXPECT_THAT(Pods(Find(ring, {"default/b", "u-4"}, 10)), ElementsAre());
}

TEST(DecisionRing, TheOldestGoWhenThereAreTooMany) {
  DecisionRing ring(3, size_t{1} << 20);
  for (int i = 0; i < 10; ++i) ring.Add(SomeRecord("default/p" + std::to_string(i), "u"));
  EXPECT_EQ(ring.size(), 3u);
  EXPECT_THAT(Pods(Find(ring, {}, 10)), ElementsAre("default/p9", "default/p8", "default/p7"));
}

TEST(DecisionRing, TheOldestGoWhenTheyAreTooLarge) {
  size_t one = SomeRecord("default/p0", "u")->bytes();
  DecisionRing ring(1000, 4 * one);
  for (int i = 0; i < 10; ++i) ring.Add(SomeRecord("default/p" + std::to_string(i), "u"));
  EXPECT_EQ(ring.size(), 4u);
  EXPECT_EQ(ring.bytes(), 4 * one);
  // One that is larger than all the room leaves nothing, and what comes after it is kept again.
  Decision huge = SomeDecision("bind");
  std::string error(5 * one, 'x');
  huge.error = error;
  ring.Add(std::make_shared<const DecisionRecord>(huge, SomeReasons()));
  EXPECT_EQ(ring.size(), 0u);
  EXPECT_EQ(ring.bytes(), 0u);
  ring.Add(SomeRecord("default/p", "u"));
  EXPECT_EQ(ring.size(), 1u);
}

TEST(DecisionRing, OneAfterTheOtherIsFoundWhileOldOnesMakeRoom) {
  DecisionRing ring(4, size_t{1} << 20);
  EXPECT_FALSE(ring.Before({}, DecisionRing::kNewest));
  for (int i = 0; i < 6; ++i) ring.Add(SomeRecord(i % 2 == 0 ? "default/a" : "default/b", "u-" + std::to_string(i)));
  const auto newest = ring.Before({}, DecisionRing::kNewest);
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->record->uid(), "u-5");
  const auto other = ring.Before({"a"}, newest->number);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->record->uid(), "u-4");
  const auto older = ring.Before({"a"}, other->number);
  ASSERT_TRUE(older);
  EXPECT_EQ(older->record->uid(), "u-2");
  EXPECT_FALSE(ring.Before({"a"}, older->number)) << "u-0 has made room";
  for (int i = 6; i < 9; ++i) ring.Add(SomeRecord("default/a", "u-" + std::to_string(i)));
  EXPECT_FALSE(ring.Before({}, older->number));
  EXPECT_EQ(ring.Before({}, other->number + 2)->record->uid(), "u-5");
}

TEST(DecisionRing, ReadersAndWritersDoNotMind) {
  DecisionRing ring(50, size_t{1} << 20);
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) EXPECT_LE(Find(ring, {}, 1000).size(), 50u);
  });
  for (int i = 0; i < 2000; ++i) ring.Add(SomeRecord("default/a", "u"));
  done = true;
  reader.join();
  EXPECT_EQ(ring.size(), 50u);
}

}  // namespace
}  // namespace huygens::observe
