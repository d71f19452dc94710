#include "usage_sources/manifest_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace huygens::usage_sources {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr Duration kSlot = 15min;
const Time kMonday = *ParseRfc3339("2026-11-16T00:00:00Z");  // a slot begins here

class ManifestSourceTest : public testing::Test {
 protected:
  ManifestSourceTest() {
    usage_.slot = kSlot;
    usage_.resources = {{.name = "cpu"}, {.name = "memory", .resource = kMemory}};
  }
  static wire::UsageHistory History(std::string_view series) {
    auto history = wire::DecodeUsageHistory(Concat(R"({"metadata":{"name":"h"},"spec":{"series":[)", series, "]}}"));
    EXPECT_TRUE(history.ok()) << history.status();
    return *history;
  }
  // What a refresh delivers: by resource and subject, amounts by slot.
  std::map<std::string, std::map<int64_t, int64_t>> Refresh(ManifestSource& source, Time now) {
    std::map<std::string, std::map<int64_t, int64_t>> all;
    auto progress = source.Refresh(now, [&](const usage::Readings& readings) {
      EXPECT_LE(readings.measured, now);
      newest_ = std::max(newest_, readings.measured);
      const std::string& resource = usage_.resources[readings.resource].name;
      for (const auto& each : readings.workloads) all[resource + " " + each.subject][readings.slot] = each.amount;
      for (const auto& each : readings.nodes) all[resource + " node " + each.subject][readings.slot] = each.amount;
    });
    EXPECT_TRUE(progress.ok());
    notices_ = progress->notices;
    return all;
  }
  int64_t SlotOf(Time time) const { return usage::SlotAt(time, usage_.slot); }

  usage::Options usage_;
  Time newest_;
  std::vector<std::string> notices_;
};

TEST_F(ManifestSourceTest, DeliversAWindowThenTheOpenSlot) {
  ManifestSource source(
      std::vector{History(R"({"workload":"s/Pod/a","resource":"cpu","weekly":[{"from":"00:00","use":"2"}]})")}, usage_);
  const auto first = Refresh(source, kMonday + 20min).at("cpu s/Pod/a");
  EXPECT_EQ(first.size(), 673u) << "the open slot a week before, too";
  EXPECT_EQ(first.rbegin()->first, SlotOf(kMonday + 20min));
  EXPECT_EQ(newest_, kMonday + 20min) << "as if it had just been measured";
  for (const auto& [slot, amount] : first) EXPECT_EQ(amount, 2000) << slot;
  EXPECT_EQ(Refresh(source, kMonday + 21min).at("cpu s/Pod/a").size(), 1u);
  EXPECT_EQ(Refresh(source, kMonday + 50min).at("cpu s/Pod/a").size(), 3u) << "what was open, passed by, is open";
}

TEST_F(ManifestSourceTest, FollowsTheWeekInUtcAndTakesTheHighestOfASlot) {
  ManifestSource source(std::vector{History(R"({"workload":"s/Pod/a","resource":"cpu","weekly":[
      {"from":"Mon 09:00","use":"6"},{"from":"Mon 10:07","use":"9"},{"from":"Mon 10:10","use":"4"},
      {"from":"Wed 00:00","use":"1"}]})")},
                        usage_);
  const auto week = Refresh(source, kMonday + 7 * 24h - 1min).at("cpu s/Pod/a");
  const auto at = [&](Duration since_monday) { return week.at(SlotOf(kMonday + since_monday)); };
  EXPECT_EQ(at(0h), 1000) << "Wednesday's goes on over the week's end";
  EXPECT_EQ(at(8h + 45min), 1000);
  EXPECT_EQ(at(9h), 6000);
  EXPECT_EQ(at(10h), 9000);
  EXPECT_EQ(at(10h + 15min), 4000);
  EXPECT_EQ(at(47h + 45min), 4000);
  EXPECT_EQ(at(48h), 1000);
}

TEST_F(ManifestSourceTest, ASlotThatBeginsInOneWeekAndEndsInTheNextSeesBoth) {
  usage_.slot = 24h * 7 / 5;  // one begins on Saturday at 19:12
  usage_.slots = 5;
  ManifestSource source(std::vector{History(R"({"workload":"s/Pod/a","resource":"cpu","weekly":[
      {"from":"Mon 00:00","use":"5"},{"from":"Mon 00:01","use":"1"}]})")},
                        usage_);
  const auto week = Refresh(source, kMonday + 24h).at("cpu s/Pod/a");
  EXPECT_EQ(week.at(SlotOf(kMonday)), 5000);
  EXPECT_EQ(week.at(SlotOf(kMonday) - 1), 1000);
}

TEST_F(ManifestSourceTest, ValuesAreMeasuredOnceAndAge) {
  const wire::UsageHistory history =
      History(R"({"node":"n1","resource":"memory","start":"2026-11-16T00:00:00Z","values":["1Gi",null,"3Gi"]})");
  ManifestSource source(std::vector{history}, usage_);
  const auto values = Refresh(source, kMonday + 2h);
  const int64_t first = SlotOf(kMonday);
  EXPECT_THAT(values.at("memory node n1"), ElementsAre(std::pair(first, 1 << 30), std::pair(first + 2, 3LL << 30)));
  EXPECT_EQ(newest_, kMonday + 45min) << "the end of the last slot";
  EXPECT_TRUE(Refresh(source, kMonday + 3h).empty());
}

TEST_F(ManifestSourceTest, SaysWhichResourceIsNotConfigured) {
  ManifestSource source(
      std::vector{History(R"({"workload":"s/Pod/a","resource":"disk","weekly":[{"from":"00:00","use":"2"}]},
                             {"workload":"s/Pod/b","resource":"disk","weekly":[{"from":"00:00","use":"2"}]})")},
      usage_);
  EXPECT_TRUE(Refresh(source, kMonday).empty());
  EXPECT_THAT(notices_, ElementsAre("UsageHistory h: usage.resources does not list disk"));
}

TEST_F(ManifestSourceTest, AClockThatJumpsCostsAWindowAtMost) {
  ManifestSource source(
      std::vector{History(R"({"workload":"s/Pod/a","resource":"cpu","weekly":[{"from":"00:00","use":"2"}]})")}, usage_);
  for (const Time now : {kMonday, kMonday + 10000h, kMonday, kMonday - 10000h}) {
    const auto slots = Refresh(source, now).at("cpu s/Pod/a");
    EXPECT_EQ(slots.size(), 673u);
    EXPECT_EQ(slots.rbegin()->first, SlotOf(now));
  }
}

}  // namespace
}  // namespace huygens::usage_sources
