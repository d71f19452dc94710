// The two bodies by which attributes of zones are written. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "capacity_writer/zone_object.h"
#include "cluster/objects.h"
#include "real_capacity/plan.h"

namespace huygens::capacity_writer {

// The kind's: "topology.crane.io/v1alpha1".
std::string_view ApiVersion(cluster::TopologySource source);

// The body of a server-side apply under kFieldManager: all that huygens is to own of the object, which must be still of
// that version, and there.
std::string EncodeApply(const ZoneObject& object, std::span<const real_capacity::ZonePlan> zones);
// A JSON patch that sets these attributes and takes away those of `names` that no plan has, and leaves all else as it is;
// for definitions whose zones are no map. It fails where the object is not of that version any more. Empty: there is
// nothing to change.
std::string EncodeJsonPatch(const ZoneObject& object, std::span<const real_capacity::ZonePlan> zones,
                            std::span<const std::string> names);

}  // namespace huygens::capacity_writer
