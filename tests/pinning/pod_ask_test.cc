#include "pinning/pod_ask.h"

#include <gtest/gtest.h>

namespace huygens::pinning {
namespace {

constexpr std::string_view kTwoZones =
    R"([{"name":"node1","type":"Node","resources":{"capacity":{"cpu":"2"}}},{"name":"node0","type":"Node","resources":{"capacity":{"cpu":"4"}}}])";

TEST(PodAsk, ReadsTheResultByZone) {
  const PodAsk ask = AskOf({.uid = "u", .result = kTwoZones, .cpu_policy = "immovable", .smt = "pack"});
  EXPECT_EQ(ask.pool, Pool::kImmovable);
  EXPECT_EQ(ask.zones, (std::vector<ZoneShare>{{0, 4}, {1, 2}}));
  EXPECT_EQ(ask.smt, cluster::Smt::kPack);
  EXPECT_EQ(ask.Cpus(), 6);
  EXPECT_TRUE(ask.memory_zones.empty());
}

TEST(PodAsk, IsExclusiveUnlessThePolicySaysOtherwise) {
  EXPECT_EQ(AskOf({.uid = "u", .result = kTwoZones}).pool, Pool::kExclusive);
  EXPECT_EQ(AskOf({.uid = "u", .result = kTwoZones, .cpu_policy = "nonsense"}).pool, Pool::kExclusive);
  EXPECT_EQ(AskOf({.uid = "u", .result = kTwoZones, .cpu_policy = "numa"}).pool, Pool::kNuma);
  EXPECT_EQ(AskOf({.uid = "u", .result = kTwoZones, .cpu_policy = "none"}).pool, Pool::kShared);
}

TEST(PodAsk, TakesNoResultThatWasWrittenForAnotherPodOrNode) {
  const auto with = [](std::string_view placement) {
    return AskOf({.uid = "u", .node = "n", .result = kTwoZones, .placement = placement});
  };
  EXPECT_EQ(with(R"({"uid":"u","node":"n","zones":[]})").pool, Pool::kExclusive);
  EXPECT_NE(with(R"({"uid":"v","node":"n","zones":[]})").why.find("UID v"), std::string::npos);
  EXPECT_NE(with(R"({"uid":"u","node":"m","zones":[]})").why.find("node m"), std::string::npos);
}

TEST(PodAsk, SaysWhyNothingIsPinned) {
  EXPECT_NE(AskOf({.uid = "u"}).why.find("topology-result"), std::string::npos);
  EXPECT_NE(AskOf({.uid = "u", .result = "["}).why.find("names no CPUs"), std::string::npos);
  EXPECT_NE(
      AskOf({.uid = "u", .result = R"([{"name":"node0","type":"Node","resources":{"capacity":{"cpu":"9999999999"}}}])"})
          .why.find("more CPUs"),
      std::string::npos);
}

TEST(PodAsk, NamesTheZonesThatPromiseMemory) {
  const PodAsk ask =
      AskOf({.uid = "u",
             .result = R"([{"name":"node0","type":"Node","resources":{"capacity":{"cpu":"2","memory":"4Gi"}}},)"
                       R"({"name":"node3","type":"Node","resources":{"capacity":{"memory":"1Gi"}}}])"});
  EXPECT_EQ(ask.memory_zones, (machine::Ids{0, 3}));
  EXPECT_EQ(ask.zones.size(), 1U);
}

TEST(WholeCpus, AreThoseOfWhichRequestAndLimitAreTheSameWholeNumber) {
  EXPECT_EQ(WholeCpus(2048, 200000, 100000), 2);
  EXPECT_EQ(WholeCpus(2048, 10000, 5000), 2);
  EXPECT_EQ(WholeCpus(1024, 200000, 100000), 0);
  EXPECT_EQ(WholeCpus(1536, 150000, 100000), 0);
  EXPECT_EQ(WholeCpus(2, 0, 100000), 0);
  EXPECT_EQ(WholeCpus(2048, std::nullopt, std::nullopt), 2);
  EXPECT_EQ(WholeCpus(2048, -1, 100000), 2);
  EXPECT_EQ(WholeCpus(std::nullopt, 200000, 100000), 0);
  EXPECT_EQ(WholeCpus(262144, 30000000, 100000), 300);
}

}  // namespace
}  // namespace huygens::pinning
