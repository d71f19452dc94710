#include "rules/judge_rule.h"

#include <algorithm>
#include <span>

#include "rules/kinds.h"
#include "rules/names.h"
#include "rules/read_values.h"

namespace huygens::rules {

namespace {

bool IsAmong(std::string_view key, std::span<const std::string_view> keys, std::span<const std::string_view> prefixes) {
  return std::ranges::find(keys, key) != keys.end() ||
         std::ranges::any_of(prefixes, [&](std::string_view prefix) { return key.starts_with(prefix); });
}

// Written by whoever makes the object, and gone by: a pod without them would be lost to its controller, or the change
// would be undone again and again. Those of other webhooks, too: each of the two would have the other asked once more.
bool IsOthersKey(std::string_view key) {
  constexpr std::string_view kKeys[] = {"pod-template-hash",
                                        "controller-revision-hash",
                                        "pod-template-generation",
                                        "controller-uid",
                                        "job-name",
                                        "kubernetes.io/hostname",
                                        "kubernetes.io/os",
                                        "kubernetes.io/arch",
                                        "huygens.dev/overcommit",     // huygens itself, after rules
                                        "vpaUpdates",                 // VerticalPodAutoscaler
                                        "vpaObservedContainers",      // the same
                                        "sidecar.istio.io/status",    // Istio
                                        "linkerd.io/proxy-version",   // Linkerd
                                        "kruise.io/sidecarset-hash",  // OpenKruise
                                        "kruise.io/sidecarset-injected-list"};
  constexpr std::string_view kPrefixes[] = {
      "rules.huygens.dev/",         "kubernetes.io/config.",      "kubectl.kubernetes.io/", "deployment.kubernetes.io/",
      "batch.kubernetes.io/",       "statefulset.kubernetes.io/", "apps.kubernetes.io/",    "kubernetes.io/metadata.",
      "rollouts-pod-template-hash", "node.koordinator.sh/"};  // koordinator's webhook for nodes
  return IsAmong(key, kKeys, kPrefixes);
}

// Of taints: the node lifecycle controller, cloud providers and the cluster autoscaler put them on and take them off.
bool IsOthersTaint(std::string_view key) {
  constexpr std::string_view kKeys[] = {"ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler"};
  constexpr std::string_view kPrefixes[] = {"node.kubernetes.io/", "node.cloudprovider.kubernetes.io/"};
  return IsAmong(key, kKeys, kPrefixes);
}

Status NotForRules(std::string_view key) {
  return Invalid(Concat("\"", key, "\" is not for rules: others write it and go by it"));
}

Status JudgeKey(std::string_view key) {
  HUYGENS_RETURN_IF_ERROR(FaultStatus(QualifiedNameFault(key)));
  return IsOthersKey(key) ? NotForRules(key) : absl::OkStatus();
}

Status JudgeMetadata(const Injection& injection) {
  for (const auto& [key, value] : injection.labels) {
    HUYGENS_RETURN_IF_ERROR(Annotate(JudgeKey(key), "inject.labels"));
    HUYGENS_RETURN_IF_ERROR(Annotate(FaultStatus(LabelValueFault(value)), Concat("inject.labels.", key)));
  }
  size_t bytes = 0;
  for (const auto& [key, value] : injection.annotations) {
    HUYGENS_RETURN_IF_ERROR(Annotate(JudgeKey(key), "inject.annotations"));
    bytes += key.size() + value.size();
  }
  // An API server takes 256 KiB for all of an object's annotations.
  return bytes <= size_t{32} << 10 ? absl::OkStatus() : Invalid("inject.annotations: more than 32 KiB");
}

Status JudgeTaintKeys(const Injection& injection) {
  for (const Tree& taint : injection.taints) {
    if (IsOthersTaint(taint.TextOf("key"))) return Annotate(NotForRules(taint.TextOf("key")), "inject.taints");
  }
  return absl::OkStatus();
}

Status JudgeNamespaces(const Selection& selection) {
  const auto fault = [](std::string_view field, std::string_view name) {
    return Invalid(Concat(field, ": rules are not for ", name, ": the cluster itself lives there"));
  };
  for (const std::string& name : selection.namespaces) {
    if (IsSystemNamespace(name)) return fault("selector.namespaces", name);
  }
  if (!selection.namespace_labels) return absl::OkStatus();
  for (const LabelRequirement& each : selection.namespace_labels->requirements) {
    if (each.key != "kubernetes.io/metadata.name" || each.operation != LabelRequirement::Operation::kIn) continue;
    const auto system = std::ranges::find_if(each.values, IsSystemNamespace);
    if (system != each.values.end()) return fault("selector.namespaceSelector", *system);
  }
  return absl::OkStatus();
}

Status JudgeAmounts(const std::vector<AmountChange>& changes, std::string_view field, bool of_pods) {
  for (const AmountChange& change : changes) {
    const std::string place = Concat(field, ".", change.resource);
    const auto fault = [&](std::string_view text) { return Invalid(Concat(place, ": ", text)); };
    constexpr std::string_view kOfPods[] = {"cpu", "memory", "ephemeral-storage"};
    if (of_pods && std::ranges::find(kOfPods, change.resource) == std::end(kOfPods)) {
      return fault("only cpu, memory and ephemeral-storage: of others Kubernetes wants requests that equal limits");
    }
    HUYGENS_RETURN_IF_ERROR(Annotate(FaultStatus(QualifiedNameFault(change.resource)), field));
    if (change.resource.starts_with("hugepages-")) return fault("huge pages are not to be had by saying so");
    if (change.set && (change.factor_millionths || change.min || change.max)) {
      return fault("set goes alone, without factor, min and max");
    }
    if (!change.set && !change.factor_millionths && !change.min && !change.max) {
      return fault("must say factor, set, min or max");
    }
    if (change.min && change.max && *change.min > *change.max) return fault("min is above max");
  }
  return absl::OkStatus();
}

// Two of a list that are one to Kubernetes, which would refuse the object.
Status JudgeTwins(const std::vector<Tree>& list, std::string_view field,
                  std::initializer_list<std::string_view> identity) {
  for (size_t i = 0; i < list.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const bool same = std::ranges::all_of(
          identity, [&](std::string_view key) { return list[i].TextOf(key) == list[j].TextOf(key); });
      if (same) return Invalid(Concat(field, "[", std::to_string(i), "]: is there twice"));
    }
  }
  return absl::OkStatus();
}

bool OfPods(const Injection& injection) {
  return !injection.requests.empty() || !injection.limits.empty() || !injection.tolerations.empty() ||
         !injection.topology_spread.empty() || !injection.required_nodes.empty() ||
         !injection.preferred_nodes.empty() || !injection.required_near.empty() || !injection.preferred_near.empty() ||
         !injection.required_apart.empty() || !injection.preferred_apart.empty() || !injection.scheduler_name.empty() ||
         !injection.priority_class_name.empty();
}

bool OfNodes(const Injection& injection) { return !injection.allocatable.empty() || !injection.taints.empty(); }

Status JudgeKinds(const SchedulingRule& rule) {
  const auto& kinds = rule.selection.kinds;
  if (kinds.empty()) return Invalid("selector.kinds: is missing: which kinds of objects the rule is for");
  const bool nodes = std::ranges::find(kinds, "Node") != kinds.end();
  if (nodes && kinds.size() > 1) return Invalid("selector.kinds: Node goes alone");
  if (nodes && OfPods(rule.injection)) return Invalid("inject: what is of pods is not for nodes");
  if (!nodes && OfNodes(rule.injection)) return Invalid("inject: taints and allocatable are for the kind Node alone");
  const bool spaces = !rule.selection.namespaces.empty() || rule.selection.namespace_labels ||
                      !rule.exclusion.namespaces.empty() || !rule.selection.owner_kinds.empty();
  if (nodes && spaces) return Invalid("selector: nodes have no namespaces and no owners");
  return absl::OkStatus();
}

Status JudgeAlways(const SchedulingRule& rule) {
  if (!rule.always) return absl::OkStatus();
  // The API server, which is to apply such a rule by itself, has neither a hash nor a clock.
  if (rule.rollout.per_ten_thousand != 10'000) return Invalid("always: not with rollout.percent below 100");
  if (rule.window.from || rule.window.until) return Invalid("always: not with a window");
  return absl::OkStatus();
}

}  // namespace

Status JudgeRule(const SchedulingRule& rule) {
  const Injection& injection = rule.injection;
  HUYGENS_RETURN_IF_ERROR(JudgeKinds(rule));
  HUYGENS_RETURN_IF_ERROR(JudgeNamespaces(rule.selection));
  if (rule.priority < -1'000'000'000 || rule.priority > 1'000'000'000) {
    return Invalid("priority: must be within 1000000000 of 0");
  }
  HUYGENS_RETURN_IF_ERROR(JudgeAlways(rule));
  if (!OfPods(injection) && !OfNodes(injection) && injection.labels.empty() && injection.annotations.empty()) {
    return Invalid("inject: says nothing");
  }
  HUYGENS_RETURN_IF_ERROR(JudgeMetadata(injection));
  HUYGENS_RETURN_IF_ERROR(JudgeAmounts(injection.requests, "inject.resources.requests", true));
  HUYGENS_RETURN_IF_ERROR(JudgeAmounts(injection.limits, "inject.resources.limits", true));
  HUYGENS_RETURN_IF_ERROR(JudgeAmounts(injection.allocatable, "inject.allocatable", false));
  HUYGENS_RETURN_IF_ERROR(JudgeTaintKeys(injection));
  HUYGENS_RETURN_IF_ERROR(JudgeTwins(injection.taints, "inject.taints", {"key", "effect"}));
  HUYGENS_RETURN_IF_ERROR(
      JudgeTwins(injection.topology_spread, "inject.topologySpreadConstraints", {"topologyKey", "whenUnsatisfiable"}));
  for (const auto& [name, field] : {std::pair(&injection.scheduler_name, "inject.schedulerName"),
                                    std::pair(&injection.priority_class_name, "inject.priorityClassName")}) {
    if (!name->empty()) HUYGENS_RETURN_IF_ERROR(Annotate(FaultStatus(SubdomainFault(*name)), field));
  }
  return absl::OkStatus();
}

}  // namespace huygens::rules
