#include "extender/extender_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <limits>
#include <string>
#include <vector>

#include "tests/wire/samples.h"

namespace huygens::extender {
namespace {

boost::json::value Parse(const std::string& text) { return boost::json::parse(text); }

std::string_view Text(const boost::json::value& value) { return {value.as_string().data(), value.as_string().size()}; }

TEST(FilterAnswer, HasTheShapeOfGo) {
  std::string out = "kept ";
  std::vector<std::string_view> names = {"a", "b\"c"};
  std::vector<RejectedNode> failed = {{"d", "too full"}, {"e", "too full"}}, unresolvable = {{"f", "no \\ zone"}};
  AppendFilterNames(out, names, failed, unresolvable);
  EXPECT_EQ(
      out,
      R"(kept {"Nodes":null,"NodeNames":["a","b\"c"],"FailedNodes":{"d":"too full","e":"too full"},"FailedAndUnresolvableNodes":{"f":"no \\ zone"},"Error":""})");
}

TEST(FilterAnswer, NoFeasibleNodeIsAnEmptyListAndNotNull) {
  std::string out;
  AppendFilterNames(out, {}, {}, {});
  EXPECT_EQ(out, R"({"Nodes":null,"NodeNames":[],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})");
}

TEST(FilterAnswer, NamesCopiedFromTheRequestGiveTheSameAnswer) {
  auto args = DecodeExtenderArgs(R"({"NodeNames" : [ "a" , "worker-1" ,"" ] })");
  ASSERT_TRUE(args.ok());
  EXPECT_EQ(args->node_names_json, R"([ "a" , "worker-1" ,"" ])");
  std::vector<RejectedNode> failed = {{args->node_names->at(1), "full"}, {args->node_names->at(2), "other"}};
  std::vector<int64_t> scores = {9, 10, 100};
  std::string plain, verbatim;
  AppendFilterNames(plain, *args->node_names, failed, failed);
  AppendFilterNames(verbatim, *args->node_names, failed, failed, NameText::kVerbatim);
  AppendHostPriorities(plain, *args->node_names, scores);
  AppendHostPriorities(verbatim, *args->node_names, scores, NameText::kVerbatim);
  EXPECT_EQ(verbatim, plain);
  std::string all;
  AppendFilterAllNames(all, args->node_names_json);
  EXPECT_EQ(*DecodeExtenderArgs(all)->node_names, *args->node_names);
  for (std::string_view body :
       {R"({"NodeNames":["a\u0062"]})", R"({"NodeNames":["a",null]})", R"({"NodeNames":["a"],"NodeNames":null})"}) {
    EXPECT_EQ(DecodeExtenderArgs(body)->node_names_json, "") << body;
  }
}

RC_GTEST_PROP(FilterAnswerProperty, AnyOfTheRequestsNamesGoBackAsTheyCame, ()) {
  const auto names = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("", "a", "b", "node-1", std::string(9000, 'n')));
  std::string body = R"({"NodeNames":[)";
  for (const std::string& name : names) {
    if (body.back() != '[') body += *rc::gen::element<std::string>(",", ",", ",", " , ");
    body += Concat("\"", name, "\"");
  }
  auto args = DecodeExtenderArgs(body += "]}");
  RC_ASSERT(args.ok());
  std::vector<std::string_view> feasible;
  for (std::string_view name : *args->node_names) {
    if (*rc::gen::inRange(0, 4) > 0) feasible.push_back(name);
  }
  if (*rc::gen::inRange(0, 4) == 0) std::reverse(feasible.begin(), feasible.end());
  std::string plain, verbatim;
  AppendFilterNames(plain, feasible, {}, {});
  AppendFilterNames(verbatim, feasible, {}, {}, NameText::kVerbatim);
  RC_ASSERT(verbatim == plain);
}

TEST(FilterAnswer, ManyAndLongNamesKeepTheirOrder) {
  std::vector<std::string> names;
  for (size_t i = 0; i < 3000; ++i) names.push_back(std::string(i % 700, 'n') + std::to_string(i));
  names.push_back(std::string(20000, 'x'));
  std::vector<std::string_view> views(names.begin(), names.end());
  std::vector<RejectedNode> failed;
  for (size_t i = 0; i < views.size(); ++i) failed.push_back({views[i], i % 3 == 0 ? "one" : "other"});
  std::string out;
  AppendFilterNames(out, views, failed, {});
  EXPECT_EQ(*DecodeExtenderArgs(out)->node_names, views);
  auto answer = Parse(out);
  for (const RejectedNode& node : failed)
    EXPECT_EQ(Text(answer.at("FailedNodes").at({node.node.data(), node.node.size()})), node.reason);
}

TEST(FilterAnswer, AnErrorComesAlone) {
  std::string out;
  AppendFilterError(out, "not ready: \"pods\"\n");
  EXPECT_EQ(
      out,
      R"({"Nodes":null,"NodeNames":null,"FailedNodes":null,"FailedAndUnresolvableNodes":null,"Error":"not ready: \"pods\"\n"})");
}

TEST(FilterAnswer, NodesComeBackAsTheyCame) {
  auto args = DecodeExtenderArgs(wire::samples::kFilterNodes);
  ASSERT_TRUE(args.ok());
  std::string out;
  std::vector<uint32_t> all = {0, 1}, second = {1};
  AppendFilterNodes(out, *args->nodes, all, {}, {});
  std::string_view body = wire::samples::kFilterNodes;
  size_t begin = body.find(R"("Nodes":)") + 8;
  std::string_view nodes = body.substr(begin, body.find(R"(,"NodeNames")") - begin);
  EXPECT_EQ(out, Concat(R"({"Nodes":)", nodes,
                        R"(,"NodeNames":null,"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})"));
  out.clear();
  std::vector<RejectedNode> failed = {{"worker-0", "full"}};
  AppendFilterNodes(out, *args->nodes, second, failed, {});
  EXPECT_EQ(
      out,
      Concat(R"({"Nodes":{"metadata":{"resourceVersion":"9"},"items":[)", args->nodes->items[1].json,
             R"(]},"NodeNames":null,"FailedNodes":{"worker-0":"full"},"FailedAndUnresolvableNodes":{},"Error":""})"));
}

TEST(PrioritizeAnswer, ScoresAreWholeNumbers) {
  std::vector<int64_t> scores = {-1, std::numeric_limits<int64_t>::min(), 10000000};
  for (int64_t score = 0; score <= 1100; ++score) scores.push_back(score);
  std::vector<std::string_view> names(scores.size(), "node");
  std::string expected;
  for (int64_t score : scores) expected += Concat(R"(,{"Host":"node","Score":)", std::to_string(score), "}");
  expected.front() = '[';
  std::string out;
  AppendHostPriorities(out, names, scores);
  EXPECT_EQ(out, Concat(expected, "]"));
  out.clear();
  AppendHostPriorities(out, {}, {});
  EXPECT_EQ(out, "[]");
}

TEST(PreemptAnswer, GivesTheVictimsBackByUid) {
  for (std::string_view body : {wire::samples::kPreemptMeta, wire::samples::kPreemptFull}) {
    auto args = DecodePreemptArgs(body);
    ASSERT_TRUE(args.ok());
    std::string out;
    AppendPreemptVictims(out, args->nodes);
    auto again = DecodePreemptArgs(out);
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(again->nodes.size(), args->nodes.size());
    for (size_t i = 0; i < args->nodes.size(); ++i) {
      EXPECT_EQ(again->nodes[i].node, args->nodes[i].node);
      EXPECT_EQ(again->nodes[i].pdb_violations, args->nodes[i].pdb_violations);
      ASSERT_EQ(again->nodes[i].pods.size(), args->nodes[i].pods.size());
      for (size_t p = 0; p < args->nodes[i].pods.size(); ++p)
        EXPECT_EQ(again->nodes[i].pods[p].uid, args->nodes[i].pods[p].uid);
    }
  }
  std::string out;
  AppendPreemptVictims(out, {});
  EXPECT_EQ(out, R"({"NodeNameToMetaVictims":{}})");
}

TEST(BindAnswer, AnEmptyErrorIsSuccess) {
  std::string out;
  AppendBindResult(out, "");
  AppendBindResult(out, "zone full");
  EXPECT_EQ(out, R"({"Error":""}{"Error":"zone full"})");
}

RC_GTEST_PROP(Answers, ReadBackAsTheyWereMeant,
              (const std::vector<std::string>& names, const std::string& reason, int64_t score)) {
  // Texts of any bytes below 0x80; beyond that, validity is the caller's concern.
  auto ascii = [](std::string text) {
    for (char& c : text) c = static_cast<char>(c & 0x7f);
    return text;
  };
  std::vector<std::string> clean;
  for (size_t i = 0; i < names.size(); ++i) clean.push_back(ascii(names[i]) + std::to_string(i));
  std::vector<std::string_view> views(clean.begin(), clean.end());
  std::string why = ascii(reason);
  std::vector<RejectedNode> rejected;
  for (std::string_view name : views) rejected.push_back({name, why});
  std::string out;
  AppendFilterNames(out, views, rejected, {});
  auto filter = Parse(out);
  RC_ASSERT(filter.at("NodeNames").as_array().size() == views.size());
  for (size_t i = 0; i < views.size(); ++i) {
    RC_ASSERT(Text(filter.at("NodeNames").at(i)) == views[i]);
    RC_ASSERT(Text(filter.at("FailedNodes").at({views[i].data(), views[i].size()})) == why);
  }
  auto args = DecodeExtenderArgs(out);
  RC_ASSERT(args.ok());
  RC_ASSERT(*args->node_names == views);
  out.clear();
  AppendHostPriorities(out, views, std::vector<int64_t>(views.size(), score));
  auto hosts = Parse(out);
  for (size_t i = 0; i < views.size(); ++i) {
    RC_ASSERT(Text(hosts.at(i).at("Host")) == views[i]);
    RC_ASSERT(hosts.at(i).at("Score").as_int64() == score);
  }
}

}  // namespace
}  // namespace huygens::extender
