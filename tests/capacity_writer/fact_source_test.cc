#include "capacity_writer/fact_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capacity_writer/fact_document.h"
#include "tests/fake/api_server.h"

namespace huygens::capacity_writer {
namespace {

using real_capacity::Answer;
using real_capacity::Fact;
using real_capacity::kWholeNode;
using testing::HasSubstr;

const Time kNow = *ParseRfc3339("2026-11-21T08:00:30Z");

std::string Texts(const std::vector<Fact>& facts) {
  std::string text;
  for (const Fact& each : facts) {
    text +=
        Concat(text.empty() ? "" : ", ", each.node, "/", std::to_string(each.zone), " ", std::to_string(each.value));
  }
  return text;
}

std::string FaultOf(std::string_view json, bool per_zone = true) {
  return std::string(Message(DecodeFactDocument(json, per_zone).status()));
}

TEST(FactDocument, IsReadWithZonesByAnyNameOfTheirs) {
  const auto document = DecodeFactDocument(
      R"({"time":"2026-11-21T08:00:00Z","items":[{"node":"a","zone":"node0","value":12.5,"more":{}},)"
      R"({"node":"a","zone":"node-1","value":3},{"node":"b","zone":2,"value":0}]})",
      true);
  ASSERT_TRUE(document.ok()) << document.status();
  EXPECT_EQ(FormatRfc3339(*document->time), "2026-11-21T08:00:00Z");
  EXPECT_EQ(Texts(document->facts), "a/0 12.500000, a/1 3.000000, b/2 0.000000");
}

TEST(FactDocument, OfWholeNodesNeedsNoZone) {
  EXPECT_EQ(Texts(DecodeFactDocument(R"({"items":[{"node":"a","value":1}]})", false)->facts), "a/-1 1.000000");
  EXPECT_EQ(Texts(DecodeFactDocument(R"({"items":[]})", false)->facts), "");
}

TEST(FactDocument, SaysWhichItemIsWrong) {
  EXPECT_EQ(FaultOf("{}"), "items is missing");
  EXPECT_EQ(FaultOf(R"({"items":[{"node":"a","zone":"node0","value":1},{"node":"a","value":1}]})"),
            "items[1]: zone is missing");
  EXPECT_EQ(FaultOf(R"({"items":[{"zone":"node0","value":1}]})"), "items[0]: node is missing");
  EXPECT_EQ(FaultOf(R"({"items":[{"node":"a","zone":"node0"}]})"), "items[0]: value is missing");
  EXPECT_EQ(FaultOf(R"({"items":[{"node":"a","zone":"first","value":1}]})"),
            "items[0].zone: \"first\" has no number of a zone at its end");
  EXPECT_THAT(FaultOf(R"({"items":[{"node":"a","zone":"node0","value":"1"}]})"), HasSubstr("expected a number"));
  EXPECT_THAT(FaultOf("[1]"), HasSubstr("expected an object"));
}

class FactSourceTest : public testing::Test {
 protected:
  // What the server answers to questions at this path, from now on.
  void Serve(const std::string& path, std::string body, int code = 200) {
    server.Inject({.path = path, .times = -1, .code = code, .body = std::move(body)});
  }
  Answer Ask(QuerySource query) {
    FactSourceOptions options;
    options.prometheus = server.Options();
    query.name = "busy";
    query.document = server.Options();
    query.path = "/facts?of=all";
    options.queries.push_back(std::move(query));
    auto source = MakeFactSource(options);
    EXPECT_TRUE(source.ok()) << source.status();
    return (*source)->Ask(kNow).front();
  }
  static std::string Vector(std::string_view series) {
    return Concat(R"({"status":"success","data":{"resultType":"vector","result":[)", series, "]}}");
  }

  fake::ApiServer server;
};

TEST_F(FactSourceTest, SeriesNameTheirNodesAndZones) {
  Serve("/api/v1/query",
        Vector(R"({"metric":{"node":"a","zone":"node0"},"value":[1,"2.5"]},)"
               R"({"metric":{"node":"a","zone":"1"},"value":[1,"NaN"]},{"metric":{"job":"x"},"value":[1,"7"]})"));
  const Answer answer = Ask({.query = "busy_cpus"});
  ASSERT_TRUE(answer.status.ok()) << answer.status;
  EXPECT_EQ(answer.at, kNow);
  ASSERT_EQ(answer.facts.size(), 2u) << "a series of no node says nothing";
  EXPECT_EQ(answer.facts[0].value, 2.5);
  EXPECT_EQ(answer.facts[1].zone, 1);
}

TEST_F(FactSourceTest, SeriesOfNodesHaveNoZone) {
  Serve("/api/v1/query", Vector(R"({"metric":{"host":"a"},"value":[1,"400"]})"));
  const Answer answer = Ask({.query = "watts", .node_label = "host", .zone_label = ""});
  ASSERT_EQ(answer.facts.size(), 1u);
  EXPECT_EQ(answer.facts[0].zone, kWholeNode);
}

TEST_F(FactSourceTest, AQueryWhoseSeriesNameNoNodeIsWrong) {
  Serve("/api/v1/query", Vector(R"({"metric":{"instance":"a:9100"},"value":[1,"400"]})"));
  EXPECT_EQ(Message(Ask({.query = "watts"}).status),
            "no series names a node and a zone: the label node is missing or empty");
}

TEST_F(FactSourceTest, WhatPrometheusWarnsOfMayBeIncomplete) {
  Serve("/api/v1/query",
        R"({"status":"success","data":{"resultType":"vector","result":[]},"warnings":["store is away"]})");
  EXPECT_THAT(Message(Ask({.query = "watts"}).status), HasSubstr("store is away"));
}

TEST_F(FactSourceTest, AnErrorOfPrometheusNamesTheSettingsOfThisSection) {
  Serve("/api/v1/query", "", 401);
  const Answer answer = Ask({.query = "watts"});
  EXPECT_THAT(Message(answer.status), HasSubstr("controller.realCapacity.prometheus"));
}

TEST_F(FactSourceTest, ADocumentHasItsOwnTime) {
  Serve("/facts", R"({"time":"2026-11-21T07:59:00Z","items":[{"node":"a","zone":"node0","value":1}]})");
  const Answer answer = Ask({});
  ASSERT_TRUE(answer.status.ok()) << answer.status;
  EXPECT_EQ(FormatRfc3339(answer.at), "2026-11-21T07:59:00Z");
  EXPECT_EQ(server.Seen("GET", "/facts?of=all"), 1);
}

TEST_F(FactSourceTest, ADocumentFromTheFutureIsNotBelieved) {
  Serve("/facts", R"({"time":"2026-11-21T08:02:00Z","items":[{"node":"a","zone":"node0","value":1}]})");
  EXPECT_THAT(Message(Ask({}).status), HasSubstr("lies ahead"));
}

TEST_F(FactSourceTest, AServerThatSaysSomethingElseSaysNothing) {
  Serve("/facts", "<html>", 200);
  EXPECT_THAT(Message(Ask({}).status), HasSubstr("not a document of facts"));
  server.ClearFaults();
  Serve("/facts", "gone", 503);
  EXPECT_THAT(Message(Ask({}).status), HasSubstr("/facts: HTTP 503"));
}

}  // namespace
}  // namespace huygens::capacity_writer
