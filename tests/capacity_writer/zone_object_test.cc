#include "capacity_writer/zone_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capacity_writer/list_map.h"
#include "capacity_writer/zone_patches.h"

namespace huygens::capacity_writer {
namespace {

using cluster::TopologySource;
using real_capacity::ZonePlan;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr char kCraneObject[] = R"({"apiVersion":"topology.crane.io/v1alpha1","kind":"NodeResourceTopology","metadata":{
  "name":"worker","uid":"u-1","resourceVersion":"42",
  "ownerReferences":[{"kind":"Node","name":"worker","uid":"n-1"}],
  "managedFields":[
    {"manager":"huygens-agent","operation":"Apply","fieldsV1":{"f:zones":{"k:{\"name\":\"node0\"}":{".":{},"f:name":{},"f:type":{},"f:attributes":{"f:huygens.dev/cores":{}}}}}},
    {"manager":"huygens-master","operation":"Apply","fieldsV1":{"f:zones":{"k:{\"name\":\"node0\"}":{".":{},"f:name":{},"f:attributes":{"f:offline_capacity":{},"f:offline_capacity_updated":{}}}}}},
    {"manager":"huygens-master","operation":"Update","fieldsV1":{"f:zones":{"k:{\"name\":\"node1\"}":{"f:attributes":{"f:other":{}}}}}}]},
  "craneManagerPolicy":{"cpuManagerPolicy":"Static"},
  "zones":[
    {"name":"socket0","type":"Socket"},
    {"name":"node0","type":"Node","attributes":{"huygens.dev/cores":"0;1","offline_capacity":"3","offline_capacity_updated":"2026-11-21T08:00:00Z"},
     "resources":{"capacity":{"cpu":"4","memory":"8Gi"},"allocatable":{"cpu":"3500m"}}},
    {"name":"node1","type":"Node","resources":{"capacity":{"cpu":4}}}]})";

constexpr char kCommunityObject[] = R"({"metadata":{"name":"worker","uid":"u-2","resourceVersion":"7","managedFields":[
    {"manager":"huygens-master","operation":"Apply","fieldsV1":{"f:zones":{"k:{\"name\":\"node-0\"}":{"f:attributes":{"k:{\"name\":\"power_watts\"}":{".":{},"f:name":{},"f:value":{}}}}}}}]},
  "zones":[{"name":"node-0","type":"Node","attributes":[{"name":"memoryGroup","value":"node-0"},{"name":"power_watts","value":"400"}],
            "resources":[{"name":"memory","capacity":"8Gi","allocatable":"8Gi","available":"8Gi"},{"name":"cpu","capacity":"8","allocatable":"7","available":"2"}]}]})";

ZoneObject Crane() { return DecodeZoneObject(kCraneObject, TopologySource::kCrane).value(); }
ZoneObject Community() { return DecodeZoneObject(kCommunityObject, TopologySource::kCommunity).value(); }

TEST(ZoneObject, KnowsWhatEachZoneSaysAndWhatIsOurs) {
  const ZoneObject object = Crane();
  EXPECT_EQ(object.name, "worker");
  EXPECT_EQ(object.uid, "u-1");
  EXPECT_EQ(object.node_uid, "n-1");
  ASSERT_EQ(object.zones.size(), 2u) << "a socket is no zone of ours";
  EXPECT_EQ(object.zones[0].capacity, 4000);
  EXPECT_EQ(object.zones[0].allocatable, 3500);
  EXPECT_THAT(object.zones[0].ours, UnorderedElementsAre("offline_capacity", "offline_capacity_updated"));
  EXPECT_THAT(object.zones[0].attributes, testing::Contains(Pair("offline_capacity", "3")));
  EXPECT_EQ(object.zones[1].capacity, 4000);
  EXPECT_THAT(object.zones[1].ours, IsEmpty()) << "an update is none of who applies";
}

TEST(ZoneObject, ReadsTheCommunitysLists) {
  const ZoneObject object = Community();
  ASSERT_EQ(object.zones.size(), 1u);
  EXPECT_EQ(object.zones[0].capacity, 8000);
  EXPECT_EQ(object.zones[0].allocatable, 7000);
  EXPECT_THAT(object.zones[0].ours, UnorderedElementsAre("power_watts"));
  EXPECT_THAT(object.zones[0].attributes, ElementsAre(Pair("memoryGroup", "node-0"), Pair("power_watts", "400")));
}

TEST(ZoneObject, AZoneOfAnotherTypeCountsOnlyForWhatIsOursThere) {
  std::string text = kCraneObject;
  text.replace(text.find(R"("name":"node0","type":"Node")"), 28, R"("name":"node0","type":"Core")");
  const ZoneObject object = DecodeZoneObject(text, TopologySource::kCrane).value();
  ASSERT_EQ(object.zones.size(), 2u);
  EXPECT_FALSE(object.zones[0].counts);
}

TEST(ZoneObject, AZoneWithoutAmountsIsOneThatItsAgentHasGivenUp) {
  std::string text = kCraneObject;
  const size_t resources = text.find(R"("resources":{"capacity":{"cpu":"4")");
  text.replace(resources, 11, R"("otherwise")");
  const ZoneObject object = DecodeZoneObject(text, TopologySource::kCrane).value();
  ASSERT_EQ(object.zones.size(), 2u);
  EXPECT_FALSE(object.zones[0].counts);
  EXPECT_FALSE(object.zones[0].ours.empty());
}

TEST(ZoneObject, RefusesWhatCannotBeWritten) {
  const auto fault = [](std::string_view json) {
    return std::string(Message(DecodeZoneObject(json, TopologySource::kCrane).status()));
  };
  EXPECT_THAT(fault("nothing"), testing::Not(IsEmpty()));
  EXPECT_EQ(fault(R"({"metadata":{"name":"a"}})"), "an object without a name or a UID");
  EXPECT_EQ(
      fault(
          R"({"metadata":{"name":"a","uid":"u"},"zones":[{"name":"node0","type":"Node","resources":{}},{"name":"0","type":"Node","resources":{}}]})"),
      "zones node0 and 0 have the same number");
  EXPECT_THAT(fault(R"({"metadata":{"name":"a","uid":"u"},"zones":7})"), HasSubstr("zones: expected an array"));
}

TEST(ZoneObject, IsAppliedWithAllThatIsOurs) {
  const std::vector<ZonePlan> zones = {{"node0", {{"offline_capacity", "2"}, {"offline_capacity_updated", "T"}}}};
  EXPECT_EQ(
      EncodeApply(Crane(), zones),
      R"({"apiVersion":"topology.crane.io/v1alpha1","kind":"NodeResourceTopology","metadata":{"name":"worker","uid":"u-1",)"
      R"("resourceVersion":"42"},"zones":[{"name":"node0","type":"Node","attributes":{"offline_capacity":"2","offline_capacity_updated":"T"}}]})");
  const std::vector<ZonePlan> watts = {{"node-0", {{"power_watts", "410"}}}};
  EXPECT_THAT(
      EncodeApply(Community(), watts),
      HasSubstr(R"("zones":[{"name":"node-0","type":"Node","attributes":[{"name":"power_watts","value":"410"}]}])"));
  EXPECT_THAT(EncodeApply(Crane(), {}), testing::Not(HasSubstr("zones")));
}

TEST(ZoneObject, IsPatchedWithoutTouchingAnythingElse) {
  const std::vector<std::string> names = {"offline_capacity", "offline_capacity_updated"};
  const std::vector<ZonePlan> zones = {{"node0", {{"offline_capacity", "2"}}}, {"node1", {{"offline_capacity", "4"}}}};
  EXPECT_EQ(EncodeJsonPatch(Crane(), zones, names),
            R"([{"op":"replace","path":"/metadata/resourceVersion","value":"42"},)"
            R"({"op":"remove","path":"/zones/1/attributes/offline_capacity_updated"},)"
            R"({"op":"replace","path":"/zones/1/attributes/offline_capacity","value":"2"},)"
            R"({"op":"add","path":"/zones/2/attributes","value":{}},)"
            R"({"op":"add","path":"/zones/2/attributes/offline_capacity","value":"4"}])");
  const std::vector<std::string> watts = {"power_watts", "power/watts~2"};
  const std::vector<ZonePlan> more = {{"node-0", {{"power_watts", "410"}, {"power/watts~2", "1"}}}};
  EXPECT_EQ(EncodeJsonPatch(Community(), more, watts),
            R"([{"op":"replace","path":"/metadata/resourceVersion","value":"7"},)"
            R"({"op":"replace","path":"/zones/0/attributes/1/value","value":"410"},)"
            R"({"op":"add","path":"/zones/0/attributes/-","value":{"name":"power/watts~2","value":"1"}}])");
  EXPECT_EQ(
      EncodeJsonPatch(Community(), {}, watts),
      R"([{"op":"replace","path":"/metadata/resourceVersion","value":"7"},{"op":"remove","path":"/zones/0/attributes/1"}])");
  const std::vector<ZonePlan> same = {{"node-0", {{"power_watts", "400"}}}};
  EXPECT_EQ(EncodeJsonPatch(Community(), same, watts), "");
}

std::string Definition(std::string_view version, std::string_view zones) {
  return Concat(
      R"({"spec":{"versions":[{"name":"v0","schema":{"openAPIV3Schema":{"properties":{"zones":{}}}}},{"name":")",
      version, R"(","schema":{"openAPIV3Schema":{"properties":{"zones":)", zones, "}}}}]}}");
}

TEST(ListMap, IsReadOfTheDefinition) {
  constexpr char kMap[] = R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"]})";
  constexpr char kAll[] =
      R"({"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"properties":{"attributes":)"
      R"({"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"]}}}})";
  EXPECT_EQ(ZonesAreMap(Definition("v1alpha1", kMap), TopologySource::kCrane).value(), true);
  EXPECT_EQ(ZonesAreMap(Definition("v1alpha1", R"({"type":"array"})"), TopologySource::kCrane).value(), false);
  EXPECT_EQ(
      ZonesAreMap(Definition("v1alpha1", R"({"x-kubernetes-list-type":"atomic"})"), TopologySource::kCrane).value(),
      false);
  EXPECT_EQ(ZonesAreMap(Definition("v1alpha2", kMap), TopologySource::kCommunity).value(), false)
      << "attributes are none";
  EXPECT_EQ(ZonesAreMap(Definition("v1alpha2", kAll), TopologySource::kCommunity).value(), true);
  EXPECT_EQ(Message(ZonesAreMap(Definition("v1beta1", kMap), TopologySource::kCrane).status()),
            "the definition has no version v1alpha1");
  EXPECT_FALSE(ZonesAreMap("[]", TopologySource::kCrane).ok());
}

}  // namespace
}  // namespace huygens::capacity_writer
