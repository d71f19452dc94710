// Use as Prometheus has it (prom/queries.h). Per resource: at first the history of a whole window, a day at a time,
// from the recorded series and, for the time before they began, from raw ones; then each time the samples since the
// last call. What was missed (Prometheus was away, huygens was) is fetched as history, too. All pods of a resource in
// one query, never one per node.
//
// A query of history that is too much for Prometheus is asked again for half the time, and no longer keeps the present
// waiting. Where a single slot is too much, or the query fails otherwise though the present does not, it is asked again
// once a slot; history is given up only where a single slot stays too much.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "prom/gatherer.h"
#include "prom/placed_pods.h"
#include "prom/prometheus_client.h"
#include "prom/queries.h"
#include "prom/source.h"
#include "usage/options.h"

namespace huygens::prom {

struct PrometheusOptions {
  net::ClientOptions server;  // max_reply_bytes as below
  usage::Options usage;
  std::vector<ResourceQueries> queries;         // by position in usage.resources; may be shorter
  Duration timeout = std::chrono::seconds(30);  // of one query
};

class PrometheusSource final : public Source {
 public:
  // Bounds what a refresh holds in memory, to about three times this.
  static constexpr size_t kMaxReplyBytes = size_t{32} << 20;

  // Asks nothing yet. `known` outlives the source.
  static StatusOr<std::unique_ptr<PrometheusSource>> Create(PrometheusOptions options, const PlacedPods& known);

  std::string name() const override;
  StatusOr<Progress> Refresh(Time now, const Deliver& deliver) override;
  void Cancel() override { client_->Cancel(); }

 private:
  // One resource and how far it is.
  struct Resource {
    std::string name;
    Expressions expressions;
    int64_t scale = 1;                   // base units in one unit of the series
    bool silent = false;                 // no pod was measured the last time
    std::optional<Time> seen_until;      // samples are delivered up to here; none: history comes first
    int64_t history_begins = INT64_MIN;  // the next slot of it
    int64_t history_ends = INT64_MIN;    // the slot after its last one
    int64_t history_waits = INT64_MIN;   // until this slot is open, after a failure
    std::string history_fault;           // the last one; empty: none since it last came
    int64_t piece;                       // slots of history to ask for at a time
    int too_much = 0;                    // times in a row that a single slot was
    std::optional<int64_t> lost;         // the last slot of history that was given up
    bool HasHistory() const { return history_begins < history_ends; }  // to be fetched
  };
  // What one refresh works with.
  struct Round {
    Time now;
    int64_t open;  // slot of now
    const Deliver& deliver;
    Progress progress;
    std::string warning;              // of Prometheus: the last one
    std::vector<std::string> faults;  // of single resources
  };

  PrometheusSource(PrometheusOptions options, std::unique_ptr<PrometheusClient> client, const PlacedPods& known);

  Status LookForRecordings(Round& round);
  Status RefreshOne(size_t index, Round& round);
  // The next piece of it.
  Status FetchHistory(size_t index, Round& round);
  // After it failed though the present did not.
  void PutHistoryOff(Resource& resource, const Status& fault, int64_t open);
  Status FetchPresent(size_t index, Round& round);
  // The highest value of each slot from `first` to `last`, recorded or raw.
  Status FetchSlots(const std::string& expression, bool recorded, int64_t first, int64_t last,
                    const wire::PrometheusVisitor& visitor, Round& round);
  Duration Step() const;
  std::vector<std::string> Notices(const Round& round) const;

  const PrometheusOptions options_;
  const std::unique_ptr<PrometheusClient> client_;
  const PlacedPods& known_;
  const int64_t day_;  // in slots, at least 1
  std::vector<Resource> resources_;
  std::optional<Time> asked_;              // last
  TextSet recorded_;                       // selectors of what the recording rules write now
  std::string recordings_fault_;           // why that could not be had; empty: it could
  std::optional<int64_t> looked_in_slot_;  // for those
};

}  // namespace huygens::prom
