// What pods that are nominated to nodes cost a filter that is about other nodes.
#pragma once

#include <cstddef>

namespace huygens::bench {

void ReportNominated(size_t nodes, size_t pods);

}  // namespace huygens::bench
