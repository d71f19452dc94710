// How the kubelet of a node is configured, put together from what says so. Pure; any thread.
//
//   Topology Manager   attributes topologyManagerPolicy, topologyManagerScope, topologyManagerOption<Name>; else the
//                      first of the deprecated topologyPolicies (<Policy>ContainerLevel, <Policy>PodLevel)
//   CPU manager        attributes cpuManagerPolicy, cpuManagerOption<Name>; else the node's label
//                      huygens.dev/cpu-manager-policy; else the default
//   memory manager     attribute memoryManagerPolicy; else huygens.dev/memory-manager-policy; else the default
//
// <Name> is kubelet's option in CamelCase: topologyManagerOptionPreferClosestNumaNodes, in any case. What has no valid
// value counts as absent, as upstream. Source of the first line: scheduler-plugins,
// pkg/noderesourcetopology/nodeconfig.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/objects.h"
#include "topology/kubelet_machine.h"
#include "topology/options.h"

namespace huygens::topology {

// `node` may be null.
KubeletOptions KubeletOptionsOf(const cluster::NodeTopology& topology, const cluster::Node* node,
                                const KubeletDefaults& defaults);

// As kubelet's own configuration spells it: topologyManagerPolicy, topologyManagerScope, cpuManagerPolicy,
// memoryManagerPolicy, and where any is on topologyManagerPolicyOptions and cpuManagerPolicyOptions, joined by commas.
std::vector<std::pair<std::string_view, std::string>> SettingsOf(const KubeletOptions& options);

// Which attribute of a community object names a policy or scope that kubelet does not have; empty if none does.
std::string UnknownSetting(const cluster::NodeTopology& topology);
// The same of a node's labels.
std::string UnknownSetting(const cluster::Node& node);

}  // namespace huygens::topology
