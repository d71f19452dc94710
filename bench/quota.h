// What the check "quota" adds to one filter.
#pragma once

#include <cstddef>

namespace huygens::bench {

// Prints it for `nodes` nodes with `pods` pods, without the network: the same calls on two decision cores that differ
// in the check alone, in turns.
void ReportQuota(size_t nodes, size_t pods);

}  // namespace huygens::bench
