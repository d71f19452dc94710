// /debug/reschedule: which pods should move and where to, which are on the way, what has become of others, and what
// holds the rest back. Written by `huygens extender`, read by `huygens reschedule` and people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace huygens::admin_api {

struct PlannedMoveDocument {
  std::string pod, workload, source, target, cause, why;
  std::string waits_for;  // the limit that holds it: "in_flight_source"; empty: it was not asked yet, or may begin

  static void Describe(auto& self, auto& fields) {
    fields.Always("pod", self.pod);
    fields.Always("workload", self.workload);
    fields.Always("source", self.source);
    fields.Always("target", self.target);
    fields.Always("cause", self.cause);
    fields.Always("why", self.why);
    fields.IfSet("waitsFor", self.waits_for);
  }
  bool operator==(const PlannedMoveDocument&) const = default;
};

struct MoveDocument {
  std::string pod, workload, source, target, cause, phase, reason, message, replacement, node;
  std::optional<Time> since, next_try;
  int64_t attempts = 1;
  bool holds = false;  // room on the target

  static void Describe(auto& self, auto& fields) {
    fields.Always("pod", self.pod);
    fields.Always("workload", self.workload);
    fields.Always("source", self.source);
    fields.Always("target", self.target);
    fields.Always("cause", self.cause);
    fields.Always("phase", self.phase);
    fields.IfSet("reason", self.reason);
    fields.IfSet("message", self.message);
    fields.IfSet("replacement", self.replacement);
    fields.IfSet("node", self.node);
    fields.IfSet("since", self.since);
    fields.IfSet("nextTry", self.next_try);
    fields.IfSet("attempts", self.attempts);
    fields.IfSet("holds", self.holds);
  }
  bool operator==(const MoveDocument&) const = default;
};

struct StuckDocument {
  std::string node, pod, cause, reason;

  static void Describe(auto& self, auto& fields) {
    fields.Always("node", self.node);
    fields.IfSet("pod", self.pod);
    fields.Always("cause", self.cause);
    fields.Always("reason", self.reason);
  }
  bool operator==(const StuckDocument&) const = default;
};

struct RescheduleDocument {
  std::string mode;                // "off", "report", "move"
  bool leads = false;              // this instance moves pods
  std::string state;               // what is in the way, for people; empty: nothing
  std::string stopped;             // why somebody stopped all moves; empty: nobody did
  bool planning = false;           // a search is under way
  std::optional<Time> planned_at;  // when the last search ended
  int64_t hot_nodes = 0;           // that it found, before any move
  std::vector<PlannedMoveDocument> plan;
  std::vector<MoveDocument> moves;  // under way
  std::vector<MoveDocument> ended;  // the last ones, newest first
  std::vector<StuckDocument> stuck;
  std::vector<std::pair<std::string, int64_t>> limits;  // how often each has held a move back

  static void Describe(auto& self, auto& fields) {
    fields.Always("mode", self.mode);
    fields.Always("leads", self.leads);
    fields.IfSet("state", self.state);
    fields.IfSet("stopped", self.stopped);
    fields.IfSet("planning", self.planning);
    fields.IfSet("plannedAt", self.planned_at);
    fields.Always("hotNodes", self.hot_nodes);
    fields.Always("plan", self.plan);
    fields.Always("moves", self.moves);
    fields.Always("ended", self.ended);
    fields.Always("stuck", self.stuck);
    fields.Always("limits", self.limits);
  }
  bool operator==(const RescheduleDocument&) const = default;
};

}  // namespace huygens::admin_api
