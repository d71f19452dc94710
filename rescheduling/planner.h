// Which pods should move where: one plan for the whole cluster, made without any cap, so that as few pods as possible
// move and no move spoils a later one. Moves are then carried out in its order, as caps allow: who has to wait waits,
// nobody else takes the turn (that costs a quarter more moves).
//
// A pod is to move when it would not be placed where it is: its node is above a ceiling in some slot of the week, or its
// zones hold more than they give, or the pod is spread over more zones than elsewhere, or its node is not of the model
// that its quota labels name, or somebody hands in that it breaks a rule. A move has a target that all checks accept
// beside what earlier moves of the plan bring there, in each slot of the week; of those the one whose highest share of
// use is the least. Where a node is too hot the fewest pods leave it (relief.h). Where such a plan takes clearly more moves
// than have to be, or leaves nodes hot, another is made whose targets are the fullest of the comfortable ones, so that
// large pods find room, and the better plan counts.
//
// All work is done in steps of at most a millisecond or so, between requests (Step); the size of a step is a count, not
// a time, so that the same calls make the same plan. Decision thread only.
//
//   planner.Begin(now, rules); while (planner.Step(now)) {}    every ten minutes: new violations are appended
//   planner.queue().front() ... Recheck(move, now)             every minute, just before it is carried out
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "placement/placement.h"
#include "rescheduling/facts.h"
#include "rescheduling/move.h"

namespace huygens::rescheduling {

struct PlannerOptions {
  // A pod that is spread over more zones than another node would take it on is moved.
  bool gather_zones = true;
  // Share of its ceiling, in millionths, up to which a node is comfortable: some growth does not make it hot.
  int64_t comfort = 875'000;
  // How much one step does, in looks at one slot of one node: of a nanosecond or two.
  int64_t step = 40'000;
};

// A violation that somebody else found, of a rule about existing pods.
struct Violation {
  std::string pod_uid;
  std::string what;  // for people: "rule spread-web: more than 2 of web on one node"
};

// What became of a planned move when it was looked at again.
enum class Readiness : uint8_t {
  kReady,     // the violation is still there, and the target takes the pod
  kWait,      // the target takes it once earlier moves of the plan have left there
  kObsolete,  // the pod is gone, or stands well now: forget the move
  kReplan,    // the target does not take it any more: forget the move, and make a new plan
};

// Something that violates and cannot be cured, and why.
struct Stuck {
  std::string node;
  PodKey pod;  // empty: the node as a whole
  Cause cause = Cause::kCeiling;
  std::string reason;  // a fixed text, for people
};

class Planner {
 public:
  // Both must outlive it.
  Planner(placement::Placement& placement, const Facts& facts, PlannerOptions options = {});
  ~Planner();
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  // Looks for violations that no move of the queue cures, and appends moves for them. A search that is under way ends.
  // `rules`: all violations of rules that stand now.
  void Begin(Time now, const std::vector<Violation>& rules = {});
  // Does some of the work. False: there is nothing left to do.
  bool Step(Time now);
  bool planning() const;
  // Forgets the queue. Begin follows.
  void Clear();

  // The moves to be carried out, in this order.
  const std::deque<Move>& queue() const;
  // Looks at the move as if it were to begin now, against all that holds room now.
  Readiness Recheck(const Move& move, Time now);
  // The move left the queue: it is under way, and holds room in the ledger (Facts::Leaving), or was forgotten.
  void Remove(uint64_t number);

  // What the last search that ended found no cure for, ordered by node and pod.
  std::span<const Stuck> stuck() const;
  // Nodes above a ceiling that the last search that ended found, before any move.
  size_t hot_nodes() const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace huygens::rescheduling
