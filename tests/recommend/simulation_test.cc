#include "recommend/simulation.h"

#include <gtest/gtest.h>

namespace huygens::recommend {
namespace {

constexpr Time kMonday = Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 2));
constexpr Duration kDay = std::chrono::hours(24);
constexpr size_t kCpu = 0, kMemory = 1;

PoolPolicy Policy() {
  PoolPolicy policy;
  policy.expansion = {kWeekly.expansion, kWeekly.expansion};
  return policy;
}

// Every five minutes: one core, and from `busy` on for an hour 3 cores; 1 GiB.
std::vector<RecordedUse> Recorded(int days, Time busy) {
  std::vector<RecordedUse> recorded;
  for (Time time = kMonday; time < kMonday + days * kDay; time += std::chrono::minutes(5)) {
    const bool is_busy = time >= busy && time < busy + std::chrono::hours(1);
    recorded.push_back({time, {is_busy ? 3.0 : 1.0, 1 << 30}, {}});
  }
  return recorded;
}

TEST(Simulation, EachDayIsJudgedByWhatWasRecommendedFromTheDaysBeforeIt) {
  const Time busy = kMonday + 3 * kDay + std::chrono::hours(9);
  const Simulation simulation = Simulate(Recorded(5, busy), kWeekly, Policy());
  EXPECT_EQ(simulation.days, 4u);  // the first day only adds to the history
  const SimulatedResource& cpu = simulation.resources[kCpu];
  EXPECT_NEAR(cpu.recommended, 1.0162813885540904 * 1.1, 0.001);  // the end of the bucket of 1 core
  EXPECT_DOUBLE_EQ(cpu.outcome.exceeded(), 12.0 / 288 / 4);
  EXPECT_EQ(cpu.longest, std::chrono::hours(1));
  EXPECT_EQ(cpu.worst_day, kMonday + 3 * kDay);
  EXPECT_DOUBLE_EQ(cpu.worst_share, 12.0 / 288);
  EXPECT_EQ(cpu.median, 1);
  EXPECT_EQ(cpu.most, 3);
  EXPECT_EQ(cpu.requested, std::nullopt);
  EXPECT_EQ(simulation.resources[kMemory].worst_day, std::nullopt);
}

TEST(Simulation, NothingIsRecommendedAboveWhatIsRequestedNorMemoryBelowItsPeak) {
  std::vector<RecordedUse> recorded = Recorded(4, kMonday);
  recorded[10].used[kMemory] = 3.0 * (1 << 30);  // P99 does not see it
  for (RecordedUse& use : recorded) use.requested = {0.8, 8.0 * (1 << 30)};
  const Simulation simulation = Simulate(recorded, kWeekly, Policy());
  EXPECT_DOUBLE_EQ(simulation.resources[kCpu].recommended, 0.8);
  EXPECT_DOUBLE_EQ(simulation.resources[kCpu].outcome.exceeded(), 1);
  EXPECT_GE(simulation.resources[kMemory].recommended, 3.15 * (1 << 30) - 1);
  EXPECT_EQ(simulation.resources[kMemory].requested, 8.0 * (1 << 30));
}

TEST(Simulation, WithTooLittleHistoryNothingIsJudged) {
  const Simulation simulation = Simulate(Recorded(1, kMonday), kWeekly, Policy());
  EXPECT_EQ(simulation.days, 0u);
  EXPECT_EQ(simulation.resources[kCpu].outcome.series(), 0u);
  EXPECT_EQ(Simulate({}, kWeekly, Policy()).days, 0u);
}

TEST(RecordedUse, ColumnsMayComeInAnyOrderAndCellsMayBeEmpty) {
  const auto recorded = ParseRecordedUse(
      "memory,\"time\",cpu,pod,cpuRequest\r\n"
      "1e9,1772409660,0.25,a,4\r\n"
      "\n"
      ",2026-03-02T00:00:00Z,0.5,,\n");
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  ASSERT_EQ(recorded->size(), 2u);
  EXPECT_EQ((*recorded)[0].time, kMonday);
  EXPECT_EQ((*recorded)[0].used, (PerResource<std::optional<double>>{0.5, std::nullopt}));
  EXPECT_EQ((*recorded)[1].time, kMonday + std::chrono::seconds(60));
  EXPECT_EQ((*recorded)[1].used, (PerResource<std::optional<double>>{0.25, 1e9}));
  EXPECT_EQ((*recorded)[1].requested, (PerResource<std::optional<double>>{4, std::nullopt}));
}

TEST(RecordedUse, ErrorsNameTheLine) {
  const auto message = [](std::string_view csv) { return std::string(Message(ParseRecordedUse(csv).status())); };
  EXPECT_EQ(message("1772409600,0.5\n"), "line 1: the heading must have time, and cpu or memory");
  EXPECT_EQ(message("time,use\n"), "line 1: the heading must have time, and cpu or memory");
  EXPECT_EQ(message("time,cpu\n1772409600,0.5\nyesterday,1\n"), "line 3: \"yesterday\" is no time");
  EXPECT_EQ(message("time,cpu\n1772409600,NaN\n"), "line 2: cpu: \"NaN\" is no amount");
  EXPECT_EQ(message("time,cpu\n1772409600,-1\n"), "line 2: cpu: \"-1\" is no amount");
  EXPECT_EQ(message("time,cpu\n1e300,1\n"), "line 2: \"1e300\" is no time");
}

}  // namespace
}  // namespace huygens::recommend
