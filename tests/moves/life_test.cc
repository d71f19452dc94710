#include "moves/life.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace huygens::moves {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const Time kStart = *ParseRfc3339("2026-03-02T10:00:00Z");

PodMigration Reserved(std::string owner = "ReplicaSet") {
  PodMigration move;
  move.name = "move-v";
  move.spec.pod = {"web-x", "v"};
  move.spec.owner = {std::move(owner), "web", "o"};
  move.spec.source = "a";
  move.spec.target = "b";
  move.spec.grace_seconds = 30;
  move.status.since = kStart;
  return move;
}

PodMigration In(Phase phase, std::string owner = "ReplicaSet") {
  PodMigration move = Reserved(std::move(owner));
  move.status.phase = phase;
  if (phase >= Phase::kEvicted) move.status.evicted_at = kStart;
  if (phase == Phase::kBound) {
    move.status.bound_at = kStart;
    move.status.replacement = migration_api::Replacement{"web-y", "r", "b"};
    move.status.reason = "Target";
  }
  return move;
}

SeenReplacement On(std::string node, bool ready = false) {
  return {.name = "web-y", .uid = "r", .node = std::move(node), .ready = ready};
}

TEST(Life, GoesFromTheDryRunToAReadyReplacement) {
  const Patience patience;
  PodMigration move = Reserved();
  EXPECT_FALSE(Advance(move, {}, patience, kStart));
  EXPECT_TRUE(Take(move, Answer::kEvicted, "", std::nullopt, patience, kStart));
  EXPECT_EQ(move.status.phase, Phase::kEvicting) << "the dry run was well: now it is written down, then done";
  EXPECT_TRUE(Take(move, Answer::kEvicted, "", std::nullopt, patience, kStart));
  EXPECT_EQ(move.status.phase, Phase::kEvicted);
  EXPECT_TRUE(Advance(move, {.victim = Victim::kDeleting, .replacement = On("")}, patience, kStart + seconds(1)));
  EXPECT_EQ(move.status.phase, Phase::kEvicted);
  EXPECT_EQ(move.status.replacement->uid, "r");
  EXPECT_TRUE(Advance(move, {.victim = Victim::kDeleting, .replacement = On("b")}, patience, kStart + seconds(2)));
  EXPECT_EQ(move.status.phase, Phase::kBound);
  EXPECT_EQ(move.status.reason, "Target");
  EXPECT_TRUE(Advance(move, {.victim = Victim::kGone, .replacement = On("b", true)}, patience, kStart + seconds(3)));
  EXPECT_EQ(move.status.phase, Phase::kSucceeded);
  EXPECT_FALSE(move.status.next_try);
}

TEST(Life, SeesAllAtOnceAfterARestart) {
  const Patience patience;
  PodMigration move = In(Phase::kEvicting);
  EXPECT_TRUE(Advance(move, {.victim = Victim::kGone, .replacement = On("c", true)}, patience, kStart + minutes(1)));
  EXPECT_EQ(move.status.phase, Phase::kSucceeded);
  EXPECT_EQ(move.status.reason, "Elsewhere");
}

TEST(Life, EndsWithoutAnEvictionWhereItMakesNoSense) {
  const Patience patience;
  const auto ends = [&](Phase from, Seen seen, Duration after = seconds(1)) {
    PodMigration move = In(from);
    (void)Advance(move, seen, patience, kStart + after);
    return std::pair(move.status.phase, move.status.reason);
  };
  for (Phase from : {Phase::kReserved, Phase::kEvicting}) {
    EXPECT_EQ(ends(from, {.target_open = false}), std::pair(Phase::kAbandoned, std::string("TargetClosed")));
    EXPECT_EQ(ends(from, {.source_open = false}), std::pair(Phase::kAbandoned, std::string("SourceNotReady")));
    EXPECT_EQ(ends(from, {.target_open = false, .calling = true}).first, from) << "its answer comes first";
    EXPECT_EQ(ends(from, {}, minutes(3)), std::pair(Phase::kAbandoned, std::string("Stalled")));
  }
  EXPECT_EQ(ends(Phase::kReserved, {.victim = Victim::kDeleting}),
            std::pair(Phase::kAbandoned, std::string("PodGone")));
}

TEST(Life, FailsWhereTheReplacementDoesNotComeInTime) {
  const Patience patience;
  const auto ends = [&](Phase from, Seen seen, Duration after) {
    PodMigration move = In(from);
    (void)Advance(move, seen, patience, kStart + after);
    return std::pair(move.status.phase, move.status.reason);
  };
  const Duration in_time = seconds(30) + minutes(5), late = in_time + seconds(1);
  EXPECT_EQ(ends(Phase::kEvicted, {.victim = Victim::kGone}, in_time).first, Phase::kEvicted);
  EXPECT_EQ(ends(Phase::kEvicted, {.victim = Victim::kGone}, late),
            std::pair(Phase::kFailed, std::string("NoReplacement")));
  EXPECT_EQ(ends(Phase::kEvicted, {.victim = Victim::kGone, .replacement = On("")}, late),
            std::pair(Phase::kFailed, std::string("NotBound")));
  EXPECT_EQ(ends(Phase::kEvicted, {}, late), std::pair(Phase::kFailed, std::string("NotEvicted")));
  EXPECT_EQ(ends(Phase::kEvicted, {.replacement = On("a")}, seconds(1)),
            std::pair(Phase::kFailed, std::string("Source")));
  EXPECT_EQ(ends(Phase::kBound, {.replacement = On("b")}, late), std::pair(Phase::kFailed, std::string("NotReady")));
  EXPECT_EQ(ends(Phase::kBound, {}, seconds(1)).second, "ReplacementGone");
}

TEST(Life, AnotherReplacementMayComeWhereOneIsDeletedBeforeItHasANode) {
  PodMigration move = In(Phase::kEvicted);
  move.status.replacement = migration_api::Replacement{"web-y", "r", ""};
  SeenReplacement leaving = On("");
  leaving.leaving = true;
  EXPECT_TRUE(Advance(move, {.replacement = leaving}, {}, kStart));
  EXPECT_FALSE(move.status.replacement);
  EXPECT_TRUE(AwaitsReplacement(move));
}

TEST(Life, AnswersOfTheEvictionAreNoFailures) {
  const Patience patience;
  const auto after = [&](Answer answer, Phase from = Phase::kReserved, std::optional<Duration> wait = std::nullopt) {
    PodMigration move = In(from);
    (void)Take(move, answer, "text", wait, patience, kStart);
    return move.status;
  };
  EXPECT_EQ(after(Answer::kBudget).reason, "Budget");
  EXPECT_EQ(after(Answer::kBudget).phase, Phase::kAbandoned);
  EXPECT_EQ(after(Answer::kBudget).next_try, kStart + minutes(1));
  EXPECT_EQ(after(Answer::kNotYet, Phase::kReserved, seconds(20)).next_try, kStart + seconds(20));
  EXPECT_EQ(after(Answer::kSeveralBudgets).next_try, kStart + std::chrono::hours(24));
  EXPECT_EQ(after(Answer::kGone).reason, "PodGone");
  EXPECT_EQ(after(Answer::kGone, Phase::kEvicting).phase, Phase::kEvicted) << "an earlier answer may have been lost";
  EXPECT_EQ(after(Answer::kUnknown, Phase::kEvicting).phase, Phase::kEvicting);
  EXPECT_EQ(after(Answer::kRefused).reason, "Refused");
  PodMigration seen_already = In(Phase::kEvicted);
  EXPECT_FALSE(Take(seen_already, Answer::kGone, "", std::nullopt, patience, kStart)) << "the watch was faster";
}

TEST(Life, WaitsTwiceAsLongAfterEachFailureUpToADay) {
  PodMigration move = In(Phase::kEvicted);
  std::vector<int64_t> pauses;
  for (int i = 0; i < 10; ++i) {
    End(move, Phase::kFailed, "NotReady", "", {}, kStart);
    pauses.push_back(std::chrono::duration_cast<minutes>(*move.status.next_try - kStart).count());
    Again(move, kStart);
    EXPECT_EQ(move.status.phase, Phase::kReserved);
  }
  EXPECT_EQ(pauses, (std::vector<int64_t>{10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440}));
}

TEST(Life, RoomIsHeldUntilAReplacementCanHardlyComeAnyMore) {
  const Patience patience;
  const auto held = [&](const PodMigration& move, Duration after, Seen seen = {.victim = Victim::kGone}) {
    return WantsRoom(move, seen, patience, kStart + after);
  };
  EXPECT_TRUE(held(In(Phase::kReserved), seconds(0)));
  EXPECT_FALSE(held(In(Phase::kReserved), seconds(0), {.target_open = false}));
  EXPECT_TRUE(held(In(Phase::kEvicted), seconds(8)));
  EXPECT_FALSE(held(In(Phase::kEvicted), seconds(9))) << "a scale-down: nothing is held ten seconds later";
  EXPECT_TRUE(held(In(Phase::kEvicted, "StatefulSet"), seconds(38))) << "its pod comes when the old one has gone";
  EXPECT_FALSE(held(In(Phase::kEvicted, "StatefulSet"), seconds(39)));
  PodMigration waits = In(Phase::kEvicted);
  waits.status.replacement = migration_api::Replacement{"web-y", "r", ""};
  EXPECT_TRUE(held(waits, minutes(5)));
  EXPECT_FALSE(held(In(Phase::kBound), seconds(0))) << "the replacement holds it itself";
  EXPECT_FALSE(held(In(Phase::kFailed), seconds(0)));
}

// Whatever happens in whatever order, with restarts between: a move never goes back, and ends once its time is over.
RC_GTEST_PROP(LifeProperty, EveryMoveEndsAndNoneGoesBack, ()) {
  const Patience patience;
  PodMigration move = Reserved(*rc::gen::element<std::string>("ReplicaSet", "StatefulSet"));
  Time now = kStart;
  int victim = 0;  // may only go on
  for (int step = 0; step < 40 && !migration_api::Finished(move.status.phase); ++step) {
    now += seconds(*rc::gen::inRange(0, 60));
    const Phase before = move.status.phase;
    victim = std::max(victim, *rc::gen::weightedElement<int>({{4, 0}, {2, 1}, {1, 2}}));
    Seen seen{.victim = static_cast<Victim>(victim),
              .source_open = *rc::gen::weightedElement<bool>({{9, true}, {1, false}}),
              .target_open = *rc::gen::weightedElement<bool>({{9, true}, {1, false}})};
    if (*rc::gen::arbitrary<bool>()) {
      seen.replacement = On(*rc::gen::element<std::string>("", "b", "c", "a"), *rc::gen::arbitrary<bool>());
      seen.replacement->leaving = *rc::gen::weightedElement<bool>({{9, false}, {1, true}});
    }
    (void)Advance(move, seen, patience, now);
    RC_ASSERT(move.status.phase >= before);
    const Phase between = move.status.phase;
    const auto answer = static_cast<Answer>(*rc::gen::inRange(0, 7));
    if (!migration_api::Finished(between)) (void)Take(move, answer, "", std::nullopt, patience, now);
    RC_ASSERT(move.status.phase >= between);
    // A restart reads what was written.
    const auto read = migration_api::Decode(migration_api::Encode(move));
    RC_ASSERT(read.ok());
    RC_ASSERT(read->status.phase == move.status.phase);
  }
  now += std::chrono::hours(1);
  (void)Advance(move, {.victim = Victim::kThere}, patience, now);
  RC_ASSERT(migration_api::Finished(move.status.phase));
  RC_ASSERT((move.status.phase == Phase::kSucceeded) != move.status.next_try.has_value());
}

}  // namespace
}  // namespace huygens::moves
