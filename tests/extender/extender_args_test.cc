#include "extender/extender_args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/wire/samples.h"

namespace huygens::extender {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

bool Within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

ExtenderArgs Decode(std::string_view body) {
  auto args = DecodeExtenderArgs(body);
  EXPECT_TRUE(args.ok()) << args.status() << " in " << body.substr(0, 200);
  return args.ok() ? *std::move(args) : ExtenderArgs();
}

std::string Error(std::string_view body) {
  auto args = DecodeExtenderArgs(body);
  return args.ok() ? "no error" : std::string(Message(args.status()));
}

TEST(ExtenderArgs, NamesAreViewsIntoTheBody) {
  ExtenderArgs args = Decode(wire::samples::kFilterNames);
  EXPECT_TRUE(args.pod.starts_with(R"({"metadata":{"name":"web-0")"));
  EXPECT_TRUE(args.pod.ends_with(R"("status":{}})"));
  EXPECT_TRUE(Within(args.pod, wire::samples::kFilterNames));
  EXPECT_FALSE(args.nodes.has_value());
  ASSERT_TRUE(args.node_names.has_value());
  EXPECT_THAT(*args.node_names, ElementsAre("worker-0", "worker-1", "worker-0"));
  EXPECT_TRUE(Within(args.node_names->front(), wire::samples::kFilterNames));
}

// A body that begins with a space is not what kube-scheduler sends letter by letter, and means the same.
void ExpectTheSameWithASpace(const std::string& body) {
  const std::string spaced = Concat(" ", body);
  const auto quick = DecodeExtenderArgs(body);
  const auto slow = DecodeExtenderArgs(spaced);
  ASSERT_EQ(quick.ok(), slow.ok()) << body << " " << quick.status() << " " << slow.status();
  if (!quick.ok()) return;
  EXPECT_EQ(quick->pod, slow->pod) << body;
  EXPECT_EQ(quick->node_names, slow->node_names) << body;
  EXPECT_EQ(quick->node_names_json, slow->node_names_json) << body;
  EXPECT_EQ(quick->nodes.has_value(), slow->nodes.has_value()) << body;
}

TEST(ExtenderArgs, WhatIsSentIsReadAsAnyOtherBody) {
  for (std::string_view names : {R"([])", R"(["a"])", R"(["worker-0","worker-1-of-many-letters","c",""])"}) {
    const std::string body = Concat(R"({"Pod":{"a":["}",1]},"Nodes":null,"NodeNames":)", names, "}");
    EXPECT_EQ(Decode(body).node_names_json, names);
    ExpectTheSameWithASpace(body);
    for (size_t at = 0; at < body.size(); ++at) {  // each byte lost, doubled, or another one
      ExpectTheSameWithASpace(Concat(body.substr(0, at), body.substr(at + 1)));
      ExpectTheSameWithASpace(Concat(body.substr(0, at), body.substr(at, 1), body.substr(at)));
      ExpectTheSameWithASpace(body.substr(0, at));
      for (char other : std::string_view("\"\\[]{},: n0a\n\x1f\x7f\x80\xe9\0", 19)) {
        std::string changed = body;
        changed[at] = other;
        ExpectTheSameWithASpace(changed);
      }
    }
  }
  for (size_t depth = 60; depth < 68; ++depth) {
    ExpectTheSameWithASpace(Concat(R"({"Pod":{"a":)", std::string(depth, '['), std::string(depth, ']'),
                                   R"(},"Nodes":null,"NodeNames":["a"]})"));
  }
}

TEST(ExtenderArgs, NodesAreCutOutOfTheirList) {
  ExtenderArgs args = Decode(wire::samples::kFilterNodes);
  EXPECT_FALSE(args.node_names.has_value());
  ASSERT_TRUE(args.nodes.has_value());
  EXPECT_EQ(args.nodes->head, R"({"metadata":{"resourceVersion":"9"},"items":[)");
  EXPECT_EQ(args.nodes->tail, "]}");
  ASSERT_EQ(args.nodes->items.size(), 2u);
  EXPECT_EQ(args.nodes->items[0].name, "worker-0");
  EXPECT_EQ(args.nodes->items[1].name, "worker-1");
  EXPECT_EQ(args.nodes->items[1].json,
            R"({"metadata":{"name":"worker-1"},"spec":{},"status":{"images":[{"names":["a\u003cb"],"sizeBytes":1}]}})");
}

TEST(ExtenderArgs, TellsNullAndEmptyApart) {
  ExtenderArgs args = Decode(R"({"NodeNames":[],"Nodes":{"items":[]}})");
  ASSERT_TRUE(args.node_names.has_value());
  EXPECT_THAT(*args.node_names, IsEmpty());
  ASSERT_TRUE(args.nodes.has_value());
  EXPECT_EQ(args.nodes->head, R"({"items":[)");
  EXPECT_EQ(args.pod, "");
  args = Decode(R"({"Pod":null,"NodeNames":null,"Nodes":null})");
  EXPECT_FALSE(args.node_names.has_value());
  EXPECT_FALSE(args.nodes.has_value());
  EXPECT_EQ(args.pod, "");
  args = Decode("{}");
  EXPECT_FALSE(args.node_names.has_value());
}

TEST(ExtenderArgs, ANodeListWithoutItemsCanStillBeWrittenBack) {
  for (std::string_view nodes : {"{}", R"({"items":null})", R"({"items":[{}],"items":null})"}) {
    ExtenderArgs args = Decode(Concat(R"({"Nodes":)", nodes, "}"));
    ASSERT_TRUE(args.nodes.has_value());
    EXPECT_THAT(args.nodes->items, IsEmpty());
    EXPECT_EQ(Concat(args.nodes->head, args.nodes->tail), R"({"metadata":{},"items":[]})");
  }
}

TEST(ExtenderArgs, AcceptsLowerCaseUnknownFieldsAndBothLists) {
  ExtenderArgs args = Decode(
      R"({"extra":[1,{"NodeNames":["x"]}],"pod":{"a":"}"},"nodenames":["n1"],"nodes":{"Items":[{"Metadata":{"NAME":"n2"}}]}})");
  EXPECT_EQ(args.pod, R"({"a":"}"})");
  EXPECT_THAT(*args.node_names, ElementsAre("n1"));
  EXPECT_EQ(args.nodes->items.at(0).name, "n2");
}

TEST(ExtenderArgs, OfRepeatedFieldsTheLastWins) {
  ExtenderArgs args = Decode(
      R"({"Pod":{"a":1},"NodeNames":["a","b"],"pod":{"b":2},"nodeNames":["c"],"Nodes":{"items":[{}]},"Nodes":null})");
  EXPECT_EQ(args.pod, R"({"b":2})");
  EXPECT_THAT(*args.node_names, ElementsAre("c"));
  EXPECT_FALSE(args.nodes.has_value());
}

TEST(ExtenderArgs, EscapedNamesAreUndoneAndSurviveAMove) {
  ExtenderArgs args =
      Decode(R"({"NodeNames":["a\u0062c","\"q\"","plain"],"Nodes":{"items":[{"metadata":{"name":"n\u006Fde"}}]}})");
  ExtenderArgs moved = std::move(args);
  EXPECT_THAT(*moved.node_names, ElementsAre("abc", "\"q\"", "plain"));
  EXPECT_EQ(moved.nodes->items.at(0).name, "node");
}

TEST(ExtenderArgs, NullElementsAreEmptyNames) {
  ExtenderArgs args = Decode(R"({"NodeNames":[null,"a"],"Nodes":{"items":[null,{"metadata":null},{}]}})");
  EXPECT_THAT(*args.node_names, ElementsAre("", "a"));
  ASSERT_EQ(args.nodes->items.size(), 3u);
  EXPECT_EQ(args.nodes->items[0].json, "null");
  EXPECT_EQ(args.nodes->items[1].name, "");
}

TEST(ExtenderArgs, WrongTypesAreNamed) {
  EXPECT_EQ(Error(R"({"NodeNames":["a",7]})"), "NodeNames[1]: expected a string, found a number");
  EXPECT_EQ(Error(R"({"NodeNames":"a"})"), "NodeNames: expected an array, found a string");
  EXPECT_EQ(Error(R"({"Nodes":[]})"), "Nodes: expected an object, found an array");
  EXPECT_EQ(Error(R"({"Nodes":{"items":[{"metadata":{"name":1}}]}})"),
            "Nodes.items[0].metadata.name: expected a string, found a number");
  EXPECT_EQ(Error(R"({"Nodes":{"items":["x"]}})"), "Nodes.items[0]: expected an object, found a string");
  EXPECT_EQ(Error(R"({"Pod":"x"})"), "Pod: expected an object, found a string");
  EXPECT_EQ(Error("[]"), "expected an object, found an array");
}

TEST(ExtenderArgs, SpaceAnywhere) {
  ExtenderArgs args = Decode(
      "\n{ \"Pod\" : {\"a\" : 1 } ,\t\"NodeNames\" : [ \"x\" , \"y\" ] , \"Nodes\" : { \"items\" : [ "
      "{\"metadata\":{\"name\":\"z\"} } ] } }\n");
  EXPECT_EQ(args.pod, "{\"a\" : 1 }");
  EXPECT_THAT(*args.node_names, ElementsAre("x", "y"));
  EXPECT_EQ(args.nodes->head, "{ \"items\" : [");
  EXPECT_EQ(args.nodes->tail, "] }");
}

TEST(ExtenderArgs, AHundredThousandNames) {
  std::string body = R"({"Pod":{},"NodeNames":[)";
  for (int i = 0; i < 100000; ++i) body += Concat(i == 0 ? "\"" : ",\"", "node-", std::to_string(i), "\"");
  body += "]}";
  ExtenderArgs args = Decode(body);
  ASSERT_EQ(args.node_names->size(), 100000u);
  EXPECT_EQ(args.node_names->back(), "node-99999");
}

TEST(PreemptArgs, ReadsUidsOrWholePods) {
  auto meta = DecodePreemptArgs(wire::samples::kPreemptMeta);
  ASSERT_TRUE(meta.ok()) << meta.status();
  EXPECT_EQ(meta->pod, R"({"metadata":{"name":"vip"},"spec":{},"status":{}})");
  ASSERT_EQ(meta->nodes.size(), 2u);
  EXPECT_EQ(meta->nodes[0].node, "worker-0");
  EXPECT_EQ(meta->nodes[0].pdb_violations, 1);
  ASSERT_EQ(meta->nodes[0].pods.size(), 2u);
  EXPECT_EQ(meta->nodes[0].pods[1].uid, "u2");
  EXPECT_EQ(meta->nodes[0].pods[1].pod, "");
  EXPECT_THAT(meta->nodes[1].pods, IsEmpty());

  auto full = DecodePreemptArgs(wire::samples::kPreemptFull);
  ASSERT_TRUE(full.ok()) << full.status();
  ASSERT_EQ(full->nodes.size(), 1u);
  EXPECT_EQ(full->nodes[0].pdb_violations, 2);
  EXPECT_EQ(full->nodes[0].pods.at(0).uid, "u1");
  EXPECT_EQ(full->nodes[0].pods[0].pod, R"({"metadata":{"name":"low","uid":"u1"},"spec":{},"status":{}})");
}

TEST(PreemptArgs, UidsWinOverPodsAndTheLastOfANodeOverTheFirst) {
  auto args = DecodePreemptArgs(
      R"({"nodenametovictims":{"a":{"Pods":[{"metadata":{"uid":"x"}}]}},"nodeNameToMetaVictims":{"b":{"pods":[{"uid":"1"}]},"c":null,"\u0062":{"pods":[{"Uid":"2"}]}}})");
  ASSERT_TRUE(args.ok()) << args.status();
  ASSERT_EQ(args->nodes.size(), 2u);
  EXPECT_EQ(args->nodes[0].node, "b");
  ASSERT_EQ(args->nodes[0].pods.size(), 1u);
  EXPECT_EQ(args->nodes[0].pods[0].uid, "2");
  EXPECT_EQ(args->nodes[1].node, "c");
}

TEST(PreemptArgs, NothingToPreemptIsEmpty) {
  for (std::string_view body :
       {"{}", R"({"NodeNameToVictims":null,"NodeNameToMetaVictims":null})", R"({"NodeNameToMetaVictims":{}})"}) {
    auto args = DecodePreemptArgs(body);
    ASSERT_TRUE(args.ok());
    EXPECT_THAT(args->nodes, IsEmpty());
  }
  EXPECT_EQ(Message(DecodePreemptArgs(R"({"NodeNameToMetaVictims":{"a":{"NumPDBViolations":"x"}}})").status()),
            "NodeNameToMetaVictims.a.NumPDBViolations: expected a whole number, found a string");
}

TEST(BindArgs, ReadsFourTexts) {
  auto args = DecodeBindArgs(wire::samples::kBind);
  ASSERT_TRUE(args.ok()) << args.status();
  EXPECT_EQ(args->pod_name, "web-0");
  EXPECT_EQ(args->pod_namespace, "shop");
  EXPECT_EQ(args->pod_uid, "uid-web-0");
  EXPECT_EQ(args->node, "worker-2");
  args = DecodeBindArgs(R"({"podName":"a\u0062","podUid":null})");
  ASSERT_TRUE(args.ok());
  EXPECT_EQ(args->pod_name, "ab");
  EXPECT_EQ(args->pod_uid, "");
  EXPECT_EQ(Message(DecodeBindArgs(R"({"Node":["x"]})").status()), "Node: expected a string, found an array");
}

TEST(Requests, TruncatedAnywhereTheyAreRefused) {
  for (std::string_view body : {wire::samples::kFilterNames, wire::samples::kFilterNodes, wire::samples::kPreemptMeta,
                                wire::samples::kPreemptFull, wire::samples::kBind}) {
    for (size_t length = 0; length < body.size(); ++length) {
      std::string part(body.substr(0, length));  // a copy of its own, so that a sanitizer sees a read beyond the end
      EXPECT_FALSE(DecodeExtenderArgs(part).ok());
      EXPECT_FALSE(DecodePreemptArgs(part).ok());
      EXPECT_FALSE(DecodeBindArgs(part).ok());
    }
  }
}

}  // namespace
}  // namespace huygens::extender
