// Turns series of Prometheus into readings: which workload or node a series speaks of, and which values are
// measurements. NaN for a node says that its pods were measured, and the node itself was not (usage_sources/queries.h).
// One kind of one resource at a time. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "usage_sources/placed_pods.h"
#include "usage_sources/prometheus_answer.h"
#include "usage_sources/slot_maxima.h"

namespace huygens::usage_sources {

class Gatherer {
 public:
  // What is accepted: samples from `first_slot` to `last_slot`, none later than `latest`.
  struct Span {
    Duration slot;
    int64_t first_slot = 0;
    int64_t last_slot = 0;
    Time latest;
  };
  // `scale`: base units in one unit of the series (1000 for cores). Everything outlives the gatherer.
  Gatherer(SlotMaxima& out, const PlacedPods& known, const Span& span, int64_t scale);

  // For an answer that holds samples with their own times.
  PrometheusVisitor Samples(SubjectKind kind) { return Visitor(kind, false); }
  // For an answer whose times are those at which slots end: nobody knows when in its slot a value was measured, so it
  // counts as measured when the slot began.
  PrometheusVisitor Highest(SubjectKind kind) { return Visitor(kind, true); }

  // Values that were no measurements, and series that name no subject.
  uint64_t left_out() const { return left_out_; }

 private:
  PrometheusVisitor Visitor(SubjectKind kind, bool by_slot);
  void Take(SubjectKind kind, Time time, double value, bool by_slot);

  SlotMaxima& out_;
  const PlacedPods& known_;
  const Span span_;
  const double scale_;
  uint32_t subject_ = 0;  // of the series at hand
  uint64_t left_out_ = 0;
};

}  // namespace huygens::usage_sources
