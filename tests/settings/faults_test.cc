// What a configuration file may not say, and how that is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "settings/configuration.h"
#include "settings/yaml.h"
#include "tests/fake/temporary_directory.h"
#include "tests/settings/text.h"

namespace huygens::settings {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Configuration, AllFaultsAreToldAtOnceInTheOrderOfTheFile) {
  EXPECT_THAT(
      Faults(R"(apiVersion: config.huygens.dev/v1
kind: ExtenderConfiguration
filter:
  narowTo: 5
  checks: [topolgy]
server:
  adress: x
  idleTimeout: 180
prioritise: {}
)"),
      ElementsAre("f.yaml:1:1: apiVersion: must be config.huygens.dev/v1alpha1, not config.huygens.dev/v1",
                  "f.yaml:4:3: filter.narowTo: no such field; did you mean narrowTo?",
                  "f.yaml:5:12: filter.checks[0]: no check is called topolgy; did you mean topology?",
                  "f.yaml:7:3: server.adress: no such field; did you mean address?",
                  "f.yaml:8:3: server.idleTimeout: not a duration (want text such as 250ms, 1.5h or 7d): \"180\"",
                  "f.yaml:9:1: prioritise: no such field; did you mean prioritize?"));
}

TEST(Configuration, NobodyButFrontProxiesMayAskTheMetricsFront) {
  const std::string front = "controller: {metricsFront: {enabled: true}}\n";
  EXPECT_THAT(FaultsIn(front),
              ElementsAre(HasSubstr("controller.metricsFront.enabled: needs server.tls.clientCAFile")));
  EXPECT_THAT(FaultsIn(front + "server: {tls: {certFile: a, keyFile: b, clientCAFile: c}}\n"), IsEmpty());
}

TEST(Configuration, AFieldInTheWrongSectionIsShownItsPlace) {
  EXPECT_THAT(FaultsIn("narrowTo: 3\n"),
              ElementsAre("f.yaml:3:1: narrowTo: no such field; did you mean filter.narrowTo?"));
  EXPECT_THAT(FaultsIn("wake: {xyzzy: 1}\n"),
              ElementsAre("f.yaml:3:8: wake.xyzzy: no such field; there are enabled, minInterval"));
  EXPECT_THAT(FaultsIn("server: {tls: {certFile: a, keyFile: b, clientCaFile: c}}\n"),
              ElementsAre(HasSubstr("server.tls.clientCaFile: no such field; did you mean clientCAFile?")));
}

TEST(Configuration, ApiVersionAndKindAreNeeded) {
  EXPECT_THAT(Faults(""), ElementsAre(HasSubstr("apiVersion: is missing"), HasSubstr("kind: is missing")));
  EXPECT_THAT(Faults("apiVersion: config.huygens.dev/v1alpha1\nkind: Pod\n"),
              ElementsAre("f.yaml:2:1: kind: must be ExtenderConfiguration, not Pod"));
}

TEST(Configuration, WhatIsNoConfigurationIsRefused) {
  EXPECT_THAT(Faults("a: [1\n"), ElementsAre(HasSubstr("f.yaml:2:1: not YAML")));
  EXPECT_THAT(Faults("filter:\n\tnarrowTo: 3\n"), ElementsAre(HasSubstr("; indent with spaces, not tabs")));
  EXPECT_THAT(Faults("a: {b\t: [}\n"), ElementsAre(testing::Not(HasSubstr("tabs"))));
  EXPECT_THAT(Faults("- a\n- b\n"), ElementsAre(HasSubstr("must be a section")));
  EXPECT_THAT(Faults("just text"), ElementsAre(HasSubstr("must be a section")));
  EXPECT_THAT(Faults(std::string(kHead) + "---\n" + kHead), ElementsAre(HasSubstr("more than one document")));
  EXPECT_THAT(Faults(std::string(200'000, '[')), ElementsAre(HasSubstr("not YAML")));
  EXPECT_THAT(FaultsIn("server: {<<: {address: a}}\n"), ElementsAre(HasSubstr("server.<<: no such field")));
  EXPECT_THAT(FaultsIn("server: &a {tls: *a}\n"), testing::Not(IsEmpty()));
  EXPECT_THAT(FaultsIn("? [a, b]\n: c\n"), ElementsAre(HasSubstr("the name of a field must be a plain word")));
}

struct Wrong {
  const char* body;
  const char* fault;
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.body; }
class WrongValue : public testing::TestWithParam<Wrong> {};

TEST_P(WrongValue, IsTheOneFaultTold) {
  EXPECT_THAT(FaultsIn(GetParam().body), ElementsAre(HasSubstr(GetParam().fault)));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, WrongValue,
    testing::Values(
        // Booleans: none of YAML 1.1's.
        Wrong{"wake: {enabled: yes}", "wake.enabled: must be true or false, not \"yes\""},
        Wrong{"wake: {enabled: \"true\"}", "wake.enabled: must be true or false"},
        Wrong{"wake: {enabled: 1}", "wake.enabled: must be true or false"},
        Wrong{"wake: {enabled: True}", "wake.enabled: must be"},
        // Numbers: decimal, as they stand.
        Wrong{"bind: {retries: 010}", "bind.retries: not a whole number"},
        Wrong{"bind: {retries: 0x3}", "bind.retries: not a whole"},
        Wrong{"bind: {retries: 3.0}", "bind.retries: not a whole number"},
        Wrong{"bind: {retries: \"3\"}", "bind.retries: not a whole"},
        Wrong{"bind: {retries: -1}", "bind.retries: must be from 0 to 10, not -1"},
        Wrong{"bind: {retries: 99999999999999999999}", "bind.retries: not a whole number"},
        Wrong{"bind: {binders: 0}", "bind.binders: must be from 1 to 256"},
        Wrong{"filter: {narrowTo: }", "filter.narrowTo: has no value"},
        Wrong{"filter: {narrowTo: ~}", "filter.narrowTo: has no value"},
        Wrong{"filter: {narrowTo: [3]}", "filter.narrowTo: must be a single value"},
        Wrong{"prioritize: {maxScore: 0}", "prioritize.maxScore: must be from 1 to 10000"},
        Wrong{"prioritize: {terms: [{name: FewestZones, weight: nan}]}", "prioritize.terms[0].weight: not a number"},
        Wrong{"prioritize: {terms: [{name: FewestZones, weight: .inf}]}", "prioritize.terms[0].weight: not a number"},
        Wrong{"prioritize: {terms: [{name: FewestZones, weight: -1}]}",
              "prioritize.terms[0].weight: must be from 0 to 1000000, not -1"},
        // Durations and sizes.
        Wrong{"server: {requestDeadline: 4}", "server.requestDeadline: not a duration"},
        Wrong{"server: {requestDeadline: -4s}", "server.requestDeadline: must be from 100ms to 5m, not -4s"},
        Wrong{"server: {requestDeadline: 4 s}", "server.requestDeadline: not a duration"},
        Wrong{"server: {maxBodyBytes: 64MB}", "server.maxBodyBytes: not a size"},
        Wrong{"server: {maxBodyBytes: 500m}", "server.maxBodyBytes: not a whole number of bytes"},
        Wrong{"server: {maxBodyBytes: 1Ti}", "server.maxBodyBytes: must be from 1Ki to 4Gi, not 1Ti"},
        Wrong{"server: {maxBodyBytes: -1}", "server.maxBodyBytes: must be from 1Ki"},
        // Shares.
        Wrong{"usage: {maxStaleNodes: 50}",
              "usage.maxStaleNodes: must be from 0 to 1 (100%), not 50; did you mean 50%?"},
        Wrong{"usage: {maxStaleNodes: half}",
              "usage.maxStaleNodes: not a share (want text such as 50% or 0.5, at most six decimals): \"half\""},
        Wrong{"usage: {maxStaleNodes: 0.1234567}", "usage.maxStaleNodes: not a share"},
        Wrong{"usage: {resources: [{name: cpu, ceiling: 0}]}",
              "usage.resources[0].ceiling: must be above 0 and at most 10 (1000%), not 0"},
        Wrong{"usage: {resources: [{name: cpu, ceiling: 1001%}]}",
              "usage.resources[0].ceiling: must be above 0 and at most 10 (1000%), not 1001%"},
        Wrong{"decisionLog: {sample: 101%}", "decisionLog.sample: must be from 0 to 1"},
        // Words.
        Wrong{"log: {level: warning}", "log.level: must be debug or info or warn or error, not \"warning\""},
        Wrong{"topology: {nodesWithoutTopology: Pass}",
              "topology.nodesWithoutTopology: must be pass or reject, not \"Pass\""},
        Wrong{"topology: {kubelet: {cpuManagerPolicy: Static}}",
              "topology.kubelet.cpuManagerPolicy: must be none or static"},
        Wrong{"topology: {kubelet: {cpuManagerPolicyOptions: {full-pcpu-only: \"true\"}}}",
              "topology.kubelet.cpuManagerPolicyOptions.full-pcpu-only: no such field; did you mean full-pcpus-only?"},
        Wrong{"topology: {kubelet: {topologyManagerPolicyOptions: {prefer-closest-numa-nodes: \"yes\"}}}",
              "topology.kubelet.topologyManagerPolicyOptions.prefer-closest-numa-nodes: must be true or false"},
        Wrong{"topology: {kubelet: {cpuManagerPolicyOptions: {distribute-cpus-across-cores: \"true\", "
              "full-pcpus-only: \"true\"}}}",
              "distribute-cpus-across-cores: kubelet does not start with this and full-pcpus-only"},
        Wrong{"topology: {kubelet: {topologyManagerPolicy: single-numa-node, "
              "cpuManagerPolicyOptions: {align-by-socket: \"true\"}}}",
              "align-by-socket: kubelet does not start with this and topologyManagerPolicy single-numa-node"},
        Wrong{"quota: {enforcement: \"\"}", "quota.enforcement: must be placement or admission or off"},
        // Texts.
        Wrong{"server: {address: 8888}", "server.address: must be ADDRESS:PORT"},
        Wrong{"server: {address: \"example.com:80\"}", "server.address: must be ADDRESS:PORT"},
        Wrong{"server: {address: \"127.0.0.1:65536\"}", "server.address: must be ADDRESS:PORT"},
        Wrong{"server: {address: \"::1:80\"}", "server.address: must be ADDRESS:PORT"},
        Wrong{"server: {pathPrefix: scheduler}", "server.pathPrefix: must be a path that begins with /"},
        Wrong{"server: {pathPrefix: \"/a b\"}", "server.pathPrefix: must be a path"},
        Wrong{"bind: {lease: {name: Huygens_Bind}}", "bind.lease.name: must be the name of a Kubernetes object"},
        Wrong{"quota: {cpuModelLabel: \"a b\"}", "quota.cpuModelLabel: must be a qualified name"},
        Wrong{"topology: {managedResources: [cpu, \"\"]}", "topology.managedResources[1]: must be a qualified name"},
        Wrong{"usage: {prometheus: {url: \"ftp://x\"}}", "usage.prometheus.url: must be a URL"},
        // Shape.
        Wrong{"log: info", "log: must be a section"}, Wrong{"server: []", "server: must be a section"},
        Wrong{"filter: {checks: topology}", "filter.checks: must be a list"},
        Wrong{"filter: {checks: [[topology]]}",
              "filter.checks[0]: must be a single value, or fields such as {name: ...}"},
        Wrong{"prioritize: {terms: {FewestZones: 1}}", "prioritize.terms: must be a list"},
        Wrong{"prioritize: {terms: [FewestZones]}", "prioritize.terms[0]: must be a section"},
        Wrong{"log: {level: info, level: debug}", "log.level: is given twice, first in line 3"}));

INSTANTIATE_TEST_SUITE_P(
    Rules, WrongValue,
    testing::Values(
        Wrong{"cluster: {}", "cluster: must have exactly one of kubernetes and manifests, not none"},
        Wrong{"cluster: {kubernetes: {}, manifests: {directory: d}}",
              "cluster: must have exactly one of kubernetes and manifests, not both"},
        Wrong{"cluster: {manifests: {writeBack: true}}", "cluster.manifests.directory: must not be empty"},
        Wrong{"server: {address: \"0.0.0.0:8888\"}",
              "server.address: plain HTTP is served on loopback only, and 0.0.0.0:8888 is not"},
        Wrong{"server: {address: \":8888\"}", "server.address: plain HTTP is served on loopback only"},
        Wrong{"server: {adminAddress: \"10.0.0.1:8889\"}", "server.adminAddress: speaks plain HTTP"},
        Wrong{"server: {adminAddress: \"10.0.0.1:8889\", allowPlainHTTP: true}",
              "set server.allowPlainHTTPAdmin if it may be reached from there (server.allowPlainHTTP is for "
              "server.address alone)"},
        Wrong{"server: {address: \"10.0.0.1:8888\", allowPlainHTTPAdmin: true}",
              "server.address: plain HTTP is served on loopback only"},
        Wrong{"server: {address: \"10.0.0.1:8888\", tls: {certFile: c, keyFile: k}}",
              "server.tls.clientCAFile: is needed, for 10.0.0.1:8888 is not loopback and without client certificates "
              "whoever reaches it can place pods; set server.tls.allowAnyClient if that is meant"},
        Wrong{"server: {adminAddress: \"127.0.0.1:8888\"}", "server.adminAddress: must differ from server.address"},
        Wrong{"server: {tls: {keyFile: k}}", "server.tls.certFile: is needed for TLS"},
        Wrong{"server: {tls: {certFile: c}}", "server.tls.keyFile: is needed for TLS"},
        Wrong{"server: {tls: {certFile: c, keyFile: k, allowedClients: [a]}}",
              "server.tls.allowedClients: needs clientCAFile"},
        Wrong{"server: {shutdownGrace: 3s}", "server.shutdownGrace: must be at least server.requestDeadline (4s)"},
        Wrong{"server: {idleTimeout: 90s}", "server.idleTimeout: must be from 91s"},
        Wrong{"bind: {lease: {duration: 7s}}",
              "bind.lease.duration: must be at least twice server.requestDeadline (4s)"},
        Wrong{"server: {requestDeadline: 6s}", "f.yaml:1:1: bind.lease.duration: must be at least twice"},
        Wrong{"bind: {lease: {duration: 8500ms}}", "bind.lease.duration: must be whole seconds, not 8500ms"},
        Wrong{"filter: {checks: [topology, topology]}", "filter.checks[1]: topology is listed twice"},
        Wrong{"filter: {checks: [topology, {name: topology, mode: off}]}",
              "filter.checks[1]: topology is listed twice"},
        Wrong{"filter: {checks: [{name: usge, mode: report}]}",
              "filter.checks[0]: no check is called usge; did you mean usage?"},
        Wrong{"filter: {checks: [{mode: report}]}", "filter.checks[0].name: must not be empty"},
        Wrong{"filter: {checks: [{name: usage, mod: report}]}",
              "filter.checks[0].mod: no such field; did you mean mode?"},
        Wrong{"filter: {checks: [{name: usage, mode: reprot}]}",
              "filter.checks[0].mode: must be off or report or enforce, not \"reprot\""},
        Wrong{"filter: {checks: [gravity]}", "filter.checks[0]: no check is called gravity; there are "},
        Wrong{"prioritize: {terms: [{name: FewestZone}]}",
              "prioritize.terms[0].name: no term is called FewestZone; did you mean FewestZones?"},
        Wrong{"prioritize: {terms: [{weight: 1}]}", "prioritize.terms[0].name: must not be empty"},
        Wrong{"prioritize: {terms: [{name: LeastNUMANodes, resources: [{name: cpu}]}]}",
              "prioritize.terms[0].resources: LeastNUMANodes weighs no resources"},
        Wrong{"prioritize: {terms: [{name: LeastAllocated, resources: [{name: cpu}, {name: cpu}]}]}",
              "prioritize.terms[0].resources[1].name: cpu is listed twice"},
        Wrong{"prioritize: {terms: [{name: LeastAllocated, resources: [{weight: 2}]}]}",
              "prioritize.terms[0].resources[0].name: must not be empty"},
        Wrong{"prioritize: {terms: [{name: LeastAllocated, resources: [{name: cpu, weight: 0}]}]}",
              "prioritize.terms[0].resources[0].weight: must be from 1 to 100, not 0"},
        Wrong{"prioritize: {terms: [{name: LeastAllocated, resources: [{name: cpu, wieght: 1}]}]}",
              "prioritize.terms[0].resources[0].wieght: no such field; did you mean weight?"},
        Wrong{"prioritize: {terms: [{name: LeastAllocated, resources: {cpu: 2}}]}",
              "prioritize.terms[0].resources: must be a list"},
        Wrong{"topology: {managedResources: [memory, cpu]}", "topology.managedResources: must begin with cpu"},
        Wrong{"topology: {managedResources: []}", "topology.managedResources: must begin with cpu"},
        Wrong{"topology: {managedResources: [cpu, memory, cpu]}", "topology.managedResources[2]: cpu is listed twice"},
        Wrong{"usage: {slot: 11m}", "usage.slot: does not divide usage.window (7d) into whole slots"},
        Wrong{"usage: {slot: 1m, window: 14d}", "usage.slot: gives more than 10080 slots"},
        Wrong{"usage: {staleAfter: 1m}", "usage.staleAfter: must be longer than usage.interval (1m)"},
        Wrong{"usage: {prometheus: {caFile: x}}", "usage.prometheus.url: must not be empty"},
        Wrong{"usage: {prometheus: {url: \"https://me:secret@p:9090/x\"}}",
              "usage.prometheus.url: must not hold a user or password, which would show in logs; use bearerTokenFile"},
        Wrong{"usage: {prometheus: {url: \"http:///x\"}}", "usage.prometheus.url: must be a URL"},
        Wrong{"usage: {prometheus: {url: \"http://p\", username: me}}",
              "usage.prometheus.username: needs passwordFile"},
        Wrong{"usage: {prometheus: {url: \"http://p\", passwordFile: x}}",
              "usage.prometheus.passwordFile: needs username"},
        Wrong{"usage: {prometheus: {url: \"https://p\", certFile: x}}", "usage.prometheus.certFile: needs keyFile"},
        Wrong{"usage: {prometheus: {url: \"http://p\", certFile: x, keyFile: y}}",
              "usage.prometheus.certFile: is for TLS"},
        Wrong{"usage: {prometheus: {url: \"http://p\", username: me, passwordFile: x, bearerTokenFile: y}}",
              "usage.prometheus.username: and bearerTokenFile exclude each other"},
        Wrong{"usage: {prometheus: {url: \"http://p\", headers: [{name: Authorization, value: x}]}}",
              "usage.prometheus.headers[0].name: is set by bearerTokenFile"},
        Wrong{"usage: {prometheus: {url: \"http://p\", headers: [{name: A, value: x}, {name: A, value: y}]}}",
              "usage.prometheus.headers[1].name: A is listed twice"},
        Wrong{"usage: {prometheus: {url: \"http://p\", headers: [{name: A}]}}",
              "usage.prometheus.headers[0].value: must not be empty"},
        Wrong{"usage: {prometheus: {url: \"http://p\", matchers: [cluster]}}",
              "usage.prometheus.matchers[0]: must be a matcher such as cluster=\"prod\""},
        Wrong{"usage: {prometheus: {url: \"http://p\", matchers: ['a=\"b\",c=\"d\"']}}",
              "usage.prometheus.matchers[0]: must be"},
        Wrong{"usage: {prometheus: {url: \"http://p\", matchers: ['a==\"b\"']}}",
              "usage.prometheus.matchers[0]: must be"},
        Wrong{"usage: {prometheus: {url: \"http://p\", matchers: ['a=\"b\\\"']}}",
              "usage.prometheus.matchers[0]: must be"},
        Wrong{"usage: {prometheus: {url: \"http://p\", replicaLabels: [a-b]}}",
              "usage.prometheus.replicaLabels[0]: must be the name of a label"},
        Wrong{"usage: {prometheus: {url: \"http://p\"}, resources: [{name: cpus}]}",
              "usage.resources[0].name: cpus has no usual series: set podQuery and nodeQuery (or is"},
        Wrong{"usage: {prometheus: {url: \"http://p\"}, resources: [{name: ephemeral-storage}]}",
              "usage.resources[0].name: ephemeral-storage has no usual series: set podQuery and nodeQuery (did you "
              "mean disk?)"},
        Wrong{"usage: {historyFile: h, prometheus: {url: \"http://p\"}}",
              "usage.historyFile: is for the embedded history, which usage.prometheus replaces"},
        Wrong{"cluster: {manifests: {directory: d}}\nusage: {historyFile: h}",
              "usage.historyFile: is for the metrics API of a cluster"},
        Wrong{"usage: {resources: [{name: cpu, podQuery: q}]}",
              "usage.resources[0].podQuery: is asked of Prometheus: needs usage.prometheus"},
        Wrong{"usage: {resources: [{name: cpu}, {name: memory, nodeQuery: q}]}", "usage.resources[1].nodeQuery: "},
        Wrong{"usage: {resources: [{name: memory, unit: cores}]}", "usage.resources[0].unit: cpu is in cores"},
        Wrong{"usage: {resources: [{name: cpu, unit: iops}]}", "usage.resources[0].unit: cpu is in cores"},
        Wrong{"usage: {resources: [{name: cpu}, {name: cpu}]}", "usage.resources[1].name: cpu is listed twice"},
        Wrong{"usage: {resources: [{name: a}, {name: b}, {name: c}, {name: d}, {name: e}, {name: f}, {name: g}, "
              "{name: h}, {name: i}]}",
              "usage.resources: has more than 8 resources"},
        Wrong{
            "prioritize: {terms: [{name: LeastUsed, resources: [{name: cpus}]}]}",
            "prioritize.terms[0].resources[0].name: no resource of usage.resources is called cpus; did you mean cpu?"},
        Wrong{"prioritize: {terms: [{name: Balanced, dominantResource: true}]}",
              "prioritize.terms[0].dominantResource: Balanced has no such form"}));

TEST(Configuration, WhatIsLegalIsNotRefused) {
  for (const char* body :
       {"server: {address: \"localhost:0\", adminAddress: \"localhost:0\"}", "server: {address: \"[::1]:8888\"}",
        "server: {address: \"127.1.2.3:1\"}",
        "server: {address: \":8888\", tls: {certFile: c, keyFile: k, allowAnyClient: true}}", "cluster: {kubernetes: }",
        "server:", "filter: {checks: []}", "prioritize: {terms: []}",
        "usage: {prometheus: {url: \"https://p/a@b?c=d@e\"}, resources: [{name: cpu, unit: cores, podQuery: q}, "
        "{name: gpu-mem, podQuery: q}, {name: disk-io}]}",
        "usage: {historyFile: h, resources: [{name: disk-io, unit: bytes}]}", "wake: {minInterval: 1.5s}",
        "decisionLog: {maxBytes: 104857600, sample: 0}",
        // No Lease is used: its length does not matter.
        "bind: {lease: {enabled: false, duration: 1s}}",
        "cluster: {manifests: {directory: d}}\nbind: {lease: {duration: 1s}}"}) {
    EXPECT_THAT(FaultsIn(body), IsEmpty()) << body;
  }
}

TEST(Configuration, AMutilatedFileIsAnErrorAndNeverACrash) {
  std::string defaults = DefaultsYaml();
  std::mt19937 random(20261121);
  const std::string_view bytes = "\n -:#{}[]\"'&*!|>%@~0a\t\xff";
  size_t refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string text = defaults;
    for (int edits = 0; edits < 3; ++edits) text[random() % text.size()] = bytes[random() % bytes.size()];
    if (random() % 4 == 0) text.resize(random() % text.size());
    refused += Parse(text).ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 100u);
}

TEST(Configuration, AFileThatCannotBeReadSaysWhy) {
  auto missing = LoadConfiguration("/nonexistent/extender.yaml");
  EXPECT_TRUE(absl::IsNotFound(missing.status())) << missing.status();
  EXPECT_THAT(std::string(Message(missing.status())), HasSubstr("/nonexistent/extender.yaml"));
  const fake::TemporaryDirectory folder;
  EXPECT_FALSE(LoadConfiguration(folder.path()).ok());
  const std::string huge = folder.Write("huge.yaml", std::string((1 << 20) + 1, '#'));
  EXPECT_THAT(std::string(Message(LoadConfiguration(huge).status())), HasSubstr("longer than 1 MiB"));
  EXPECT_TRUE(LoadConfiguration(folder.Write("small.yaml", kHead)).ok());
}

}  // namespace
}  // namespace huygens::settings
