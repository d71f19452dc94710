// Resources that a pod asks for and that no node, topology object or configuration has ever named. Such a name gets no
// id of its own, since anybody can make up names and ids are few: the pod keeps it as text, and its amounts bear the
// name's position in that list, from kFirstUnknownResource on. No node has such a resource, so nothing is found to give
// it; budgets count it by its name. Once a node has it, the pod's amounts get the id that everybody uses.
//
// A pod keeps kMostUnknownResources such names, of amounts other than 0; what is beyond is left out. Pure; any thread.
#pragma once

#include <memory>
#include <string_view>

#include "base/resource.h"
#include "cluster/objects.h"

namespace huygens::cluster {

inline constexpr size_t kMostUnknownResources = 64;

// The name of a resource among the amounts of this pod.
std::string_view ResourceName(const Pod& pod, const ResourceNames& names, ResourceId resource);

// The pod with the ids of those of its unknown resources that `names` knows by now; the same pod if it knows none.
std::shared_ptr<const Pod> WithKnownResources(std::shared_ptr<const Pod> pod, const ResourceNames& names);

// Puts the pod's unknown names into the table: for what the operator himself wrote.
void InternResources(Pod& pod, ResourceNames& names);

// Gives `pod` the topology-result and the placement mark of `before`, an earlier state of it.
void KeepZones(const Pod& before, Pod& pod);

}  // namespace huygens::cluster
