#include "settings/rules.h"

#include <vector>

#include "base/duration_text.h"
#include "base/nearest_name.h"
#include "base/resource_alias.h"
#include "base/text.h"
#include "policy/registry.h"
#include "scoring/registry.h"
#include "settings/real_capacity_options.h"
#include "settings/scalar.h"
#include "usage_sources/queries.h"

namespace huygens::settings {

namespace {

using Report = std::function<void(std::string_view path, std::string message)>;

std::string Item(std::string_view list, size_t position, std::string_view field = "") {
  return Concat(list, "[", std::to_string(position), "]", field);
}

template <typename Entries>
std::vector<std::string_view> NamesOf(const Entries& entries) {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

// Each name must be one of `known` and may come once.
class NameRule {
 public:
  NameRule(const Report& report, std::string_view what, std::vector<std::string_view> known)
      : report_(report), what_(what), known_(std::move(known)) {}

  void Check(const std::string& path, std::string_view name) {
    if (name.empty()) return report_(path, "must not be empty");
    if (!seen_.insert(std::string(name)).second) return report_(path, Concat(name, " is listed twice"));
    if (known_.empty()) return;
    for (std::string_view known : known_) {
      if (known == name) return;
    }
    std::string_view nearest = NearestName(name, known_);
    std::string hint =
        nearest.empty() ? Concat("there are ", JoinNames(known_, ", ")) : Concat("did you mean ", nearest, "?");
    report_(path, Concat("no ", what_, " is called ", name, "; ", hint));
  }

 private:
  const Report& report_;
  std::string_view what_;
  std::vector<std::string_view> known_;
  TextSet seen_;
};

void CheckServer(const ServerConfiguration& server, const Report& report) {
  if (server.tls) {
    if (server.tls->cert_file.empty()) report("server.tls.certFile", "is needed for TLS");
    if (server.tls->key_file.empty()) report("server.tls.keyFile", "is needed for TLS");
    if (server.tls->client_ca_file.empty() && !server.tls->allowed_clients.empty()) {
      report("server.tls.allowedClients", "needs clientCAFile: without it nobody's name is verified");
    }
    if (server.tls->client_ca_file.empty() && !server.tls->allow_any_client && !IsLoopback(server.address)) {
      report("server.tls.clientCAFile",
             Concat("is needed, for ", server.address,
                    " is not loopback and without client certificates whoever reaches it can place pods; set "
                    "server.tls.allowAnyClient if that is meant"));
    }
  }
  if (!server.tls && !server.allow_plain_http && !IsLoopback(server.address)) {
    report("server.address", Concat("plain HTTP is served on loopback only, and ", server.address,
                                    " is not; use server.tls or set server.allowPlainHTTP"));
  }
  if (!server.allow_plain_http_admin && !IsLoopback(server.admin_address)) {
    report("server.adminAddress",
           Concat("speaks plain HTTP, and ", server.admin_address,
                  " is not loopback; set server.allowPlainHTTPAdmin if it may be reached from there",
                  server.allow_plain_http ? " (server.allowPlainHTTP is for server.address alone)" : ""));
  }
  if (server.address == server.admin_address && !server.address.ends_with(":0")) {
    report("server.adminAddress", "must differ from server.address");
  }
  if (server.shutdown_grace < server.request_deadline) {
    report("server.shutdownGrace",
           Concat("must be at least server.requestDeadline (", DurationText(server.request_deadline),
                  "): binds under way need that long to finish"));
  }
}

void CheckCluster(const ClusterConfiguration& cluster, const Report& report) {
  if (cluster.kubernetes.has_value() == cluster.manifests.has_value()) {
    report("cluster",
           Concat("must have exactly one of kubernetes and manifests, not ", cluster.manifests ? "both" : "none"));
  }
  if (cluster.manifests && cluster.manifests->directory.empty())
    report("cluster.manifests.directory", "must not be empty");
}

void CheckTerm(const TermConfiguration& term, const UsageConfiguration& usage, const std::string& path,
               const Report& report) {
  const scoring::TermEntry* entry = scoring::FindTerm(term.name);
  if (term.dominant_resource && entry != nullptr && !entry->has_dominant_form) {
    report(Concat(path, ".dominantResource"), Concat(term.name, " has no such form"));
  }
  const std::string resources = Concat(path, ".resources");
  if (!term.resources.empty() && entry != nullptr && !entry->weighs_resources) {
    return report(resources, Concat(term.name, " weighs no resources"));
  }
  const bool by_usage = entry != nullptr && entry->needs.usage;
  NameRule names(report, "resource of usage.resources",
                 by_usage ? NamesOf(usage.resources) : std::vector<std::string_view>());
  for (size_t i = 0; i < term.resources.size(); ++i) names.Check(Item(resources, i, ".name"), term.resources[i].name);
}

void CheckBind(const Configuration& c, const Report& report) {
  if (!c.bind.lease.enabled || !c.cluster.kubernetes) return;
  Duration duration = c.bind.lease.duration;
  if (duration % std::chrono::seconds(1) != Duration::zero()) {
    report("bind.lease.duration", Concat("must be whole seconds, not ", DurationText(duration)));
  } else if (duration < 2 * c.server.request_deadline) {
    report("bind.lease.duration",
           Concat("must be at least twice server.requestDeadline (", DurationText(c.server.request_deadline),
                  "): no Binding is sent that may outlast the Lease"));
  }
}

void CheckController(const Configuration& c, const Report& report) {
  const LeaseConfiguration& lease = c.controller.lease;
  if (!lease.enabled || !c.cluster.kubernetes) return;
  if (lease.duration % std::chrono::seconds(1) != Duration::zero()) {
    report("controller.lease.duration", Concat("must be whole seconds, not ", DurationText(lease.duration)));
  } else if (lease.duration < std::chrono::seconds(5)) {
    report("controller.lease.duration", "must be at least 5s: whoever leads stops two seconds before its end");
  }
  if (c.bind.lease.enabled && c.bind.lease.name == lease.name && c.bind.lease.namespace_name == lease.namespace_name) {
    report("controller.lease.name", "must differ from bind.lease.name: they are two Leases");
  }
}

// Whoever is not known to be an API server could say that he is the autoscaler.
void CheckMetricsFront(const Configuration& c, const Report& report) {
  if (!c.controller.metrics_front.enabled) return;
  if (!c.server.tls || c.server.tls->client_ca_file.empty()) {
    report(
        "controller.metricsFront.enabled",
        "needs server.tls.clientCAFile: the authority of front proxies (requestheader-client-ca-file of the ConfigMap "
        "kube-system/extension-apiserver-authentication)");
  }
  if (c.controller.metrics_front.upstream.empty()) report("controller.metricsFront.upstream", "must not be empty");
}

// Pairs with which kubelet itself does not start.
void CheckKubelet(const KubeletConfiguration& kubelet, const Report& report) {
  const CpuManagerPolicyOptions& options = kubelet.cpu_manager_policy_options;
  auto exclude = [&](std::string_view option, bool on, std::string_view other) {
    if (on)
      report(Concat("topology.kubelet.cpuManagerPolicyOptions.", option),
             Concat("kubelet does not start with this and ", other));
  };
  exclude("distribute-cpus-across-cores", options.distribute_cpus_across_cores && options.full_pcpus_only,
          "full-pcpus-only");
  exclude("distribute-cpus-across-cores", options.distribute_cpus_across_cores && options.distribute_cpus_across_numa,
          "distribute-cpus-across-numa");
  exclude("align-by-socket",
          options.align_by_socket && kubelet.topology_manager_policy == kubelet::TopologyManagerPolicy::kSingleNumaNode,
          "topologyManagerPolicy single-numa-node");
}

// `section`: where it is, with a dot behind it.
void CheckPrometheus(const PrometheusConfiguration& prometheus, std::string_view section, const Report& report_within) {
  const auto report = [&](std::string_view field, std::string message) {
    report_within(Concat(section, field), std::move(message));
  };
  if (prometheus.url.empty()) report("url", "must not be empty");
  const auto both = [&](std::string_view one, bool has_one, std::string_view other, bool has_other) {
    if (has_one && !has_other) report(one, Concat("needs ", other));
    if (has_other && !has_one) report(other, Concat("needs ", one));
  };
  both("username", !prometheus.username.empty(), "passwordFile", !prometheus.password_file.empty());
  both("certFile", !prometheus.cert_file.empty(), "keyFile", !prometheus.key_file.empty());
  if (!prometheus.username.empty() && !prometheus.bearer_token_file.empty()) {
    report("username", "and bearerTokenFile exclude each other: the header Authorization holds one");
  }
  if (prometheus.username.find(':') != prometheus.username.npos) {
    report("username", "must not hold a colon");
  }
  if (!prometheus.cert_file.empty() && prometheus.url.starts_with("http://")) {
    report("certFile", "is for TLS, and the URL begins with http://");
  }
  const Report report_headers = report;
  NameRule headers(report_headers, "header", {});
  for (size_t i = 0; i < prometheus.headers.size(); ++i) {
    const HeaderConfiguration& header = prometheus.headers[i];
    headers.Check(Item("headers", i, ".name"), header.name);
    if (header.value.empty()) report(Item("headers", i, ".value"), "must not be empty");
  }
}

void CheckUsageSource(const Configuration& c, const Report& report) {
  const UsageConfiguration& usage = c.usage;
  if (usage.prometheus) CheckPrometheus(*usage.prometheus, "usage.prometheus.", report);
  if (!usage.history_file.empty() && usage.prometheus) {
    report("usage.historyFile", "is for the embedded history, which usage.prometheus replaces: set one of them");
  } else if (!usage.history_file.empty() && c.cluster.manifests) {
    report("usage.historyFile", "is for the metrics API of a cluster; with manifests history comes from UsageHistory");
  }
  for (size_t i = 0; i < usage.resources.size(); ++i) {
    const UsageResource& resource = usage.resources[i];
    for (const auto& [field, query] :
         {std::pair(".podQuery", &resource.pod_query), {".nodeQuery", &resource.node_query}}) {
      if (query->empty() || usage.prometheus) continue;
      report(Item("usage.resources", i, field), "is asked of Prometheus: needs usage.prometheus");
    }
    if (usage.prometheus && resource.pod_query.empty() && !resource.name.empty() &&
        usage_sources::ExpressionsFor(resource.name, {}).workloads.raw.empty()) {
      report(Item("usage.resources", i, ".name"),
             Concat(resource.name, " has no usual series: set podQuery and nodeQuery (",
                    resource.name == ResourceOf("disk") ? "did you mean disk?)" : "or is the name wrong?)"));
    }
    if (!resource.unit.empty() && (resource.unit == "cores") != (resource.name == "cpu")) {
      report(Item("usage.resources", i, ".unit"), "cpu is in cores, and nothing else is");
    }
  }
}

void CheckUsage(const UsageConfiguration& usage, const Report& report) {
  if (usage.window % usage.slot != Duration::zero()) {
    report("usage.slot", Concat("does not divide usage.window (", DurationText(usage.window), ") into whole slots"));
  } else if (usage.window / usage.slot > 10'080) {
    report("usage.slot", "gives more than 10080 slots");
  }
  if (usage.stale_after <= usage.interval) {
    report("usage.staleAfter", Concat("must be longer than usage.interval (", DurationText(usage.interval), ")"));
  }
  if (usage.resources.size() > usage::kMaxResources) {
    report("usage.resources", Concat("has more than ", std::to_string(usage::kMaxResources), " resources"));
  }
  NameRule names(report, "resource", {});
  for (size_t i = 0; i < usage.resources.size(); ++i)
    names.Check(Item("usage.resources", i, ".name"), usage.resources[i].name);
}

void CheckPool(const PoolConfiguration& pool, const std::string& path, const OvercommitConfiguration& overcommit,
               const Report& report) {
  if (pool.type == PoolType::kStatic && pool.factors.empty()) {
    report(Concat(path, ".type"), "static takes a factor: set factors, such as [{cpu: 0.5}]");
  }
  if (pool.in_place && !pool.auto_apply) {
    report(Concat(path, ".inPlace"), "pods that run are lowered only where new ones are: set autoApply: true, too");
  }
  for (size_t i = 0; i < pool.factors.size(); ++i) {
    const std::string factor = Item(Concat(path, ".factors"), i);
    if (!pool.factors[i].cpu && !pool.factors[i].memory) report(factor, "lowers nothing: set cpu, memory or both");
    if (pool.factors[i].memory && !pool.memory) {
      report(Concat(factor, ".memory"), "memory of the pool stays as written: set memory: true, too");
    }
  }
  for (const auto& [name, between] :
       {std::pair("interval", overcommit.interval), std::pair("checkpointInterval", overcommit.checkpoint_interval)}) {
    if (pool.stale_after > between) continue;
    report(Concat(path, ".staleAfter"),
           Concat("must be longer than overcommit.", name, " (", DurationText(between), ")"));
  }
}

void CheckOvercommit(const OvercommitConfiguration& overcommit, const Report& report) {
  NameRule names(report, "pool", {});
  for (size_t i = 0; i < overcommit.pools.size(); ++i) {
    const std::string path = Item("overcommit.pools", i);
    names.Check(Concat(path, ".name"), overcommit.pools[i].name);
    CheckPool(overcommit.pools[i], path, overcommit, report);
  }
}

}  // namespace

void CheckRules(const Configuration& c, const Report& report) {
  CheckServer(c.server, report);
  CheckCluster(c.cluster, report);

  NameRule checks(report, "check", NamesOf(policy::KnownChecks()));
  for (size_t i = 0; i < c.filter.checks.size(); ++i) {
    const std::string& name = c.filter.checks[i].name;
    checks.Check(Item("filter.checks", i, name.empty() ? ".name" : ""), name);
  }
  NameRule terms(report, "term", NamesOf(scoring::KnownTerms()));
  for (size_t i = 0; i < c.prioritize.terms.size(); ++i) {
    terms.Check(Item("prioritize.terms", i, ".name"), c.prioritize.terms[i].name);
    CheckTerm(c.prioritize.terms[i], c.usage, Item("prioritize.terms", i), report);
  }

  CheckBind(c, report);
  CheckController(c, report);
  CheckMetricsFront(c, report);
  if (c.controller.real_capacity.prometheus) {
    CheckPrometheus(*c.controller.real_capacity.prometheus, "controller.realCapacity.prometheus.", report);
  }
  CheckRealCapacity(c.controller.real_capacity, report);

  NameRule resources(report, "resource", {});
  const std::vector<std::string>& managed = c.topology.managed_resources;
  for (size_t i = 0; i < managed.size(); ++i) resources.Check(Item("topology.managedResources", i), managed[i]);
  if (managed.empty() || managed.front() != "cpu") {
    report("topology.managedResources", "must begin with cpu: without it no pod asks anything of zones");
  }

  CheckKubelet(c.topology.kubelet, report);
  CheckUsageSource(c, report);
  CheckUsage(c.usage, report);
  CheckOvercommit(c.overcommit, report);
}

}  // namespace huygens::settings
