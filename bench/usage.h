// What the check "usage" adds to one filter.
#pragma once

#include <cstddef>

#include "placement/placement.h"

namespace huygens::bench {

// cpu and memory with ceilings, and both terms of real use.
placement::Options WithUsage();

// Prints it for `nodes` nodes with `pods` pods, without the network: the same calls on two decision cores that differ
// in the check alone, in turns.
void ReportUsage(size_t nodes, size_t pods);

}  // namespace huygens::bench
