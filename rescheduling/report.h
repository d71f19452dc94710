// The daily report of moves: what was wanted, what was done, what came of it. Counted from migrations, so that a restart
// in the middle of the day changes nothing, and from what else is known of the day, which is handed in. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "rescheduling/migration.h"

namespace huygens::rescheduling {

using Counts = std::vector<std::pair<std::string, int64_t>>;  // ordered by name

// What no migration says.
struct DayFacts {
  Counts selected;            // by cause: pods for which a move was planned
  Counts refused;             // by limit: how often it held a move
  Counts disruption_budgets;  // "429 NAMESPACE/NAME": evictions that a PodDisruptionBudget refused
  struct Hot {
    int64_t nodes = 0, slots = 0;  // above a ceiling; of these the slots of the week
  };
  std::optional<Hot> begin, end;
  int64_t newly_hot_targets = 0;  // nodes that a move went to and that became hot
  Duration breaker_open{}, frozen{};
  Counts stuck;  // by reason: nodes and pods that nothing cures
};

struct DailyReport {
  struct Times {  // of the moves that got so far
    int64_t count = 0;
    double p50_seconds = 0, p95_seconds = 0, max_seconds = 0;
    static void Describe(auto& self, auto& fields) {
      fields.Always("count", self.count);
      fields.Always("p50Seconds", self.p50_seconds);
      fields.Always("p95Seconds", self.p95_seconds);
      fields.Always("maxSeconds", self.max_seconds);
    }
  };
  struct OfCause {
    std::string cause;
    int64_t selected = 0, moved = 0, on_target = 0, elsewhere = 0, failed = 0, abandoned = 0, under_way = 0,
            retried = 0;
    std::optional<double> success_rate;  // succeeded of succeeded and failed; nothing: neither
    Counts failures;                     // by reason
    static void Describe(auto& self, auto& fields) {
      fields.Always("cause", self.cause);
      fields.Always("selected", self.selected);
      fields.Always("moved", self.moved);
      fields.Always("onTarget", self.on_target);
      fields.Always("elsewhere", self.elsewhere);
      fields.Always("failed", self.failed);
      fields.Always("abandoned", self.abandoned);
      fields.Always("underWay", self.under_way);
      fields.Always("retried", self.retried);
      fields.IfSet("successRate", self.success_rate);
      fields.IfSet("failures", self.failures);
    }
  };
  struct Unrecovered {  // evicted, and no replacement was Ready in time
    std::string pod, workload, source, since, reason;
    int64_t attempts = 0;
    static void Describe(auto& self, auto& fields) {
      fields.Always("pod", self.pod);
      fields.Always("workload", self.workload);
      fields.Always("source", self.source);
      fields.Always("since", self.since);
      fields.Always("reason", self.reason);
      fields.Always("attempts", self.attempts);
    }
  };

  std::string day;              // "2026-11-28", UTC
  std::vector<OfCause> causes;  // all of them, those with nothing, too
  Times evicted_to_bound, bound_to_ready;
  std::vector<Unrecovered> unrecovered;
  std::string most_moved_workload;
  int64_t most_moves_of_workload = 0;
  int64_t most_away_at_once = 0;  // replicas of one workload that were evicted and not Ready elsewhere
  Counts refused, disruption_budgets, stuck;
  std::optional<int64_t> hot_nodes_begin, hot_nodes_end, hot_slots_begin, hot_slots_end;
  int64_t newly_hot_targets = 0;
  int64_t breaker_open_seconds = 0, frozen_seconds = 0;
  static void Describe(auto& self, auto& fields) {
    fields.Always("day", self.day);
    fields.Always("causes", self.causes);
    fields.Always("evictedToBound", self.evicted_to_bound);
    fields.Always("boundToReady", self.bound_to_ready);
    fields.Always("unrecovered", self.unrecovered);
    fields.IfSet("mostMovedWorkload", self.most_moved_workload);
    fields.Always("mostMovesOfWorkload", self.most_moves_of_workload);
    fields.Always("mostAwayAtOnce", self.most_away_at_once);
    fields.IfSet("refused", self.refused);
    fields.IfSet("disruptionBudgets", self.disruption_budgets);
    fields.IfSet("stuck", self.stuck);
    fields.IfSet("hotNodesBegin", self.hot_nodes_begin);
    fields.IfSet("hotNodesEnd", self.hot_nodes_end);
    fields.IfSet("hotSlotsBegin", self.hot_slots_begin);
    fields.IfSet("hotSlotsEnd", self.hot_slots_end);
    fields.Always("newlyHotTargets", self.newly_hot_targets);
    fields.Always("breakerOpenSeconds", self.breaker_open_seconds);
    fields.Always("frozenSeconds", self.frozen_seconds);
  }
};

// Of the 24 hours from `midnight` (UTC) on: the moves that began in them, as they stand at their end. `migrations` may
// be of other days, too, in any order.
DailyReport CountDay(std::span<const Migration> migrations, const DayFacts& facts, Time midnight);

// For people, with the day before beside it, where there is one.
std::string Text(const DailyReport& report, const DailyReport* before);

}  // namespace huygens::rescheduling
