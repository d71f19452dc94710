#include "rescheduler/settled_moves.h"

#include <gtest/gtest.h>

#include "tests/base/clock.h"

namespace huygens::rescheduler {
namespace {

using migration_api::Phase;
using std::chrono::hours;
using test::kNow;

migration_api::PodMigration Ended(const std::string& uid, Phase phase, Time finished,
                                  const std::string& replacement = "") {
  migration_api::PodMigration move;
  move.name = migration_api::NameFor(uid);
  move.spec.pod = {"pod-" + uid, uid};
  move.spec.owner.uid = "o";
  move.spec.source = "a";
  move.status.phase = phase;
  move.status.finished_at = finished;
  move.status.evicted_at = finished;
  if (phase != Phase::kSucceeded) move.status.next_try = finished + hours(1);
  if (!replacement.empty())
    move.status.replacement = migration_api::Replacement{"pod-" + replacement, replacement, "b"};
  return move;
}

TEST(SettledMoves, APodThatWasNotMovedWaitsForItsNextTry) {
  SettledMoves settled;
  EXPECT_FALSE(settled.NextTry("v", "o"));
  settled.Add(Ended("v", Phase::kAbandoned, kNow));
  EXPECT_EQ(settled.NextTry("v", "o"), kNow + hours(1));
  EXPECT_EQ(settled.AttemptsBefore("v", "o"), 1);
  EXPECT_FALSE(settled.NextTry("w", "o")) << "another replica";
}

TEST(SettledMoves, SoDoesTheOneInThePlaceOfAPodWhoseMoveFailed) {
  SettledMoves settled;
  settled.Add(Ended("v", Phase::kFailed, kNow, "r"));
  EXPECT_EQ(settled.NextTry("r", "o"), kNow + hours(1));
  EXPECT_FALSE(settled.NextTry("r", "p"));
  settled.Add(Ended("u", Phase::kSucceeded, kNow, "s"));
  EXPECT_FALSE(settled.NextTry("s", "o"));
}

TEST(SettledMoves, KnowsWhichNodeAWorkloadLeft) {
  SettledMoves settled;
  settled.Add(Ended("v", Phase::kSucceeded, kNow));
  EXPECT_TRUE(settled.LeftSince("o", "a", kNow - hours(1)));
  EXPECT_FALSE(settled.LeftSince("o", "a", kNow + hours(1)));
  EXPECT_FALSE(settled.LeftSince("o", "b", kNow - hours(1)));
  EXPECT_FALSE(settled.LeftSince("p", "a", kNow - hours(1)));
}

TEST(SettledMoves, AreKeptAWeekAndAThousandAtMost) {
  SettledMoves settled;
  for (int i = 0; i < 1100; ++i)
    settled.Add(Ended("v" + std::to_string(i), Phase::kSucceeded, kNow + std::chrono::seconds(i)));
  const auto old = settled.TakeOld(kNow + hours(1));
  ASSERT_EQ(old.size(), 100u);
  EXPECT_EQ(old.front().spec.pod.uid, "v0") << "the oldest first";
  EXPECT_EQ(settled.size(), 1000u);
  EXPECT_EQ(settled.TakeOld(kNow + hours(7 * 24) + std::chrono::seconds(200)).size(), 100u);
}

}  // namespace
}  // namespace huygens::rescheduler
