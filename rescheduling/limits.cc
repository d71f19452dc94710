#include "rescheduling/limits.h"

#include <algorithm>

namespace huygens::rescheduling {

namespace {

constexpr Duration kHour = std::chrono::hours(1);
constexpr Duration kMinute = std::chrono::minutes(1);
constexpr int64_t kMillion = 1'000'000;

// What is counted, and of whom. No name has a line break.
std::string Key(std::string_view what, std::string_view name) { return Concat(what, "\n", name); }
constexpr std::string_view kCluster = "cluster", kSource = "source", kTarget = "target", kNode = "node",
                           kNamespace = "namespace", kGroup = "group", kWorkload = "workload", kPod = "pod",
                           kLeft = "left", kEmergency = "emergency";

std::string PodName(const Move& move) { return move.pod.Text(); }
std::string Left(std::string_view workload, std::string_view node) { return Concat(workload, "\n", node); }

// Of so many replicas so many may be away at once.
size_t AtOnce(size_t replicas, int64_t share) {
  if (replicas <= 3) return 1;
  if (replicas <= 10) return 2;
  return std::max<size_t>(1, replicas * static_cast<size_t>(share) / static_cast<size_t>(kMillion));
}

size_t AnHour(size_t replicas, int64_t share) {
  return std::max<size_t>(1, replicas * static_cast<size_t>(share) / static_cast<size_t>(kMillion));
}

}  // namespace

std::string_view Name(Limit limit) {
  switch (limit) {
    case Limit::kNone:
      return "none";
    case Limit::kStopped:
      return "stopped";
    case Limit::kBreaker:
      return "breaker";
    case Limit::kFrozen:
      return "frozen";
    case Limit::kBusy:
      return "busy";
    case Limit::kSingleton:
      return "singleton";
    case Limit::kInFlightCluster:
      return "in_flight_cluster";
    case Limit::kInFlightSource:
      return "in_flight_source";
    case Limit::kInFlightTarget:
      return "in_flight_target";
    case Limit::kInFlightNamespace:
      return "in_flight_namespace";
    case Limit::kInFlightGroup:
      return "in_flight_group";
    case Limit::kInFlightWorkload:
      return "in_flight_workload";
    case Limit::kHourCluster:
      return "hour_cluster";
    case Limit::kHourNode:
      return "hour_node";
    case Limit::kHourWorkload:
      return "hour_workload";
    case Limit::kHourGroup:
      return "hour_group";
    case Limit::kCoolDownPod:
      return "cool_down_pod";
    case Limit::kCoolDownNode:
      return "cool_down_node";
    case Limit::kLeftLately:
      return "left_lately";
    case Limit::kEmergencyNode:
      return "emergency_node";
    case Limit::kEmergencyMinute:
      break;
  }
  return "emergency_minute";
}

void Limits::Times::Add(const std::string& key, Time time) {
  std::vector<Time>& times = by_key_[key];
  times.insert(std::ranges::upper_bound(times, time), time);
}

void Limits::Times::Remove(const std::string& key, Time time) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return;
  const auto at = std::ranges::lower_bound(found->second, time);
  if (at != found->second.end() && *at == time) found->second.erase(at);
  if (found->second.empty()) by_key_.erase(found);
}

size_t Limits::Times::Since(std::string_view key, Time from) const {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return 0;
  return static_cast<size_t>(found->second.end() - std::ranges::upper_bound(found->second, from));
}

void Limits::Count(const Migration& migration, bool counts) {
  const Move& move = migration.move;
  const auto began = [&](const std::string& key) {
    counts ? began_.Add(key, migration.created) : began_.Remove(key, migration.created);
  };
  if (migration.outcome != Outcome::kAbandoned) {  // which uses up nothing
    began(Key(kCluster, {}));
    began(Key(kNode, move.source));
    if (move.target != move.source) began(Key(kNode, move.target));
    began(Key(kWorkload, move.workload));
    if (!move.group.empty()) began(Key(kGroup, move.group));
    if (move.cause == Cause::kEmergency) {
      began(Key(kEmergency, {}));
      began(Key(kEmergency, move.source));
    }
  }
  if (migration.outcome == Outcome::kUnderWay) {
    const auto in_flight = [&](std::string_view what, std::string_view name) {
      size_t& count = in_flight_of_[Key(what, name)];
      counts ? ++count : --count;
      if (count == 0) in_flight_of_.erase(Key(what, name));
    };
    counts ? ++in_flight_ : --in_flight_;
    in_flight(kSource, move.source);
    in_flight(kTarget, move.target);
    in_flight(kNamespace, move.pod.namespace_name);
    in_flight(kWorkload, move.workload);
    in_flight(kLeft, Left(move.workload, move.source));
    in_flight(kPod, PodName(move));
    if (!move.group.empty()) in_flight(kGroup, move.group);
    return;
  }
  if (!migration.finished || migration.outcome == Outcome::kAbandoned) return;
  const auto cooled = [&](const std::string& key) {
    counts ? cooled_.Add(key, *migration.finished) : cooled_.Remove(key, *migration.finished);
  };
  cooled(Key(kLeft, Left(move.workload, move.source)));
  if (migration.outcome == Outcome::kSucceeded) {
    cooled(Key(kPod, PodName(move)));
    cooled(Key(kNode, move.source));
    if (move.target != move.source) cooled(Key(kNode, move.target));
  }
  const std::pair end(*migration.finished, migration.uid);
  if (counts) {
    ended_.emplace(end, migration.outcome == Outcome::kFailed);
  } else {
    ended_.erase(end);
  }
}

void Limits::Begin(const Migration& migration) {
  const auto [record, is_new] = records_.try_emplace(migration.uid, migration);
  if (!is_new) {
    Count(record->second, false);
    record->second = migration;
  }
  Count(record->second, true);
}

void Limits::End(const Migration& migration) {
  if (records_.contains(migration.uid)) Begin(migration);
}

void Limits::Forget(Time now) {
  const Duration longest = std::max({kHour, options_.pod_cool_down, options_.node_cool_down, options_.breaker_memory});
  for (auto record = records_.begin(); record != records_.end();) {
    const Migration& migration = record->second;
    const bool old = migration.outcome != Outcome::kUnderWay && migration.created + longest <= now &&
                     migration.finished.value_or(migration.created) + longest <= now;
    if (!old) {
      ++record;
      continue;
    }
    Count(migration, false);
    records_.erase(record++);
  }
}

std::optional<Time> Limits::BreakerOpenUntil(Time now) const {
  std::optional<Time> open_until;
  std::vector<bool> last;  // failures since it last opened
  for (auto each = ended_.lower_bound({now - options_.breaker_memory + Duration(1), ""}); each != ended_.end();
       ++each) {
    const auto& [end, failed] = *each;
    if (open_until && end.first < *open_until) continue;  // began before it opened
    last.push_back(failed);
    if (last.size() > options_.breaker_of) last.erase(last.begin());
    if (static_cast<size_t>(std::ranges::count(last, true)) < std::max<size_t>(1, options_.breaker_failures)) continue;
    open_until = end.first + options_.breaker_open;
    last.clear();
  }
  return open_until && now < *open_until ? open_until : std::nullopt;
}

size_t Limits::InFlight(std::string_view what, std::string_view name) const {
  const auto found = in_flight_of_.find(Key(what, name));
  return found == in_flight_of_.end() ? 0 : found->second;
}

Limit Limits::Check(const Candidate& candidate, const Health& health, Time now) const {
  for (const Limit limit :
       {CheckHealth(candidate, health, now), CheckWorkload(candidate, now), CheckInFlight(candidate),
        CheckHours(candidate, now), CheckCoolDowns(candidate.move, now), CheckEmergency(candidate.move, now)}) {
    if (limit != Limit::kNone) return limit;
  }
  return Limit::kNone;
}

Limit Limits::CheckHealth(const Candidate& candidate, const Health& health, Time now) const {
  if (health.stopped) return Limit::kStopped;
  if (BreakerOpenUntil(now) || health.no_lease || health.usage_steps_aside ||
      health.not_ready_nodes > options_.most_not_ready || health.watch_lag > options_.most_lag) {
    return Limit::kBreaker;
  }
  if (candidate.move.cause == Cause::kEmergency) return Limit::kNone;
  const auto frozen = [&](const FreezeWindow& window) { return IsFrozen(window, now); };
  return std::ranges::any_of(options_.freezes, frozen) ? Limit::kFrozen : Limit::kNone;
}

Limit Limits::CheckWorkload(const Candidate& candidate, Time) const {
  if (candidate.move.cause != Cause::kEmergency && candidate.use_of_peak.value_or(0) > options_.busy_share) {
    return Limit::kBusy;
  }
  const bool alone = candidate.replicas <= 1 || candidate.settling;
  return alone && !candidate.surge && !options_.allow_singletons ? Limit::kSingleton : Limit::kNone;
}

Limit Limits::CheckInFlight(const Candidate& candidate) const {
  const Move& move = candidate.move;
  if (in_flight_ >= options_.in_flight_cluster) return Limit::kInFlightCluster;
  if (InFlight(kSource, move.source) >= options_.in_flight_source) return Limit::kInFlightSource;
  if (InFlight(kTarget, move.target) >= options_.in_flight_target) return Limit::kInFlightTarget;
  if (InFlight(kNamespace, move.pod.namespace_name) >= options_.in_flight_namespace) return Limit::kInFlightNamespace;
  if (!move.group.empty() && InFlight(kGroup, move.group) >= options_.in_flight_group) return Limit::kInFlightGroup;
  const size_t away = std::max(InFlight(kWorkload, move.workload), candidate.unavailable);
  if (away >= AtOnce(candidate.replicas, options_.workload_share)) return Limit::kInFlightWorkload;
  return InFlight(kPod, PodName(move)) > 0 ? Limit::kCoolDownPod : Limit::kNone;
}

Limit Limits::CheckHours(const Candidate& candidate, Time now) const {
  const Move& move = candidate.move;
  const auto began = [&](std::string_view what, std::string_view name) {
    return began_.Since(Key(what, name), now - kHour);
  };
  if (began(kCluster, {}) >= options_.hour_cluster) return Limit::kHourCluster;
  if (std::max(began(kNode, move.source), began(kNode, move.target)) >= options_.hour_node) return Limit::kHourNode;
  if (began(kWorkload, move.workload) >= AnHour(candidate.replicas, options_.workload_share))
    return Limit::kHourWorkload;
  if (!move.group.empty() && began(kGroup, move.group) >= options_.hour_group) return Limit::kHourGroup;
  return Limit::kNone;
}

Limit Limits::CheckCoolDowns(const Move& move, Time now) const {
  if (cooled_.Since(Key(kPod, PodName(move)), now - options_.pod_cool_down) > 0) return Limit::kCoolDownPod;
  const std::string left = Left(move.workload, move.target);
  if (InFlight(kLeft, left) > 0 || cooled_.Since(Key(kLeft, left), now - options_.pod_cool_down) > 0) {
    return Limit::kLeftLately;
  }
  if (move.cause == Cause::kEmergency) return Limit::kNone;  // which has a pace of its own
  for (const std::string& node : {move.source, move.target}) {
    if (cooled_.Since(Key(kNode, node), now - options_.node_cool_down) > 0) return Limit::kCoolDownNode;
  }
  return Limit::kNone;
}

Limit Limits::CheckEmergency(const Move& move, Time now) const {
  if (move.cause != Cause::kEmergency) return Limit::kNone;
  const auto began = [&](std::string_view node) { return began_.Since(Key(kEmergency, node), now - kMinute); };
  if (began(move.source) >= options_.emergency_per_node_minute) return Limit::kEmergencyNode;
  return began({}) >= options_.emergency_per_minute ? Limit::kEmergencyMinute : Limit::kNone;
}

}  // namespace huygens::rescheduling
