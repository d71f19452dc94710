// Every metric of huygens (docs/metrics.md lists them). All series exist from the start, so that a rate has a zero to
// begin at; each label has a closed list of values, and what is not on it counts as "other" (except the figures of the
// business groups that the operator asked for). Observing costs tens of nanoseconds. Any thread, any call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cluster/ledger.h"
#include "cluster/watch_event.h"

namespace huygens::observe {

// The labels' values, in the order in which they show.
inline constexpr std::string_view kVerbs[] = {"filter", "prioritize", "preempt", "bind"};
inline constexpr std::string_view kRequestOutcomes[] = {"ok", "rejected", "error", "malformed", "overloaded"};
inline constexpr std::string_view kBindApiOutcomes[] = {"bound", "refused", "unknown"};
inline constexpr std::string_view kWatchEventTypes[] = {"list", "set", "gone", "fault"};
inline constexpr std::string_view kWakeResults[] = {"written", "gone", "failed"};
inline constexpr std::string_view kGroupWriteResults[] = {"written", "conflict", "failed"};
inline constexpr std::string_view kNodeTopologies[] = {"none", "managed", "kubelet", "unusable"};
inline constexpr std::string_view kNodeUsages[] = {"fresh", "stale", "absent"};
inline constexpr std::string_view kUsageRefreshResults[] = {"ok", "failed"};
inline constexpr std::string_view kOvercommitted[] = {"zones", "nodes", "groups"};
inline constexpr std::string_view kHotWhen[] = {"now", "peak"};
inline constexpr std::string_view kQuotaGroupStates[] = {"ok", "terminating", "frozen", "missing"};

// One key that a business group limits, in units (cores, bytes, hours of them).
struct QuotaFigures {
  std::string group, key;
  double hard = 0;
  std::optional<double> used;  // nothing: nobody has counted it yet
};

class ControllerMetrics;
class OvercommitMetrics;
class MoveMetrics;
class RuleMetrics;

class Metrics {
 public:
  struct Options {
    std::string version;
    std::string commit;
    std::vector<std::string_view>
        reject_reasons;                         // values of huygens_nodes_rejected_total{reason}; duplicates are fine
    std::vector<std::string_view> checks;       // values of huygens_pods_would_be_rejected_total{check}
    std::vector<std::string_view> annotations;  // values of huygens_annotations_ignored_total{annotation}
    std::vector<std::string_view> usage_resources;  // values of `resource` of the metrics of usage
    bool workloads = false;                         // whether cluster::Kind::kWorkload is followed
    std::vector<std::string_view> reconcilers;      // values of `reconciler` of the metrics of `huygens controller`
  };
  explicit Metrics(const Options& options);
  ~Metrics();

  // One call of a verb: from the first byte handled to the answer handed over; sizes of the bodies.
  void Request(std::string_view verb, std::string_view outcome, size_t bytes_in, size_t bytes_out, Duration duration);
  void NodeRejected(std::string_view reason, uint64_t count = 1);
  // By a check that only reports: nodes, and pods that it would have left none.
  void NodeWouldBeRejected(std::string_view reason, uint64_t count = 1);
  void PodWouldBeRejected(std::string_view check);
  // A pod whose annotation has a value that there is not, each time that filter is asked about it.
  void AnnotationIgnored(std::string_view annotation);
  // One Binding with all its retries.
  void BindApi(std::string_view outcome, Duration duration);

  // One annotation written, or not, and the pods that were woken by those written.
  void WakeWrite(std::string_view result);
  void PodsWoken(size_t count);

  // The ledger.
  void SetReservations(cluster::ReservationState state, size_t count);
  // What one pass of the comparison with a recount found (and repaired).
  void ReservationDrift(size_t found);
  // The backstop: a reservation whose watch event did not come in time.
  void ReservationOverdue();

  // The watches. A "list" event is one LIST, "fault" an object that could not be read.
  void WatchEvent(cluster::Kind kind, std::string_view type, uint64_t count = 1);
  // From the receipt of a batch of events to its application.
  void WatchLag(cluster::Kind kind, Duration lag);
  void SetWatchSynced(cluster::Kind kind, bool synced);
  // Since something was heard of it last.
  void SetWatchSilence(cluster::Kind kind, Duration silence);

  void SetNodes(std::string_view topology, std::string_view usage, size_t count);
  void SetLostTopologies(size_t count);  // nodes whose topology object went while they stayed
  void SetPods(size_t count);
  void SetPodsWaiting(size_t count);  // rejected by filter and remembered for waking

  // What is given away more than once.
  void SetOvercommitted(std::string_view what, size_t count);

  // Real use. An age is infinite while nothing was ever measured; a share is from 0 to 1.
  void SetUsageAge(std::string_view resource, double seconds);
  void SetUsageStale(double share, bool check_steps_aside);
  // How much of the window was measured, and whether that is too little for the check to refuse anything for it.
  void SetUsageHistory(std::string_view resource, Duration measured, bool report_only);
  // Workloads with history, and how often one had to give way or was not taken in, as it stands now.
  void SetUsageWorkloads(size_t count, uint64_t displaced);
  // Whether the source measures what pods use of the resource, and of no node what it uses itself.
  void SetUsageWithoutNodes(std::string_view resource, bool without);
  void SetHotNodes(std::string_view resource, std::string_view when, size_t count);
  // One refresh of the source, and the values in it that were no measurements.
  void UsageRefresh(bool ok, Duration took, uint64_t left_out);

  // Budgets of business groups; SetQuotas gets all that is to be shown.
  void SetQuotaGroups(std::string_view state, size_t count);
  void SetQuotas(std::vector<QuotaFigures> figures);

  void SetReady(bool ready);
  void SetLeaseHeld(bool held);
  // Somebody else than an instance of huygens changed the Lease.
  void LeaseIncident(uint64_t times);
  void TlsHandshakeFailed();
  void SetCertificateExpiry(Time not_after);  // never called: the series shows 0

  // Counts that are kept elsewhere, as they stand now; each only grows.
  struct Totals {
    uint64_t pod_events_sent = 0;
    uint64_t pod_events_suppressed = 0;
    uint64_t pod_events_failed = 0;
    uint64_t log_lines_dropped = 0;
    uint64_t decision_log_written = 0;
    uint64_t decision_log_dropped = 0;
  };
  void SetTotals(const Totals& totals);

  // Of a webhook: writes of the status of groups, reviews whose charge stands, and those whose time was over before.
  struct GroupCharges {
    uint64_t written = 0, conflicts = 0, failed = 0;
    uint64_t charged = 0;
    uint64_t expired = 0;
    uint64_t advanced = 0;  // of `charged`: answered at once, out of what was kept ahead of need
    uint64_t recalls = 0;   // of what other instances keep so
  };
  void SetGroupCharges(const GroupCharges& totals);

  // Of `huygens controller` (observe/controller_metrics.h).
  ControllerMetrics& controller();
  // observe/overcommit_metrics.h
  OvercommitMetrics& overcommit();
  // observe/rule_metrics.h
  RuleMetrics& rules();
  // observe/move_metrics.h
  MoveMetrics& moves();

  // Prometheus' text format (version 0.0.4), families and series in a fixed order. Some 200 us: not on the decision
  // thread.
  std::string Render() const;

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace huygens::observe
