// One object of the API server as an event for State; an object that cannot be read never stops the others. Shared by
// reflectors and the manifest directory. Safe on any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/resource.h"
#include "base/status.h"
#include "cluster/watch_event.h"

namespace huygens::kube {

struct DecodedObject {
  std::optional<cluster::WatchEvent> event;
  Status fault;         // not ok: it could not be read; event is then what is safest to believe, if anything
  std::string name;     // of the object, as "namespace/name" or "name"
  bool in_use = false;  // despite the fault, which is of a part that is ignored
};

// Added, changed or listed. `resource_version`: of the object, 0 if it has none.
DecodedObject DecodePresent(cluster::Kind kind, std::string_view json, ResourceNames& names,
                            uint64_t resource_version = 0);
// Deleted; `json` is its last state.
DecodedObject DecodeDeleted(cluster::Kind kind, std::string_view json);

}  // namespace huygens::kube
