// The annotations of a pod that huygens acts on. Their text comes from users, so none of it is an error: what cannot be
// read counts as absent.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "cluster/objects.h"
#include "wire/resources.h"

namespace huygens::wire {

// topology.crane.io/cpu-policy: "none", "exclusive", "numa", "immovable".
cluster::CpuPolicy ParseCpuPolicy(std::string_view text);

// huygens.dev/smt: "spread", "pack", "isolate".
cluster::Smt ParseSmt(std::string_view text);

// The words of Go's strconv.ParseBool.
std::optional<bool> ParseBoolWord(std::string_view text);

// topology.crane.io/topology-result: capacity of each entry of type Node, ordered by zone, entries of one zone added
// up. Empty if the text is no such list or promises a negative amount, which would hand out what is not there.
std::vector<cluster::ZoneAmount> ParseTopologyResult(std::string_view text, const PodResourceNames& names);

// huygens.dev/placement, huygens.dev/placement-observed and huygens.dev/kubelet-placement; nothing unless it names a UID and a node. Zones that cannot
// be read, or promise a negative amount, are left out all together. One that says nothing of zones is no evidence of
// any. A group and models that no labels could be are left out.
Boxed<cluster::PlacementMark> ParsePlacementMark(std::string_view text, const PodResourceNames& names);

}  // namespace huygens::wire
