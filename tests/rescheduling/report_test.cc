#include "rescheduling/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/document.h"

namespace huygens::rescheduling {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

const Time kMidnight = *ParseRfc3339("2026-11-28T00:00:00Z");

// Evicted a second after it began, bound after another two, Ready after another ten.
Migration Moved(const std::string& uid, Time at, Cause cause = Cause::kCeiling) {
  Migration migration{.uid = uid, .created = at};
  migration.move.pod = {"shop", "web-" + uid, "pod-" + uid};
  migration.move.workload = "shop/Deployment/web";
  migration.move.source = "a";
  migration.move.target = "b";
  migration.move.cause = cause;
  migration.evicted = at + seconds(1);
  migration.bound = at + seconds(3);
  migration.finished = at + seconds(13);
  migration.outcome = Outcome::kSucceeded;
  migration.landed = Landed::kTarget;
  return migration;
}
Migration Failed(const std::string& uid, Time at, const std::string& reason) {
  Migration migration = Moved(uid, at);
  migration.bound.reset();
  migration.landed = Landed::kNowhere;
  migration.outcome = Outcome::kFailed;
  migration.reason = reason;
  return migration;
}

const DailyReport::OfCause& Of(const DailyReport& report, Cause cause) {
  return *std::ranges::find(report.causes, Name(cause), &DailyReport::OfCause::cause);
}

TEST(DailyReport, CountsWhatBeganOnTheDayByCauseAndOutcome) {
  Migration elsewhere = Moved("3", kMidnight + hours(3));
  elsewhere.landed = Landed::kElsewhere;
  Migration given_up = Moved("4", kMidnight + hours(4));
  given_up.evicted.reset();
  given_up.bound.reset();
  given_up.outcome = Outcome::kAbandoned;
  const std::vector<Migration> all = {Moved("0", kMidnight - seconds(1)),
                                      Moved("1", kMidnight),
                                      Moved("2", kMidnight + hours(2), Cause::kEmergency),
                                      elsewhere,
                                      given_up,
                                      Failed("5", kMidnight + hours(5), "NotReady"),
                                      Moved("6", kMidnight + hours(24))};
  const DailyReport report = CountDay(all, {.selected = {{"ceiling", 9}}}, kMidnight);
  EXPECT_EQ(report.day, "2026-11-28");
  const DailyReport::OfCause& ceiling = Of(report, Cause::kCeiling);
  EXPECT_EQ(ceiling.selected, 9);
  EXPECT_EQ(ceiling.moved, 3);
  EXPECT_EQ(ceiling.on_target, 1);
  EXPECT_EQ(ceiling.elsewhere, 1);
  EXPECT_EQ(ceiling.failed, 1);
  EXPECT_EQ(ceiling.abandoned, 1);
  EXPECT_DOUBLE_EQ(*ceiling.success_rate, 2.0 / 3);
  EXPECT_EQ(ceiling.failures, (Counts{{"NotReady", 1}}));
  EXPECT_EQ(Of(report, Cause::kEmergency).on_target, 1);
  EXPECT_FALSE(Of(report, Cause::kRule).success_rate.has_value());
  EXPECT_EQ(report.evicted_to_bound.count, 3);
  EXPECT_EQ(report.evicted_to_bound.p50_seconds, 2);
  EXPECT_EQ(report.bound_to_ready.max_seconds, 10);
  EXPECT_EQ(report.most_moves_of_workload, 4);
}

TEST(DailyReport, IsTheSameWhateverTheOrderAndHoweverLateItIsCounted) {
  std::vector<Migration> all = {Moved("1", kMidnight + hours(1)), Failed("2", kMidnight + hours(2), "NoReplacement"),
                                Moved("3", kMidnight + hours(23) + minutes(59) + seconds(50))};
  const std::string evening = EncodeJson(CountDay(all, {}, kMidnight));
  EXPECT_EQ(Of(CountDay(all, {}, kMidnight), Cause::kCeiling).under_way, 1) << "the last one ended on the next day";
  std::ranges::reverse(all);
  EXPECT_EQ(EncodeJson(CountDay(all, {}, kMidnight)), evening);
}

TEST(DailyReport, NamesWhoWasNotRecoveredUnlessALaterMoveDidIt) {
  std::vector<Migration> all = {Failed("1", kMidnight + hours(1), "NotReady")};
  const DailyReport report = CountDay(all, {}, kMidnight);
  ASSERT_EQ(report.unrecovered.size(), 1u);
  EXPECT_EQ(report.unrecovered[0].pod, "shop/web-1");
  EXPECT_EQ(report.unrecovered[0].since, "2026-11-28T01:00:01Z");
  EXPECT_THAT(Text(report, nullptr), HasSubstr("shop/web-1 of shop/Deployment/web, evicted from a"));
  Migration again = Moved("1", kMidnight + hours(2));
  again.attempts = 2;
  all.push_back(again);
  EXPECT_TRUE(CountDay(all, {}, kMidnight).unrecovered.empty());
  EXPECT_EQ(Of(CountDay(all, {}, kMidnight), Cause::kCeiling).retried, 1);
}

TEST(DailyReport, CountsHowManyReplicasOfAWorkloadWereAwayAtOnce) {
  const std::vector<Migration> all = {Moved("1", kMidnight), Moved("2", kMidnight + seconds(5)),
                                      Moved("3", kMidnight + seconds(12)), Moved("4", kMidnight + hours(1))};
  EXPECT_EQ(CountDay(all, {}, kMidnight).most_away_at_once, 2) << "the first is back when the third leaves";
}

TEST(DailyReport, SaysWhatNoMigrationSaysAndTheDayBefore) {
  DayFacts facts;
  facts.begin = DayFacts::Hot{12, 340};
  facts.end = DayFacts::Hot{2, 7};
  facts.refused = {{"hour_node", 17}};
  facts.stuck = {{"no other node takes it", 2}};
  facts.breaker_open = minutes(30);
  const DailyReport report = CountDay({}, facts, kMidnight);
  const DailyReport before = CountDay({}, {}, kMidnight - hours(24));
  const std::string text = Text(report, &before);
  EXPECT_THAT(text, HasSubstr("2026-11-28"));
  EXPECT_THAT(text, HasSubstr("2026-11-27"));
  EXPECT_THAT(text, HasSubstr("17  hour_node"));
  EXPECT_THAT(text, HasSubstr("2  no other node takes it"));
  EXPECT_THAT(text, HasSubstr("1800 s"));
  const auto read = DecodeJson<DailyReport>(EncodeJson(report));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(EncodeJson(*read), EncodeJson(report));
  EXPECT_EQ(read->hot_nodes_begin, 12);
  EXPECT_EQ(read->hot_slots_end, 7);
}

}  // namespace
}  // namespace huygens::rescheduling
