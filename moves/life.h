// The life of a move, after docs/rescheduling.md:
//
//   Reserved -> Evicting -> Evicted -> Bound -> Succeeded | Failed | Abandoned
//
// Nothing here waits for an event: Advance looks at how things stand and goes as far as that shows, so that events may
// come in any order, twice or not at all, and a restart at any point goes on where the object says. Pure: time is
// passed in. Who calls it carries out what is wanted (Wants), and writes the object whenever it changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "migration_api/pod_migration.h"

namespace huygens::moves {

using migration_api::Phase;
using migration_api::PodMigration;

struct Patience {
  // From the end of the victim's grace period until the replacement is bound, and from there until it is Ready.
  Duration settle = std::chrono::minutes(5);
  // A ReplicaSet makes the replacement milliseconds after the eviction, a StatefulSet once the old pod is gone. If there
  // is none so long after, there will hardly be any (scale-down, roll-out), and nothing is held for it any more.
  Duration hold = std::chrono::seconds(8);
  // An eviction that could not be brought to an end.
  Duration evict = std::chrono::minutes(2);
  // Of one that did not succeed until the next: doubled from try to try.
  Duration first_retry = std::chrono::minutes(10), longest_retry = std::chrono::hours(24);
  // Of one that a PodDisruptionBudget held back, which is no failure: doubled likewise, up to first_retry.
  Duration budget_retry = std::chrono::minutes(1);
};

enum class Victim : uint8_t { kThere, kDeleting, kGone };

// The pod that was recognised as the replacement.
struct SeenReplacement {
  std::string name, uid;
  std::string node;  // empty: none yet
  bool ready = false;
  bool leaving = false;  // being deleted, gone or finished
};

// How things stand.
struct Seen {
  Victim victim = Victim::kThere;
  bool source_open = true;  // Ready: its kubelet can end the victim
  bool target_open = true;  // there, Ready and not cordoned
  bool calling = false;     // a call about the victim is under way
  std::optional<SeenReplacement> replacement;
};

// What the API server said to an eviction, or to its dry run.
enum class Answer : uint8_t {
  kEvicted,         // 201
  kGone,            // 404, or 409 by the precondition: there is no such pod any more
  kBudget,          // 429: a PodDisruptionBudget has nothing left
  kNotYet,          // 429 with Retry-After: a budget that its controller has not looked at
  kSeveralBudgets,  // 500: two budgets are for the pod, which nobody can evict then
  kRefused,         // another one that trying again soon does not change: no right to evict, say
  kUnknown,         // no answer, or one that does not say whether it was done
};
std::string_view Name(Answer answer);  // a word for a label: "several_budgets"

// Goes as far as what is seen shows. Whether anything changed.
bool Advance(PodMigration& move, const Seen& seen, const Patience& patience, Time now);
// The dry run of a Reserved one, or the eviction of an Evicting one, was answered. `wait`: of kNotYet. Whether anything
// changed; of kUnknown nothing does: look at the victim, or ask again.
bool Take(PodMigration& move, Answer answer, std::string_view text, std::optional<Duration> wait,
          const Patience& patience, Time now);
// It ends here. `reason`: one word.
void End(PodMigration& move, Phase phase, std::string_view reason, std::string message, const Patience& patience,
         Time now);
// A move that ended is tried again, to this target.
void Again(PodMigration& move, Time now);

// Whether room is to be held on the target now.
bool WantsRoom(const PodMigration& move, const Seen& seen, const Patience& patience, Time now);
// Whether a pod that asks for a node may be its replacement, as far as the move is concerned.
bool AwaitsReplacement(const PodMigration& move);

}  // namespace huygens::moves
