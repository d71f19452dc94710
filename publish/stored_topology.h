// A topology object as the API server has it, as far as whoever writes it again has to know. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace huygens::publish {

// What the definition of the kind makes of the list of zones, as metadata.managedFields shows it.
enum class ZoneList : uint8_t {
  kUnknown,  // nobody has written zones yet
  kByName,   // x-kubernetes-list-type: map: each writer owns the zones and attributes that it applies
  kAsWhole   // one writer owns all
};

struct StoredTopology {
  std::string resource_version;
  ZoneList zones = ZoneList::kUnknown;
  // Attributes of zones that the agent does not write, by the zone's name.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> foreign;
};

// InvalidArgument where it is no object.
StatusOr<StoredTopology> DecodeStoredTopology(std::string_view json);

// Whether all that `part` has is in `whole` with the same value: members of objects by name, elements of lists by their
// `name` where they have one, else by their place. Both are JSON; what is none holds nothing.
bool JsonHolds(std::string_view whole, std::string_view part);

}  // namespace huygens::publish
