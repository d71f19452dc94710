// A made cluster for measurements: managed nodes of 2, 4 or 8 zones with pods on them, fed to the decision core as
// watch events.
#pragma once

#include <string>
#include <vector>

#include "placement/placement.h"

namespace huygens::bench {

// 30 characters, like the names of cloud machines.
std::string NodeName(size_t index);
// Nodes, their crane topology objects, then `pods` bound pods that hold one or two CPUs of a zone each.
void Fill(placement::Placement& placement, size_t nodes, size_t pods);
// The JSON of a pod as kube-scheduler sends it, asking for two CPUs of one zone.
std::string PodJson();
// {"Pod":...,"Nodes":null,"NodeNames":[...]} for the first `names` nodes.
std::string RequestBody(size_t names);

}  // namespace huygens::bench
