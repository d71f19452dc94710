// One resource as a Prometheus has it, and how far it was fetched. At first the history of a whole window, a day at a
// time, from the recorded series and, for the time before they began, from raw ones; then each time what is used now
// and, once, each slot that closed, some minutes later so that late samples count. What was missed (Prometheus was
// away, huygens was) is fetched as history, too. Prometheus works out the highest value of a slot: of each series comes
// one value per slot, and one that says what is used now. A few queries, never one per node.
//
// A query of history that is too much for Prometheus is asked again for half the time, and no longer keeps the present
// waiting. One of a single moment or slot that is too much is asked in parts (Part). Where a single slot stays
// too much, or the query fails otherwise though the present does not, it is asked again once a slot; history is given
// up only where a single slot stays too much. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/text.h"
#include "base/time.h"
#include "usage/options.h"
#include "usage_sources/gatherer.h"
#include "usage_sources/placed_pods.h"
#include "usage_sources/prometheus_client.h"
#include "usage_sources/queries.h"
#include "usage_sources/source.h"

namespace huygens::usage_sources {

class PrometheusResource {
 public:
  // `usage` and `known` outlive it.
  PrometheusResource(size_t position, const usage::Options& usage, ResourceQueries own, Scope scope,
                     const PlacedPods& known);

  // What one refresh works with.
  struct Round {
    Time now;
    PrometheusClient& client;
    const TextSet& recorded;  // selectors of what the recording rules write now
    const Deliver& deliver;
  };
  // What it has to say.
  struct Outcome {
    bool more = false;           // as Progress
    bool history_alone = false;  // likewise
    uint64_t left_out = 0;
    std::string warning;  // of Prometheus: the last one
  };
  Status Refresh(const Round& round, Outcome& outcome);

  // The clock went back: all that follows from the time of before is wrong.
  void ForgetTimes();

  const std::string& name() const { return name_; }
  const Expressions& expressions() const { return expressions_; }
  // By the last refresh: no pod was measured.
  bool silent() const { return silent_; }
  // Pods were measured, and no node as a whole.
  bool without_nodes() const { return without_nodes_; }
  // The first of the nodes of which only pods were measured; empty: there is none.
  const std::string& half_measured() const { return half_measured_; }
  // Why history is missing as yet; empty: it is not.
  std::string HistoryFault() const { return HasHistory() ? history_fault_ : ""; }
  // Whether some history since `slot` was given up.
  bool LostSince(int64_t slot) const { return lost_ && *lost_ >= slot; }

 private:
  using Ask = std::function<Status(const std::string& expression)>;

  bool HasHistory() const { return history_begins_ < history_ends_; }  // to be fetched
  void ExtendHistory(Time now);
  // The next piece of it.
  Status FetchHistory(const Round& round, Outcome& outcome);
  // After it failed though the present did not.
  void PutHistoryOff(const Status& fault, int64_t open);
  Status FetchPresent(const Round& round, Outcome& outcome);
  // The highest value of each slot from `first` to `last`, recorded or raw.
  Status FetchSlots(SubjectKind kind, bool recorded, int64_t first, int64_t last, Gatherer& gatherer,
                    const Round& round, Outcome& outcome);
  // Asks for the kind: in the parts that came of a question that was too large, which are made smaller where
  // `may_split`.
  Status AskFor(SubjectKind kind, bool recorded, std::vector<Part>& parts, bool may_split, const Ask& ask) const;
  Duration Step() const;

  const size_t position_;  // in Options::resources
  const usage::Options& usage_;
  const ResourceQueries own_;
  const Scope scope_;
  const PlacedPods& known_;
  const std::string name_;
  const Expressions expressions_;
  const int64_t scale_;  // base units in one unit of the series
  const int64_t day_;    // in slots, at least 1

  std::vector<Part> present_parts_[2], history_parts_[2];  // of workloads: raw, recorded
  bool silent_ = false, without_nodes_ = false;
  std::string half_measured_;
  std::optional<Time> seen_until_;      // samples are delivered up to here; none: history comes first
  int64_t settled_ = INT64_MIN;         // slots before this one were asked for after they had closed
  int64_t history_begins_ = INT64_MIN;  // the next slot of it
  int64_t history_ends_ = INT64_MIN;    // the slot after its last one
  int64_t history_waits_ = INT64_MIN;   // until this slot is open, after a failure
  std::string history_fault_;           // the last one; empty: none since it last came
  int64_t piece_;                       // slots of history to ask for at a time
  int too_much_ = 0;                    // times in a row that a single slot was
  std::optional<int64_t> lost_;         // the last slot of history that was given up
};

}  // namespace huygens::usage_sources
