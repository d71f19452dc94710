// Finds the mask of a given number of zones that holds several sums at once: the lowest one, or the one whose zones are
// nearest to each other (then the lowest). Walks masks from the lowest up and leaves a branch as soon as the most that
// the zones left could add does not suffice, or cannot beat the nearest found. Pure; any thread; allocates only for
// many zones. Exact unless `steps` ran out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "topology/zone_mask.h"

namespace huygens::topology {

// The amounts (none below 0) of the zones of a mask must add up to at least `need`. `amounts` has one for each
// position.
struct ZoneSum {
  std::span<const int64_t> amounts;
  int64_t need = 0;
};

// The least distance of any zone to itself, and to another one.
struct LeastDistances {
  int own = 0;
  int other = 0;
  // Of all ordered pairs among so many zones.
  int64_t Within(size_t zones) const {
    return static_cast<int64_t>(zones) * (own + (static_cast<int64_t>(zones) - 1) * other);
  }
};
LeastDistances LeastOf(std::span<const int> distance, size_t zones);

struct MaskQuery {
  ZoneMask universe = 0;  // zones to choose from
  ZoneMask must = 0;      // zones that must be among them
  absl::InlinedVector<ZoneSum, 4> sums;
  std::span<const int> distance;        // row by row; empty = the lowest mask will do
  std::optional<LeastDistances> least;  // of these; worked out if not given
  // What no sum says, asked of masks that hold all sums. Null: nothing.
  std::optional<absl::FunctionRef<bool(ZoneMask)>> accepts;
};

// Mean of all ordered pairs including each zone with itself, times the number of pairs.
int64_t DistanceWithin(std::span<const int> distance, size_t zones, ZoneMask mask);

struct MaskAnswer {
  std::optional<ZoneMask> mask;
  bool bounded = false;  // the steps ran out: there may be a mask where none was found, or a nearer one
};

// Takes what it needs from `steps`; one and two zones need none.
MaskAnswer FindMask(const MaskQuery& query, int width, int& steps);

// The fewest zones of `universe` whose amounts reach each sum on its own: no mask with fewer can hold all. Nothing if
// not even all zones reach them.
std::optional<int> LeastWidth(ZoneMask universe, std::span<const ZoneSum> sums);

}  // namespace huygens::topology
