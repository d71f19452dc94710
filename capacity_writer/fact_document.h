// Facts as an HTTP server may give them in one JSON document:
//
//   {"time": "2026-11-21T08:00:00Z",
//    "items": [{"node": "worker-1", "zone": "node0", "value": 12.5}, {"node": "worker-1", "zone": "node1", "value": 3}]}
//
// `time`, since when it is so, may be absent: then it is the time of the question. `zone` is any name with the zone's
// number at its end, "node0", "node-0" or "0", or the number itself; it is absent where facts are of nodes as wholes.
// Anything else in it is passed over. Safe on any thread.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "real_capacity/facts.h"

namespace huygens::capacity_writer {

struct FactDocument {
  std::optional<Time> time;
  std::vector<real_capacity::Fact> facts;
};

// `per_zone`: each item must name a zone. Errors say which item is wrong: one that cannot be read makes the whole
// document useless, since nobody knows what it was to say.
StatusOr<FactDocument> DecodeFactDocument(std::string_view json, bool per_zone);

}  // namespace huygens::capacity_writer
