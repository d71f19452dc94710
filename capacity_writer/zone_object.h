// A NodeResourceTopology as who writes attributes of its zones must know it: what each zone says, and which of it is
// huygens' own by metadata.managedFields. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cluster/objects.h"
#include "real_capacity/plan.h"

namespace huygens::capacity_writer {

// The name that server-side apply knows this writer by.
inline constexpr char kFieldManager[] = "huygens-master";

struct ZoneObject {
  cluster::TopologySource source = cluster::TopologySource::kCrane;
  std::string name;  // of the object, which is the node's
  std::string uid;
  std::string resource_version;
  std::string node_uid;  // of the Node that owns it; empty: it says none
  // Zones with a number, in the order of the object; `index` of each is its place in the object's list.
  struct Zone : real_capacity::ZoneState {
    size_t index = 0;
    bool has_attributes = false;
  };
  std::vector<Zone> zones;

  std::vector<real_capacity::ZoneState> States() const { return {zones.begin(), zones.end()}; }
};

// Fails on text that is no object with a name and a UID, and where two zones have the same number.
StatusOr<ZoneObject> DecodeZoneObject(std::string_view json, cluster::TopologySource source);

}  // namespace huygens::capacity_writer
