#include "device_plugins/preferred_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace huygens::device_plugins {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Device> Devices(std::initializer_list<std::pair<const char*, std::optional<int>>> list) {
  std::vector<Device> devices;
  for (const auto& [id, zone] : list) devices.push_back({.id = id, .healthy = true, .zone = zone});
  return devices;
}

TEST(NaturalOrder, ComparesNumbersByValue) {
  EXPECT_TRUE(InNaturalOrder("dev2", "dev10"));
  EXPECT_FALSE(InNaturalOrder("dev10", "dev2"));
  EXPECT_TRUE(InNaturalOrder("0000:3b:00.1", "0000:3b:00.10"));
  EXPECT_TRUE(InNaturalOrder("a", "b"));
  EXPECT_TRUE(InNaturalOrder("a", "a1"));
  EXPECT_FALSE(InNaturalOrder("a", "a"));
  EXPECT_NE(InNaturalOrder("a01", "a1"), InNaturalOrder("a1", "a01"));
}

TEST(PreferredDevices, FollowsTheZonesThatHuygensChose) {
  const auto devices = Devices({{"a", 0}, {"b", 0}, {"c", 1}, {"d", 1}});
  EXPECT_THAT(PreferredDevices(devices, {}, 2, std::vector{1}), ElementsAre("c", "d"));
  EXPECT_THAT(PreferredDevices(devices, {}, 3, std::vector{1}), ElementsAre("c", "d", "a"));
  EXPECT_THAT(PreferredDevices(devices, {}, 1, std::vector{7}), ElementsAre("a"));
}

TEST(PreferredDevices, TakesFewestZonesThenTheLowest) {
  const auto devices = Devices({{"d9", 0}, {"d1", 1}, {"d10", 1}, {"d2", 1}, {"x", 2}, {"y", 2}, {"z", 2}});
  EXPECT_THAT(PreferredDevices(devices, {}, 1, {}), ElementsAre("d9"));
  EXPECT_THAT(PreferredDevices(devices, {}, 2, {}), ElementsAre("d1", "d2"));
  EXPECT_THAT(PreferredDevices(devices, {}, 4, {}), ElementsAre("d1", "d2", "d10", "d9"));
  const std::vector<std::string> must = {"y"};
  EXPECT_THAT(PreferredDevices(devices, must, 2, {}), ElementsAre("y", "x"));
  EXPECT_THAT(PreferredDevices(devices, must, 1, {}), ElementsAre("y"));
  EXPECT_THAT(PreferredDevices(devices, must, 0, {}), ElementsAre("y"));
}

TEST(PreferredDevices, TakesThoseWithoutAZoneLast) {
  const auto devices = Devices({{"a", std::nullopt}, {"b", std::nullopt}, {"c", 3}});
  EXPECT_THAT(PreferredDevices(devices, {}, 2, {}), ElementsAre("c", "a"));
  EXPECT_THAT(PreferredDevices(devices, {}, 9, {}), ElementsAre("c", "a", "b"));
  EXPECT_THAT(PreferredDevices({}, {}, 2, {}), IsEmpty());
}

// Against the definition: all subsets of zones.
RC_GTEST_PROP(PreferredDevices, TouchesAsFewZonesAsThereCanBe, ()) {
  std::vector<Device> devices;
  const int count = *rc::gen::inRange(0, 14);
  for (int i = 0; i < count; ++i) devices.push_back({std::to_string(i), true, *rc::gen::inRange(0, 5)});
  const auto size = *rc::gen::inRange<size_t>(0, devices.size() + 1);
  const std::vector<std::string> got = PreferredDevices(devices, {}, size, {});
  RC_ASSERT(got.size() == size);
  RC_ASSERT(std::set(got.begin(), got.end()).size() == size);
  std::set<int> touched;
  for (const std::string& id : got) touched.insert(*std::ranges::find(devices, id, &Device::id)->zone);
  size_t fewest = 5;
  for (unsigned zones = 0; zones < 32; ++zones) {
    const auto has = std::ranges::count_if(devices, [&](const Device& d) { return (zones >> *d.zone & 1U) != 0; });
    if (static_cast<size_t>(has) >= size) fewest = std::min<size_t>(fewest, static_cast<size_t>(std::popcount(zones)));
  }
  RC_ASSERT(touched.size() == fewest);
}

TEST(ZonesOfAsking, GoesByThePodThatKubeletSawLast) {
  const std::vector<WaitingPod> pods = {{.zones = {0}, .counts = {2}, .seen = "2026-01-01T00:00:01.5Z"},
                                        {.zones = {1}, .counts = {1, 2}, .seen = "2026-01-01T00:00:02.5Z"},
                                        {.zones = {2}, .counts = {3}, .seen = "2026-01-01T00:00:03.5Z"}};
  EXPECT_THAT(ZonesOfAsking(pods, 2), ElementsAre(1));
  EXPECT_THAT(ZonesOfAsking(pods, 3), ElementsAre(2));
  EXPECT_THAT(ZonesOfAsking(pods, 4), IsEmpty());
}

TEST(ZonesOfAsking, IsSilentWhereItCannotTell) {
  EXPECT_THAT(ZonesOfAsking(std::vector<WaitingPod>{{{0}, {2}, "t"}, {{1}, {2}, "t"}}, 2), IsEmpty());
  EXPECT_THAT(ZonesOfAsking(std::vector<WaitingPod>{{{1}, {2}, "t"}, {{1}, {2}, "t"}}, 2), ElementsAre(1));
  EXPECT_THAT(ZonesOfAsking(std::vector<WaitingPod>{{{0}, {2}, "t"}, {{1}, {2}, "t"}, {{3}, {2}, "u"}}, 2),
              ElementsAre(3));
}

}  // namespace
}  // namespace huygens::device_plugins
