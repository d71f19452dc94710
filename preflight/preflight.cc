#include "preflight/preflight.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "kube/kubeconfig.h"
#include "kube/yaml_file.h"
#include "placement/placement.h"
#include "preflight/ask_api_server.h"
#include "preflight/judge_certificates.h"
#include "preflight/judge_leader.h"
#include "preflight/judge_scheduler.h"
#include "preflight/judge_topology.h"
#include "preflight/permissions.h"
#include "preflight/usage.h"
#include "settings/configuration.h"

namespace huygens::preflight {

namespace {

StatusOr<SchedulerConfiguration> ReadScheduler(const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(const std::vector<std::string> documents, kube::ReadYamlAsJson(path));
  for (const std::string& json : documents) {
    auto scheduler = DecodeSchedulerConfiguration(json);
    if (!scheduler.ok()) return Annotate(scheduler.status(), path);
    if (scheduler->kind == "KubeSchedulerConfiguration") return scheduler;
  }
  return NotFound(Concat(path, " holds no KubeSchedulerConfiguration"));
}

class Preflight {
 public:
  Preflight(const settings::Configuration& configuration, const Options& options, const Clock& clock,
            const std::function<void(std::string_view)>& progress)
      : configuration_(configuration), options_(options), clock_(clock), progress_(progress) {}

  Findings Take() {
    for (const std::string& caution : settings::Cautions(configuration_)) {
      Add(Group::kConfiguration, Severity::kWarning, caution);
    }
    Modes();
    const bool api = !configuration_.cluster.manifests;
    if (api) LoadCredentials();
    if (!api || api_server_) Read();
    if (api_server_) Permissions();
    Usage();
    Scheduler();
    Certificates();
    return std::move(findings_);
  }

 private:
  void Add(Group group, Severity severity, std::string what, std::string why = "", std::string mend = "") {
    findings_.push_back({group, severity, std::move(what), std::move(why), std::move(mend)});
  }
  void Add(Findings more) { std::ranges::move(more, std::back_inserter(findings_)); }

  // What only reports, or only scores, stops no pod.
  void AddOf(placement::Need need, Findings more) {
    for (Finding& each : more) {
      if (placement::ModeOf(configuration_.filter.checks, need) != policy::CheckMode::kEnforce) {
        each.severity = std::min(each.severity, Severity::kWarning);
      }
    }
    Add(std::move(more));
  }

  void Modes() {
    std::string enforced, reports;
    for (const placement::CheckSetting& each : configuration_.filter.checks) {
      if (each.mode == policy::CheckMode::kOff) continue;
      std::string& names = each.mode == policy::CheckMode::kEnforce ? enforced : reports;
      names += Concat(names.empty() ? "" : ", ", each.name);
    }
    Add(Group::kConfiguration, Severity::kOk,
        Concat("enforced: ", enforced.empty() ? "no check" : enforced,
               reports.empty() ? "" : Concat("; only reporting: ", reports)));
  }

  bool Elsewhere() const { return !options_.kubeconfig.empty(); }

  void LoadCredentials() {
    const std::string& file = Elsewhere() ? options_.kubeconfig : configuration_.cluster.kubernetes->kubeconfig;
    auto loaded = file.empty() ? kube::InCluster() : kube::LoadKubeconfig(file);
    if (loaded.ok()) {
      api_server_ = *std::move(loaded);
      return;
    }
    Add(Group::kCluster, Severity::kError, "there are no credentials for the API server",
        std::string(Message(loaded.status())),
        file.empty()
            ? Concat("outside of the pod of huygens: huygens preflight --config ",
                     options_.config.empty() ? "FILE" : options_.config, " --kubeconfig ~/.kube/config")
            : Concat("kubectl --kubeconfig ", file, " config view      # what there is\n", "kubectl --kubeconfig ",
                     file, " get nodes        # whether it works\n",
                     Elsewhere() ? "or another file: --kubeconfig" : "or another file: cluster.kubernetes.kubeconfig"));
  }

  // What to try where nobody answers.
  std::string Reach() const {
    const std::string& file = Elsewhere() ? options_.kubeconfig : configuration_.cluster.kubernetes->kubeconfig;
    return Concat("is that the API server, does it run, and can it be reached from here?\ncurl -k ",
                  api_server_->base_url, "/readyz",
                  file.empty() ? std::string() : Concat("\nkubectl --kubeconfig ", file, " cluster-info"));
  }

  void Read() {
    progress_("reading nodes, pods and topology objects");
    auto cluster = ReadCluster(configuration_, api_server_ ? &*api_server_ : nullptr, options_.read);
    if (!cluster.ok()) {
      Add(Group::kCluster, Severity::kError, "the cluster cannot be read", std::string(Message(cluster.status())));
      return;
    }
    cluster_ = *std::move(cluster);
    if (std::string why = cluster_->Unreachable(); !why.empty() && api_server_) {
      Add(Group::kCluster, Severity::kError, Concat("the API server at ", api_server_->base_url, " does not answer"),
          std::move(why), Reach());
      cluster_ = nullptr;
      api_server_.reset();  // nothing more is asked of it
      return;
    }
    Add(JudgeCluster(*cluster_, configuration_));
    if (cluster_->Of(cluster::Kind::kNode).state != kube::WatchState::kSynced) {
      cluster_ = nullptr;  // there is nothing to say about nodes that nobody could list
      return;
    }
    if (placement::ModeOf(configuration_.filter.checks, &policy::Needs::zones) == policy::CheckMode::kOff) {
      Add(Group::kTopology, Severity::kOk, "the check topology is off");
    } else if (cluster_->Knows(cluster::Kind::kCraneTopology) && cluster_->Knows(cluster::Kind::kCommunityTopology)) {
      AddOf(&policy::Needs::zones, JudgeTopology(*cluster_->placement, configuration_, clock_.Now()));
      Kubelets();
    }
    AddOf(&policy::Needs::budgets, JudgeGroups(*cluster_));
  }

  // Evenly spread over the nodes, which are often numbered by kind.
  void Kubelets() {
    if (!api_server_ || options_.kubelets == 0) return;
    const cluster::State& state = cluster_->placement->state();
    std::vector<std::string> nodes;
    for (cluster::NodeIndex index = 0; index < state.NodeSlots(); ++index) {
      if (const cluster::Node* node = state.GetNode(index)) nodes.push_back(node->name);
    }
    std::vector<std::string> asked;
    for (size_t i = 0; i < std::min(nodes.size(), options_.kubelets); ++i) {
      asked.push_back(nodes[i * nodes.size() / std::min(nodes.size(), options_.kubelets)]);
    }
    progress_("asking kubelets how they are configured");
    auto client = net::Client::Create(*api_server_);
    if (client.ok()) Add(JudgeKubelets(*cluster_->placement, AskKubelets(**client, asked, options_.call)));
  }

  void Permissions() {
    progress_("asking what huygens may do");
    auto client = net::Client::Create(*api_server_);
    if (!client.ok()) return;  // said by Read
    Add(JudgePermissions(
        AskAccess(**client, PermissionsFor(configuration_, cluster_ && cluster_->HasBudgetOfDevices()),
                  options_.account, options_.call),
        options_.account.empty() ? "the account of the kubeconfig" : Concat("service account ", options_.account)));
  }

  void Usage() {
    if (!cluster_) return;
    if (!placement::LooksAtUsage(cluster_->placement->options())) {
      Add(Group::kUsage, Severity::kOk, "nothing looks at real use");
      return;
    }
    progress_("asking what measures real use");
    if (configuration_.usage.prometheus) {
      PrometheusSeries series = AskPrometheus(configuration_, clock_.Now());
      series.elsewhere = Elsewhere();
      AddOf(&policy::Needs::ceilings, JudgePrometheus(series, *cluster_->placement, configuration_));
    } else if (api_server_) {
      AddOf(&policy::Needs::ceilings, JudgeMetrics(AskMetricsApi(*api_server_, cluster_->resources),
                                                   *cluster_->placement, configuration_, clock_.Now()));
    }
  }

  void Scheduler() {
    if (options_.scheduler_config.empty()) return;
    const auto scheduler = ReadScheduler(options_.scheduler_config);
    if (!scheduler.ok()) {
      Add(Group::kScheduler, Severity::kError, "kube-scheduler's configuration cannot be read",
          std::string(Message(scheduler.status())));
      return;
    }
    Add(JudgeScheduler(*scheduler, configuration_));
    if (const auto* ours = OursAmong(*scheduler, configuration_)) scheduler_tls_ = ours->tls;
    if (api_server_ && scheduler->leader_election.leader_elect) Leader(scheduler->leader_election);
  }

  void Leader(const SchedulerConfiguration::LeaderElection& election) {
    auto client = net::Client::Create(*api_server_);
    if (!client.ok()) return;  // said by Read
    Add(JudgeLeader(election, AskLease(**client, election.namespace_name, election.name, options_.call), clock_.Now()));
  }

  void Certificates() {
    progress_("looking at certificates");
    std::vector<CertificatesAt> certificates;
    const std::string renew = "see docs/operations.md#certificates: config/tls/make_certificates DIRECTORY";
    const auto file = [&](std::string_view what, const std::string& path, std::string_view when_bad) {
      // The paths of kube-scheduler's file are relative to where it runs.
      certificates.push_back({.what = std::string(what),
                              .where = path,
                              .when_bad = std::string(when_bad),
                              .renew = renew,
                              .read = net::ReadCertificateFile(path),
                              .elsewhere = Elsewhere()});
    };
    const auto& tls = configuration_.server.tls;
    if (tls) {
      file("certificate of huygens' server", tls->cert_file, "kube-scheduler refuses it, and every pod stays pending.");
      if (!tls->client_ca_file.empty()) {
        file("authorities for kube-scheduler's certificate", tls->client_ca_file,
             "Every handshake with kube-scheduler is refused.");
        certificates.back().authorities = true;
      }
    }
    if (scheduler_tls_ && !scheduler_tls_->cert_file.empty()) {
      file("client certificate of kube-scheduler", scheduler_tls_->cert_file,
           "huygens refuses it, and every pod stays pending.");
      certificates.back().elsewhere = true;
      if (tls) certificates.back().allowed_clients = tls->allowed_clients;
    }
    if (scheduler_tls_ && !scheduler_tls_->ca_file.empty()) {
      file("authorities for huygens' certificate", scheduler_tls_->ca_file, "kube-scheduler refuses huygens.");
      certificates.back().elsewhere = certificates.back().authorities = true;
    }
    if (api_server_) ApiServerCertificates(certificates);
    Add(JudgeCertificates(certificates, clock_.Now()));
  }

  void ApiServerCertificates(std::vector<CertificatesAt>& certificates) {
    const std::string lost = "huygens loses the API server: it does not start, and no bind works.";
    if (!api_server_->cert_data.empty() || !api_server_->cert_file.empty()) {
      const bool data = !api_server_->cert_data.empty();
      certificates.push_back({.what = "client certificate of the kubeconfig",
                              .where = data ? "in the kubeconfig" : api_server_->cert_file,
                              .when_bad = lost,
                              .renew = "make the kubeconfig again (kubeadm kubeconfig user ...), then restart huygens",
                              .read = data ? net::ReadCertificates(api_server_->cert_data)
                                           : net::ReadCertificateFile(api_server_->cert_file)});
    }
    auto seen = net::CertificatesOfServer(*api_server_, options_.call);
    if (seen.ok() && seen->empty()) return;  // plain HTTP
    if (!seen.ok() && !cluster_) return;     // said before
    certificates.push_back({.what = "certificate of the API server",
                            .where = api_server_->base_url,
                            .when_bad = lost,
                            .renew = "kubeadm certs renew apiserver, or whatever your control plane has for it",
                            .read = std::move(seen),
                            .elsewhere = true});
  }

  const settings::Configuration& configuration_;
  const Options& options_;
  const Clock& clock_;
  const std::function<void(std::string_view)>& progress_;
  std::optional<net::ClientOptions> api_server_;
  std::unique_ptr<Cluster> cluster_;  // null: it could not be read
  std::optional<SchedulerExtender::Tls> scheduler_tls_;
  Findings findings_;
};

}  // namespace

Findings Run(const settings::Configuration& configuration, const Options& options, const Clock& clock,
             const std::function<void(std::string_view)>& progress) {
  return Preflight(configuration, options, clock, progress).Take();
}

}  // namespace huygens::preflight
