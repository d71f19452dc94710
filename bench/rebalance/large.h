// Time and memory of one plan for a large cluster that is made up: 10 000 nodes, 150 000 pods of 15 000 workloads, a week
// of 672 slots of CPU and memory, 200 nodes above their ceiling; and what it does to filter.
#pragma once

namespace huygens::bench {

// Prints a report; 0.
int PlanForLargeCluster();

}  // namespace huygens::bench
