// The blast radius of moves, limit by limit; what holds for any sequence of moves is limits_property_test.cc's.
#include "rescheduling/limits.h"

#include <gtest/gtest.h>

namespace huygens::rescheduling {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kStart{hours(24 * 365 * 56)};

// A move of pod POD of workload WORKLOAD, unlike any other.
struct Made {
  std::string pod = "web-1", workload = "shop/Deployment/web", source = "a", target = "b";
  Cause cause = Cause::kCeiling;
  std::string group = "";
};

Candidate Wanted(const Made& made, size_t replicas = 100, size_t unavailable = 0) {
  Candidate candidate;
  candidate.move = {.pod = {"shop", made.pod, "uid-" + made.pod},
                    .owner = {"ReplicaSet", "web"},
                    .workload = made.workload,
                    .group = made.group,
                    .source = made.source,
                    .target = made.target,
                    .cause = made.cause};
  candidate.replicas = replicas;
  candidate.unavailable = unavailable;
  return candidate;
}

class LimitsTest : public testing::Test {
 protected:
  Limits& With(LimitOptions options) { return limits_.emplace(std::move(options)); }
  // As many of everything as there are, so that the limit in question is the one that holds.
  static LimitOptions Wide() {
    LimitOptions options;
    options.in_flight_cluster = options.in_flight_source = options.in_flight_target = options.in_flight_namespace =
        options.in_flight_group = options.hour_cluster = options.hour_node = options.hour_group = 1000;
    options.workload_share = 1'000'000;
    options.pod_cool_down = options.node_cool_down = Duration::zero();
    return options;
  }
  Migration Begin(const Made& made, Time at = kStart) {
    Migration migration{.uid = std::to_string(++number_), .move = Wanted(made).move, .created = at};
    limits_->Begin(migration);
    return migration;
  }
  void End(Migration migration, Time at, Outcome outcome = Outcome::kSucceeded) {
    migration.finished = at;
    migration.outcome = outcome;
    limits_->End(migration);
  }
  Limit Ask(const Candidate& candidate, Time now = kStart, const Health& health = {}) const {
    return limits_->Check(candidate, health, now);
  }
  // Moves that have nothing in common with each other or with Made's defaults.
  Made Other() {
    const std::string number = std::to_string(++number_);
    return {"pod-" + number, "shop/Deployment/w" + number, "s" + number, "t" + number};
  }

  std::optional<Limits> limits_;
  int number_ = 0;
};

TEST_F(LimitsTest, AFirstMoveMayBegin) {
  With({});
  EXPECT_EQ(Ask(Wanted({})), Limit::kNone);
}

TEST_F(LimitsTest, SoManyAreInFlightInTheClusterAndNoMore) {
  LimitOptions options = Wide();
  options.in_flight_cluster = 2;
  With(options);
  const Migration first = Begin(Other());
  EXPECT_EQ(Ask(Wanted({})), Limit::kNone);
  Begin(Other());
  EXPECT_EQ(Ask(Wanted({})), Limit::kInFlightCluster);
  End(first, kStart);
  EXPECT_EQ(Ask(Wanted({})), Limit::kNone);
}

TEST_F(LimitsTest, SourceTargetNamespaceAndGroupHaveCapsOfTheirOwn) {
  LimitOptions options = Wide();
  options.in_flight_source = options.in_flight_target = 1;
  With(options);
  Made made = Other();
  made.source = "a";
  Begin(made);
  EXPECT_EQ(Ask(Wanted({.source = "a"})), Limit::kInFlightSource);
  EXPECT_EQ(Ask(Wanted({.source = "c", .target = "a"})), Limit::kNone) << "a source is no target";
  EXPECT_EQ(Ask(Wanted({.source = "c", .target = made.target})), Limit::kInFlightTarget);

  options = Wide();
  options.in_flight_namespace = 1;
  With(options);
  Begin(Other());
  EXPECT_EQ(Ask(Wanted({})), Limit::kInFlightNamespace);

  options = Wide();
  options.in_flight_group = 1;
  With(options);
  made = Other();
  made.group = "team";
  Begin(made);
  EXPECT_EQ(Ask(Wanted({.group = "team"})), Limit::kInFlightGroup);
  EXPECT_EQ(Ask(Wanted({.group = "others"})), Limit::kNone);
  EXPECT_EQ(Ask(Wanted({})), Limit::kNone);
}

TEST_F(LimitsTest, OfAWorkloadOneOrTwoOrATenthAreAwayUnreadyOnesIncluded) {
  LimitOptions options = Wide();
  options.workload_share = 100'000;
  With(options);
  EXPECT_EQ(Ask(Wanted({}, 3, 0)), Limit::kNone);
  EXPECT_EQ(Ask(Wanted({}, 3, 1)), Limit::kInFlightWorkload);
  EXPECT_EQ(Ask(Wanted({}, 4, 1)), Limit::kNone);
  EXPECT_EQ(Ask(Wanted({}, 10, 2)), Limit::kInFlightWorkload);
  EXPECT_EQ(Ask(Wanted({}, 11, 1)), Limit::kInFlightWorkload) << "a tenth of 11 is 1";
  EXPECT_EQ(Ask(Wanted({}, 50, 4)), Limit::kNone);
  EXPECT_EQ(Ask(Wanted({}, 50, 5)), Limit::kInFlightWorkload);
}

TEST_F(LimitsTest, AnHourIsAnyHour) {
  LimitOptions options = Wide();
  options.hour_cluster = 2;
  With(options);
  End(Begin(Other(), kStart + minutes(50)), kStart + minutes(51));
  End(Begin(Other(), kStart + minutes(70)), kStart + minutes(71));
  EXPECT_EQ(Ask(Wanted({}), kStart + minutes(109)), Limit::kHourCluster) << "though another hour has begun";
  EXPECT_EQ(Ask(Wanted({}), kStart + minutes(110)), Limit::kNone);
}

TEST_F(LimitsTest, NodesWorkloadsAndGroupsHaveHoursOfTheirOwn) {
  LimitOptions options = Wide();
  options.hour_node = 1;
  With(options);
  End(Begin({.source = "x", .target = "b"}), kStart);
  EXPECT_EQ(Ask(Wanted({.pod = "p", .workload = "w", .source = "b", .target = "y"})), Limit::kHourNode);

  options = Wide();
  options.workload_share = 100'000;
  With(options);
  End(Begin({}), kStart);
  EXPECT_EQ(Ask(Wanted({.pod = "p", .source = "c", .target = "d"}, 10)), Limit::kHourWorkload);
  EXPECT_EQ(Ask(Wanted({.pod = "p", .source = "c", .target = "d"}, 20)), Limit::kNone);

  options = Wide();
  options.hour_group = 1;
  With(options);
  Made made = Other();
  made.group = "team";
  End(Begin(made), kStart);
  EXPECT_EQ(Ask(Wanted({.group = "team"})), Limit::kHourGroup);
}

TEST_F(LimitsTest, APodAndItsNodesRestAfterASuccess) {
  LimitOptions options = Wide();
  options.pod_cool_down = hours(24);
  options.node_cool_down = minutes(10);
  With(options);
  End(Begin({.pod = "db-0", .workload = "shop/StatefulSet/db"}), kStart);
  EXPECT_EQ(
      Ask(Wanted({.pod = "db-0", .workload = "shop/StatefulSet/db", .source = "c", .target = "d"}), kStart + hours(23)),
      Limit::kCoolDownPod);
  EXPECT_EQ(
      Ask(Wanted({.pod = "db-0", .workload = "shop/StatefulSet/db", .source = "c", .target = "d"}), kStart + hours(24)),
      Limit::kNone);
  EXPECT_EQ(Ask(Wanted({.pod = "other", .workload = "w", .source = "a", .target = "z"}), kStart + minutes(9)),
            Limit::kCoolDownNode);
  EXPECT_EQ(Ask(Wanted({.pod = "other", .workload = "w", .source = "a", .target = "z"}), kStart + minutes(10)),
            Limit::kNone);
}

TEST_F(LimitsTest, NoPodOfAWorkloadGoesWhereOneOfThemLeftLately) {
  LimitOptions options = Wide();
  options.pod_cool_down = hours(24);
  With(options);
  const Migration away = Begin({.source = "a", .target = "b"});
  EXPECT_EQ(Ask(Wanted({.pod = "web-2", .source = "c", .target = "a"})), Limit::kLeftLately);
  End(away, kStart, Outcome::kFailed);
  EXPECT_EQ(Ask(Wanted({.pod = "web-2", .source = "c", .target = "a"}), kStart + hours(23)), Limit::kLeftLately);
  EXPECT_EQ(Ask(Wanted({.pod = "x", .workload = "w", .source = "c", .target = "a"}), kStart + hours(23)), Limit::kNone);
}

TEST_F(LimitsTest, SingletonsMoveOnlyWhereTheNewOneComesFirstOrSomebodyAllowsIt) {
  With(Wide());
  EXPECT_EQ(Ask(Wanted({}, 1)), Limit::kSingleton);
  Candidate settling = Wanted({}, 5);
  settling.settling = true;
  EXPECT_EQ(Ask(settling), Limit::kSingleton);
  Candidate surge = Wanted({}, 1);
  surge.surge = true;
  EXPECT_EQ(Ask(surge), Limit::kNone);
  LimitOptions options = Wide();
  options.allow_singletons = true;
  With(options);
  EXPECT_EQ(Ask(Wanted({}, 1)), Limit::kNone);
}

TEST_F(LimitsTest, ThreeFailuresOfTheLastTenHoldEverythingForHalfAnHour) {
  With(Wide());
  for (int i = 0; i < 2; ++i) End(Begin(Other()), kStart + seconds(i), Outcome::kFailed);
  for (int i = 2; i < 10; ++i) End(Begin(Other()), kStart + seconds(i));
  EXPECT_EQ(Ask(Wanted({}), kStart + minutes(1)), Limit::kNone) << "two of ten";
  End(Begin(Other()), kStart + minutes(1), Outcome::kFailed);
  EXPECT_EQ(Ask(Wanted({}), kStart + minutes(1)), Limit::kNone) << "the first is no longer among the last ten";
  End(Begin(Other()), kStart + minutes(2), Outcome::kFailed);
  EXPECT_EQ(Ask(Wanted({}), kStart + minutes(2)), Limit::kNone);
  End(Begin(Other()), kStart + minutes(3), Outcome::kFailed);
  EXPECT_EQ(Ask(Wanted({}), kStart + minutes(4)), Limit::kBreaker);
  EXPECT_EQ(Ask(Wanted({.cause = Cause::kEmergency}), kStart + minutes(4)), Limit::kBreaker);
  EXPECT_EQ(limits_->BreakerOpenUntil(kStart + minutes(4)), kStart + minutes(33));
  EXPECT_EQ(Ask(Wanted({}), kStart + minutes(33)), Limit::kNone);
  End(Begin(Other()), kStart + minutes(34), Outcome::kFailed);
  EXPECT_EQ(Ask(Wanted({}), kStart + minutes(35)), Limit::kNone) << "it takes three again";
}

TEST_F(LimitsTest, MovesThatWereGivenUpAreNoFailuresAndUseUpNothing) {
  LimitOptions options = Wide();
  options.hour_cluster = 1;
  options.node_cool_down = hours(1);
  With(options);
  for (int i = 0; i < 5; ++i) End(Begin({}), kStart, Outcome::kAbandoned);
  EXPECT_EQ(Ask(Wanted({})), Limit::kNone);
}

TEST_F(LimitsTest, NothingMovesWhereWhatIsKnownCannotBeReliedUpon) {
  With({});
  EXPECT_EQ(Ask(Wanted({}), kStart, {.stopped = true}), Limit::kStopped);
  EXPECT_EQ(Ask(Wanted({}), kStart, {.not_ready_nodes = 100'001}), Limit::kBreaker);
  EXPECT_EQ(Ask(Wanted({}), kStart, {.not_ready_nodes = 100'000}), Limit::kNone);
  EXPECT_EQ(Ask(Wanted({}), kStart, {.usage_steps_aside = true}), Limit::kBreaker);
  EXPECT_EQ(Ask(Wanted({}), kStart, {.no_lease = true}), Limit::kBreaker);
  EXPECT_EQ(Ask(Wanted({}), kStart, {.watch_lag = seconds(61)}), Limit::kBreaker);
}

TEST_F(LimitsTest, FreezesAndBusinessHoldAllButEmergencies) {
  LimitOptions options = Wide();
  options.freezes = {*ParseFreezeWindow("* 00:00-24:00")};
  With(options);
  EXPECT_EQ(Ask(Wanted({})), Limit::kFrozen);
  EXPECT_EQ(Ask(Wanted({.cause = Cause::kEmergency})), Limit::kNone);

  With(Wide());
  Candidate busy = Wanted({});
  busy.use_of_peak = 700'001;
  EXPECT_EQ(Ask(busy), Limit::kBusy);
  busy.move.cause = Cause::kEmergency;
  EXPECT_EQ(Ask(busy), Limit::kNone);
  busy.move.cause = Cause::kRule;
  busy.use_of_peak = 700'000;
  EXPECT_EQ(Ask(busy), Limit::kNone);
}

TEST_F(LimitsTest, EmergenciesMoveOnePerNodeAndMinuteAndFiveInAll) {
  With(Wide());
  const auto emergency = [&](const std::string& source) {
    Made made = Other();
    made.source = source;
    made.cause = Cause::kEmergency;
    return made;
  };
  Begin(emergency("a"));
  EXPECT_EQ(Ask(Wanted(emergency("a")), kStart + seconds(59)), Limit::kEmergencyNode);
  EXPECT_EQ(Ask(Wanted(emergency("a")), kStart + seconds(60)), Limit::kNone);
  for (const char* node : {"b", "c", "d", "e"}) Begin(emergency(node));
  EXPECT_EQ(Ask(Wanted(emergency("f")), kStart + seconds(1)), Limit::kEmergencyMinute);
  EXPECT_EQ(Ask(Wanted(Other()), kStart + seconds(1)), Limit::kNone) << "others have their own pace";
}

TEST_F(LimitsTest, ACapOfNoneMeansNone) {
  LimitOptions options = Wide();
  options.in_flight_target = 0;
  With(options);
  EXPECT_EQ(Ask(Wanted({})), Limit::kInFlightTarget);
}

}  // namespace
}  // namespace huygens::rescheduling
