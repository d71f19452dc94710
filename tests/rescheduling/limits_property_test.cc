// Whatever is asked of the limits and whatever becomes of the moves that they let begin: counted from the moves alone, no
// cap is ever exceeded, in no hour and at no moment; and who counts again after a restart answers the same.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "rescheduling/limits.h"

namespace huygens::rescheduling {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const Time kStart{std::chrono::hours(24 * 365 * 56)};

struct Happened {
  Migration migration;
  size_t allowed_at_once = 0, allowed_an_hour = 0;  // of its workload
};

LimitOptions AnyOptions() {
  LimitOptions options;
  options.in_flight_cluster = *rc::gen::inRange<size_t>(1, 8);
  options.in_flight_source = *rc::gen::inRange<size_t>(1, 3);
  options.in_flight_target = *rc::gen::inRange<size_t>(1, 3);
  options.in_flight_namespace = *rc::gen::inRange<size_t>(1, 5);
  options.in_flight_group = *rc::gen::inRange<size_t>(1, 5);
  options.hour_cluster = *rc::gen::inRange<size_t>(1, 30);
  options.hour_node = *rc::gen::inRange<size_t>(1, 6);
  options.hour_group = *rc::gen::inRange<size_t>(1, 10);
  options.pod_cool_down = minutes(*rc::gen::inRange(0, 90));
  options.node_cool_down = minutes(*rc::gen::inRange(0, 20));
  return options;
}

Candidate AnyCandidate(int number) {
  Candidate candidate;
  const int workload = *rc::gen::inRange(0, 4), space = workload % 2;
  candidate.move.workload = "w" + std::to_string(workload);
  candidate.move.pod = {"ns" + std::to_string(space), "p" + std::to_string(*rc::gen::inRange(0, 12)),
                        std::to_string(number)};
  candidate.move.group = space == 0 ? "team" : "";
  candidate.move.source = "n" + std::to_string(*rc::gen::inRange(0, 6));
  candidate.move.target = "n" + std::to_string(*rc::gen::inRange(0, 6));
  candidate.move.cause = *rc::gen::element(Cause::kCeiling, Cause::kRule, Cause::kEmergency);
  candidate.replicas = static_cast<size_t>(2 + workload * 12);
  return candidate;
}

bool InFlightAt(const Migration& each, Time time) {
  return each.created <= time && (!each.finished || *each.finished > time);
}

// The most of those with one and the same key, at any moment at which one began.
template <typename KeyOf>
size_t MostInFlight(const std::vector<Happened>& all, KeyOf key_of) {
  size_t most = 0;
  for (const Happened& at : all) {
    std::map<std::string, size_t> count;
    for (const Happened& each : all) {
      if (!InFlightAt(each.migration, at.migration.created)) continue;
      for (const std::string& key : key_of(each.migration)) most = std::max(most, ++count[key]);
    }
  }
  return most;
}

// Likewise in any stretch of time that ends when one began.
template <typename KeyOf>
size_t MostWithin(const std::vector<Happened>& all, Duration stretch, KeyOf key_of) {
  size_t most = 0;
  for (const Happened& at : all) {
    std::map<std::string, size_t> count;
    for (const Happened& each : all) {
      const Time created = each.migration.created;
      if (each.migration.outcome == Outcome::kAbandoned) continue;
      if (created > at.migration.created || created <= at.migration.created - stretch) continue;
      for (const std::string& key : key_of(each.migration)) most = std::max(most, ++count[key]);
    }
  }
  return most;
}

using Keys = std::vector<std::string>;

RC_GTEST_PROP(Limits, NoCapIsEverExceeded, ()) {
  const LimitOptions options = AnyOptions();
  Limits limits(options);
  std::vector<Happened> all;
  Time now = kStart;
  const int steps = *rc::gen::inRange(1, 120);
  for (int step = 0; step < steps; ++step) {
    now += seconds(*rc::gen::element(0, 1, 20, 60, 300, 900));
    const auto under_way = [&](const Happened& each) { return each.migration.outcome == Outcome::kUnderWay; };
    const auto ends = std::ranges::find_if(all, under_way);
    if (ends != all.end() && *rc::gen::inRange(0, 2) == 0) {
      ends->migration.outcome = *rc::gen::weightedElement<Outcome>(
          {{8, Outcome::kSucceeded}, {1, Outcome::kFailed}, {1, Outcome::kAbandoned}});
      ends->migration.finished = now;
      limits.End(ends->migration);
    }
    if (*rc::gen::inRange(0, 5) == 0) limits.Forget(now);
    const Candidate candidate = AnyCandidate(step);
    const Limit said = limits.Check(candidate, {}, now);

    // Who began anew and counted what there is says the same.
    Limits again(options);
    for (const Happened& each : all) again.Begin(each.migration);
    RC_ASSERT(Name(again.Check(candidate, {}, now)) == Name(said));

    if (said != Limit::kNone) continue;
    const size_t tenth = std::max<size_t>(1, candidate.replicas / 10);
    all.push_back(
        {{.uid = std::to_string(step), .move = candidate.move, .replicas = candidate.replicas, .created = now},
         candidate.replicas <= 3    ? 1
         : candidate.replicas <= 10 ? 2
                                    : tenth,
         tenth});
    limits.Begin(all.back().migration);
  }
  const auto every = [](const Migration&) { return Keys{""}; };
  const auto source = [](const Migration& each) { return Keys{each.move.source}; };
  const auto target = [](const Migration& each) { return Keys{each.move.target}; };
  const auto nodes = [](const Migration& each) {
    return each.move.source == each.move.target ? Keys{each.move.source} : Keys{each.move.source, each.move.target};
  };
  const auto space = [](const Migration& each) { return Keys{each.move.pod.namespace_name}; };
  const auto group = [](const Migration& each) { return each.move.group.empty() ? Keys{} : Keys{each.move.group}; };
  const auto emergency = [](const Migration& each) {
    return each.move.cause == Cause::kEmergency ? Keys{"", each.move.source + " alone"} : Keys{};
  };
  const auto emergency_node = [](const Migration& each) {
    return each.move.cause == Cause::kEmergency ? Keys{each.move.source} : Keys{};
  };
  RC_ASSERT(MostInFlight(all, every) <= options.in_flight_cluster);
  RC_ASSERT(MostInFlight(all, source) <= options.in_flight_source);
  RC_ASSERT(MostInFlight(all, target) <= options.in_flight_target);
  RC_ASSERT(MostInFlight(all, space) <= options.in_flight_namespace);
  RC_ASSERT(MostInFlight(all, group) <= options.in_flight_group);
  const Duration hour = std::chrono::hours(1), minute = minutes(1);
  RC_ASSERT(MostWithin(all, hour, every) <= options.hour_cluster);
  RC_ASSERT(MostWithin(all, hour, nodes) <= options.hour_node);
  RC_ASSERT(MostWithin(all, hour, group) <= options.hour_group);
  RC_ASSERT(MostWithin(all, minute, emergency) <= options.emergency_per_minute);
  RC_ASSERT(MostWithin(all, minute, emergency_node) <= options.emergency_per_node_minute);
  for (const Happened& each : all) {
    const auto own = [&](const Migration& other) {
      return other.move.workload == each.migration.move.workload ? Keys{""} : Keys{};
    };
    RC_ASSERT(MostInFlight(all, own) <= each.allowed_at_once);
    RC_ASSERT(MostWithin(all, hour, own) <= each.allowed_an_hour);
  }
}

}  // namespace
}  // namespace huygens::rescheduling
