// kube-scheduler's configuration, certificates, permissions, and how findings are shown.
#include <fstream>
#include <set>
#include <sstream>

#include "kube/yaml_file.h"
#include "preflight/judge_certificates.h"
#include "preflight/judge_leader.h"
#include "preflight/judge_scheduler.h"
#include "preflight/permissions.h"
#include "preflight/report.h"
#include "tests/preflight/findings.h"

namespace huygens::preflight {
namespace {

using std::chrono::hours;
using testing::HasSubstr;

constexpr std::string_view kGood = R"({"percentageOfNodesToScore":100,"extenders":[{
  "urlPrefix":"https://127.0.0.1:8888","filterVerb":"filter","prioritizeVerb":"prioritize","preemptVerb":"preempt",
  "bindVerb":"bind","weight":5,"nodeCacheCapable":true,"enableHTTPS":true,"httpTimeout":"5s","ignorable":false,
  "tlsConfig":{"insecure":false,"serverName":"huygens","caFile":"ca.crt","certFile":"c.crt","keyFile":"c.key"}}]})";

struct Change {
  std::string from, to;  // of the text above
  Severity severity;
  std::string what;
};

class JudgeSchedulerTest : public testing::TestWithParam<Change> {
 protected:
  static settings::Configuration Configuration() {
    settings::Configuration configuration;
    configuration.server.tls = {.cert_file = "t", .key_file = "k", .client_ca_file = "ca"};
    return configuration;
  }
};

TEST_F(JudgeSchedulerTest, WhatIsShippedFits) {
  const auto good = DecodeSchedulerConfiguration(kGood);
  ASSERT_TRUE(good.ok()) << good.status();
  const Findings findings = JudgeScheduler(*good, Configuration());
  EXPECT_EQ(ExitCode(findings), 0) << ReportText(findings);
  const auto documents = kube::ReadYamlAsJson(HUYGENS_SOURCE_DIR "/config/scheduler/kube-scheduler.yaml");
  ASSERT_TRUE(documents.ok()) << documents.status();
  const auto shipped = DecodeSchedulerConfiguration(documents->front());
  ASSERT_TRUE(shipped.ok()) << shipped.status();
  EXPECT_EQ(ExitCode(JudgeScheduler(*shipped, Configuration())), 0);
}

TEST_P(JudgeSchedulerTest, WhatDoesNotFitIsNamed) {
  std::string text(kGood);
  const size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, GetParam().from.size(), GetParam().to);
  const auto changed = DecodeSchedulerConfiguration(text);
  ASSERT_TRUE(changed.ok()) << changed.status();
  const Finding finding = Find(JudgeScheduler(*changed, Configuration()), GetParam().what);
  EXPECT_EQ(finding.severity, GetParam().severity);
  EXPECT_NE(finding.why, "");
  EXPECT_NE(finding.mend, "");
}

constexpr Severity kW = Severity::kWarning, kE = Severity::kError;
INSTANTIATE_TEST_SUITE_P(
    Settings, JudgeSchedulerTest,
    testing::Values(Change{":100", ":50", kW, "percentageOfNodesToScore is below 100"},
                    Change{"\"percentageOfNodesToScore\":100,", "", kW, "percentageOfNodesToScore is below 100"},
                    Change{"100,", "100,\"profiles\":[{\"percentageOfNodesToScore\":10}],", kW, "is below 100"},
                    Change{":8888", ":9999", kE, "urlPrefix https://127.0.0.1:9999 is not where huygens listens"},
                    Change{"https://", "http://", kE, "urlPrefix begins with http://, and huygens serves TLS"},
                    Change{":8888\"", ":8888/scheduler\"", kE, "the path of urlPrefix is \"/scheduler\""},
                    Change{"\"bindVerb\":\"bind\",", "", kE, "bindVerb is not set"},
                    Change{"\"preemptVerb\":\"preempt\",", "", kW, "preemptVerb is not set"},
                    Change{"\"prioritizeVerb\":\"prioritize\"", "\"prioritizeVerb\":\"score\"", kE,
                           "is score, and huygens answers prioritize"},
                    Change{"\"weight\":5", "\"weight\":0", kE, "weight must be above 0"},
                    Change{"Capable\":true", "Capable\":false", kW, "nodeCacheCapable is false"},
                    Change{"\"5s\"", "\"4s\"", kW, "httpTimeout is 4s, and server.requestDeadline is 4s"},
                    Change{"\"ignorable\":false", "\"ignorable\":true", kE, "ignorable is true together with bindVerb"},
                    Change{"\"ignorable\"", "\"managedResources\":[{\"name\":\"a/b\"}],\"ignorable\"", kW,
                           "managedResources names 1 resource"},
                    Change{"\"caFile\":\"ca.crt\",", "", kW, "enableHTTPS without a CA"},
                    Change{"\"insecure\":false", "\"insecure\":true", kE, "insecure: true and a CA"},
                    Change{",\"certFile\":\"c.crt\",\"keyFile\":\"c.key\"", "", kE, "no client certificate"},
                    Change{",\"keyFile\":\"c.key\"", "", kE, "a certificate without its key"},
                    Change{"\"keyFile\":\"c.key\"", "\"keyData\":\"U0VDUkVU\"", kW, "keyData holds the key itself"},
                    Change{"\"extenders\":[", "\"extenders\":[{\"urlPrefix\":\"http://x:1\",\"bindVerb\":\"b\"},", kE,
                           "more than one extender"}));

TEST(JudgeLeader, ByWhoHoldsTheLeaseAndRenewsIt) {
  const Time now = *ParseRfc3339("2026-11-21T12:00:00Z");
  const SchedulerConfiguration::LeaderElection election = {
      .leader_elect = true, .namespace_name = "kube-system", .name = "huygens-scheduler"};
  const auto judge = [&](const StatusOr<wire::Lease>& lease) { return JudgeLeader(election, lease, now)[0]; };
  wire::Lease lease;
  lease.holder = "huygens-scheduler-7f-abc_0e1d";
  lease.duration_seconds = 15;
  lease.renewed = now - std::chrono::seconds(2);
  EXPECT_EQ(judge(lease).what, "huygens-scheduler-7f-abc leads, by the Lease kube-system/huygens-scheduler");
  EXPECT_EQ(judge(lease).severity, Severity::kOk);
  lease.renewed = now - std::chrono::seconds(75);
  EXPECT_EQ(judge(lease).severity, Severity::kOk) << "the clocks may differ";
  lease.renewed = now + std::chrono::seconds(75);
  EXPECT_EQ(judge(lease).severity, Severity::kOk);
  lease.renewed = now - std::chrono::seconds(76);
  EXPECT_EQ(judge(lease).severity, Severity::kWarning);
  EXPECT_THAT(judge(lease).what, HasSubstr("nobody leads: huygens-scheduler-7f-abc holds the Lease"));
  EXPECT_THAT(judge(lease).mend, HasSubstr("kubectl -n kube-system get lease huygens-scheduler -o yaml"));
  lease.renewed.reset();
  EXPECT_THAT(judge(lease).what, HasSubstr("never renewed it"));
  lease.holder.clear();
  EXPECT_EQ(judge(lease).severity, Severity::kWarning);
  EXPECT_THAT(judge(lease).what, HasSubstr("is free"));
  EXPECT_EQ(judge(NotFound("none")).severity, Severity::kOk) << "so it is before the installation";
  EXPECT_THAT(judge(NotFound("none")).what, HasSubstr("nobody has led yet"));
  EXPECT_EQ(judge(Unavailable("403")).severity, Severity::kOk) << "huygens needs no such permission";
  EXPECT_EQ(judge(Unavailable("403")).why, "403");
}

net::Certificate Certificate(Time now, Duration from, Duration until) {
  return {.names = {"kube-scheduler"}, .not_before = now + from, .not_after = now + until};
}

TEST(JudgeCertificates, ByWhatIsLeftOfThem) {
  const Time now = *ParseRfc3339("2026-11-21T12:00:00Z");
  const auto judge = [&](StatusOr<std::vector<net::Certificate>> read, bool authorities = false, bool elsewhere = false,
                         std::vector<std::string> allowed = {}) {
    return JudgeCertificates({{.what = "certificate",
                               .where = "/tls.crt",
                               .when_bad = "bad",
                               .renew = "renew",
                               .read = std::move(read),
                               .authorities = authorities,
                               .elsewhere = elsewhere,
                               .allowed_clients = std::move(allowed)}},
                             now)[0];
  };
  const net::Certificate old = Certificate(now, -hours(48), -hours(1)), soon = Certificate(now, -hours(48), hours(72)),
                         fresh = Certificate(now, -hours(48), hours(24 * 300));
  EXPECT_EQ(judge({{old}}).severity, Severity::kError);
  EXPECT_THAT(judge({{old}}).what, HasSubstr("ended at 2026-11-21T11:00:00Z"));
  EXPECT_EQ(judge({{soon}}).severity, Severity::kWarning);
  EXPECT_THAT(judge({{soon}}).what, HasSubstr("ends in 3 days"));
  EXPECT_EQ(judge({{soon}}).mend, "renew");
  EXPECT_EQ(judge({{fresh}}).severity, Severity::kOk);
  EXPECT_EQ(judge({{Certificate(now, hours(1), hours(99 * 24))}}).severity, Severity::kError) << "not valid yet";
  EXPECT_EQ(judge({{old, fresh}}).severity, Severity::kError);
  EXPECT_EQ(judge({{old, fresh}}, true).severity, Severity::kOk) << "one authority that holds is enough";
  EXPECT_EQ(judge(NotFound("no such file")).severity, Severity::kError);
  EXPECT_EQ(judge(NotFound("no such file"), false, true).severity, Severity::kNotLooked) << "it is on another machine";
  EXPECT_EQ(judge({{fresh}}, false, false, {"kube-scheduler"}).severity, Severity::kOk);
  EXPECT_THAT(judge({{fresh}}, false, false, {"other"}).what,
              HasSubstr("is for kube-scheduler, and server.tls.allowedClients has other"));
}

// "verb group/resource[/subresource] [namespace] [name]"
std::string Line(std::string_view verb, std::string_view group, std::string_view resource, std::string_view space,
                 std::string_view name) {
  return Concat(verb, " ", group, " ", resource, " ", space, " ", name);
}

std::set<std::string> Needed(const settings::Configuration& configuration) {
  std::set<std::string> needed;
  for (const Permission& each : PermissionsFor(configuration)) {
    needed.insert(Line(each.verb, each.group,
                       Concat(each.resource, each.subresource.empty() ? "" : "/", each.subresource),
                       each.namespace_name, each.object));
  }
  return needed;
}

// The lists of one YAML line: "  resources: [nodes, pods]".
std::vector<std::string> Items(const std::string& line) {
  std::vector<std::string> items;
  std::string item;
  std::istringstream list(line.substr(line.find('[') + 1, line.find(']') - line.find('[') - 1));
  while (std::getline(list, item, ',')) {
    std::erase_if(item, [](char c) { return c == ' ' || c == '"'; });
    items.push_back(item);
  }
  return items;
}

TEST(Permissions, AreThoseThatAreShipped) {
  std::ifstream file(HUYGENS_SOURCE_DIR "/config/rbac/huygens/rbac.yaml");
  std::set<std::string> shipped;
  std::string space;
  std::vector<std::string> groups, resources, names;
  for (std::string line; std::getline(file, line);) {
    if (line == "kind: ClusterRole") space.clear();
    if (line == "kind: Role") space = "kube-system";
    if (line.starts_with("- nonResourceURLs:")) groups.clear();  // of those who ask huygens, not of huygens
    if (line.starts_with("- apiGroups:")) groups = Items(line), names = {""};
    if (line.starts_with("  resources:")) resources = Items(line);
    if (line.starts_with("  resourceNames:")) names = Items(line);
    if (!line.starts_with("  verbs:")) continue;
    for (const std::string& verb : Items(line)) {
      for (const std::string& group : groups) {
        for (const std::string& resource : resources) {
          for (const std::string& name : names) shipped.insert(Line(verb, group, resource, space, name));
        }
      }
    }
  }
  settings::Configuration configuration;
  configuration.filter.checks = {"topology", "usage", "quota"};
  configuration.server.admin_address = "0.0.0.0:8889";
  EXPECT_EQ(Needed(configuration), shipped);
}

TEST(Permissions, FollowTheConfiguration) {
  settings::Configuration configuration;
  configuration.filter.checks = {"topology"};
  configuration.wake.enabled = false;
  configuration.bind.lease.enabled = false;
  configuration.usage.prometheus.emplace();
  for (const std::string& line : Needed(configuration)) {
    for (const char* part : {"patch", "lease", "metrics", "quota", "reviews"}) {
      EXPECT_EQ(line.find(part), std::string::npos) << line;
    }
  }
}

TEST(Permissions, TheMetricsApiIsNeededOnlyWhereSomethingLooksAtUsage) {
  const auto needs_metrics = [](const settings::Configuration& configuration) {
    return Needed(configuration).contains(Line("list", "metrics.k8s.io", "pods", "", ""));
  };
  settings::Configuration configuration;
  configuration.filter.checks = {"topology"};
  configuration.prioritize.terms = {{.name = "FewestZones"}};
  EXPECT_FALSE(needs_metrics(configuration));
  configuration.prioritize.terms.push_back({.name = "LeastUsed"});
  EXPECT_TRUE(needs_metrics(configuration));
  configuration.prioritize.terms.pop_back();
  configuration.filter.checks = {"usage"};
  EXPECT_TRUE(needs_metrics(configuration));
}

TEST(Permissions, ObjectsAreReadByNameOnlyOfPodsAndTheLease) {
  settings::Configuration configuration;
  configuration.filter.checks = {"topology", "usage", "quota"};
  for (const Permission& each : PermissionsFor(configuration)) {
    if (each.verb == "get") {
      EXPECT_TRUE(each.resource == "pods" || each.resource == "leases") << each.Text();
    }
  }
}

TEST(Permissions, WhatIsMissingComesWithTheRuleThatAllowsIt) {
  std::vector<Access> accesses;
  for (const Permission& each : PermissionsFor({})) {
    accesses.push_back(
        {.permission = each, .allowed = each.verb != "patch" && each.resource != "leases", .asked = absl::OkStatus()});
  }
  const Findings findings = JudgePermissions(accesses, "service account a/b");
  const Finding lease = Find(findings, "service account a/b may not get, update leases named huygens-bind");
  EXPECT_EQ(lease.severity, Severity::kError);
  EXPECT_EQ(
      lease.mend,
      "kubectl apply -k config/rbac   # or this rule alone:\n"
      "- {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [huygens-bind], verbs: [get, update]}");
  EXPECT_EQ(Find(findings, "may not patch pods/status").severity, Severity::kWarning) << "pods wait longer, no more";
  for (Access& each : accesses) each.allowed = true;
  EXPECT_EQ(ExitCode(JudgePermissions(accesses, "x")), 0);
  accesses[0].asked = Unavailable("no answer");
  EXPECT_EQ(Find(JudgePermissions(accesses, "x"), "nobody could say").severity, Severity::kWarning);
}

TEST(Permissions, ThatForClaimsIsNeededWhereAGroupHasABudgetOfDevices) {
  for (const bool budgets : {false, true}) {
    std::vector<Access> accesses;
    settings::Configuration configuration;
    configuration.filter.checks = {"quota"};
    for (const Permission& each : PermissionsFor(configuration, budgets)) {
      accesses.push_back({.permission = each, .allowed = each.group != "resource.k8s.io", .asked = absl::OkStatus()});
    }
    const Finding claims =
        Find(JudgePermissions(accesses, "x"), "may not list, watch resourceclaims of resource.k8s.io");
    EXPECT_EQ(claims.severity, budgets ? Severity::kError : Severity::kWarning);
    EXPECT_THAT(claims.mend, testing::HasSubstr("resources: [resourceclaims], verbs: [list, watch]}"));
  }
  settings::Configuration without;
  without.filter.checks = {"topology"};
  for (const Permission& each : PermissionsFor(without)) EXPECT_NE(each.group, "resource.k8s.io") << "without quota";
}

TEST(Report, GroupsFindingsWorstFirstAndCountsThem) {
  const Findings findings = {{Group::kUsage, Severity::kOk, "measured", "", ""},
                             {Group::kTopology, Severity::kOk, "fine", "", ""},
                             {Group::kTopology, Severity::kError, "broken", "It matters.", "do this\nthen that"}};
  EXPECT_EQ(ReportText(findings),
            "topology\n"
            "  error    broken\n"
            "           It matters.\n"
            "             do this\n"
            "             then that\n"
            "  ok       fine\n\n"
            "usage\n"
            "  ok       measured\n\n"
            "1 error, 0 warnings, 2 ok\n");
  EXPECT_EQ(ExitCode(findings), 2);
  EXPECT_EQ(ExitCode({}), 0);
  EXPECT_EQ(ReportJson({findings[2]}),
            "{\"findings\":[{\"group\":\"topology\",\"severity\":\"error\",\"what\":\"broken\",\"why\":\"It matters.\","
            "\"mend\":\"do this\\nthen that\"}],\"ok\":0,\"notLookedAt\":0,\"warnings\":0,\"errors\":1}\n");
}

}  // namespace
}  // namespace huygens::preflight
