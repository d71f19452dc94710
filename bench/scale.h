// What one instance costs by the size of the cluster: LIST, memory, changes, decisions, and calls over HTTP, each by
// node, pod or name. The curve should be flat.
#pragma once

#include <span>

namespace huygens::bench {

// `arguments`: numbers of nodes (500 to 100 000 by default) and --pods=N, of which there are ten a node, but at most N
// (150 000). Each size runs in a process of its own, so that none inherits the heap of another. Returns the exit code.
int ReportScale(std::span<char* const> arguments);

}  // namespace huygens::bench
