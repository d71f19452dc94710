#include "webhook/webhook.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "admin/service_shell.h"
#include "base/steady_now.h"
#include "informer/followed_workloads.h"
#include "informer/reflectors.h"
#include "informer/watch_event_queue.h"
#include "kube/call_pool.h"
#include "net/client.h"
#include "observe/metrics.h"
#include "rule_objects/manifest_rules.h"
#include "rule_objects/watched_rules.h"
#include "settings/overcommit_pools.h"
#include "settings/service_options.h"
#include "webhook/api_status_store.h"
#include "webhook/ca_bundles.h"
#include "webhook/group_commit.h"
#include "webhook/manifest_cluster.h"
#include "webhook/manifest_recommendations.h"
#include "webhook/mutation.h"
#include "webhook/pod_mutation.h"
#include "webhook/review_service.h"
#include "webhook/rule_mutation.h"
#include "webhook/rule_validation.h"
#include "webhook/watched_cluster.h"
#include "webhook/watched_recommendations.h"

namespace huygens::webhook {
namespace {

// Threads that read and write the status of groups: at most so many calls at once, one of each group.
constexpr size_t kWriters = 8;

Rules RulesOf(const settings::Configuration& configuration) {
  Rules rules;
  rules.keys.gpu_resources = configuration.quota.gpu_resources;
  rules.replicas.include_surge = configuration.webhook.include_surge;
  rules.groups.strict_shrink = configuration.webhook.strict_shrink;
  rules.transfers_by = configuration.webhook.controller_user;
  rules.refuse_autoscalers = configuration.webhook.autoscalers == settings::Autoscalers::kDeny;
  return rules;
}

// The name is no other process's.
advances::AdvanceOptions AdvanceOf(const settings::Configuration& configuration) {
  const std::string name = admin::Identity();
  return {.on = configuration.webhook.advance, .instance = name, .name = name};
}

observe::Metrics::Options MetricsOf(const settings::Configuration& configuration) {
  observe::Metrics::Options options = settings::MetricsOptions(configuration.usage);
  options.workloads = true;
  return options;
}

class Webhook final : public admin::RunningService {
 public:
  Webhook(const settings::Configuration& configuration, net::EventLoop& loop, observe::Log& log, const Clock& clock)
      : configuration_(configuration),
        loop_(loop),
        log_(log),
        clock_(clock),
        rules_(RulesOf(configuration)),
        pools_(configuration.overcommit),
        metrics_(MetricsOf(configuration)) {}
  ~Webhook() override;

  Status Start();
  uint16_t port() const override { return shell_->port(); }
  uint16_t admin_port() const override { return shell_->admin_port(); }
  void Drain(std::function<void()> done) override {
    if (commit_ != nullptr) commit_->GiveAdvancesBack();
    shell_->Drain([done = std::move(done)](size_t) { done(); });
  }
  void EndLameDuck() override { shell_->EndLameDuck(); }

 private:
  Status ReadManifests(const std::string& directory);
  Status FollowApiServer();
  Status FollowRecommendations();
  Status FollowRules();
  void Handle(const net::Request& request, const net::Respond& respond);
  Status StartShell();
  observe::Readiness Describe() const;
  void RefreshMetrics();
  void After(Duration delay, std::function<void()> task);

  const settings::Configuration configuration_;
  net::EventLoop& loop_;
  observe::Log& log_;
  const Clock& clock_;
  const Rules rules_;
  const settings::OvercommitPools pools_;
  observe::Metrics metrics_;
  std::optional<net::ClientOptions> api_server_;  // nothing: manifests stand in for it
  ResourceNames names_;
  std::unique_ptr<informer::FollowedWorkloads> workloads_;
  std::unique_ptr<KnownCluster> cluster_;
  WatchedCluster* watched_ = nullptr;  // the same, if watches tell of it
  std::unique_ptr<informer::WatchEventQueue> queue_;
  std::unique_ptr<informer::Reflectors> reflectors_;
  std::unique_ptr<kube::CallPool> calls_;
  std::unique_ptr<StatusStore> store_;
  std::unique_ptr<GroupCommit> commit_;  // null: nothing is written
  std::unique_ptr<ReviewService> service_;
  std::unique_ptr<KnownRecommendations> recommendations_;
  WatchedRecommendations* watched_recommendations_ = nullptr;  // the same, if a watch tells of them
  std::unique_ptr<PodMutation> pod_mutation_;
  std::unique_ptr<rule_objects::KnownRules> scheduling_rules_;
  rule_objects::WatchedRules* watched_rules_ = nullptr;  // the same, if watches tell of them
  std::unique_ptr<RuleMutation> rule_mutation_;
  std::unique_ptr<Mutation> mutation_;
  std::unique_ptr<RuleValidation> rule_validation_;
  std::unique_ptr<CaBundles> ca_bundles_;  // null: no API server asks
  std::unique_ptr<admin::ServiceShell> shell_;
  std::map<uint64_t, net::Timer> pauses_;
  uint64_t last_pause_ = 0;
};

}  // namespace

Status Webhook::Start() {
  const auto& manifests = configuration_.cluster.manifests;
  HUYGENS_RETURN_IF_ERROR(manifests ? ReadManifests(manifests->directory) : FollowApiServer());
  std::function<void(Duration, std::function<void()>)> after;  // manifests are read once
  if (watched_ != nullptr) after = [this](Duration delay, auto task) { After(delay, std::move(task)); };
  service_ = std::make_unique<ReviewService>(*cluster_, rules_, commit_.get(), configuration_.server.path_prefix,
                                             ReviewService::Environment{log_, metrics_, SteadyNow, after});
  pod_mutation_ = std::make_unique<PodMutation>(
      pools_, *recommendations_, PodMutation::Environment{.log = log_, .metrics = metrics_, .clock = clock_});
  rule_mutation_ =
      std::make_unique<RuleMutation>(configuration_.rules, *scheduling_rules_,
                                     RuleMutation::Environment{.log = log_, .metrics = metrics_, .clock = clock_});
  const std::string& prefix = configuration_.server.path_prefix;
  mutation_ = std::make_unique<Mutation>(*rule_mutation_, *scheduling_rules_, *pod_mutation_, prefix,
                                         Mutation::Environment{.metrics = metrics_, .monotonic = SteadyNow});
  rule_validation_ = std::make_unique<RuleValidation>(
      configuration_.rules, *scheduling_rules_, prefix,
      RuleValidation::Environment{.log = log_, .metrics = metrics_, .monotonic = SteadyNow, .after = std::move(after)});
  HUYGENS_RETURN_IF_ERROR(StartShell());
  if (ca_bundles_ != nullptr) ca_bundles_->Start();
  return absl::OkStatus();
}

Status Webhook::ReadManifests(const std::string& directory) {
  auto cluster = std::make_unique<ManifestCluster>(rules_);
  HUYGENS_RETURN_IF_ERROR(Annotate(cluster->Load(directory), "cluster.manifests.directory"));
  cluster_ = std::move(cluster);
  auto recommendations = std::make_unique<ManifestRecommendations>();
  HUYGENS_RETURN_IF_ERROR(Annotate(recommendations->Load(directory), "cluster.manifests.directory"));
  recommendations_ = std::move(recommendations);
  auto rules = std::make_unique<rule_objects::ManifestRules>();
  HUYGENS_RETURN_IF_ERROR(Annotate(rules->Load(directory), "cluster.manifests.directory"));
  scheduling_rules_ = std::move(rules);
  return absl::OkStatus();
}

Status Webhook::FollowApiServer() {
  HUYGENS_ASSIGN_OR_RETURN(api_server_, settings::ApiServer(*configuration_.cluster.kubernetes, log_));
  workloads_ = std::make_unique<informer::FollowedWorkloads>(names_, loop_, log_, metrics_);
  auto watched = std::make_unique<WatchedCluster>(names_, *workloads_);
  watched_ = watched.get();
  cluster_ = std::move(watched);
  queue_ = std::make_unique<informer::WatchEventQueue>(*watched_, loop_, log_, metrics_);
  reflectors_ = std::make_unique<informer::Reflectors>(names_, *queue_);
  calls_ = std::make_unique<kube::CallPool>(loop_);
  store_ = std::make_unique<ApiStatusStore>(*calls_, log_, clock_);
  commit_ = std::make_unique<GroupCommit>(
      watched_->ledger(), *store_,
      GroupCommit::Environment{.clock = clock_,
                               .monotonic = SteadyNow,
                               .after = [this](Duration delay, auto task) { After(delay, std::move(task)); },
                               .random = SystemRandom()},
      GroupCommitOptions{.advance = AdvanceOf(configuration_)});
  ca_bundles_ = std::make_unique<CaBundles>(
      configuration_.webhook.configurations,
      CaBundles::Environment{.calls = *calls_,
                             .clock = clock_,
                             .log = log_,
                             .after = [this](Duration delay, auto task) { After(delay, std::move(task)); },
                             .served = [this] { return shell_->certificates(); }});
  HUYGENS_RETURN_IF_ERROR(FollowRecommendations());
  HUYGENS_RETURN_IF_ERROR(FollowRules());
  HUYGENS_RETURN_IF_ERROR(calls_->Start(*api_server_, kWriters));
  HUYGENS_RETURN_IF_ERROR(reflectors_->Start(*api_server_, WatchedCluster::kKinds));
  return workloads_->Start(*api_server_);
}

// Not where nobody is lowered by them: then they are none.
Status Webhook::FollowRecommendations() {
  if (pools_.off()) {
    recommendations_ = std::make_unique<ManifestRecommendations>();
    return absl::OkStatus();
  }
  auto watched = std::make_unique<WatchedRecommendations>(names_, loop_, log_, metrics_);
  watched_recommendations_ = watched.get();
  recommendations_ = std::move(watched);
  return watched_recommendations_->Start(*api_server_);
}

// Not where nobody looks at them.
Status Webhook::FollowRules() {
  if (configuration_.rules.mode == settings::SchedulingRulesMode::kOff) {
    scheduling_rules_ = std::make_unique<rule_objects::ManifestRules>();
    return absl::OkStatus();
  }
  auto watched = std::make_unique<rule_objects::WatchedRules>(names_, loop_, log_, metrics_);
  watched_rules_ = watched.get();
  scheduling_rules_ = std::move(watched);
  return watched_rules_->Start(*api_server_);
}

// Timers that nobody cancels: they end with this object.
void Webhook::After(Duration delay, std::function<void()> task) {
  const uint64_t number = ++last_pause_;
  pauses_[number] = loop_.After(delay, [this, number, task = std::move(task)] {
    pauses_.erase(number);
    task();
  });
}

Webhook::~Webhook() {
  shell_.reset();
  if (reflectors_) reflectors_->Stop();
  if (workloads_) workloads_->Stop();
  if (watched_recommendations_ != nullptr) watched_recommendations_->Stop();
  if (watched_rules_ != nullptr) watched_rules_->Stop();
  if (calls_) calls_->Stop();
}

Status Webhook::StartShell() {
  admin::ServiceWork work{
      .handle = [this](const net::Request& request, const net::Respond& respond) { Handle(request, respond); },
      .on_refused = [](const net::RefusedRequest&) {},
      .readiness = [this](bool) { return Describe(); },
      .refresh_metrics = [this] { RefreshMetrics(); },
      .pages = nullptr};
  HUYGENS_ASSIGN_OR_RETURN(
      shell_, admin::ServiceShell::Start(configuration_.server, api_server_ ? &*api_server_ : nullptr,
                                         admin::Identity(), {loop_, log_, clock_, metrics_}, std::move(work)));
  return absl::OkStatus();
}

void Webhook::Handle(const net::Request& request, const net::Respond& respond) {
  if (request.path == rule_validation_->path()) return rule_validation_->Handle(request, respond);
  if (request.path == mutation_->path()) return mutation_->Handle(request, respond);
  service_->Handle(request, respond);
}

void Webhook::RefreshMetrics() {
  metrics_.SetReady(!shell_->draining() && Describe().Ready());
  if (!rule_mutation_->off()) rule_mutation_->CountRules();
  if (commit_ == nullptr) return;
  const GroupCommitCounts& counts = commit_->counts();
  metrics_.SetGroupCharges({.written = counts.writes,
                            .conflicts = counts.conflicts,
                            .failed = counts.failures,
                            .charged = counts.charges,
                            .expired = counts.expired,
                            .advanced = counts.advanced,
                            .recalls = counts.recalls});
}

observe::Readiness Webhook::Describe() const {
  if (watched_ == nullptr) return observe::Readiness{{{.name = "manifests", .detail = "read"}}};
  observe::Readiness readiness{watched_->Describe(*queue_)};
  std::ranges::move(workloads_->Describe(), std::back_inserter(readiness.items));
  if (watched_recommendations_ != nullptr) readiness.items.push_back(watched_recommendations_->Describe());
  if (watched_rules_ != nullptr) {
    std::ranges::move(watched_rules_->Describe(), std::back_inserter(readiness.items));
  }
  std::ranges::move(ca_bundles_->Describe(), std::back_inserter(readiness.items));
  return readiness;
}

StatusOr<std::unique_ptr<admin::RunningService>> StartWebhook(const settings::Configuration& configuration,
                                                              net::EventLoop& loop, observe::Log& log,
                                                              const Clock& clock) {
  auto webhook = std::make_unique<Webhook>(configuration, loop, log, clock);
  HUYGENS_RETURN_IF_ERROR(webhook->Start());
  return std::unique_ptr<admin::RunningService>(std::move(webhook));
}

}  // namespace huygens::webhook
