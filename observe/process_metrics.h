// The metrics that Prometheus' client libraries give about the process itself, by the names they agreed on
// (process_resident_memory_bytes and so on), read from /proc/self on each call; what cannot be read is left out. For
// the files of observe/ only: shows the library.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

namespace huygens::observe {

void AppendProcessMetrics(std::vector<prometheus::MetricFamily>& families);

}  // namespace huygens::observe
