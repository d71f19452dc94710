// The annotations of a node that huygens acts on. Their text comes from users, so none of it is an error: an annotation
// that cannot be read as a whole counts as absent. Safe on any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/resource.h"

namespace huygens::wire {

// huygens.dev/real-allocatable: what the machine can really give where `allocatable` is oversold, as quantities by
// resource name: {"cpu":"32","disk-io":"20000"}. Names that nothing else has mentioned are left out.
ResourceVector ParseRealAllocatable(std::string_view text, const ResourceNames& names);

// huygens.dev/usage-ceilings: shares from 0 to 10 by the name that a resource has in `usage.resources`, as numbers or
// text: {"cpu":0.7,"memory":"95%"}. In millionths, ordered by name.
std::vector<std::pair<std::string, int64_t>> ParseUsageCeilings(std::string_view text);

}  // namespace huygens::wire
