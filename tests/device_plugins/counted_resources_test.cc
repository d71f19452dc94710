#include "device_plugins/counted_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace huygens::device_plugins {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

NodeCapacity Node(std::string_view json) {
  auto node = DecodeNodeCapacity(json);
  EXPECT_TRUE(node.ok()) << node.status();
  return *node;
}

constexpr std::string_view kPlain =
    R"({"metadata":{"uid":"u1","annotations":{"a":"b"}},"status":{"capacity":{"cpu":"2","example.com/old":"3"}}})";

TEST(CountedPatch, AddsWhatIsMissingWithTheNamesItAnswersFor) {
  const std::vector<CountedResource> wanted = {{"example.com/licence", 4}, {"a.b/c~d", 0}};
  EXPECT_EQ(
      CountedPatch(Node(kPlain), wanted, {}),
      R"([{"op":"test","path":"/metadata/uid","value":"u1"},)"
      R"({"op":"add","path":"/status/capacity/example.com~1licence","value":"4"},)"
      R"({"op":"add","path":"/status/capacity/a.b~1c~0d","value":"0"},)"
      R"({"op":"add","path":"/metadata/annotations/huygens.dev~1counted-resources","value":"a.b/c~d,example.com/licence"}])");
}

TEST(CountedPatch, IsNothingWhereTheNodeHasItAll) {
  const std::vector<CountedResource> wanted = {{"example.com/licence", 4000}};
  const NodeCapacity node =
      Node(R"({"metadata":{"uid":"u1","annotations":{"huygens.dev/counted-resources":"example.com/licence"}},
    "status":{"capacity":{"example.com/licence":"4k"}}})");
  EXPECT_EQ(CountedPatch(node, wanted, {}), "");
  EXPECT_EQ(CountedPatch(Node(kPlain), {}, {}), "");
}

TEST(CountedPatch, SetsAnewWhatKubeletSetToNothing) {
  const std::vector<CountedResource> wanted = {{"example.com/licence", 4}};
  const NodeCapacity node =
      Node(R"({"metadata":{"uid":"u1","annotations":{"huygens.dev/counted-resources":"example.com/licence"}},
    "status":{"capacity":{"example.com/licence":"0"}}})");
  EXPECT_EQ(CountedPatch(node, wanted, {}),
            R"([{"op":"test","path":"/metadata/uid","value":"u1"},)"
            R"({"op":"add","path":"/status/capacity/example.com~1licence","value":"4"}])");
}

TEST(CountedPatch, TakesBackWhatIsNoLongerConfiguredAndNothingElse) {
  const NodeCapacity node =
      Node(R"({"metadata":{"uid":"u1","annotations":{"huygens.dev/counted-resources":"example.com/a,example.com/gone"}},
    "status":{"capacity":{"example.com/a":"4","example.com/others":"4"}}})");
  EXPECT_EQ(
      CountedPatch(node, {}, {}),
      R"([{"op":"test","path":"/metadata/uid","value":"u1"},{"op":"remove","path":"/status/capacity/example.com~1a"},)"
      R"({"op":"remove","path":"/metadata/annotations/huygens.dev~1counted-resources"}])");
}

TEST(CountedPatch, LeavesAloneWhatAPlugInServes) {
  const std::vector<CountedResource> wanted = {{"example.com/gpu", 4}};
  EXPECT_EQ(CountedPatch(Node(kPlain), wanted, {"example.com/gpu"}), "");
  const NodeCapacity node =
      Node(R"({"metadata":{"uid":"u1","annotations":{"huygens.dev/counted-resources":"example.com/gpu"}},
    "status":{"capacity":{"example.com/gpu":"4"}}})");
  EXPECT_THAT(CountedPatch(node, wanted, {"example.com/gpu"}), testing::Not(HasSubstr("capacity")));
}

TEST(CountedPatch, WaitsForKubeletToTellACapacityAndMakesAnnotations) {
  const std::vector<CountedResource> wanted = {{"example.com/licence", 4}};
  EXPECT_EQ(CountedPatch(Node(R"({"metadata":{"uid":"u1"}})"), wanted, {}), "");
  EXPECT_EQ(CountedPatch(Node(R"({"metadata":{"uid":"u1"},"status":{"capacity":null}})"), wanted, {}), "");
  EXPECT_THAT(
      CountedPatch(Node(R"({"metadata":{"uid":"u1"},"status":{"capacity":{}}})"), wanted, {}),
      HasSubstr(
          R"({"op":"add","path":"/metadata/annotations","value":{"huygens.dev/counted-resources":"example.com/licence"}})"));
}

TEST(NodeCapacity, RefusesWhatIsNoNode) {
  for (const char* text : {"", "[]", "{", R"({"metadata":[]})", R"({"status":{"capacity":{"cpu":2}}})"}) {
    EXPECT_FALSE(DecodeNodeCapacity(text).ok()) << text;
  }
}

TEST(ServedByPlugins, ReadsKubeletsCheckpoint) {
  EXPECT_THAT(*ServedByPlugins(R"({"Data":{"PodDeviceEntries":null,"RegisteredDevices":{"example.com/fpga":["a"],
    "example.com/lost":[]}},"Checksum":123})"),
              ElementsAre("example.com/fpga", "example.com/lost"));
  EXPECT_THAT(*ServedByPlugins("{}"), IsEmpty());
  EXPECT_FALSE(ServedByPlugins("").ok());
  EXPECT_FALSE(ServedByPlugins(R"({"Data":7})").ok());
}

}  // namespace
}  // namespace huygens::device_plugins
