// Every field of the configuration: its name, its kind and range, and the comment that the defaults and the reference
// print. What depends on several fields is in configuration_rules.cc.
#include <chrono>

#include "base/text.h"
#include "kubelet/settings.h"
#include "settings/walk.h"

namespace huygens::settings {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

constexpr int64_t kKi = 1024;
constexpr int64_t kMi = 1024 * kKi;
constexpr int64_t kGi = 1024 * kMi;

constexpr std::string_view kCheckModes[] = {"off", "report", "enforce"};
constexpr std::string_view kWhenStale[] = {"useAllocatable", "useLast", "reject"};
constexpr std::string_view kPassOrReject[] = {"pass", "reject"};
constexpr std::string_view kIgnoreOrTrust[] = {"ignore", "trust"};
constexpr std::string_view kEstimators[] = {"peakOfSum", "sumOfPeaks"};
constexpr std::string_view kWhenUnknown[] = {"useRequests", "pass", "reject"};
constexpr std::string_view kUnits[] = {"cores", "bytes", "iops"};
constexpr std::string_view kEnforcements[] = {"placement", "admission", "off"};
constexpr std::string_view kChargeOrRefuse[] = {"charge", "refuse"};
constexpr std::string_view kAutoscalers[] = {"deny", "warn"};

// Not printed where `absent`, as it is in most items of a list.
Scalar Unless(bool absent, Scalar scalar) {
  if (absent) scalar.text.clear();
  return scalar;
}

// A name that a registry judges: configuration_rules.cc.
Scalar Registered(std::string& name) { return Text(name, "name", AnyText); }

}  // namespace

void Describe(Walk& walk, Configuration& c) {
  walk.Value("apiVersion", Exactly(kApiVersion), "");
  walk.Value("kind", Exactly(kKind), "");
  walk.Section("server", c.server, "What kube-scheduler and operators connect to.");
  walk.Section("cluster", c.cluster, "Where the cluster comes from: exactly one of kubernetes and manifests.");
  walk.Section("filter", c.filter, "Which nodes can take a pod.");
  walk.Section("prioritize", c.prioritize, "How good a node is for a pod.");
  walk.Section("bind", c.bind, "How a decision becomes a Binding.");
  walk.Section("topology", c.topology, "NUMA zones.");
  walk.Section("usage", c.usage, "What pods really used over the last days.");
  walk.Section("quota", c.quota, "Budgets of business groups.");
  walk.Section("webhook", c.webhook, "What `huygens webhook` makes of workloads, autoscalers and groups.");
  walk.Section("controller", c.controller, "What `huygens controller` does, and how often.");
  walk.Section("overcommit", c.overcommit,
               "Requests that fit: what `huygens controller` recommends, and `huygens webhook` makes of pods.");
  walk.Section("rules", c.rules, "Policy as data: what `huygens webhook` makes of SchedulingRules.");
  walk.Section("rescheduler", c.rescheduler, "Moving pods that stand wrong, by `huygens extender`.");
  walk.Section("wake", c.wake,
               "Waking pods that huygens rejected once capacity appears that kube-scheduler cannot see.");
  walk.Section("decisionLog", c.decision_log,
               "Decisions as JSON Lines; the last 1000 are always in memory for explain.");
  walk.Section("log", c.log, "The log on standard error.");
}

void Describe(Walk& walk, ServerConfiguration& c) {
  walk.Value("address", Text(c.address, "address", ListenAddress),
             "the verbs: POST {pathPrefix}/{filter,prioritize,preempt,bind}; :PORT is all interfaces");
  walk.Value("pathPrefix", Text(c.path_prefix, "path", UrlPath), "/ means /filter; /scheduler means /scheduler/filter");
  walk.Value("adminAddress", Text(c.admin_address, "address", ListenAddress),
             "/healthz /readyz /metrics /debug/*, in plain HTTP");
  walk.Optional("tls", c.tls, "TLS for address; absent: plain HTTP. The files are read again when they change.");
  walk.Value("allowPlainHTTP", Flag(c.allow_plain_http), "needed for plain HTTP at address on anything but loopback");
  walk.Value("allowPlainHTTPAdmin", Flag(c.allow_plain_http_admin),
             "needed for adminAddress, which is plain HTTP, on anything but loopback");
  walk.Value("maxBodyBytes", Bytes(c.max_body_bytes, kKi, 4 * kGi), "longer requests get 413");
  walk.Value("maxBytesInFlight", Bytes(c.max_bytes_in_flight, kKi, 64 * kGi),
             "all requests and answers at once; beyond it requests over 64Ki get 503. At least maxBodyBytes");
  walk.Value("idleTimeout", Span(c.idle_timeout, seconds(91), days(1)),
             "above the 90s that kube-scheduler keeps idle connections for");
  walk.Value("requestDeadline", Span(c.request_deadline, milliseconds(100), minutes(5)),
             "below kube-scheduler's httpTimeout: an Error before the client gives up");
  walk.Value("shutdownGrace", Span(c.shutdown_grace, seconds(1), minutes(10)),
             "after SIGTERM, lameDuck included, for requests and binds under way");
  walk.Value("lameDuck", Span(c.lame_duck, seconds(0), minutes(5)),
             "after SIGTERM: not ready, but still serving, each answer the last on its connection");
}

void Describe(Walk& walk, TlsConfiguration& c) {
  walk.Value("certFile", Text(c.cert_file, "file", AnyText), "PEM: the server's certificate, then its chain");
  walk.Value("keyFile", Text(c.key_file, "file", AnyText), "PEM");
  walk.Value("clientCAFile", Text(c.client_ca_file, "file", AnyText),
             "PEM; set: client certificates from these authorities are required");
  walk.Texts("allowedClients", c.allowed_clients, "names", NotEmpty,
             "common or DNS names that may call; empty: everyone clientCAFile vouches for");
  walk.Value("allowAnyClient", Flag(c.allow_any_client),
             "needed for TLS without clientCAFile on anything but loopback: whoever reaches it can place pods");
}

void Describe(Walk& walk, ClusterConfiguration& c) {
  walk.Optional("kubernetes", c.kubernetes, "An API server.");
  walk.Optional("manifests", c.manifests, "A directory of YAML that stands in for an API server.");
}

void Describe(Walk& walk, ManifestsConfiguration& c) {
  walk.Value(
      "directory", Text(c.directory, "directory", AnyText),
      "nodes, topology objects, pods, groups and usage histories, sub-directories included; read once, at start");
  walk.Value("writeBack", Flag(c.write_back), "keep binds in the directory, not only in memory");
}

void Describe(Walk& walk, FilterConfiguration& c) {
  walk.List("checks", c.checks,
            "Asked in this order. A name alone, such as topology, is short for {name: topology, mode: enforce}.",
            "name", OtherChecks(c.checks));
  walk.Value("reportEvents", Flag(c.report_events),
             "a Warning on each pod that a check in mode report would keep off every node, or off the one it is bound "
             "to");
  walk.Value("narrowTo", Integer(c.narrow_to, 0, 1'000'000), "0 = return every feasible node; K = only the K best");
}

void Describe(Walk& walk, placement::CheckSetting& c) {
  walk.Value("name", Registered(c.name), CheckNames());
  walk.Value("mode", Choice(kCheckModes, c.mode),
             "enforce; report = judges, counts and explains, and refuses nothing; off = as if left out");
  DescribeOptionsOf(walk, c);
}

void Describe(Walk& walk, PrioritizeConfiguration& c) {
  walk.Value("maxScore", Integer(c.max_score, 1, 10'000),
             "the best node's score; kube-scheduler multiplies it by the extender's weight");
  walk.List("terms", c.terms,
            Concat("A node's score is the mean of the terms that have an opinion, by weight. ", WhatTermsMean()), "",
            OtherTerms(c.terms));
}

void Describe(Walk& walk, TermConfiguration& c) {
  walk.Value("name", Registered(c.name), TermNames());
  walk.Value("weight", Number(c.weight, 0, 1'000'000), "0 or absence of the term = off");
  walk.Value("dominantResource", Unless(!c.dominant_resource, Flag(c.dominant_resource)),
             "true: LeastUsed goes by the resource used most, not by the mean of all");
  walk.List("resources", c.resources,
            Concat("what ", WeighingTermNames(), " give weight to; any other resource has 1"));
  DescribeOptionsOf(walk, c);
}

void Describe(Walk& walk, ResourceWeight& c) {
  walk.Value("name", Text(c.name, "name", QualifiedName), "cpu, memory, disk, hugepages-2Mi, a device");
  walk.Value("weight", Integer(c.weight, 1, 100), "against the other resources of the pod");
}

void Describe(Walk& walk, BindConfiguration& c) {
  walk.Value("binders", Integer(c.binders, 1, 256), "concurrent Binding calls");
  walk.Value("retries", Integer(c.retries, 0, 10), "on 429, 5xx and broken connections, within requestDeadline");
  walk.Section("lease", c.lease, "The Lease that lets only one instance bind at a time; not used with manifests.");
}

void Describe(Walk& walk, LeaseConfiguration& c) {
  walk.Value("enabled", Flag(c.enabled), "off only where there is never a second instance");
  walk.Value("namespace", Text(c.namespace_name, "name", ObjectName), "where the Lease lives");
  walk.Value("name", Text(c.name, "name", ObjectName), "the same for all instances of one cluster");
  walk.Value("duration", Span(c.duration, seconds(1), hours(1)),
             "whole seconds, the same for all instances; how long a dead one keeps others waiting");
}

void Describe(Walk& walk, TopologyConfiguration& c) {
  walk.Texts("managedResources", c.managed_resources, "resource names", QualifiedName,
             "charged to the zones of managed nodes; cpu first, memory where the agent sets cpuset.mems");
  walk.Section(
      "kubelet", c.kubelet,
      "Assumed of a node that kubelet pins where neither its topology object nor a label says; in the words of "
      "kubelet's own configuration file.");
  walk.Value("nodesWithoutTopology",
             Choice(kPassOrReject, c.nodes_without_topology_pass ? 0 : 1,
                    [&c](size_t position) { c.nodes_without_topology_pass = position == 0; }),
             "a pod that requires topology is rejected either way");
  walk.Value("lossGrace", Span(c.loss_grace, seconds(0), days(7)),
             "how long a topology object that goes while its node stays is waited for; 0s = the node counts as one "
             "without topology at once");
  walk.Value("unmarkedResults",
             Choice(kIgnoreOrTrust, c.trust_unmarked_results ? 1 : 0,
                    [&c](size_t position) { c.trust_unmarked_results = position == 1; }),
             "topology-results of bound pods without huygens.dev/placement: trust while pods that crane-scheduler "
             "placed are still running");
  walk.Section("realCapacity", c.real_capacity, "A zone's offline_capacity: what it can really give.");
}

void Describe(Walk& walk, KubeletConfiguration& c) {
  walk.Value("topologyManagerPolicy", Choice(kubelet::kTopologyManagerPolicies, c.topology_manager_policy),
             "as kubelet's topologyManagerPolicy");
  walk.Value("topologyManagerScope", Choice(kubelet::kTopologyManagerScopes, c.topology_manager_scope),
             "as kubelet's topologyManagerScope");
  walk.Section("topologyManagerPolicyOptions", c.topology_manager_policy_options,
               "As kubelet's topologyManagerPolicyOptions.");
  walk.Value("cpuManagerPolicy", Word(kubelet::kCpuManagerPolicies, c.cpu_manager_policy),
             "as kubelet's cpuManagerPolicy");
  walk.Section("cpuManagerPolicyOptions", c.cpu_manager_policy_options,
               "As kubelet's cpuManagerPolicyOptions: full-pcpus-only refuses what kubelet would refuse with "
               "SMTAlignmentError.");
  walk.Value("memoryManagerPolicy", Word(kubelet::kMemoryManagerPolicies, c.memory_manager_policy),
             "as kubelet's memoryManagerPolicy");
  walk.Value("threadsPerCore", Integer(c.threads_per_core, 1, 8),
             "logical CPUs of one core, where the object has no huygens.dev/cores; 1 with SMT off");
}

void Describe(Walk& walk, TopologyManagerPolicyOptions& c) {
  walk.Value("prefer-closest-numa-nodes", InQuotes(Flag(c.prefer_closest_numa_nodes)),
             "of several sets of zones the nearest");
  walk.Value("max-allowable-numa-nodes", InQuotes(Integer(c.max_allowable_numa_nodes, 8, 64)),
             "accepted, and changes nothing here: the object lists the zones");
}

void Describe(Walk& walk, CpuManagerPolicyOptions& c) {
  walk.Value("full-pcpus-only", InQuotes(Flag(c.full_pcpus_only)),
             "whole cores only; other amounts of CPUs are refused");
  walk.Value("distribute-cpus-across-numa", InQuotes(Flag(c.distribute_cpus_across_numa)),
             "evenly over the zones, where more than one is needed");
  walk.Value("distribute-cpus-across-cores", InQuotes(Flag(c.distribute_cpus_across_cores)),
             "one thread of each core first");
  walk.Value("align-by-socket", InQuotes(Flag(c.align_by_socket)), "sockets instead of zones");
  walk.Value("prefer-align-cpus-by-uncorecache", InQuotes(Flag(c.prefer_align_cpus_by_uncorecache)),
             "CPUs that share a last-level cache, where possible");
  walk.Value("strict-cpu-reservation", InQuotes(Flag(c.strict_cpu_reservation)),
             "accepted, and changes nothing here: it is about pods without CPUs of their own");
}

void Describe(Walk& walk, RealCapacityConfiguration& c) {
  walk.Value("staleAfter", Span(c.stale_after, seconds(1), days(30)), "since offline_capacity_updated");
  walk.Value("whenStale", Choice(kWhenStale, c.when_stale),
             "as if the attribute were absent, as it last was, or no new pod on the zone");
}

void Describe(Walk& walk, UsageConfiguration& c) {
  walk.Optional("prometheus", c.prometheus, "Where the history comes from; absent: the embedded history.");
  walk.Value("historyFile", Text(c.history_file, "file", AnyText),
             "what the embedded history is kept in; \"\" = in memory only, lost with the process");
  walk.Value("interval", Span(c.interval, seconds(1), hours(1)), "between polls");
  walk.Value("window", Span(c.window, hours(1), days(28)), "how far back");
  walk.Value("slot", Span(c.slot, minutes(1), days(1)), "grain of the curves; the window is a whole number of slots");
  walk.Value("estimator", Choice(kEstimators, c.estimator), "greatest sum of the pods' curves, or sum of their peaks");
  walk.Value("staleAfter", Span(c.stale_after, seconds(1), days(1)), "since the last good answer");
  walk.Value("maxStaleNodes", Share(c.max_stale_nodes), "above this share of stale nodes the check steps aside");
  walk.Value("minHistory", Span(c.min_history, seconds(0), days(28)),
             "measured time within the window before the check refuses anything; until then it only reports");
  walk.Value("replicaQuantile", Share(c.replica_quantile),
             "what counts for all replicas of a workload; 1 = the one that uses most, 0.95 = all but the hottest");
  walk.Value("maxWorkloads", Integer(c.max_workloads, 1000, 10'000'000),
             "with history; of more those that nobody runs and that ran longest ago are forgotten");
  walk.Texts("runOnceOwners", c.run_once_owners, "kinds of owners", NotEmpty,
             "whose pods nobody continues: remembered for a day if they ran for less");
  walk.List("resources", c.resources, "What is watched. The ceiling is a share of the node's real allocatable.");
}

void Describe(Walk& walk, PrometheusConfiguration& c) {
  walk.Value("url", Text(c.url, "URL", HttpUrl), "such as http://127.0.0.1:9090");
  walk.Value("bearerTokenFile", Text(c.bearer_token_file, "file", AnyText), "\"\" = none");
  walk.Value("username", Text(c.username, "text", AnyText), "basic authentication, instead of a token; \"\" = none");
  walk.Value("passwordFile", Text(c.password_file, "file", AnyText), "of that user");
  walk.Value("caFile", Text(c.ca_file, "file", AnyText), "PEM; \"\" = the system's authorities");
  walk.Value("certFile", Text(c.cert_file, "file", AnyText), "PEM: a client certificate, then its chain; \"\" = none");
  walk.Value("keyFile", Text(c.key_file, "file", AnyText), "PEM; of certFile");
  walk.List("headers", c.headers, "Sent with each query, such as X-Scope-OrgID for a tenant of Mimir.");
  walk.Texts(
      "matchers", c.matchers, "PromQL matchers", LabelMatcher,
      "added to every selector of huygens' own queries, such as 'cluster=\"prod\"' where one store holds several "
      "clusters; podQuery and nodeQuery stay as written");
  walk.Texts(
      "replicaLabels", c.replica_labels, "label names", LabelName,
      "what the copies of a highly available Prometheus differ by: series that differ by these alone count once");
  walk.Value("timeout", Span(c.timeout, seconds(1), minutes(10)), "of one query");
  walk.Value("maxReplyBytes", Bytes(c.max_reply_bytes, kMi, 4 * kGi),
             "of one answer, uncompressed; where there is more huygens asks for less at a time");
  walk.Value("concurrency", Integer(c.concurrency, 1, 16), "queries at a time, each about another resource");
}

void Describe(Walk& walk, HeaderConfiguration& c) {
  walk.Value("name", Text(c.name, "name", HeaderName), "X-Scope-OrgID");
  walk.Value("value", Text(c.value, "text", HeaderValue), "never logged");
}

void Describe(Walk& walk, UsageResource& c) {
  walk.Value("name", Text(c.name, "name", QualifiedName),
             "cpu, memory, disk-io, disk (ephemeral-storage), or any resource that nodes have");
  walk.Value("ceiling", Share(c.ceiling, 10), "absent: score only");
  walk.Value("unit", Word(kUnits, c.unit), "what the figures count, for readers: huygens does not convert");
  walk.Value("podQuery", Unless(c.pod_query.empty(), Text(c.pod_query, "PromQL", AnyText)),
             "what each pod uses now; absent: the usual series (of cpu, memory, disk-io and disk)");
  walk.Value("nodeQuery", Unless(c.node_query.empty(), Text(c.node_query, "PromQL", AnyText)),
             "what each node uses now; absent: the usual series");
  walk.Value("whenStale", Choice(kWhenUnknown, c.when_stale), "what the check does with a node whose usage is stale");
  walk.Value("whenAbsent", Choice(kWhenUnknown, c.when_absent),
             "what the check does with a node whose usage was never known");
}

void Describe(Walk& walk, QuotaConfiguration& c) {
  walk.Value(
      "enforcement", Choice(kEnforcements, c.enforcement),
      "here, by an admission webhook (`huygens webhook`, or one of yours; models and hours still here), or nowhere");
  walk.Value(
      "unnamedModel", Choice(kChargeOrRefuse, c.unnamed_model),
      "a pod on a node of a model that its labels do not name and its group has a budget of: is charged to it, or "
      "goes to no such node");
  walk.Value("cpuModelLabel", Text(c.cpu_model_label, "label", QualifiedName), "node label that names the CPU model");
  walk.Value("gpuModelLabel", Text(c.gpu_model_label, "label", QualifiedName), "node label that names the GPU model");
  walk.Value("memoryModelLabel", Text(c.memory_model_label, "label", QualifiedName),
             "node label that names the memory model");
  walk.Texts("gpuResources", c.gpu_resources, "patterns of resource names", NotEmpty,
             "resources that the gpu-type label of pods is about; * stands for any text");
  walk.Texts("metricGroups", c.metric_groups, "names of groups", NotEmpty,
             "groups whose budget and use are exported as gauges; \"*\" = all");
}

void Describe(Walk& walk, WebhookConfiguration& c) {
  walk.Value("autoscalers", Choice(kAutoscalers, c.autoscalers),
             "a HorizontalPodAutoscaler whose maxReplicas are more than the budget has: is refused, or told");
  walk.Value("includeSurge", Flag(c.include_surge), "charge the pods, too, that a rollout has at its peak");
  walk.Value("strictShrink", Flag(c.strict_shrink), "refuse a budget below what is used of it");
  walk.Value("advance", Flag(c.advance),
             "write down ahead of need what a busy group is about to take, and answer its creations at once");
  walk.Value("controllerUser", Text(c.controller_user, "user", NotEmpty),
             "the user of `huygens controller`, whose transfers `strictShrink` lets pass");
  walk.Texts("configurations", c.configurations,
             "names of ValidatingWebhookConfigurations, or MutatingWebhookConfiguration/NAME", NotEmpty,
             "whose `caBundle` must name who signed the certificate that is served, or this is not ready; [] = none is "
             "looked at");
}

void Describe(Walk& walk, ControllerConfiguration& c) {
  walk.Value("resync", Span(c.resync, seconds(1), days(1)),
             "between full recounts of all groups, in case something was missed");
  walk.Value("hoursInterval", Span(c.hours_interval, seconds(1), hours(1)),
             "between writes of the hours that a group consumed; at once when they run out");
  walk.Section("lease", c.lease, "The Lease that lets only one instance write.");
  walk.Section(
      "certificates", c.certificates,
      "The certificates of `huygens webhook` under an authority of huygens' own, where nothing else issues them.");
  walk.Section("metricsFront", c.metrics_front,
               "Answers metrics.k8s.io on server.address, so that autoscalers of lowered pods go on as before.");
  walk.Section("realCapacity", c.real_capacity,
               "External facts, by Prometheus or HTTP, as attributes of zones (docs/real-capacity.md).");
  walk.Section("rules", c.rules, "SchedulingRules: objects that are there already, status, history, policies.");
}

void Describe(Walk& walk, MetricsFrontConfiguration& c) {
  walk.Value("enabled", Flag(c.enabled), "needs server.tls with clientCAFile: the authority of front proxies");
  walk.Value("upstream", Text(c.upstream, "URL", HttpUrl), "who measures: metrics-server, or what is in its place");
  walk.Value("upstreamCAFile", Text(c.upstream_ca_file, "file", AnyText), "PEM; \"\" = the system's authorities");
  walk.Value("upstreamInsecureSkipVerify", Flag(c.upstream_skip_verify),
             "whoever is in between can tell any use; metrics-server's own certificate is signed by nobody");
  walk.Value("tokenFile", Text(c.token_file, "file", AnyText), "what upstream is shown; \"\" = nothing");
  walk.Texts("autoscalers", c.autoscalers, "names of users", NotEmpty,
             "who is told another use; everybody else gets what upstream says");
  walk.Value("tolerance", Share(c.tolerance), "as --horizontal-pod-autoscaler-tolerance");
  walk.Value("cpuInitializationPeriod", Span(c.cpu_initialization, seconds(0), hours(1)),
             "as --horizontal-pod-autoscaler-cpu-initialization-period");
  walk.Value("initialReadinessDelay", Span(c.initial_readiness_delay, seconds(0), hours(1)),
             "as --horizontal-pod-autoscaler-initial-readiness-delay");
}

void Describe(Walk& walk, CertificatesConfiguration& c) {
  walk.Value("enabled", Flag(c.enabled), "keeps them; off where cert-manager does, or you");
  walk.Value("namespace", Text(c.namespace_name, "name", NotEmpty), "where webhook, Service and Secret live");
  walk.Value("secret", Text(c.secret, "name", NotEmpty),
             "made if it is absent; one that huygens did not make is left alone");
  walk.Value("service", Text(c.service, "name", NotEmpty), "by which API servers call the webhook");
  walk.Texts("configurations", c.configurations,
             "names of ValidatingWebhookConfigurations, or MutatingWebhookConfiguration/NAME", NotEmpty,
             "whose `caBundle` is written");
}

void Describe(Walk& walk, WakeConfiguration& c) {
  walk.Value("enabled", Flag(c.enabled), "patches the annotation huygens.dev/wake");
  walk.Value("minInterval", Span(c.min_interval, milliseconds(10), hours(1)),
             "between batches of patches: one per node, 16 in all");
}

void Describe(Walk& walk, DecisionLogConfiguration& c) {
  walk.Value("path", Text(c.path, "file", AnyText), "\"\" = off");
  walk.Value("maxBytes", Bytes(c.max_bytes, kMi, 1024 * kGi), "of the file and its one predecessor (path.1) together");
  walk.Value("sample", Share(c.sample), "share of the pods; all decisions on a pod or none");
}

}  // namespace huygens::settings
