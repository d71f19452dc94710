// How the kubelet of a node is configured, put together from what says so: the topology object, else a label of the
// Node, else the configuration. Pure; any thread.
//
//   setting (kubelet's own name)    attribute of the object           label of the Node
//   topologyManagerPolicy           topologyManagerPolicy, else the   huygens.dev/topology-manager-policy
//   topologyManagerScope            first of topologyPolicies         huygens.dev/topology-manager-scope
//   topologyManagerPolicyOptions    topologyManagerOption<Name>       huygens.dev/topology-manager-policy-options.NAME
//   cpuManagerPolicy                cpuManagerPolicy                  huygens.dev/cpu-manager-policy
//   cpuManagerPolicyOptions         cpuManagerOption<Name>            huygens.dev/cpu-manager-policy-options.NAME
//   memoryManagerPolicy             memoryManagerPolicy               huygens.dev/memory-manager-policy
//   threadsPerCore (none of         zone attribute huygens.dev/cores  feature.node.kubernetes.io/
//   kubelet's, but of the machine)                                    cpu-hardware_multithreading
//
// NAME is the option as kubelet spells it, <Name> the same in CamelCase and any case (PreferClosestNumaNodes); values
// are "true" and "false". topologyPolicies is deprecated: <Policy>ContainerLevel, <Policy>PodLevel. What has no valid
// value counts as absent, and of an attribute that is given several times the last valid one counts, as upstream.
// Source of the topologyManager attributes: scheduler-plugins, pkg/noderesourcetopology/nodeconfig
// (updateFromAttributes); of the option names: kubernetes, pkg/kubelet/cm.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/objects.h"
#include "kubelet/options.h"

namespace huygens::kubelet {

// By the value of the enumeration, or false and true.
inline constexpr std::string_view kTopologyManagerPolicies[] = {"none", "best-effort", "restricted",
                                                                "single-numa-node"};
inline constexpr std::string_view kTopologyManagerScopes[] = {"container", "pod"};
inline constexpr std::string_view kCpuManagerPolicies[] = {"none", "static"};
inline constexpr std::string_view kMemoryManagerPolicies[] = {"None", "Static"};

// `node` may be null. `defaults` is what the configuration says.
Options OptionsOf(const cluster::NodeTopology& topology, const cluster::Node* node, const Options& defaults);

enum class SettingSource : uint8_t { kObject, kLabel, kConfiguration };
std::string_view Text(SettingSource source);

struct Setting {
  std::string name;  // as kubelet's own configuration spells it: cpuManagerPolicyOptions.full-pcpus-only
  std::string value;
  SettingSource source = SettingSource::kConfiguration;
  friend bool operator==(const Setting&, const Setting&) = default;
};
// What OptionsOf goes by and who says it, in the order above; options that nobody mentions are left out.
std::vector<Setting> SettingsOf(const cluster::NodeTopology& topology, const cluster::Node* node,
                                const Options& defaults);

// The label by which a Node may say it. Of a setting as Setting names it: "cpuManagerPolicyOptions.full-pcpus-only" is
// "huygens.dev/cpu-manager-policy-options.full-pcpus-only". Of an option that is not known, what its label would be.
std::string LabelOf(std::string_view setting);

// All of them, in the order above.
std::vector<std::string> SettingLabels();

// Which attribute of a community object names a policy, scope or option that kubelet does not have; empty if none does.
std::string UnknownSetting(const cluster::NodeTopology& topology);
// The same of a node's labels.
std::string UnknownSetting(const cluster::Node& node);

}  // namespace huygens::kubelet
