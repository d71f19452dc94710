// Any bytes as a NodeResourceTopology of crane and of the community: what comes back is ordered, bounded, and either
// usable or says why not.
#include <algorithm>

#include "tests/fuzz/require.h"
#include "wire/topology.h"

namespace huygens {
namespace {

using fuzz::Require;

void CheckTopology(const StatusOr<cluster::NodeTopology>& topology) {
  if (!topology.ok()) {
    Require(!Message(topology.status()).empty(), "an error has a message");
    return;
  }
  const auto& zones = topology->zones;
  Require(topology->defect.empty() || zones.empty(), "an object with a defect offers no zones");
  Require(zones.size() <= cluster::kMaxZones, "zones are bounded");
  auto not_ascending = [](const cluster::Zone& a, const cluster::Zone& b) { return a.id >= b.id; };
  Require(std::adjacent_find(zones.begin(), zones.end(), not_ascending) == zones.end(), "zones ascend without repeats");
  for (const cluster::Zone& zone : zones) {
    Require(zone.id >= 0, "a zone has a number");
    Require(cluster::ParseZoneId(zone.name) == zone.id, "the number is that of the name");
    Require(std::is_sorted(zone.costs.begin(), zone.costs.end()), "distances are ordered");
    Require(std::is_sorted(zone.memory_group.begin(), zone.memory_group.end()), "a memory group is ordered");
    Require(std::is_sorted(zone.cores.begin(), zone.cores.end()), "cores are ordered");
    for (const cluster::Core& core : zone.cores) {
      Require(!core.empty() && std::is_sorted(core.begin(), core.end()), "a core has CPUs, ordered");
    }
  }
  Require(std::is_sorted(topology->attributes.begin(), topology->attributes.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; }),
          "attributes are ordered by name");
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view json(reinterpret_cast<const char*>(data), size);
  huygens::ResourceNames names;
  huygens::CheckTopology(huygens::wire::DecodeCraneTopology(json, names));
  huygens::CheckTopology(huygens::wire::DecodeCommunityTopology(json, names));
  return 0;
}
