// Decisions as JSON Lines in a file, for `huygens replay` and for looking back. Sampled by pod: all decisions on a pod
// are written or none, and every instance picks the same pods. The file is renamed to PATH.1 when it reaches half of
// `max_bytes`, so both together stay below it.
//
// Rendering and writing happen on a thread of its own; Add only queues, and what a slow disk does not take in time is
// dropped and counted. A file that cannot be written is one warning when that begins and one line when it ends; it
// never stops the service.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "observe/decision.h"
#include "observe/log.h"

namespace huygens::observe {

class DecisionLog {
 public:
  struct Options {
    std::string path;                                // empty: off, Add does nothing
    int64_t max_bytes = int64_t{64} << 20;           // of PATH and PATH.1 together
    double sample = 1.0;                             // share of the pods, 0 to 1
    size_t max_queued_bytes = size_t{16} << 20;      // not yet written
    Duration retry_after = std::chrono::seconds(5);  // after a failure
    Duration stop_patience = std::chrono::seconds(2);
  };
  // `clock` and `log` must live on until the process ends if the disk hangs: after `stop_patience` the thread is left
  // behind.
  DecisionLog(const Options& options, const Clock& clock, Log& log);
  ~DecisionLog();
  DecisionLog(const DecisionLog&) = delete;
  DecisionLog& operator=(const DecisionLog&) = delete;

  void Add(std::shared_ptr<const DecisionRecord> record);
  // Whether decisions on this pod are written: saves the caller the work of collecting facts.
  bool Samples(std::string_view uid) const;
  // Waits until everything added before is written or dropped.
  void Flush();

  uint64_t written() const;
  uint64_t dropped() const;

 private:
  class Writer;
  std::shared_ptr<Writer> writer_;  // shared with its thread
  double sample_;
};

}  // namespace huygens::observe
