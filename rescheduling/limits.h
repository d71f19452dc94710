// The blast radius: how many pods may be on the move at once and per hour, and when none may. Every move is asked about
// here, whatever its cause; there is no other way past. Nothing is refused for good: who is refused waits. (Pods that
// never move are never.h's.)
//
// Counted from migrations alone, so that after a restart Begin and End of those that are kept, in the order of time,
// bring back the very same answers. Sliding windows: "per hour" holds for any hour, wherever it begins. Pure: time is
// passed in. One thread at a time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "rescheduling/freeze.h"
#include "rescheduling/migration.h"

namespace huygens::rescheduling {

// What nothing moves for, in the order in which it is asked.
enum class Limit : uint8_t {
  kNone,       // the move may begin
  kStopped,    // somebody stopped all moves
  kBreaker,    // too much failed lately, or what is known of the cluster is not to be relied upon
  kFrozen,     // a window of the configuration
  kBusy,       // the workload is near its own peak of the week
  kSingleton,  // it has one replica, or has just got another
  kInFlightCluster,
  kInFlightSource,
  kInFlightTarget,
  kInFlightNamespace,
  kInFlightGroup,
  kInFlightWorkload,
  kHourCluster,
  kHourNode,
  kHourWorkload,
  kHourGroup,
  kCoolDownPod,
  kCoolDownNode,
  kLeftLately,     // the target is a node that the workload's pod left lately
  kEmergencyNode,  // the emergency's own caps
  kEmergencyMinute,
};
// One word, for a metric's label: "in_flight_source".
std::string_view Name(Limit limit);

struct LimitOptions {
  // At once; 0: none.
  size_t in_flight_cluster = 20, in_flight_source = 2, in_flight_target = 2, in_flight_namespace = 5,
         in_flight_group = 10;
  // In any hour; 0: none.
  size_t hour_cluster = 200, hour_node = 10, hour_group = 100;
  // Share of a workload's replicas, in millionths: of more than ten at once this, of four to ten two, of up to three
  // one; in any hour this, and one at least.
  int64_t workload_share = 100'000;
  Duration pod_cool_down = std::chrono::hours(24);     // of a pod's name, and of a node as a target of whom it lost
  Duration node_cool_down = std::chrono::minutes(10);  // after a move from or to it succeeded
  std::vector<FreezeWindow> freezes;
  int64_t busy_share = 700'000;  // of its weekly peak, in millionths: above, a workload rests
  bool allow_singletons = false;
  // The breaker.
  size_t breaker_failures = 3, breaker_of = 10;
  Duration breaker_open = std::chrono::minutes(30);
  Duration breaker_memory = std::chrono::hours(24);  // what ended longer ago is none of the last
  int64_t most_not_ready = 100'000;                  // share of nodes, in millionths
  Duration most_lag = std::chrono::seconds(60);
  // Of moves whose cause is an emergency, besides: neither freezes nor business hold those.
  size_t emergency_per_node_minute = 1, emergency_per_minute = 5;
};

// A move that somebody wants to begin, and what is known of its workload now.
struct Candidate {
  Move move;
  size_t replicas = 0;     // wanted, of the workload
  size_t unavailable = 0;  // of them not Ready or being deleted, those of moves in flight included
  bool settling = false;   // minReadySeconds of a replica have not passed
  bool surge = false;      // the replacement comes before the victim goes
  // What the workload uses at this time of the week as a share of its weekly peak, in millionths; nothing: unknown.
  std::optional<int64_t> use_of_peak;
};

// How far what is known can be relied upon.
struct Health {
  bool stopped = false;         // by annotation or command
  int64_t not_ready_nodes = 0;  // share, in millionths
  bool usage_steps_aside = false;
  bool no_lease = false;
  Duration watch_lag{};
};

class Limits {
 public:
  explicit Limits(LimitOptions options) : options_(std::move(options)) {}
  const LimitOptions& options() const { return options_; }

  // Whether the move may begin now; else the first limit that holds it.
  Limit Check(const Candidate& candidate, const Health& health, Time now) const;

  // The migration is in flight from its `created` on. One that is known already is taken as it says now.
  void Begin(const Migration& migration);
  // It ended, with its `outcome` and at `finished`. Of an unknown one nothing happens.
  void End(const Migration& migration);
  // Forgets what no window reaches any more; Check is the same before and after.
  void Forget(Time now);

  size_t in_flight() const { return in_flight_; }
  // Until when too many failures hold everything; nothing: they do not.
  std::optional<Time> BreakerOpenUntil(Time now) const;

 private:
  // Points in time by whatever they are counted by, ascending.
  class Times {
   public:
    void Add(const std::string& key, Time time);
    void Remove(const std::string& key, Time time);
    // How many are later than `from`.
    size_t Since(std::string_view key, Time from) const;

   private:
    TextMap<std::vector<Time>> by_key_;
  };

  // Counts the migration, or no longer.
  void Count(const Migration& migration, bool counts);
  size_t InFlight(std::string_view what, std::string_view name) const;
  Limit CheckHealth(const Candidate& candidate, const Health& health, Time now) const;
  Limit CheckWorkload(const Candidate& candidate, Time now) const;
  Limit CheckInFlight(const Candidate& candidate) const;
  Limit CheckHours(const Candidate& candidate, Time now) const;
  Limit CheckCoolDowns(const Move& move, Time now) const;
  Limit CheckEmergency(const Move& move, Time now) const;

  LimitOptions options_;
  TextMap<Migration> records_;  // by UID
  size_t in_flight_ = 0;
  TextMap<size_t> in_flight_of_;
  Times began_, cooled_;  // when moves began; when they succeeded
  // By when they ended and UID: whether they failed.
  std::map<std::pair<Time, std::string>, bool> ended_;
};

}  // namespace huygens::rescheduling
