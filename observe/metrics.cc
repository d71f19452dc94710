#include "observe/metrics.h"

#include <prometheus/histogram.h>

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>

#include "observe/by_value.h"
#include "observe/controller_metrics.h"
#include "observe/families.h"
#include "observe/move_metrics.h"
#include "observe/overcommit_metrics.h"
#include "observe/quota_metrics.h"
#include "observe/render_families.h"
#include "observe/rule_metrics.h"

namespace huygens::observe {

namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Labels;
using prometheus::Registry;

// Seconds: from what a verb takes on few nodes to what kube-scheduler no longer waits for.
constexpr double kDurations[] = {0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02,
                                 0.05,    0.1,    0.2,    0.5,    1,     2,     5,     10};
// Bytes: from a pod and a few names to 5000 whole Node objects.
constexpr double kSizes[] = {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26};
// Seconds.
constexpr double kLags[] = {0.0001, 0.0005, 0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60};

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

struct Metrics::Series {
  // The members are the list of all metrics: each is registered where it is declared.
  explicit Series(const Options& options) : options(options) {
    Gauges("huygens_build_info", "Always 1; the labels say what runs.")
        .Add({{"commit", options.commit}, {"version", options.version}})
        .Set(1);
  }

  Family<Counter>& Counters(const char* name, const char* help) { return CountersNamed(registry, name, help); }
  Family<Gauge>& Gauges(const char* name, const char* help) { return GaugesNamed(registry, name, help); }
  Counter& OneCounter(const char* name, const char* help) { return Counters(name, help).Add({}); }
  Gauge& OneGauge(const char* name, const char* help) { return Gauges(name, help).Add({}); }
  ByValue<Counter> EachCounter(const char* name, const char* help, const char* label,
                               std::span<const std::string_view> values) {
    Family<Counter>& family = Counters(name, help);
    return ByValue<Counter>(values,
                            [&](std::string value) -> Counter& { return family.Add({{label, std::move(value)}}); });
  }
  ByValue<Gauge> EachGauge(const char* name, const char* help, const char* label,
                           std::span<const std::string_view> values) {
    Family<Gauge>& family = Gauges(name, help);
    return ByValue<Gauge>(values, [&](std::string value) -> Gauge& { return family.Add({{label, std::move(value)}}); });
  }
  Family<Histogram>& Histograms(const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
  }
  static Histogram& OneHistogram(Family<Histogram>& family, const Labels& labels, std::span<const double> buckets) {
    return family.Add(labels, Histogram::BucketBoundaries(buckets.begin(), buckets.end()));
  }

  const Options options;
  Registry registry;

  // By verb, then by outcome or direction.
  struct Verb {
    ByValue<Histogram> duration;
    Histogram& bytes_in;
    Histogram& bytes_out;
  };
  Family<Histogram>& request_duration =
      Histograms("huygens_request_duration_seconds", "Time of one call of a verb, from its arrival to its answer.");
  Family<Histogram>& request_bytes = Histograms("huygens_request_bytes", "Size of the bodies of requests and answers.");
  std::unique_ptr<Verb> MakeVerb(const std::string& verb) {
    auto duration = [&](std::string outcome) -> Histogram& {
      return OneHistogram(request_duration, {{"verb", verb}, {"outcome", std::move(outcome)}}, kDurations);
    };
    auto bytes = [&](const char* direction) -> Histogram& {
      return OneHistogram(request_bytes, {{"verb", verb}, {"direction", direction}}, kSizes);
    };
    return std::make_unique<Verb>(
        Verb{ByValue<Histogram>(std::span(kRequestOutcomes), duration), bytes("in"), bytes("out")});
  }
  std::vector<std::unique_ptr<Verb>> verb_series;
  ByValue<Verb> verbs{std::span(kVerbs),
                      [&](const std::string& verb) -> Verb& { return *verb_series.emplace_back(MakeVerb(verb)); }};

  ByValue<Counter> rejected =
      EachCounter("huygens_nodes_rejected_total", "Nodes that filter or bind refused, by reason.", "reason",
                  options.reject_reasons);
  ByValue<Counter> would_be_rejected =
      EachCounter("huygens_nodes_would_be_rejected_total",
                  "Nodes that checks in mode report would have had filter or bind refuse, by reason.", "reason",
                  options.reject_reasons);
  ByValue<Counter> pods_would_be_rejected =
      EachCounter("huygens_pods_would_be_rejected_total",
                  "Pods that a check in mode report would have left without any node.", "check", options.checks);
  Family<Histogram>& bind_api_duration =
      Histograms("huygens_bind_api_duration_seconds", "Time of one Binding at the API server, with its retries.");
  ByValue<Histogram> bind_api{std::span(kBindApiOutcomes), [&](std::string outcome) -> Histogram& {
                                return OneHistogram(bind_api_duration, {{"outcome", std::move(outcome)}}, kDurations);
                              }};

  Family<Gauge>& reservations =
      Gauges("huygens_reservations", "Entries of the ledger: pods decided and not yet seen bound.");
  Gauge& reserved = reservations.Add({{"state", "reserved"}});
  Gauge& assumed = reservations.Add({{"state", "assumed"}});
  Gauge& held = reservations.Add({{"state", "held"}});
  Gauge& drift =
      OneGauge("huygens_reservation_drift", "Accounts of nodes that differed from a recount in the last pass.");
  Counter& repaired = OneCounter("huygens_reservation_repairs_total",
                                 "Accounts of nodes that differed from a recount and were repaired.");
  Counter& overdue = OneCounter("huygens_reservations_overdue_total",
                                "Reservations that the watch did not confirm in time and that were settled by a GET.");

  // By kind, then by type.
  Family<Counter>& watch_events = Counters("huygens_watch_events_total", "Events applied to the state.");
  Family<Histogram>& watch_lag =
      Histograms("huygens_watch_lag_seconds", "From the receipt of watch events to their application to the state.");
  Family<Gauge>& watch_silence =
      Gauges("huygens_watch_silence_seconds",
             "Time since something was heard of the kind last, be it a bookmark, of which one comes a minute.");
  Family<Gauge>& watch_synced =
      Gauges("huygens_watch_synced", "1 while the watch of the kind is open (or its CRD absent), 0 while it is not.");
  struct Kind {
    ByValue<Counter> events;
    Histogram& lag;
    Gauge& synced;
    Gauge& silence;
  };
  Kind MakeKind(cluster::Kind kind) {
    std::string name(cluster::Name(kind));
    return {ByValue<Counter>(std::span(kWatchEventTypes),
                             [&](std::string type) -> Counter& {
                               return watch_events.Add({{"kind", name}, {"type", std::move(type)}});
                             }),
            OneHistogram(watch_lag, {{"kind", name}}, kLags), watch_synced.Add({{"kind", name}}),
            watch_silence.Add({{"kind", name}})};
  }
  std::vector<Kind> MakeKinds() {
    std::vector<Kind> made;
    for (cluster::Kind kind : cluster::kKinds) made.push_back(MakeKind(kind));
    if (options.workloads) made.push_back(MakeKind(cluster::Kind::kWorkload));
    return made;
  }
  std::vector<Kind> kinds = MakeKinds();
  Kind& Of(cluster::Kind kind) { return kinds[static_cast<size_t>(kind)]; }

  Family<Gauge>& node_counts =
      Gauges("huygens_nodes", "Nodes of the cluster, by what is known of their zones and of their real use.");
  ByTwoValues<Gauge> nodes{std::span(kNodeTopologies), std::span(kNodeUsages),
                           [&](const std::string& topology, std::string usage) -> Gauge& {
                             return node_counts.Add({{"topology", topology}, {"usage", std::move(usage)}});
                           }};
  Family<Gauge>& usage_ages =
      Gauges("huygens_usage_age_seconds", "Time since real use of the resource was last measured; +Inf: never.");
  ByValue<Gauge> usage_age{options.usage_resources, [&](std::string resource) -> Gauge& {
                             return usage_ages.Add({{"resource", std::move(resource)}});
                           }};
  Family<Gauge>& without_nodes =
      Gauges("huygens_usage_pods_without_nodes", "1 while pods' use of the resource is measured and no node's own.");
  ByValue<Gauge> usage_without_nodes{options.usage_resources, [&](std::string resource) -> Gauge& {
                                       return without_nodes.Add({{"resource", std::move(resource)}});
                                     }};
  Gauge& usage_stale_share =
      OneGauge("huygens_usage_stale_share", "Share of nodes without fresh figures of a resource that has a ceiling.");
  Gauge& usage_steps_aside = OneGauge("huygens_usage_check_steps_aside",
                                      "1 while the check usage lets everything pass since too many nodes are stale.");
  Family<Gauge>& all_overcommitted =
      Gauges("huygens_overcommitted", "Zones, nodes and business groups that have given away more than they have.");
  ByValue<Gauge> overcommitted{std::span(kOvercommitted), [&](std::string what) -> Gauge& {
                                 return all_overcommitted.Add({{"what", std::move(what)}});
                               }};
  ByValue<Gauge> usage_history =
      EachGauge("huygens_usage_history_seconds", "How much of the window real use of the resource was measured.",
                "resource", options.usage_resources);
  ByValue<Gauge> usage_reports = EachGauge("huygens_usage_check_reports_only",
                                           "1 while too little was measured for the check usage to refuse anything.",
                                           "resource", options.usage_resources);
  Gauge& usage_workloads = OneGauge("huygens_usage_workloads", "Workloads whose use is remembered.");
  Counter& usage_displaced =
      OneCounter("huygens_usage_workloads_displaced_total",
                 "Workloads forgotten, and readings not taken in, since usage.maxWorkloads are remembered.");
  Family<Gauge>& hot_nodes =
      Gauges("huygens_usage_hot_nodes", "Nodes above their usage ceiling, now or at the peak of the last week.");
  ByTwoValues<Gauge> hot{options.usage_resources, std::span(kHotWhen),
                         [&](const std::string& resource, std::string when) -> Gauge& {
                           return hot_nodes.Add({{"resource", resource}, {"when", std::move(when)}});
                         }};
  Family<Histogram>& usage_refreshes =
      Histograms("huygens_usage_refresh_duration_seconds", "Time of one refresh from the source of measured use.");
  ByValue<Histogram> usage_refresh{std::span(kUsageRefreshResults), [&](std::string result) -> Histogram& {
                                     return OneHistogram(usage_refreshes, {{"result", std::move(result)}}, kLags);
                                   }};
  Counter& usage_left_out = OneCounter("huygens_usage_values_left_out_total",
                                       "Values from the source of measured use that were no measurements.");
  ByValue<Gauge> quota_groups =
      EachGauge("huygens_quota_groups", "Business groups, by whether they take new pods (ok) or why not.", "state",
                std::span(kQuotaGroupStates));
  std::mutex quotas_mutex;
  std::vector<QuotaFigures> quotas;  // under the mutex
  Gauge& lost_topologies =
      OneGauge("huygens_nodes_topology_lost", "Nodes whose topology object is gone while they are not.");
  Gauge& pods = OneGauge("huygens_pods", "Pods known from the watch or the ledger.");
  Gauge& pods_waiting =
      OneGauge("huygens_pods_waiting", "Pods for which filter found no node and which are remembered for waking.");
  Counter& pods_woken = OneCounter("huygens_pods_woken_total",
                                   "Rejected pods that kube-scheduler was told to try again since a node gained.");
  ByValue<Counter> group_writes =
      EachCounter("huygens_group_status_writes_total", "Writes of charges into the status of business groups.",
                  "result", kGroupWriteResults);
  Counter& group_charges =
      OneCounter("huygens_group_charges_total", "Admission reviews that were charged to a business group.");
  Counter& group_charges_advanced =
      OneCounter("huygens_group_charges_advanced_total",
                 "Charges that were answered out of an advance, before they were written by themselves.");
  Counter& group_advances_recalled =
      OneCounter("huygens_group_advances_recalled_total", "Times that all advances of a group were asked back.");
  Counter& group_charges_expired =
      OneCounter("huygens_group_charges_expired_total",
                 "Admission reviews whose charge was not written before their time was over.");
  ByValue<Counter> wake_writes = EachCounter("huygens_wake_writes_total", "Patches of the annotation huygens.dev/wake.",
                                             "result", std::span(kWakeResults));
  ByValue<Counter> annotations_ignored =
      EachCounter("huygens_annotations_ignored_total",
                  "Times that filter was asked about a pod with a value of this annotation that there is not.",
                  "annotation", options.annotations);
  Gauge& ready = OneGauge("huygens_ready", "1 while /readyz says yes.");
  Gauge& lease_held =
      OneGauge("huygens_bind_lease_held", "1 while this instance holds the Lease that allows it to bind.");
  Counter& lease_incidents =
      OneCounter("huygens_bind_lease_incidents_total",
                 "Times that somebody else than huygens deleted, emptied or replaced the Lease.");
  Gauge& certificate_expiry = OneGauge("huygens_tls_certificate_expiry_timestamp_seconds",
                                       "When the server's certificate in use expires; 0 without TLS.");
  Counter& tls_handshakes_failed = OneCounter("huygens_tls_handshakes_failed_total",
                                              "TLS handshakes that either side refused, or that took too long.");

  Family<Counter>& pod_events =
      Counters("huygens_pod_events_total", "Kubernetes Events about failed binds and refusing budgets.");
  Counter& pod_events_sent = pod_events.Add({{"result", "sent"}});
  Counter& pod_events_suppressed = pod_events.Add({{"result", "suppressed"}});
  Counter& pod_events_failed = pod_events.Add({{"result", "failed"}});
  Counter& log_lines_dropped = OneCounter("huygens_log_lines_dropped_total", "Log lines that nobody took in time.");
  Family<Counter>& decision_log = Counters("huygens_decision_log_records_total", "Decisions for the decision log.");
  Counter& decision_log_written = decision_log.Add({{"result", "written"}});
  Counter& decision_log_dropped = decision_log.Add({{"result", "dropped"}});
  ControllerMetrics controller{registry, options.reconcilers};
  OvercommitMetrics overcommit{registry};
  RuleMetrics rules{registry};
  MoveMetrics moves{registry};
};

Metrics::Metrics(const Options& options) : series_(std::make_unique<Series>(options)) {}
Metrics::~Metrics() = default;

void Metrics::Request(std::string_view verb, std::string_view outcome, size_t bytes_in, size_t bytes_out,
                      Duration duration) {
  Series::Verb& series = series_->verbs[verb];
  series.duration[outcome].Observe(Seconds(duration));
  series.bytes_in.Observe(static_cast<double>(bytes_in));
  series.bytes_out.Observe(static_cast<double>(bytes_out));
}

void Metrics::NodeRejected(std::string_view reason, uint64_t count) {
  series_->rejected[reason].Increment(static_cast<double>(count));
}

void Metrics::NodeWouldBeRejected(std::string_view reason, uint64_t count) {
  series_->would_be_rejected[reason].Increment(static_cast<double>(count));
}

void Metrics::AnnotationIgnored(std::string_view annotation) { series_->annotations_ignored[annotation].Increment(); }

void Metrics::PodWouldBeRejected(std::string_view check) { series_->pods_would_be_rejected[check].Increment(); }

void Metrics::BindApi(std::string_view outcome, Duration duration) {
  series_->bind_api[outcome].Observe(Seconds(duration));
}

void Metrics::WakeWrite(std::string_view result) { series_->wake_writes[result].Increment(); }
void Metrics::PodsWoken(size_t count) { series_->pods_woken.Increment(static_cast<double>(count)); }

void Metrics::SetReservations(cluster::ReservationState state, size_t count) {
  Gauge* const gauges[] = {&series_->reserved, &series_->assumed, &series_->held};
  Gauge& gauge = *gauges[static_cast<size_t>(state)];
  gauge.Set(static_cast<double>(count));
}

void Metrics::ReservationDrift(size_t found) {
  series_->drift.Set(static_cast<double>(found));
  series_->repaired.Increment(static_cast<double>(found));
}

void Metrics::ReservationOverdue() { series_->overdue.Increment(); }

void Metrics::WatchEvent(cluster::Kind kind, std::string_view type, uint64_t count) {
  series_->Of(kind).events[type].Increment(static_cast<double>(count));
}

void Metrics::WatchLag(cluster::Kind kind, Duration lag) { series_->Of(kind).lag.Observe(std::max(0.0, Seconds(lag))); }

void Metrics::SetWatchSilence(cluster::Kind kind, Duration silence) { series_->Of(kind).silence.Set(Seconds(silence)); }
void Metrics::SetWatchSynced(cluster::Kind kind, bool synced) { series_->Of(kind).synced.Set(synced ? 1 : 0); }

void Metrics::SetNodes(std::string_view topology, std::string_view usage, size_t count) {
  series_->nodes.At(topology, usage).Set(static_cast<double>(count));
}
void Metrics::SetUsageAge(std::string_view resource, double seconds) { series_->usage_age[resource].Set(seconds); }
void Metrics::SetUsageWithoutNodes(std::string_view resource, bool without) {
  series_->usage_without_nodes[resource].Set(without ? 1 : 0);
}
void Metrics::SetUsageStale(double share, bool check_steps_aside) {
  series_->usage_stale_share.Set(share);
  series_->usage_steps_aside.Set(check_steps_aside ? 1 : 0);
}
void Metrics::SetOvercommitted(std::string_view what, size_t count) {
  series_->overcommitted[what].Set(static_cast<double>(count));
}
void Metrics::SetUsageHistory(std::string_view resource, Duration measured, bool report_only) {
  series_->usage_history[resource].Set(Seconds(measured));
  series_->usage_reports[resource].Set(report_only ? 1 : 0);
}
void Metrics::SetUsageWorkloads(size_t count, uint64_t displaced) {
  series_->usage_workloads.Set(static_cast<double>(count));
  RaiseTo(series_->usage_displaced, displaced);
}
void Metrics::SetHotNodes(std::string_view resource, std::string_view when, size_t count) {
  series_->hot.At(resource, when).Set(static_cast<double>(count));
}
void Metrics::UsageRefresh(bool ok, Duration took, uint64_t left_out) {
  series_->usage_refresh[ok ? "ok" : "failed"].Observe(Seconds(took));
  series_->usage_left_out.Increment(static_cast<double>(left_out));
}
void Metrics::SetLostTopologies(size_t count) { series_->lost_topologies.Set(static_cast<double>(count)); }
void Metrics::SetPods(size_t count) { series_->pods.Set(static_cast<double>(count)); }
void Metrics::SetPodsWaiting(size_t count) { series_->pods_waiting.Set(static_cast<double>(count)); }
void Metrics::SetQuotaGroups(std::string_view state, size_t count) {
  series_->quota_groups[state].Set(static_cast<double>(count));
}
void Metrics::SetQuotas(std::vector<QuotaFigures> figures) {
  const std::lock_guard lock(series_->quotas_mutex);
  series_->quotas.swap(figures);
}
void Metrics::SetReady(bool ready) { series_->ready.Set(ready ? 1 : 0); }
void Metrics::SetLeaseHeld(bool held) { series_->lease_held.Set(held ? 1 : 0); }
void Metrics::LeaseIncident(uint64_t times) { series_->lease_incidents.Increment(static_cast<double>(times)); }
void Metrics::TlsHandshakeFailed() { series_->tls_handshakes_failed.Increment(); }
void Metrics::SetCertificateExpiry(Time not_after) {
  series_->certificate_expiry.Set(Seconds(not_after.time_since_epoch()));
}

void Metrics::SetGroupCharges(const GroupCharges& totals) {
  RaiseTo(series_->group_writes["written"], totals.written);
  RaiseTo(series_->group_writes["conflict"], totals.conflicts);
  RaiseTo(series_->group_writes["failed"], totals.failed);
  RaiseTo(series_->group_charges, totals.charged);
  RaiseTo(series_->group_charges_expired, totals.expired);
  RaiseTo(series_->group_charges_advanced, totals.advanced);
  RaiseTo(series_->group_advances_recalled, totals.recalls);
}

void Metrics::SetTotals(const Totals& totals) {
  RaiseTo(series_->pod_events_sent, totals.pod_events_sent);
  RaiseTo(series_->pod_events_suppressed, totals.pod_events_suppressed);
  RaiseTo(series_->pod_events_failed, totals.pod_events_failed);
  RaiseTo(series_->log_lines_dropped, totals.log_lines_dropped);
  RaiseTo(series_->decision_log_written, totals.decision_log_written);
  RaiseTo(series_->decision_log_dropped, totals.decision_log_dropped);
}

ControllerMetrics& Metrics::controller() { return series_->controller; }
OvercommitMetrics& Metrics::overcommit() { return series_->overcommit; }
RuleMetrics& Metrics::rules() { return series_->rules; }
MoveMetrics& Metrics::moves() { return series_->moves; }

std::string Metrics::Render() const {
  std::vector<prometheus::MetricFamily> families = series_->registry.Collect();
  {
    const std::lock_guard lock(series_->quotas_mutex);
    AppendQuotas(families, series_->quotas);
  }
  return RenderFamilies(std::move(families));
}

}  // namespace huygens::observe
