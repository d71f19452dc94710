// Where use is measured: the seam between what reads a source (Prometheus, metrics.k8s.io, files) and the thread that
// asks it at intervals (usage_sources/poller.h).
//
// One thread calls Refresh; Cancel may be called from any.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "usage/readings.h"

namespace huygens::usage_sources {

// Takes what was measured, in pieces of at most usage::kReadingsPerBatch. Called during Refresh by one thread at a
// time; returns soon.
using Deliver = std::function<void(usage::Readings)>;

// What a refresh that worked has to say.
struct Progress {
  bool more = false;           // history is still to be fetched: call again at once instead of after the interval
  bool history_alone = false;  // what some resource uses now comes with a later call, though nothing failed
  std::string not_asked;       // why the source was not asked yet; empty: it was
  bool partial = false;        // some resources could not be measured; `notices` say which
  std::vector<std::string> without_nodes;  // resources of which pods are measured and no node as a whole; in `notices`
  uint64_t left_out = 0;                   // values that were no measurements: NaN, infinite, negative, in the future
  std::vector<std::string> notices;  // what the operator should know though it works; the same text while it holds
};

class Source {
 public:
  virtual ~Source() = default;

  // For messages: "prometheus https://prometheus.example:9090". No secrets.
  virtual std::string name() const = 0;

  // Delivers what is new since the last call, in one call per resource ascending by slot: at first the history of a
  // whole window, a bounded piece a call; then the open slot each time and, once, the slot that closed. History that
  // cannot be had keeps nothing newer back, and comes later. After an error the next call begins where this one
  // stopped; nothing that was not measured is ever delivered as 0. It is an error if no resource could be measured, or
  // the source cannot be asked at all; the fault of a single resource is a notice. Blocks for as long as the source
  // takes, within time-outs of its own.
  virtual StatusOr<Progress> Refresh(Time now, const Deliver& deliver) = 0;

  // Ends a Refresh that is blocked now, within milliseconds, and every later one at once. For good.
  virtual void Cancel() = 0;
};

}  // namespace huygens::usage_sources
