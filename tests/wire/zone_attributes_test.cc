#include "wire/zone_attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/topology.h"

namespace huygens::wire {
namespace {

using cluster::Core;
using cluster::Zone;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Status Set(std::string name, std::string text, Zone& zone) {
  zone.id = 1;
  std::string misspelt;
  return SetZoneAttributes({{std::move(name), std::move(text)}}, zone, misspelt);
}
std::string Fault(std::string name, std::string text) {
  Zone zone;
  return std::string(Message(Set(std::move(name), std::move(text), zone)));
}

TEST(ZoneAttributes, MemoryGroupNamesZones) {
  Zone zone;
  ASSERT_TRUE(Set("memoryGroup", "node-3,node-1,node-0", zone).ok());
  EXPECT_THAT(zone.memory_group, ElementsAre(0, 1, 3));
  ASSERT_TRUE(Set("memoryGroup", "node1", zone).ok());
  EXPECT_THAT(zone.memory_group, ElementsAre(1));
  ASSERT_TRUE(Set("memoryGroup", "1,1,01", zone).ok());
  EXPECT_THAT(zone.memory_group, ElementsAre(1));
}

TEST(ZoneAttributes, AMemoryGroupWithoutTheZoneItselfIsAFault) {
  EXPECT_EQ(Fault("memoryGroup", "node-0"), "memoryGroup \"node-0\": does not name the zone itself");
  EXPECT_THAT(Fault("memoryGroup", ""), HasSubstr("no number"));
  EXPECT_THAT(Fault("memoryGroup", "node-1,"), HasSubstr("no number"));
  EXPECT_THAT(Fault("memoryGroup", "node-1;node-0 and more"), HasSubstr("no number"));
}

TEST(ZoneAttributes, CoresAreListsOfCpus) {
  Zone zone;
  ASSERT_TRUE(Set("huygens.dev/cores", "5,1;0,4;2-3;64-67", zone).ok());
  EXPECT_THAT(zone.cores, ElementsAre(Core{0, 4}, Core{1, 5}, Core{2, 3}, Core{64, 65, 66, 67}));
  ASSERT_TRUE(Set("huygens.dev/cores", "", zone).ok());
  EXPECT_THAT(zone.cores, IsEmpty());
}

TEST(ZoneAttributes, UnreadableCoresAreAFault) {
  for (const char* text :
       {";", "0;", ",", "0,", "a", "0-", "-1", "3-2", "0-64", "0-99999", "65536", "+1", " 1", "0 ;1"}) {
    EXPECT_THAT(Fault("huygens.dev/cores", text), HasSubstr("huygens.dev/cores \"")) << text;
  }
  EXPECT_THAT(Fault("huygens.dev/cores", "0-63,64"), HasSubstr("range \"64\" is too wide for a core"));
  std::string many = "0-63";
  for (int i = 0; i < 1024; ++i) many += ";0-63";
  EXPECT_THAT(Fault("huygens.dev/cores", many), HasSubstr("more CPUs than there are numbers"));
  EXPECT_THAT(Fault("huygens.dev/cores", "0,4;1,4"), HasSubstr("CPU 4 is listed twice"));
  EXPECT_THAT(Fault("huygens.dev/cores", "0-2,1"), HasSubstr("CPU 1 is listed twice"));
}

TEST(ZoneAttributes, OthersAreNobodysBusiness) { EXPECT_EQ(Fault("power", "???"), ""); }

TEST(ZoneAttributes, AFaultIsADefectOfTheObjectInEitherKind) {
  ResourceNames names;
  constexpr std::string_view kCrane =
      R"({"metadata":{"name":"n"},"zones":[{"name":"node0","type":"Node","attributes":{"memoryGroup":"node1"}}]})";
  constexpr std::string_view kCommunity =
      R"({"metadata":{"name":"n"},"zones":[{"name":"node-0","type":"Node","attributes":[{"name":"huygens.dev/cores","value":"x"}]}]})";
  EXPECT_EQ(DecodeCraneTopology(kCrane, names)->defect,
            "zone node0: memoryGroup \"node1\": does not name the zone itself");
  EXPECT_EQ(DecodeCommunityTopology(kCommunity, names)->defect,
            "zone node-0: huygens.dev/cores \"x\": \"x\" is no CPU number");
}

TEST(ZoneAttributes, ThatAreMisspeltAreNamed) {
  cluster::Zone zone{.id = 0, .name = "node0"};
  std::string misspelt;
  EXPECT_TRUE(
      SetZoneAttributes({{"numa", "a"}, {"offline-capacity", "3"}, {"memory-group", "0"}}, zone, misspelt).ok());
  EXPECT_EQ(misspelt, "attribute offline-capacity: nobody reads it; did you mean offline_capacity?");
  EXPECT_EQ(zone.offline_cpu, std::nullopt);
}

}  // namespace
}  // namespace huygens::wire
