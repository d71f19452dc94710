// What a scrape answers, of the families of a registry and of what Prometheus' client libraries tell of a process. For
// the files of observe/ only: shows the library.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

namespace huygens::observe {

// Families and series in a fixed order.
std::string RenderFamilies(std::vector<prometheus::MetricFamily> families);

}  // namespace huygens::observe
