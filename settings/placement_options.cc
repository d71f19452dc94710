#include "settings/placement_options.h"

#include <algorithm>

#include "base/resource_alias.h"
#include "base/text.h"

namespace huygens::settings {

namespace {

// How many rejected pods are remembered for waking; those beyond wait for kube-scheduler's own next try.
constexpr size_t kWaitingPods = 4096;

StatusOr<usage::Options> UsageOptions(const UsageConfiguration& configuration, ResourceNames& resources) {
  usage::Options options{.estimator = configuration.estimator,
                         .slot = configuration.slot,
                         .slots = static_cast<size_t>(configuration.window / configuration.slot),
                         .stale_after = configuration.stale_after,
                         .max_stale_nodes = configuration.max_stale_nodes,
                         .min_history = configuration.min_history,
                         .replica_quantile = configuration.replica_quantile,
                         .max_workloads = static_cast<size_t>(configuration.max_workloads),
                         .run_once = configuration.run_once_owners,
                         .resources = {}};
  for (const UsageResource& each : configuration.resources) {
    HUYGENS_ASSIGN_OR_RETURN(ResourceId resource, resources.Intern(ResourceOf(each.name)));
    options.resources.push_back({each.name, resource, each.ceiling, each.when_stale, each.when_absent});
  }
  return options;
}

kubelet::Options AssumedOf(const KubeletConfiguration& kubelet) {
  const CpuManagerPolicyOptions& cpu = kubelet.cpu_manager_policy_options;
  return {.policy = kubelet.topology_manager_policy,
          .scope = kubelet.topology_manager_scope,
          .prefer_closest = kubelet.topology_manager_policy_options.prefer_closest_numa_nodes,
          .static_cpus = kubelet.cpu_manager_policy == "static",
          .static_memory = kubelet.memory_manager_policy == "Static",
          .full_cores_only = cpu.full_pcpus_only,
          .distribute_across_zones = cpu.distribute_cpus_across_numa,
          .distribute_across_cores = cpu.distribute_cpus_across_cores,
          .align_by_socket = cpu.align_by_socket,
          .align_by_uncore_cache = cpu.prefer_align_cpus_by_uncorecache,
          .threads_per_core = static_cast<int>(kubelet.threads_per_core)};
}

// What the checks and terms that are in use ask for of pods.
ResourceNames::PodKeys KeysOfPods(const placement::Options& options) {
  ResourceNames::PodKeys keys;
  const auto add = [](const std::vector<std::string_view>& more, std::vector<std::string>& to) {
    for (std::string_view key : more) {
      if (std::ranges::find(to, key) == to.end()) to.emplace_back(key);
    }
  };
  placement::ForEachNeeds(options, [&](const policy::Needs& needs) {
    add(needs.labels, keys.labels);
    add(needs.annotations, keys.annotations);
  });
  return keys;
}

}  // namespace

StatusOr<placement::Options> PlacementOptions(const Configuration& configuration, ResourceNames& resources) {
  placement::Options options;
  options.checks = configuration.filter.checks;
  options.terms.clear();
  for (const TermConfiguration& term : configuration.prioritize.terms) {
    placement::WeightedTerm& weighted = options.terms.emplace_back(
        placement::WeightedTerm{term.name, term.weight, {}, term.dominant_resource, term.options});
    for (const ResourceWeight& each : term.resources) {
      HUYGENS_ASSIGN_OR_RETURN(ResourceId resource, resources.Intern(ResourceOf(each.name)));
      weighted.resource_weights.Set(resource, each.weight);
    }
  }
  ResourceNames::PodKeys keys = KeysOfPods(options);
  if (configuration.rescheduler.mode != ReschedulerMode::kOff) {
    // rescheduling/never.h
    for (const char* key : {"huygens.dev/move", "cluster-autoscaler.kubernetes.io/safe-to-evict",
                            "descheduler.alpha.kubernetes.io/prefer-no-eviction"}) {
      keys.annotations.emplace_back(key);
    }
  }
  resources.KeepOfPods(std::move(keys));
  options.max_score = configuration.prioritize.max_score;
  options.narrow_to = static_cast<size_t>(configuration.filter.narrow_to);
  options.topology.managed_resources.clear();
  for (const std::string& name : configuration.topology.managed_resources) {
    HUYGENS_ASSIGN_OR_RETURN(ResourceId resource, resources.Intern(name));
    options.topology.managed_resources.push_back(resource);
  }
  options.topology.nodes_without_topology_pass = configuration.topology.nodes_without_topology_pass;
  options.topology.loss_grace = configuration.topology.loss_grace;
  // Whoever writes a directory of manifests writes all of it.
  options.topology.trust_unmarked_results =
      configuration.topology.trust_unmarked_results || configuration.cluster.manifests.has_value();
  // Nobody can be told about a directory of manifests.
  if (configuration.wake.enabled && configuration.cluster.kubernetes) options.waiting_pods = kWaitingPods;
  options.kubelet = AssumedOf(configuration.topology.kubelet);
  HUYGENS_ASSIGN_OR_RETURN(options.usage, UsageOptions(configuration.usage, resources));
  options.quota = {.enforcement = configuration.quota.enforcement,
                   .unnamed_model = configuration.quota.unnamed_model,
                   .models = {.cpu = configuration.quota.cpu_model_label,
                              .gpu = configuration.quota.gpu_model_label,
                              .memory = configuration.quota.memory_model_label},
                   .keys = {.gpu_resources = configuration.quota.gpu_resources}};
  options.resource_names = &resources;
  options.topology.stale_after = configuration.topology.real_capacity.stale_after;
  options.topology.when_stale = configuration.topology.real_capacity.when_stale;
  return options;
}

}  // namespace huygens::settings
