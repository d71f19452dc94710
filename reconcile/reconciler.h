// One of the loops of `huygens controller`. It is given keys, and makes the cluster as it should be for each: not by what
// has changed, which it may have missed, but by what is there. One key is worked on by one at a time, only by the instance
// that leads, and only once the reconciler knows what it must.
//
// Another one is a class of its own and a line in controller/reconcilers.cc. All calls come on the loop's thread, which
// must not block: what an API server is asked goes through LeaderCalls (reconcile/leader_calls.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "base/time.h"
#include "observe/metrics.h"
#include "observe/readiness.h"

namespace huygens::reconcile {

// Where a reconciler says that a key wants to be looked at. Nothing is called back before it returns. While another
// instance leads nothing comes of it: whoever begins to lead looks at all keys.
class WorkKeys {
 public:
  virtual ~WorkKeys() = default;
  virtual void Add(std::string_view key) = 0;
  // After this time, or earlier where it is due earlier already.
  virtual void AddAfter(std::string_view key, Duration delay) = 0;
};

struct Reconciled {
  Status status = absl::OkStatus();              // failed: due again after a pause that doubles from try to try
  std::optional<Duration> again = std::nullopt;  // when time alone may change something
};

class Reconciler {
 public:
  using Done = std::function<void(const Reconciled&)>;

  virtual ~Reconciler() = default;
  // A value of the label `reconciler` of the metrics: "quota".
  virtual std::string_view name() const = 0;
  // Once, before all other calls. `keys` outlives the reconciler's use of it.
  virtual void Start(WorkKeys& keys) = 0;
  // What is missing for the first look ("waiting for the first list of ..."); empty: nothing.
  virtual std::string NotReady() const = 0;
  // All keys that there are: when this instance begins to lead, and at each resync.
  virtual void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const = 0;
  // Calls `done` once, before it returns or later; never where StopLeading came first.
  virtual void Reconcile(const std::string& key, Done done) = 0;
  // The end of leading is near: calls that LeaderCalls cannot end, since others make them, end within milliseconds.
  virtual void Interrupt() {}
  // This instance leads no more: calls that were under way have ended, and nobody is told how.
  virtual void StopLeading() {}
  // Before each scrape.
  virtual void RefreshMetrics(observe::Metrics& /*metrics*/) const {}
  // Adds what it has to say to /readyz.
  virtual void Describe(observe::Readiness& /*readiness*/) const {}
};

}  // namespace huygens::reconcile
