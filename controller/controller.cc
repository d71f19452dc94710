#include "controller/controller.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admin/service_shell.h"
#include "base/steady_now.h"
#include "controller/reconcilers.h"
#include "controller/started_front.h"
#include "controller/watched_cluster.h"
#include "kube/leader_election.h"
#include "metrics_front/front.h"
#include "net/client.h"
#include "observe/controller_metrics.h"
#include "observe/metrics.h"
#include "reconcile/leader_calls.h"
#include "reconcile/reconcile_loop.h"
#include "settings/service_options.h"

namespace huygens::controller {
namespace {

// Threads for calls, and with them groups that are written at once, each with one write under way.
constexpr size_t kCalls = 8;
// Between looks whether what must be known for the first time is known.
constexpr Duration kReadyPause = std::chrono::milliseconds(200);
constexpr Duration kForEver = std::chrono::hours(1);

observe::Metrics::Options MetricsOf(const settings::Configuration& configuration) {
  observe::Metrics::Options options = settings::MetricsOptions(configuration.usage);
  options.workloads = true;
  options.reconcilers = {std::begin(kReconcilerNames), std::end(kReconcilerNames)};
  return options;
}

class Controller final : public admin::RunningService {
 public:
  Controller(const settings::Configuration& configuration, net::EventLoop& loop, observe::Log& log, const Clock& clock)
      : configuration_(configuration),
        loop_(loop),
        log_(log),
        clock_(clock),
        metrics_(MetricsOf(configuration)),
        cluster_(loop, log, metrics_) {}
  ~Controller() override;

  Status Start();
  uint16_t port() const override { return shell_->port(); }
  uint16_t admin_port() const override { return shell_->admin_port(); }
  // Ends its duties and gives the Lease up, so that another instance need not wait for its end.
  void Drain(std::function<void()> done) override;
  void EndLameDuck() override {}

 private:
  Status StartElection();
  Status StartShell();
  void MakeLoops();
  void Lead(uint64_t term);
  void StopLeading(std::string_view why);
  // The reconcilers that know what they must begin; the others are looked at again.
  void BeginLoops();
  std::string NotReady() const;
  observe::Readiness Describe() const;
  void RefreshMetrics();

  const settings::Configuration configuration_;
  net::EventLoop& loop_;
  observe::Log& log_;
  const Clock& clock_;
  const std::string identity_ = admin::Identity();
  observe::Metrics metrics_;
  net::ClientOptions api_server_;
  WatchedCluster cluster_;
  std::unique_ptr<reconcile::LeaderCalls> calls_;
  std::unique_ptr<const admin::Pages> pages_;  // until the shell has them
  std::vector<std::unique_ptr<reconcile::Reconciler>> reconcilers_;
  std::vector<std::unique_ptr<reconcile::ReconcileLoop>> loops_;  // one of each
  std::unique_ptr<kube::LeaderElection> election_;                // null: it leads alone
  bool leads_ = false;
  net::Timer begin_;
  std::unique_ptr<metrics_front::Front> front_;  // null: nobody asks this for metrics
  std::unique_ptr<admin::ServiceShell> shell_;
};

}  // namespace

Status Controller::Start() {
  if (!configuration_.cluster.kubernetes) {
    return Invalid("cluster.kubernetes: is needed; manifests have no status to be written");
  }
  HUYGENS_ASSIGN_OR_RETURN(api_server_, settings::ApiServer(*configuration_.cluster.kubernetes, log_));
  calls_ = std::make_unique<reconcile::LeaderCalls>(loop_, api_server_, kCalls);
  MakeLoops();
  HUYGENS_RETURN_IF_ERROR(cluster_.Start(api_server_));
  HUYGENS_ASSIGN_OR_RETURN(front_, StartFront(configuration_.controller.metrics_front, api_server_, identity_,
                                              {loop_, log_, metrics_, clock_}));
  HUYGENS_RETURN_IF_ERROR(StartShell());
  if (configuration_.controller.lease.enabled) return StartElection();
  Lead(1);
  return absl::OkStatus();
}

void Controller::MakeLoops() {
  reconcilers_ = MakeReconcilers({.configuration = configuration_,
                                  .identity = identity_,
                                  .api_server = api_server_,
                                  .loop = loop_,
                                  .log = log_,
                                  .metrics = metrics_,
                                  .clock = clock_,
                                  .cluster = cluster_,
                                  .calls = *calls_,
                                  .pages = pages_});
  const reconcile::ReconcileLoop::Environment environment{
      .clock = clock_,
      .log = log_,
      .monotonic = SteadyNow,
      .after = [this](Duration delay, std::function<void()> task) { loop_.After(delay, std::move(task)).Detach(); },
      .random = SystemRandom()};
  for (const auto& each : reconcilers_) {
    loops_.push_back(std::make_unique<reconcile::ReconcileLoop>(*each, environment, configuration_.controller.resync,
                                                                reconcile::WorkQueue::Options{.parallel = kCalls}));
  }
}

Status Controller::StartElection() {
  const settings::LeaseConfiguration& lease = configuration_.controller.lease;
  HUYGENS_ASSIGN_OR_RETURN(std::unique_ptr<net::Client> client, net::Client::Create(api_server_));
  election_ = std::make_unique<kube::LeaderElection>(
      std::move(client), std::make_unique<SteadyWaiter>(), clock_, loop_,
      kube::LeaderElection::Options{.lease = {.namespace_name = lease.namespace_name,
                                              .name = lease.name,
                                              .identity = identity_,
                                              .duration = lease.duration}},
      kube::LeaderElection::Duties{.begin = [this](uint64_t term) { Lead(term); },
                                   .end = [this](std::string_view why) { StopLeading(why); }});
  election_->Start();
  return absl::OkStatus();
}

void Controller::Lead(uint64_t term) {
  const Status began = calls_->Begin([this] { return election_ == nullptr ? kForEver : election_->Left(); });
  if (!began.ok()) {
    log_.Error("cannot call the API server", {{"why", Message(began)}});
    return;
  }
  leads_ = true;
  log_.Info("leading", {{"identity", identity_}, {"term", term}});
  cluster_.BeginTerm(*calls_);
  BeginLoops();
}

void Controller::BeginLoops() {
  cluster_.LookWhatIsBehind(SteadyNow());
  bool all = true;
  for (size_t i = 0; i < loops_.size(); ++i) {
    if (loops_[i]->leading()) continue;
    if (reconcilers_[i]->NotReady().empty()) {
      loops_[i]->Lead();
    } else {
      all = false;
    }
  }
  if (!all) begin_ = loop_.After(kReadyPause, [this] { BeginLoops(); });
}

void Controller::StopLeading(std::string_view why) {
  begin_.Cancel();
  for (const auto& each : reconcilers_) each->Interrupt();
  if (calls_ != nullptr) calls_->End();  // null: it could not start
  cluster_.EndTerm();
  for (const auto& each : loops_) each->StopLeading();
  if (std::exchange(leads_, false)) log_.Info("leading no more", {{"why", why}});
}

void Controller::Drain(std::function<void()> done) {
  if (election_ != nullptr) election_->Stop();
  StopLeading("stopping");
  shell_->Drain([done = std::move(done)](size_t) { done(); });
}

Controller::~Controller() {
  shell_.reset();
  front_.reset();
  if (election_ != nullptr) election_->Stop();  // calls under way ask it how long they may last
  StopLeading("stopping");
  cluster_.Stop();
}

Status Controller::StartShell() {
  net::Handler handle;  // null: it has no callers
  if (front_ != nullptr) {
    handle = [this](const net::Request& request, const net::Respond& respond) { front_->Handle(request, respond); };
  }
  admin::ServiceWork work{.handle = std::move(handle),
                          .on_refused = [](const net::RefusedRequest&) {},
                          .readiness = [this](bool) { return Describe(); },
                          .refresh_metrics = [this] { RefreshMetrics(); },
                          .pages = std::move(pages_)};
  HUYGENS_ASSIGN_OR_RETURN(shell_, admin::ServiceShell::Start(configuration_.server, &api_server_, identity_,
                                                              {loop_, log_, clock_, metrics_}, std::move(work)));
  return absl::OkStatus();
}

std::string Controller::NotReady() const {
  for (const auto& each : reconcilers_) {
    if (std::string why = each->NotReady(); !why.empty()) return why;
  }
  return {};
}

// Whoever waits for its turn is as ready as whoever leads.
observe::Readiness Controller::Describe() const {
  observe::Readiness readiness;
  cluster_.Describe(readiness);
  if (front_ != nullptr) std::ranges::move(front_->Describe(), std::back_inserter(readiness.items));
  const std::string trouble = leads_ || election_ == nullptr ? "" : election_->trouble();
  const std::string behind = cluster_.Behind();
  readiness.items.push_back({.name = "lease",
                             .detail = leads_            ? Concat("leading", behind.empty() ? "" : "; ", behind)
                                       : trouble.empty() ? "not leading yet"
                                                         : trouble});
  for (const auto& each : reconcilers_) each->Describe(readiness);
  return readiness;
}

void Controller::RefreshMetrics() {
  metrics_.SetReady(!shell_->draining() && NotReady().empty());
  metrics_.controller().SetLeader(leads_);
  for (const auto& each : loops_) {
    metrics_.controller().SetReconciler(each->name(), each->depth(), each->counts().succeeded, each->counts().failed);
  }
  for (const auto& each : reconcilers_) each->RefreshMetrics(metrics_);
}

StatusOr<std::unique_ptr<admin::RunningService>> StartController(const settings::Configuration& configuration,
                                                                 net::EventLoop& loop, observe::Log& log,
                                                                 const Clock& clock) {
  auto controller = std::make_unique<Controller>(configuration, loop, log, clock);
  HUYGENS_RETURN_IF_ERROR(controller->Start());
  return std::unique_ptr<admin::RunningService>(std::move(controller));
}

}  // namespace huygens::controller
