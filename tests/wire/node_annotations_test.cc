#include "wire/node_annotations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/node.h"

namespace huygens::wire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

cluster::Node Decode(std::string_view annotations, ResourceNames& names) {
  auto node = DecodeNode(Concat(R"({"metadata":{"name":"n","annotations":)", annotations, "}}"), names);
  EXPECT_TRUE(node.ok()) << node.status();
  return node.ok() ? *node : cluster::Node();
}

TEST(Node, SaysWhetherItTakesPods) {
  ResourceNames names;
  const auto node = [&](std::string_view rest) {
    return *DecodeNode(Concat(R"({"metadata":{"name":"n"})", rest, "}"), names);
  };
  EXPECT_TRUE(node("").ready) << "nobody says";
  EXPECT_FALSE(node("").unschedulable);
  EXPECT_TRUE(node(R"(,"spec":{"unschedulable":true})").unschedulable);
  EXPECT_TRUE(node(R"(,"status":{"conditions":[{"type":"Ready","status":"True"}]})").ready);
  EXPECT_FALSE(node(R"(,"status":{"conditions":[{"type":"Ready","status":"Unknown"}]})").ready);
  EXPECT_TRUE(node(R"(,"status":{"conditions":[{"type":"DiskPressure","status":"False"}]})").ready);
}

TEST(NodeAnnotations, SayWhatTheMachineCanReallyGive) {
  ResourceNames names;
  const ResourceId io = *names.Intern("disk-io");
  const auto node = Decode(
      R"({"a":"b","huygens.dev/real-allocatable":"{\"cpu\":\"31500m\",\"disk-io\":20000,\"memory\":\"4Gi\",\"new\":\"1\"}"})",
      names);
  EXPECT_EQ(node.real_allocatable, ResourceVector({{kCpu, 31'500}, {kMemory, int64_t{4} << 30}, {io, 20'000}}));
  EXPECT_EQ(names.Find("new"), std::nullopt);
}

TEST(NodeAnnotations, OverrideCeilings) {
  ResourceNames names;
  const auto node = Decode(
      R"({"huygens.dev/usage-ceilings":"{\"memory\":\"95%\",\"cpu\":0.7,\"disk\":\"0\",\"cpu\":\"1.05\"}"})", names);
  EXPECT_THAT(node.usage_ceilings, ElementsAre(Pair("cpu", 1'050'000), Pair("disk", 0), Pair("memory", 950'000)));
}

TEST(NodeAnnotations, CountAsAbsentWhereTheyCannotBeRead) {
  ResourceNames names;
  for (const char* text : {"", "x", "[]", "null", R"({"cpu":"a"})", R"({"cpu":"-1"})", R"({"memory":"1","cpu":{}})"}) {
    EXPECT_FALSE(ParseRealAllocatable(text, names).ok()) << text;
  }
  for (const char* text : {"", "0.7", "[0.7]", "null", R"({"cpu":"-0.1"})", R"({"cpu":7e-1})", R"({"cpu":10.1})",
                           R"({"cpu":0.7,"memory":"much"})", R"({"cpu":null})", R"({"cpu":true})"}) {
    EXPECT_FALSE(ParseUsageCeilings(text).ok()) << text;
  }
  EXPECT_THAT(Decode("null", names).usage_ceilings, IsEmpty());
}

TEST(NodeAnnotations, ThatCannotBeReadAreNamedAndLeaveTheNodeUsable) {
  ResourceNames names;
  const auto decode = [&](std::string_view annotations, Status& fault) {
    const auto node = DecodeNode(
        Concat(R"({"metadata":{"name":"n","annotations":)", annotations, R"(},"status":{"allocatable":{"cpu":"4"}}})"),
        names, &fault);
    EXPECT_TRUE(node.ok()) << node.status();
    return *node;
  };
  Status fault;
  auto node = decode(
      R"({"huygens.dev/usage-ceilings":"{\"cpu\":\"80 %\"}","huygens.dev/real-allocatable":"{\"cpu\":\"3\"}"})", fault);
  EXPECT_EQ(
      Message(fault),
      R"(annotation huygens.dev/usage-ceilings is ignored: {"cpu":"80 %"}: cpu: expected a share from 0 to 10 such as 0.8 or "80%")");
  EXPECT_THAT(node.usage_ceilings, IsEmpty());
  EXPECT_EQ(node.real_allocatable, ResourceVector({{kCpu, 3000}}));
  EXPECT_EQ(node.allocatable, ResourceVector({{kCpu, 4000}}));
  node = decode(R"({"huygens.dev/real-allocatable":"cpu=3"})", fault);
  EXPECT_THAT(std::string(Message(fault)),
              testing::StartsWith("annotation huygens.dev/real-allocatable is ignored: cpu=3: "));
  EXPECT_TRUE(node.real_allocatable.empty());
  (void)decode(R"({"huygens.dev/real-allocatable":"{}"})", fault);
  EXPECT_TRUE(fault.ok()) << fault;
}

TEST(NodeAnnotations, WithAMisspeltKeyAreNamed) {
  ResourceNames names;
  const auto fault_of = [&](std::string_view annotations) {
    Status fault;
    const auto node =
        DecodeNode(Concat(R"({"metadata":{"name":"n","annotations":{)", annotations, "}}}"), names, &fault);
    EXPECT_TRUE(node.ok()) << node.status();
    return std::string(Message(fault));
  };
  constexpr std::string_view kMisspelt =
      "annotation huygens.dev/usage-ceiling: nobody reads it; did you mean huygens.dev/usage-ceilings?";
  EXPECT_EQ(fault_of(R"("huygens.dev/usage-ceiling":"{}")"), kMisspelt);
  EXPECT_EQ(fault_of(R"("huygens.dev/usage-ceiling":"{}","huygens.dev/real-allocatable":"{\"cpu\":3}")"), kMisspelt)
      << "another that is right does not hide it";
  EXPECT_EQ(fault_of(R"("huygens.dev/wake":"1","example.com/usage-ceiling":"{}","usage-ceiling":"{}")"), "");
}

TEST(NodeAnnotations, AreAllToldOf) {
  ResourceNames names;
  Status fault;
  const auto node = DecodeNode(R"({"metadata":{"name":"n","annotations":{"huygens.dev/usage-ceilings":"0.7",)"
                               R"("huygens.dev/usage-ceiling":"{}","huygens.dev/cpu-model":"A4",)"
                               R"("huygens.dev/real-allocatable":"{\"cpuu\":3,\"io\":\"2\"}"}},)"
                               R"("status":{"allocatable":{"io":"4"}}})",
                               names, &fault);
  ASSERT_TRUE(node.ok()) << node.status();
  EXPECT_EQ(Message(fault),
            "annotation huygens.dev/usage-ceiling: nobody reads it; did you mean huygens.dev/usage-ceilings?; "
            "annotation huygens.dev/cpu-model: nobody reads it there; it belongs among the labels; "
            "annotation huygens.dev/real-allocatable: nobody has mentioned a resource cpuu, so it is left out; "
            "annotation huygens.dev/usage-ceilings is ignored: 0.7: expected an object, found a number");
  EXPECT_EQ(node->real_allocatable, ResourceVector({{*names.Find("io"), 2}})) << "named by the same object, below";
}

TEST(NodeAnnotations, CallEphemeralStorageDiskToo) {
  ResourceNames names;
  EXPECT_EQ(*ParseRealAllocatable(R"({"disk":"1Gi"})", names), ResourceVector({{kEphemeralStorage, int64_t{1} << 30}}));
}

TEST(NodeAnnotations, OfTheWrongTypeAreTheNodesFault) {
  ResourceNames names;
  auto node =
      DecodeNode(R"({"metadata":{"name":"n","annotations":{"huygens.dev/usage-ceilings":{"cpu":0.7}}}})", names);
  EXPECT_FALSE(node.ok());  // no annotation is an object
}

}  // namespace
}  // namespace huygens::wire
