// The operator's settings: `kind: ExtenderConfiguration`, field for field as in the YAML (managedResources ->
// managed_resources), with the defaults. A plain value; docs/configuration.md says what each field means,
// configuration_yaml.h reads it from a file. Relative paths are relative to the working directory. Sections whose
// subject does not exist yet are kept and checked all the same.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "observe/log.h"
#include "placement/placement.h"
#include "quota/options.h"
#include "settings/kept_rules.h"
#include "settings/overcommit.h"
#include "settings/real_capacity.h"
#include "settings/rescheduler.h"
#include "settings/scheduling_rules.h"
#include "topology/options.h"
#include "usage/options.h"

namespace huygens::settings {

struct TlsConfiguration {
  std::string cert_file;
  std::string key_file;
  std::string client_ca_file;                // set: client certificates are required
  std::vector<std::string> allowed_clients;  // empty: whomever client_ca_file vouches for
  bool allow_any_client = false;             // without client_ca_file on addresses beyond loopback
};

struct ServerConfiguration {
  std::string address = "127.0.0.1:8888";
  std::string path_prefix = "/";
  std::string admin_address = "127.0.0.1:8889";
  std::optional<TlsConfiguration> tls;  // of `address`; absent: plain HTTP
  bool allow_plain_http = false;        // of `address`, beyond loopback
  bool allow_plain_http_admin = false;  // of `admin_address`, beyond loopback
  int64_t max_body_bytes = int64_t{64} << 20;
  int64_t max_bytes_in_flight = int64_t{256} << 20;  // max_body_bytes, if that is more
  Duration idle_timeout = std::chrono::seconds(180);
  Duration request_deadline = std::chrono::seconds(4);
  Duration shutdown_grace = std::chrono::seconds(20);
  Duration lame_duck = std::chrono::seconds(5);  // of shutdown_grace, request_deadline of which always remains
};

struct KubernetesConfiguration {
  std::string kubeconfig;  // empty: in-cluster service account
};

struct ManifestsConfiguration {
  std::string directory;
  bool write_back = false;
};

// Exactly one of both is set.
struct ClusterConfiguration {
  std::optional<KubernetesConfiguration> kubernetes = KubernetesConfiguration{};
  std::optional<ManifestsConfiguration> manifests;
};

struct FilterConfiguration {
  std::vector<placement::CheckSetting> checks = {"topology", "usage", "quota"};
  bool report_events = false;
  int64_t narrow_to = 0;
};

struct ResourceWeight {
  std::string name;
  int64_t weight = 1;
};

struct TermConfiguration {
  std::string name;
  double weight = 1;
  std::vector<ResourceWeight> resources;
  bool dominant_resource = false;
  std::shared_ptr<policy::RuleOptions> options = nullptr;  // its own; null: as its entry makes them
};

struct PrioritizeConfiguration {
  int64_t max_score = 10;
  std::vector<TermConfiguration> terms = {{"FewestZones", 3}, {"LeastUsed", 2}, {"Balanced", 1}};
};

struct LeaseConfiguration {
  bool enabled = true;
  std::string namespace_name = "kube-system";
  std::string name = "huygens-bind";
  Duration duration = std::chrono::seconds(10);
};

struct BindConfiguration {
  int64_t binders = 16;
  int64_t retries = 3;
  LeaseConfiguration lease;
};

// Named as kubelet's own options are; max-allowable-numa-nodes and strict-cpu-reservation are accepted and change
// nothing.
struct TopologyManagerPolicyOptions {
  bool prefer_closest_numa_nodes = false;
  int64_t max_allowable_numa_nodes = 8;
};
struct CpuManagerPolicyOptions {
  bool full_pcpus_only = false;
  bool distribute_cpus_across_numa = false;
  bool distribute_cpus_across_cores = false;
  bool align_by_socket = false;
  bool prefer_align_cpus_by_uncorecache = false;
  bool strict_cpu_reservation = false;
};

struct KubeletConfiguration {
  kubelet::TopologyManagerPolicy topology_manager_policy = kubelet::TopologyManagerPolicy::kNone;
  kubelet::TopologyManagerScope topology_manager_scope = kubelet::TopologyManagerScope::kContainer;
  TopologyManagerPolicyOptions topology_manager_policy_options;
  std::string cpu_manager_policy = "static";  // none | static
  CpuManagerPolicyOptions cpu_manager_policy_options;
  std::string memory_manager_policy = "Static";  // None | Static
  int64_t threads_per_core = 2;
};

struct RealCapacityConfiguration {
  Duration stale_after = std::chrono::minutes(5);
  topology::WhenStale when_stale = topology::WhenStale::kUseAllocatable;
};

struct TopologyConfiguration {
  std::vector<std::string> managed_resources = {"cpu"};
  KubeletConfiguration kubelet;
  bool nodes_without_topology_pass = true;  // nodesWithoutTopology: pass | reject
  Duration loss_grace = topology::Options().loss_grace;
  bool trust_unmarked_results = false;  // unmarkedResults: ignore | trust
  RealCapacityConfiguration real_capacity;
};

struct HeaderConfiguration {
  std::string name;
  std::string value;
};

struct PrometheusConfiguration {
  std::string url;
  std::string bearer_token_file;
  std::string username;
  std::string password_file;
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
  std::vector<HeaderConfiguration> headers;
  std::vector<std::string> matchers;  // PromQL: cluster="prod"
  std::vector<std::string> replica_labels = {"prometheus_replica", "replica"};
  Duration timeout = std::chrono::seconds(30);
  int64_t max_reply_bytes = int64_t{64} << 20;
  int64_t concurrency = 1;
};

struct UsageResource {
  std::string name;
  std::optional<int64_t> ceiling;  // share of the node's real allocatable, in millionths; absent: score only
  std::string unit;                // for readers
  std::string pod_query;           // PromQL; empty: the one that huygens has for the resource
  std::string node_query;
  usage::WhenUnknown when_stale = usage::WhenUnknown::kUseRequests;
  usage::WhenUnknown when_absent = usage::WhenUnknown::kUseRequests;
};

struct UsageConfiguration {
  std::optional<PrometheusConfiguration> prometheus;  // absent: the embedded history
  std::string history_file;                           // of the embedded history; empty: in memory only
  Duration interval = std::chrono::minutes(1);
  Duration window = std::chrono::hours(7 * 24);
  Duration slot = std::chrono::minutes(15);
  usage::Estimator estimator = usage::Estimator::kPeakOfSum;
  Duration stale_after = std::chrono::minutes(10);
  int64_t max_stale_nodes = 500'000;  // share, in millionths
  Duration min_history = std::chrono::hours(24);
  int64_t replica_quantile = 1'000'000;  // in millionths
  int64_t max_workloads = 200'000;
  std::vector<std::string> run_once_owners = usage::Options().run_once;
  std::vector<UsageResource> resources = {{.name = "cpu", .ceiling = 800'000}, {.name = "memory", .ceiling = 900'000}};
};

struct QuotaConfiguration {
  quota::Enforcement enforcement = quota::Enforcement::kPlacement;
  quota::UnnamedModel unnamed_model = quota::UnnamedModel::kCharge;
  std::string cpu_model_label = "huygens.dev/cpu-model";
  std::string gpu_model_label = "huygens.dev/gpu-model";
  std::string memory_model_label = "huygens.dev/memory-model";
  std::vector<std::string> gpu_resources = quota::KeyOptions().gpu_resources;
  std::vector<std::string> metric_groups;  // whose gauges are exported; "*" = all
};

enum class Autoscalers : uint8_t { kDeny, kWarn };

struct WebhookConfiguration {
  Autoscalers autoscalers = Autoscalers::kDeny;
  bool include_surge = false;
  bool strict_shrink = false;
  bool advance = false;
  std::string controller_user = "system:serviceaccount:kube-system:huygens-controller";
  std::vector<std::string> configurations = {"huygens-webhook"};
};

struct CertificatesConfiguration {
  bool enabled = false;
  std::string namespace_name = "kube-system";
  std::string secret = "huygens-webhook-tls";
  std::string service = "huygens-webhook";
  std::vector<std::string> configurations = {"huygens-webhook"};
};

// `huygens controller` between API servers and whoever measures pods (docs/overcommit.md).
struct MetricsFrontConfiguration {
  bool enabled = false;
  std::string upstream = "https://metrics-server.kube-system.svc";  // without a path
  std::string upstream_ca_file;                                     // empty: the system's authorities
  bool upstream_skip_verify = false;
  std::string token_file = "/var/run/secrets/kubernetes.io/serviceaccount/token";  // empty: none is shown
  std::vector<std::string> autoscalers = {"system:serviceaccount:kube-system:horizontal-pod-autoscaler",
                                          "system:kube-controller-manager"};
  int64_t tolerance = 100'000;  // of kube-controller-manager, in millionths
  Duration cpu_initialization = std::chrono::minutes(5);
  Duration initial_readiness_delay = std::chrono::seconds(30);
};

// External facts as attributes of zones (docs/real-capacity.md).
struct RealCapacityFacts {
  RealCapacityMode mode = RealCapacityMode::kOff;
  ZoneObjects objects = ZoneObjects::kCrane;
  Duration interval = std::chrono::seconds(30);
  Duration period = std::chrono::minutes(1);
  Duration refresh = std::chrono::minutes(2);
  int64_t writes_per_second = 10;
  WithoutListMap without_list_map = WithoutListMap::kRefuse;
  bool take_over = false;
  std::optional<PrometheusConfiguration> prometheus;
  std::vector<FactQuery> queries;
  std::vector<FactAttribute> attributes;
};

struct ControllerConfiguration {
  Duration resync = std::chrono::minutes(5);
  Duration hours_interval = std::chrono::minutes(1);
  LeaseConfiguration lease = {.name = "huygens-controller"};
  CertificatesConfiguration certificates;
  MetricsFrontConfiguration metrics_front;
  RealCapacityFacts real_capacity;
  KeptRulesConfiguration rules;
};

struct WakeConfiguration {
  bool enabled = true;
  Duration min_interval = std::chrono::seconds(1);
};

struct DecisionLogConfiguration {
  std::string path;  // empty: off
  int64_t max_bytes = int64_t{64} << 20;
  double sample = 1.0;
};

struct LogConfiguration {
  observe::LogLevel level = observe::LogLevel::kInfo;
  observe::LogFormat format = observe::LogFormat::kText;
};

struct Configuration {
  ServerConfiguration server;
  ClusterConfiguration cluster;
  FilterConfiguration filter;
  PrioritizeConfiguration prioritize;
  BindConfiguration bind;
  TopologyConfiguration topology;
  UsageConfiguration usage;
  QuotaConfiguration quota;
  WebhookConfiguration webhook;
  ControllerConfiguration controller;
  OvercommitConfiguration overcommit;
  SchedulingRulesConfiguration rules;
  ReschedulerConfiguration rescheduler;
  WakeConfiguration wake;
  DecisionLogConfiguration decision_log;
  LogConfiguration log;
  std::vector<std::string> sections;  // that the file has: "server", "webhook"
};

// What is legal, but does nothing or is not safe, each as a sentence. For a warning at start. Of a file whose sections
// are those of `huygens webhook` or `huygens controller` alone it is said what concerns that service.
std::vector<std::string> Cautions(const Configuration& configuration);

}  // namespace huygens::settings
