// Carries moves out: holds room, writes the PodMigration, evicts, and follows the replacement until it is Ready or its
// time is over. What is to be done next always follows from how things stand (moves/life.h), so that a call whose answer
// was lost, an event that came twice and a restart all lead to the same look. Only the instance that leads calls anybody;
// each call is made with what it needs on a thread of its own, and one at a time per move. Decision thread only.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kube/call_pool.h"
#include "kube/event_recorder.h"
#include "moves/life.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "reconcile/leader_calls.h"
#include "rescheduler/eviction.h"
#include "rescheduler/moves_under_way.h"
#include "rescheduler/settled_moves.h"
#include "rescheduler/workload_pods.h"
#include "rescheduling/limits.h"
#include "rescheduling/move.h"

namespace huygens::rescheduler {

class Mover {
 public:
  struct Environment {
    placement::Placement& placement;
    const Clock& clock;
    observe::Log& log;
    reconcile::LeaderCalls& calls;
    rescheduling::Limits& limits;
    kube::EventRecorder& events;
    kube::CallPool& steering;  // for what the instance that is asked does, whoever leads
    const WorkloadPods& workloads;
  };
  // Totals since the process began, for metrics.
  struct Counts {
    std::map<std::string, uint64_t, std::less<>> evictions;                         // by code: "201", "none"
    std::map<std::pair<std::string, std::string>, uint64_t> moves;                  // by cause and outcome
    std::map<std::string, uint64_t, std::less<>> budgets;                           // "429 NAMESPACE/NAME"
    std::map<std::string, uint64_t, std::less<>> landings;                          // target, elsewhere, source
    std::map<std::string, std::pair<uint64_t, double>, std::less<>> stage_seconds;  // by stage: how many, and their sum
  };

  Mover(Environment environment, MovesUnderWay& moves, moves::Patience patience)
      : environment_(environment), moves_(moves), patience_(patience) {}

  // What the API server has of moves; those under way go on where they are, and their room is held again.
  void Load(std::vector<migration_api::PodMigration> objects, Time now);
  // Room is held, and the object is on its way. Not ok: nothing was begun; the target has no room, say.
  Status Begin(const rescheduling::Move& move, size_t replicas, Time now);
  // Goes as far with each as how things stand allows.
  void Look(Time now);
  // Writes the target into the replacement that asks for a node.
  void Nominate(UnderWay& move, const cluster::Pod& pod);
  // This instance leads no more: what it called is answered by nobody.
  void StopLeading();

  const SettledMoves& settled() const { return settled_; }
  SettledMoves& settled() { return settled_; }
  const Counts& counts() const { return counts_; }
  // How many moves have ended since the process began.
  uint64_t ended() const { return ended_; }
  // What keeps objects from being written; empty: nothing.
  const std::string& trouble() const { return trouble_; }

 private:
  void LookAt(UnderWay& move, Time now);
  void Create(UnderWay& move);
  void Write(UnderWay& move);
  void Evict(UnderWay& move, DryRun dry_run);
  void AskVictim(UnderWay& move);
  // It ended just now: counted and told.
  void Settle(UnderWay& move);
  void Tell(const UnderWay& move, std::string_view reason, std::string message, bool warning);
  void Count(const EvictionAnswer& said);
  void Trouble(std::string_view what, const Status& status);

  const Environment environment_;
  MovesUnderWay& moves_;
  const moves::Patience patience_;
  SettledMoves settled_;
  Counts counts_;
  uint64_t ended_ = 0;
  std::string trouble_;
  observe::RateLimit warnings_{std::chrono::seconds(10)};
};

// As limits and reports count it.
rescheduling::Migration MigrationOf(const migration_api::PodMigration& object);

}  // namespace huygens::rescheduler
