#include "moves/life.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace huygens::moves {

namespace {

using std::chrono::seconds;

void Enter(PodMigration& move, Phase phase, std::string_view reason, std::string message, Time now) {
  move.status.phase = phase;
  move.status.reason = std::string(reason);
  move.status.message = std::move(message);
  move.status.since = now;
}

Time Since(const PodMigration& move, Time now) { return move.status.since.value_or(move.created.value_or(now)); }

Time GraceEnds(const PodMigration& move, Time now) {
  return move.status.evicted_at.value_or(now) + seconds(std::clamp<int64_t>(move.spec.grace_seconds, 0, 86'400));
}

bool Abandon(PodMigration& move, std::string_view reason, std::string message, const Patience& patience, Time now) {
  End(move, Phase::kAbandoned, reason, std::move(message), patience, now);
  return true;
}

bool Fail(PodMigration& move, std::string_view reason, std::string message, const Patience& patience, Time now) {
  End(move, Phase::kFailed, reason, std::move(message), patience, now);
  return true;
}

// Doubled with each try in a row.
Duration Pause(const PodMigration& move, Duration first, Duration longest) {
  Duration pause = first;
  for (int64_t i = 1; i < move.status.attempts && pause < longest; ++i) pause *= 2;
  return std::min(pause, longest);
}

void Evicted(PodMigration& move, Time now) {
  Enter(move, Phase::kEvicted, "Evicted", "waiting for the replacement", now);
  move.status.evicted_at = now;
}

bool AdvanceReserved(PodMigration& move, const Seen& seen, const Patience& patience, Time now) {
  if (seen.calling) return false;  // its answer comes
  if (seen.victim != Victim::kThere) return Abandon(move, "PodGone", "somebody else deleted the pod", patience, now);
  if (!seen.source_open) return Abandon(move, "SourceNotReady", "no kubelet there ends the pod", patience, now);
  if (!seen.target_open) return Abandon(move, "TargetClosed", "cordoned, not Ready or gone", patience, now);
  if (now - Since(move, now) > patience.evict) return Abandon(move, "Stalled", "it never began", patience, now);
  return false;
}

bool AdvanceEvicting(PodMigration& move, const Seen& seen, const Patience& patience, Time now) {
  if (seen.victim != Victim::kThere) {
    Evicted(move, now);
    return true;
  }
  if (seen.calling) return false;
  if (!seen.source_open) return Abandon(move, "SourceNotReady", "no kubelet there ends the pod", patience, now);
  if (!seen.target_open) return Abandon(move, "TargetClosed", "cordoned, not Ready or gone", patience, now);
  if (now - Since(move, now) > patience.evict) {
    return Abandon(move, "Stalled", "nobody could say whether the pod was evicted, and it is still there", patience,
                   now);
  }
  return false;
}

bool AdvanceEvicted(PodMigration& move, const Seen& seen, const Patience& patience, Time now) {
  auto& known = move.status.replacement;
  bool changed = false;
  if (seen.replacement && seen.replacement->leaving) {
    changed = known.has_value();
    known.reset();
  } else if (seen.replacement) {
    const auto& it = *seen.replacement;
    const migration_api::Replacement now_known{it.name, it.uid, it.node};
    changed = !known || *known != now_known;
    known = now_known;
    if (!it.node.empty()) {
      const bool on_target = it.node == move.spec.target, on_source = it.node == move.spec.source;
      move.status.bound_at = now;
      if (on_source) return Fail(move, "Source", "the replacement came back to the node it left", patience, now);
      Enter(move, Phase::kBound, on_target ? "Target" : "Elsewhere", Concat("bound to ", it.node), now);
      return true;
    }
  }
  if (now > GraceEnds(move, now) + patience.settle) {
    if (seen.victim == Victim::kThere) return Fail(move, "NotEvicted", "the pod is still there", patience, now);
    if (known) return Fail(move, "NotBound", "no node took the replacement in time", patience, now);
    return Fail(move, "NoReplacement", "its controller made none", patience, now);
  }
  return changed;
}

bool AdvanceBound(PodMigration& move, const Seen& seen, const Patience& patience, Time now) {
  if (!seen.replacement || seen.replacement->leaving) {
    return Abandon(move, "ReplacementGone", "the replacement was deleted before it was Ready", patience, now);
  }
  if (seen.replacement->ready) {
    End(move, Phase::kSucceeded, move.status.reason, move.status.message, patience, now);
    return true;
  }
  if (now > std::max(move.status.bound_at.value_or(now), GraceEnds(move, now)) + patience.settle) {
    return Fail(move, "NotReady", "the replacement did not become Ready in time", patience, now);
  }
  return false;
}

}  // namespace

std::string_view Name(Answer answer) {
  switch (answer) {
    case Answer::kEvicted:
      return "evicted";
    case Answer::kGone:
      return "gone";
    case Answer::kBudget:
      return "budget";
    case Answer::kNotYet:
      return "not_yet";
    case Answer::kSeveralBudgets:
      return "several_budgets";
    case Answer::kRefused:
      return "refused";
    case Answer::kUnknown:
      break;
  }
  return "unknown";
}

void End(PodMigration& move, Phase phase, std::string_view reason, std::string message, const Patience& patience,
         Time now) {
  const std::string word(reason);
  Enter(move, phase, word, std::move(message), now);
  move.status.finished_at = now;
  move.status.next_try.reset();
  if (phase == Phase::kSucceeded) return;
  move.status.next_try = now + Pause(move, patience.first_retry, patience.longest_retry);
}

void Again(PodMigration& move, Time now) {
  const int64_t attempts = move.status.attempts + 1;
  move.status = {};
  move.status.attempts = attempts;
  Enter(move, Phase::kReserved, "Reserved", "", now);
}

bool Advance(PodMigration& move, const Seen& seen, const Patience& patience, Time now) {
  bool changed = false;
  // What is seen at once may show several steps.
  for (bool more = true; more;) {
    switch (move.status.phase) {
      case Phase::kReserved:
        more = AdvanceReserved(move, seen, patience, now);
        break;
      case Phase::kEvicting:
        more = AdvanceEvicting(move, seen, patience, now);
        break;
      case Phase::kEvicted:
        more = AdvanceEvicted(move, seen, patience, now);
        break;
      case Phase::kBound:
        more = AdvanceBound(move, seen, patience, now);
        break;
      default:
        more = false;
    }
    changed = changed || more;
    if (migration_api::Finished(move.status.phase)) break;
  }
  return changed;
}

bool Take(PodMigration& move, Answer answer, std::string_view text, std::optional<Duration> wait,
          const Patience& patience, Time now) {
  const bool dry = move.status.phase == Phase::kReserved;
  if (!dry && move.status.phase != Phase::kEvicting) return false;  // the watch was faster
  switch (answer) {
    case Answer::kEvicted:
      if (dry) {
        Enter(move, Phase::kEvicting, "Evicting", "", now);
      } else {
        Evicted(move, now);
      }
      return true;
    case Answer::kGone:
      // An eviction sent before, whose answer was lost, may have done it.
      if (dry) return Abandon(move, "PodGone", "somebody else deleted the pod", patience, now);
      Evicted(move, now);
      return true;
    case Answer::kBudget:
      Abandon(move, "Budget", std::string(text), patience, now);
      move.status.next_try = now + Pause(move, patience.budget_retry, patience.first_retry);
      return true;
    case Answer::kNotYet:
      Abandon(move, "BudgetNotYetKnown", std::string(text), patience, now);
      move.status.next_try =
          now + std::clamp<Duration>(wait.value_or(seconds(10)), seconds(10), std::chrono::minutes(10));
      return true;
    case Answer::kSeveralBudgets:
      Abandon(move, "SeveralBudgets", std::string(text), patience, now);
      move.status.next_try = now + patience.longest_retry;  // somebody has to mend them
      return true;
    case Answer::kRefused:
      return Abandon(move, "Refused", std::string(text), patience, now);
    case Answer::kUnknown:
      break;
  }
  return false;
}

bool WantsRoom(const PodMigration& move, const Seen& seen, const Patience& patience, Time now) {
  if (!seen.target_open) return false;
  switch (move.status.phase) {
    case Phase::kReserved:
    case Phase::kEvicting:
      return true;
    case Phase::kEvicted:
      if (move.status.replacement) return now <= GraceEnds(move, now) + patience.settle;
      // A StatefulSet's comes when the victim has gone, which its grace period and a while more may take.
      if (move.spec.owner.kind == "StatefulSet") return now <= GraceEnds(move, now) + patience.hold;
      return now <= move.status.evicted_at.value_or(now) + patience.hold;
    default:
      return false;
  }
}

bool AwaitsReplacement(const PodMigration& move) {
  return move.status.phase == Phase::kEvicting || move.status.phase == Phase::kEvicted;
}

}  // namespace huygens::moves
