#include "rescheduler/diary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/document.h"
#include "rescheduler/moves_object.h"

namespace huygens::rescheduler {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

const Time kNoon = *ParseRfc3339("2026-03-02T12:00:00Z");

rescheduling::Migration Moved(Time at) {
  rescheduling::Migration migration;
  migration.uid = "m";
  migration.move.workload = "shop/Deployment/cart";
  migration.created = at;
  migration.evicted = at;
  migration.bound = at + seconds(1);
  migration.finished = at + seconds(3);
  migration.outcome = rescheduling::Outcome::kSucceeded;
  migration.landed = rescheduling::Landed::kTarget;
  return migration;
}

Diary::Now Counted(uint64_t selected, uint64_t refused) {
  return {
      .selected = {{"ceiling", selected}}, .refused = {{"in_flight_source", refused}}, .hot_nodes = 3, .planned = true};
}

int64_t Refused(const rescheduling::DailyReport& report) {
  return report.refused.empty() ? 0 : report.refused.front().second;
}

TEST(Diary, ADayAcrossARestartIsTheSumOfBothProcesses) {
  Diary first;
  first.Note(Counted(0, 0), kNoon);
  first.Note(Counted(5, 7), kNoon + seconds(1));
  const rescheduling::DailyReport morning = first.Count({Moved(kNoon)}, kNoon + seconds(1));
  EXPECT_EQ(morning.day, "2026-03-02");
  EXPECT_EQ(Refused(morning), 7);
  EXPECT_EQ(morning.causes.front().selected, 5);
  EXPECT_EQ(morning.causes.front().on_target, 1);
  EXPECT_EQ(morning.hot_nodes_begin, 3);
  EXPECT_FALSE(morning.hot_slots_begin) << "nobody counted them";

  Diary second;  // counts from nothing again
  second.Restore(EncodeJson(morning));
  second.Note(Counted(2, 1), kNoon + hours(1));
  const rescheduling::DailyReport evening = second.Count({Moved(kNoon)}, kNoon + hours(1));
  EXPECT_EQ(Refused(evening), 8);
  EXPECT_EQ(evening.causes.front().selected, 7);
}

TEST(Diary, TheNextDayBeginsAtNothing) {
  Diary diary;
  diary.Note(Counted(5, 7), kNoon);
  const Time next = kNoon + hours(13);
  ASSERT_TRUE(diary.DayEnds(next));
  EXPECT_FALSE(diary.DayEnds(kNoon + hours(11)));
  diary.NextDay(diary.Count({}, kNoon));
  diary.Note(Counted(6, 7), next);
  const rescheduling::DailyReport report = diary.Count({Moved(kNoon)}, next);
  EXPECT_EQ(report.day, "2026-03-03");
  EXPECT_EQ(Refused(report), 0);
  EXPECT_EQ(report.causes.front().selected, 1);
  EXPECT_EQ(report.causes.front().on_target, 0) << "of the day before";
}

TEST(Diary, ThePatchHasBothFormsAndDropsOldDays) {
  Diary diary;
  diary.Note(Counted(1, 0), kNoon);
  const std::string patch = diary.Patch(diary.Count({}, kNoon), kNoon);
  EXPECT_TRUE(JsonReader::Check(patch).ok());
  EXPECT_THAT(patch, testing::HasSubstr("\"2026-03-02.json\":\"{"));
  EXPECT_THAT(patch, testing::HasSubstr("\"2026-03-02.txt\":\""));
  EXPECT_THAT(patch, testing::HasSubstr("\"2026-02-16.json\":null"));
  EXPECT_THAT(patch, testing::Not(testing::HasSubstr("2026-02-17")));
}

}  // namespace
}  // namespace huygens::rescheduler
