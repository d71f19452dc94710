// The attributes of a zone that huygens knows, crane's map or the community's list of texts:
//   offline_capacity, offline_capacity_updated   "14500m", RFC 3339: the CPUs the zone can really give, and since when
//   memoryGroup                                  "node-0,node-1": the zones kubelet's memory manager allocates from
//                                                together with this one; must name the zone itself
//   huygens.dev/cores                            "0,4;1,5;2-3": cores parted by semicolons, the CPUs of a core as a
//                                                Linux CPU list; no CPU twice; empty for a zone without CPUs
// An unreadable one is an error, since ignoring it would promise what is not there. Safe on any thread.
#pragma once

#include <string>

#include "base/status.h"
#include "cluster/objects.h"
#include "wire/resources.h"

namespace huygens::wire {

// `zone` knows its id already. `misspelt` takes what is wrong with the first name that nobody reads though it is nearly
// one of these.
Status SetZoneAttributes(const TextPairs& attributes, cluster::Zone& zone, std::string& misspelt);

}  // namespace huygens::wire
