// The two NodeResourceTopology kinds, crane's topology.crane.io/v1alpha1 and the community's
// topology.node.k8s.io/v1alpha2. Zones of another type than Node are skipped, and those of the community whose names
// are not node-N, nodeN or N, as in upstream's pkg/noderesourcetopology. What is JSON but cannot be used (a zone of
// crane's without a number, zones of which none has one, two zones of one number, more than 64 zones, a wrong type or
// quantity, an amount that is negative or more than any machine has, zones of which none has an amount, an attribute of
// a zone that wire/zone_attributes.h cannot read) does not fail: the object comes back with `defect` set and no zones,
// so that its node is refused by name. Fails on text that is not a JSON object with metadata.name. A resource for whose
// name the table has no room is left out of its zones, and the last such into `left_out`, if given. Safe on any thread.
#pragma once

#include <string_view>

#include "base/resource.h"
#include "base/status.h"
#include "cluster/objects.h"

namespace huygens::wire {

StatusOr<cluster::NodeTopology> DecodeCraneTopology(std::string_view json, ResourceNames& names,
                                                    Status* left_out = nullptr);
// The deprecated topologyPolicies come back as an attribute of that name, joined by commas, unless one so named exists.
StatusOr<cluster::NodeTopology> DecodeCommunityTopology(std::string_view json, ResourceNames& names,
                                                        Status* left_out = nullptr);

}  // namespace huygens::wire
