// What a measured value speaks of.
#pragma once

#include <cstdint>

namespace huygens::prom {

enum class SubjectKind : uint8_t {
  kWorkload,  // its pods; named as usage::WorkloadOf does
  kNode       // what a node uses beyond its pods; named as the Node
};

}  // namespace huygens::prom
