#include "settings/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "settings/scalar.h"
#include "settings/yaml.h"
#include "tests/settings/text.h"

namespace huygens::settings {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST(Configuration, TwoLinesAreEnough) {
  Configuration c = Good("");
  EXPECT_EQ(ToYaml(c), ToYaml(Configuration{}));
  EXPECT_EQ(c.server.address, "127.0.0.1:8888");
  EXPECT_TRUE(c.cluster.kubernetes);
  EXPECT_FALSE(c.cluster.manifests);
}

TEST(Configuration, EveryFieldCanBeSet) {
  Configuration c = Good(R"(
server:
  address: 0.0.0.0:1
  pathPrefix: /scheduler
  adminAddress: "[::1]:2"
  tls: {certFile: c, keyFile: k, clientCAFile: ca, allowedClients: [a, b], allowAnyClient: true}
  allowPlainHTTP: true
  allowPlainHTTPAdmin: true
  maxBytesInFlight: 3Mi
  lameDuck: 1s
  maxBodyBytes: 1Mi
  idleTimeout: 2m
  requestDeadline: 500ms
  shutdownGrace: 30s
cluster:
  manifests: {directory: ./cluster, writeBack: true}
filter: {checks: [quota], narrowTo: 100}
prioritize: {maxScore: 100, terms: [{name: Balanced, weight: 0.25}, {name: LeastUsed, dominantResource: true}]}
bind:
  binders: 4
  retries: 0
  lease: {enabled: false, namespace: other, name: lease, duration: 15s}
topology:
  managedResources: [cpu, memory, hugepages-2Mi, example.com/gpu]
  kubelet:
    topologyManagerPolicy: restricted
    topologyManagerScope: pod
    topologyManagerPolicyOptions: {prefer-closest-numa-nodes: "true", max-allowable-numa-nodes: "16"}
    cpuManagerPolicy: none
    cpuManagerPolicyOptions: {full-pcpus-only: "true", distribute-cpus-across-numa: true, align-by-socket: 'true',
                              prefer-align-cpus-by-uncorecache: "true", strict-cpu-reservation: "true"}
    memoryManagerPolicy: None
    threadsPerCore: 4
  nodesWithoutTopology: reject
  realCapacity: {staleAfter: 1h, whenStale: reject}
usage:
  prometheus: {url: "https://p:9090", bearerTokenFile: t, caFile: ca, certFile: c, keyFile: k, timeout: 1m, maxReplyBytes: 8Mi, concurrency: 2,
               headers: [{name: X-Scope-OrgID, value: a}], matchers: ['a="b"', 'c!~"d|e\"f"'], replicaLabels: [r]}
  interval: 30s
  window: 14d
  slot: 30m
  estimator: sumOfPeaks
  staleAfter: 5m
  maxStaleNodes: 25%
  minHistory: 12h
  replicaQuantile: 95%
  maxWorkloads: 5000
  runOnceOwners: [Job, Render]
  resources:
  - {name: disk-io, ceiling: 70%, unit: iops, podQuery: "sum(a) by (pod) > 0", nodeQuery: b, whenStale: pass, whenAbsent: reject}
  - {name: cpu}
quota: {enforcement: off, unnamedModel: refuse, cpuModelLabel: a/b, gpuModelLabel: c, memoryModelLabel: d}
wake: {enabled: false, minInterval: 2s}
decisionLog: {path: /tmp/d, maxBytes: 2Mi, sample: 0.5}
log: {level: warn, format: json}
)");
  EXPECT_EQ(c.server.address, "0.0.0.0:1");
  EXPECT_EQ(c.server.path_prefix, "/scheduler");
  EXPECT_EQ(c.server.admin_address, "[::1]:2");
  ASSERT_TRUE(c.server.tls);
  EXPECT_EQ(c.server.tls->cert_file, "c");
  EXPECT_EQ(c.server.tls->key_file, "k");
  EXPECT_EQ(c.server.tls->client_ca_file, "ca");
  EXPECT_THAT(c.server.tls->allowed_clients, ElementsAre("a", "b"));
  EXPECT_TRUE(c.server.tls->allow_any_client);
  EXPECT_TRUE(c.server.allow_plain_http);
  EXPECT_TRUE(c.server.allow_plain_http_admin);
  EXPECT_EQ(c.server.max_bytes_in_flight, 3 << 20);
  EXPECT_EQ(c.server.lame_duck, seconds(1));
  EXPECT_EQ(c.server.max_body_bytes, 1 << 20);
  EXPECT_EQ(c.server.idle_timeout, minutes(2));
  EXPECT_EQ(c.server.request_deadline, milliseconds(500));
  EXPECT_EQ(c.server.shutdown_grace, seconds(30));
  EXPECT_FALSE(c.cluster.kubernetes);
  ASSERT_TRUE(c.cluster.manifests);
  EXPECT_EQ(c.cluster.manifests->directory, "./cluster");
  EXPECT_TRUE(c.cluster.manifests->write_back);
  EXPECT_THAT(c.filter.checks, ElementsAre(placement::CheckSetting("quota")));
  EXPECT_EQ(c.filter.narrow_to, 100);
  EXPECT_EQ(c.prioritize.max_score, 100);
  ASSERT_EQ(c.prioritize.terms.size(), 2u);
  EXPECT_FALSE(c.prioritize.terms[0].dominant_resource);
  EXPECT_TRUE(c.prioritize.terms[1].dominant_resource);
  EXPECT_EQ(c.prioritize.terms[0].name, "Balanced");
  EXPECT_EQ(c.prioritize.terms[0].weight, 0.25);
  EXPECT_EQ(c.bind.binders, 4);
  EXPECT_EQ(c.bind.retries, 0);
  EXPECT_FALSE(c.bind.lease.enabled);
  EXPECT_EQ(c.bind.lease.namespace_name, "other");
  EXPECT_EQ(c.bind.lease.name, "lease");
  EXPECT_EQ(c.bind.lease.duration, seconds(15));
  EXPECT_THAT(c.topology.managed_resources, ElementsAre("cpu", "memory", "hugepages-2Mi", "example.com/gpu"));
  EXPECT_EQ(c.topology.kubelet.cpu_manager_policy, "none");
  EXPECT_EQ(c.topology.kubelet.memory_manager_policy, "None");
  EXPECT_EQ(c.topology.kubelet.topology_manager_policy, kubelet::TopologyManagerPolicy::kRestricted);
  EXPECT_EQ(c.topology.kubelet.topology_manager_scope, kubelet::TopologyManagerScope::kPod);
  EXPECT_TRUE(c.topology.kubelet.topology_manager_policy_options.prefer_closest_numa_nodes);
  EXPECT_EQ(c.topology.kubelet.topology_manager_policy_options.max_allowable_numa_nodes, 16);
  EXPECT_TRUE(c.topology.kubelet.cpu_manager_policy_options.full_pcpus_only);
  EXPECT_TRUE(c.topology.kubelet.cpu_manager_policy_options.distribute_cpus_across_numa);
  EXPECT_TRUE(c.topology.kubelet.cpu_manager_policy_options.align_by_socket);
  EXPECT_TRUE(c.topology.kubelet.cpu_manager_policy_options.prefer_align_cpus_by_uncorecache);
  EXPECT_TRUE(c.topology.kubelet.cpu_manager_policy_options.strict_cpu_reservation);
  EXPECT_TRUE(Good("topology: {kubelet: {cpuManagerPolicyOptions: {distribute-cpus-across-cores: \"true\"}}}")
                  .topology.kubelet.cpu_manager_policy_options.distribute_cpus_across_cores);
  EXPECT_EQ(c.topology.kubelet.threads_per_core, 4);
  EXPECT_FALSE(c.topology.nodes_without_topology_pass);
  EXPECT_EQ(c.topology.real_capacity.stale_after, hours(1));
  EXPECT_EQ(c.topology.real_capacity.when_stale, topology::WhenStale::kReject);
  ASSERT_TRUE(c.usage.prometheus);
  EXPECT_EQ(c.usage.prometheus->url, "https://p:9090");
  EXPECT_EQ(c.usage.prometheus->bearer_token_file, "t");
  EXPECT_EQ(c.usage.prometheus->cert_file, "c");
  EXPECT_EQ(c.usage.prometheus->key_file, "k");
  EXPECT_EQ(c.usage.prometheus->timeout, minutes(1));
  EXPECT_EQ(c.usage.prometheus->max_reply_bytes, 8 << 20);
  EXPECT_EQ(c.usage.prometheus->concurrency, 2);
  ASSERT_EQ(c.usage.prometheus->headers.size(), 1U);
  EXPECT_EQ(c.usage.prometheus->headers[0].name, "X-Scope-OrgID");
  EXPECT_EQ(c.usage.prometheus->headers[0].value, "a");
  EXPECT_THAT(c.usage.prometheus->matchers, ElementsAre(R"(a="b")", R"(c!~"d|e\"f")"));
  EXPECT_THAT(c.usage.prometheus->replica_labels, ElementsAre("r"));
  EXPECT_EQ(c.usage.prometheus->ca_file, "ca");
  EXPECT_EQ(Good("usage: {historyFile: /var/lib/huygens/history}").usage.history_file, "/var/lib/huygens/history");
  EXPECT_EQ(c.usage.interval, seconds(30));
  EXPECT_EQ(c.usage.window, hours(14 * 24));
  EXPECT_EQ(c.usage.slot, minutes(30));
  EXPECT_EQ(c.usage.estimator, usage::Estimator::kSumOfPeaks);
  EXPECT_EQ(c.usage.stale_after, minutes(5));
  EXPECT_EQ(c.usage.max_stale_nodes, 250'000);
  EXPECT_EQ(c.usage.min_history, hours(12));
  EXPECT_EQ(c.usage.replica_quantile, 950'000);
  EXPECT_EQ(c.usage.max_workloads, 5000);
  EXPECT_EQ(c.usage.run_once_owners, (std::vector<std::string>{"Job", "Render"}));
  ASSERT_EQ(c.usage.resources.size(), 2u);
  EXPECT_EQ(c.usage.resources[0].name, "disk-io");
  EXPECT_EQ(c.usage.resources[0].ceiling, 700'000);
  EXPECT_EQ(c.usage.resources[0].unit, "iops");
  EXPECT_EQ(c.usage.resources[0].pod_query, "sum(a) by (pod) > 0");
  EXPECT_EQ(c.usage.resources[0].node_query, "b");
  EXPECT_EQ(c.usage.resources[0].when_stale, usage::WhenUnknown::kPass);
  EXPECT_EQ(c.usage.resources[0].when_absent, usage::WhenUnknown::kReject);
  EXPECT_EQ(c.usage.resources[1].ceiling, std::nullopt);
  EXPECT_EQ(c.usage.resources[1].when_stale, usage::WhenUnknown::kUseRequests);
  EXPECT_EQ(c.quota.enforcement, quota::Enforcement::kOff);
  EXPECT_EQ(c.quota.unnamed_model, quota::UnnamedModel::kRefuse);
  EXPECT_EQ(c.quota.cpu_model_label, "a/b");
  EXPECT_EQ(c.quota.gpu_model_label, "c");
  EXPECT_EQ(c.quota.memory_model_label, "d");
  EXPECT_FALSE(c.wake.enabled);
  EXPECT_EQ(c.wake.min_interval, seconds(2));
  EXPECT_EQ(c.decision_log.path, "/tmp/d");
  EXPECT_EQ(c.decision_log.max_bytes, 2 << 20);
  EXPECT_EQ(c.decision_log.sample, 0.5);
  EXPECT_EQ(c.log.level, observe::LogLevel::kWarn);
  EXPECT_EQ(c.log.format, observe::LogFormat::kJson);
  // What is printed reads back as the same.
  auto again = Parse(ToYaml(c));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(ToYaml(*again), ToYaml(c));
  EXPECT_THAT(ToYaml(c), HasSubstr("- {name: disk-io, ceiling: 0.7, unit: iops, podQuery: \"sum(a) by (pod) > 0\", "
                                   "nodeQuery: b, whenStale: pass, whenAbsent: reject}\n"));
  EXPECT_THAT(ToYaml(c), HasSubstr("- {name: cpu, whenStale: useRequests, whenAbsent: useRequests}\n"));
}

TEST(Configuration, ACheckHasAModeAndANameAloneIsEnforced) {
  using policy::CheckMode;
  Configuration c =
      Good("filter: {checks: [topology, {name: usage, mode: report}, {name: quota, mode: off}], reportEvents: true}");
  EXPECT_THAT(c.filter.checks, ElementsAre(placement::CheckSetting("topology", CheckMode::kEnforce),
                                           placement::CheckSetting("usage", CheckMode::kReport),
                                           placement::CheckSetting("quota", CheckMode::kOff)));
  EXPECT_TRUE(c.filter.report_events);
  EXPECT_THAT(ToYaml(c), HasSubstr("- {name: topology, mode: enforce}\n    - {name: usage, mode: report}\n"
                                   "    - {name: quota, mode: off}\n"));
  auto again = Parse(ToYaml(c));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->filter.checks, c.filter.checks);
  EXPECT_THAT(Good("filter: {checks: [{name: usage}]}").filter.checks, ElementsAre(placement::CheckSetting("usage")));
}

// helm and others read `off` by the rules of YAML 1.1, and write what they read.
TEST(Configuration, FalseWithoutQuotesMeansOffWhereOffIsAWord) {
  EXPECT_THAT(Good("filter: {checks: [{name: quota, mode: false}]}").filter.checks,
              ElementsAre(placement::CheckSetting("quota", policy::CheckMode::kOff)));
  EXPECT_FALSE(Parse("filter: {checks: [{name: quota, mode: \"false\"}]}").ok());
  EXPECT_FALSE(Parse("filter: {checks: [{name: quota, mode: true}]}").ok());
}

TEST(Configuration, TermsMayWeighResources) {
  Configuration c = Good(
      "prioritize: {terms: [{name: LeastAllocated, weight: 2, resources: [{name: cpu, weight: 3}, {name: a.b/c}]}, "
      "{name: MostAllocated, resources: []}]}");
  ASSERT_EQ(c.prioritize.terms.size(), 2u);
  const auto& resources = c.prioritize.terms[0].resources;
  ASSERT_EQ(resources.size(), 2u);
  EXPECT_EQ(resources[0].name, "cpu");
  EXPECT_EQ(resources[0].weight, 3);
  EXPECT_EQ(resources[1].name, "a.b/c");
  EXPECT_EQ(resources[1].weight, 1);
  EXPECT_TRUE(c.prioritize.terms[1].resources.empty());
  EXPECT_THAT(ToYaml(c), HasSubstr("- {name: LeastAllocated, weight: 2, "
                                   "resources: [{name: cpu, weight: 3}, {name: a.b/c, weight: 1}]}\n"));
  auto again = Parse(ToYaml(c));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(ToYaml(*again), ToYaml(c));
}

TEST(Configuration, ThePrintedDefaultsAreTheDefaults) {
  std::string yaml = DefaultsYaml();
  auto parsed = Parse(yaml);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(ToYaml(*parsed), ToYaml(Configuration{}));
  std::istringstream in(yaml);
  for (std::string line; std::getline(in, line);) EXPECT_LE(line.size(), 120u) << line;
}

// Each commented-out section of the defaults is right once its comment signs are taken away.
TEST(Configuration, WhatTheDefaultsLeaveOutCanBeUncommented) {
  std::string yaml = DefaultsYaml();
  yaml = std::regex_replace(yaml, std::regex("\n  # (tls:|prometheus:|  [a-zA-Z]+:|  #)"), "\n  $1");
  yaml = std::regex_replace(yaml, std::regex("(certFile|keyFile): \"\""), "$1: x");
  yaml = std::regex_replace(yaml, std::regex("url: \"\""), "url: https://p");
  auto parsed = Parse(std::regex_replace(yaml, std::regex("\n    (directory|writeBack):[^\n]*"), ""));
  ASSERT_TRUE(parsed.ok()) << parsed.status() << yaml;
  EXPECT_TRUE(parsed->server.tls);
  EXPECT_TRUE(parsed->usage.prometheus);
}

std::string Contract() { return ReadFile(HUYGENS_SHARED_DATA "/../contract/extender.yaml"); }

TEST(Configuration, TheContractIsTheDefaults) {
  std::string contract = Contract();
  if (contract.empty()) GTEST_SKIP() << "no contract/extender.yaml beside " << HUYGENS_SHARED_DATA;
  auto parsed = Parse(contract);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(ToYaml(*parsed), ToYaml(Configuration{}));
}

TEST(Configuration, TheAlternativesOfTheContractAreAccepted) {
  std::string contract = Contract();
  if (contract.empty()) GTEST_SKIP() << "no contract/extender.yaml beside " << HUYGENS_SHARED_DATA;
  contract = std::regex_replace(contract, std::regex("\n  # (tls|allowPlainHTTP|manifests|prometheus|- )"), "\n  $1");
  contract = std::regex_replace(contract, std::regex("\n  kubernetes:\n[^\n]*"), "");
  auto parsed = Parse(contract);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_TRUE(parsed->server.tls);
  EXPECT_THAT(parsed->server.tls->allowed_clients, ElementsAre("kube-scheduler"));
  EXPECT_TRUE(parsed->server.allow_plain_http);
  ASSERT_TRUE(parsed->cluster.manifests);
  EXPECT_EQ(parsed->cluster.manifests->directory, "./cluster");
  ASSERT_TRUE(parsed->usage.prometheus);
  EXPECT_EQ(parsed->usage.prometheus->url, "http://127.0.0.1:9090");
  ASSERT_EQ(parsed->usage.resources.size(), 4u);
  EXPECT_EQ(parsed->usage.resources[3].name, "disk");
}

// The files that huygens is deployed with.
TEST(Configuration, ShippedFilesAreAccepted) {
  int found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(HUYGENS_SOURCE_DIR "/config")) {
    if (entry.path().extension() != ".yaml") continue;
    std::string text = ReadFile(entry.path());
    if (text.find("kind: ExtenderConfiguration") == text.npos || text.find("kind: ConfigMap") != text.npos) continue;
    ++found;
    auto parsed = ParseConfiguration(text, entry.path().string());
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    const bool places = entry.path().filename() == "extender.yaml";
    if (!places || parsed->cluster.manifests || parsed->usage.prometheus) continue;
    EXPECT_EQ(parsed->usage.history_file, "/var/lib/huygens/history")
        << entry.path() << ": use is to outlive a restart";
  }
  EXPECT_GT(found, 0);
}

TEST(Configuration, ListsReplaceTheDefaultAndItemsBeginWithTheirOwn) {
  Configuration c = Good("prioritize: {terms: [{name: LeastUsed}, {name: FewestZones, weight: 0}]}");
  ASSERT_EQ(c.prioritize.terms.size(), 2u);
  EXPECT_EQ(c.prioritize.terms[0].weight, 1);
  EXPECT_EQ(c.prioritize.terms[1].weight, 0);
}

TEST(Cautions, NameATokenThatTravelsUnencrypted) {
  const auto cautions = [](const std::string& url, bool token = true) {
    Configuration c;
    c.usage.prometheus = {.url = url, .bearer_token_file = token ? "/token" : ""};
    return Cautions(c);
  };
  for (const char* url :
       {"http://prometheus:9090/x", "http://10.0.0.1", "http://127.evil.example", "http://[fe80::1]:9090"})
    EXPECT_THAT(cautions(url), ElementsAre(testing::HasSubstr(url))) << url;
  for (const char* url :
       {"https://prometheus", "http://127.0.0.1:9090/p", "http://localhost", "http://[::1]", "http://[::1]:1"})
    EXPECT_THAT(cautions(url), testing::IsEmpty()) << url;
  EXPECT_THAT(cautions("http://prometheus", false), testing::IsEmpty());
}

TEST(Cautions, NameACeilingThatNothingMeasures) {
  Configuration c = Good(
      "usage: {historyFile: /h, resources: [{name: cpu, ceiling: 0.8}, {name: disk, ceiling: 0.8}, {name: disk-io}]}");
  EXPECT_THAT(Cautions(c),
              ElementsAre(testing::StartsWith("usage.resources: the ceiling on disk has nothing to go by")));
  c.usage.prometheus = {.url = "http://p"};
  EXPECT_THAT(Cautions(c), testing::IsEmpty());
}

TEST(Cautions, NameBudgetsThatNobodyHoldsPodsTo) {
  EXPECT_THAT(Cautions(Good("usage: {historyFile: /h}\nquota: {enforcement: admission}")),
              ElementsAre(testing::AllOf(testing::StartsWith("quota.enforcement: admission leaves budgets to an "),
                                         HasSubstr("nobody holds pods to budgets; placement has huygens do it"))));
  for (const char* mode : {"placement", "\"off\""})
    EXPECT_THAT(Cautions(Good(Concat("usage: {historyFile: /h}\nquota: {enforcement: ", mode, "}"))),
                testing::IsEmpty())
        << mode;
  EXPECT_THAT(Cautions(Good("filter: {checks: [topology]}\nquota: {enforcement: admission}")), testing::IsEmpty());
}

TEST(Cautions, NameWhatIsLegalAndSeldomMeant) {
  const std::string sound = "usage: {historyFile: /h}\n";
  EXPECT_THAT(Cautions(Good(sound)), testing::IsEmpty());
  const auto only = [](const std::string& begin, const std::string& more = "") {
    return ElementsAre(testing::AllOf(testing::StartsWith(begin), HasSubstr(more)));
  };
  EXPECT_THAT(
      Cautions(Good("usage: {historyFile: /h, resources: [{name: cpu, ceiling: 8}, {name: memory, ceiling: 80%}]}")),
      only("usage.resources: the ceiling on cpu is 800 % of", "did you mean 80 %?"));
  EXPECT_THAT(Cautions(Good("usage: {historyFile: /h, resources: [{name: cpu, ceiling: 1.05}]}")),
              only("usage.resources: the ceiling on cpu is 105 % of", "never gets there"));
  EXPECT_THAT(Cautions(Good(sound + "filter: {checks: [{name: topology, mode: \"off\"}]}")), only("filter.checks: "));
  EXPECT_THAT(Cautions(Good(sound + "prioritize: {terms: [{name: FewestZones, weight: 0}]}")),
              only("prioritize.terms: none has a weight"));
  EXPECT_THAT(Cautions(Good(sound + "server: {tls: {certFile: /c, keyFile: /k}}")), only("server.tls.clientCAFile: "));
  EXPECT_THAT(Cautions(Good(sound + "bind: {lease: {enabled: false}}")), only("bind.lease.enabled: "));
  EXPECT_THAT(Cautions(Good("")), only("usage: the history is in memory", "usage.historyFile"));
  EXPECT_THAT(Cautions(Good("filter: {checks: [topology]}")), testing::IsEmpty()) << "nobody looks at usage";
}

TEST(Cautions, AreThoseOfTheServiceThatTheFileIsFor) {
  const std::string server = "server: {tls: {certFile: /c, keyFile: /k, allowAnyClient: true}}\n";
  EXPECT_THAT(Cautions(Good(server + "webhook: {autoscalers: deny}")),
              ElementsAre(testing::AllOf(testing::StartsWith("server.tls.clientCAFile: "), HasSubstr("write charges"),
                                         testing::Not(HasSubstr("pods placed")))));
  EXPECT_THAT(Cautions(Good(server + "controller: {resync: 1m}")), testing::IsEmpty());
  EXPECT_THAT(Cautions(Good(server + "webhook: {autoscalers: deny}\nusage: {historyFile: /h}")),
              ElementsAre(HasSubstr("pods placed")))
      << "it is the extender's, too";
}

TEST(Scalar, TextsThatYamlWouldReadAsSomethingElseGetQuotes) {
  for (const char* text :
       {"", "true", "no", "null", "1.5", "0x1f: a", "a #b", "- a", "a: b", "\"", "a\nb", "*a", "key:", "50%"}) {
    EXPECT_EQ(YamlText(text).front(), '"') << text;
    Configuration c;
    c.decision_log.path = text;
    auto again = Parse(ToYaml(c));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->decision_log.path, text);
  }
  EXPECT_EQ(YamlText("/var/lib/x-1.y"), "/var/lib/x-1.y");
}

TEST(ConfigurationReference, IsUpToDate) {
  const std::string path = HUYGENS_SOURCE_DIR "/docs/configuration.md";
  std::string text = ReadFile(path);
  const std::string mark = "HUYGENS_UPDATE_DOCS=1. -->\n\n";
  size_t begin = text.find(mark);
  ASSERT_NE(begin, text.npos) << path << " has no generated part";
  begin += mark.size();
  if (std::getenv("HUYGENS_UPDATE_DOCS") != nullptr) {
    std::ofstream(path) << text.substr(0, begin) << ReferenceMarkdown();
    GTEST_SKIP() << "wrote " << path;
  }
  EXPECT_EQ(text.substr(begin), ReferenceMarkdown()) << "`make docs` writes it anew";
}

}  // namespace
}  // namespace huygens::settings
