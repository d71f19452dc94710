#include "extender/extender.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "admin/debug_pages.h"
#include "admin/service_shell.h"
#include "extender/bind.h"
#include "extender/cluster_updates.h"
#include "extender/context.h"
#include "extender/kubernetes_backend.h"
#include "extender/manifest_backend.h"
#include "extender/service.h"
#include "extender/waker.h"
#include "informer/followed_kinds.h"
#include "json/document.h"
#include "observe/decision_log.h"
#include "observe/decision_ring.h"
#include "oversight/overcommit_watch.h"
#include "oversight/quota_watch.h"
#include "oversight/report_watch.h"
#include "oversight/topology_watch.h"
#include "oversight/usage_watch.h"
#include "quota/pod_usage.h"
#include "rescheduler/rescheduler.h"
#include "settings/placement_options.h"
#include "settings/service_options.h"
#include "settings/usage_source.h"
#include "usage_sources/usage_feed.h"

namespace huygens::extender {

using std::chrono::seconds;

namespace {

// How many pods of filter are remembered for bind: more than kube-scheduler ever has between the two.
constexpr size_t kRememberedPods = 4096;
// A reservation whose watch event is so late is settled by a GET.
constexpr auto kOverdue = seconds(60);
// All accounts are compared with a recount, a slice each tenth of a second and all within a minute: at 5000 nodes a
// slice sums the curves of nine anew, which takes about 0.2 ms.
constexpr size_t kReconcileSlices = 600;
// Of Placement::SettleUsage: so few take about 0.2 ms.
constexpr size_t kNodesPerStep = 4;

KubernetesOptions BackendOptions(const settings::BindConfiguration& bind, const net::ClientOptions& api_server,
                                 const std::string& identity) {
  KubernetesOptions options;
  options.api_server = api_server;
  options.binders = static_cast<size_t>(bind.binders);
  options.retries = static_cast<int>(bind.retries);
  options.lease = bind.lease.enabled;
  options.lease_options.namespace_name = bind.lease.namespace_name;
  options.lease_options.name = bind.lease.name;
  options.lease_options.duration = bind.lease.duration;
  options.identity = identity;
  return options;
}

class Extender final : public admin::RunningService {
 public:
  Extender(const settings::Configuration& configuration, net::EventLoop& loop, observe::Log& log, const Clock& clock)
      : configuration_(configuration),
        loop_(loop),
        log_(log),
        clock_(clock),
        identity_(admin::Identity()),
        metrics_(settings::MetricsOptions(configuration_.usage)) {}
  ~Extender() override;

  Status Start();
  uint16_t port() const override { return shell_->port(); }
  uint16_t admin_port() const override { return shell_->admin_port(); }
  void Drain(std::function<void()> done) override;
  void EndLameDuck() override { shell_->EndLameDuck(); }

 private:
  Status MakeCore();      // what decides, and what remembers its decisions
  void FollowCluster();   // what watches and sources of usage bring goes into the core
  void WatchOverCore();   // for operators
  Status StartBackend();  // where all of that comes from, and where binds go
  void MakeVerbs();
  Status StartUsage(const net::ClientOptions* api_server, std::span<const wire::UsageHistory> manifests);
  Status StartShell();
  void WarnOfNode(const cluster::Node& node, const kube::PodWarning& warning) {
    if (backend_) backend_->WarnOfNode(node, warning);
  }
  std::string NotReady() const;
  Status MakeRescheduler();  // before any pod is known
  bool Ready() const { return !shell_->draining() && Describe(false).Ready(); }
  observe::Readiness Describe(bool verbose) const;
  std::vector<observe::Readiness::Item> Notices() const;
  void RefreshMetrics();
  void EverySecond();
  void Reconcile();

  const settings::Configuration configuration_;
  net::EventLoop& loop_;
  observe::Log& log_;
  const Clock& clock_;
  const std::string identity_;
  std::optional<net::ClientOptions> api_server_;  // nothing: manifests stand in for it
  ResourceNames resources_;
  observe::Metrics metrics_;
  observe::DecisionRing ring_;
  std::unique_ptr<observe::DecisionLog> decision_log_;
  std::unique_ptr<usage_sources::PlacedPods> placed_pods_;  // null: nobody looks at usage
  std::unique_ptr<placement::Placement> placement_;
  std::unique_ptr<admin::RecentPods> pods_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<oversight::ReportWatch> report_watch_;
  std::unique_ptr<ClusterUpdates> updates_;
  std::unique_ptr<informer::WatchEventQueue> queue_;
  std::unique_ptr<informer::FollowedKinds> followed_;
  std::unique_ptr<usage_sources::ReadingsQueue> readings_;
  std::unique_ptr<oversight::UsageWatch> usage_watch_;
  std::unique_ptr<oversight::QuotaWatch> quota_watch_;
  std::unique_ptr<oversight::OvercommitWatch> overcommit_watch_;
  std::unique_ptr<oversight::TopologyWatch> topology_watch_;
  std::unique_ptr<usage_sources::UsageFeed> usage_feed_;  // null: nobody looks at usage
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<BindFlow> bind_;
  std::unique_ptr<Waker> waker_;                           // null: nobody is woken
  std::unique_ptr<rescheduler::Rescheduler> rescheduler_;  // null: no pod is moved
  std::unique_ptr<Service> service_;
  std::unique_ptr<admin::ServiceShell> shell_;
  net::Timer every_second_;
  net::Timer reconcile_;
  size_t reconciled_ = 0;  // slices of this pass
  size_t drift_ = 0;       // that they found
};

}  // namespace

Extender::~Extender() {
  shell_.reset();
  if (usage_feed_) usage_feed_->Stop();
  if (rescheduler_) rescheduler_->Stop();
  if (backend_) backend_->Stop();
}

Status Extender::Start() {
  HUYGENS_RETURN_IF_ERROR(MakeCore());
  FollowCluster();
  WatchOverCore();
  for (const std::string& caution : settings::Cautions(configuration_))
    log_.Warn("configuration", {{"caution", caution}});
  HUYGENS_RETURN_IF_ERROR(StartBackend());
  MakeVerbs();
  HUYGENS_RETURN_IF_ERROR(StartShell());
  EverySecond();
  Reconcile();
  return absl::OkStatus();
}

Status Extender::MakeCore() {
  HUYGENS_ASSIGN_OR_RETURN(placement::Options options, settings::PlacementOptions(configuration_, resources_));
  HUYGENS_ASSIGN_OR_RETURN(placement_, placement::Placement::Create(std::move(options)));
  for (cluster::Kind kind : cluster::kKinds)
    if (!placement_->Follows(kind)) metrics_.SetWatchSynced(kind, true);  // nothing of it is missing
  if (!placement_->options().usage.resources.empty()) {
    placed_pods_ = std::make_unique<usage_sources::PlacedPods>(settings::PodsForUsage(configuration_));
    placement_->Observe(*placed_pods_);
  }
  observe::DecisionLog::Options decisions{.path = configuration_.decision_log.path,
                                          .max_bytes = configuration_.decision_log.max_bytes,
                                          .sample = configuration_.decision_log.sample};
  decision_log_ = std::make_unique<observe::DecisionLog>(std::move(decisions), clock_, log_);
  pods_ = std::make_unique<admin::RecentPods>(resources_, kRememberedPods,
                                              configuration_.cluster.manifests ? quota::DefaultPod : nullptr);
  journal_ = std::make_unique<Journal>(*placement_, resources_, metrics_, ring_, *decision_log_);
  context_ = std::make_unique<Context>(
      Context{{*placement_, clock_, log_, metrics_, [this] { return NotReady(); },
               [this](const cluster::Pod& pod, const kube::PodWarning& warning) { backend_->Warn(pod, warning); }},
              resources_,
              *journal_,
              *pods_});
  return absl::OkStatus();
}

void Extender::FollowCluster() {
  updates_ = std::make_unique<ClusterUpdates>(*context_);
  updates_->node_faults().OnNews([this](const auto& node, const auto& warning) { WarnOfNode(node, warning); });
  queue_ = std::make_unique<informer::WatchEventQueue>(*updates_, loop_, log_, metrics_, context_->monotonic);
  followed_ = std::make_unique<informer::FollowedKinds>(KindsToFollow(*placement_), !configuration_.cluster.manifests,
                                                        placement_->state(), *queue_);
  readings_ = std::make_unique<usage_sources::ReadingsQueue>(
      loop_, [this](const usage::Readings& each) { placement_->ApplyUsage(each, clock_.Now()); },
      [this] { return placement_->SettleUsage(kNodesPerStep); });
}

void Extender::WatchOverCore() {
  report_watch_ = std::make_unique<oversight::ReportWatch>(*context_, configuration_.filter.report_events);
  context_->reports = report_watch_.get();
  usage_watch_ = std::make_unique<oversight::UsageWatch>(*context_);
  overcommit_watch_ = std::make_unique<oversight::OvercommitWatch>(*context_);
  quota_watch_ =
      std::make_unique<oversight::QuotaWatch>(*placement_, metrics_, log_, configuration_.quota.metric_groups);
  topology_watch_ = std::make_unique<oversight::TopologyWatch>(
      *context_, [this](const cluster::Node& node, const kube::PodWarning& warning) { WarnOfNode(node, warning); });
}

void Extender::MakeVerbs() {
  bind_ = std::make_unique<BindFlow>(*context_, *backend_, loop_, configuration_.server.request_deadline, identity_);
  if (placement_->options().waiting_pods > 0) {
    waker_ = std::make_unique<Waker>(*context_, *backend_, loop_, configuration_.wake.min_interval);
    waker_->Start();
  }
  service_ = std::make_unique<Service>(*context_, *bind_, configuration_.server.path_prefix);
}

Status Extender::StartBackend() {
  if (const auto& manifests = configuration_.cluster.manifests) {
    auto backend =
        std::make_unique<ManifestBackend>(*context_, loop_, *queue_, manifests->directory, manifests->write_back);
    HUYGENS_RETURN_IF_ERROR(backend->Start());
    HUYGENS_RETURN_IF_ERROR(StartUsage(nullptr, backend->usage_histories()));
    backend_ = std::move(backend);
    return absl::OkStatus();
  }
  HUYGENS_ASSIGN_OR_RETURN(api_server_, settings::ApiServer(*configuration_.cluster.kubernetes, log_));
  HUYGENS_RETURN_IF_ERROR(MakeRescheduler());
  HUYGENS_RETURN_IF_ERROR(StartUsage(&*api_server_, {}));
  backend_ = std::make_unique<KubernetesBackend>(*context_, loop_, *queue_,
                                                 BackendOptions(configuration_.bind, *api_server_, identity_));
  HUYGENS_RETURN_IF_ERROR(backend_->Start());
  return rescheduler_ ? rescheduler_->Start() : absl::OkStatus();
}

Status Extender::MakeRescheduler() {
  if (configuration_.rescheduler.mode == settings::ReschedulerMode::kOff) return absl::OkStatus();
  HUYGENS_ASSIGN_OR_RETURN(
      rescheduler_, rescheduler::Rescheduler::Create(
                        configuration_.rescheduler,
                        {*placement_, loop_, clock_, log_, metrics_, *api_server_, identity_,
                         [this] { return followed_->NotReady().empty(); }, [this] { return backend_->OtherBinder(); },
                         [this] { return followed_->Silence(cluster::Kind::kPod); }}));
  context_->moves = rescheduler_.get();
  return absl::OkStatus();
}

std::string Extender::NotReady() const {
  std::string missing = followed_->NotReady();
  return missing.empty() && rescheduler_ ? rescheduler_->NotReady() : missing;
}

Status Extender::StartUsage(const net::ClientOptions* api_server, std::span<const wire::UsageHistory> manifests) {
  if (placed_pods_ == nullptr) return absl::OkStatus();
  HUYGENS_ASSIGN_OR_RETURN(auto source, settings::MakeUsageSource(configuration_, placement_->options().usage,
                                                                  resources_, *placed_pods_, api_server, manifests));
  if (configuration_.usage.prometheus && !manifests.empty())
    log_.Warn("UsageHistory objects are not used", {{"why", "usage.prometheus is set"}});
  if (!configuration_.usage.prometheus && !manifests.empty()) {
    // Manifests are known at once, their history like their pods: no request comes before.
    const Time now = clock_.Now();
    auto read = source->Refresh(now, [&](const usage::Readings& each) { placement_->ApplyUsage(each, now); });
    HUYGENS_RETURN_IF_ERROR(read.status());
    (void)placement_->SettleUsage();
  }
  usage_feed_ = std::make_unique<usage_sources::UsageFeed>(loop_, clock_, log_, metrics_, *readings_, std::move(source),
                                                           configuration_.usage.interval);
  usage_feed_->Start();
  return absl::OkStatus();
}

Status Extender::StartShell() {
  const auto ignored = [this](std::string_view node) { return updates_->node_faults().Of(node); };
  const auto not_heard_of = [this] {
    std::vector<admin_api::NotHeardOf> said;
    for (const auto& each : followed_->NotHeardOf()) {
      said.push_back({std::string(Name(each.kind)),
                      std::chrono::duration_cast<std::chrono::seconds>(each.silence).count(), each.why});
    }
    return said;
  };
  const auto reschedule = [this] {
    return EncodeJson(rescheduler_ ? rescheduler_->Document() : admin_api::RescheduleDocument{.mode = "off"});
  };
  admin::ServiceWork work{
      .handle = [this](const net::Request& request,
                       const net::Respond& respond) { service_->Handle(request, respond); },
      .on_refused = [this](const net::RefusedRequest& request) { service_->Refused(request); },
      .readiness = [this](bool verbose) { return Describe(verbose); },
      .refresh_metrics = [this] { RefreshMetrics(); },
      .pages = std::make_unique<admin::DebugPages>(admin::DebugSources{loop_, *placement_, resources_, ring_, *pods_,
                                                                       clock_, ignored, not_heard_of, reschedule})};
  HUYGENS_ASSIGN_OR_RETURN(
      shell_, admin::ServiceShell::Start(configuration_.server, api_server_ ? &*api_server_ : nullptr, identity_,
                                         {loop_, log_, clock_, metrics_}, std::move(work)));
  return absl::OkStatus();
}

// Worth knowing, but no reason not to be ready. Some walk all nodes: too much for every probe.
std::vector<observe::Readiness::Item> Extender::Notices() const {
  std::vector<observe::Readiness::Item> items = backend_->Details();
  if (auto item = usage_watch_->Describe()) items.push_back(*std::move(item));
  if (usage_feed_) items.push_back(usage_feed_->Describe());
  if (auto item = overcommit_watch_->Describe()) items.push_back(*std::move(item));
  std::ranges::move(report_watch_->Describe(), std::back_inserter(items));
  if (auto item = topology_watch_->Describe()) items.push_back(*std::move(item));
  return items;
}

observe::Readiness Extender::Describe(bool verbose) const {
  observe::Readiness readiness = followed_->Describe();
  if (rescheduler_) readiness.items.push_back(rescheduler_->Describe());
  if (verbose || !readiness.Ready()) std::ranges::move(Notices(), std::back_inserter(readiness.items));
  return readiness;
}

void Extender::RefreshMetrics() {
  const cluster::State& state = placement_->state();
  for (auto each : cluster::kReservationStates) metrics_.SetReservations(each, state.ledger().Count(each));
  metrics_.SetPods(state.PodCount());
  metrics_.SetPodsWaiting(placement_->waiting().size());
  metrics_.SetReady(Ready());
  for (cluster::Kind kind : cluster::kKinds) metrics_.SetWatchSilence(kind, followed_->Silence(kind));
  usage_watch_->RefreshMetrics();
  quota_watch_->RefreshMetrics();
  overcommit_watch_->RefreshMetrics();
  topology_watch_->RefreshMetrics();
  if (rescheduler_) rescheduler_->RefreshMetrics();
  kube::EventRecorder::Counts events = backend_->PodEvents();
  metrics_.SetTotals({.pod_events_sent = events.sent,
                      .pod_events_suppressed = events.suppressed,
                      .pod_events_failed = events.failed,
                      .log_lines_dropped = log_.dropped(),
                      .decision_log_written = decision_log_->written(),
                      .decision_log_dropped = decision_log_->dropped()});
}

void Extender::Reconcile() {
  reconcile_ = loop_.After(std::chrono::milliseconds(100), [this] { Reconcile(); });
  drift_ += placement_->Reconcile(placement_->state().NodeSlots() / kReconcileSlices + 1);
  if (++reconciled_ < kReconcileSlices) return;
  reconciled_ = 0;
  const size_t drift = std::exchange(drift_, 0);
  metrics_.ReservationDrift(drift);
  if (drift > 0) log_.Error("accounts differed from a recount and were repaired", {{"accounts", drift}});
}

void Extender::EverySecond() {
  every_second_ = loop_.After(seconds(1), [this] { EverySecond(); });
  if (usage_feed_ && usage_feed_->heard() && readings_->Empty()) usage_watch_->EverySecond();
  if (placed_pods_ && placement_->state().Synced(cluster::Kind::kPod)) placed_pods_->SetComplete();
  topology_watch_->EverySecond(context_->monotonic());
  if (waker_) waker_->EverySecond();
  report_watch_->EverySecond();
  placement_->ExpireHolds(clock_.Now());
  overcommit_watch_->EverySecond();
  bind_->SettleOverdue(kOverdue);
}

void Extender::Drain(std::function<void()> done) {
  if (rescheduler_) rescheduler_->Stop();
  backend_->Drain();
  shell_->Drain([this, done = std::move(done)](size_t cut) {
    if (cut > 0) log_.Warn("shutdownGrace is over", {{"requests", cut}, {"bindings", bind_->InFlight()}});
    done();
  });
}

StatusOr<std::unique_ptr<admin::RunningService>> StartExtender(const settings::Configuration& configuration,
                                                               net::EventLoop& loop, observe::Log& log,
                                                               const Clock& clock) {
  auto extender = std::make_unique<Extender>(configuration, loop, log, clock);
  HUYGENS_RETURN_IF_ERROR(extender->Start());
  return std::unique_ptr<admin::RunningService>(std::move(extender));
}

}  // namespace huygens::extender
